"""Do the measures rank the profiles alike? Ordinal agreement.

Where every measure puts the profiles in the same order, a choice between profiles does not depend
on which measure one believes, and what is Pareto optimal under one is so under all (lemma
4.1). Where a pair of profiles is *discordant*, the choice between the two is one between measures.

Source: Noriega Campero 2015, §4.4.1; docs/science.md, “Disclosure”.
"""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats  # type: ignore[import-untyped,unused-ignore]

from ..model.arrays import FloatArray
from ..model.errors import ConfigError, InfeasibleError

_MEASURE = re.compile(r"unicity(_p\d+)?|k|em|kl|k_disclosure")


def ordinal_agreement(table: pd.DataFrame) -> pd.DataFrame:
    """Kendall's τ of every pair of measures, and the pairs of profiles they rank differently.

    Parameters
    ----------
    table : DataFrame
        One row per profile, whose name is the index, and one numeric column per measure; or as
        :func:`fpanon_core.disclosure_grid` gives it, of which the measures are taken. A profile
        without a value (NaN) in one of two measures is left out of that pair.

    Returns
    -------
    DataFrame
        One row per pair of measures, in the order of the columns: ``a``, ``b``; ``tau``, Kendall's
        τ-b (1 the same order, −1 the opposite; ties in either measure lower its size), NaN where a
        measure gives all profiles one value, or fewer than two profiles have both: there is then
        no order to agree with; ``pairs`` of profiles compared, of which ``concordant``,
        ``discordant`` and ``tied`` (the same value in ``a``, in ``b``, or in both);
        ``discordant_pairs``, a list of (name, name): the first has the larger value in ``a``.

    Raises
    ------
    ConfigError
        A column is not numeric, or there are fewer than two.
    InfeasibleError
        There are fewer than two profiles.

    Notes
    -----
    Noriega Campero 2015, eq. 4.20, asks for ``m_j(g) > m_j(g') ⇔ m_j'(g) > m_j'(g')`` for all pairs
    of profiles: τ = 1, nothing discordant. Values are compared as they are; that two differ by less
    than their intervals is for the reader to see.

    Examples
    --------
    >>> values = {"unicity": [0.9, 0.5, 0.1], "em": [0.3, 0.1, 0.2]}
    >>> table = pd.DataFrame(values, index=["1 km", "2 km", "4 km"])
    >>> row = ordinal_agreement(table).iloc[0]
    >>> round(float(row.tau), 3), row.discordant_pairs
    (0.333, [('2 km', '4 km')])
    """
    if "profile" in table.columns:
        table = table.set_index("profile")
        known = [name for name in table.columns if _MEASURE.fullmatch(str(name))]
        table = table[known] if known else table
    other = [str(name) for name, kind in table.dtypes.items() if kind.kind not in "iuf"]
    if other:
        raise ConfigError(
            f"Not numbers: {', '.join(other)}; give one numeric column per measure, and the names "
            "of the profiles as the index."
        )
    if table.shape[1] < 2:
        raise ConfigError("There are fewer than two measures to compare; give one column for each.")
    if len(table) < 2:
        raise InfeasibleError(
            "There are fewer than two profiles, and so no order to agree on; measure at least two."
        )
    return pd.DataFrame(
        [_row(table.iloc[:, [i, j]]) for i, j in combinations(range(table.shape[1]), 2)]
    )


def _row(two: pd.DataFrame) -> dict[str, object]:
    known = two.dropna()
    names = known.index.tolist()
    a, b = known.iloc[:, 0].to_numpy(np.float64), known.iloc[:, 1].to_numpy(np.float64)
    first, second = np.triu_indices(len(known), 1)
    # Signs, not products of differences: those of tiny numbers could vanish.
    rises_a, rises_b = np.sign(a[second] - a[first]), np.sign(b[second] - b[first])
    discordant = rises_a * rises_b < 0
    swapped = rises_a > 0
    pairs = zip(np.where(swapped, second, first)[discordant].tolist(),
                np.where(swapped, first, second)[discordant].tolist(), strict=True)  # fmt: skip
    return {
        "a": two.columns[0],
        "b": two.columns[1],
        "tau": _tau(a, b),
        "pairs": len(first),
        "concordant": int((rises_a * rises_b > 0).sum()),
        "discordant": int(discordant.sum()),
        "tied": int((rises_a * rises_b == 0).sum()),
        "discordant_pairs": [(names[i], names[j]) for i, j in pairs],
    }


def _tau(a: FloatArray, b: FloatArray) -> float:
    if len(a) < 2 or (a == a[0]).all() or (b == b[0]).all():
        return float("nan")
    return float(stats.kendalltau(a, b, variant="b").statistic)

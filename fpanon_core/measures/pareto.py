"""The Pareto front of release options.

An option is dominated if another is at least as good in risk and utility, and better in at least
one. A dominated option offers no trade-off: choosing it loses something for nothing. The front
depends only on the orders of the risks and of the utilities, so measures of risk with the same
ranking give the same front (lemma 4.1).

Risks are estimates. If intervals are given, an option dominates another only if its risk is no
larger than the other's for all values within both intervals. Two options are level if one dominates
the other by the estimates, but not by the intervals.

Source: Noriega Campero 2015, §5.2; docs/science.md, “Techniques, utility and the front of release
options”.

*Ordinal agreement* means that measures rank the profiles in the same order.

If all measures rank the profiles in the same order, the choice of a profile does not depend on the
measure. Profiles that are Pareto optimal under one measure are then Pareto optimal under all
measures (lemma 4.1). For a *discordant* pair of profiles, the choice depends on the measure.

Source: Noriega Campero 2015, §4.4.1; docs/science.md, “Disclosure”.

*Asked utility* is how useful experts find a release.

Source: Noriega Campero 2015, §5.1.
"""

from __future__ import annotations

import math
import re
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats  # type: ignore[import-untyped,unused-ignore]

from ..model.arrays import FloatArray, IntArray
from ..model.errors import ConfigError, InfeasibleError
from ..model.options import name_key


def pareto_front(risk: npt.ArrayLike, utility: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Return whether each option is on the front; less risk and more utility are better.

    Options equal in both are on the front together or not at all. An option with unknown (NaN) risk
    or utility is never on the front, and dominates no option.

    Parameters
    ----------
    risk, utility : array_like (n,)

    Returns
    -------
    bool ndarray (n,)

    Raises
    ------
    ConfigError
        ``risk`` and ``utility`` are not two equally long lists of numbers.

    Notes
    -----
    The front needs one sort, by risk. An option is on the front if no option of equal risk has more
    utility, and none of smaller risk has at least as much.

    Examples
    --------
    >>> pareto_front([0.9, 0.4, 0.5, 0.1], [1.0, 0.8, 0.7, 0.2]).tolist()
    [True, True, False, True]
    """
    risks, utilities = _both(risk, utility)
    known = np.flatnonzero(~(np.isnan(risks) | np.isnan(utilities)))
    risk_of, at = np.unique(risks[known], return_inverse=True)
    most = np.full(len(risk_of), -np.inf)  # the largest utility, by ascending risk
    np.maximum.at(most, at, utilities[known])
    worth = most > np.append(-np.inf, np.maximum.accumulate(most)[:-1])
    worth[:1] = True  # nothing is less risky
    front = np.zeros(len(risks), bool)
    front[known] = worth[at] & (utilities[known] == most[at])
    return front


def dominating(
    risk: npt.ArrayLike,
    utility: npt.ArrayLike,
    *,
    low: npt.ArrayLike | None = None,
    high: npt.ArrayLike | None = None,
) -> list[IntArray]:
    """Return, for each option, the row numbers, ascending, of the options that dominate it.

    The list is empty if no option does, or if the option's risk or utility is unknown (NaN).

    Parameters
    ----------
    risk, utility : array_like (n,)
    low, high : array_like (n,), optional
        Ends of each risk's interval. An option dominates another only if its ``high`` is not above
        the other's ``low``, and its utility is not below the other's. At least one of the two
        comparisons must be strict. For unknown ends (NaN or not given), the risk is used.

    Raises
    ------
    ConfigError
        The arguments are not equally long lists of numbers, or an interval does not hold its risk.

    Notes
    -----
    Dominance is a strict partial order, even with intervals. Every dominated option is dominated by
    an option that is not dominated itself. So at least one option is not dominated, if any option
    has a known risk and utility.

    Examples
    --------
    >>> [rows.tolist() for rows in dominating([0.9, 0.4, 0.5], [1.0, 0.8, 0.7])]
    [[], [], [1]]
    >>> ends = {"low": [0.8, 0.3, 0.4], "high": [1.0, 0.5, 0.6]}
    >>> [rows.tolist() for rows in dominating([0.9, 0.4, 0.5], [1.0, 0.8, 0.7], **ends)]
    [[], [], []]
    """
    risks, utilities = _both(risk, utility)
    lows, highs = _ends(risks, low, high)
    found = []
    for least, u in zip(lows, utilities, strict=True):
        as_good = (highs <= least) & (utilities >= u)
        found.append(np.flatnonzero(as_good & ((highs < least) | (utilities > u))))
    return found


def level(
    risk: npt.ArrayLike, utility: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike
) -> list[IntArray]:
    """Return, for each option, the row numbers, ascending, of the options level with it.

    By the estimates, one of two level options dominates the other; by the intervals, neither
    dominates.

    Raises
    ------
    ConfigError
        The arguments are not equally long lists of numbers, or an interval does not hold its risk.

    Examples
    --------
    >>> ends = [0.8, 0.3, 0.4], [1.0, 0.5, 0.6]
    >>> [rows.tolist() for rows in level([0.9, 0.4, 0.5], [1.0, 0.8, 0.7], *ends)]
    [[], [2], [1]]
    """
    surely = dominating(risk, utility, low=low, high=high)
    n = len(surely)
    found = np.zeros((n, n), bool)
    for i, rows in enumerate(dominating(risk, utility)):
        found[i, rows] = True
        found[i, surely[i]] = False
    return [np.flatnonzero(row) for row in found | found.T]


def _ends(
    risks: FloatArray, low: npt.ArrayLike | None, high: npt.ArrayLike | None
) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper ends of the intervals; the risk itself for an unknown end."""
    lows = risks if low is None else _both(risks, low)[1]
    highs = risks if high is None else _both(risks, high)[1]
    lows, highs = (np.where(np.isnan(e) | np.isnan(risks), risks, e) for e in (lows, highs))
    if ((lows > risks) | (highs < risks)).any():
        raise ConfigError("An interval does not contain its risk; low ≤ risk ≤ high must hold.")
    return lows, highs


def _both(risk: npt.ArrayLike, utility: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    try:
        risks, utilities = np.asarray(risk, np.float64), np.asarray(utility, np.float64)
    except (TypeError, ValueError):
        raise ConfigError("Risk and utility must be lists of numbers.") from None
    if risks.ndim != 1 or risks.shape != utilities.shape:
        raise ConfigError(
            f"risk has the shape {risks.shape} and utility {utilities.shape}; give one of each for "
            "every option."
        )
    return risks, utilities


_MEASURE = re.compile(r"unicity(_p\d+)?|k|em|kl|k_disclosure")


def ordinal_agreement(table: pd.DataFrame) -> pd.DataFrame:
    """Return Kendall's τ for each pair of measures, and the profiles they rank differently.

    Parameters
    ----------
    table : DataFrame
        One row per profile, with its name as index, and one numeric column per measure; or a table
        of :func:`fpanon_core.disclosure_grid`, whose measures are used. A profile without a value
        (NaN) in one of two measures is left out of that pair.

    Returns
    -------
    DataFrame
        One row per pair of measures, in the order of the columns. ``a`` and ``b`` name the
        measures. ``tau`` is Kendall's τ-b: 1 for the same order, −1 for the opposite order. Ties in
        either measure bring it closer to 0. ``tau`` is NaN if a measure is the same for all
        profiles, or if fewer than two profiles have values of both measures. ``pairs`` is the
        number of pairs of profiles compared.
        ``concordant``, ``discordant`` and ``tied`` (the same value in ``a``, in ``b``, or in both)
        are the numbers of such pairs. ``discordant_pairs`` is a list of (name, name), with the
        larger value in ``a`` first.

    Raises
    ------
    ConfigError
        A column is not numeric, or there are fewer than two columns.
    InfeasibleError
        There are fewer than two profiles.

    Notes
    -----
    Noriega Campero 2015, eq. 4.20, requires ``m_j(g) > m_j(g') ⇔ m_j'(g) > m_j'(g')`` for all pairs
    of profiles. τ is then 1, and no pair is discordant. Intervals of the values are not considered.

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
    pairs = combinations(range(table.shape[1]), 2)
    return pd.DataFrame([_row(table.iloc[:, [i, j]]) for i, j in pairs])


def _row(two: pd.DataFrame) -> dict[str, object]:
    known = two.dropna()
    names = known.index.tolist()
    a, b = known.iloc[:, 0].to_numpy(np.float64), known.iloc[:, 1].to_numpy(np.float64)
    first, second = np.triu_indices(len(known), 1)
    # Signs are multiplied, because products of tiny differences could vanish.
    rises_a, rises_b = np.sign(a[second] - a[first]), np.sign(b[second] - b[first])
    discordant = rises_a * rises_b < 0
    swapped = rises_a > 0
    pairs = zip(
        np.where(swapped, second, first)[discordant].tolist(),
        np.where(swapped, first, second)[discordant].tolist(),
        strict=True,
    )
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


MAX_SCORE = 10.0


def asked_utility(frame: pd.DataFrame, domain: str) -> pd.DataFrame:
    """Return the mean score of each option from the experts of one domain, scaled to [0, 1].

    Parameters
    ----------
    frame : DataFrame
        Table as returned by :func:`fpanon_core.read_questionnaire`.
    domain : str

    Returns
    -------
    DataFrame
        One row per option, in order of first appearance and with its first spelling. The columns
        are ``option``, ``mean`` (score/10), ``experts`` (number who scored it), and ``low`` and
        ``high`` (95% interval by Student's t, cut to [0, 1]; NaN with one expert).

    Raises
    ------
    ConfigError
        Nobody answered for that domain.

    Examples
    --------
    >>> rows = [("A", "transport", "1 km", 8), ("B", "transport", "1 km", 6)]
    >>> frame = pd.DataFrame(rows, columns=["expert", "domain", "option", "score"])
    >>> asked_utility(frame, "transport")[["option", "mean", "experts"]].values.tolist()
    [['1 km', 0.7, 2]]
    """
    mine = frame[frame["domain"].map(name_key) == name_key(domain)]
    if len(mine) == 0:
        known = ", ".join(repr(name) for name in frame["domain"].unique())
        raise ConfigError(f"The questionnaire has no domain {domain!r}; it has {known or 'none'}.")
    rows = []
    for _, group in mine.groupby(mine["option"].map(name_key), sort=False):
        scores = group["score"].to_numpy(np.float64) / MAX_SCORE
        mean, experts = float(scores.mean()), len(scores)
        half = math.nan
        if experts > 1:
            spread = float(scores.std(ddof=1)) / math.sqrt(experts)
            half = float(stats.t.ppf(0.975, experts - 1)) * spread
        # max and min would swallow NaN; numpy's do not.
        rows.append(
            {
                "option": group["option"].iloc[0],
                "mean": mean,
                "experts": experts,
                "low": float(np.maximum(0.0, mean - half)),
                "high": float(np.minimum(1.0, mean + half)),
            }
        )
    return pd.DataFrame(rows)

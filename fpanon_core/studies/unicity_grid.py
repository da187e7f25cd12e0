"""How far must places and times be coarsened before few are unique?

Unicity over a grid of generalization profiles, the input of the scaling law (de Montjoye et al.
2013, fig. 4).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from ..engines.local import Engine, LocalEngine
from ..engines.progress import Progress
from ..measures.drawing import drawn
from ..measures.matching import sizes_of
from ..measures.unicity import result_of
from ..model.configs import Strategy, UnicityConfig
from ..model.errors import ConfigError
from ..model.files import keyed
from ..model.fingerprints import FingerprintSet
from ..model.profiles import GeneralizationProfile
from ..model.unicity import UnicityResult
from .under_profiles import under_profiles


def unicity_grid(
    fs: FingerprintSet,
    profiles: Iterable[GeneralizationProfile],
    p: Sequence[int] = (4,),
    *,
    out_of: int | Sequence[int] = 1,
    strategy: Strategy = "random",
    users: int = 2500,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Unicity under every profile, for every p.

    The data are generalized once per profile, and searched once for all p. The same users are
    targets throughout; their points are drawn anew from each generalized trace, as de Montjoye et
    al. 2013 do.

    Parameters
    ----------
    fs : FingerprintSet
    profiles : iterable of GeneralizationProfile
    p : sequence of int
        Points known.
    out_of : int or sequence of int
        Largest anonymity sets, in users, that count as found.
    strategy, users, seed, engine
        As :func:`unicity`.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    DataFrame
        One row per profile, p and out_of: the columns of ``GeneralizationProfile.columns``, with
        the origin in force; ``p``, ``out_of``, ``value``, ``low``, ``high`` (95 % Wilson),
        ``targets``, ``found``, ``too_few`` (targets with fewer than p bins, all known). Coarse
        profiles leave short traces: a p beyond every trace is no error here, as it is in
        :func:`unicity`, but then ``too_few`` equals ``targets``. ``attrs`` hold ``config``
        (strategy, users, seed) and ``digest``, of the data before generalizing, as plain values,
        which a Parquet file keeps.

    Raises
    ------
    ConfigError
        A parameter is out of its range, none is given, or a profile is finer than the data.

    Examples
    --------
    >>> from fpanon_core import Grid
    >>> fs = FingerprintSet.from_samples([1, 2, 3], [0, 900, 5000], [0, 0, 0], [5, 65, 5])
    >>> profiles = [GeneralizationProfile(Grid(metres), 60) for metres in (100, 10_000)]
    >>> unicity_grid(fs, profiles, p=[1])[["space_size", "found", "targets"]].values.tolist()
    [[100.0, 3.0, 3.0], [10000.0, 1.0, 3.0]]
    """
    asked = list(profiles)
    levels = list(out_of) if isinstance(out_of, Iterable) else [out_of]
    if not asked or len(p) == 0 or not levels:
        raise ConfigError("Give at least one profile, one p and one out_of.")
    configs = [[UnicityConfig(many, strategy, users, seed, x) for x in levels] for many in p]
    engine = engine or LocalEngine()
    rows = []
    for under in under_profiles(fs, asked, seed=seed, progress=progress):
        seen = under.seen
        # Hashing each generalized set would take as long as searching it.
        known = [drawn(seen, some[0], beyond=True, digest=fs.digest) for some in configs]
        sizes = sizes_of(seen, known, engine=engine, progress=under.progress)
        for knowledge, found, some in zip(known, sizes, configs, strict=True):
            rows += [
                under.columns | _figures(result_of(seen, knowledge, found, config))
                for config in some
            ]
    table = pd.DataFrame(rows)
    drawing = {"strategy": strategy, "users": configs[0][0].users, "seed": configs[0][0].seed}
    table.attrs = {"config": drawing, "digest": keyed(fs.digest)}
    return table


def _figures(result: UnicityResult) -> dict[str, object]:
    return {
        "p": int(result.config.p),
        "out_of": int(result.config.out_of),
        "value": result.value,
        "low": result.low,
        "high": result.high,
        "targets": result.n_targets,
        "found": result.n_found,
        "too_few": result.too_few,
    }

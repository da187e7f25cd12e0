"""What does an outsider learn under each profile? Disclosure over generalization profiles.

The input of the ordinal agreement (Noriega Campero 2015, section 4.4).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pandas as pd

from ..engines.local import Engine, LocalEngine
from ..engines.progress import Progress, part
from ..measures.disclosure import disclosure
from ..measures.drawing import drawn
from ..measures.matching import sizes_of
from ..measures.unicity import result_of
from ..model.configs import KnowledgeConfig, Strategy, UnicityConfig
from ..model.disclosure import MEASURES, SUMS, DisclosureResult
from ..model.errors import ConfigError
from ..model.files import keyed
from ..model.fingerprints import FingerprintSet
from ..model.profiles import GeneralizationProfile
from .under_profiles import under_profiles

_UNICITY_SHARE = 0.4  # of measuring a profile


def disclosure_grid(
    fs: FingerprintSet,
    profiles: Iterable[GeneralizationProfile],
    *,
    p: int = 4,
    unicity_p: Sequence[int] = (3, 4, 5),
    strategy: Strategy = "random",
    users: int = 2500,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Unicity at some p, and k-, EM- and KL-disclosure, under every profile.

    The data are generalized once per profile. The same users are targets throughout; their points
    are drawn anew from each generalized trace. A profile's means are over its own bins, of which a
    coarse one has few that many people share: EM and KL compare profiles by what is learnt of an
    average bin, as Noriega Campero 2015 does. What is learnt of a person in all are the sums.

    Parameters
    ----------
    fs : FingerprintSet
    profiles : iterable of GeneralizationProfile
    p : int
        Points known, for the disclosure.
    unicity_p : sequence of int
        Points known, for the unicities beside it.
    strategy, users, seed, engine
        As :func:`unicity`.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    DataFrame
        One row per profile: the columns of ``GeneralizationProfile.columns``, with the origin in
        force; for every p of ``unicity_p`` ``unicity_p4``,
        ``unicity_p4_low``, ``unicity_p4_high`` (95 % Wilson); ``k``, ``em``, ``kl`` each with
        ``_low`` and ``_high`` (see :meth:`DisclosureResult.interval`); ``em_sum``, ``kl_sum``, over
        a person's bins, likewise; ``bins``, the distinct bins;
        ``targets``; ``too_few`` (targets with fewer than ``p`` bins, all known). ``attrs`` hold
        ``config`` (p, strategy, users, seed) and ``digest``, of the data before generalizing.

    Raises
    ------
    ConfigError
        A parameter is out of its range, none is given, or a profile is finer than the data.

    Examples
    --------
    >>> from fpanon_core import Grid
    >>> fs = FingerprintSet.from_samples([1, 2, 3], [0, 900, 5000], [0, 0, 0], [5, 65, 5])
    >>> profiles = [GeneralizationProfile(Grid(metres), 60) for metres in (100, 10_000)]
    >>> table = disclosure_grid(fs, profiles, p=1, unicity_p=[1])
    >>> table[["unicity_p1", "k"]].round(3).values.tolist()
    [[1.0, 1.0], [0.333, 0.667]]
    """
    config = UnicityConfig(p, strategy, users, seed)
    measured = disclosures(
        fs, profiles, config, unicity_p=unicity_p, engine=engine, progress=progress
    )
    table = pd.DataFrame([row for row, _, _ in measured])
    table.attrs = {
        "config": {"p": config.p, "strategy": strategy, "users": config.users, "seed": config.seed},
        "digest": keyed(fs.digest),
    }
    return table


def disclosures(
    fs: FingerprintSet,
    profiles: Iterable[GeneralizationProfile],
    config: KnowledgeConfig,
    *,
    unicity_p: Sequence[int] = (3, 4, 5),
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Iterator[tuple[dict[str, object], DisclosureResult, FingerprintSet]]:
    """Of each profile in turn, its row of :func:`disclosure_grid`, the whole result, and the data.

    ``config`` says what is known. For whoever wants more of each profile than its row, without
    measuring again.
    """
    asked = list(profiles)
    if not asked or len(unicity_p) == 0:
        raise ConfigError("Give at least one profile and one p of unicity.")
    known_of = {
        q: UnicityConfig(q, config.strategy, config.users, config.seed)
        for q in (*unicity_p, config.p)
    }
    engine = engine or LocalEngine()
    for under in under_profiles(fs, asked, seed=config.seed, progress=progress):
        seen, after = under.seen, under.progress
        # Hashing each generalized set would take as long as searching it.
        known = {
            q: drawn(seen, each, beyond=True, digest=fs.digest) for q, each in known_of.items()
        }
        some = [known[q] for q in unicity_p]
        sizes = sizes_of(seen, some, engine=engine, progress=part(after, 0.0, _UNICITY_SHARE))
        row = under.columns
        for q, found in zip(unicity_p, sizes, strict=True):
            unicity = result_of(seen, known[q], found, known_of[q])
            row |= _named(f"unicity_p{q}", unicity.value, (unicity.low, unicity.high))
        learnt = disclosure(
            seen, known[config.p], engine=engine, progress=part(after, _UNICITY_SHARE, 1.0)
        )
        yield row | _figures(learnt), learnt, seen


def _figures(result: DisclosureResult) -> dict[str, object]:
    row: dict[str, object] = {}
    for name in (*MEASURES, *SUMS):
        if name != "unicity":
            row |= _named(name, result.measure(name), result.interval(name))
    return row | {"bins": result.n_bins, "targets": result.n_targets, "too_few": result.too_few}


def _named(name: str, value: float, interval: tuple[float, float]) -> dict[str, object]:
    return {name: value, f"{name}_low": interval[0], f"{name}_high": interval[1]}

"""Data, unicity and disclosure under generalization profiles.

Unicity over a grid of profiles is the input to the scaling law (de Montjoye et al. 2013, fig. 4).
Disclosure over the grid is the input to the ordinal agreement (Noriega Campero 2015, section 4.4).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import NamedTuple, Unpack

import pandas as pd

from ..anonymize.generalize import check_coarser, generalize, resolve
from ..engines.local import Engine
from ..engines.progress import Progress, tell
from ..measures.disclosure import disclosure
from ..measures.drawing import drawn
from ..measures.matching import sizes_of
from ..measures.unicity import result_of
from ..model.configs import KnowledgeConfig, Strategy, UnicityConfig
from ..model.disclosure import MEASURES, SUMS, DisclosureResult
from ..model.errors import ConfigError
from ..model.files import keyed
from ..model.fingerprints import FingerprintSet
from ..model.profiles import GeneralizationProfile, Grid, corners_text
from ..model.unicity import UnicityResult
from .tabled import Work, nth_of, part_of, working


def as_read(fs: FingerprintSet) -> GeneralizationProfile:
    """Return the profile that leaves the data as they were read."""
    return GeneralizationProfile(Grid(fs.granularity_m), fs.granularity_min)


def generalized(fs: FingerprintSet, profile: GeneralizationProfile) -> FingerprintSet:
    """Return the fingerprints under a profile.

    They are unchanged if the profile is a square grid without a stated origin, and neither its
    squares nor its windows are coarser than the data.
    """
    space = profile.space
    as_fine = isinstance(space, Grid) and space.origin is None and space.metres <= fs.granularity_m
    if as_fine and profile.minutes <= fs.granularity_min:
        return fs
    return generalize(fs, profile)


def check_profiles(fs: FingerprintSet, profiles: Sequence[GeneralizationProfile]) -> None:
    """Raise ConfigError unless every profile is at least as coarse as the data.

    :func:`generalized` accepts a square grid that is finer in both space and time, and leaves the
    data as they are. A caller who names a profile may need the error instead.
    """
    for profile in profiles:
        check_coarser(fs, profile)


def laid(fs: FingerprintSet, profile: GeneralizationProfile) -> GeneralizationProfile:
    """Return the profile with the origin of its grid over these data, computed once and kept."""
    return resolve(fs, profile)


def corners(table: pd.DataFrame) -> str:
    """Return the origins of the grids in a table's rows, in words; "" where no row has a grid.

    Parameters
    ----------
    table : DataFrame
        Table with the columns of ``GeneralizationProfile.columns``.
    """
    rows = table[["space_size", "origin_x_m", "origin_y_m"]].dropna().drop_duplicates()
    return corners_text(Grid(side, (x, y)) for side, x, y in rows.itertuples(index=False))


_GENERALIZING_SHARE, _UNICITY_SHARE = 0.6, 0.4  # of a profile's progress; of the rest


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
    """Measure unicity under every profile, for every p.

    The data are generalized once per profile, and searched once for all p. The same users are
    targets throughout; new points are drawn from each of their generalized records, as de Montjoye
    et al. 2013 do.

    Parameters
    ----------
    fs : FingerprintSet
    profiles : iterable of GeneralizationProfile
    p : sequence of int
        Numbers of known points.
    out_of : int or sequence of int
        Largest sizes of an anonymity set, in users, at which a target counts as singled out.
    strategy, users, seed, engine
        As :func:`unicity`.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    DataFrame
        One row per profile, p and out_of: the columns of ``GeneralizationProfile.columns``, with
        the origin in force; ``p``, ``out_of``, ``value``, ``low``, ``high`` (95% Wilson),
        ``targets``, ``found``, ``too_few`` (targets with fewer than p bins, all known). Coarse
        profiles leave short records. A p that exceeds the length of every record is not an error,
        unlike in :func:`unicity`; then ``too_few`` equals ``targets``. ``attrs`` hold ``config``
        (strategy, users, seed) and ``digest``, of the data before generalizing, as plain values
        that a Parquet file can hold.

    Raises
    ------
    ConfigError
        A parameter is out of its range, no profile or p is given, or a profile is finer than the
        data.

    Examples
    --------
    >>> from fpanon_core import Grid
    >>> fs = FingerprintSet.from_samples([1, 2, 3], [0, 900, 5000], [0, 0, 0], [5, 65, 5])
    >>> profiles = [GeneralizationProfile(Grid(metres), 60) for metres in (100, 10_000)]
    >>> unicity_grid(fs, profiles, p=[1])[["space_size", "found", "targets"]].values.tolist()
    [[100.0, 3.0, 3.0], [10000.0, 1.0, 3.0]]
    """
    levels = list(out_of) if isinstance(out_of, Iterable) else [out_of]
    if len(p) == 0 or not levels:
        raise ConfigError(_NOTHING_ASKED)
    for level in levels:
        UnicityConfig(out_of=level)
    configs = [UnicityConfig(many, strategy, users, seed) for many in p]
    rows = [
        under.columns | shares(found.at(level))
        for under in _sweep(fs, profiles, configs, working(engine, progress))
        for found in under.found
        for level in levels
    ]
    drawing = {"strategy": strategy, "users": configs[0].users, "seed": configs[0].seed}
    return _with_attrs(rows, fs, drawing)


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
    """Measure unicity at several p, and k-, EM- and KL-disclosure, under every profile.

    The data are generalized once per profile. The same users are targets throughout; new points are
    drawn from each of their generalized records. A profile's means are over its own bins, and a
    coarse profile has few bins, each shared by many people. So EM and KL compare profiles by what
    is learnt about an average bin, as Noriega Campero 2015 does. The sums say how much is learnt
    about a person in total.

    Parameters
    ----------
    fs : FingerprintSet
    profiles : iterable of GeneralizationProfile
    p : int
        Number of known points for the disclosure.
    unicity_p : sequence of int
        Numbers of known points for the unicities.
    strategy, users, seed, engine
        As :func:`unicity`.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    DataFrame
        One row per profile: the columns of ``GeneralizationProfile.columns``, with the origin in
        force; for every p of ``unicity_p``, such as 4, ``unicity_p4``, ``unicity_p4_low``,
        ``unicity_p4_high`` (95% Wilson); ``k``, ``em``, ``kl`` each with ``_low`` and ``_high``
        (see :meth:`DisclosureResult.interval`); ``em_sum``, ``kl_sum``, the sums over a person's
        bins, also with ``_low`` and ``_high``; ``bins``, the number of distinct bins; ``targets``;
        ``too_few`` (targets with fewer than ``p`` bins, all known). ``attrs`` hold ``config`` (p,
        strategy, users, seed) and ``digest``, of the data before generalizing.

    Raises
    ------
    ConfigError
        A parameter is out of its range, no profile or p is given, or a profile is finer than the
        data.

    Examples
    --------
    >>> from fpanon_core import Grid
    >>> fs = FingerprintSet.from_samples([1, 2, 3], [0, 900, 5000], [0, 0, 0], [5, 65, 5])
    >>> profiles = [GeneralizationProfile(Grid(metres), 60) for metres in (100, 10_000)]
    >>> table = disclosure_grid(fs, profiles, p=1, unicity_p=[1])
    >>> table[["unicity_p1", "k"]].round(3).values.tolist()
    [[1.0, 1.0], [0.333, 0.667]]
    """
    known = KnowledgeConfig(p, strategy, users, seed)
    measured = disclosures(fs, profiles, known, unicity_p, **working(engine, progress))
    return _with_attrs([row for row, _, _ in measured], fs, asdict(known))


def disclosures(
    fs: FingerprintSet,
    profiles: Iterable[GeneralizationProfile],
    known: KnowledgeConfig,
    unicity_p: Sequence[int] = (3, 4, 5),
    **work: Unpack[Work],
) -> Iterator[tuple[dict[str, object], DisclosureResult, FingerprintSet]]:
    """Yield each profile's row of :func:`disclosure_grid`, full result, and generalized data.

    This serves a caller that needs more of each profile than its row, without measuring again.
    """
    if len(unicity_p) == 0:
        raise ConfigError(_NOTHING_ASKED)
    configs = [UnicityConfig(q, known.strategy, known.users, known.seed) for q in unicity_p]
    for under in _sweep(fs, profiles, configs, working(**work), share=_UNICITY_SHARE):
        row = under.columns
        for found in under.found:
            ends = found.low, found.high
            row |= _with_ends(f"unicity_p{found.config.p}", found.value, ends)
        points = drawn(under.seen, known, beyond=True, digest=fs.digest)
        learnt = disclosure(under.seen, points, **under.rest)
        for name in (*MEASURES, *SUMS):
            if name != "unicity":
                row |= _with_ends(name, learnt.measure(name), learnt.interval(name))
        counts = {"bins": learnt.n_bins, "targets": learnt.n_targets, "too_few": learnt.too_few}
        yield row | counts, learnt, under.seen


_NOTHING_ASKED = "Give at least one profile, one p and one out_of."


class _Under(NamedTuple):
    """One profile: its columns, the data under it, unicities, and the remaining work."""

    columns: dict[str, object]
    seen: FingerprintSet
    found: list[UnicityResult]
    rest: Work


def _sweep(
    fs: FingerprintSet,
    profiles: Iterable[GeneralizationProfile],
    configs: Sequence[UnicityConfig],
    work: Work,
    *,
    share: float = 1.0,
) -> Iterator[_Under]:
    """Generalize the data once for each profile, and search them once for all points.

    ``share`` is the part of the progress on measuring a profile that unicity accounts for.
    """
    asked = list(profiles)
    if not asked:
        raise ConfigError(_NOTHING_ASKED)
    for number, profile in enumerate(asked):
        stretch = nth_of(work, number, len(asked))
        tell(stretch["progress"], 0.0)
        check_coarser(fs, profile)  # before the search for its origin
        over = laid(fs, profile)
        seen = generalize(fs, over, seed=configs[0].seed)
        measuring = part_of(stretch, _GENERALIZING_SHARE, 1.0)
        # Hashing each generalized set would take as long as searching it.
        known = [drawn(seen, config, beyond=True, digest=fs.digest) for config in configs]
        sizes = sizes_of(seen, known, **part_of(measuring, 0.0, share))
        found = [result_of(seen, *each) for each in zip(known, sizes, configs, strict=True)]
        yield _Under(profile.columns_laid(over), seen, found, part_of(measuring, share, 1.0))


def shares(result: UnicityResult) -> dict[str, object]:
    """Return a result as columns of a table: settings, share with interval, numbers of targets."""
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


def _with_ends(name: str, value: float, ends: tuple[float, float]) -> dict[str, object]:
    return {name: value, f"{name}_low": ends[0], f"{name}_high": ends[1]}


def _with_attrs(
    rows: list[dict[str, object]], fs: FingerprintSet, config: Mapping[str, object]
) -> pd.DataFrame:
    table = pd.DataFrame(rows)
    table.attrs = {"config": dict(config), "digest": keyed(fs.digest)}
    return table

"""What the child process does: one function for each kind of job. Nothing here knows Streamlit."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fpanon_core.anonymize.chain import release
from fpanon_core.anonymize.comparison import compare_releases
from fpanon_core.anonymize.estimate import estimate_glove_s
from fpanon_core.anonymize.generalize import generalize
from fpanon_core.anonymize.glove import glove
from fpanon_core.anonymize.option_result import OptionResult
from fpanon_core.anonymize.options import explore_options
from fpanon_core.anonymize.regions import region_map
from fpanon_core.anonymize.unicity_grid import unicity_grid
from fpanon_core.anonymize.verification import verify_k_anonymity
from fpanon_core.anonymize.voronoi import merged_regions, voronoi_cells
from fpanon_core.attacks.aggregation import aggregate_counts
from fpanon_core.attacks.factors import recovery_factors
from fpanon_core.attacks.mitigated import longer_slot, mitigation_table
from fpanon_core.attacks.recovery import recover_trajectories
from fpanon_core.attacks.scoring import Pairing, score_recovery
from fpanon_core.measures.components import StretchComponents, components_by_k
from fpanon_core.measures.estimate import estimate_k_gap_s
from fpanon_core.measures.kgap import k_gap
from fpanon_core.measures.places import lon_lat, visited_cells
from fpanon_core.measures.points import points_needed
from fpanon_core.measures.unicity import UnicityResult, unicity
from fpanon_core.model.aggregates import AggregateCounts, RecoveryScore
from fpanon_core.model.configs import KnowledgeConfig, Screening, Strategy, StretchConfig
from fpanon_core.model.errors import InfeasibleError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.glove import GloveResult, Verification
from fpanon_core.model.options import ReleaseOption
from fpanon_core.model.profiles import AntennaClusters, GeneralizationProfile, Grid
from fpanon_core.model.published import degrees_of
from fpanon_core.model.ragged import rows_of
from fpanon_core.model.results import KGapResult

Progress = Callable[[float], None]
FloatArray = np.ndarray


@dataclass(frozen=True)
class Source:
    """What to read: a sample's key, a file's content, or a file in the server's folder.

    Attributes
    ----------
    label : str
        For the screen.
    sample : str
        Key of a sample data set, or "".
    file, antennas : tuple of (name, bytes or Path), or None
        The table of events, and of antennas.
    synthetic : bool
        Whether the people in it were generated; said wherever it is shown.
    note : str
        What else must be said wherever it is shown.
    """

    label: str
    sample: str = ""
    file: tuple[str, bytes | Path] | None = field(default=None, repr=False)
    antennas: tuple[str, bytes | Path] | None = field(default=None, repr=False)
    synthetic: bool = False
    note: str = ""


@dataclass(frozen=True)
class Reading:
    """How to read it; None and empty mean: find out."""

    columns: tuple[tuple[str, str | int], ...] = ()
    timezone: str | None = None
    naive_timezone: str | None = None
    granularity_m: float = 100.0
    granularity_min: float = 1.0
    screen: Screening = field(default_factory=Screening)


@dataclass(frozen=True, eq=False)
class Parts:
    """For one k, what each user's gap is made of; arrays (n_users,), see ``StretchComponents``."""

    space_m: FloatArray
    time_min: FloatArray
    temporal_share: FloatArray
    gini_space: FloatArray
    gini_time: FloatArray
    gini_total: FloatArray
    tail_space: FloatArray
    tail_time: FloatArray
    tail_total: FloatArray

    @classmethod
    def of(cls, components: StretchComponents) -> Parts:
        """Without the data they were taken from."""
        return cls(**{name: getattr(components, name) for name in cls.__dataclass_fields__})


@dataclass(frozen=True, eq=False)
class Measured:
    """The anonymizability of everyone under one profile, for each k in ``parts``."""

    profile: GeneralizationProfile
    result: KGapResult
    parts: dict[int, Parts]
    seconds: float = 0.0


def read(source: Source, reading: Reading, *, progress: Progress) -> tuple[FingerprintSet, Any]:
    """Fingerprints and ingest report of a source."""
    from fpanon_core.io.cdr import read_cdr
    from fpanon_core.io.samples import sample

    timezone = reading.timezone
    if source.sample:
        known = sample(source.sample)
        table, antennas = known.path, known.antennas_path  # positions are in both; regions here
        timezone = timezone or known.timezone
    else:
        assert source.file is not None
        table = _opened(source.file)
        antennas = _opened(source.antennas) if source.antennas else None
    fs, report = read_cdr(
        table,
        columns=dict(reading.columns) or None,
        antennas=antennas,
        timezone=timezone,
        naive_timezone=reading.naive_timezone,
        granularity_m=reading.granularity_m,
        granularity_min=reading.granularity_min,
        screen=reading.screen if reading.screen.active else None,
        progress=progress,
    )
    _ = fs.digest  # computed here, where nobody waits
    return fs, report


def peek(source: Source, *, progress: Progress) -> list[str | int]:
    """The columns of a source: names, or positions where it has none."""
    from fpanon_core.io.samples import sample
    from fpanon_core.io.sources import read_source

    progress(0.0)
    file = source.file or ("", sample(source.sample).path)
    tables = read_source(_opened(file))
    return list(dict.fromkeys(label for table in tables for label in table.labels))


def measure(
    fs: FingerprintSet,
    profile: GeneralizationProfile,
    ks: tuple[int, ...],
    config: StretchConfig,
    known: KGapResult | None,
    *,
    progress: Progress,
) -> Measured:
    """One run at the largest k under a profile, and the parts of the gap for each k asked for.

    ``known`` is an earlier result of the same run; when its k suffices it is not measured again.
    """
    shown = generalized(fs, profile)
    if known is None or known.k < max(ks):
        known = k_gap(shown, max(ks), config=config, progress=lambda f: progress(0.7 * f))
    by_k = components_by_k(shown, known, ks, progress=lambda f: progress(0.7 + 0.3 * f))
    return Measured(profile, known, {k: Parts.of(c) for k, c in by_k.items()})


def hide(
    fs: FingerprintSet, k: int, options: dict[str, Any], *, progress: Progress
) -> tuple[GloveResult, Verification]:
    """GLOVE's release at k, and what the verifier says of it; ``options`` as ``glove`` has them."""
    result = glove(fs, k, **options, progress=lambda f: progress(0.9 * f))
    return result, verify_k_anonymity(fs, result, k)


STRATEGIES: tuple[Strategy, ...] = ("random", "uniform", "top", "consecutive")
MOST_POINTS = 8
GRID_M = (100, 500, 1_000, 2_500, 5_000, 10_000)
GRID_MIN = (1, 30, 60, 180, 480, 1_440)
GRID_POINTS = (2, 4, 6, 8)
HEAVY_A_MONTH = 75


@dataclass(frozen=True, eq=False)
class Outsider:
    """What an outsider who knows p points can tell of a data set.

    Attributes
    ----------
    curves : dict of str to list of UnicityResult
        By strategy, for p = 1, 2, …; shorter where no trace has that many points.
    points : DataFrame
        As of ``points_needed``.
    heavy : bool
        Whether it is of heavy users; of everyone where there are none.
    grid : DataFrame
        As of ``unicity_grid``.
    seed : int
    """

    curves: dict[str, list[UnicityResult]]
    points: pd.DataFrame
    heavy: bool
    grid: pd.DataFrame
    seed: int


def look_from_outside(fs: FingerprintSet, users: int, seed: int, *, progress: Progress) -> Outsider:
    """Unicity by strategy and number of points, points needed, and the grid of resolutions."""
    curves: dict[str, list[UnicityResult]] = {}
    for number, strategy in enumerate(STRATEGIES):
        curves[strategy] = []
        for p in range(1, MOST_POINTS + 1):
            progress(0.3 * (number + (p - 1) / MOST_POINTS) / len(STRATEGIES))
            try:
                found = unicity(fs, p, strategy=strategy, users=users, seed=seed)
            except InfeasibleError:  # no trace has that many
                break
            curves[strategy].append(found)
    progress(0.3)
    heavy = True
    try:
        points = points_needed(fs, min_per_month=HEAVY_A_MONTH, seed=seed)
    except InfeasibleError:
        heavy = False
        points = points_needed(fs, min_per_month=0, seed=seed)
    profiles = [
        GeneralizationProfile(Grid(metres), minutes)
        for metres in GRID_M
        for minutes in GRID_MIN
        if metres >= fs.granularity_m and minutes >= fs.granularity_min
    ]
    grid = unicity_grid(
        fs, profiles, GRID_POINTS, users=users, seed=seed,
        progress=lambda f: progress(0.4 + 0.6 * f),
    )  # fmt: skip
    return Outsider(curves, points, heavy, grid, seed)


@dataclass(frozen=True, eq=False)
class Merged:
    """Antenna clusters, their areas as rings of degrees, and unicity with them for places.

    Attributes
    ----------
    rings : list of list of [longitude, latitude]
        Outlines of all pieces; empty where the data carry no projection.
    region : list of int
        The cluster that each ring belongs to.
    sizes : ndarray (n_clusters,)
        Antennas (distinct places) in each.
    grid : DataFrame
        As of ``unicity_grid``, over time windows.
    """

    rings: list[list[list[float]]]
    region: list[int]
    sizes: np.ndarray
    grid: pd.DataFrame


def merge_antennas(
    fs: FingerprintSet, size: int, users: int, seed: int, *, progress: Progress
) -> Merged:
    """Clusters of about ``size`` antennas, drawn, and what they do to unicity."""
    progress(0.0)
    space = AntennaClusters(size)
    found = region_map(fs, space, seed=seed)
    half = fs.granularity_m / 2
    cells = voronoi_cells(found.site_x_m + half, found.site_y_m + half)
    rings, region = [], []
    for number, area in enumerate(merged_regions(cells, found.site_region)):
        for piece in getattr(area, "geoms", [area]):
            lon, lat = lon_lat(fs, *np.array(piece.exterior.coords).T)
            if len(lon):
                rings.append(np.column_stack([lon, lat]).round(5).tolist())
                region.append(number)
    progress(0.3)
    profiles = [GeneralizationProfile(space, m) for m in GRID_MIN if m >= fs.granularity_min]
    grid = unicity_grid(
        fs, profiles, GRID_POINTS, users=users, seed=seed,
        progress=lambda f: progress(0.3 + 0.7 * f),
    )  # fmt: skip
    return Merged(rings, region, np.bincount(found.site_region), grid)


def explore(
    fs: FingerprintSet,
    options: tuple[ReleaseOption, ...],
    p: int,
    users: int,
    seed: int,
    *,
    progress: Progress,
) -> tuple[OptionResult, ...]:
    """Risk by every measure, and the components of utility, of each option."""
    table = explore_options(fs, options, p=p, users=users, seed=seed, progress=progress)
    return table.results


@dataclass(frozen=True, eq=False)
class Look:
    """A release to be looked at beside others.

    Attributes
    ----------
    bounds : ndarray (n, 4)
        West, south, east, north of the published places of most users, degrees; empty where the
        data carry no projection.
    users : ndarray (n,)
        Users seen in each.
    left_out : int
        Places beyond those.
    gaps : ndarray (n_users,)
        2-gap of everyone in the release.
    """

    bounds: FloatArray
    users: np.ndarray
    left_out: int
    gaps: FloatArray


def look(
    fs: FingerprintSet, option: ReleaseOption, seed: int, most_places: int, *, progress: Progress
) -> Look:
    """The release an option makes: its places, and how far everyone in it is from hiding."""
    made = release(fs, option, seed=seed, progress=lambda f: progress(0.4 * f))
    places = visited_cells(made).sort_values("users", ascending=False, kind="stable")
    some = places.head(most_places)
    corner, side = some[["x_m", "y_m"]].to_numpy(), some[["dx_m", "dy_m"]].to_numpy()
    ends = np.column_stack([corner, corner + side])
    degrees = degrees_of(made.crs, ends[:, 0], ends[:, 2], ends[:, 1], ends[:, 3])
    bounds = degrees[["lon_min", "lat_min", "lon_max", "lat_max"]].to_numpy()
    gaps = np.zeros(0)
    if made.n_users > 1:
        gaps = k_gap(made, 2, progress=lambda f: progress(0.4 + 0.6 * f)).values
    drawn = bounds if made.crs is not None else np.empty((0, 4))
    return Look(drawn, some["users"].to_numpy(), len(places) - len(some), gaps)


@dataclass(frozen=True, eq=False)
class Attacked:
    """Counts, and what the attack on them recovers.

    Attributes
    ----------
    counts : AggregateCounts
    truth, recovered : int32 ndarray (n_users, n_slots)
        Places of everyone counted, and of the trajectory paired with them.
    users : int64 ndarray (n_users,)
        Row number, in the data set, of everyone counted.
    score : RecoveryScore
        With at most 20,001 quantiles of the errors in place of all of them.
    at_home : float
        Share of the night slots that people spend at their most frequent place of the nights, on
        average; NaN where there is no night.
    recorded : float
        Share of the points with a sample; the others were filled in between samples.
    """

    counts: AggregateCounts
    truth: np.ndarray
    recovered: np.ndarray
    users: np.ndarray
    score: RecoveryScore
    at_home: float
    recorded: float


_MOST_ERRORS = 20_001


def some_users(fs: FingerprintSet, users: int, seed: int) -> np.ndarray:
    """Row numbers of users drawn at random, ascending; all where there are no more."""
    if users >= fs.n_users:
        return np.arange(fs.n_users)
    return np.sort(np.random.default_rng(seed).choice(fs.n_users, users, replace=False))


def attack_counts(
    fs: FingerprintSet, slot_min: float, users: int, pairing: Pairing, seed: int, *,
    progress: Progress,
) -> Attacked:  # fmt: skip
    """Counts of some users, the attack on them, and its score."""
    progress(0.0)
    rows = some_users(fs, users, seed)
    counted = fs.subset(rows)
    counts, truth = aggregate_counts(counted, slot_min=slot_min)
    recovered = recover_trajectories(counts, progress=lambda f: progress(0.1 + 0.4 * f))
    score = score_recovery(
        recovered, counts, truth, pairing=pairing, seed=seed,
        progress=lambda f: progress(0.5 + 0.5 * f),
    )  # fmt: skip
    # As many records as people in every slot: everyone has a pair.
    paired = np.empty_like(recovered.places)
    paired[score.pair] = recovered.places
    slot = np.searchsorted(counts.slot_start_min, counted.t_min, side="right")
    end = np.searchsorted(counts.slot_start_min, counted.t_min + counted.dt_min, side="left")
    many = np.maximum(end - slot, 0) + 1
    user = np.repeat(counted.sample_user, many)
    seen = len(np.unique(user * (counts.n_slots + 1) + rows_of(slot, many)))
    some = np.unique(np.linspace(0, len(score.error_m) - 1, _MOST_ERRORS).round().astype(int))
    thinned = replace(score, error_m=np.sort(score.error_m)[some])
    at_home = np.nan
    if counts.is_night.any():
        night = truth[:, counts.is_night]
        at_home = float(np.mean([np.bincount(row).max() / len(row) for row in night]))
    who = np.repeat(rows, fs.weight[rows])
    recorded = seen / (counted.n_users * counts.n_slots)
    return Attacked(counts, truth, paired, who, thinned, at_home, recorded)


def vary_counts(
    fs: FingerprintSet, slot_min: float, users: int, pairing: Pairing, seed: int, *,
    progress: Progress,
) -> pd.DataFrame:  # fmt: skip
    """The attack over resolutions and numbers of people."""
    some = fs.subset(some_users(fs, users, seed))
    return recovery_factors(some, slot_min=slot_min, pairing=pairing, seed=seed, progress=progress)


def mitigate_counts(
    fs: FingerprintSet, slot_min: float, users: int, pairing: Pairing, seed: int, *,
    progress: Progress,
) -> pd.DataFrame:  # fmt: skip
    """The attack after each mitigation, and the error of the counts."""
    some = fs.subset(some_users(fs, users, seed))
    return mitigation_table(
        some, slot_min=slot_min, coarse_slot_min=longer_slot(slot_min), pairing=pairing, seed=seed,
        progress=progress,
    )  # fmt: skip


def estimate_hiding(
    fs: FingerprintSet, ks: tuple[int, ...], config: StretchConfig, *, progress: Progress
) -> dict[int, float]:
    """Seconds that GLOVE is likely to take at each k, from small samples."""
    progress(0.0)
    return {k: estimate_glove_s(fs, k, config=config) for k in ks}


def compare(
    fs: FingerprintSet,
    ks: tuple[int, ...],
    space_m: float,
    time_min: float,
    config: StretchConfig,
    *,
    progress: Progress,
) -> pd.DataFrame:
    """Uniform generalization beside GLOVE, without and with suppression beyond the thresholds."""
    return compare_releases(
        fs, ks, suppress_space_m=space_m, suppress_time_min=time_min, config=config,
        progress=progress,
    )  # fmt: skip


def estimate(
    fs: FingerprintSet,
    profile: GeneralizationProfile,
    k: int,
    config: StretchConfig,
    *,
    progress: Progress,
) -> float:
    """Seconds that measuring under a profile is likely to take, from a small sample."""
    progress(0.0)
    return estimate_k_gap_s(generalized(fs, profile), k, config=config)


def generalized(fs: FingerprintSet, profile: GeneralizationProfile) -> FingerprintSet:
    """The fingerprints under a profile; themselves where it is no coarser than they are."""
    as_fine = isinstance(profile.space, Grid) and profile.grid_m <= fs.granularity_m
    if as_fine and profile.minutes <= fs.granularity_min:
        return fs
    return generalize(fs, profile)


def warm_up() -> None:
    """Import and compile what the first job needs, on three made-up users."""
    import fpanon_core.io.cdr
    import fpanon_core.io.samples  # noqa: F401

    fs = FingerprintSet.from_samples([1, 1, 2, 3], [0, 900, 0, 300], [0, 0, 0, 0], [0, 9, 4, 2])
    profile = GeneralizationProfile(Grid(200), 5)
    measure(fs, profile, (2, 3), StretchConfig(), None, progress=lambda _: None)


def compile_all() -> None:
    """Compile everything that a view may ask for, once after installing: ``make run`` does."""
    from .disclosing import learn

    warm_up()
    fs = FingerprintSet.from_samples(
        np.repeat(np.arange(9), 2), 300.0 * np.arange(18), np.zeros(18), 7.0 * np.arange(18)
    )
    for k in (2, 3):
        hide(fs, k, {"suppress_space_m": 2_000.0}, progress=lambda _: None)
    estimate(fs, GeneralizationProfile(Grid(200), 5), 2, StretchConfig(), progress=lambda _: None)
    look_from_outside(fs, 9, 0, progress=lambda _: None)
    merge_antennas(fs, 2, 9, 0, progress=lambda _: None)
    explore(fs, (ReleaseOption(),), 2, 9, 0, progress=lambda _: None)
    profiles = (GeneralizationProfile(Grid(200), 5),)
    learn(fs, profiles, KnowledgeConfig(2, users=9), progress=lambda _: None)
    # Over two days, so that they are linked, too.
    days = FingerprintSet.from_samples([1, 2] * 2, [0, 900] * 2, [0] * 4, [0, 0, 2_000, 2_000])
    attack_counts(days, 180.0, 2, "greedy", 0, progress=lambda _: None)


def _opened(file: tuple[str, bytes | Path]) -> Path | io.BytesIO:
    name, body = file
    if isinstance(body, Path):
        return body
    stream = io.BytesIO(body)
    stream.name = name  # read_cdr tells the kind of file by its content, and by its name in doubt
    return stream

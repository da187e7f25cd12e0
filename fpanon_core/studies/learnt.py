"""What an attacker learns without re-identification: homes, and positions at a given time.

An attacker who has narrowed a person down to one record, even if a group shares it, reads all cells
of that record. So k-anonymity limits neither kind of inference.

The module also chooses people to follow in a demonstration: people for whom a release makes a
difference, or none.

Source: docs/science.md, “An attacker who knows the truth”; Shokri et al. 2011.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Unpack

import numpy as np
import pandas as pd

from ..anonymize.carrying import noise_of
from ..anonymize.chain import release as made_by
from ..attacks.homes import (
    Homes,
    HomesAsked,
    NightPlaces,
    fullest_circle,
    guesses,
    median_places,
    most_nights,
    places_at,
    true_homes,
)
from ..attacks.search import Published, ranks, suspects
from ..engines.local import Engine
from ..engines.progress import Progress
from ..model.arrays import BoolArray, FloatArray, IntArray, offsets_of, rows_of
from ..model.checks import positive, whole
from ..model.configs import Strategy
from ..model.errors import ConfigError, InfeasibleError
from ..model.files import keyed
from ..model.fingerprints import FingerprintSet
from ..model.intervals import mean_interval
from ..model.knowledge import Knowledge, KnownPoints
from ..model.linkage import ATTACKERS, ExpectedError, HomesFound, LinkConfig
from ..model.options import ReleaseOption
from ..model.released import AnyRelease
from .linkage import Attacked, attacked, cells_known, homes_asked, rows_in_period, targets_of
from .tabled import Work, nth_of, part_of, working


def home_found(
    original: FingerprintSet,
    released: AnyRelease,
    within_m: Sequence[float] = (500, 1000, 2000),
    *,
    nights: int = 1,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> HomesFound:
    """Return the share of people whose home an attacker infers from their own record.

    Parameters
    ----------
    original : FingerprintSet
        The data that the release was made from.
    released : ReleasedSet or GloveResult
        Result of :func:`release`, :func:`glove` or :func:`aligned` on these data.
    within_m : sequence of float
        Largest distances in metres from the true home at which a guess counts as found.
    nights : int
        Fewest nights (22:00 to 6:00, local time) on which the original must have a record of the
        person, for the home to be known.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    HomesFound
        A DataFrame with a row for each distance, and these columns:

        - ``within_m``: the distance;
        - ``found``: of the people in the release with a known home, the share whose home is found.
          The share is that of the attacker whose interval has the highest upper end. It never falls
          as the distance grows;
        - ``low``, ``high``: 95% Wilson interval of ``found``;
        - ``guessing``: share found by one guess for everybody, the home with the most other
          homes within 1 km;
        - ``people``, ``unknown``: number of people in the release with a known home, and number of
          people with too few nights; for a release in periods, numbers of records;
        - ``attacker``: the attacker behind ``found``.

        The attribute ``by_attacker`` holds ``found`` of each attacker. ``attrs`` hold ``nights``,
        ``method`` and a keyed ``digest``.

    Raises
    ------
    ConfigError
        A parameter is out of its range, or the release carries no account of its original or was
        made from other data.
    InfeasibleError
        No home of a person in the release is known.

    Notes
    -----
    Each attacker has the right record, or that of the right group, and makes one guess of each
    home, whatever the distance. ``most_nights`` guesses the place with the most night samples.
    ``fullest_circle`` spreads each sample evenly over its cell, and guesses the middle of the cell
    with the most nights within 1 km. With noise in space, it guesses the mean position of these
    nights. ``by_others`` spreads each sample in proportion to the homes of all other people, and
    guesses the place with the most samples within 1 km. ``noise_likelihood``, with noise in space,
    guesses the home that is likeliest if half of the samples are from there and were moved by the
    noise. The first three guess the commonest home instead where the share of homes near it exceeds
    the share of nights near their own guess.

    Examples
    --------
    >>> from fpanon_core import GeneralizationProfile, Grid, release
    >>> x, t = [0, 0, 7000, 7000, 7000], [60, 1380, 90, 600, 1400]
    >>> fs = FingerprintSet.from_samples([1, 1, 2, 2, 2], x, [0] * 5, t)
    >>> home_found(fs, release(fs, []), [1000])["found"].tolist()
    [1.0]
    >>> one_cell = release(fs, GeneralizationProfile(Grid(20000), 2880))
    >>> home_found(fs, one_cell, [1000])[["found", "guessing"]].values.tolist()
    [[0.5, 0.5]]
    """
    metres, least = distances(within_m), whole("nights", nights, 1, of="nights")
    release = attacked(original, released)
    work = working(engine, progress)
    return homes_found(release, true_homes(original), metres, least, **work)


def distances(within_m: Any) -> list[float]:
    """Return a list of distances, metres; refuse anything else."""
    if isinstance(within_m, (str, bytes)) or not isinstance(within_m, Sequence) or not within_m:
        raise ConfigError(
            "within_m must be a list of one or more distances in metres, such as [500, 1000]."
        )
    return [positive("within_m", each, of="metres") for each in within_m]


def homes_found(
    release: Attacked, homes: Homes, metres: Sequence[float], nights: int, **work: Unpack[Work]
) -> HomesFound:
    """Return the result of :func:`home_found` for a prepared attack with known true homes."""
    origin, original = release.origin, release.origin.original
    asked = homes_asked(release, homes, nights)
    if asked is None:
        raise InfeasibleError(
            f"Nobody in the release was recorded on at least {nights} night{'s' * (nights > 1)} "
            f"(22:00 to 6:00); choose {'fewer nights, or ' * (nights > 1)}data for more days."
        )
    noise = noise_of(origin.option, "space")
    guessed = guesses(original, release.published, asked, noise, **work)
    off = {attacker: asked.off(guess) for attacker, guess in guessed.items()}
    everybodys = asked.off(np.array([[asked.known.x_m, asked.known.y_m]]))
    inside = release.whole.weight[release.published.own >= 0]
    unknown = int(inside.sum() - asked.weight.sum())
    table = HomesFound.of(off, everybodys, asked.weight, metres, unknown)
    table.attrs = {"nights": nights, "method": origin.option.text, "digest": keyed(original.digest)}
    return table


def expected_error(
    original: FingerprintSet,
    released: AnyRelease,
    p: int = 4,
    *,
    strategy: Strategy = "random",
    blur_m: float = 0.0,
    blur_min: float = 0.0,
    users: int = 2500,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> ExpectedError:
    """Return the error of an attacker who guesses a person's position at a recorded moment.

    The attacker links p true points to the records (:func:`link`). The guess is the place with the
    least mean distance to the positions in the records at that moment. Each record is weighted by
    its posterior probability. There are two attackers; the result is that of the one with the
    smaller mean error.

    Parameters
    ----------
    original, released, p, strategy, blur_m, blur_min, users, seed, engine, progress
        As for :func:`link`; targets are people in the release. Each has one moment, drawn from the
        samples that are not known. It is drawn from all samples where all are known, or where
        places are known without times.

    Returns
    -------
    ExpectedError
        The error in metres, with an interval; also the errors of one guess for everybody, and of a
        guess from the known points alone.

    Raises
    ------
    ConfigError, InfeasibleError
        As :func:`link`.

    Examples
    --------
    An attacker who finds the record reads the place from it; one cell for all yields only its
    middle.

    >>> from fpanon_core import GeneralizationProfile, Grid, release
    >>> x, t = [0, 0, 8000, 8000], [5, 60, 5, 60]
    >>> fs = FingerprintSet.from_samples([1, 1, 2, 2], x, [0] * 4, t)
    >>> round(expected_error(fs, release(fs, []), 1).metres, 1)
    0.0
    >>> one_cell = GeneralizationProfile(Grid(10_000, (-1_000, -4_950)), 1_440)
    >>> round(expected_error(fs, release(fs, one_cell), 1).metres)
    4000
    """
    config = LinkConfig(p, strategy, users, seed, blur_m, blur_min)
    release = attacked(original, released)
    origin, published, whole = release.origin, release.published, release.whole
    known = targets_of(release, config, absent=False)
    work = working(engine, progress)
    cells = cells_known(release, known, config)
    moment = _moments(whole, known, seed)
    true_x, true_y, t = middles(whole, moment)
    errors = {}
    for number, name in enumerate(ATTACKERS):
        now = nth_of(work, number, len(ATTACKERS))
        asked = cells.points, cells.mechanism, name
        found = suspects(published, *asked, **part_of(now, 0.0, 0.8))
        guess, base = places_at(published, found, t, **part_of(now, 0.8, 1.0))
        errors[name] = np.hypot(guess[:, 0] - true_x, guess[:, 1] - true_y)
    attacker = min(errors, key=lambda name: float(errors[name].mean()))
    error = errors[attacker]
    guessing = np.hypot(base[0] - true_x, base[1] - true_y)
    told = median_places(known.x_m + known.dx_m / 2, known.y_m + known.dy_m / 2, known.offsets)
    points = np.hypot(told[:, 0] - true_x, told[:, 1] - true_y)
    user = release.person[known.targets]
    low, high = mean_interval(float(error.mean()), len(error), _farthest(original, published))
    return ExpectedError(
        metres=float(error.mean()),
        low=low,
        high=high,
        median_m=float(np.median(error)),
        guessing_m=float(guessing.mean()),
        points_m=float(points.mean()),
        n_targets=len(error),
        attacker=attacker,
        per_target=pd.DataFrame(
            {
                "user": user,
                "pseudonym": np.array(original.pseudonyms)[user],
                "t_min": whole.t_min[moment],
                "error_m": error,
                "guessing_m": guessing,
                "points_m": points,
            }
        ),
        method=origin.option.text,
        config=config,
        digest=original.digest,
    )


def middles(
    cells: FingerprintSet | Knowledge | KnownPoints, rows: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the middles of some cells: x and y, metres, and t, minutes."""
    x = cells.x_m[rows] + cells.dx_m[rows] / 2
    y = cells.y_m[rows] + cells.dy_m[rows] / 2
    return x, y, cells.t_min[rows] + cells.dt_min[rows] / 2


def _moments(fs: FingerprintSet, known: Knowledge, seed: int) -> IntArray:
    """Return the row of one sample of each target; where possible, not a known sample."""
    rng = np.random.default_rng(np.random.SeedSequence((seed, 2)))
    owner = np.repeat(np.arange(known.n_targets), fs.lengths[known.targets])
    rows = rows_of(fs.offsets[known.targets], fs.lengths[known.targets])
    times = rng.random(len(rows))
    if not known.timeless:
        told = np.repeat(np.arange(known.n_targets), known.sizes)
        points = pd.MultiIndex.from_arrays([told, known.x_m, known.y_m, known.t_min])
        samples = pd.MultiIndex.from_arrays([owner, fs.x_m[rows], fs.y_m[rows], fs.t_min[rows]])
        times += samples.isin(points)  # known samples come last
    order = np.lexsort((times, owner))
    first = np.searchsorted(owner[order], np.arange(known.n_targets))
    return np.asarray(rows[order[first]])


def _farthest(fs: FingerprintSet, published: Published) -> float:
    """Return the extent of the data and the release, which no error of a guess can exceed."""
    spans = []
    for low, size in (("x_m", "dx_m"), ("y_m", "dy_m")):
        at = [(each[low], each[size]) for each in (fs.arrays(), published.cells)]
        top = max(float((begin + side).max()) for begin, side in at)
        spans.append(top - min(float(begin.min()) for begin, _ in at))
    across, up = spans
    return float(np.hypot(across, up))


ExampleKind = Literal["hidden", "found", "home", "accused"]

_LOOKED_AT = 200  # targets drawn at random, among which examples are sought


@dataclass(frozen=True)
class Example:
    """A person to follow in a demonstration.

    Attributes
    ----------
    kind : {"hidden", "found", "home", "accused"}
        "hidden": the chance of picking the right record by the known points is above 1/2 in the
        data as they are, and below 1/2 in the release. "found": the chance is above 1/2 in both.
        "home": the right record, one person's or a group's, leads alone in the release and reveals
        the home; where possible, the person is picked with a chance below 1/2. "accused": the
        person is not in the release, and another person's record is picked.
    user : int
        Row number in the original.
    pseudonym : str
        Pseudonym in the session.
    period : int or None
        Number of the period of the attacked record; None without periods.
    """

    kind: ExampleKind
    user: int
    pseudonym: str
    period: int | None = None


def examples(
    release: Attacked,
    config: LinkConfig,
    table: pd.DataFrame,
    within_m: Sequence[float],
    nights: int,
    *,
    engine: Engine,
) -> tuple[Example, ...]:
    """Return an example of each kind, if there is one among 200 targets drawn with the seed.

    Parameters
    ----------
    release : Attacked
    config : LinkConfig
    table : DataFrame
        Table of all targets, as :attr:`fpanon_core.LinkResult.per_target`.
    within_m : sequence of float
        Distances, metres; a home counts as found within the middle one.
    nights : int
        Fewest nights on which the original must have a record of the person, for the home to be
        known.
    engine : LocalEngine
    """
    rng = np.random.default_rng(np.random.SeedSequence((config.seed, 4)))
    some = rng.permutation(len(table))[:_LOOKED_AT]
    few = table.iloc[some]
    before = _found_before(release, config, some, engine) > 0.5
    first = few["first"].to_numpy()
    at_home = _at_home(release, few, nights, middle(within_m), engine)
    kinds: dict[ExampleKind, BoolArray] = {
        "hidden": before & (first < 0.5),
        "found": before & (first > 0.5),
        "home": at_home & (first < 0.5) if (at_home & (first < 0.5)).any() else at_home,
        "accused": few["accused"].to_numpy() == 1,
    }
    return tuple(
        Example(kind, row["user"], row["pseudonym"], row.get("period"))
        for kind, fits in kinds.items()
        for row in few[fits].head(1).to_dict("records")
    )


def middle(within_m: Sequence[float]) -> float:
    """Return the middle one of some distances; if two are in the middle, return the larger."""
    return sorted(within_m)[len(within_m) // 2]


def _found_before(
    release: Attacked, config: LinkConfig, some: IntArray, engine: Engine
) -> FloatArray:
    """Return the chance that the same points pick the right record in the data as they are."""
    original = release.origin.original
    raw = attacked(original, made_by(original, ReleaseOption()))
    known = targets_of(release, config)
    cells = cells_known(raw, known, config)
    rows = rows_of(known.offsets[some], known.sizes[some])
    own = raw.published.own[release.person[known.targets[some]]]
    points = cells.points.chosen(rows, known.sizes[some])
    found = ranks(raw.published, points, cells.mechanism, own, engine=engine)
    return np.asarray(np.max([each.first for each in found.values()], axis=0))


def _at_home(
    release: Attacked, table: pd.DataFrame, nights: int, within_m: float, engine: Engine
) -> BoolArray:
    """Return whether the right record leads alone and reveals the home, for each target."""
    homes = homes_asked(release, true_homes(release.origin.original), nights)
    if homes is None:
        return np.zeros(len(table), bool)
    own = release.published.own[_rows_of(release, table)]
    record = np.maximum(own, 0)  # any record for people without one
    alone = (table["better"] == 0) & (table["level"] == release.published.weight[record])
    user, true = table["user"].to_numpy(), homes.homes
    guess = guesses_of(release, homes, record, engine)
    off = np.hypot(guess[:, 0] - true.x_m[user], guess[:, 1] - true.y_m[user])
    more = (guess[:, 0] != homes.known.x_m) | (guess[:, 1] != homes.known.y_m)
    found = more & (true.nights[user] >= nights) & (off <= within_m)
    return np.asarray(found & alone.to_numpy() & (own >= 0))


def _rows_of(release: Attacked, table: pd.DataFrame) -> IntArray:
    """Return the row of the attacked fingerprint of each target."""
    user: IntArray = table["user"].to_numpy()
    if release.period is None:
        return user
    return rows_in_period(release.person, release.period, user, table["period"].to_numpy())


def guesses_of(
    release: Attacked, homes: HomesAsked, records: IntArray, engine: Engine
) -> FloatArray:
    """Return one guess of the home behind each record, (n_records, 2), metres.

    The guess is that of the attacker ``most_nights`` of :func:`home_found`; after noise in space,
    that of ``fullest_circle``. It depends on the record alone, not on the person sought.
    """
    if len(records) == 0:
        return np.empty((0, 2))
    origin, some = release.origin, _only(release.published, records)
    noise = noise_of(origin.option, "space")
    if noise.variance > 0:
        said = fullest_circle(origin.original, some, noise, engine=engine)
    else:
        said = most_nights(NightPlaces.of(origin.original, some))
    return said.unless_vague(homes.known)


def _only(published: Published, records: IntArray) -> Published:
    """Return the published data with only these records."""
    sizes = np.diff(published.offsets)[records]
    rows = rows_of(published.offsets[records], sizes)
    return Published(
        {name: values[rows] for name, values in published.cells.items()},
        published.count[rows],
        offsets_of(sizes),
        published.weight[records],
        np.empty(0, np.int64),
    )

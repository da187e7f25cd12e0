"""An attack on one person, followed point by point for a demonstration on a map.

The result after each known point states how many people's records still fit, and which records
lead. It also states where the leading records place the person's home, and whether the right record
is among them.

Source: docs/science.md, “An attacker who knows the truth”.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Unpack

import numpy as np
import pandas as pd

from ..anonymize.carrying import Carried
from ..anonymize.chain import release as made_by
from ..attacks.homes import HomesAsked, true_homes
from ..attacks.search import Ranks, best_placed, ranks, suspects
from ..engines.local import Engine
from ..engines.progress import tell
from ..measures.drawing import drawn
from ..model.arrays import CELL, Cells, FloatArray, IntArray
from ..model.checks import whole
from ..model.clock import instants
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.knowledge import Knowledge
from ..model.options import ReleaseOption
from ..model.projection import degrees_of, lon_lat
from ..model.released import AnyRelease
from . import attack
from .estimates import costs
from .learnt import guesses_of, middle, middles
from .linkage import FIRST_FEW, Attacked, attacked, cells_known, homes_asked, targets_of
from .releases import released
from .tabled import Work, part_of, working

MOST_SAMPLES = 2_000
"""Largest number of samples kept of the person, and of the right record.

The samples nearest in time to the known points are kept.
"""


@dataclass(frozen=True)
class Place:
    """A place in metres on the projection and in degrees (NaN without a projection)."""

    x_m: float
    y_m: float
    lon: float
    lat: float


@dataclass(frozen=True)
class Candidate:
    """A published record that the attacker considers.

    Attributes
    ----------
    record : int
        Number of the record, drawn at random; it reveals nothing about the input.
    people : int
        Number of people who share the record.
    posterior : float
        Probability that the target is a given one of these people.
    rank : int
        1 plus the number of people whose record fits better.
    fits : bool
        Whether the record holds every known point as the method would publish the point without
        noise.
    right : bool
        Whether the record is the person's own.
    """

    record: int
    people: int
    posterior: float
    rank: int
    fits: bool
    right: bool

    @property
    def share(self) -> float:
        """Probability that the target is any of the people who share the record."""
        return self.people * self.posterior


@dataclass(frozen=True)
class Step:
    """The attacker's result once some points are known.

    Attributes
    ----------
    known : int
        Number of points known so far.
    better, level : float
        Number of people whose record fits better than the person's own, and number of people whose
        record fits equally well, the person included. NaN for a person who is not in the release.
    fitting : int
        Number of people whose record holds every point as published without noise.
    fits : bool
        Whether the person's own record holds every point.
    posterior : float
        Probability that the target is a given one of the people who share the person's own record;
        NaN as for ``better``.
    taken : bool
        Whether the attacker accepts the best record as the person's.
    before_better, before_level : float
        ``better`` and ``level`` in the data as they are, for the same points.
    candidates : tuple of Candidate
        Up to ten leading records, by posterior. Empty before the first point, when all records fit
        equally well. Records without a point nearby are left out.
    place : int or None
        Index of the right record among the candidates, from 0; None if it is not among them.
    guess : Place or None
        The person's home according to the one leading record; None where no record leads alone, or
        nobody's home is known.
    """

    known: int
    better: float
    level: float
    fitting: int
    fits: bool
    posterior: float
    taken: bool
    before_better: float
    before_level: float
    candidates: tuple[Candidate, ...] = ()
    place: int | None = None
    guess: Place | None = None

    @property
    def found(self) -> float:
        """Probability that the attacker picks the person's own record."""
        return 1 / self.level if self.better == 0 else 0.0


@dataclass(frozen=True, eq=False)
class Followed:
    """Results of an attack on one person, step by step; not for release.

    Attributes
    ----------
    config : attack.Config
    digest : str
        Digest of the original.
    user : int
        Row number in the original.
    pseudonym : str
        Pseudonym in the session.
    period : int or None
        Period of the attacked record; None without periods.
    present : bool
        Whether the person has a record in the release.
    n_people : int
        Number of people in the release.
    steps : tuple of Step
        Results after 0, 1, … points.
    points : DataFrame
        A row for each point in the order in which it becomes known: ``point`` (from 1), ``x_m``,
        ``y_m``, ``t_min`` (middle of the true sample; NaN for places known without a time),
        ``time``, ``lon``, ``lat``; ``told_x_m``, ``told_y_m``, ``told_t_min``, ``told_lon``,
        ``told_lat``: where the attacker believes it to be.
    places : DataFrame
        The person's true positions: ``x_m``, ``y_m``, ``t_min``, ``lon``, ``lat``.
    areas : DataFrame
        The published sample that the method most likely made from each point, for every candidate
        and the right record: ``record``, ``right``, ``point`` (from 1), ``x_m``, ``y_m``,
        ``t_min``, ``dx_m``, ``dy_m``, ``dt_min``, ``west``, ``south``, ``east``, ``north``. No row
        where a record has no sample for the point.
    record : DataFrame
        Samples of the right record, with the columns of ``areas``; ``point`` is 0. Empty where
        there is no right record.
    home : Place or None
        The person's true home, according to the original; None where too few nights are recorded.
    commonest : Place or None
        The home with the most other homes nearby, guessed by an attacker without any record.
    within_m : float
        Largest distance in metres from the true home at which a guess counts as found.
    """

    config: attack.Config
    digest: str
    user: int
    pseudonym: str
    period: int | None
    present: bool
    n_people: int
    steps: tuple[Step, ...]
    points: pd.DataFrame
    places: pd.DataFrame
    areas: pd.DataFrame
    record: pd.DataFrame
    home: Place | None
    commonest: Place | None
    within_m: float


@costs(600)
def follow(
    fs: FingerprintSet,
    config: attack.Config,
    target: int,
    released: AnyRelease | None = None,
    period: int | None = None,
    attacker: str = "bayes",
    **work: Unpack[Work],
) -> Followed:
    """Return an attacker's result on one person after each known point.

    Parameters
    ----------
    fs, config, released, engine, progress
        As in :func:`.attack.study`. For a person who is a target there, the same points are known
        here.
    target : int
        Row number of the person in the original.
    period : int, optional
        Number of the period whose record is attacked, for a release in periods. When None, it is
        one of the periods in which :func:`.attack.study` attacks the person, if possible one with a
        published record. For a person who is not a target there, it is the period with the most
        samples, if possible among those with a published record.
    attacker : {"best_sample", "bayes"}
        Attacker who scores the records, such as the strongest of the attack
        (:attr:`fpanon_core.LinkResult.attacker`).

    Raises
    ------
    ConfigError
        There is no such person, or no such period for this person; and as :func:`.attack.study`.
    InfeasibleError
        As :func:`.attack.study`.

    Examples
    --------
    Before any point is known, both people fit equally well; after two points, only one fits.

    >>> x, t = [0, 5000, 0, 9000], [60, 600, 60, 600]
    >>> fs = FingerprintSet.from_samples([1, 1, 2, 2], x, [0] * 4, t)
    >>> seen = follow(fs, attack.Config(p=2, seed=2), 0)
    >>> [step.level for step in seen.steps][0], seen.steps[-1].found
    (2.0, 1.0)
    """
    if not 0 <= whole("target", target, 0) < fs.n_users:
        raise ConfigError(f"There is no person {target}; the data have {fs.n_users:,} people.")
    work = working(**work)
    engine, progress = work["engine"], work["progress"]
    given = attack.made(fs, config, **part_of(work, 0.0, 0.6)) if released is None else released
    release = attacked(fs, given)
    known, which = _known(release, config, int(target), period)
    row = int(known.targets[which])
    rows = np.arange(known.offsets[which], known.offsets[which + 1])
    raw = attacked(fs, made_by(fs, ReleaseOption()))
    told, before = (
        _Told(each, cells_known(each, known, config.knowledge), rows, own, attacker, engine)
        for each, own in (
            (release, int(release.published.own[row])),
            (raw, int(raw.published.own[int(target)])),
        )
    )
    tell(progress, 0.8)
    listed = told.leading()
    homes = homes_asked(release, true_homes(fs), config.nights)
    views = _Views(told, homes, config.seed, listed)
    steps = [_nothing_known(told, before), *_steps(told, before, listed, views)]
    points = _points(config, known, told)
    true = points["t_min"].to_numpy()
    tell(progress, 1.0)
    return Followed(
        config=config,
        digest=fs.digest,
        user=int(target),
        pseudonym=str(fs.pseudonyms[int(target)]),
        period=None if release.period is None else int(release.period[row]),
        present=told.own >= 0,
        n_people=release.published.n_people,
        steps=tuple(steps),
        points=points,
        places=_places(release, row, true),
        areas=views.areas(),
        record=views.record(true),
        home=views.home(int(target)),
        commonest=views.commonest,
        within_m=middle(config.within_m),
    )


def _known(
    release: Attacked, config: attack.Config, target: int, period: int | None
) -> tuple[Knowledge, int]:
    """Return the known points of all targets, and the index of the person among the targets.

    For a person who is not a target, return this person's points alone, and 0.
    """
    meant = release.person == target
    if period is not None:
        if release.period is None:
            raise ConfigError("This release is not in periods; leave the period out.")
        meant &= release.period == whole("period", period, 0)
    rows = np.flatnonzero(meant)
    if len(rows) == 0:
        raise ConfigError(f"This person has no record in period {period}; choose another period.")
    known = targets_of(release, config.knowledge)
    at = np.flatnonzero(np.isin(known.targets, rows))
    if len(at):
        return known, int(at[0])
    here = rows[release.published.own[rows] >= 0]
    rows = here if len(here) else rows
    longest = rows[[int(np.argmax(release.whole.lengths[rows]))]]
    alone = drawn(release.whole, config.knowledge.knowledge, among=longest, beyond=True)
    return alone, 0


class _Told(NamedTuple):
    """The known points of one person, and a release to compare with them after each point.

    ``rows`` are those of the known points, and ``own`` is the person's own record; −1 if the person
    has none.
    """

    release: Attacked
    cells: Carried
    rows: IntArray
    own: int
    attacker: str
    engine: Engine

    def leading(self) -> list[IntArray]:
        """Return the leading records after each known point, in order of posterior."""
        sizes = np.arange(1, len(self.rows) + 1)
        points = self.cells.points.chosen(self._up_to(sizes), sizes)
        mechanism, published = self.cells.mechanism, self.release.published
        found = suspects(published, points, mechanism, self.attacker, engine=self.engine)
        many = np.minimum(found.many, FIRST_FEW).tolist()
        return [row[:n].astype(np.int64) for row, n in zip(found.record, many, strict=True)]

    def ranked(self, numbers: IntArray, records: IntArray) -> tuple[Ranks, Ranks]:
        """Return each record's ranks as the person's own: with noise and exchange, then without.

        ``numbers`` states for each record how many points are known; record −1 belongs to nobody.
        All records are ranked in one call, because each call sorts what is published.
        """
        rows = self._up_to(numbers)
        published, cells = self.release.published, self.cells
        found, exact = (
            ranks(published, points.chosen(rows, numbers), way, records, engine=self.engine)
            for points, way in ((cells.points, cells.mechanism), (cells.exact, cells.exactly))
        )
        return found[self.attacker], exact[self.attacker]

    def _up_to(self, sizes: IntArray) -> IntArray:
        return np.concatenate([self.rows[:size] for size in sizes.tolist()])


def _nothing_known(told: _Told, before: _Told) -> Step:
    """Return the step before any point is known, when all people fit equally well."""
    people, all_of_them = (each.release.published.n_people for each in (told, before))
    here, nobody = told.own >= 0, (np.nan, np.nan, np.nan)
    alike = (0.0, float(people), told.cells.mechanism.share / people) if here else nobody
    better, level, posterior = alike
    return Step(0, better, level, people, here, posterior, False, 0.0, float(all_of_them))


def _steps(told: _Told, before: _Told, listed: list[IntArray], views: _Views) -> Iterator[Step]:
    """Yield the step (:class:`Step`) after each known point.

    All records are ranked in one call: each step's candidates, then the person's own record.
    """
    records = np.concatenate([np.append(each, told.own) for each in listed])
    lengths = np.array([len(each) + 1 for each in listed])
    known = np.arange(1, len(told.rows) + 1)
    found, exact = told.ranked(np.repeat(known, lengths), records)
    was, _ = before.ranked(known, np.full(len(known), before.own))
    own = -1
    for number, length in enumerate(lengths.tolist()):
        first, own = own + 1, own + length
        candidates = tuple(
            Candidate(
                int(views.numbers[records[i]]),
                int(told.release.published.weight[records[i]]),
                float(found.posterior[i]),
                1 + round(float(found.better[i])),
                bool(exact.fits[i]),
                bool(records[i] == told.own),
            )
            for i in range(first, own)
        )
        alone = first < own and found.level[first] == candidates[0].people
        better, level, posterior = (
            float(each[own]) if told.own >= 0 else np.nan
            for each in (found.better, found.level, found.posterior)
        )
        yield Step(
            known=number + 1,
            better=better,
            level=level,
            fitting=round(float(exact.fitting[own])),
            fits=bool(exact.fits[own]),
            posterior=posterior,
            taken=bool(found.taken[own]),
            before_better=float(was.better[number]),
            before_level=float(was.level[number]),
            candidates=candidates,
            place=next((i for i, each in enumerate(candidates) if each.right), None),
            guess=views.guesses.get(int(records[first])) if alone else None,
        )


class _Views:
    """The numbers, samples and homes of records, as the map shows them."""

    def __init__(
        self, told: _Told, homes: HomesAsked | None, seed: int, listed: list[IntArray]
    ) -> None:
        self._told, self._published, self._homes = told, told.release.published, homes
        self._crs = told.release.origin.original.crs
        rng = np.random.default_rng(np.random.SeedSequence((seed, 5)))
        self.numbers = rng.permutation(len(self._published.weight)) + 1
        own = np.array([told.own] if told.own >= 0 else [], np.int64)
        self._records = np.unique(np.concatenate([*listed, own]))
        self.guesses: dict[int, Place] = {}  # the home that a record suggests for its people
        self.commonest: Place | None = None  # the home that most people's homes are near
        if homes is not None:
            guess = guesses_of(told.release, homes, self._records, told.engine).tolist()
            places = (self._place(x, y) for x, y in guess)
            self.guesses = dict(zip(self._records.tolist(), places, strict=True))
            self.commonest = self._place(homes.known.x_m, homes.known.y_m)

    def home(self, user: int) -> Place | None:
        """Return a person's true home; None where it is not known."""
        if self._homes is None or self._homes.homes.nights[user] < self._homes.nights:
            return None
        return self._place(float(self._homes.homes.x_m[user]), float(self._homes.homes.y_m[user]))

    def areas(self) -> pd.DataFrame:
        """Return, for each record and each point, the sample most likely made from the point."""
        rows, cells = self._told.rows, self._told.cells
        points = cells.points.chosen(rows, np.array([len(rows)]))
        best = best_placed(self._published, points, cells.mechanism, self._records)
        which, point = np.nonzero(best >= 0)
        return self._table(best[which, point], self._records[which], point + 1)

    def record(self, near_t: FloatArray) -> pd.DataFrame:
        """Return the right record's samples; if too many, those nearest in time to known points."""
        own, cells = self._told.own, self._published.cells
        begin, end = self._published.offsets[own : own + 2] if own >= 0 else (0, 0)
        middles = cells["t_min"][begin:end] + cells["dt_min"][begin:end] / 2
        rows = begin + _nearest(middles, near_t)
        return self._table(rows, np.full(len(rows), own), np.zeros(len(rows), np.int64))

    def _table(self, rows: IntArray, records: IntArray, point: IntArray) -> pd.DataFrame:
        cells = {name: self._published.cells[name][rows] for name in CELL}
        x, y = cells["x_m"], cells["y_m"]
        degrees = degrees_of(self._crs, x, x + cells["dx_m"], y, y + cells["dy_m"])
        return pd.DataFrame(
            {
                "record": self.numbers[records],
                "right": records == self._told.own,
                "point": point,
                **cells,
                "west": degrees["lon_min"].to_numpy(),
                "south": degrees["lat_min"].to_numpy(),
                "east": degrees["lon_max"].to_numpy(),
                "north": degrees["lat_max"].to_numpy(),
            }
        )

    def _place(self, x: float, y: float) -> Place:
        lon, lat = _degrees(self._crs, np.array([x]), np.array([y]))
        return Place(x, y, float(lon[0]), float(lat[0]))


def _points(config: attack.Config, known: Knowledge, told: _Told) -> pd.DataFrame:
    """Return a table of the points, true and as believed by the attacker."""
    original, rows = told.release.origin.original, told.rows
    x, y, t = middles(known, rows)
    seen_x, seen_y, seen_t = middles(told.cells.points, rows)
    if not config.blur_m:
        seen_x, seen_y = x, y
    if not config.blur_min or known.timeless:
        seen_t = t
    lon, lat = _degrees(original.crs, x, y)
    seen_lon, seen_lat = _degrees(original.crs, seen_x, seen_y)
    return pd.DataFrame(
        {
            "point": np.arange(1, len(rows) + 1),
            "x_m": x,
            "y_m": y,
            "t_min": t,
            "time": instants(original.clock, t),
            "lon": lon,
            "lat": lat,
            "told_x_m": seen_x,
            "told_y_m": seen_y,
            "told_t_min": seen_t,
            "told_lon": seen_lon,
            "told_lat": seen_lat,
        }
    )


def _places(release: Attacked, row: int, near_t: FloatArray) -> pd.DataFrame:
    """Return the person's true positions; if too many, those nearest in time to known points."""
    fs = release.whole
    rows = np.arange(fs.offsets[row], fs.offsets[row + 1])
    x, y, t = middles(fs, rows[_nearest(middles(fs, rows)[2], near_t)])
    lon, lat = _degrees(release.origin.original.crs, x, y)
    return pd.DataFrame({"x_m": x, "y_m": y, "t_min": t, "lon": lon, "lat": lat})


def _nearest(t_min: FloatArray, near_t: FloatArray) -> IntArray:
    """Return the indices of the :data:`MOST_SAMPLES` times nearest to the points, ascending.

    Known points without a time count as time 0.
    """
    if len(t_min) <= MOST_SAMPLES:
        return np.arange(len(t_min))
    apart = np.abs(t_min[:, None] - np.nan_to_num(near_t)[None, :]).min(axis=1)
    return np.sort(np.argsort(apart, kind="stable")[:MOST_SAMPLES])


def _degrees(crs: str | None, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return longitudes and latitudes; NaN without a projection."""
    if crs is None:
        return np.full(len(x), np.nan), np.full(len(x), np.nan)
    return lon_lat(crs, x, y)


# --- before and after ---


@dataclass(frozen=True)
class Wanted:
    """The option and the person whose published record is wanted.

    Attributes
    ----------
    option : ReleaseOption
        Option that publishes records.
    seed : int
        Seed of the option's techniques.
    user : int or None
        Row number of the person; None for the published person with the median extent.
    """

    option: ReleaseOption
    seed: int = 0
    user: int | None = None


@dataclass(frozen=True, eq=False)
class PublishedRecord(Cells):
    """What an option publishes about one person; without rows where it publishes nothing.

    Attributes
    ----------
    config : Wanted
    digest : str
        Digest of the data.
    user : int
        Row number of the person.
    x_m, y_m, dx_m, dy_m, t_min, dt_min : float64 ndarray (n,)
        Areas and time windows in order of time, of all periods in which the person has a record.
    """

    config: Wanted
    digest: str
    user: int


@costs(450)
def published_record(fs: FingerprintSet, config: Wanted, **work: Unpack[Work]) -> PublishedRecord:
    """Return one person's record as an option would publish it.

    The draws come from a seed, so the record is for study only.

    Raises
    ------
    ConfigError, InfeasibleError
        As :func:`fpanon_core.release`.

    Examples
    --------
    >>> from fpanon_core import GeneralizationProfile, Grid
    >>> from fpanon_core.model.options import Generalize
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 900, 0], [0, 0, 0], [0, 9, 4])
    >>> coarse = ReleaseOption(steps=[Generalize(GeneralizationProfile(Grid(5000), 60))])
    >>> found = published_record(fs, Wanted(coarse, user=0))
    >>> found.dx_m.tolist(), found.dt_min.tolist()
    ([5000.0], [60.0])
    """
    made = released(fs, config.option.steps, config.seed, **work)
    person = made.person
    user = middling(fs, np.unique(person)) if config.user is None else config.user
    rows = np.flatnonzero(person[made.fs.sample_user] == user)
    own = np.column_stack([values[rows] for values in made.fs.arrays(CELL).values()])
    own = np.unique(own, axis=0)  # a user with a weight has the same record several times
    own = own[np.argsort(own[:, list(CELL).index("t_min")], kind="stable")]
    columns = dict(zip(CELL, own.T.copy(), strict=True))
    return PublishedRecord(config=config, digest=fs.digest, user=user, **columns)


def middling(fs: FingerprintSet, among: IntArray) -> int:
    """Return the row number of the person with the median extent among these people."""
    begins = fs.offsets[:-1]
    wide, high = (
        np.maximum.reduceat(v, begins) - np.minimum.reduceat(v, begins) for v in (fs.x_m, fs.y_m)
    )
    return int(among[np.argsort((wide + high)[among], kind="stable")[len(among) // 2]])

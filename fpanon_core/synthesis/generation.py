"""Synthetic people: trajectories for researchers, with differential privacy for each person.

Noise is added once to the statistics of all people. The model and the synthetic people are made
from the noisy statistics and the public frame alone.

Of the generated candidates, a third is kept, so that radii of gyration follow the statistics.
Generation uses only the model and a seed. For a publication, the seed comes from the operating
system.

Source: docs/science.md, “Synthetic people with differential privacy”.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, Unpack

import numpy as np

from ..aggregates.contributions import table_frame
from ..aggregates.usefulness import places_of
from ..attacks.aggregation import minutes_after
from ..attacks.private import with_noise
from ..engines.local import Engine
from ..engines.progress import Progress, part, tell
from ..engines.work import Work, part_of, working
from ..kernels.made_up_lives import Model, survey, write_lives
from ..kernels.person_statistics import MOST_COUNTED
from ..model.arrays import FloatArray, IntArray, SmallInts, offsets_of
from ..model.counts_frame import FrameConfig
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.options import Synthesize
from ..model.periods import decided_by_records
from ..model.synthetic_people import NoisyStatistics, Placing, SyntheticPeople
from .fitted import fitted
from .statistics import Ground, exact_statistics, noisy_statistics

CANDIDATES = 3
MOST_RECORDS = 200_000_000
"""Approximate largest number of records that are generated, of 8 bytes each."""
_PILOT, _PILOT_ROUNDS = 600, 6
_AT_ONCE = 4_096
_MOST_READY = 50.0


class Lives(NamedTuple):
    """Events of people; person i has rows ``offsets[i]:offsets[i+1]``, ordered by time, then place.

    ``place`` is the number of a place in the frame; ``wall_min`` is in wall-clock minutes since the
    first midnight.
    """

    offsets: IntArray
    place: SmallInts
    wall_min: SmallInts


def synthesize(
    fs: FingerprintSet,
    frame: FrameConfig,
    *,
    epsilon: float,
    people: int | None = None,
    engine: Engine | None = None,
    progress: Progress = None,
) -> SyntheticPeople:
    """Make synthetic people, ε-differentially private for everything about one person.

    Each call draws new noise and costs its ε. Choosing by utility among the results of
    several calls costs the sum of their ε.

    Parameters
    ----------
    fs : FingerprintSet
    frame : FrameConfig
        Stated places and days, never taken from the records.
    epsilon : float
        Privacy parameter; smaller values protect more.
    people : int, optional
        Number of people to generate; by default the noisy number of people. More people cost no ε
        and make totals steadier. When publishing, state the scale of the result.
    engine : Engine, optional
        Engine for the statistics; by default all cores of this machine.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    SyntheticPeople

    Raises
    ------
    ConfigError
        A value is out of its range, the frame does not fit the data, or fingerprints stand for
        several people.
    InfeasibleError
        There are too many places.

    Examples
    --------
    >>> from fpanon_core import StatedArea, StatedPeriod
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 600, 0], [0] * 3, [5, 9, 500])
    >>> area = StatedArea(0, 0, 500, 1_000, "metres")
    >>> frame = FrameConfig(StatedPeriod(None, 1), "grid", area, 500)
    >>> synthesize(fs, frame, epsilon=1, people=10)
    SyntheticPeople(10 people, ε = 1)
    """
    option = Synthesize(frame, epsilon, people)
    return synthetic_people(fs, option, **working(engine, progress))


def synthetic_people(
    fs: FingerprintSet, option: Synthesize, **work: Unpack[Work]
) -> SyntheticPeople:
    """Make the synthetic people that a release option states; see :func:`synthesize`."""
    if len(fs.weight) and int(fs.weight.max()) > 1:
        raise ConfigError(
            "Some fingerprints stand for several people, so one person's records may count for all "
            "of these people; make synthetic people from the unmerged data."
        )
    ground = Ground.of(table_frame(fs, option.frame))
    exact = exact_statistics(fs, ground, **part_of(work, 0.0, 0.3))
    found = noisy_statistics(exact, ground, option.epsilon, with_noise)
    lives = lives_of(found, ground, option, progress=part(work.get("progress"), 0.3, 1.0))
    here, later = places_of(ground.frame, fs.crs), minutes_after(fs, ground.frame.counts)
    placing = Placing(here.x_m, here.y_m, later, fs.clock, fs.crs, fs.antennas)
    fault = decided_by_records(fs)
    return SyntheticPeople(*lives, found, ground.frame, option, placing, fault, fs.digest)


def lives_of(
    found: NoisyStatistics,
    ground: Ground,
    option: Synthesize,
    *,
    seed: int | None = None,
    progress: Progress = None,
) -> Lives:
    """Generate people from noisy statistics and a public frame alone.

    ``seed`` is for studies; a publication gets its seed from the operating system.
    """
    many = round(found.n_people) if option.people is None else option.people
    drawn = secrets.randbits(62) if seed is None else seed
    return made_up(fitted(found, ground), many, drawn, progress)


def made_up(model: Model, people: int, seed: int, progress: Progress = None) -> Lives:
    """Generate ``people`` people from the model.

    Fewer people are generated if their records would exceed :data:`MOST_RECORDS`.

    Parameters
    ----------
    model : Model
    people : int
    seed : int
        Seed; from the operating system for a publication.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.
    """
    people = max(1, min(people, int(MOST_RECORDS / records_each(model))))
    readiness = ready(model, seed)
    numbers = np.arange(people * CANDIDATES)
    figures = np.empty((len(numbers), 3))

    def look(some: slice) -> None:
        survey(model, seed, numbers[some], readiness, figures[some])

    _for_all(look, len(numbers), part(progress, 0.0, 0.7))
    kept = chosen(model, figures[:, 2], people)
    offsets = offsets_of(figures[kept, 0].astype(np.int64))
    place, wall_min = np.empty(offsets[-1], np.int32), np.empty(offsets[-1], np.int32)

    def write(some: slice) -> None:
        own = offsets[some.start : some.stop + 1]
        rows = slice(own[0], own[-1])
        write_lives(model, seed, kept[some], readiness, own - own[0], place[rows], wall_min[rows])

    _for_all(write, people, part(progress, 0.7, 1.0))
    return Lives(offsets, place, wall_min)


def _for_all(do: Callable[[slice], None], many: int, progress: Progress) -> None:
    firsts = range(0, many, _AT_ONCE)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        pieces = (slice(first, min(first + _AT_ONCE, many)) for first in firsts)
        for done, _ in enumerate(pool.map(do, pieces), 1):
            tell(progress, done / len(firsts))


def ready(model: Model, seed: int) -> float:
    """Return the factor by which to multiply the chances of moving.

    With it, the mean number of moves fits the statistics.
    """
    readiness, numbers = 1.0, np.arange(_PILOT)
    for turn in range(_PILOT_ROUNDS):
        # These random streams differ from the streams of the generated people.
        figures = np.empty((_PILOT, 3))
        survey(model, seed + 1 + turn, numbers, readiness, figures)
        found = float(np.minimum(figures[:, 1], MOST_COUNTED).mean()) / MOST_COUNTED
        readiness = min(_MOST_READY, readiness * max(model.moves, 1e-6) / max(found, 1e-6))
    return readiness


def records_each(model: Model) -> float:
    """Return an upper bound on the mean number of records per person of the model."""
    bounds = model.event_bounds
    share = np.diff(model.records, prepend=0.0).reshape(-1, len(model.place_bounds) - 1).sum(axis=1)
    return float(share @ bounds[1:])


def chosen(model: Model, radius: FloatArray, people: int) -> IntArray:
    """Return the numbers of the candidates to keep, ascending, for ``people`` people.

    Their radii of gyration follow the statistics as far as there are enough candidates.
    """
    ring = np.searchsorted(model.ring_m, radius)
    wanted = np.floor(model.radii * people).astype(np.int64)
    order = np.argsort(ring, kind="stable")  # candidates of one ring in the order they were made
    first = np.concatenate([[0], np.cumsum(np.bincount(ring, minlength=len(wanted)))])
    taken = np.zeros(len(radius), bool)
    for at, many in enumerate(wanted):
        taken[order[first[at] : min(first[at] + many, first[at + 1])]] = True
    missing = people - int(taken.sum())
    taken[np.flatnonzero(~taken)[:missing]] = True
    return np.flatnonzero(taken)

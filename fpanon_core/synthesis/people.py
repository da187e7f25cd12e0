"""Synthetic people: trajectories for researchers, with differential privacy for each person.

Noise is added once to the statistics of all people. The model and the synthetic people are made
from the noisy statistics and the public frame alone.

Source: docs/science.md, “Synthetic people with differential privacy”.
"""

from __future__ import annotations

import secrets

from ..aggregates.contributions import table_frame
from ..aggregates.usefulness import places_of
from ..attacks.aggregation import minutes_after
from ..attacks.private import with_noise
from ..engines.local import Engine
from ..engines.progress import Progress, part
from ..model.count_tables import TableFrame
from ..model.counts_frame import FrameConfig
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.options import Synthesize
from ..model.periods import decided_by_records
from ..model.synthetic_people import NoisyStatistics, Placing, SyntheticPeople
from .fitted import fitted
from .generation import Lives, made_up
from .statistics import Ground, exact_statistics, noisy_statistics


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

    Each call draws new noise and costs its ε. Choosing among the results of several calls by
    utility costs the sum of their ε.

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
    return synthetic_people(fs, option, engine=engine, progress=progress)


def synthetic_people(
    fs: FingerprintSet,
    option: Synthesize,
    *,
    engine: Engine | None = None,
    progress: Progress = None,
) -> SyntheticPeople:
    """Make the synthetic people that a release option states; see :func:`synthesize`."""
    if len(fs.weight) and int(fs.weight.max()) > 1:
        raise ConfigError(
            "Some fingerprints stand for several people, so one person may be in several; make "
            "synthetic people from the data before they were merged."
        )
    ground = Ground.of(table_frame(fs, option.frame))
    exact = exact_statistics(fs, ground, engine=engine, progress=part(progress, 0.0, 0.3))
    found = noisy_statistics(exact, ground, option.epsilon, with_noise)
    lives = lives_of(found, ground, option, progress=part(progress, 0.3, 1.0))
    here, fault = placing_of(fs, ground.frame), decided_by_records(fs)
    return SyntheticPeople(*lives, found, ground.frame, option, here, fault, fs.digest)


def lives_of(
    found: NoisyStatistics,
    ground: Ground,
    option: Synthesize,
    *,
    seed: int | None = None,
    progress: Progress = None,
) -> Lives:
    """Generate people from noisy statistics and a public frame alone.

    ``seed`` is for studies; a publication draws from the operating system.
    """
    many = round(found.n_people) if option.people is None else option.people
    drawn = secrets.randbits(62) if seed is None else seed
    return made_up(fitted(found, ground), many, drawn, progress)


def placing_of(fs: FingerprintSet, frame: TableFrame) -> Placing:
    """Return the frame's places and minutes in the data's projection and on the data's clock."""
    here, later = places_of(frame, fs.crs), minutes_after(fs, frame.counts)
    return Placing(here.x_m, here.y_m, later, fs.clock, fs.crs, fs.antennas)

"""Synthetic people: invented trajectories, compared with the real ones.

Source: docs/science.md, “Synthetic people with differential privacy”.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
import pandas as pd

from ..aggregates.areas import geojson_of
from ..aggregates.contributions import table_frame
from ..aggregates.tables import count_tables
from ..engines.progress import part, tell
from ..measures.utility import radii, visited
from ..model.arrays import FloatArray
from ..model.count_tables import CountTables
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.options import Synthesize, Tables
from ..model.profiles import Areas
from ..model.synthetic_people import MEANING, SHARES
from ..synthesis.attack import located
from ..synthesis.generation import synthetic_people
from ..synthesis.statistics import Ground, leaves_for
from .count_tables import Packaged, kept_of, packaged
from .framing import reading_fault
from .reading import Reading, Source, read
from .synthetic_package import describe_warnings, package, people_packed, verify_people
from .tabled import Work, part_of

_WEEK_H = 168
_ROUNDED = 1.5  # people for each one stated, at most, if their number was rounded to one digit
_NOISIER = 3.0  # a noisy count exceeds the true one by more than this many scales in 2.5% of draws
_QUANTILES = np.linspace(0, 1, 401)


@dataclass(frozen=True)
class Expected:
    """Expected effect of noise on the homes, from public numbers alone.

    Attributes
    ----------
    groups : int
        Largest number of groups of neighbouring places among which homes are distinguished. The
        number used will follow from a noisy count of people.
    homes : float
        Number of homes in a typical group, if there are ``groups`` groups.
    error : float
        Expected error of ``homes`` due to noise.
    warnings : tuple of str
    """

    groups: int
    homes: float
    error: float
    warnings: tuple[str, ...]


def expected(fs: FingerprintSet, option: Synthesize, people: int) -> Expected:
    """Return the expected effect of noise for a stated number of people at the stated places."""
    ground = Ground.of(table_frame(fs, option.frame))
    counted = _ROUNDED * people + _NOISIER / (option.epsilon * SHARES["people"])
    groups = int(leaves_for(ground, counted, option.epsilon).max()) + 1
    error = 1 / (option.epsilon * SHARES["homes"])
    said = describe_warnings(option, people, ground.frame.n_areas)
    return Expected(groups, people / groups, error, tuple(said))


@dataclass(frozen=True, eq=False)
class Result(Packaged):
    """Synthetic people ready for release and, for the privacy officer, compared with real ones.

    The other attributes are those of :class:`.count_tables.Packaged`.

    Attributes
    ----------
    config : Synthesize
    made, before : CountTables
        Presence and flows of the synthetic people, scaled to the number of real people; and those
        of the real people.
    kept, compared_in : dict of str to float, and str
        What the synthetic people keep of the real records within the frame, and the areas in which
        this was compared.
    curves : dict of str to pair of float64 ndarray
        Quantiles of ``radius`` (metres) and ``places`` (the number that a person visits): of the
        real people within the frame, then of the synthetic people.
    week : float64 ndarray (2, 168)
        Share of events by hour of the week from Monday, or from the first day where the data have
        no dates: real, synthetic.
    learnt : DataFrame
        All noisy statistics.
    n_noisy, people : int
        Noisy number of real people, and number of synthetic people in the package.
    digest : str
        Digest of the data, as they were read for the synthetic people.
    """

    config: Synthesize
    curves: dict[str, tuple[FloatArray, FloatArray]]
    week: FloatArray
    learnt: pd.DataFrame
    n_noisy: int
    people: int
    digest: str

    @property
    def error(self) -> FloatArray:
        """Error of each cell of presence: 0, as none is stated for synthetic people."""
        assert self.made.presence is not None
        return np.zeros(self.made.presence.values.shape)

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the table ``learnt``: all noisy statistics, with their meanings."""
        return {"learnt": self.learnt}


def study(
    fs: FingerprintSet,
    config: Synthesize,
    areas: Areas = None,
    source: Source | None = None,
    stated: Reading | None = None,
    **work: Unpack[Work],
) -> Result:
    """Make synthetic people and their zip, verify its bytes, and measure the utility.

    Parameters
    ----------
    areas : float, Hexagons, Regions or None
        The purpose's areas, in which utility is measured.
    source, stated : Source and Reading, optional
        Source and settings with which to read the data again, as ε requires
        (:func:`.count_tables.stated_reading`).

    Raises
    ------
    ConfigError
        ε would promise nothing, as the records decided how the data were read.
    """
    progress = work.get("progress")
    if source is not None and stated is not None:
        fs, _ = read(source, stated, progress=part(progress, 0.0, 0.3))
    if fault := reading_fault(fs, config.frame):
        raise ConfigError(fault)
    made = synthetic_people(fs, config, **part_of(work, 0.3, 0.5))
    zips = packaged(lambda form: package(made, form), lambda archive: verify_people(archive, fs))
    tables = Tables(config.frame)
    before = count_tables(fs, tables, **part_of(work, 0.6, 0.7))
    after = count_tables(made.people, tables, before.frame, **part_of(work, 0.7, 0.8))
    inside = located(fs, made.frame)[0] >= 0  # others cannot be compared
    real = fs.with_samples(inside) if inside.any() else fs
    learnt = made.statistics.to_frame()
    learnt.insert(1, "meaning", learnt["statistic"].map(MEANING))
    kept = kept_of(fs, made, areas)
    tell(progress, 1.0)
    return Result(
        _scaled(after, made.scale),
        before,
        *zips,
        geojson_of(made.frame),
        *kept,
        config,
        {
            "radius": (_quantiles(radii(real)), _quantiles(radii(made.people))),
            "places": (_quantiles(visited(real)), _quantiles(visited(made.people))),
        },
        np.stack([_week(each) for each in (real, made.people)]),
        learnt,
        made.n_noisy,
        people_packed(made),
        fs.digest,
    )


def _scaled(tables: CountTables, scale: float) -> CountTables:
    """Scale numbers of synthetic people to numbers of real ones."""
    people, trips = tables.presence, tables.flows
    assert people is not None
    assert trips is not None
    return replace(
        tables,
        presence=replace(people, values=people.values / scale),
        flows=replace(trips, trips=trips.trips / scale),
    )


def _quantiles(values: FloatArray) -> FloatArray:
    return np.asarray(np.quantile(values, _QUANTILES))


def _week(fs: FingerprintSet) -> FloatArray:
    """Return the share of events by hour of the week, from Monday or, without a calendar, day 0."""
    first = 0 if fs.clock is None else fs.clock.first_day.weekday()
    hour = (fs.wall_minutes(fs.t_min) // 60 + 24 * first) % _WEEK_H
    sums = np.bincount(hour.astype(np.int64), fs.count, _WEEK_H)
    return np.asarray(sums / sums.sum())

"""What is told about a release to whoever receives it: counts, limits, accuracy, the verdict."""

from __future__ import annotations

from dataclasses import dataclass

from .options import ReleaseOption


@dataclass(frozen=True)
class Verdict:
    """What was found when the written bytes were read back and checked.

    Attributes
    ----------
    passed : bool
    k : int or None
        The crowd that was checked for; None where none is promised.
    text : str
        In a sentence that names nobody.
    """

    passed: bool
    k: int | None
    text: str


@dataclass(frozen=True)
class Accuracy:
    """How coarse what is published is.

    Attributes
    ----------
    of : str
        Over what: ``"original samples"`` that are published, or ``"rows"`` of the release.
    median_side_m, mean_side_m : float
        Of the cells' sides, (dx + dy)/2, metres.
    median_span_min, mean_span_min : float
        Of their lengths, minutes.
    """

    of: str
    median_side_m: float
    mean_side_m: float
    median_span_min: float
    mean_span_min: float


@dataclass(frozen=True)
class ReleaseFacts:
    """What a release says of itself. No id, no path, no digest of the original.

    Attributes
    ----------
    option : ReleaseOption
        What was done.
    k : int or None
        The crowd that is promised.
    suppress_space_m, suppress_time_min, leftover
        As GLOVE was told; None where it was not the last step.
    crs, timezone : str or None
        Projection and display zone.
    epoch, first_day, last_day : str or None
        Local dates: of the data set's epoch; of the first and the last day on which any of the
        people published was recorded, or, where samples were moved in time, of the earliest and the
        latest moment published. None without a clock.
    granularity_m, granularity_min : float
        Of the cells, where they are all alike; of the raw samples after GLOVE.
    people, rows, samples_in, samples_left_out, people_left_out : int
        Counts: records and rows that leave; samples of the original; samples and people of it that
        do not leave.
    groups : int or None
        None where nobody is grouped.
    people_alone : int
        People published whose rows are like nobody else's.
    last_window_days : (int, int) or None
        Where the last window published reaches beyond the last day: how many of its days are up to
        that day, and how many it has.
    phantom_share : float or None
        Of the rows, the share in whose cell the person was never recorded.
    accuracy : Accuracy or None
        None where nothing is published.
    period_days, periods, pseudonyms : int or None
        With periods: days in each, how many periods have records, and how many records there are: a
        person has one in each period, under a pseudonym of its own. ``people`` are people all the
        same, but ``people_alone`` counts pseudonyms.
    """

    option: ReleaseOption
    k: int | None
    suppress_space_m: float | None
    suppress_time_min: float | None
    leftover: str | None
    crs: str | None
    timezone: str | None
    epoch: str | None
    first_day: str | None
    last_day: str | None
    granularity_m: float
    granularity_min: float
    people: int
    groups: int | None
    rows: int
    samples_in: int
    samples_left_out: int
    people_left_out: int
    people_alone: int
    last_window_days: tuple[int, int] | None
    phantom_share: float | None
    accuracy: Accuracy | None
    period_days: int | None = None
    periods: int | None = None
    pseudonyms: int | None = None

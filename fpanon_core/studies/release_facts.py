"""Facts that a release states to its recipient, and the coarseness of a release.

The facts are defined in :mod:`fpanon_core.model.facts`. The coarseness decides whether a release is
useful, whatever its risk. One rule applies on every page and in the report. A release is of little
use if its typical area is more than half as wide as the data. It is also of little use if its
typical time window is longer than a day, or if less than half of the data is left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..measures.crowds import Presence, sharing
from ..model.arrays import stretches
from ..model.clock import instants
from ..model.facts import Accuracy, ReleaseFacts, four_digits, public_option
from ..model.fingerprints import FingerprintSet
from ..model.options import SampleUsers
from ..model.released import Origin
from .option_result import OptionResult

_JUST_BEFORE_MIN = 1e-3  # a cell's last moment is not part of it
_STRETCH = 1_000_000  # samples


def facts_of(
    origin: Origin, found: Presence, left_out: int | None, *, whole: bool = True
) -> ReleaseFacts:
    """Return the facts of a release.

    Parameters
    ----------
    origin : Origin
    found : Presence
        Correspondence of the published rows with the original samples of their people.
    left_out : int or None
        Number of left-out samples of the original. None where they cannot be traced; the facts
        then state the number that the steps left out.
    whole : bool
        Whether groups of k are compared with the original itself, not with the data given to GLOVE.
    """
    hidden, records = origin.hidden, origin.records
    after = origin.released if hidden is None else hidden.published
    clock = records.clock
    first_day, last_day, last_window = _days(origin)
    return ReleaseFacts(
        option=public_option(origin.option),
        leftover=None if hidden is None else hidden.leftover,
        against=None if hidden is None else "original" if whole else "given",
        crs=records.crs,
        timezone=None if clock is None else clock.timezone,
        epoch=None if clock is None else str(clock.first_day),
        first_day=first_day,
        last_day=last_day,
        granularity_m=after.granularity_m,
        granularity_min=after.granularity_min,
        people=len(np.unique(origin.person)),
        groups=None if hidden is None else records.n_groups,
        rows=records.n_rows,
        samples_in=origin.original.n_samples,
        samples_left_out=origin.samples_left_out if left_out is None else left_out,
        people_left_out=origin.people_left_out,
        people_alone=0 if hidden is not None else int((sharing(origin.released) == 1).sum()),
        last_window_days=last_window,
        phantom_share=found.phantom_share if found.rows else None,
        accuracy=accuracy_of(origin),
        periods=None if origin.period is None else len(np.unique(origin.period)),
        pseudonyms=None if origin.period is None else records.n_records,
    )


def _days(origin: Origin) -> tuple[str | None, str | None, tuple[int, int] | None]:
    """Return the first and last recorded dates, and how many days of the last window are recorded.

    The third value has the numbers of recorded days and of all days in the last window. It is None
    where that window ends on the last recorded day. A week's window that begins three days before
    the records end says nothing about its last four days. A reader who took the window's end for
    the records' end would see a false decline. With moved times, the days are those of the
    published rows, as the recorded days would not match them.
    """
    records, fs = origin.records, origin.original
    if records.clock is None or not records.n_rows:
        return None, None, None
    cells = records.cells
    ends = cells.t_min + cells.dt_min
    end = float(ends.max())
    begin, last = float(cells.t_min.min()), end
    if not origin.option.moved:
        mine = np.zeros(fs.n_users, bool)
        mine[origin.person] = True
        firsts, lasts = [], []
        for users in stretches(fs.offsets, _STRETCH):  # there may be many samples
            rows = slice(int(fs.offsets[users.start]), int(fs.offsets[users.stop]))
            own = mine[fs.sample_user[rows]]
            firsts.append(fs.t_min[rows][own].min(initial=np.inf))
            lasts.append((fs.t_min[rows] + fs.dt_min[rows])[own].max(initial=-np.inf))
        begin = max(begin, float(min(firsts)))
        last = min(last, float(max(lasts)))
    window = float(cells.t_min[ends == end].max())
    moments = instants(
        records.clock, np.array([begin, last - _JUST_BEFORE_MIN, window, end - _JUST_BEFORE_MIN])
    )
    first_day, last_day, window_day, end_day = (moment.date() for moment in moments)
    beyond = (end_day - last_day).days
    days = (end_day - window_day).days + 1
    return str(first_day), str(last_day), (days - beyond, days) if beyond > 0 else None


def accuracy_of(origin: Origin) -> Accuracy | None:
    """Return how coarse the published data are; None where nothing is published."""
    hidden = origin.hidden
    if hidden is None:
        fs = origin.released
        of, side, span = "rows", (fs.dx_m + fs.dy_m) / 2, fs.dt_min
    else:
        of = "original samples" if origin.direct else "samples as the steps before GLOVE left them"
        side = hidden.accuracy["space_m"].dropna().to_numpy()
        span = hidden.accuracy["time_min"].dropna().to_numpy()
    if len(side) == 0:
        return None
    middle, length = float(np.median(side)), float(np.median(span))
    figures = (middle, float(side.mean()), length, float(span.mean()))
    return Accuracy(of, *map(four_digits, figures))


_DAY_MIN = 24 * 60


@dataclass(frozen=True)
class Size:
    """Size of the typical published sample, compared with the data.

    Attributes
    ----------
    side_m, span_min : float
        Medians of (width + height)/2, in metres, and of the time span, in minutes.
    data_side_m : float
        Side of the box that holds most of the data, metres; see :func:`typical_side_m`.
    granularity_m : float
        Side of a raw sample, metres.
    days, days_lost : float
        Number of days with samples in the data, and number of these days on which nothing is
        published.

    Examples
    --------
    >>> Size(6_000, 60, 10_000, 100).wide, Size(6_000, 1_441, 20_000, 100).long
    (True, True)
    >>> Size(5_000, 1_440, 10_000, 100).wide
    False
    """

    side_m: float
    span_min: float
    data_side_m: float
    granularity_m: float
    days: float = 0
    days_lost: float = 0

    @property
    def wide(self) -> bool:
        """Whether the typical area is wider than a raw sample and over half as wide as the data."""
        return self.side_m > max(self.data_side_m / 2, self.granularity_m)

    @property
    def long(self) -> bool:
        """Whether the typical time window is longer than a day."""
        return self.span_min > _DAY_MIN


def sizes(origin: Origin) -> dict[str, float]:
    """Return the fields of :class:`Size` for a release, by name; {} where nothing is published."""
    accuracy = accuracy_of(origin)
    if accuracy is None:
        return {}
    return {
        "side_m": accuracy.median_side_m,
        "span_min": accuracy.median_span_min,
        "data_side_m": typical_side_m(origin.original),
        "granularity_m": float(origin.original.granularity_m),
        "days": float(len(origin.original.days)),
        "days_lost": float(_days_lost(origin)),
    }


def _days_lost(origin: Origin) -> int:
    """Count the days on which the data have samples but nothing is published.

    A published time window counts for every day that it touches.
    """
    published = origin.released if origin.hidden is None else origin.hidden.published
    first = np.floor(published.t_min / _DAY_MIN).astype(np.int64)
    last = np.ceil((published.t_min + published.dt_min) / _DAY_MIN).astype(np.int64) - 1
    order, days = np.argsort(first), origin.original.days
    reach = np.concatenate([[-np.inf], np.maximum.accumulate(last[order])])
    # A day is lost if no window that begins on or before it reaches it.
    return int((reach[np.searchsorted(first[order], days, side="right")] < days).sum())


def size(result: OptionResult) -> Size | None:
    """Return the :class:`Size` of an option's release; None where it is not known."""
    return Size(**result.size) if result.size else None


def thin(result: OptionResult) -> bool:
    """Return whether over half of the samples were suppressed, or over half of the people left out.

    Where an option draws people at random, only the samples count, because all days of the people
    drawn are kept.
    """
    drawn = any(isinstance(step, SampleUsers) for step in result.option.steps)
    return result.suppressed_share > 0.5 or (result.users_share < 0.5 and not drawn)


def typical_side_m(fs: FingerprintSet) -> float:
    """Return (width + height)/2 of the box between the 2.5% and 97.5% quantiles of the samples.

    The result is in metres. The outermost samples are ignored, as one journey to the other end of
    the country would make any area look small.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 900, 0], [0, 0, 0], [0, 5, 9])
    >>> typical_side_m(fs)
    550.0
    """
    ends = (
        np.quantile(at + size, 0.975, method="higher") - np.quantile(at, 0.025, method="lower")
        for at, size in ((fs.x_m, fs.dx_m), (fs.y_m, fs.dy_m))
    )
    return float(sum(ends)) / 2

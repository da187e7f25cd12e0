"""What is told of a release to whoever receives it; see :class:`fpanon_core.model.facts`."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..measures.crowds import Presence, sharing
from ..model.arrays import stretches
from ..model.clock import instants
from ..model.facts import Accuracy, ReleaseFacts, four_digits, public_option
from ..model.released import Origin

_JUST_BEFORE_MIN = 1e-3  # a cell's last moment is no part of it
_STRETCH = 1_000_000  # samples


def facts_of(
    origin: Origin, found: Presence, left_out: int | None, *, whole: bool = True
) -> ReleaseFacts:
    """The facts of a release.

    Parameters
    ----------
    origin : Origin
    found : Presence
        What of it is true of the person it is told of.
    left_out : int or None
        How many samples of the original do not leave; None where they cannot be traced, and what
        the steps left out is told instead.
    whole : bool
        Whether a group of k is held against the original itself.
    """
    hidden, records = origin.hidden, origin.records
    after = origin.released if hidden is None else hidden.published
    clock = records.clock
    first_day, last_day, last_window = _days(origin)
    epoch = None if clock is None else pd.Timestamp(clock.epoch).tz_convert(clock.timezone).date()
    return ReleaseFacts(
        option=public_option(origin.option),
        leftover=None if hidden is None else hidden.leftover,
        against=None if hidden is None else "original" if whole else "given",
        crs=records.crs,
        timezone=None if clock is None else clock.timezone,
        epoch=None if epoch is None else str(epoch),
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
        people_alone=_alone(origin),
        last_window_days=last_window,
        phantom_share=found.phantom_share if found.rows else None,
        accuracy=accuracy_of(origin),
        periods=None if origin.period is None else len(np.unique(origin.period)),
        pseudonyms=None if origin.period is None else records.n_records,
    )


def _days(origin: Origin) -> tuple[str | None, str | None, tuple[int, int] | None]:
    """Local dates of the first and last day recorded; how far the last window goes beyond.

    A window of a week that began three days before the records end says nothing of the other four,
    and a reader who took its end for theirs would see a fall that is none. Of moved times the days
    of the records would not be those of the rows: theirs are told.
    """
    records, fs = origin.records, origin.original
    if records.clock is None or not records.n_rows:
        return None, None, None
    cells = records.cells
    ends = cells.t_min + cells.dt_min
    end = float(ends.max())
    begin, last = float(cells.t_min.min()), end
    if not origin.moved:
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
        records.clock,
        np.array([begin, last - _JUST_BEFORE_MIN, window, end - _JUST_BEFORE_MIN]),
    )
    first_day, last_day, window_day, end_day = (moment.date() for moment in moments)
    beyond = (end_day - last_day).days
    days = (end_day - window_day).days + 1
    return str(first_day), str(last_day), (days - beyond, days) if beyond > 0 else None


def _alone(origin: Origin) -> int:
    """Records that nobody else has; in groups nobody has such a one."""
    return 0 if origin.hidden is not None else int((sharing(origin.released) == 1).sum())


def accuracy_of(origin: Origin) -> Accuracy | None:
    """How coarse what is published is; None where nothing is."""
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

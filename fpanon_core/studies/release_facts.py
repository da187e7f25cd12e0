"""What is told of a release to whoever receives it; see :class:`fpanon_core.model.facts`."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..measures.presence import Presence
from ..model.clock import instants
from ..model.facts import Accuracy, ReleaseFacts
from ..model.released import Origin

_JUST_BEFORE_MIN = 1e-3  # a cell's last moment is no part of it


def facts_of(origin: Origin, found: Presence, left_out: int | None) -> ReleaseFacts:
    """The facts of a release.

    Parameters
    ----------
    origin : Origin
    found : Presence
        What of it is true of the person it is told of.
    left_out : int or None
        How many samples of the original do not leave; None where they cannot be traced, and what
        the steps left out is told instead.
    """
    hidden, records = origin.hidden, origin.records
    clock = records.clock
    first_day, last_day = _days(origin)
    epoch = None if clock is None else pd.Timestamp(clock.epoch).tz_convert(clock.timezone).date()
    return ReleaseFacts(
        option=origin.option,
        k=origin.k,
        suppress_space_m=None if hidden is None else hidden.suppress_space_m,
        suppress_time_min=None if hidden is None else hidden.suppress_time_min,
        leftover=None if hidden is None else hidden.leftover,
        crs=records.crs,
        timezone=None if clock is None else clock.timezone,
        epoch=None if epoch is None else str(epoch),
        first_day=first_day,
        last_day=last_day,
        granularity_m=origin.released.granularity_m,
        granularity_min=origin.released.granularity_min,
        people=records.n_records,
        groups=None if hidden is None else records.n_groups,
        rows=records.n_rows,
        samples_in=origin.original.n_samples,
        samples_left_out=origin.samples_left_out if left_out is None else left_out,
        people_left_out=origin.people_left_out,
        phantom_share=found.phantom_share if found.rows else None,
        accuracy=_accuracy(origin),
    )


def _days(origin: Origin) -> tuple[str | None, str | None]:
    """Local dates of the earliest and the latest moment published."""
    records = origin.records
    if records.clock is None or not records.n_rows:
        return None, None
    cells = records.cells
    last = float((cells.t_min + cells.dt_min).max()) - _JUST_BEFORE_MIN
    moments = instants(records.clock, np.array([float(cells.t_min.min()), last]))
    first_day, last_day = (str(moment.date()) for moment in moments)
    return first_day, last_day


def _accuracy(origin: Origin) -> Accuracy | None:
    hidden, fs = origin.hidden, origin.released
    if hidden is None:
        of, side, span = "rows", (fs.dx_m + fs.dy_m) / 2, fs.dt_min
    else:
        alone = origin.seen is origin.original
        of = "original samples" if alone else "samples as the steps before GLOVE left them"
        side = hidden.accuracy["space_m"].dropna().to_numpy()
        span = hidden.accuracy["time_min"].dropna().to_numpy()
    if len(side) == 0:
        return None
    middles = float(np.median(side)), float(np.median(span))
    return Accuracy(of, middles[0], float(side.mean()), middles[1], float(span.mean()))

"""The local days of a data set, by their dates."""

from __future__ import annotations

import datetime as dt

from fpanon_core.model.clock import zone_of
from fpanon_core.model.fingerprints import FingerprintSet


def days(fs: FingerprintSet) -> list[str]:
    """The dates of the local days of a data set, for axes and tables."""
    last = int(fs.wall_minutes(fs.t_min).max() // 1440)
    if fs.clock is None:
        return [f"day {d + 1}" for d in range(last + 1)]
    first = fs.clock.epoch.astimezone(dt.UTC) + dt.timedelta(
        minutes=float(fs.clock.wall_minutes([0.0])[0])
    )
    local = first.astimezone(zone_of(fs.clock.timezone))
    return [f"{local.date() + dt.timedelta(days=d):%-d %b}" for d in range(last + 1)]

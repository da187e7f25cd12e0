"""In which period is a moment? By the calendar, moment by moment."""

import datetime as dt
from zoneinfo import ZoneInfo


def period_of(t_min, days, epoch=None, timezone=None):
    """Number of the period of so many days, the first from midnight of the first day."""
    if epoch is None:
        return int(t_min // (days * 1440))
    zone = ZoneInfo(timezone)
    day = (epoch + dt.timedelta(minutes=t_min)).astimezone(zone).date()
    return (day - epoch.astimezone(zone).date()).days // days


def pieces(samples, days, epoch=None, timezone=None):
    """Of lists of samples (x, y, t, dx, dy, dt), one a person: the parts by (person, period)."""
    out = {}
    for person, own in enumerate(samples):
        for of in own:
            out.setdefault((person, period_of(of[2], days, epoch, timezone)), []).append(of)
    return out

"""What is said of a reading: its parameters checked, its remarks, its account.

The same for a table in memory and for parts that are not.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import pandas as pd

from ..model.checks import positive
from ..model.clock import LocalClock, zone_of
from ..model.configs import Screening
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..tables.names import ROLES
from ..tables.table import SourceTable
from ..tables.times import ParsedTimes
from . import report as why
from .fate import Fate
from .positions import Centre
from .report import IngestReport
from .search import Roles


def checked(
    timezone: Any, naive_timezone: Any, granularity_m: Any, granularity_min: Any, screen: Any
) -> Screening:
    """The screening rule; ConfigError if it, or another parameter, is none."""
    for name, value in (("granularity_m", granularity_m), ("granularity_min", granularity_min)):
        positive(name, value)
    for zone in (timezone, naive_timezone):
        if zone is not None and zone != "offset":
            if not isinstance(zone, str):
                raise ConfigError("A time zone is an IANA name such as 'Africa/Dakar' or 'UTC'.")
            zone_of(zone)
    if timezone == "offset":
        raise ConfigError("timezone = 'offset'; only naive_timezone can be that.")
    return Screening.of(screen)


def remarks_on(
    roles: Roles,
    sites: pd.DataFrame | None,
    parsed: ParsedTimes,
    centre: Centre,
    fate: Fate,
) -> list[str]:
    """Sentences worth knowing that no single step could say."""
    notes = []
    if roles.one_user:
        notes.append("The whole file is read as one user's.")
    if sites is not None and "lat" in roles.where and "lon" in roles.where:
        notes.append(
            "The events have degrees of their own; the antenna table serves for antenna clusters "
            "and regions only."
        )
    if any("date only" in name for name in parsed.formats):
        notes.append("Some times are dates without a time of day; they are read as midnight.")
    if centre.reach_deg > 20:
        notes.append(
            f"The data reach over {centre.reach_deg:.0f}° of longitude; local hours are those of "
            "one time zone everywhere, and distances far from the centre are distorted."
        )
    impossible = fate.counts().get(why.IMPOSSIBLE_COORDINATES, 0)
    if impossible * 2 > fate.n_rows:
        notes.append("Most positions are impossible; are they in metres on a map?")
    return notes


def account(
    table: SourceTable,
    roles: Roles,
    fate: Fate,
    rejects: pd.DataFrame,
    fs: FingerprintSet,
    parsed: ParsedTimes,
    notes: tuple[str, ...],
    span: tuple[float, float] | None = None,
) -> IngestReport:
    """The account of a reading, but for what only its caller knows; ``span``: of the samples."""
    assert fs.clock is not None
    assert fs.crs is not None
    first, last = span or (float(fs.t_min.min()), float(fs.t_min.max()))
    days = fs.wall_minutes([first, last]) // 1440
    return IngestReport(
        rows_read=fate.n_read,
        rows_used=fate.n_used,
        set_aside=fate.counts(),
        rejects=rejects,
        n_users=fs.n_users,
        n_samples=fs.n_samples,
        first=_local_minute(fs.clock, first),
        last=_local_minute(fs.clock, last),
        span_days=int(days[1] - days[0]) + 1,
        samples_per_user=fs.lengths,
        columns={
            role: " + ".join(str(table.labels[i]) for i in roles.where[role])
            for role in ROLES
            if role in roles.where
        },
        found={role: roles.found[role] for role in ROLES if role in roles.where},
        available=table.labels,
        kind=table.kind,
        packed=table.packed,
        delimiter=table.delimiter,
        encoding=table.encoding,
        header=table.header,
        time_format=", ".join(name for name, _ in parsed.formats.most_common(5)),
        timezone=fs.clock.timezone,
        timezone_guessed=False,
        naive_timezone=None,
        granularity_m=fs.granularity_m,
        granularity_min=fs.granularity_min,
        crs=fs.crs,
        notes=tuple(dict.fromkeys(notes)),
    )


def _local_minute(clock: LocalClock, t_min: float) -> str:
    instant = clock.epoch + dt.timedelta(minutes=t_min)
    return (
        instant.astimezone(zone_of(clock.timezone))
        .replace(tzinfo=None)
        .isoformat(timespec="minutes")
    )

"""From a file of events to fingerprints: the one door through which data come in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..model.clock import LocalClock
from ..model.errors import ConfigError, SchemaError, only_ours
from ..model.fingerprints import FingerprintSet
from ..model.projection import project
from ..tables.sources import read_source
from ..tables.table import SourceTable
from ..tables.times import parse_times
from . import report as why
from .account import account, checked, remarks_on
from .antennas import antennas_of, nearer_sites, read_antennas, turned_sites
from .doubts import ASK, DoubtfulPositions, as_chosen, doubt_in
from .events import positions_of, repeated_rows, users_of
from .fate import Fate
from .instants import datetime_of, instants_of, microseconds_of, time_outliers
from .offsets import zone_of_clocks
from .positions import centre_of, guess_timezone, stated_centre
from .preview import first_rows, with_users_and_fates
from .report import IngestReport
from .roles import find_roles, time_column
from .screening import screened_users
from .search import Roles
from .turns import AS_THEY_ARE, turn_of


@only_ours("table of events")
def read_cdr(
    source: Any,
    *,
    columns: Mapping[str, Any] | None = None,
    antennas: Any = None,
    timezone: str | None = None,
    granularity_m: float = 100.0,
    granularity_min: float = 1.0,
    screen: Any = None,
    naive_timezone: str | None = None,
    positions: str | None = None,
    centre: tuple[float, float] | None = None,
    progress: Callable[[float], object] | None = None,
) -> tuple[FingerprintSet, IngestReport]:
    """Read events (user, time, place) and make everyone's fingerprint.

    Parameters
    ----------
    source : path, file object or DataFrame
        Delimited text (comma, semicolon, tab, bar, space; UTF-8, Latin-1 or UTF-16; with or without
        header), plain, gz or a zip of one file; Parquet; XLSX; JSON that is a table (an array of
        records, one record a line, GeoJSON points). The kind is told from the content. A DataFrame
        is not modified.
    columns : mapping, optional
        Role (user, time, lat, lon, antenna, offset) -> column name or position from 0; what is left
        out is found out and reported. A tuple joins columns: ``{"time": ("date", "clock")}``. None
        says there is none: ``{"user": None}`` reads the whole file as one user's, ``{"lat": None,
        "lon": None}`` takes positions from the antennas instead.
    antennas : path, file object or DataFrame, optional
        Antenna, lat, lon: see :func:`read_antennas`. Places events that have no degrees, and is
        kept with the fingerprints for antenna clusters and regions.
    timezone : str, optional
        IANA name of the display time zone; guessed from the middle of the data when None.
    granularity_m, granularity_min : float
        Extent of a sample, metres and minutes.
    screen : optional
        Which users are kept: ``"civ"``, ``"sen"``, a least number of samples, or a Screening.
        Epoch, projection and pseudonyms do not depend on it.
    naive_timezone : str, optional
        Zone of clock times that carry no offset: an IANA name, or ``"offset"`` when they are local
        times of the offset column. By default the display time zone; or, where there is an offset
        column, UTC, as in Foursquare's files ("UTC time", and the minutes to add for local time),
        unless the time column is called local. Times with an offset, and epochs, are instants
        already: the offset column is then reported and not used.
    positions : str, optional
        How the two numbers of a position are read: ``"as-they-are"``, ``"exchanged"`` (the latitude
        is in the column of longitudes), ``"lon-turned"`` and ``"lat-turned"`` (all longitudes are
        west, all latitudes south, though written without sign), ``"both-turned"``, and
        ``"exchanged-lon-turned"`` and so on. None reads them as they are, too, and looks whether
        that makes sense: ``report.doubts`` then says what does not, and what would. ``"ask"``
        raises a doubt instead of reading on.
    centre : (float, float), optional
        Latitude and longitude of the projection's centre, degrees (WGS 84; six digits count). The
        middle of the data when None, by which every record has a say in where all are snapped: for
        differentially private counts it must be stated, and not be taken from the records.
    progress : callable, optional
        Told the share done, in [0, 1]; may raise :class:`fpanon_core.Cancelled`.

    Returns
    -------
    (FingerprintSet, IngestReport)
        ``report.rows_read == report.rows_used + sum(report.set_aside.values())``.

    Raises
    ------
    SchemaError
        The source cannot be read as events, or none of its rows can be used. A
        :class:`~fpanon_core.io.doubts.DoubtfulPositions` where that is because latitude and
        longitude seem to be exchanged, or where ``positions="ask"`` and there is a doubt.
    ConfigError
        A parameter is wrong; ``centre`` is not a latitude and a longitude.

    Examples
    --------
    >>> times = ["2024-03-04T08:00Z", "2024-03-04T09:10Z"]
    >>> events = pd.DataFrame({"user": ["a", "b"], "time": times,
    ...                        "lat": [14.71, 14.69], "lon": [-17.45, -17.44]})
    >>> fs, report = read_cdr(events)
    >>> fs.n_users, report.rows_used, report.timezone, report.timezone_guessed
    (2, 2, 'Africa/Dakar', True)
    """
    rule = checked(timezone, naive_timezone, granularity_m, granularity_min, screen)
    turn = turn_of(None if positions == ASK else positions)
    stated = stated_centre(centre)
    tell = progress or (lambda _: None)
    tell(0.0)
    sites = None if antennas is None else read_antennas(antennas)
    table, roles = _first_readable(read_source(source), columns, sites)
    placed = "lat" in roles.where and "lon" in roles.where
    if sites is not None and not placed:
        sites = turned_sites(sites, turn)
    notes = [*table.notes, *roles.notes]
    tell(0.25)
    with ThreadPoolExecutor() as pool:  # three columns at a time: this is work outside Python
        who = pool.submit(users_of, table, roles)
        when = pool.submit(parse_times, time_column(table, roles.where["time"]))
        where = pool.submit(positions_of, table, roles, sites, turn)
    codes, user_ids, no_user = who.result()
    parsed = when.result()
    lat, lon, faults, remarks = where.result()
    notes += as_chosen(roles, turn) if positions not in (None, ASK) else []
    notes += [*parsed.notes, *remarks]
    fate = Fate(table)
    fate.set_aside(why.NO_USER, no_user)
    fate.set_aside(why.UNPARSEABLE_TIME, ~parsed.ok)
    for reason, at_fault in faults.items():
        fate.set_aside(reason, at_fault)
    doubt = None
    if positions in (None, ASK):
        doubt = doubt_in(table, roles, fate, parsed, (lat, lon))
        if doubt is not None and (positions == ASK or not fate.n_used):
            raise DoubtfulPositions(doubt)
    fate.check_some_left()
    fate.set_aside_used(why.TIME_OUTLIER, time_outliers(fate.pick(parsed.us)))
    fate.check_some_left()
    tell(0.45)
    middle = centre_of(fate.pick(lat), fate.pick(lon))
    projection = stated or middle
    if sites is not None and placed:
        sites = nearer_sites(sites, turn, projection, notes)
    zone = timezone or guess_timezone(fate.pick(lat), fate.pick(lon), middle)
    if timezone is None:
        notes.append(f"The time zone {zone} is guessed from the middle of the data.")
    naive_zone, reader = zone_of_clocks(
        table, roles, parsed, fate.used, naive_timezone, zone, notes
    )
    us = instants_of(parsed, fate.used, reader, notes)
    tell(0.55)
    identical = np.flatnonzero(fate.used)[repeated_rows(table, fate, codes, us, lat, lon)]
    head = first_rows(table, roles, parsed, us, (lat, lon), zone)
    tell(0.65)
    x_m, y_m = project(fate.pick(lat), fate.pick(lon), projection.crs)
    if (lost := np.isnan(x_m)).any():
        fate.set_aside_used(why.IMPOSSIBLE_COORDINATES, lost)
        x_m, y_m = x_m[~lost], y_m[~lost]
    used_us = fate.pick(us)
    clock = LocalClock.starting_on(datetime_of(int(used_us.min())), zone)
    t_min = used_us.astype(np.float64)  # exact below 2**53 µs, that is until the year 2255
    t_min -= microseconds_of(clock.epoch)
    t_min /= 60_000_000
    if fate.n_used < len(codes):  # else they are numbered by first appearance already
        codes, seen = pd.factorize(codes[fate.used])
        user_ids = user_ids[seen]
    rows = np.flatnonzero(fate.used)
    rejects = None
    if not rule.active:  # then the source is read out, and the fingerprints can have its room
        rejects = fate.rejects(table, roles)
        table = replace(table, columns=())
    del lat, lon, us, used_us, faults, who, when, where
    tell(0.8)
    fs = FingerprintSet.from_codes(
        codes,
        user_ids,
        x_m,
        y_m,
        t_min,
        granularity_m=granularity_m,
        granularity_min=granularity_min,
        clock=clock,
        crs=projection.crs,
    )
    if sites is not None:
        fs = replace(fs, antennas=antennas_of(sites, projection, granularity_m))
    tell(0.95)
    everyone, pseudonyms = fs.n_users, fs.pseudonyms
    if rule.active:
        keep = screened_users(fs, rule)
        if not keep.any():
            raise SchemaError(
                f"The screening rule leaves none of the {fs.n_users:,} users; choose a weaker rule."
            )
        if not keep.all():
            fate.set_aside_used(why.SCREENED_OUT, ~keep[codes])
            fs = fs.subset(keep)
        rejects = fate.rejects(table, roles)
    assert rejects is not None
    notes += remarks_on(roles, sites, parsed, middle, fate)
    result = account(table, roles, fate, rejects, fs, parsed, tuple(notes))
    tell(1.0)
    return fs, replace(
        result,
        timezone=zone,
        timezone_guessed=timezone is None,
        naive_timezone=naive_zone,
        screening=rule,
        users_screened_out=everyone - fs.n_users,
        rows_identical=len(identical) - int(np.count_nonzero(~fate.used[identical])),
        positions=AS_THEY_ARE if positions in (None, ASK) else positions,
        centre_stated=stated is not None,
        doubts=() if doubt is None else (doubt,),
        first_rows=with_users_and_fates(head, codes, rows, pseudonyms, fate),
    )


# --- table ----------------------------------------------------------------------


def _first_readable(
    tables: list[SourceTable], columns: Mapping[str, Any] | None, sites: pd.DataFrame | None
) -> tuple[SourceTable, Roles]:
    """The first table whose roles can be found; the first one's fault if there is none."""
    ids = frozenset() if sites is None else frozenset(sites["antenna"])
    faults: list[SchemaError | ConfigError] = []
    for table in tables:
        try:
            return table, find_roles(table, columns, ids)
        except (SchemaError, ConfigError) as fault:
            faults.append(fault)
    raise faults[0]

"""From a file of events to fingerprints: the one door through which data come in."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from ..model.clock import LocalClock, zone_of
from ..model.configs import Screening
from ..model.errors import ConfigError, SchemaError
from ..model.fingerprints import FingerprintSet
from . import report as why
from .antennas import locate, read_antennas
from .columns import missing_in, numbers_of, text_of
from .instants import datetime_of, instants_of, microseconds_of, time_outliers
from .names import ROLES, names_a_person, normal
from .positions import Centre, centre_of, guess_timezone, position_faults, project
from .report import REASONS, IngestReport
from .roles import Roles, find_roles, joined_text, time_column
from .screening import screened_users
from .sources import read_source
from .tables import SourceTable
from .times import ParsedTimes, parse_times

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
_PIECE = 65_536  # rows whose temporary arrays fit a processor's cache


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
    progress: Callable[[float], object] | None = None,
) -> tuple[FingerprintSet, IngestReport]:
    """Read events (user, time, place) and make everyone's fingerprint.

    Parameters
    ----------
    source : path, file object or DataFrame
        Delimited text (comma, semicolon, tab, bar, space; UTF-8, Latin-1 or UTF-16; with or without
        header), plain, gz or a zip of one file; Parquet; XLSX. The kind is told from the content. A
        DataFrame is not modified.
    columns : mapping, optional
        Role (user, time, lat, lon, antenna, offset) -> column name or position from 0; what is left
        out is found out and reported. A tuple joins columns: ``{"time": ("date", "clock")}``. None
        says there is none: ``{"user": None}`` reads the whole file as one user's, ``{"lat": None,
        "lon": None}`` takes positions from the antennas instead.
    antennas : path, file object or DataFrame, optional
        Antenna, lat, lon: see :func:`read_antennas`. Used where events have no degrees.
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
    progress : callable, optional
        Told the share done, in [0, 1]; may raise :class:`fpanon_core.Cancelled`.

    Returns
    -------
    (FingerprintSet, IngestReport)
        ``report.rows_read == report.rows_used + sum(report.set_aside.values())``.

    Raises
    ------
    SchemaError
        The source cannot be read as events, or none of its rows can be used.
    ConfigError
        A parameter is wrong.

    Examples
    --------
    >>> times = ["2024-03-04T08:00Z", "2024-03-04T09:10Z"]
    >>> events = pd.DataFrame({"user": ["a", "b"], "time": times,
    ...                        "lat": [14.71, 14.69], "lon": [-17.45, -17.44]})
    >>> fs, report = read_cdr(events)
    >>> fs.n_users, report.rows_used, report.timezone, report.timezone_guessed
    (2, 2, 'Africa/Dakar', True)
    """
    rule = _check(timezone, naive_timezone, granularity_m, granularity_min, screen)
    tell = progress or (lambda _: None)
    tell(0.0)
    tables = read_source(source)
    sites = None if antennas is None else read_antennas(antennas)
    ids = () if sites is None else frozenset(sites["antenna"])
    table, roles = _first_readable(tables, columns, ids)
    notes = [*table.notes, *roles.notes]
    tell(0.25)
    fate = _Fate(table)
    codes, user_ids = _users(table, roles, fate)
    parsed = parse_times(time_column(table, roles.where["time"]))
    notes += parsed.notes
    fate.add(why.UNPARSEABLE_TIME, ~parsed.ok)
    tell(0.45)
    lat, lon = _positions(table, roles, sites, fate, notes)
    fate.add_where(why.TIME_OUTLIER, lambda rows: time_outliers(parsed.us[rows]))
    fate.check_some_left()
    rows = fate.used
    centre = centre_of(lat[rows], lon[rows])
    zone = timezone or guess_timezone(lat[rows], lon[rows], centre)
    if timezone is None:
        notes.append(f"The time zone {zone} is guessed from the middle of the data.")
    naive_zone, reader = _naive_zone(table, roles, parsed, rows, naive_timezone, zone, notes)
    us = instants_of(parsed, fate.code < 0, reader, notes)
    tell(0.55)
    fate.add_where(why.DUPLICATE, lambda rows: _repeated(table, rows, codes, us, lat, lon))
    rows = fate.used
    tell(0.7)
    x_m, y_m = project(_pick(lat, rows), _pick(lon, rows), centre)
    lost = np.isnan(x_m)
    if lost.any():
        fate.add_where(why.IMPOSSIBLE_COORDINATES, lambda _: lost)
        rows, x_m, y_m = fate.used, x_m[~lost], y_m[~lost]
    tell(0.8)
    used_us = _pick(us, rows)
    clock = LocalClock.starting_on(datetime_of(int(used_us.min())), zone)
    t_min = (used_us - microseconds_of(clock.epoch)) / 60_000_000
    if len(rows) == len(codes):  # numbered by first appearance already
        used_codes, seen = codes, np.arange(len(user_ids))
    else:
        used_codes, seen = pd.factorize(codes[rows])
    fs = FingerprintSet.from_codes(
        used_codes,
        user_ids[seen],
        x_m,
        y_m,
        t_min,
        granularity_m=granularity_m,
        granularity_min=granularity_min,
        clock=clock,
        crs=centre.crs,
    )
    tell(0.95)
    screened = 0
    if rule.active:
        keep = screened_users(fs, rule)
        screened = int((~keep).sum())
        if not keep.any():
            raise SchemaError(
                f"The screening rule leaves none of the {fs.n_users:,} users; choose a weaker rule."
            )
        if screened:
            fate.add_where(why.SCREENED_OUT, lambda _: ~keep[used_codes])
            fs = fs.subset(keep)
    remarks = _remarks(roles, sites, parsed, centre, fate)
    result = _report(table, roles, fate, fs, parsed, (*notes, *remarks))
    tell(1.0)
    return fs, replace(
        result,
        timezone=zone,
        timezone_guessed=timezone is None,
        naive_timezone=naive_zone,
        screening=rule,
        users_screened_out=screened,
    )


def source_columns(source: Any) -> tuple[Any, ...]:
    """The columns a source has, to choose from for ``columns``; positions where it has no names.

    Raises
    ------
    SchemaError
        The source cannot be read as a table.
    """
    return read_source(source)[0].labels


# --- parameters and table ----------------------------------------------------------------------


def _check(
    timezone: Any, naive_timezone: Any, granularity_m: Any, granularity_min: Any, screen: Any
) -> Screening:
    for name, value in (("granularity_m", granularity_m), ("granularity_min", granularity_min)):
        number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if not (number and math.isfinite(value) and value > 0):
            raise ConfigError(f"{name} = {value!r}; it must be a positive number.")
    for zone in (timezone, naive_timezone):
        if zone is not None and zone != "offset":
            if not isinstance(zone, str):
                raise ConfigError("A time zone is an IANA name such as 'Africa/Dakar' or 'UTC'.")
            zone_of(zone)
    if timezone == "offset":
        raise ConfigError("timezone = 'offset'; only naive_timezone can be that.")
    return Screening.of(screen)


def _first_readable(
    tables: list[SourceTable], columns: Mapping[str, Any] | None, ids: frozenset[str] | tuple[()]
) -> tuple[SourceTable, Roles]:
    """The first table whose roles can be found; the first one's fault if there is none."""
    faults: list[SchemaError | ConfigError] = []
    for table in tables:
        try:
            return table, find_roles(table, columns, ids)
        except (SchemaError, ConfigError) as fault:
            faults.append(fault)
    raise faults[0]


# --- rows --------------------------------------------------------------------------------------


class _Fate:
    """What becomes of each row: the first reason that holds, or use."""

    def __init__(self, table: SourceTable) -> None:
        self.table = table
        self.reasons = list(REASONS)
        self.code = np.full(table.n_rows, -1, np.int8)  # index in reasons, −1 = used
        self._used: IntArray | None = None

    def add(self, reason: str, rows: BoolArray) -> None:
        """Set aside the rows of a mask, unless they already are."""
        if rows.any():
            self.code[rows & (self.code < 0)] = self.reasons.index(reason)
            self._used = None

    def add_where(self, reason: str, test: Callable[[IntArray], BoolArray]) -> None:
        """Set aside those of the rows in use for which the test holds."""
        rows = self.used
        if len(rows) and (hit := test(rows)).any():
            self.code[rows[hit]] = self.reasons.index(reason)
            self._used = None

    @property
    def used(self) -> IntArray:
        """Row numbers still in use."""
        if self._used is None:
            self._used = np.flatnonzero(self.code < 0)
        return self._used

    def counts(self) -> dict[str, int]:
        """Rows set aside by reason."""
        numbers = np.bincount(self.code[self.code >= 0], minlength=len(self.reasons))
        numbers[self.reasons.index(why.MALFORMED)] += len(self.table.malformed)
        return {r: int(n) for r, n in zip(self.reasons, numbers, strict=True) if n}

    def check_some_left(self) -> None:
        """Refuse a table of which no row is left."""
        if len(self.used):
            return
        counts = self.counts()
        found = ", ".join(f"{n:,} {reason} ({REASONS[reason]})" for reason, n in counts.items())
        worst = max(counts, key=lambda reason: counts[reason])
        way_out = {
            why.UNPARSEABLE_TIME: "Write times as 2012-04-03T18:00:09Z or as epoch seconds, or say "
            "which column holds them: columns={'time': …}.",
            why.NO_USER: "Say which column is the user: columns={'user': …}.",
            why.TIME_OUTLIER: "Times must lie between 1900 and 2200.",
            why.MALFORMED: "Check the separator.",
            why.UNKNOWN_ANTENNA: "Give the antenna table that belongs to these events.",
            why.IMPOSSIBLE_COORDINATES: "Positions must be degrees, not metres; latitude and "
            "longitude may be exchanged: columns={'lat': …, 'lon': …}.",
        }.get(worst, "Say which columns hold the data: columns={'lat': …, 'lon': …}.")
        total = self.table.n_rows + len(self.table.malformed)
        raise SchemaError(f"None of the {total:,} rows can be used: {found}. {way_out}")


def _pick(values: npt.NDArray[Any], rows: IntArray) -> npt.NDArray[Any]:
    """``values[rows]``, without a copy when that is all of them in order."""
    return values if len(rows) == len(values) else values[rows]


def _users(table: SourceTable, roles: Roles, fate: _Fate) -> tuple[IntArray, npt.NDArray[Any]]:
    """Number of the user of each row, and the ids by number, as text."""
    if roles.one_user:
        return np.zeros(table.n_rows, np.int64), np.array(["1"], dtype=object)
    column = table.columns[roles.where["user"][0]]
    codes, ids = _coded(column)
    fate.add(why.NO_USER, missing_in(ids)[codes])
    if table.kind == "DataFrame" and pa.types.is_integer(column.type) and not column.null_count:
        return codes, np.array([int(i) for i in ids.to_pylist()])
    return codes, np.array(ids.to_pylist(), dtype=object)


def _coded(column: pa.ChunkedArray) -> tuple[IntArray, pa.ChunkedArray]:
    """Trimmed texts as numbers of distinct values in order of first appearance, and the values."""
    if not pa.types.is_string(column.type):
        column = text_of(column)
    encoded = column.dictionary_encode(null_encoding="encode")
    codes = np.empty(len(column), np.int64)
    at = 0
    for chunk in encoded.chunks:
        codes[at : at + len(chunk)] = chunk.indices.to_numpy(zero_copy_only=False)
        at += len(chunk)
    written = pa.chunked_array([encoded.chunk(encoded.num_chunks - 1).dictionary])
    trimmed = text_of(written)
    same = trimmed.dictionary_encode()
    values = pa.chunked_array([same.chunk(0).dictionary])
    if len(values) < len(written):  # some differed in blanks only
        codes = same.chunk(0).indices.to_numpy(zero_copy_only=False).astype(np.int64)[codes]
    return codes, values


def _positions(
    table: SourceTable, roles: Roles, sites: pd.DataFrame | None, fate: _Fate, notes: list[str]
) -> tuple[FloatArray, FloatArray]:
    """Degrees of each row, from its own columns or from its antenna."""
    if "lat" in roles.where and "lon" in roles.where:
        lat = numbers_of(table.columns[roles.where["lat"][0]])
        lon = numbers_of(table.columns[roles.where["lon"][0]])
        for reason, rows in position_faults(lat, lon).items():
            fate.add(reason, rows)
        return lat, lon
    if sites is None:
        raise SchemaError(
            "The events name antennas, but there are no positions. Give the antennas' positions as "
            "antennas= (a table of antenna, latitude, longitude)."
        )
    where = roles.where["antenna"]
    one = table.columns[where[0]] if len(where) == 1 else joined_text(table, where, "-")
    codes, ids = _coded(one)
    fate.add(why.MISSING_COORDINATES, missing_in(ids)[codes])
    lat_of, lon_of, remarks = locate(ids.to_pylist(), sites)
    fate.add(why.UNKNOWN_ANTENNA, np.isnan(lat_of)[codes])
    notes += [*sites.attrs.get("notes", ()), *remarks]
    return lat_of[codes], lon_of[codes]


def _naive_zone(
    table: SourceTable,
    roles: Roles,
    parsed: ParsedTimes,
    rows: IntArray,
    asked: str | None,
    display: str,
    notes: list[str],
) -> tuple[str | None, str | Callable[[BoolArray], FloatArray]]:
    """Name of the zone of clock times without offset, and how to read them."""
    where = roles.where.get("offset")
    if asked == "offset" and where is None:
        raise ConfigError(
            "naive_timezone = 'offset', but no column holds offsets; give columns={'offset': …}."
        )
    if parsed.aware[rows].all():
        if where is not None:
            notes.append("Times carry their own offset; the offset column is not needed.")
        return None, display
    if asked is not None and asked != "offset":
        return asked, asked
    if where is not None and roles.found["offset"] != "by content":
        labels = [normal(table.labels[i]) for i in roles.where["time"]]
        if asked is None and not any("local" in label for label in labels):
            notes.append(
                "Times carry no offset but there is an offset column; they are read as UTC. If "
                "they are local times, give naive_timezone='offset'."
            )
            return "UTC", "UTC"
        notes.append("Times carry no offset; they are read as local times of the offset column.")
        minutes = numbers_of(table.columns[where[0]])
        if np.nanmax(np.abs(minutes), initial=0) <= 14:  # no zone is 14 minutes from UTC
            minutes = minutes * 60
            notes.append("The offset column is read as hours.")
        if (unknown := np.isnan(minutes[rows]).sum()) and parsed.ok.any():
            notes.append(f"{int(unknown):,} rows have no offset; they are read as UTC.")
        return "offset", lambda mask: np.nan_to_num(minutes[mask])
    notes.append(f"Times carry no offset; they are read as clock times of {display}.")
    return display, display


def _repeated(
    table: SourceTable,
    rows: IntArray,
    codes: IntArray,
    us: IntArray,
    lat: FloatArray,
    lon: FloatArray,
) -> BoolArray:
    """Which rows equal an earlier one in every field, as written.

    Only rows that share a 64-bit mixture of user, time and place are compared field by field.
    """
    key = np.empty(len(rows), np.uint64)
    for start in range(0, len(rows), _PIECE):
        part = rows[start : start + _PIECE]
        mixed = codes[part].astype(np.uint64)
        for value in (us, lat, lon):
            mixed *= np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
            mixed += value[part].view(np.uint64)
        key[start : start + _PIECE] = mixed
    ordered = np.sort(key)
    twins = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    del ordered
    out = np.zeros(len(rows), bool)
    if not len(twins):
        return out
    at = np.minimum(np.searchsorted(twins, key), len(twins) - 1)
    suspects = np.flatnonzero(twins[at] == key)
    frame = _text_frame(table, range(len(table.columns)), rows[suspects])
    out[suspects] = frame.duplicated(keep="first").to_numpy()
    return out


def _text_frame(table: SourceTable, columns: Any, rows: IntArray) -> pd.DataFrame:
    """Some rows of some columns as text, columns named by position."""
    index = pa.array(rows)
    frame = {i: _raw_text(table.columns[i].take(index)).to_pandas() for i in columns}
    return pd.DataFrame(frame, index=range(len(rows)))


def _raw_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text as written where the source is text, else as by :func:`text_of`."""
    return column if pa.types.is_string(column.type) else text_of(column)


# --- report ------------------------------------------------------------------------------------


def _remarks(
    roles: Roles,
    sites: pd.DataFrame | None,
    parsed: ParsedTimes,
    centre: Centre,
    fate: _Fate,
) -> list[str]:
    """Sentences worth knowing that no single step could say."""
    notes = []
    if roles.one_user:
        notes.append("The whole file is read as one user's.")
    if sites is not None and "lat" in roles.where and "lon" in roles.where:
        notes.append("The events have degrees of their own; the antenna table is not needed.")
    if any("date only" in name for name in parsed.formats):
        notes.append("Some times are dates without a time of day; they are read as midnight.")
    if centre.reach_deg > 20:
        notes.append(
            f"The data reach over {centre.reach_deg:.0f}° of longitude; local hours are those of "
            "one time zone everywhere, and distances far from the centre are distorted."
        )
    impossible = fate.counts().get(why.IMPOSSIBLE_COORDINATES, 0)
    if impossible * 2 > fate.table.n_rows:
        notes.append(
            "Most positions are impossible; are latitude and longitude exchanged, or in metres?"
        )
    return notes


def _report(
    table: SourceTable,
    roles: Roles,
    fate: _Fate,
    fs: FingerprintSet,
    parsed: ParsedTimes,
    notes: tuple[str, ...],
) -> IngestReport:
    assert fs.clock is not None
    assert fs.crs is not None
    first, last = float(fs.t_min.min()), float(fs.t_min.max())
    days = fs.wall_minutes([first, last]) // 1440
    return IngestReport(
        rows_read=table.n_rows + len(table.malformed),
        rows_used=len(fate.used),
        set_aside=fate.counts(),
        rejects=_rejects(table, roles, fate),
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


def _rejects(table: SourceTable, roles: Roles, fate: _Fate) -> pd.DataFrame:
    """The rows set aside, without whatever may name a person."""
    rows = np.flatnonzero(fate.code >= 0)
    people = set(roles.where.get("user", ()))
    people |= {i for i, label in enumerate(table.labels) if names_a_person(label)}
    columns = [i for i in range(len(table.labels)) if i not in people or i in _needed(roles)]
    frame = _text_frame(table, columns, rows)
    labels = [str(table.labels[i]) for i in columns]
    frame.columns = pd.Index(
        [f"{label} (as read)" if label in ("row", "reason") else label for label in labels]
    )
    reasons = np.array(fate.reasons, dtype=object)
    frame.insert(0, "reason", reasons[fate.code[rows]], allow_duplicates=True)
    frame.insert(0, "row", table.row_numbers(rows), allow_duplicates=True)
    if len(table.malformed):
        lines = pd.DataFrame({"row": table.malformed_numbers(), "reason": why.MALFORMED})
        frame = frame.loc[:, ~frame.columns.duplicated()]
        frame = pd.concat([frame, lines]).sort_values("row", kind="stable").fillna("")
    return frame.reset_index(drop=True)


def _needed(roles: Roles) -> set[int]:
    """Columns of time and place: what a reject is judged by."""
    return {i for role, where in roles.where.items() if role != "user" for i in where}

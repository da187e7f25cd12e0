"""Assignment of roles to columns: user, time and place.

Roles are given by the caller, or found from the columns' names if the content agrees, or else from
content alone. Each decision and its basis are reported. A guess that might be silently wrong
(a track number taken for a person) is refused instead.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..model.checks import is_whole
from ..model.errors import ConfigError, SchemaError
from ..tables.names import ROLES, WORDS, normal, rank
from ..tables.table import SourceTable, text_of
from . import hints
from .hints import AS_ANTENNAS, WHOLE_FILE, Message, Way
from .search import Roles, Search, cell_parts, is_opencellid


def find_roles(
    table: SourceTable,
    columns: Mapping[str, Any] | None = None,
    antenna_ids: Collection[str] | None = None,
) -> Roles:
    """Find the roles of the columns of a table of events.

    Parameters
    ----------
    table : SourceTable
    columns : mapping, optional
        Role -> column name, position from 0, tuple of columns to be joined, or None for "there is
        none" (``{"user": None}``: the whole table is one user's). Omitted roles are detected.
    antenna_ids : collection of str, optional
        Ids of the antenna table, if there is one.

    Raises
    ------
    ConfigError
        ``columns`` is not a mapping, or names an unknown role or a column that does not exist. It
        is also raised if a column has two roles, a role has too many columns, or ``time`` has none.
    SchemaError
        A required role has no column, or the table looks like an antenna table. The message says
        what is missing and how to state it.
    """
    roles = Roles()
    given = _check_given(table, columns or {})
    for role, where in given.items():
        if where is not None:
            roles.put(role, where, "given")
    roles.one_user = "user" in given and given["user"] is None
    if not {"user", "time"} & set(given) and is_opencellid(table):
        raise SchemaError(_ANTENNAS)
    search = Search(table, roles, given, antenna_ids or ())
    search.run()
    if missing := search.missing():
        raise SchemaError(_sentence(table, search, missing))
    return roles


def joined_text(table: SourceTable, where: tuple[int, ...], separator: str) -> pa.ChunkedArray:
    """Join several columns into one text column.

    With a space as separator, timestamps without a zone are written as dates.
    """
    text = _date_part if separator == " " else text_of
    parts = [text(table.columns[i]) for i in where]
    if len(parts) == 1:
        return parts[0]
    whole = [part.cast(pa.large_string()).combine_chunks() for part in parts]
    mark = pa.scalar(separator, pa.large_string())
    return pa.chunked_array([pc.binary_join_element_wise(*whole, mark)])


def time_column(table: SourceTable, where: tuple[int, ...]) -> pa.ChunkedArray:
    """Return the column of times: typed if it is one column, joined text if there are several."""
    return table.columns[where[0]] if len(where) == 1 else joined_text(table, where, " ")


def _date_part(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column as text; timestamps without a zone (dates of a spreadsheet) become dates."""
    if pa.types.is_timestamp(column.type) and column.type.tz is None:
        return text_of(column.cast(pa.date32(), safe=False))
    return text_of(column)


# --- what the caller said ----------------------------------------------------------------------


def _check_given(
    table: SourceTable, columns: Mapping[str, Any]
) -> dict[str, tuple[int, ...] | None]:
    if not isinstance(columns, Mapping):
        raise ConfigError("columns must be a mapping such as {'user': 'msisdn', 'time': 0}.")
    out: dict[str, tuple[int, ...] | None] = {}
    for role, where in columns.items():
        if role not in ROLES:
            known = ", ".join(ROLES)
            raise ConfigError(f"Unknown role {role!r} in columns; the roles are {known}.")
        if where is None:
            if role == "time":
                raise ConfigError("The role 'time' needs a column; an event must have a time.")
            out[role] = None
            continue
        parts = where if isinstance(where, (tuple, list)) else (where,)
        if (len(parts) != 1 and role not in ("time", "antenna")) or not parts:
            raise ConfigError(f"The role {role!r} takes one column, not {len(parts)}.")
        out[role] = tuple(_position(table, role, part) for part in parts)
    taken = [i for where in out.values() if where for i in where]
    if len(set(taken)) != len(taken):
        raise ConfigError("One column is given two roles; give each role a column of its own.")
    return out


def _position(table: SourceTable, role: str, where: Any) -> int:
    if where in table.labels and not isinstance(where, bool):
        if sum(label == where for label in table.labels) > 1:
            raise ConfigError(f"Column {where!r} occurs several times; give its position instead.")
        return table.labels.index(where)
    if is_whole(where):
        if 0 <= where < len(table.labels):
            return int(where)
        raise ConfigError(
            Message(
                f"{_given(role, where)}, but there are {len(table.labels)} columns. "
                f"Columns: {table.names()}."
            )
        )
    same = [i for i, label in enumerate(table.labels) if normal(label) == normal(where)]
    if isinstance(where, str) and table.named and len(same) == 1 and normal(where):
        return same[0]
    raise ConfigError(Message(_given(role, where), f" is not a column. Columns: {table.names()}."))


def _given(role: str, where: Any) -> Way:
    """Return the words that name a column given for a role."""
    shown = f"Column {where + 1}" if is_whole(where) else f"{str(where)!r}"
    return Way(f"columns[{role!r}] = {where!r}", f"--{role} {where}", f"{SAID[role]}: {shown}")


# --- what to say when it fails -----------------------------------------------------------------


_ANTENNAS = Message(
    "This looks like a table of antennas (OpenCellID), not of events: it has no column for a "
    f"person. Give it {AS_ANTENNAS}, together with a file of events."
)
_NEEDS, SAID = WORDS["needs"], WORDS["said"]
"""Names of missing data, and names of the roles, for use within a sentence."""
_JOURNEYS = {"track", "trip", "trajectory", "traj", "session"}


def _sentence(table: SourceTable, search: Search, missing: list[str]) -> str:
    lacks_who_and_when = {"user", "time"} <= set(missing)
    if cell_parts(table.labels) and {"user", "time"} & set(missing):
        return _ANTENNAS
    if lacks_who_and_when and "position" not in missing:
        return Message(
            "This looks like a table of antennas or places, not of events: it has positions but "
            f"no person and no time. Columns: {table.names()}. Give it {AS_ANTENNAS}, with a file "
            f"of events, or say which columns hold person and time{hints.such_as('user', 'time')}."
        )
    lacks = ", ".join(_NEEDS[role] for role in missing)
    parts: list[str] = [f"No column was found for {lacks}. Columns: {table.names()}."]
    if search.roles.where:
        parts.append(_found(table, search.roles.where))
    parts += [note for note in table.notes if "index" in note]
    parts += _about_time(table) if "time" in missing else []
    parts += _about_user(table) if "user" in missing else []
    parts += _about_place(table) if {*missing} & {"position", "lat", "lon"} else []
    return hints.sentences(parts)


def _named_like(table: SourceTable, *roles: str) -> list[str]:
    """Return the columns whose names resemble the names of some roles."""
    named = [i for i, label in enumerate(table.labels) if min(rank(label, r) for r in roles) < 1000]
    return [table.told(i, begins=len(roles) == 1) for i in named]


def _about_time(table: SourceTable) -> list[str]:
    for named in _named_like(table, "time"):
        return [
            f"{named} is named like a time but holds none; expected a date and time such as "
            "2012-04-03 18:00:09, or epoch seconds."
        ]
    return [Message(f"Say which column holds the time{hints.such_as('time')}.")]


def _about_user(table: SourceTable) -> list[str]:
    words = (set(normal(label).split("_")) for label in table.labels if table.named)
    parts: list[str] = []
    for i in [i for i, each in enumerate(words) if _JOURNEYS & each][:1]:
        way = hints.give("user", name=table.told(i).strip("'\""))
        journeys = f"{table.told(i, begins=True)} numbers journeys, not people"
        parts.append(Message(f"{journeys}; to treat each journey as a person, {way}."))
    ask = "Say which column names the person"
    join = ". If the people are in another table, join the two first."
    return [*parts, Message(ask, hints.such_as("user"), WHOLE_FILE, join)]


def _about_place(table: SourceTable) -> list[str]:
    parts: list[str] = []
    if named := _named_like(table, "lat", "lon"):
        parts.append(
            f"Named like a position, but without degrees: {' and '.join(named[:2])}. Are they map "
            "coordinates in metres, or empty?"
        )
    degrees, antenna = hints.in_brackets("lat", "lon"), hints.in_brackets("antenna")
    ask = f"Say which columns hold latitude and longitude in degrees{degrees}, or give the antenna"
    return [*parts, Message(f"{ask} column{antenna} and the antennas' positions {AS_ANTENNAS}.")]


def _found(table: SourceTable, at: Mapping[str, tuple[int, ...]]) -> Message:
    found = []
    for role, where in at.items():
        columns = [table.told(i) if table.named else str(hints.column_at(i)) for i in where]
        found.append(f"{SAID[role]} in {' + '.join(columns)}")
    return Message(f"Found: {', '.join(found)}.")

"""Who and where, row by row; and which rows say the same twice."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from ..model.arrays import BoolArray, FloatArray, IntArray
from ..model.errors import SchemaError
from ..tables.table import SourceTable, missing_in, numbers_of, text_of
from . import report as why
from .antennas import locate
from .fate import Fate, text_frame
from .hints import AS_ANTENNAS, Message
from .positions import position_faults
from .roles import joined_text
from .search import Roles
from .turns import Turn

_PIECE = 65_536  # rows whose temporary arrays fit a processor's cache


def users_of(table: SourceTable, roles: Roles) -> tuple[IntArray, npt.NDArray[Any], BoolArray]:
    """Number of the user of each row, the ids by number, and which rows have none.

    Ids are text; only those of a DataFrame's column of integers stay what they are.
    """
    if roles.one_user:
        n = table.n_rows
        return np.zeros(n, np.int64), np.array(["1"], dtype=object), np.zeros(n, bool)
    column = table.columns[roles.where["user"][0]]
    codes, values = coded(column)
    none = missing_in(values)[codes]
    if table.kind == "DataFrame" and pa.types.is_integer(column.type) and not column.null_count:
        return codes, np.array([int(i) for i in values.to_pylist()]), none
    return codes, np.array(values.to_pylist(), dtype=object), none


def positions_of(
    table: SourceTable, roles: Roles, sites: pd.DataFrame | None, turn: Turn
) -> tuple[FloatArray, FloatArray, dict[str, BoolArray], list[str]]:
    """Degrees of each row, from its own columns or from its antenna; what is wrong, and notes.

    Columns of the rows' own are read by ``turn``; the antennas' positions are so already.

    Raises
    ------
    SchemaError
        The events name antennas, and there is no antenna table.
    """
    if "lat" in roles.where and "lon" in roles.where:
        return *own_positions(table, roles, turn), []
    if sites is None:
        raise without_antennas()
    codes, ids = coded(antenna_names(table, roles))
    lat_of, lon_of, remarks = locate(ids.to_pylist(), sites)
    faults = {reason: hit[codes] for reason, hit in antenna_faults(ids, lat_of).items()}
    notes = [*sites.attrs.get("notes", ()), *remarks]
    return lat_of[codes], lon_of[codes], faults, notes


def without_antennas() -> SchemaError:
    """The events name antennas, and nobody says where these stand."""
    return SchemaError(
        Message(
            "The events name antennas, but there are no positions. Give the antennas' positions ",
            AS_ANTENNAS,
            " (a table of antenna, latitude, longitude).",
        )
    )


def antenna_names(table: SourceTable, roles: Roles) -> pa.ChunkedArray:
    """The antenna of each row."""
    where = roles.where["antenna"]
    return table.columns[where[0]] if len(where) == 1 else joined_text(table, where, "-")


class Numbering:
    """Numbers of texts in order of first appearance, over the parts of a column."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def of(self, column: pa.ChunkedArray) -> tuple[IntArray, BoolArray]:
        """Number of each row's text, and where it is missing."""
        codes, values = coded(column)
        known = self._known
        numbers = [known.setdefault(text, len(known)) for text in values.to_pylist()]
        return np.array(numbers, np.int64)[codes], missing_in(values)[codes]

    @property
    def texts(self) -> list[str]:
        """The texts, by number."""
        return list(self._known)


def own_positions(
    table: SourceTable, roles: Roles, turn: Turn, commas: Collection[str] | None = None
) -> tuple[FloatArray, FloatArray, dict[str, BoolArray]]:
    """Degrees of each row from its own columns, and what is wrong.

    ``commas``: the roles whose numbers are written with a decimal comma, where the table is one
    part of several; found out if None.
    """
    lat, lon = turn.apply(
        *(
            numbers_of(
                table.columns[roles.where[role][0]],
                decimal_comma=None if commas is None else role in commas,
            )
            for role in ("lat", "lon")
        )
    )
    return lat, lon, position_faults(lat, lon)


def antenna_faults(ids: pa.ChunkedArray, lat: FloatArray) -> dict[str, BoolArray]:
    """Of distinct antennas, which are none, and which have no position, by reason."""
    return {why.MISSING_COORDINATES: missing_in(ids), why.UNKNOWN_ANTENNA: np.isnan(lat)}


def coded(column: pa.ChunkedArray) -> tuple[IntArray, pa.ChunkedArray]:
    """Trimmed texts as numbers of distinct values in order of first appearance, and the values."""
    # Whole numbers are written out once they are distinct, not row by row.
    if not (pa.types.is_string(column.type) or pa.types.is_integer(column.type)):
        column = text_of(column)
    encoded = column.dictionary_encode(null_encoding="encode")
    codes = np.empty(len(column), np.int64)
    at = 0
    for chunk in encoded.chunks:
        codes[at : at + len(chunk)] = chunk.indices.to_numpy(zero_copy_only=False)
        at += len(chunk)
    written = pa.chunked_array([encoded.chunk(encoded.num_chunks - 1).dictionary])
    same = text_of(written).dictionary_encode()
    values = pa.chunked_array([same.chunk(0).dictionary])
    if len(values) < len(written):  # some differed in blanks only
        codes = same.chunk(0).indices.to_numpy(zero_copy_only=False).astype(np.int64)[codes]
    return codes, values


def repeated_rows(
    table: SourceTable, fate: Fate, codes: IntArray, us: IntArray, lat: FloatArray, lon: FloatArray
) -> BoolArray:
    """Which of the rows in use equal an earlier one in every field, as written.

    Only rows that share a 64-bit mixture of user, time and place are compared field by field.
    """
    key = fate.pick(mixture(codes, us, lat, lon))
    out = np.zeros(len(key), bool)
    key.sort()
    twins = np.unique(key[1:][key[1:] == key[:-1]])
    if not len(twins):
        return out
    key = fate.pick(mixture(codes, us, lat, lon))
    at = np.minimum(np.searchsorted(twins, key), len(twins) - 1)
    suspects = np.flatnonzero(twins[at] == key)
    rows = np.flatnonzero(fate.used)[suspects]
    out[suspects] = equal_rows(table, rows)
    return out


def equal_rows(table: SourceTable, rows: IntArray) -> BoolArray:
    """Which of some rows equal an earlier one of them in every field, as written."""
    frame = text_frame(table, range(len(table.columns)), rows)
    return frame.duplicated(keep="first").to_numpy()


def mixture(
    codes: IntArray, us: IntArray, lat: FloatArray, lon: FloatArray
) -> npt.NDArray[np.uint64]:
    """User, time and place of each row in 64 bits; equal rows have equal ones."""
    key = np.empty(len(codes), np.uint64)
    for start in range(0, len(key), _PIECE):
        part = slice(start, start + _PIECE)
        mixed = codes[part].astype(np.uint64)
        for value in (us, lat, lon):
            mixed *= np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
            mixed += value[part].view(np.uint64)
        key[part] = mixed
    return key

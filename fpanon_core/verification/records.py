"""Published records read from a table for checking, each distinct record once.

The module also reads the files that stay behind: the key, which names the person behind each
record, and the list of samples left out. Text in them may carry marks against spreadsheet formulas.

Source: docs/science.md, “Hiding everyone: GLOVE”; “How text is written so that no spreadsheet
runs it”.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv
from pyproj import CRS, Transformer

from ..model.arrays import FloatArray, IntArray
from ..model.budgets import MAX_BYTES, check_columns
from ..model.errors import SchemaError
from ..model.fingerprints import FingerprintSet
from .faults import Claim, Faults, by_start, numbered

DEGREES = ("lat_min", "lat_max", "lon_min", "lon_max")
_DECIMALS = 7
_SLACK_DEG = 2e-7
BOUNDS = ("x_min_m", "x_max_m", "y_min_m", "y_max_m")
_NEEDED = ("pseudonym", *BOUNDS, "start", "end")
KNOWN = frozenset({*_NEEDED, "group", *DEGREES})
"""Columns that a release may have."""

_ENDS = ";,|\t\r\n"  # ends of a cell, in some countries
_BLANK = (
    "".join(map(chr, range(0x21)))
    + "".join(map(chr, range(0x7F, 0xA1)))
    + "".join(map(chr, (*range(0x2000, 0x2010), *range(0x2028, 0x2030), 0x2060, 0x3000, 0xFEFF)))
    + "'\"`´‘’“”«»"
)
_RUN = re.compile(f"([{re.escape(_ENDS + _BLANK)}]++)([=+\\-@＝＋－＠]?)")
_FORMULA = re.compile(f"[{re.escape(_ENDS + _BLANK)}]*+[=+\\-@＝＋－＠]")

Named = tuple[str, str, int]
"""Pseudonym, id and period."""

Key = Mapping[Any, Any] | pd.Series | pd.DataFrame


@dataclass
class Records:
    """Records of a table, in the order of their first appearance.

    Attributes
    ----------
    pseudonym : list of str
    kind : int64 ndarray (n_records,)
        Class of each record in ``claim``.
    claim : Claim
    """

    pseudonym: list[str]
    kind: IntArray
    claim: Claim


def records_of(table: pd.DataFrame, faults: Faults) -> Records:
    """Return the records in a table with the columns of a release.

    The columns ``group`` and :data:`DEGREES` may be missing.

    Raises
    ------
    SchemaError
        A column is missing, or of another type.
    """
    gathering = Gathering(faults)
    gathering.add(table)
    return gathering.records()


class Gathering:
    """Collector of the records of a table whose rows arrive piece by piece.

    Each distinct record is kept once, so that memory grows with the published content, not with the
    number of people.

    Attributes
    ----------
    apart : bool
        Whether the rows of some record do not follow one another.
    backwards : bool
        Whether the rows of some record are not in order of time.
    """

    def __init__(self, faults: Faults) -> None:
        self.apart = self.backwards = False
        self._faults = faults
        self._number: dict[str, int] = {}  # of each pseudonym
        self._contents: dict[bytes, int] = {}
        self._classes: dict[tuple[int, int], int] = {}  # of label and content, in order of arrival
        self._cells: list[FloatArray] = []  # of each class
        self._kind: list[IntArray] = []
        self._nameless = False
        self._several = self._wrong = 0

    def add(self, table: pd.DataFrame) -> bool:
        """Add rows with the columns of a release; all rows of a record must come in one call.

        Return whether the rows were added; none is added if one of the records came before.

        Raises
        ------
        SchemaError
            A column is missing, or of another type.
        """
        missing = [name for name in _NEEDED if name not in table.columns]
        if missing:
            raise SchemaError(
                f"The table lacks {', '.join(missing)}; give a table as the export writes it."
            )
        code, names = _coded(table)
        if any(name in self._number for name in names):
            return False
        begun = len(self._number)
        self._number.update((name, begun + at) for at, name in enumerate(names))
        self._nameless |= bool(table["pseudonym"].isna().any())
        try:
            bounds = [table[name].to_numpy(np.float64) for name in BOUNDS]
            times = [_minutes(table[name], self._faults.original) for name in ("start", "end")]
            stated = table["group"].to_numpy(np.int64) if "group" in table.columns else None
        except (ValueError, TypeError, OverflowError):
            raise SchemaError("A bound or a group in the table is not a number.") from None
        cells = np.column_stack([*bounds, *times])
        self._wrong += _wrong_degrees(table, cells, self._faults.original.crs)
        begins_anew = code[1:] != code[:-1]
        self.apart |= int(begins_anew.sum()) + 1 > max(len(names), 1)
        self.backwards |= bool((~begins_anew & (cells[1:, 4] < cells[:-1, 4])).any())
        order = np.lexsort((cells[:, 4], code))
        begins = np.searchsorted(code[order], np.arange(1, len(names)))
        pieces = [by_start(cells[rows]) for rows in np.split(order, begins)] if len(names) else []
        content = numbered(pieces, self._contents)
        label = content if stated is None else self._labels(stated, code, len(names))
        kind = np.empty(len(names), np.int64)
        for record, pair in enumerate(zip(label.tolist(), content.tolist(), strict=True)):
            kind[record] = self._classes.setdefault(pair, len(self._cells))
            if kind[record] == len(self._cells):
                self._cells.append(pieces[record])
        self._kind.append(kind)
        return True

    def _labels(self, stated: IntArray, code: IntArray, n_records: int) -> IntArray:
        """Return the group of each record: the group of its first row."""
        label = np.empty(n_records, np.int64)
        label[code[::-1]] = stated[::-1]
        self._several += len(np.unique(code[stated != label[code]]))
        return label

    def records(self) -> Records:
        """Return all records that were added, and add their faults; call this once."""
        self._faults.check(not self._nameless, "pseudonym", "A row has no pseudonym.")
        _tell_degrees(self._wrong, self._faults)
        text = "The rows of one pseudonym are in more than one group."
        self._faults.add("several groups", text, times=self._several)
        pairs = np.array(list(self._classes), np.int64).reshape(-1, 2)
        came = np.lexsort((pairs[:, 1], pairs[:, 0]))
        place = np.argsort(came)
        kind = place[np.concatenate([np.empty(0, np.int64), *self._kind])]
        lengths = np.array([len(piece) for piece in self._cells], np.int64)[came]
        last = np.cumsum(lengths, dtype=np.int64)
        cells = np.empty((int(lengths.sum()), 6))
        for begin, end, of in zip(last - lengths, last, came.tolist(), strict=True):
            cells[begin:end] = self._cells[of]
            self._cells[of] = cells[:0]  # there may be many cells: none is held twice
        claim = Claim(
            cells=cells,
            first=last - lengths,
            last=last,
            label=pairs[came, 0],
            content=pairs[came, 1],
            records=np.bincount(kind, minlength=len(came)).astype(np.int64),
            home=None,
        )
        return Records(list(self._number), kind.astype(np.int64), claim)


def _coded(table: pd.DataFrame) -> tuple[IntArray, list[str]]:
    """Return the number of each row's pseudonym, and the pseudonyms; a missing one is ``""``."""
    texts = table["pseudonym"].astype(object)
    code, names = pd.factorize(texts.where(texts.notna(), "").astype(str))
    return code.astype(np.int64), [str(name) for name in names]


def _minutes(times: pd.Series[Any], original: FingerprintSet) -> FloatArray:
    if original.clock is None:
        return times.to_numpy(np.float64)
    if not isinstance(times.dtype, pd.DatetimeTZDtype):
        raise SchemaError("start and end must be times with a time zone; read the file again.")
    instants = times.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy().astype("M8[us]")
    epoch = np.datetime64(original.clock.epoch.replace(tzinfo=None), "us")
    minutes: FloatArray = (instants - epoch).astype(np.int64) / 60e6
    minutes[np.isnat(instants)] = np.nan
    return minutes


def _wrong_degrees(table: pd.DataFrame, cells: FloatArray, crs: str | None) -> int:
    """Count rows whose stated degrees are not the extremes over certain points of the cell.

    The points are the cell's corners, its middle and the middles of its sides. The degrees are
    computed independently, point by point, without trust in the release or in the code that wrote
    it. For data without a projection, no degrees may be stated; if some are, the result is −1.
    """
    if not set(DEGREES) <= set(table.columns):
        return 0
    stated = table[list(DEGREES)].to_numpy(np.float64)
    if crs is None:
        return 0 if np.isnan(stated).all() else -1
    places, which = np.unique(cells[:, :4], axis=0, return_inverse=True)
    back = Transformer.from_crs(CRS.from_user_input(crs), "EPSG:4326", always_xy=True)
    west, east, south, north = places.T
    lons, lats = [], []
    for x in (west, (west + east) / 2, east):
        for y in (south, (south + north) / 2, north):
            lon, lat = back.transform(x, y)
            lons.append(np.asarray(lon, np.float64))
            lats.append(np.asarray(lat, np.float64))
    # Longitudes may run on across the antimeridian: all are taken around the first one.
    around = [(lon - lons[0] + 180.0) % 360.0 - 180.0 for lon in lons]
    farthest = lons[0] + np.min(around, axis=0), lons[0] + np.max(around, axis=0)
    expected = np.column_stack([np.min(lats, axis=0), np.max(lats, axis=0), *farthest])
    gap = np.abs(stated - expected[which.reshape(-1)])
    gap[:, 2:] = np.minimum(gap[:, 2:], np.abs(gap[:, 2:] - 360.0))
    close = (gap <= _SLACK_DEG) & (stated == np.round(stated, _DECIMALS))
    return int((~close.all(axis=1)).sum())


def _tell_degrees(wrong: int, faults: Faults) -> None:
    """Add a fault if some rows have wrong degrees, or degrees without a projection."""
    if wrong < 0:
        text = "Latitudes and longitudes are given, but the original has no map projection."
        faults.add("degrees", text)
    elif wrong:
        text = f"Rows whose latitudes and longitudes do not match the metres: {wrong}."
        faults.add("degrees", text)


# --- owners of records ----------------------------------------------------------------------------


def matched(records: Records, key: Key, faults: Faults, *, moved: bool = False) -> IntArray:
    """Return the row number of the original user behind each record, by the key; −1 if unknown.

    For data in periods, it is the row number of the piece. There is one piece for each person and
    period, so a key that names a person twice in a period names a piece twice. If samples were
    ``moved``, they may lie in a period in which the person was not recorded. Then there is no
    piece, and the result is −1.

    The function sets ``home`` and ``elsewhere`` of the records' :class:`Claim`.
    """
    original = faults.original
    pairs = _pairs(key)
    row_of: dict[tuple[str, int], int] = {}
    by_period = faults.cut is not None and faults.of_whole
    period = np.zeros(original.n_users, np.int64)
    if by_period:
        assert faults.cut is not None
        period = faults.cut.period
        of = faults.periods_of(records.claim)[records.kind]
        pairs = _in_periods(pairs, key, dict(zip(records.pseudonym, of.tolist(), strict=True)))
    for row, user_id in enumerate(original.user_ids.tolist()):
        row_of[str(user_id), int(period[row])] = row
    whose = np.full(len(records.pseudonym), -1, np.int64)
    elsewhere = np.zeros(len(whose), bool)
    people: dict[str, int] = {}
    if moved and by_period:
        people = {user_id: row for (user_id, _), row in row_of.items()}
    came: dict[tuple[str, int], tuple[int, int]] = {}
    number = {name: record for record, name in enumerate(records.pseudonym)}
    seen: set[str] = set()
    for name, user_id, at in pairs:
        record, row_found = number.get(name), row_of.get((user_id, at))
        if record is None:
            faults.add("key", "The key names a pseudonym that is not in the release.")
        elif row_found is None and user_id in people:
            if name in seen or (user_id, at) in came:
                faults.add("key", "The key names a pseudonym, or a person in a period, twice.")
            elsewhere[record] = True
            seen.add(name)
            came[user_id, at] = people[user_id], int(records.kind[record])
        elif row_found is None:
            faults.add(
                "unknown user",
                "The key names a person, or a person in a period, that the original does not have.",
            )
        elif name in seen:
            faults.add("key", "The key names a pseudonym twice.")
        else:
            whose[record] = row_found
            seen.add(name)
    named, times = np.unique(whose[whose >= 0], return_counts=True)
    for row in named[times > 1].tolist():
        faults.add("key", "The key gives a person several pseudonyms.", user=row)
    text = "A published pseudonym is not in the key, or stands for nobody."
    faults.add("key", text, times=int(((whose < 0) & ~elsewhere).sum()))
    home = np.full(original.n_users, -1, np.int64)
    home[whose[whose >= 0]] = records.kind[whose >= 0]
    records.claim.home = home
    records.claim.elsewhere = np.array(list(came.values()), np.int64).reshape(-1, 2)
    return whose


def _in_periods(pairs: list[Named], key: Key, of: dict[str, int]) -> list[Named]:
    """Return the pairs with the period that the key states, or else the record's period."""
    if not isinstance(key, pd.DataFrame) or "period" not in key.columns:
        return [(name, user_id, of.get(name, 0)) for name, user_id, _ in pairs]
    try:
        numbers = pd.to_numeric(key["period"]).to_numpy(np.float64)
        stated = numbers.astype(np.int64).tolist()
        if (numbers != stated).any():
            raise ValueError
    except (ValueError, TypeError, OverflowError):
        raise SchemaError("A period in the key is not a whole number.") from None
    return [(name, user_id, at) for (name, user_id, _), at in zip(pairs, stated, strict=True)]


def _pairs(key: Key) -> list[Named]:
    if isinstance(key, pd.DataFrame):
        if not {"pseudonym", "user_id"} <= set(key.columns):
            raise SchemaError("The key lacks pseudonym or user_id; give the key of this release.")
        names, ids = key["pseudonym"].tolist(), key["user_id"].tolist()
    elif isinstance(key, pd.Series):
        names, ids = key.index.tolist(), key.tolist()
    else:
        names, ids = list(key), list(key.values())
    return [(str(name), str(user_id), 0) for name, user_id in zip(names, ids, strict=True)]


def read_listed(source: str | os.PathLike[str] | bytes, what: str) -> pd.DataFrame:
    """Return the table in a CSV file with a header, as text without marks against formulas.

    Parameters
    ----------
    source : path or bytes
        A file or its content.
    what : str
        Name of the file for the error message, such as "key".

    Raises
    ------
    SchemaError
        The file is missing, too large, or not such a table.
    """
    try:
        content = source if isinstance(source, bytes) else _bytes_at(source)
        if len(content) > MAX_BYTES:
            raise ValueError
        head = content.split(b"\n", 1)[0].decode("utf-8-sig").strip("\r").split(",")
        types = {column.strip('"'): pa.string() for column in head}
        options = csv.ConvertOptions(column_types=types, strings_can_be_null=False)
        check_columns(len(head))
        cells = csv.ParseOptions(newlines_in_values=True)
        read = csv.read_csv(io.BytesIO(content), parse_options=cells, convert_options=options)
        # A column whose name is quoted in an odd way was not read as text above.
        texts_of = [column.cast(pa.string()) for column in read.columns]
        frame: Any = pa.table(texts_of, names=read.column_names).to_pandas()
        if frame.columns.duplicated().any():
            raise ValueError
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError):
        raise SchemaError(f"The {what} is missing, damaged or of another kind.") from None
    table: pd.DataFrame = frame
    return table.map(without_marks, na_action="ignore")


def _bytes_at(path: str | os.PathLike[str]) -> bytes:
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size > MAX_BYTES:
            raise ValueError
        return file.read()


def without_marks(text: str) -> str:
    """Return the text without its marks.

    A mark is an apostrophe before a formula, at the start of the text or after a character that
    ends a cell.

    Examples
    --------
    >>> without_marks("'=1"), without_marks("' =1"), without_marks("a;'=1"), without_marks("'a")
    ('=1', ' =1', 'a;=1', "'a")
    """
    whole = _RUN.sub(_without_mark, text)
    formula = _FORMULA.match(text) or whole.lstrip("'").startswith(("\t", "\r", "\n"))
    return whole[1:] if whole.startswith("'") and formula else whole


def _without_mark(run: re.Match[str]) -> str:
    """Return blanks, ends of cells and the sign after them without the mark before the sign."""
    between, sign = run.groups()
    marked = sign and between.endswith("'") and any(each in between for each in _ENDS)
    return (between[:-1] if marked else between) + sign

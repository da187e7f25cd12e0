"""Parsing of time columns in any common format, without a slow loop over rows.

A column may mix formats; each row is parsed in its own format. Rows are grouped by their *shape*
(length, and places of digits, letters and marks). The first row of a group is matched against the
layouts below. The whole group is then cut at the same places with array arithmetic.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..model.arrays import BoolArray, IntArray
from .table import numbers_of, text_of

ByteMatrix = npt.NDArray[np.uint8]

SECOND = 1_000_000
"""One second in microseconds."""
NO_CLOCK = "(date only)"
DAY_FIRST, MONTH_FIRST = "DD/MM/YYYY", "MM/DD/YYYY"
_ZERO = ord("0")


_CLOCK = (
    r"(?P<H>\d{1,2}):(?P<M>\d\d)(?::(?P<S>\d\d)(?:[.,](?P<f>\d{1,9}))?)?(?: ?(?P<ap>[AaPp][Mm]))?"
)
_ZONE = r"(?: ?(?:(?P<Z>[Zz]|UTC|GMT)|(?P<sign>[+-])(?P<zh>\d\d)(?::?(?P<zm>\d\d))?))"
_THEN = r"(?:(?:[Tt ]|, ?| {2,}|_)" + _CLOCK + _ZONE + "?)?"
_NAMED_MONTH = r"(?P<b>[A-Za-z]{3,9})"


# Name of each layout, by pattern. The fields p and q are day and month, in either order.
_LAYOUTS = {
    r"(?P<Y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)(?:[Tt ](?P<H>\d\d)" + _ZONE + "?)": "ISO 8601",
    r"(?P<Y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})" + _THEN: "ISO 8601",
    r"(?P<Y>\d{4})[/.](?P<m>\d{1,2})[/.](?P<d>\d{1,2})" + _THEN: "YYYY/MM/DD",
    r"(?P<p>\d{1,2})[-/.](?P<q>\d{1,2})[-/.](?P<Y>\d{4}|(?<!-)\d\d)" + _THEN: "",
    r"(?P<Y>\d{4})(?P<m>\d\d)(?P<d>\d\d)[T _]?(?P<H>\d\d)(?P<M>\d\d)(?P<S>\d\d)"
    + f"{_ZONE}?": "YYYYMMDDhhmmss",
    r"(?P<Y>(?:19|20|21)\d\d)(?P<m>\d\d)(?P<d>\d\d)" + _THEN: "YYYYMMDD",
    rf"[A-Za-z]{{3,9}},? {_NAMED_MONTH} {{1,2}}(?P<d>\d{{1,2}}),? {_CLOCK}{_ZONE}?"
    r" (?P<Y>\d{4})": "Tue Apr 03 18:00:09 +0000 2012",
    rf"(?:[A-Za-z]{{3,9}},? )?(?P<d>\d{{1,2}})[- /]{_NAMED_MONTH}[- /,]+(?P<Y>\d{{4}})"
    + _THEN: "3 Apr 2012",
    r"(?P<neg>[+-])?(?P<e>\d{1,19})(?:\.(?P<f>\d{1,9}))?": "epoch",
}
EPOCH_UNITS = (
    ("epoch seconds", 0, 1e11, 1e6),
    ("epoch milliseconds", 1e11, 1e14, 1e3),
    ("epoch microseconds", 1e14, 1e17, 1.0),
    ("epoch nanoseconds", 1e17, 1e20, 1e-3),
)
_MONTHS = pd.Index(
    [int.from_bytes(m) for m in b"jan feb mar apr may jun jul aug sep oct nov dec".split()]
)


Times = tuple[IntArray, BoolArray, bool, str]
"""Microseconds since 1970, which rows were read, whether they have an offset, and the format."""


def _layout_of(row: ByteMatrix) -> re.Match[str] | None:
    """Return the match of the first layout that fits the text of a row; None if none does."""
    text = row.tobytes().decode("latin-1")
    found = (re.fullmatch(layout, text) for layout in (_LAYOUTS if text.isascii() else ()))
    return next(filter(None, found), None)


def _times_in(text: ByteMatrix, match: re.Match[str], day_first: bool) -> Times:
    """Return the times in texts of one layout; ``match`` has the positions of the fields."""
    has = match.re.groupindex
    if "e" in has:
        return _epoch(text, match)

    def number(group: str, default: int = 0) -> IntArray:
        if group not in has or match.start(group) < 0:
            return np.full(len(text), default, np.int64)
        return _digits(text, *match.span(group))

    year = number("Y")
    if match.end("Y") - match.start("Y") == 2:
        year = year + 2000
    if "p" in has:
        day, month = (number("p"), number("q")) if day_first else (number("q"), number("p"))
    else:
        month = number("m") if "b" not in has else _month(text, match.start("b"))
        day = number("d")
    hour, minute, second = number("H"), number("M"), number("S")
    first = ((year - 1970) * 12 + np.clip(month, 1, 12) - 1).astype("M8[M]")
    begins, ends = ((first + i).astype("M8[D]").astype(np.int64) for i in (0, 1))
    ok = (month >= 1) & (month <= 12) & (day >= 1) & (day <= ends - begins) & (year >= 1)
    ok &= (minute < 60) & (second <= 60)
    midnight = (hour == 24) & (minute == 0) & (second == 0)  # ISO 8601's end of day
    if "ap" in has and match.start("ap") >= 0:
        at = match.start("ap")
        ok &= (hour >= 1) & (hour <= 12)
        hour = hour % 12 + 12 * ((text[:, at] | 32) == ord("p"))
    else:
        ok &= (hour < 24) | midnight
    us = ((begins + day - 1) * 86_400 + hour * 3600 + minute * 60 + second) * SECOND
    us += _fraction(text, match)
    aware = False
    if "sign" in has and match.start("sign") >= 0:
        sign = np.where(text[:, match.start("sign")] == ord("-"), -1, 1)
        zone_h, zone_m = number("zh"), number("zm")
        ok &= (zone_h <= 15) & (zone_m < 60)
        us -= sign * (zone_h * 3600 + zone_m * 60) * SECOND
        aware = True
    elif "Z" in has and match.start("Z") >= 0:
        low, high = match.span("Z")
        zone = np.frombuffer(match["Z"].encode(), np.uint8)
        ok &= np.all((text[:, low:high] == zone) | (high - low == 1), axis=1)
        aware = True
    return us, ok, aware, _name(match, day_first, aware)


def _name(match: re.Match[str], day_first: bool, aware: bool) -> str:
    name = _LAYOUTS[match.re.pattern] or (DAY_FIRST if day_first else MONTH_FIRST)
    if match["H"] is None:
        return f"{name} {NO_CLOCK}"
    if name == "ISO 8601":
        return f"{name} with offset" if aware else f"{name} without offset"
    if name[-1] in "YD":
        name += " hh:mm:ss" if match["S"] is not None else " hh:mm"
    return f"{name} with offset" if aware and "+" not in name else name


def _epoch(text: ByteMatrix, match: re.Match[str]) -> Times:
    value = _digits(text, *match.span("e"))
    ok = value >= 0  # 19 digits may be too many
    unit = np.searchsorted([low for _, low, _, _ in EPOCH_UNITS[1:]], value, side="right")
    seconds = value * SECOND + _fraction(text, match)
    us = np.select([unit == 0, unit == 1, unit == 2], [seconds, value * 1000, value], value // 1000)
    name = EPOCH_UNITS[int(np.median(unit))][0]
    return -us if match["neg"] == "-" else us, ok, True, name


def _digits(text: ByteMatrix, start: int, stop: int) -> IntArray:
    value = np.zeros(len(text), np.int64)
    for i in range(start, stop):
        value *= 10
        value += text[:, i] - _ZERO
    return value


def _fraction(text: ByteMatrix, match: re.Match[str]) -> IntArray | int:
    """Return the microseconds of a decimal fraction of a second; further digits are cut off."""
    if "f" not in match.re.groupindex or match.start("f") < 0:
        return 0
    start, stop = match.start("f"), min(match.end("f"), match.start("f") + 6)
    scale: int = 10 ** (6 - (stop - start))
    return _digits(text, start, stop) * scale


def _month(text: ByteMatrix, start: int) -> IntArray:
    """Return 1 … 12 from the first three letters of an English month name, 0 for others."""
    low = (text[:, start : start + 3] | 32).astype(np.int64)
    key = pd.Index(low[:, 0] << 16 | low[:, 1] << 8 | low[:, 2])
    found: IntArray = _MONTHS.get_indexer(key) + 1
    return found


DAY = 86_400 * SECOND
SMALLEST_EPOCH = 10**8
"""Epoch seconds below this (before March 1973) are a counter or a duration, not a time."""


_FIRST, _LAST = (int(np.datetime64(d, "us").astype(np.int64)) for d in ("0001-01-01", "9999-12-31"))
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


@dataclass
class ParsedTimes:
    """A time column in microseconds since 1970.

    Attributes
    ----------
    us : int64 ndarray (n,)
        UTC instants if ``aware``, else the local time of an unknown zone; 0 if not ``ok``.
    ok, aware : bool ndarray (n,)
        Whether the row was parsed; whether it has an offset or ``Z``, or is an epoch time.
    formats : Counter
        Number of rows by format.
    order : DateOrder or None
        For rows with day and month in figures: how the column decides which comes first.
    """

    us: IntArray
    ok: BoolArray
    aware: BoolArray
    formats: Counter[str] = field(default_factory=Counter)
    order: DateOrder | None = None

    @property
    def share(self) -> float:
        """Share of rows parsed."""
        return float(self.ok.mean()) if len(self.ok) else 0.0


def parse_times(
    column: pa.ChunkedArray, *, day_first: bool | None = None, fractional: bool | None = None
) -> ParsedTimes:
    """Parse a column of times: text, numbers (epoch), or timestamps.

    Dates may be written as in ISO 8601, ``YYYY/MM/DD``, ``YYYYMMDD`` or ``3 Apr 2012``. They may
    also be ``DD/MM/YYYY`` or ``MM/DD/YYYY``; the data decide which of the two (see
    :attr:`ParsedTimes.order`). A date may be followed by ``hh:mm`` or ``hh:mm:ss``, with fractions
    or am/pm, and by an offset. ``YYYYMMDDhhmmss`` and ``Tue Apr 03 18:00:09 +0000 2012`` are read
    as well. Numbers are epoch seconds, milli-, micro- or nanoseconds, distinguished by magnitude. A
    value before the year 1 or after the year 9999 is not a time.

    By default, the whole column decides ``day_first`` and ``fractional`` (whether some floats are
    not whole); state them if the column is one part of several.
    """
    parsed = _parsed(column, day_first, fractional)
    beyond = (parsed.us < _FIRST) | (parsed.us > _LAST)
    if beyond.any():
        parsed.us[beyond], parsed.ok[beyond], parsed.aware[beyond] = 0, False, False
    return parsed


def _parsed(
    column: pa.ChunkedArray, day_first: bool | None, fractional: bool | None
) -> ParsedTimes:
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return _typed(column)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = numbers_of(column)
        if has_fractions(numbers) if fractional is None else fractional:
            return _float_epochs(numbers)
    if pa.types.is_string(kind) and (quick := _uniform_iso(column)) is not None:
        return quick
    texts = text_of(column)
    by_day, either_order = _parse_texts(texts, day_first is not False)
    if not either_order or day_first is not None:
        return by_day
    by_month, _ = _parse_texts(texts, day_first=False)
    order = DateOrder(by_day, by_month)
    better = by_day if order.decided()[0] else by_month
    better.order = order
    return better


def has_fractions(numbers: npt.NDArray[np.float64]) -> bool | None:
    """Return whether some of the finite numbers are not whole; None if no number is finite."""
    finite = numbers[np.isfinite(numbers)]
    return bool(np.any(finite != np.floor(finite))) if len(finite) else None


def is_time_of_day(column: pa.ChunkedArray) -> bool:
    """Return whether most fields are a bare time of day, such as ``18:00:09``."""
    texts = text_of(column)
    hits = pc.match_substring_regex(
        texts, r"^[0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?( ?[AaPp][Mm])?$"
    )
    return len(texts) > 0 and (pc.sum(hits).as_py() or 0) > 0.8 * len(texts)


def is_bare_date(parsed: ParsedTimes) -> bool:
    """Return whether most fields are dates without a time of day."""
    dates = sum(n for name, n in parsed.formats.items() if name.endswith(NO_CLOCK))
    return dates > 0.8 * max(len(parsed.ok), 1)


# --- whole columns -----------------------------------------------------------------------------

_SLICE = 200_000  # rows parsed at a time, to bound memory


def _typed(column: pa.ChunkedArray) -> ParsedTimes:
    aware = pa.types.is_timestamp(column.type) and column.type.tz is not None
    name = "timestamp column" + (" with zone" if aware else " without zone")
    ok = ~pc.is_null(column).to_numpy()
    per_second = 1_000 if pa.types.is_date(column.type) else _PER_SECOND[column.type.unit]
    if pa.types.is_date(column.type):  # stored in days or in milliseconds
        column = column.cast(pa.date64())
    found = pc.fill_null(column.cast(pa.int64()), 0).to_numpy()
    # Only the years 1 to 9999: other times in microseconds could overflow without an error.
    ok = ok & (found >= _FIRST // SECOND * per_second) & (found <= _LAST // SECOND * per_second)
    found = np.where(ok, found, 0)
    us = found * (SECOND // per_second) if per_second <= SECOND else found // 1_000
    return ParsedTimes(us, ok, np.full(len(ok), aware), Counter({name: int(ok.sum())}))


def _float_epochs(numbers: npt.NDArray[np.float64]) -> ParsedTimes:
    ok = np.isfinite(numbers) & (np.abs(numbers) < 1e20)
    value = np.where(ok, numbers, 0.0)
    us = np.zeros(len(value), np.int64)
    formats: Counter[str] = Counter()
    for name, low, high, factor in EPOCH_UNITS:
        rows = ok & (np.abs(value) >= low) & (np.abs(value) < high)
        us[rows] = np.round(value[rows] * factor).astype(np.int64)
        formats[name] += int(rows.sum())
    return ParsedTimes(us, ok, ok.copy(), +formats)


def _uniform_iso(texts: pa.ChunkedArray) -> ParsedTimes | None:
    """Quickly parse a column that is ISO 8601 throughout; return None for any other column."""
    head = texts.slice(0, 1).to_pylist()
    if not head or not re.match(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d", head[0] or ""):
        return None
    for zone, name in (("UTC", "ISO 8601 with offset"), (None, "ISO 8601 without offset")):
        stamp = pa.timestamp("us", tz=zone)
        n, at = len(texts), 0
        us = np.empty(n, np.int64)
        try:
            for chunk in texts.chunks:
                us[at : at + len(chunk)] = chunk.cast(stamp).cast(pa.int64()).to_numpy()
                at += len(chunk)
        except pa.ArrowInvalid:  # another form, or a null
            continue
        aware = np.full(n, zone is not None)
        return ParsedTimes(us, np.ones(n, bool), aware, Counter({name: n}))
    return None


class DateOrder:
    """Decision, for a whole column, on whether 03/04 is the 3rd of April or the 4th of March.

    The order that parses more rows is chosen. If both orders parse the same number, the one with
    the shorter time span is chosen. Days of one fortnight, read the wrong way, scatter over a year.
    If the spans are equal, the day comes first.
    """

    def __init__(self, *readings: ParsedTimes) -> None:
        """Take two readings of the column, one day first and one month first, or none."""
        found = [parsed.us[parsed.ok] for parsed in readings]
        self._ok = [len(us) for us in found] or [0, 0]
        self._low = [int(us.min(initial=_LAST)) for us in found] or [_LAST, _LAST]
        self._high = [int(us.max(initial=_FIRST)) for us in found] or [_FIRST, _FIRST]

    def add(self, other: DateOrder) -> None:
        """Take into account another part of the column."""
        self._ok = [a + b for a, b in zip(self._ok, other._ok, strict=True)]
        self._low = list(map(min, self._low, other._low))
        self._high = list(map(max, self._high, other._high))

    def decided(self) -> tuple[bool, str]:
        """Return whether the day comes first, and the sentence that states it."""
        more = self._ok[0] - self._ok[1]
        if more:
            order = DAY_FIRST if more > 0 else MONTH_FIRST
            return more > 0, (
                f"Dates are read as {order}. Rows that cannot be read the other way round: "
                f"{abs(more):,}."
            )
        spans = [max(high - low, 0) for low, high in zip(self._low, self._high, strict=True)]
        by_day, by_month = spans
        order = MONTH_FIRST if by_month < by_day else DAY_FIRST
        why = "the data then span less time" if by_day != by_month else "day first is commoner"
        return by_month >= by_day, (
            f"Dates could be DD/MM or MM/DD; they are read as {order} because {why}. If that is "
            "wrong, write the dates as YYYY-MM-DD."
        )


def _parse_texts(texts: pa.ChunkedArray, day_first: bool) -> tuple[ParsedTimes, int]:
    """Parse every row; ``day_first`` states the order of day and month if both are in figures.

    Return the times, and the number of rows with day and month in figures.
    """
    n = len(texts)
    out = ParsedTimes(np.zeros(n, np.int64), np.zeros(n, bool), np.zeros(n, bool))
    start = either_order = 0
    for chunk in texts.chunks:
        for low in range(0, len(chunk), _SLICE):
            part = chunk.slice(low, _SLICE)
            either_order += _parse_chunk(part, day_first, out, slice(start, start + len(part)))
            start += len(part)
    out.formats = +out.formats
    return out, either_order


# --- shapes ------------------------------------------------------------------------------------

_SHAPE = np.arange(256, dtype=np.uint8)
_SHAPE[ord("0") : ord("9") + 1] = _ZERO
_LETTER = np.zeros(256, bool)
_LETTER[[*range(ord("A"), ord("Z") + 1), *range(ord("a"), ord("z") + 1)]] = True
_MAX_LENGTH = 64
_MAX_SHAPES = 64


def _parse_chunk(chunk: pa.Array, day_first: bool, out: ParsedTimes, where: slice) -> int:
    """Parse one contiguous array of text into ``out[where]``.

    Return the number of rows with day and month in figures.
    """
    either_order = 0
    us, ok, aware = out.us[where], out.ok[where], out.aware[where]
    wide = pa.types.is_large_string(chunk.type)
    offsets = np.frombuffer(chunk.buffers()[1], np.int64 if wide else np.int32)
    offsets = offsets[chunk.offset : chunk.offset + len(chunk) + 1].astype(np.int64)
    raw = chunk.buffers()[2]
    data = np.frombuffer(raw or b"", np.uint8)
    lengths = np.diff(offsets)
    for length in np.unique(lengths):
        if not 1 <= length <= _MAX_LENGTH:
            continue
        rows = np.flatnonzero(lengths == length)
        text = data[offsets[rows][:, None] + np.arange(length)]
        for group, match in _groups(text):
            found, read, zoned, name = _times_in(text[group], match, day_first)
            either_order += len(group) * ("p" in match.re.groupindex)
            at = rows[group]
            us[at], ok[at], aware[at] = np.where(read, found, 0), read, read & zoned
            out.formats[name] += int(read.sum())
    return either_order


def _groups(text: ByteMatrix) -> Iterator[tuple[IntArray, re.Match[str]]]:
    """Yield groups of rows of equal shape, and the match of their first row with a layout."""
    shape = _SHAPE[text]
    left = np.arange(len(text))
    for _ in range(_MAX_SHAPES):
        if not len(left):
            return
        first = left[0]
        if match := _layout_of(text[first]):
            same = _same_shape(text, shape, left, first)
            yield left[same], match
        else:
            same = np.all(shape[left] == shape[first], axis=1)
        left = left[~same]
    for row in left:  # a column of many shapes hardly holds times: read row by row
        if match := _layout_of(text[row]):
            yield np.array([row]), match


def _same_shape(text: ByteMatrix, shape: ByteMatrix, left: IntArray, first: int) -> BoolArray:
    """Return which rows have digits, marks and letters in the same places as row ``first``.

    In words of three or more letters (names of days and months), any letters match.
    """
    words = np.zeros(text.shape[1], bool)
    for run in re.finditer(r"[A-Za-z]{3,}", text[first].tobytes().decode("latin-1")):
        words[run.start() : run.end()] = True
    same = np.ones(len(left), bool)
    whole = slice(None) if len(left) == len(text) else left
    for i, word in enumerate(words):
        same &= _LETTER[text[whole, i]] if word else shape[whole, i] == shape[first, i]
    return same

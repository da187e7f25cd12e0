"""How times are written, and how rows that are written alike are read together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..model.arrays import BoolArray, IntArray

ByteMatrix = npt.NDArray[np.uint8]

SECOND = 1_000_000
"""Microseconds."""
NO_CLOCK = "(date only)"
DAY_FIRST, MONTH_FIRST = "DD/MM/YYYY", "MM/DD/YYYY"
_ZERO = ord("0")


@dataclass(frozen=True)
class Layout:
    """A form in which times are written; ``ambiguous`` where day and month may be exchanged."""

    name: str
    text: str
    ambiguous: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What a text of this form matches."""
        return re.compile(self.text)


@dataclass
class Value:
    """Times of rows: microseconds since 1970, which could be read, which carry an offset."""

    us: IntArray
    ok: BoolArray
    aware: bool | BoolArray
    name: str


_CLOCK = (
    r"(?P<H>\d{1,2}):(?P<M>\d\d)(?::(?P<S>\d\d)(?:[.,](?P<f>\d{1,9}))?)?(?: ?(?P<ap>[AaPp][Mm]))?"
)
_ZONE = r"(?: ?(?:(?P<Z>[Zz]|UTC|GMT)|(?P<sign>[+-])(?P<zh>\d\d)(?::?(?P<zm>\d\d))?))"
_THEN = r"(?:(?:[Tt ]|, ?| {2,}|_)" + _CLOCK + _ZONE + "?)?"
_NAMED_MONTH = r"(?P<b>[A-Za-z]{3,9})"


_LAYOUTS = (
    Layout("ISO 8601", r"(?P<Y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)(?:[Tt ](?P<H>\d\d)" + _ZONE + "?)"),
    Layout("ISO 8601", r"(?P<Y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})" + _THEN),
    Layout("YYYY/MM/DD", r"(?P<Y>\d{4})[/.](?P<m>\d{1,2})[/.](?P<d>\d{1,2})" + _THEN),
    Layout("", r"(?P<p>\d{1,2})[-/.](?P<q>\d{1,2})[-/.](?P<Y>\d{4}|(?<!-)\d\d)" + _THEN, True),
    Layout(
        "YYYYMMDDhhmmss",
        r"(?P<Y>\d{4})(?P<m>\d\d)(?P<d>\d\d)[T _]?(?P<H>\d\d)(?P<M>\d\d)(?P<S>\d\d)" + _ZONE + "?",
    ),
    Layout("YYYYMMDD", r"(?P<Y>(?:19|20|21)\d\d)(?P<m>\d\d)(?P<d>\d\d)" + _THEN),
    Layout(
        "Tue Apr 03 18:00:09 +0000 2012",
        rf"[A-Za-z]{{3,9}},? {_NAMED_MONTH} {{1,2}}(?P<d>\d{{1,2}}),? {_CLOCK}{_ZONE}?"
        r" (?P<Y>\d{4})",
    ),
    Layout(
        "3 Apr 2012",
        rf"(?:[A-Za-z]{{3,9}},? )?(?P<d>\d{{1,2}})[- /]{_NAMED_MONTH}[- /,]+(?P<Y>\d{{4}})" + _THEN,
    ),
    Layout("epoch", r"(?P<neg>[+-])?(?P<e>\d{1,19})(?:\.(?P<f>\d{1,9}))?"),
)
EPOCH_UNITS = (
    ("epoch seconds", 0, 1e11, 1e6),
    ("epoch milliseconds", 1e11, 1e14, 1e3),
    ("epoch microseconds", 1e14, 1e17, 1.0),
    ("epoch nanoseconds", 1e17, 1e20, 1e-3),
)
_MONTHS = pd.Index(
    [int.from_bytes(m) for m in b"jan feb mar apr may jun jul aug sep oct nov dec".split()]
)


def layout_of(row: ByteMatrix) -> tuple[Layout, re.Match[str]] | None:
    """The first layout that the text of a row has, and where its parts are."""
    text = row.tobytes().decode("latin-1")
    for layout in _LAYOUTS:
        match = layout.pattern.fullmatch(text)
        if match and text.isascii():
            return layout, match
    return None


def value_of(text: ByteMatrix, match: re.Match[str], layout: Layout, day_first: bool) -> Value:
    """Microseconds of rows that all have the layout, cut where ``match`` was."""
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
    if layout.ambiguous:
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
    aware: bool | BoolArray = False
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
    return Value(us, ok, aware, _name(layout, match, day_first, aware is True))


def _name(layout: Layout, match: re.Match[str], day_first: bool, aware: bool) -> str:
    name = layout.name or (DAY_FIRST if day_first else MONTH_FIRST)
    if match["H"] is None:
        return f"{name} {NO_CLOCK}"
    if layout.name == "ISO 8601":
        return f"{name} with offset" if aware else f"{name} without offset"
    if name[-1] in "YD":
        name += " hh:mm:ss" if match["S"] is not None else " hh:mm"
    return f"{name} with offset" if aware and "+" not in name else name


def _epoch(text: ByteMatrix, match: re.Match[str]) -> Value:
    value = _digits(text, *match.span("e"))
    ok = value >= 0  # 19 digits may be too many
    unit = np.searchsorted([low for _, low, _, _ in EPOCH_UNITS[1:]], value, side="right")
    seconds = value * SECOND + _fraction(text, match)
    us = np.select([unit == 0, unit == 1, unit == 2], [seconds, value * 1000, value], value // 1000)
    name = EPOCH_UNITS[int(np.median(unit))][0]
    return Value(-us if match["neg"] == "-" else us, ok, True, name)


def _digits(text: ByteMatrix, start: int, stop: int) -> IntArray:
    value = np.zeros(len(text), np.int64)
    for i in range(start, stop):
        value *= 10
        value += text[:, i] - _ZERO
    return value


def _fraction(text: ByteMatrix, match: re.Match[str]) -> IntArray | int:
    """Microseconds of a decimal fraction of a second; further digits are cut off."""
    if "f" not in match.re.groupindex or match.start("f") < 0:
        return 0
    start, stop = match.start("f"), min(match.end("f"), match.start("f") + 6)
    scale: int = 10 ** (6 - (stop - start))
    return _digits(text, start, stop) * scale


def _month(text: ByteMatrix, start: int) -> IntArray:
    """1 … 12 from the first three letters of an English month name, 0 for others."""
    low = (text[:, start : start + 3] | 32).astype(np.int64)
    key = pd.Index(low[:, 0] << 16 | low[:, 1] << 8 | low[:, 2])
    found: IntArray = _MONTHS.get_indexer(key) + 1
    return found

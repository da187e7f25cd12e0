"""The geometry of a report's figures: where each mark and each label is, in pixels.

The page draws them as SVG, its texts as text. No figure tells anything by colour alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..model.disclosure import ALONE
from . import report_words as w
from .exploration import Exploration
from .judgement import interval
from .option_result import OptionResult

WIDTH = 720.0
COMPARED = ("outsider", "linkage", "home", "unicity", ALONE)
"""Shares of people, which stand on one scale."""

_LEFT, _RIGHT, _TOP, _BOTTOM, _HEIGHT = 62.0, 18.0, 14.0, 52.0, 400.0
_DIGIT, _LINE = 7.6, 14.0  # of a label, 13 pixels high
_ROW, _ROWS_LEFT, _ROWS_TOP = 40.0, 286.0, 34.0
_BAR = 26.0
_STEPS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
_MOST_TICKS = 6


@dataclass(frozen=True)
class Tick:
    """A mark of an axis."""

    at: float
    text: str


@dataclass(frozen=True)
class Mark:
    """An option in the figure of the front; y grows downwards.

    Attributes
    ----------
    x, y, y_low, y_high : float
    kind : {"front", "behind"}
    over : bool
        Whether it is over some limit, or may be.
    chosen : bool
    number : int
    label : (x, y, anchor) or None
        Where the number stands; None where it would run into others.
    name : str
    """

    x: float
    y: float
    y_low: float
    y_high: float
    kind: str
    over: bool
    chosen: bool
    number: int
    label: tuple[float, float, str] | None
    name: str


@dataclass(frozen=True)
class Front:
    """Risk against utility."""

    marks: tuple[Mark, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    x_title: str
    y_title: str
    limit_y: float | None
    limit_text: str
    described: str
    left: float = _LEFT
    right: float = WIDTH - _RIGHT
    top: float = _TOP
    bottom: float = _HEIGHT - _BOTTOM
    width: float = WIDTH
    height: float = _HEIGHT

    @property
    def unlabelled(self) -> list[int]:
        """Numbers that are not written, since they would run into others."""
        return [mark.number for mark in self.marks if mark.label is None]


@dataclass(frozen=True)
class Compared:
    """A measure of the data as they are and of the chosen form; NaN where not known."""

    y: float
    title: str
    before: tuple[float, float, float] | None
    after: tuple[float, float, float] | None
    guessing: float | None
    limit: float | None


@dataclass(frozen=True)
class Attacks:
    """What an outsider finds before and after."""

    rows: tuple[Compared, ...]
    ticks: tuple[Tick, ...]
    height: float
    described: str
    left: float = _ROWS_LEFT
    right: float = WIDTH - _RIGHT - 10
    top: float = _ROWS_TOP
    width: float = WIDTH


@dataclass(frozen=True)
class Bar:
    """A component of utility."""

    y: float
    title: str
    meaning: str
    weight: str
    length: float
    text: str
    text_x: float


@dataclass(frozen=True)
class Cost:
    """What remains of the use of the data, by component."""

    bars: tuple[Bar, ...]
    ticks: tuple[Tick, ...]
    height: float
    described: str
    left: float = _ROWS_LEFT
    right: float = WIDTH - _RIGHT - 40
    top: float = 8.0
    width: float = WIDTH


def front(exploration: Exploration, chosen: int | None) -> Front | None:
    """The figure of all forms; None where no risk or no utility is known."""
    table, limits, risk = exploration.table, exploration.limits, exploration.table.risk_name
    rows = [
        i
        for i in range(len(table.results))
        if math.isfinite(table.risk[i]) and math.isfinite(table.utility[i])
    ]
    if not rows:
        return None
    share = w.MEASURES[risk].unit == "%"
    limit = None if risk == "home" else limits.limit(risk)
    ends = [_finite(table.risk_high[i], table.risk[i]) for i in rows] + ([limit] if limit else [])
    top = max(ends) * 1.06 or 1.0
    lowest, highest = (f(float(table.utility[i]) for i in rows) for f in (min, max))
    room = max(0.02, 0.06 * (highest - lowest))
    x_from, x_to = max(0.0, lowest - room), min(1.0, highest + room)
    right, bottom = WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def x(value: float) -> float:
        return _LEFT + (value - x_from) / (x_to - x_from) * (right - _LEFT)

    def y(value: float) -> float:
        return bottom - max(0.0, value) / top * (bottom - _TOP - 8) - 4

    marks = []
    for i in rows:
        low, high = (_finite(end[i], table.risk[i]) for end in (table.risk_low, table.risk_high))
        marks.append(
            Mark(
                _r(x(float(table.utility[i]))),
                _r(y(float(table.risk[i]))),
                _r(y(low)),
                _r(y(high)),
                "front" if table.front[i] else "behind",
                bool(limits.broken(table.results[i])),
                i == chosen,
                i + 1,
                None,
                w.shown(table.options[i].told),
            )
        )
    placed = _labelled(marks)
    p = table.config.p
    unit = "" if share else f" ({w.MEASURES[risk].unit})"
    title = w.MEASURES[risk].title.format(p=p)
    best = sum(mark.kind == "front" for mark in marks)
    described = (
        f"{w.count(len(marks), 'form')} of the data: utility to the right, {title} upwards, with "
        f"95 % intervals. {best} on the front: no other is surely better in both. The table of all "
        "forms holds the same numbers."
    )
    return Front(
        tuple(placed),
        tuple(Tick(_r(x(v)), f"{v:.2f}") for v in _ticks(x_from, x_to)),
        tuple(Tick(_r(y(v)), f"{100 * v:g} %" if share else f"{v:g}") for v in _ticks(0.0, top)),
        f"Utility, {w.shown(table.choice.label)} (0 to 1)",
        f"{title}{unit}",
        None if limit is None else _r(y(limit)),
        "" if limit is None else f"limit {w.limit(limits, risk)}",
        described,
    )


def attacks(exploration: Exploration, chosen: OptionResult | None) -> Attacks:
    """What is found in the data as they are, and in the chosen form."""
    raw, limits, p = exploration.as_it_is, exploration.limits, exploration.table.config.p
    left, right = Attacks.left, Attacks.right

    def x(share: float) -> float:
        return _r(left + min(1.0, max(0.0, share)) * (right - left))

    def across(result: OptionResult | None, risk: str) -> tuple[float, float, float] | None:
        if result is None or not math.isfinite(interval(result, risk)[0]):
            return None
        value, low, high = interval(result, risk)
        return x(value), x(_finite(low, value)), x(_finite(high, value))

    rows = []
    for number, risk in enumerate(COMPARED):
        result = chosen or raw
        beside = (
            math.nan
            if result is None
            else result.guessing.get("linkage" if risk == "outsider" else risk, math.nan)
        )
        most = None if result is None else limits.allowed(result, risk)
        rows.append(
            Compared(
                _ROWS_TOP + (number + 0.5) * _ROW,
                w.MEASURES[risk].title.format(p=p),
                across(raw, risk),
                across(chosen, risk),
                None if math.isnan(beside) else x(beside),
                None if most is None or math.isnan(most) else x(most),
            )
        )
    said = "; ".join(
        f"{w.MEASURES[risk].title.format(p=p)}: "
        + " and ".join(
            f"{w.estimate(result, risk)} {when}"
            for result, when in ((raw, "as they are"), (chosen, "in the chosen form"))
            if result is not None
        )
        for risk in COMPARED
    )
    ticks = tuple(Tick(x(tenth / 5), f"{20 * tenth} %") for tenth in range(6))
    return Attacks(tuple(rows), ticks, _ROWS_TOP + len(rows) * _ROW + 40, f"{said}.")


def cost(exploration: Exploration, chosen: OptionResult | None) -> Cost | None:
    """What the chosen form keeps of each component; None where that is not computed."""
    if chosen is None or not chosen.components:
        return None
    weights = exploration.table.choice.weights or {}
    left, right = Cost.left, Cost.right
    bars = []
    for number, (name, (title, meaning)) in enumerate(w.COMPONENTS.items()):
        kept = chosen.components.get(name, math.nan)
        if not math.isfinite(kept):
            continue
        length = _r(min(1.0, max(0.0, kept)) * (right - left))
        weight = f"weight {100 * weights[name]:.0f} %" if weights.get(name) else "no weight"
        bars.append(
            Bar(
                Cost.top + number * (_BAR + 12),
                title,
                meaning,
                weight if weights else "",
                length,
                f"{kept:.2f}",
                _r(left + length + 6),
            )
        )
    ticks = tuple(Tick(_r(left + v / 4 * (right - left)), f"{v / 4:g}") for v in range(5))
    said = "; ".join(f"{bar.title} {bar.text}" for bar in bars)
    return Cost(tuple(bars), ticks, Cost.top + len(bars) * (_BAR + 12) + 30, f"{said}.")


# --- labels --------------------------------------------------------------------------------------

_Box = tuple[float, float, float, float]


def _labelled(marks: Sequence[Mark]) -> list[Mark]:
    """Each with a place for its number beside it, where there is one: the chosen and best first."""
    taken: list[_Box] = [_taken(m) for m in marks]
    places: dict[int, tuple[float, float, str]] = {}
    for mark in sorted(marks, key=lambda m: (not m.chosen, m.kind != "front", m.number)):
        wide = _DIGIT * len(str(mark.number))
        for dx, dy, anchor in (
            (10, -6, "start"),
            (10, 14, "start"),
            (-10, -6, "end"),
            (-10, 14, "end"),
            (0, -12, "middle"),
            (0, 22, "middle"),
            (17, 4, "start"),
            (-17, 4, "end"),
        ):
            at, base = mark.x + dx, mark.y + dy
            start = at - {"start": 0.0, "end": wide, "middle": wide / 2}[anchor]
            box = (start, base - _LINE + 3, start + wide, base + 2)
            inside = box[0] > _LEFT and box[2] < WIDTH and box[1] > 0 and box[3] < _HEIGHT - _BOTTOM
            if inside and not any(_meet(box, other) for other in taken):
                taken.append(box)
                places[mark.number] = (_r(at), _r(base), anchor)
                break
    return [
        Mark(**{**mark.__dict__, "label": places.get(mark.number)})
        for mark in sorted(marks, key=lambda m: (m.chosen, m.kind == "front"))
    ]


def _taken(mark: Mark) -> _Box:
    """The room that a mark takes, with the ring of the chosen one."""
    half = 14 if mark.chosen else 7
    return mark.x - half, mark.y - half, mark.x + half, mark.y + half


def _meet(one: _Box, other: _Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers between two, few enough to be read."""
    power = 10.0 ** math.floor(math.log10(max(high - low, 1e-9)))
    step = next(s * power for s in _STEPS if (high - low) / (s * power) <= _MOST_TICKS)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 10) for number in range(first, last + 1)]


def _finite(end: float, instead: float) -> float:
    return float(end) if math.isfinite(end) else float(instead)


def _r(pixels: float) -> float:
    return round(pixels, 1)

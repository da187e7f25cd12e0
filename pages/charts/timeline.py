"""Local dates and times along an axis."""

from __future__ import annotations

import numpy as np

from fpanon_core.model.arrays import FloatArray


def ticks(wall_min: FloatArray, days: list[str]) -> tuple[list[float], list[str]]:
    """At most about eight ticks at round local times; a date on the first and at midnights."""
    low, high = float(wall_min.min()), float(wall_min.max())
    steps = (15, 30, 60, 120, 180, 360, 720, 1440, 2880, 7 * 1440, 14 * 1440, 30 * 1440)
    step = next((s for s in steps if (high - low) / s <= 8), 90 * 1440)
    at = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
    text = [f"<b>{_day(m, days)}</b>" if m % 1440 == 0 else _hour(m) for m in at]
    if len(at) and at[0] % 1440:
        text[0] = f"<b>{_day(at[0], days)}</b> {text[0]}"
    return at.tolist(), text


def clock(wall_min: float, days: list[str]) -> str:
    """Such as "4 Mar 08:05"; local minutes since the first midnight."""
    return f"{_day(wall_min, days)} {_hour(wall_min)}"


def _hour(wall_min: float) -> str:
    return f"{int(wall_min % 1440 // 60):02d}:{int(wall_min % 60):02d}"


def _day(wall_min: float, days: list[str]) -> str:
    day = int(wall_min // 1440)
    return days[day] if 0 <= day < len(days) else f"day {day + 1}"

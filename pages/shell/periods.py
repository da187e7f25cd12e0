"""Periods as forms offer them, and what they are called: whole records, weeks, days, 14 days."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from fpanon_core.model import limits
from fpanon_core.model.errors import ConfigError

PERIODS: Mapping[str, int | None] = MappingProxyType({"whole records": None, "weeks": 7, "days": 1})
"""Days of a period, by the words that forms offer."""

HELP = (
    "With periods everyone gets a new pseudonym and a new crowd in each. Shorter records are "
    "easier to hide, but nobody can be followed for longer than a period. Choose, or type a "
    "number of days."
)
_DAYS = re.compile(r"\s*(\d{1,4})\s*(d|days?)?\s*")


def days_of(text: str) -> int | None:
    """Days of a period as chosen or typed; None for whole records.

    Raises
    ------
    ConfigError
        It is no number of days that is offered.

    Examples
    --------
    >>> days_of("weeks"), days_of("14 days"), days_of("whole records")
    (7, 14, None)
    """
    if text in PERIODS:
        return PERIODS[text]
    typed = _DAYS.fullmatch(text)
    if typed is None or int(typed[1]) not in limits.PERIOD_DAYS:
        raise ConfigError(
            "The period was not understood; choose one, or type a number of days from "
            f"{limits.PERIOD_DAYS.low} to {limits.PERIOD_DAYS.high:,}, such as 14."
        )
    return int(typed[1])


def called(days: int | None) -> str:
    """A period in one word or two: "whole", "weeks", "days", "14 days"."""
    return "whole" if days is None else {1: "days", 7: "weeks"}.get(days, f"{days} days")


def one(days: int) -> str:
    """One such period: "day", "week", "period of 14 days"."""
    return {1: "day", 7: "week"}.get(days, f"period of {days} days")

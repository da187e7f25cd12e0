"""Ranges of the settings that the dashboard, its web addresses and the command line accept.

The configs of :mod:`fpanon_core.model` refuse values that make no sense. The ranges here are
narrower, so that a typing error does not start a computation of many hours. Widgets, web addresses,
the command line and property-based tests all use these ranges.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from . import checks
from .errors import ConfigError

N = TypeVar("N", int, float)


@dataclass(frozen=True)
class Limit(Generic[N]):
    """Range from ``low`` to ``high``, both included; whole numbers if both are ``int``.

    Examples
    --------
    >>> K.check("k", 5)
    5
    >>> K.check("k", 101)
    Traceback (most recent call last):
    fpanon_core.model.errors.ConfigError: k = 101; it must be a whole number from 2 to 100.
    """

    low: N
    high: N

    def __contains__(self, value: object) -> bool:
        if not (checks.is_whole if isinstance(self.low, int) else checks.is_number)(value):
            return False
        return bool(self.low <= value <= self.high)  # type: ignore[operator]

    def check(self, name: str, value: object) -> N:
        """Return the value as a number; raise ConfigError unless it lies within the range."""
        if isinstance(self.low, int) and isinstance(self.high, int):
            return checks.whole(name, value, self.low, self.high)
        return checks.number(name, value, least=self.low, most=self.high)

    def read(self, text: str) -> N:
        """Parse a number from a text, such as part of an address; raise ConfigError if invalid.

        Examples
        --------
        >>> POINTS.read("4")
        4
        """
        kind: Callable[[str], int | float] = int if isinstance(self.low, int) else float
        try:
            value = kind(text)
        except ValueError:
            what = "a whole number" if kind is int else "a number"
            raise ConfigError(f"{text!r} is not {what}.") from None
        return self.check("The value", value)

    def at_most(self, high: N) -> Limit[N]:
        """Return the range with its upper end lowered to ``high``, but not below its lower end."""
        return Limit(self.low, max(self.low, min(self.high, high)))


K = Limit(2, 100)
"""Group sizes k for measures and releases. The data may have fewer users."""

PERIOD_DAYS = Limit(1, 3_660)
"""Days in a period, after which everyone gets a new pseudonym."""

PROFILES = Limit(1, 8)
"""Number of generalization profiles measured or compared at a time."""

SEED = Limit(0, 2**53 - 1)
"""Seed of any draw, up to the largest that a browser's number field can hold."""

POINTS = Limit(1, 50)
"""p, the number of points that an attacker knows of a target."""

OPTION_POINTS = Limit(1, 20)
"""p for comparing release options; every option is attacked with p points."""

TARGETS = Limit(1, 1_000_000)
"""Number of users attacked."""

COUNTED = Limit(2, 1_000_000)
"""Number of people in the aggregate counts under attack."""

SLOTS_MIN = (15, 30, 60, 90, 180)
"""Lengths of a slot of aggregate counts, minutes; each divides a day."""

COUNTS_DAYS = Limit(1, 3_660)
"""Number of days of published counts."""

COUNTS_SIDE_M = Limit(10.0, 1_000_000.0)
"""Side of a square of published counts, metres."""

SUPPRESSED_BELOW = Limit(2, 100_000)
"""Threshold below which counts are not published."""

EPSILON = Limit(0.0001, 100.0)
"""ε of private releases."""

LINK_M = Limit(0.0, 100_000.0)
"""Distance up to which the attack on counts links records before the optimal assignment, metres."""

W_SPACE = Limit(0.0, 1.0)
"""Weight of space in the stretch effort; time has the remainder."""

MAX_SPACE_KM = Limit(0.1, 1_000.0)
"""Stretch in space at which the effort in space reaches its maximum, km."""

MAX_TIME_MIN = Limit(1.0, 100_000.0)
"""Stretch in time at which the effort in time reaches its maximum, minutes."""

HEXAGON_RESOLUTION = Limit(0, 15)
"""Resolution of a profile's H3 hexagons; never finer than the data's own cells."""

REGION_ANTENNAS = Limit(2, 200)
"""Approximate number of antennas in a region for comparing regions with single antennas."""

USERS_KEPT_PERCENT = Limit(0.1, 100.0)
"""Share of the users kept by sampling, per cent."""

NOISE_M = Limit(0.0, 100_000.0)
"""Scale of noise in space, metres."""

NOISE_MIN = Limit(0.0, 100_000.0)
"""Scale of noise in time, minutes."""

WEIGHT = Limit(0.0, 100.0)
"""Weight of a component of utility."""

GRANULARITY_M = Limit(1.0, 10_000.0)
"""Granularity with which positions are read, metres."""

GRANULARITY_MIN = Limit(1.0, 1_440.0)
"""Granularity with which times are read, minutes."""

MIN_SAMPLES = Limit(1, 1_000_000)
"""Least number of samples of a user who is kept."""

GENERATED_USERS = Limit(1, 2**31)
"""Number of users of synthetic call records."""

GENERATED_DAYS = Limit(1, 366)
"""Number of days of synthetic call records."""

GENERATED_ANTENNAS = Limit(20, 4_000)
"""Number of antennas of a synthetic region."""

EVENTS_A_DAY = Limit(0.001, 1_000.0)
"""Mean number of events of a synthetic user per day."""

ACTIVITY_SIGMA = Limit(0.0, 3.0)
"""Standard deviation of the logarithm of synthetic users' activity."""

GENERATED_SEED = Limit(0, 2**63 - 1)
"""Seed of synthetic data."""

KEPT_RELEASES = 8
"""Number of releases that a session keeps of each kind, such as those by GLOVE."""

DRAWN_PEOPLE = 30
"""Least number of people for which a distribution over people is plotted, not only stated. With
fewer people, each quarter is a handful, and another sample would give a different box plot."""

COMPARED_OPTIONS = 4
"""Number of release options shown side by side."""

OPTION_NAME_CHARS = 60
"""Largest number of characters in the name of a release option."""

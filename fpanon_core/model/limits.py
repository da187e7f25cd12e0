"""How far the settings go that a dashboard, an address and a command line offer.

The configs of :mod:`fpanon_core.model` refuse what makes no sense; what is offered is narrower, so
that a slip of the finger does not ask for a day's work. Widgets take their ends from here, what
comes from an address or a command line is checked against the same, and so are property-based
tests, which need to know no more.
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
    """From ``low`` to ``high``, both possible; whole numbers where both are ``int``.

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
        """The value as a number; ConfigError unless it lies within."""
        if isinstance(self.low, int) and isinstance(self.high, int):
            return checks.whole(name, value, self.low, self.high)
        return checks.number(name, value, least=self.low, most=self.high)

    def read(self, text: str) -> N:
        """The number a text such as a part of an address says; ConfigError unless it lies within.

        Examples
        --------
        >>> POINTS.read("4")
        4
        """
        kind: Callable[[str], int | float] = int if isinstance(self.low, int) else float
        try:
            value = kind(text)
        except ValueError:
            raise ConfigError(f"{text!r} is no {kind.__name__}.") from None
        return self.check("It", value)

    def at_most(self, high: N) -> Limit[N]:
        """The same with an upper end of ``high`` where that is lower, but never an empty one."""
        return Limit(self.low, max(self.low, min(self.high, high)))


K = Limit(2, 100)
"""People to hide among: values of k measured, and of releases. The data may have fewer users."""

PERIOD_DAYS = Limit(1, 3_660)
"""Days in a period, after which everyone gets a new pseudonym."""

PROFILES = Limit(1, 8)
"""Generalization profiles measured or compared at a time."""

SEED = Limit(0, 2**53 - 1)
"""Of any draw; up to what a number field of a browser holds."""

POINTS = Limit(1, 50)
"""p, the points an adversary knows of a target."""

OPTION_POINTS = Limit(1, 20)
"""p where release options are compared: every option is attacked with it."""

TARGETS = Limit(1, 1_000_000)
"""Users whom an adversary asks about."""

COUNTED = Limit(2, 1_000_000)
"""People in aggregate counts that are attacked."""

SLOTS_MIN = (15, 30, 60, 90, 180)
"""Lengths of a slot of aggregate counts, minutes; each divides a day."""

COUNTS_CELLS = 10_000_000
"""Counts, places times slots, that can be produced at a time."""

COUNTS_DAYS = Limit(1, 3_660)
"""Days of produced counts."""

COUNTS_SIDE_M = Limit(10.0, 1_000_000.0)
"""Side of a square of produced counts, metres."""

SUPPRESSED_BELOW = Limit(2, 100_000)
"""Counts below which nothing is published."""

EPSILON = Limit(0.0001, 100.0)
"""ε of private counts."""

LINK_M = Limit(0.0, 100_000.0)
"""Distance up to which the attack on counts links at once, metres."""

W_SPACE = Limit(0.0, 1.0)
"""Weight of space in the stretch effort; time has the rest."""

MAX_SPACE_KM = Limit(0.1, 1_000.0)
"""Stretch in space that is the whole of the effort in space, km."""

MAX_TIME_MIN = Limit(1.0, 100_000.0)
"""Stretch in time that is the whole of the effort in time, minutes."""

GRID_KM = Limit(0.001, 2_000.0)
"""Side of a profile's square grid, km; never below the data's own."""

WINDOW_H = Limit(1 / 60, 8_760.0)
"""A profile's time window, hours; never below the data's own."""

HEXAGON_RESOLUTION = Limit(0, 15)
"""Resolution of a profile's H3 hexagons; never finer than the data's own cells."""

CLUSTER_ANTENNAS = Limit(1, 1_000)
"""Antennas in a cluster of a profile, about."""

REGION_ANTENNAS = Limit(2, 200)
"""Antennas in a region when regions are compared with single antennas, about."""

USERS_KEPT_PERCENT = Limit(0.1, 100.0)
"""Users kept by sampling, per cent."""

NOISE_M = Limit(0.0, 100_000.0)
"""Scale of noise in space, metres."""

NOISE_MIN = Limit(0.0, 100_000.0)
"""Scale of noise in time, minutes."""

WEIGHT = Limit(0.0, 100.0)
"""Weight of a component of utility."""

GRANULARITY_M = Limit(1.0, 10_000.0)
"""How coarse positions are read, metres."""

GRANULARITY_MIN = Limit(1.0, 1_440.0)
"""How coarse times are read, minutes."""

MIN_SAMPLES = Limit(1, 1_000_000)
"""Least samples of a user who is kept."""

MODEL_USERS = Limit(2, 1_000_000_000)
"""n of the sparsity model."""

MODEL_BINS = Limit(1, 1_000_000)
"""d of the sparsity model."""

MODEL_DENSITY = Limit(0.0001, 0.9999)
"""π of the sparsity model: the share of bins that a user is in."""

GENERATED_USERS = Limit(1, 2**31)
"""Users of synthetic call records."""

GENERATED_DAYS = Limit(1, 366)
"""Days of synthetic call records."""

GENERATED_ANTENNAS = Limit(20, 4_000)
"""Antennas of a synthetic region."""

EVENTS_A_DAY = Limit(0.001, 1_000.0)
"""Mean events of a synthetic user, a day."""

ACTIVITY_SIGMA = Limit(0.0, 3.0)
"""Standard deviation of the logarithm of synthetic users' activity."""

GENERATED_SEED = Limit(0, 2**63 - 1)
"""Of synthetic data."""

KEPT_RELEASES = 8
"""Releases with everyone hidden that a session keeps."""

DRAWN_PEOPLE = 30
"""People below whom a distribution over people is told and not drawn: a quarter of fewer is a
handful, and a box of them shows a shape that the next handful would not have."""

COMPARED_OPTIONS = 4
"""Release options shown side by side."""

OPTION_NAME_CHARS = 60
"""Length of the name of a release option."""

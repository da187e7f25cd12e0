"""Widgets that several forms share: profiles, stretch effort, numbers, lists and periods.

- The generalization profiles that forms offer, and those chosen or typed in a form.
- The stretch effort in force, set on one page and used by every page that measures stretch. It
  belongs to no page: a gap under one effort and a release under another cannot be compared.
- Fields for a number and for a choice from a list, as settings use them.
- Periods as forms offer and name them: whole records, weeks, days, 14 days.
- The local days of a data set, by their dates.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

import streamlit as st

from fpanon_core.model import limits
from fpanon_core.model.clock import zone_of
from fpanon_core.model.configs import StretchConfig
from fpanon_core.model.errors import ConfigError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.profiles import (
    AntennaClusters,
    GeneralizationProfile,
    Grid,
    Hexagons,
    Regions,
    Space,
    fine_to_coarse,
    parse_profile,
)
from pages.charts import words

from . import address

N = TypeVar("N", int, float)
T = TypeVar("T")

# The levels of Gramaglia & Fiore 2015, figure 4: from the finest that their data allow to a
# citywide, 8-hour aggregation.
_LEVELS = ((100, 1), (1_000, 30), (2_500, 60), (5_000, 120), (10_000, 240), (20_000, 480))
PRESETS = tuple(GeneralizationProfile(Grid(metres), minutes) for metres, minutes in _LEVELS)
_USUAL_MIN = 60.0  # window of the places that are offered beside the grids
_USUAL_HEXAGONS = (8, 7, 6)
_USUAL_ANTENNAS = (1, 7)

TYPED = (
    "Choose, or type your own: “3 km · 45 min”; “hexagons of H3 resolution 8 · 1 h”, with edges of "
    f"about {words.distance(Hexagons(8).edge_m)}; “about 7 antennas · 1 h”; “regions by district · "
    "1 h”, by a column of the antenna table. “3 km from 0 m east, 0 m north · 45 min” states where "
    "the grid begins."
)
"""Help text on how to type a profile where one is chosen."""


def offered(fs: FingerprintSet, *others: Sequence[GeneralizationProfile]) -> list[str]:
    """Return profiles to choose from, in words: those that suit the data, and ``others``.

    The profiles are ordered from fine to coarse. They include the usual grids and, if places are
    known in degrees, hexagons. With an antenna table, they also include antennas, antenna clusters
    and every column of names.
    """
    spaces: list[Space] = []
    if fs.crs is not None:
        cell_m2 = fs.granularity_m**2
        spaces += [each for each in map(Hexagons, _USUAL_HEXAGONS) if each.area_m2 >= cell_m2]
    if fs.antennas is not None:
        spaces += map(AntennaClusters, _USUAL_ANTENNAS)
        spaces += [Regions(name) for name in fs.antennas.columns if name.strip()]
    minutes = max(_USUAL_MIN, fs.granularity_min)
    found = {GeneralizationProfile(space, minutes) for space in spaces}
    found.update(PRESETS, *others)
    return [str(profile) for profile in sorted(found, key=fine_to_coarse)]


def profiles_of(chosen: Sequence[str]) -> tuple[GeneralizationProfile, ...]:
    """Return profiles from their displayed texts, fine to coarse.

    Raises
    ------
    ConfigError
        A text could not be read, or there are no profiles or too many.
    """
    return in_order([parse_profile(text) for text in chosen])


def in_order(profiles: Sequence[GeneralizationProfile]) -> tuple[GeneralizationProfile, ...]:
    """Return each profile once, fine to coarse; raise ConfigError if there are none or too many."""
    if len(profiles) not in limits.PROFILES:
        raise ConfigError(
            f"{len(profiles)} profiles are chosen; choose between {limits.PROFILES.low} and "
            f"{limits.PROFILES.high}."
        )
    return tuple(sorted(set(profiles), key=fine_to_coarse))


NAME = "stretch"
"""Name of the stretch effort in an address."""

_IN_FORCE = "fp_stretch"


def in_force() -> StretchConfig:
    """Return the stretch effort in force; when the session begins, the one in the address."""
    if _IN_FORCE not in st.session_state:
        usual = StretchConfig()
        put(address.asked(NAME, lambda text: address.from_text(text, usual), usual))
    found: StretchConfig = st.session_state[_IN_FORCE]
    return found


def put(config: StretchConfig) -> None:
    """Make this the stretch effort in force."""
    st.session_state[_IN_FORCE] = config


def number(label: str, limit: limits.Limit[N], value: N, *, at: Any = None, **how: Any) -> N:
    """Draw a field for a number within a range; return the number.

    It persists unless ``at`` is given: the container to draw in, such as a column of a form.
    """
    if at is None:
        how = {"persist_state": "session"} | how
    found: N = (at or st).number_input(label, limit.low, limit.high, value, **how)
    return found


def selectbox(label: str, options: Sequence[T], **how: Any) -> T:
    """Draw a list to choose from; return the choice, which persists."""
    found: T = st.selectbox(label, options, persist_state="session", **how)
    return found


def segments(label: str, named: Mapping[T, str], usual: T | None = None, **how: Any) -> T:
    """Draw a row of a few options, by name; return the chosen one, or the default.

    The default is ``usual`` or, if this is None, the first option.
    """
    found: T = st.segmented_control(
        label,
        list(named),
        default=next(iter(named)) if usual is None else usual,
        format_func=named.__getitem__,
        required=True,
        persist_state="session",
        **how,
    )
    return found


PERIODS: Mapping[str, int | None] = MappingProxyType({"whole records": None, "weeks": 7, "days": 1})
"""Days of a period, by the words that forms offer."""

HELP = (
    "With periods, everyone gets a new pseudonym and a new group in each period. Shorter records "
    "are easier to hide, but no pseudonym lasts longer than a period. Choose, or type a "
    "number of days."
)
_DAYS = re.compile(r"\s*(\d{1,4})\s*(d|days?)?\s*")


def days_of(text: str) -> int | None:
    """Return the days of a period as chosen or typed; None for whole records.

    Raises
    ------
    ConfigError
        The text is neither a period on offer nor an allowed number of days.

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
    """Return a period in one word or two: "whole", "weeks", "days", "14 days"."""
    return "whole" if days is None else {1: "days", 7: "weeks"}.get(days, f"{days} days")


def one(days: int) -> str:
    """Return the name of a period of this many days: "day", "week", "period of 14 days"."""
    return {1: "day", 7: "week"}.get(days, f"period of {days} days")


def days(fs: FingerprintSet) -> list[str]:
    """Return the names of a data set's local days: dates such as "3 Mar", or else "day 1"."""
    last = int(fs.wall_minutes(fs.t_min).max() // 1440)
    if fs.clock is None:
        return [f"day {d + 1}" for d in range(last + 1)]
    begins = dt.timedelta(minutes=float(fs.clock.wall_minutes([0.0])[0]))
    first = fs.clock.epoch.astimezone(dt.UTC) + begins
    local = first.astimezone(zone_of(fs.clock.timezone))
    return [f"{local.date() + dt.timedelta(days=d):%-d %b}" for d in range(last + 1)]

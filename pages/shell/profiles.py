"""The generalization profiles that forms offer, and those that somebody chose or typed in one."""

from __future__ import annotations

from collections.abc import Sequence

from fpanon_core.model import limits
from fpanon_core.model.errors import ConfigError
from fpanon_core.model.profiles import GeneralizationProfile, Grid, fine_to_coarse, parse_profile

# The levels of Gramaglia & Fiore 2015, figure 4: from the finest that their data allow to a
# citywide, 8-hour aggregation.
PRESETS = tuple(
    GeneralizationProfile(Grid(metres), minutes)
    for metres, minutes in (
        (100, 1),
        (1_000, 30),
        (2_500, 60),
        (5_000, 120),
        (10_000, 240),
        (20_000, 480),
    )
)


def profiles_of(chosen: Sequence[str]) -> tuple[GeneralizationProfile, ...]:
    """From texts as profiles are shown, fine to coarse.

    Raises
    ------
    ConfigError
        A text could not be read, or there are none or too many.
    """
    _check_count(len(chosen))
    return in_order([parse_profile(text) for text in chosen])


def in_order(profiles: Sequence[GeneralizationProfile]) -> tuple[GeneralizationProfile, ...]:
    """Each once, fine to coarse; ConfigError where there are none or too many."""
    _check_count(len(profiles))
    return tuple(sorted(set(profiles), key=fine_to_coarse))


def _check_count(count: int) -> None:
    if count not in limits.PROFILES:
        raise ConfigError(
            f"{count} profiles are chosen; choose from {limits.PROFILES.low} to "
            f"{limits.PROFILES.high} of them."
        )

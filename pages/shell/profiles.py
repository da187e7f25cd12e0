"""The generalization profiles that forms offer, and those that somebody chose or typed in one."""

from __future__ import annotations

from collections.abc import Sequence

from fpanon_core.model import limits
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


_USUAL_MIN = 60.0  # window of the places that are offered beside the grids
_USUAL_HEXAGONS = (8, 7, 6)
_USUAL_ANTENNAS = (1, 7)

TYPED = (
    "Choose, or type your own: “3 km · 45 min”; “hexagons of H3 resolution 8 · 1 h”, of edges of "
    f"about {words.distance(Hexagons(8).edge_m)}; “about 7 antennas · 1 h”; “regions by district · "
    "1 h”, by a column of the antenna table. “3 km from 0 m east, 0 m north · 45 min” states where "
    "the grid begins."
)
"""How a profile is typed where one is chosen."""


def offered(fs: FingerprintSet, *others: Sequence[GeneralizationProfile]) -> list[str]:
    """Profiles to choose from, in words: those that suit the data, and others, fine to coarse.

    The usual grids; hexagons where the places are known in degrees; antennas, their clusters and
    every column of names where there is an antenna table.
    """
    spaces: list[Space] = []
    if fs.crs is not None:
        spaces += [
            hexagons
            for hexagons in map(Hexagons, _USUAL_HEXAGONS)
            if hexagons.area_m2 >= fs.granularity_m**2
        ]
    if fs.antennas is not None:
        spaces += map(AntennaClusters, _USUAL_ANTENNAS)
        spaces += [Regions(name) for name in fs.antennas.columns if name.strip()]
    minutes = max(_USUAL_MIN, fs.granularity_min)
    found = {GeneralizationProfile(space, minutes) for space in spaces}
    found.update(PRESETS, *others)
    return [str(profile) for profile in sorted(found, key=fine_to_coarse)]


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

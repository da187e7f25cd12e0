"""Warming up: imports and compilation before the first question of a session."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from ..model.configs import KnowledgeConfig
from ..model.counts_frame import FrameConfig, StatedArea, StatedPeriod
from ..model.fingerprints import FingerprintSet
from ..model.options import AddNoise, Periods, ReleaseOption, Synthesize
from ..model.profiles import GeneralizationProfile, Grid
from . import (
    anonymizability,
    antenna_merging,
    attack,
    disclosure,
    followed,
    hiding,
    options,
    production,
    reading,
    recovery,
    relinking,
    synthetic_people,
    unicity,
)

_PROFILES = (GeneralizationProfile(Grid(200), 5),)
_KNOWLEDGE = KnowledgeConfig(2, users=10)
_ATTACK = attack.Config(ReleaseOption(steps=(AddNoise(200.0),)), 2, users=9)
_SQUARES = FrameConfig(StatedPeriod(None, 1), "grid", StatedArea(0, 0, 900, 6_000, "metres"), 900.0)
_EVENTS = b"user,time,lat,lon\na,2024-03-04T08:00Z,14.71,-17.45\nb,2024-03-04T09:00Z,14.72,-17.45\n"
_STUDIES: tuple[tuple[ModuleType, Any], ...] = (
    (hiding, hiding.Config(2, suppress_space_m=2_000.0, method="aligned")),
    (hiding, hiding.Config(3, method="aligned", period_days=1)),
    (hiding, hiding.Config(2, suppress_space_m=2_000.0)),
    (hiding, hiding.Config(3, suppress_space_m=2_000.0)),
    (hiding, hiding.Config(3, method="aligned")),
    (production, production.Config(hidden=hiding.Config(2, suppress_space_m=2_000.0))),
    (unicity, unicity.Config(users=9)),
    (antenna_merging, antenna_merging.Config(size=2, users=9)),
    (options, options.Config(knowledge=_KNOWLEDGE)),
    (attack, _ATTACK),
    (disclosure, disclosure.Config(_KNOWLEDGE, _PROFILES)),
    (synthetic_people, Synthesize(_SQUARES, 1.0, 9)),
)


def warm_up() -> None:
    """Import and compile what the first jobs need, with a few invented users."""
    reading.read(reading.Source("", file=("made-up.csv", _EVENTS)), reading.Reading())
    fs = FingerprintSet.from_samples([1, 1, 2, 3], [0, 900, 0, 300], [0, 0, 0, 0], [0, 9, 4, 2])
    anonymizability.study(fs, anonymizability.Config(_PROFILES, (2, 3)))


def compile_all() -> None:
    """Compile everything that a view may need; ``make run`` does so once after installing."""
    warm_up()
    fs = FingerprintSet.from_samples(
        np.repeat(np.arange(9), 2), 300.0 * np.arange(18), np.zeros(18), 7.0 * np.arange(18)
    )
    for module, config in _STUDIES:
        module.study(fs, config)
    followed.follow(fs, _ATTACK, 0)
    # Data of two days, so that the code that links days is compiled, too.
    days = FingerprintSet.from_samples([1, 2] * 2, [0, 900] * 2, [0] * 4, [0, 0, 2_000, 2_000])
    recovery.study(days, recovery.Config(180.0))
    relinking.study(days, relinking.Config(ReleaseOption(steps=[Periods(1)])))

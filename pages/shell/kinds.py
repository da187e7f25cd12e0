"""Kinds of question that several pages ask, or no page waits for; each is answered once."""

from __future__ import annotations

from collections.abc import Hashable

from fpanon_core.studies import anonymizability, attack, options, recovery

from .questions import Kind

_PROFILES_KEPT = 32  # under several stretch efforts

OPTION = Kind("options", options.study, page="options", kept=200, together=True)
"""Question about one release option, weighed by itself."""

AS_IT_IS = Kind("as_it_is", options.study, page="report", kept=4)
"""Question about the original data, measured as the options are."""

ATTACK = Kind("attack", attack.study, page="attack", kept=24)
"""Question about what an attacker finds in a release of records."""

RECOVERY = Kind("recovery", recovery.study, page="aggregates")
"""Question about the attack on the data's own counts."""


def _ground(config: anonymizability.Config) -> Hashable:
    """Return what distinguishes two runs; the values of k only set how far a run goes."""
    return config.profiles, config.stretch


MEASURE = Kind(
    "measure",
    anonymizability.study,
    page="anonymizability",
    kept=_PROFILES_KEPT,
    together=True,
    join=anonymizability.extended,
    identity=_ground,
)
"""Question about everybody's k-gap under a profile."""

DEEPEN = Kind(
    "deepen",
    anonymizability.study,
    page=None,
    kept=_PROFILES_KEPT,
    join=anonymizability.extended,
    identity=_ground,
)
"""Question about everybody's k-gap up to the largest k offered; asked in the background."""

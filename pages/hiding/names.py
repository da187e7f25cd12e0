"""What methods and releases are called on this page."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from fpanon_core.model.glove import Method
from fpanon_core.studies.hiding import Config
from pages.shell import widgets

METHODS: Mapping[Method, str] = MappingProxyType(
    {"aligned": "aligned", "glove": "GLOVE, as published"}
)
LEFTOVERS = {"merge": "join the nearest group", "suppress": "are left out"}
_SHORT: Mapping[Method, str] = {"aligned": "aligned", "glove": "GLOVE"}


def word(method: Method) -> str:
    """A method, in a word."""
    return _SHORT[method]


def limits_of(config: Config) -> str:
    """The limits of a release, its shards, and who is left over; "" where all is as usual."""
    parts = []
    if config.shards is not None:
        parts.append(f"{config.shards:,} shards")
    if config.suppress_space_m is not None:
        parts.append(f"at most {config.suppress_space_m / 1000:g} km")
    if config.suppress_time_min is not None:
        parts.append(f"at most {config.suppress_time_min / 60:g} h")
    if config.leftover == "suppress":
        parts.append("left-overs out")
    return ", ".join(parts)


def name_of(config: Config) -> str:
    """How a release is called, by what it was made with."""
    parts = [f"{word(config.method)}, k = {config.k}"]
    if config.period_days is not None:
        parts[0] += f", {widgets.called(config.period_days)}"
    if config.leave_out:
        parts.append(f"up to {100 * config.leave_out:g} % out")
    if limited := limits_of(config):
        parts.append(limited)
    return " · ".join(parts)

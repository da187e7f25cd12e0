"""Utility of a release for a purpose: the components, their weights and the result.

:class:`UtilityResult` is what :func:`fpanon_core.utility` returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .arrays import Closed
from .checks import number
from .errors import ConfigError

Weights = str | Mapping[str, float]
Corners = Mapping[str, tuple[float, ...]]
"""Components that depend on the origin of the grid of squares, with a value for each origin."""

COMPONENTS = ("density", "flows", "mobility", "visits", "space", "time")


def _weights(**given: float) -> Mapping[str, float]:
    """Return the weights of all components; those not given are 0."""
    return MappingProxyType(dict.fromkeys(COMPONENTS, 0.0) | given)


TRANSPORT = _weights(density=0.2, flows=0.35, mobility=0.1, space=0.15, time=0.2)
"""Weights for transport planning, by our judgement. Trips between areas (flows) come first; then
demand by place and hour, and the time of day, which determines peaks; then how precisely stops can
be located. Noriega Campero's (2015) experts gave scores to whole profiles, not weights."""

EPIDEMICS = _weights(density=0.3, flows=0.2, mobility=0.25, visits=0.15, space=0.1)
"""Weights for preventing infectious disease, by our judgement: where people are (density), how far
they carry a disease (mobility), along which routes (flows), and among how many places they mix
(visits). Infection takes days, so the resolution in time has no weight."""

WEIGHTINGS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "transport": TRANSPORT,
        "epidemics": EPIDEMICS,
        "presence": _weights(density=1.0),
        "travel": _weights(density=0.3, flows=0.7),
        # Above all, how far people move, and among how many places.
        "research": _weights(flows=0.2, mobility=0.3, visits=0.3, space=0.1, time=0.1),
    }
)


def weighting(weights: Weights) -> dict[str, float]:
    """Return the weights of all components, adding up to 1, from a name or a mapping.

    Raises
    ------
    ConfigError
        The weights are neither a known name nor a mapping; a component is unknown; or a weight is
        negative or not a number, or all are 0.
    """
    if isinstance(weights, str):
        if weights not in WEIGHTINGS:
            raise ConfigError(
                f"Unknown weighting {weights!r}; give {' or '.join(map(repr, WEIGHTINGS))}, or "
                "weights of your own."
            )
        weights = WEIGHTINGS[weights]
    if not isinstance(weights, Mapping):
        raise ConfigError("Weights must be a name or a mapping of component to weight.")
    unknown = [name for name in weights if name not in COMPONENTS]
    if unknown:
        raise ConfigError(
            f"Utility has no component {unknown[0]!r}; it has {', '.join(COMPONENTS)}."
        )
    for name, value in weights.items():
        number(f"The weight of {name}", value, least=0.0)
    total = sum(weights.values())
    if not total > 0:
        raise ConfigError("All weights are 0; give at least one component a weight above 0.")
    return {name: float(weights.get(name, 0.0)) / total for name in COMPONENTS}


@dataclass(frozen=True, eq=False)
class UtilityResult(Closed):
    """Utility of a release, by component and as one number.

    Attributes
    ----------
    score : float
        Weighted mean of the components, in [0, 1]. A component that is not applicable counts as 0.
    lowest, highest : float
        Least and greatest score over the origins of the grid of squares; ``score`` for other areas.
    components : dict of str to float
        Value of each of :data:`COMPONENTS`, in [0, 1]; NaN if not applicable. ``density`` and
        ``flows`` are means over the origins of the grid.
    corners : mapping of str to tuple of float
        Values of ``density`` and ``flows``, one for each origin of the grid.
    weights : dict of str to float
        Weight of each component; they add up to 1.
    areas : str
        Areas over which density and flows are compared, in words.
    digest, released_digest : str
        Digests of both data sets.
    """

    score: float
    lowest: float
    highest: float
    components: dict[str, float]
    corners: Corners
    weights: dict[str, float]
    areas: str
    digest: str
    released_digest: str

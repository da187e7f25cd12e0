"""How useful is what would be released? Computed utility.

Noriega Campero 2015 (ch. 5) asked ten experts; this module computes, against the original data,
what such experts use: the "maps of regional density and mobility patterns of the population" that
they were shown. Every component lies in [0, 1]; those that compare are 1 for unchanged data, and
the two resolutions are 1 for points of no extent. What it cannot know is
what a use needs; therefore the weights are stated, and everyone's to change.

What is counted are events: a sample's ``count``, and a fingerprint that stands for several
subscribers counts as so many. So the same record has the same mass however many others it was
brought together with, and generalization is nothing but a spreading of mass.

Source: docs/science.md, “Techniques, utility and the front of release options”.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy.stats import ks_2samp  # type: ignore[import-untyped,unused-ignore]

from ..model.arrays import FloatArray
from ..model.checks import number
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.released import ReleasedSet
from ..model.utility import COMPONENTS, WEIGHTINGS, Corners, UtilityResult, Weights
from .areas import Areas
from .reference import (
    Reference,
    Spread,
    jensen_shannon,
    occupancies,
    radii,
    spans,
    trips_between,
    visited,
)


def utility(
    original: FingerprintSet,
    released: FingerprintSet,
    *,
    weights: Weights = "transport",
    areas: Areas = None,
    reference: Reference | None = None,
) -> UtilityResult:
    """How much of the original data's use a release keeps.

    The components, with U the mass of each event spread evenly over its cell:

    - ``density``: 1 − Jensen–Shannon distance, base 2, of area × hour-of-day occupancy. A cell
      larger than an area, or a window longer than an hour, spreads over all it overlaps. Mass in
      areas that the original does not use is wholly misplaced.
    - ``flows``: common part of commuters ``2·Σ min(T, T') / (ΣT + ΣT')`` of the origin–destination
      matrices of the areas, per subscriber, so that a sample of the users can score 1. A trip leads
      from where a subscriber mainly was at one start of samples (the place with the most events;
      ties: smaller x, then y) to another such place at the next; within one window nothing tells
      the order. Trips spread as their cells do; those within an area are none.
    - ``mobility``: 1 − Kolmogorov–Smirnov distance of the subscribers' radii of gyration, of their
      events at the cells' middles.
    - ``visits``: 1 − Kolmogorov–Smirnov distance of the numbers of distinct places per subscriber.
    - ``space``, ``time``: 1 − mean span/threshold, at least 0. The spans are (dx + dy)/2 and dt,
      over events; thresholds :data:`.reference.MAX_SPACE_M` and :data:`.reference.MAX_TIME_MIN`.
      Of the release alone: the original's own cells, too, tell no more than they do.

    Squares have no natural corner: ``density`` and ``flows`` are means over nine grids, shifted by
    0, 1/3 and 2/3 of a side along x and y; the score of each grid lies from ``lowest`` to
    ``highest``.

    Along nested generalizations ``visits``, ``space`` and ``time`` cannot rise, and ``space`` and
    ``time`` say nothing of what noise or exchange made wrong: look at the others. ``density``,
    ``flows`` and ``mobility`` fall on data, but the definition of a distance gives no guarantee to
    the last digit.

    Parameters
    ----------
    original, released : FingerprintSet
        On one projection and one epoch; the release may have fewer users. Of a release in periods,
        radii and visits are of its records, which is all that its reader can compute; trips are per
        person all the same, without those from one period to the next.
    weights : "transport", "epidemics", or mapping of component to weight
        Not negative and not all 0; components not named have none.
    areas : float, Hexagons or Regions, optional
        Analysis areas: the side of squares, metres; hexagons; or regions named in the antenna
        table. The usual squares if not given; see :meth:`Reference.of`.
    reference : Reference, optional
        The original's side made before, for many releases of one original.

    Returns
    -------
    UtilityResult

    Raises
    ------
    ConfigError
        Unknown or unusable weights, a reference of other data, or areas that these data do not
        have, or that are too fine.

    Examples
    --------
    >>> from fpanon_core import GeneralizationProfile, Grid, generalize
    >>> x, y, t = [0, 9000, 300], [0, 0, 7000], [60, 600, 65]
    >>> fs = FingerprintSet.from_samples([1, 1, 2], x, y, t)
    >>> round(utility(fs, fs).score, 4)  # cells of 100 m and 1 min, and otherwise unchanged
    0.9991
    >>> wide = utility(fs, generalize(fs, GeneralizationProfile(Grid(5000), 480)))
    >>> round(wide.components["space"], 3), round(wide.components["time"], 3)
    (0.75, 0.667)
    """
    chosen = weighting(weights)
    if reference is None:
        reference = Reference.of(original, areas=areas)
    elif reference.digest != original.digest:
        raise ConfigError("The reference is of other data; make it of the original given.")
    components, corners = measured(reference, released, _people(released))
    lowest, highest = score_range(components, corners, chosen)
    return UtilityResult(
        score=score(components, chosen),
        lowest=lowest,
        highest=highest,
        components=components,
        corners=corners,
        weights=chosen,
        areas=str(reference.ground),
        digest=reference.digest,
        released_digest=released.digest,
    )


def _people(released: FingerprintSet) -> int | None:
    """People published, where several fingerprints of a release in periods are one person's."""
    origin = released.origin if isinstance(released, ReleasedSet) else None
    if origin is None or origin.period is None:
        return None
    return len(np.unique(origin.person))


def measured(
    reference: Reference, released: FingerprintSet, people: int | None = None
) -> tuple[dict[str, float], Corners]:
    """Every component of a release against the original's side; and at each corner, if it differs.

    Where several fingerprints are one person's, ``people`` are the subscribers that trips are per.
    """
    spread = Spread.of(released, people)
    grids = spread.on(reference)
    density, flows = [], []
    for corner, grid, mass in zip(
        reference.corners, grids, occupancies(released, spread, grids), strict=True
    ):
        density.append(_share(1 - jensen_shannon(corner.occupancy, mass)))
        theirs, others = trips_between(grid, corner.starts, corner.targets, spread)
        flows.append(_share(_common_part(corner.trips, theirs, others)))
    span_m, span_min = spans(released)
    parts = {
        "density": math.fsum(density) / len(density),
        "flows": math.fsum(flows) / len(flows),
        "mobility": 1 - _ks(reference.radii, radii(released)),
        "visits": 1 - _ks(reference.visits, visited(released)),
        "space": 1 - span_m / reference.max_space_m,
        "time": 1 - span_min / reference.max_time_min,
    }
    corners = {"density": tuple(density), "flows": tuple(flows)}
    return {name: _share(float(value)) for name, value in parts.items()}, corners


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))


def weighting(weights: Weights) -> dict[str, float]:
    """Weights of all components, adding up to 1, from a name or a mapping.

    Raises
    ------
    ConfigError
        The name is unknown, a component is, or the weights are negative, no numbers, or all 0.
    """
    if isinstance(weights, str):
        if weights not in WEIGHTINGS:
            raise ConfigError(
                f"Unknown weighting {weights!r}; give {' or '.join(map(repr, WEIGHTINGS))}, or "
                "weights of your own."
            )
        weights = WEIGHTINGS[weights]
    if not isinstance(weights, Mapping):
        raise ConfigError("Weights are a name or a mapping of component to weight.")
    unknown = [name for name in weights if name not in COMPONENTS]
    if unknown:
        raise ConfigError(
            f"Utility has no component {unknown[0]!r}; there are {', '.join(COMPONENTS)}."
        )
    for name, value in weights.items():
        number(f"The weight of {name}", value, least=0.0)
    total = sum(weights.values())
    if not total > 0:
        raise ConfigError("All weights are 0; give at least one component a weight.")
    return {name: float(weights.get(name, 0.0)) / total for name in COMPONENTS}


def score(components: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Weighted mean, for weights that add up to 1; exactly 1 where all that weigh are.

    A component that is not applicable (NaN) counts 0: whoever needs it does not get it.
    """
    kept = {name: components[name] for name in COMPONENTS if weights[name] > 0}
    lost = math.fsum(
        weights[name] * (1 - (0.0 if math.isnan(value) else value)) for name, value in kept.items()
    )
    return _share(1 - lost)


def score_range(
    components: Mapping[str, float], corners: Corners, weights: Mapping[str, float]
) -> tuple[float, float]:
    """Least and greatest score of any corner; NaN where the corners are not known."""
    scores = [
        score({**components, **dict(zip(corners, values, strict=True))}, weights)
        for values in zip(*corners.values(), strict=True)
    ]
    return (min(scores), max(scores)) if scores else (math.nan, math.nan)


def _common_part(mine: FloatArray, theirs: FloatArray, others: float) -> float:
    """As 1 − Σ|T − T'| / (ΣT + ΣT'), which is the same and exactly 1 for equal trips."""
    total = float(mine.sum() + theirs.sum()) + others
    if total == 0:
        return 1.0  # nobody goes anywhere, in either
    return 1 - (float(np.abs(mine - theirs).sum()) + others) / total


def _ks(a: FloatArray, b: FloatArray) -> float:
    return float(ks_2samp(a, b, method="asymp").statistic)

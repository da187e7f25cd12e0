"""Probability densities of a known point, given a published sample and the stated method.

Source: docs/science.md, “An attacker who knows the truth”.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from numba import njit

from ..model.arrays import FloatArray

NONE, PLANAR_LAPLACE, LAPLACE, GAUSSIAN = 0, 1, 2, 3
"""Numbers of the densities, in the order of :data:`fpanon_core.model.knowledge.DENSITIES`."""

MOST_PIECES = 32
"""Maximum number of pieces along an axis over which a cell's mean density is taken."""

CLOSE = 1e-6
"""Largest shift of a corner by rounding errors, in metres or minutes."""


class Way(NamedTuple):
    """How a known point is published: densities by code, their scales, and the floor.

    ``boxes``, ``by_middle`` and ``timeless`` are those of
    :class:`fpanon_core.model.knowledge.Mechanism`. The logarithm of a density exceeds that of the
    floor by ``nats`` at most.
    """

    space: int
    space_m: float
    time: int
    time_min: float
    boxes: bool
    by_middle: bool
    timeless: bool
    floor: float
    nats: float


@njit(nogil=True, cache=True, inline="always")
def _along(density: int, scale: float, apart: float) -> float:
    """Return the Gaussian or Laplace density at a distance along one axis."""
    if density == GAUSSIAN:
        z = apart / scale
        return math.exp(-0.5 * z * z) / (scale * math.sqrt(2 * math.pi))
    return math.exp(-abs(apart) / scale) / (2 * scale)


@njit(nogil=True, cache=True, inline="always")
def _pieces(length: float, scale: float) -> int:
    """Return how many pieces to cut a cell into, so that none is longer than half the scale.

    The number is at most :data:`MOST_PIECES`, and pieces may be longer for that reason.
    """
    return min(MOST_PIECES, max(1, math.ceil(2 * length / scale - CLOSE)))


@njit(nogil=True, cache=True)
def mean_along(density: int, scale: float, point: float, begin: float, length: float) -> float:
    """Return the mean over ``[begin, begin + length)`` of a density around a point.

    The result is at most 1 / ``length``.
    """
    many = _pieces(length, scale)
    step = length / many
    total = 0.0
    for i in range(many):
        total += _along(density, scale, begin + (i + 0.5) * step - point)
    return min(total / many, 1 / length)


@njit(nogil=True, cache=True)
def mean_planar(
    scale: float, px: float, py: float, x: float, y: float, dx: float, dy: float
) -> float:
    """Return the mean over a rectangle of the planar Laplace density around a point, per m².

    The result is at most 1 / area of the rectangle.
    """
    across, up = _pieces(dx, scale), _pieces(dy, scale)
    total = 0.0
    for i in range(across):
        ax = x + (i + 0.5) * dx / across - px
        for j in range(up):
            ay = y + (j + 0.5) * dy / up - py
            total += math.exp(-math.sqrt(ax * ax + ay * ay) / scale)
    return min(total / (across * up * 2 * math.pi * scale * scale), 1 / (dx * dy))


@njit(nogil=True, cache=True)
def in_space(point: FloatArray, cell: FloatArray, way: Way) -> float:
    """Return the density per square metre of a known place for a published cell."""
    x, y, dx, dy = cell[0], cell[1], cell[3], cell[4]
    px, py = point[0] + point[3] / 2, point[1] + point[4] / 2
    if way.space == NONE:
        if way.boxes:
            inside = x <= px < x + dx and y <= py < y + dy
        else:
            inside = (
                abs(x - point[0]) <= CLOSE
                and abs(y - point[1]) <= CLOSE
                and abs(dx - point[3]) <= CLOSE
                and abs(dy - point[4]) <= CLOSE
            )
        return 1 / (dx * dy) if inside else 0.0
    if way.space == PLANAR_LAPLACE:
        if way.by_middle:
            apart = math.hypot(x + dx / 2 - px, y + dy / 2 - py)
            return math.exp(-apart / way.space_m) / (2 * math.pi * way.space_m**2)
        return mean_planar(way.space_m, px, py, x, y, dx, dy)
    if way.by_middle:
        return _along(way.space, way.space_m, x + dx / 2 - px) * _along(
            way.space, way.space_m, y + dy / 2 - py
        )
    return mean_along(way.space, way.space_m, px, x, dx) * mean_along(
        way.space, way.space_m, py, y, dy
    )


@njit(nogil=True, cache=True)
def in_time(point: FloatArray, cell: FloatArray, way: Way) -> float:
    """Return the density per minute of a known time for a published cell; 1 if no time is known."""
    if way.timeless:
        return 1.0
    t, dt = cell[2], cell[5]
    middle = point[2] + point[5] / 2
    if way.time == NONE:
        if way.boxes:
            inside = t <= middle < t + dt
        else:
            inside = abs(t - point[2]) <= CLOSE and abs(dt - point[5]) <= CLOSE
        return 1 / dt if inside else 0.0
    return mean_along(way.time, way.time_min, middle, t, dt)


@njit(nogil=True, cache=True, inline="always")
def gap(point: float, low: float, high: float) -> float:
    """Return the distance of a point from an interval."""
    return max(low - point, point - high, 0.0)


@njit(nogil=True, cache=True, inline="always")
def loss_over(density: int, scale: float, square: float) -> float:
    """Return the decrease of a density, in nats, over a distance given as its square."""
    if density == NONE:
        return 0.0 if square <= CLOSE else math.inf
    if density == GAUSSIAN:
        return 0.5 * square / (scale * scale)
    return math.sqrt(square) / scale


@njit(nogil=True, cache=True, inline="always")
def reach_of(density: int, scale: float, nats: float) -> float:
    """Return the distance over which a density decreases by ``nats``."""
    if density == NONE:
        return 0.0
    if density == GAUSSIAN:
        return scale * math.sqrt(2 * nats)
    return scale * nats


@njit(nogil=True, cache=True)
def density_of(point: FloatArray, cell: FloatArray, way: Way) -> float:
    """Return the density of a known point for a published sample; 0 unless above the floor.

    ``point`` is (x, y, t, dx, dy, dt, same_place, place_share, same_time, time_share), as in
    :class:`fpanon_core.model.knowledge.KnownPoints`.
    """
    anywhere, anytime = point[6] < 1.0, point[8] < 1.0 or way.timeless
    loss = 0.0
    if way.time != NONE and not anytime:
        apart = gap(point[2] + point[5] / 2, cell[2], cell[2] + cell[5])
        loss += loss_over(way.time, way.time_min, apart * apart)
    if way.space != NONE and not anywhere:
        across = gap(point[0] + point[3] / 2, cell[0], cell[0] + cell[3])
        up = gap(point[1] + point[4] / 2, cell[1], cell[1] + cell[4])
        loss += loss_over(way.space, way.space_m, across * across + up * up)
    if loss > way.nats:
        return 0.0
    time = in_time(point, cell, way)
    if point[8] < 1.0:
        time = point[8] * time + (1 - point[8]) * point[9] / point[5]
    if time == 0.0:
        return 0.0
    space = in_space(point, cell, way)
    if anywhere:
        space = point[6] * space + (1 - point[6]) * point[7] / (point[3] * point[4])
    density = space * time
    return density if density > way.floor else 0.0

"""Smoothing of private presence and flows, each from four noisy sums and the public frame.

In a fine table, the noise exceeds a single cell's count. So most of the ε of presence goes to the
totals of the areas, and half of the ε of flows to the trips that begin or end in each area. Cells
of presence are shrunk towards the product of their area's total and their band's total, at each
level of a tree of neighbouring areas. Cells of flows are shrunk towards a gravity model, within
groups of similar expectation. The shrinkage is about the noise's share of the variance, at that
level or in that group. Smoothing sees only the noisy numbers and the frame.

Source: docs/science.md, “Tables: presence and flows”.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from types import MappingProxyType
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from ..kernels.table_smoothing import fit_gravity, number_strata, share_kept, shrink_by_tree
from ..kernels.table_sums import UNIT
from ..model.arrays import FloatArray, IntArray
from ..model.count_tables import TableFrame

Noise: TypeAlias = Callable[[IntArray, int, float], IntArray]
"""Function of whole numbers, one person's largest total, and ε; returns noisy numbers."""

SHARES = MappingProxyType({"cells": 0.1, "areas": 0.73, "bands": 0.1, "total": 0.07})
"""Shares of a presence table's ε; they add up to 1. Tuned on generated people."""


def seeded(seed: int, number: int) -> Noise:
    """Return a source of discrete Laplace noise for studies; equal arguments give equal noise."""
    rng = np.random.default_rng((seed, number))

    def noise(values: IntArray, most: int, epsilon: float) -> IntArray:
        stop = -math.expm1(-epsilon / most)
        drawn: IntArray = rng.geometric(stop, values.shape) - rng.geometric(stop, values.shape)
        return values + drawn

    return noise


def drawn_once(noise: Noise) -> Iterator[Noise]:
    """Yield noise functions endlessly; each adds what the first one drew, in the same order."""
    drawn: list[IntArray] = []

    def first(values: IntArray, most: int, epsilon: float) -> IntArray:
        drawn.append(noise(np.zeros_like(values), most, epsilon))
        return values + drawn[-1]

    yield first
    while True:
        again = iter(drawn)
        yield lambda values, _, __: values + next(again)  # noqa: B023


def expected_of_cell(epsilon: float, areas: int, bands: int) -> float:
    """Return the expected error of a smoothed cell, as a share of one person's contribution.

    The cell is assumed to follow its area's total and its band's total. The noise of the area's
    total is spread over the bands; the noise of the band's total is spread over the areas.
    """
    of_area, of_band = (1.0 / (SHARES[name] * epsilon) for name in ("areas", "bands"))
    return of_area / bands + of_band / areas


def private_presence(
    counted: IntArray, total: int, frame: TableFrame, epsilon: float, noise: Noise
) -> tuple[FloatArray, float]:
    """Return smoothed cells of a presence table, and the noisy sum of people's shares of bands.

    Noise is added to four sums; in each, one person counts 1 at most. No result is negative.

    Parameters
    ----------
    counted : int64 ndarray (n_areas, bands), bands of all types of day
        Sums of people's presence; one person adds at most ``UNIT`` to all cells together.
    total : int
        ``UNIT`` times the sum of the shares of bands in which people are present.
    frame : TableFrame
    epsilon : float
    noise : callable
        OpenDP's :func:`with_noise`, or seeded noise in a study of attacks.

    Returns
    -------
    float64 ndarray (n_areas, bands), and float
    """
    sums = {
        "cells": counted.ravel(),
        "areas": counted.sum(axis=1),
        "bands": counted.sum(axis=0),
        "total": np.array([total]),
    }
    noisy = {
        name: noise(exact, UNIT, epsilon * SHARES[name]) / UNIT for name, exact in sums.items()
    }
    cells = _smoothed(noisy["cells"].reshape(counted.shape), noisy, frame, epsilon)
    return cells, max(float(noisy["total"][0]), 0.0)


def _smoothed(
    cells: FloatArray, noisy: Mapping[str, FloatArray], frame: TableFrame, epsilon: float
) -> FloatArray:
    n, many = cells.shape
    noise = {name: 2.0 / (epsilon * share) ** 2 for name, share in SHARES.items()}  # variances
    of_areas, of_bands = many * noise["cells"], n * noise["cells"]
    areas, of_areas = _combined(noisy["areas"], noise["areas"], cells.sum(axis=1), of_areas)
    bands, of_bands = _combined(noisy["bands"], noise["bands"], cells.sum(axis=0), of_bands)
    total = max(float(bands.sum()), 1e-9)
    share = kept(bands - total / many, of_bands)
    bands = np.maximum(total / many + share * (bands - total / many), 0.0)
    order, prior = _neighbours(frame), total * _area_prior(frame)
    areas = shrink_by_tree(areas[:, None], prior[:, None], of_areas, order)[:, 0]
    product = np.outer(areas, bands / max(float(bands.sum()), 1e-9))
    cells = shrink_by_tree(cells, product, noise["cells"], order)
    cells *= (areas / np.maximum(cells.sum(axis=1), 1e-9))[:, None]
    return cells


def kept(off: FloatArray, variance: float) -> float:
    """Return the share of the differences ``off`` to keep, given their noise's ``variance``."""
    return share_kept(float(np.mean(off**2)), off.size, variance)


def _combined(
    one: FloatArray, variance: float, other: FloatArray, other_variance: float
) -> tuple[FloatArray, float]:
    """Return the inverse-variance mean of two noisy readings of one quantity, and its variance."""
    both = 1 / variance + 1 / other_variance
    return (one / variance + other / other_variance) / both, 1 / both


def _area_prior(frame: TableFrame) -> FloatArray:
    """Return each area's expected share of people, from its residents or its number of places."""
    many = np.bincount(frame.area, frame.weight, frame.n_areas)
    share: FloatArray = many / many.sum()
    return share


_Of = Callable[[TableFrame], IntArray]


def _kept(make: _Of) -> _Of:
    """Return a function that computes a read-only array of a frame once, and keeps it."""
    known: WeakKeyDictionary[TableFrame, IntArray] = WeakKeyDictionary()

    def of(frame: TableFrame) -> IntArray:
        found = known.get(frame)
        if found is None:
            found = make(frame)
            found.flags.writeable = False
            known[frame] = found
        return found

    return wraps(make)(of)


@_kept
def _neighbours(frame: TableFrame) -> IntArray:
    many = np.bincount(frame.area)
    x, y = (np.bincount(frame.area, v) / many for v in (frame.counts.x_m, frame.counts.y_m))
    return neighbours(x, y)


def neighbours(x: FloatArray, y: FloatArray) -> IntArray:
    """Return the row numbers of points in an order that puts neighbours side by side.

    The points are halved repeatedly, each time at the median along x or y, whichever has the larger
    extent.
    """
    pieces, found = [np.arange(len(x))], []
    while pieces:
        some = pieces.pop()
        if len(some) < 2:
            found.append(some)
            continue
        along = x if np.ptp(x[some]) >= np.ptp(y[some]) else y
        some = some[np.argsort(along[some], kind="stable")]
        pieces += [some[len(some) // 2 :], some[: len(some) // 2]]
    return np.concatenate(found)


FLOW_SHARES = MappingProxyType({"cells": 0.3, "ends": 0.5, "rings": 0.15, "days": 0.05})
"""Shares of a flow table's ε; they add up to 1. Tuned on generated people."""

RINGS_KM = (0.75, 1.5, 2.5, 4.0, 6.0, 9.0, 13.0, 18.0, 25.0, 35.0, 50.0)
"""Bounds of the rings of distance between two areas, in kilometres."""

_ROUNDS = 25  # of proportional fitting
_STRATA = 12  # cells of similar expectation are assumed to be similar


def private_flows(counted: IntArray, frame: TableFrame, epsilon: float, noise: Noise) -> FloatArray:
    """Return smoothed flows, (n_areas, n_areas, types of day); no flow is negative.

    Noise is added to four sums of people's trips, as multiples of one person's largest
    contribution. This is twice ``UNIT`` for the ends, and ``UNIT`` for each other sum.

    Parameters
    ----------
    counted : int64 ndarray (n_areas, n_areas, types of day)
        Sums of people's trips, zero on the diagonal; one person adds at most ``UNIT`` to all cells
        together.
    frame : TableFrame
    epsilon : float
    noise : callable
        OpenDP's :func:`with_noise`, or seeded noise in a study of attacks.
    """
    ring = rings_between(frame)
    pairs = counted.sum(axis=2)
    rings = np.bincount(ring.ravel(), pairs.ravel(), len(RINGS_KM) + 1)
    sums = {
        "cells": _off_diagonal(counted).ravel(),
        "ends": pairs.sum(axis=0) + pairs.sum(axis=1),  # one person adds twice as much
        "rings": np.rint(rings).astype(np.int64),
        "days": counted.sum(axis=(0, 1)),
    }
    most = {name: 2 * UNIT if name == "ends" else UNIT for name in sums}
    noisy = {
        name: noise(exact, most[name], epsilon * FLOW_SHARES[name]) / most[name]
        for name, exact in sums.items()
    }
    return _smoothed_flows(noisy, ring, frame, epsilon)


def _smoothed_flows(
    noisy: Mapping[str, FloatArray], ring: IntArray, frame: TableFrame, epsilon: float
) -> FloatArray:
    """Return the trips, shrunk towards a gravity model.

    The model is fitted to the noisy ends and rings (iterative proportional fitting, Deming &
    Stephan 1940). Cells of similar expectation are shrunk towards the model by the noise's share of
    the variance.
    """
    noise = {name: 2.0 / (epsilon * share) ** 2 for name, share in FLOW_SHARES.items()}
    rings = np.maximum(noisy["rings"], 0.0)
    total = max(float(rings.sum()), 1e-9)
    prior = total * _area_prior(frame)
    order, found = _neighbours(frame), noisy["ends"][:, None]
    ends = shrink_by_tree(found, prior[:, None], noise["ends"], order)[:, 0]
    ends *= total / max(float(ends.sum()), 1e-9)
    model = np.outer(ends, ends) + 1e-12
    np.fill_diagonal(model, 0.0)
    fit_gravity(model, ends, rings, ring, _ROUNDS)
    days = np.maximum(noisy["days"], 0.0)
    cells = model[:, :, None] * (days / max(float(days.sum()), 1e-9))
    expected = _off_diagonal(cells).ravel()
    off = noisy["cells"] - expected
    stratum = strata(expected, _STRATA)
    many = np.bincount(stratum, minlength=_STRATA)
    square = np.bincount(stratum, off**2, _STRATA) / np.maximum(many, 1)
    share = np.array([share_kept(*each, noise["cells"]) for each in zip(square, many, strict=True)])
    drawn = np.maximum(expected + share[stratum] * off, 0.0)
    out = np.zeros(cells.shape)
    away = _off_diagonal(out)
    away[:] = drawn.reshape(away.shape)
    return out


def strata(values: FloatArray, many: int) -> IntArray:
    """Cut the sorted values into ``many`` parts, and return the number of each value's part.

    The parts are those of ``np.array_split`` of the values in stable order, numbered from 0. Only
    the values are sorted, because a stable sort of their rows would take several times as long.
    """
    n = len(values)
    first = np.cumsum([0] + [n // many + (part < n % many) for part in range(many - 1)])[1:]
    first = first[first < n]
    return number_strata(values, first, np.sort(values)[first])


def _off_diagonal(cells: np.ndarray) -> np.ndarray:
    """Return a view (n − 1, n, m) of the cells (n, n, m) off the diagonal, in their order."""
    n, m = cells.shape[1:]
    return cells.reshape(n * n, m)[1:].reshape(n - 1, n + 1, m)[:, :-1]


@_kept
def rings_between(frame: TableFrame) -> IntArray:
    """Return the number, from 0, of the distance ring of each pair of areas.

    The result is an int64 ndarray (n_areas, n_areas). Distances are measured between centres.
    """
    many = np.bincount(frame.area)
    counts = frame.counts
    x, y = (
        np.bincount(frame.area, corner + side / 2) / many
        for corner, side in ((counts.x_m, counts.dx_m), (counts.y_m, counts.dy_m))
    )
    apart_km = np.hypot(x[:, None] - x, y[:, None] - y) / 1000
    return np.searchsorted(RINGS_KM, apart_km, side="right")

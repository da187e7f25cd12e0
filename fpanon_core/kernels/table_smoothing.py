"""Shrinkage of noisy tables along a tree of neighbouring areas, and a gravity model of trips.

:mod:`fpanon_core.aggregates.smoothing` documents what these functions are for.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from ..model.arrays import FloatArray, IntArray


@njit(nogil=True, cache=True)
def share_kept(square: float, many: int, variance: float) -> float:
    """Return the share of ``many`` differences to keep, given their mean square.

    It is the share that noise of this ``variance`` does not explain. The relative standard error of
    the mean square of n draws of Laplace noise is √(5/n). If the mean square exceeds the noise's
    variance by at most three standard errors, it is taken as noise.
    """
    noise = variance * (1.0 + 3.0 * math.sqrt(5.0 / max(many, 1)))
    return 0.0 if square <= noise else 1.0 - variance / square


@njit(nogil=True, cache=True)
def shrink_by_tree(
    values: FloatArray, prior: FloatArray, variance: float, order: IntArray
) -> FloatArray:
    """Return values, none negative, shrunk towards a prior at each level of a tree over the rows.

    The tree repeatedly halves the rows in their order. A node's expectation is its share of its
    parent's estimate according to the prior. The variance at a level, over all columns, sets the
    weight of the noisy sums at this level.

    Parameters
    ----------
    values, prior : float64 ndarray (n, m)
    variance : float
        Variance of the noise on one value.
    order : int64 ndarray (n,)
        Order of the rows, with neighbours side by side.
    """
    n, m = values.shape
    sums, priors = np.zeros((n + 1, m)), np.zeros((n + 1, m))
    for i in range(n):
        sums[i + 1] = sums[i] + values[order[i]]
        priors[i + 1] = priors[i] + prior[order[i]]
    bounds, nodes = np.empty(n + 1, np.int64), 1
    bounds[0], bounds[1] = 0, n
    estimate = priors[n:].copy()
    while nodes < n:
        halves, parent = np.empty(n + 1, np.int64), np.empty(n, np.int64)
        many = 0
        for node in range(nodes):
            for begin in (bounds[node], (bounds[node] + bounds[node + 1]) // 2):
                if many == 0 or begin > halves[many - 1]:
                    halves[many], parent[many] = begin, node
                    many += 1
        halves[many] = n
        expected, off = np.empty((many, m)), np.empty((many, m))
        square = 0.0
        for h in range(many):
            low, high = bounds[parent[h]], bounds[parent[h] + 1]
            for c in range(m):
                share = (priors[halves[h + 1], c] - priors[halves[h], c]) / max(
                    priors[high, c] - priors[low, c], 1e-12
                )
                expected[h, c] = estimate[parent[h], c] * share
                off[h, c] = sums[halves[h + 1], c] - sums[halves[h], c] - expected[h, c]
                square += off[h, c] ** 2
        kept = share_kept(square / off.size, off.size, n / many * variance)
        estimate, bounds, nodes = np.maximum(expected + kept * off, 0.0), halves, many
    shrunk = np.empty((n, m))
    for i in range(n):
        shrunk[order[i]] = estimate[i]
    return shrunk


@njit(nogil=True, cache=True)
def fit_gravity(
    model: FloatArray, ends: FloatArray, rings: FloatArray, ring: IntArray, rounds: int
) -> None:
    """Scale ``model``, in turn, to the given sums of its rings, its rows and its columns.

    Rows and columns have the sums ``ends``; the cells of ring r add up to ``rings[r]``, where
    ``ring`` (n, n) numbers the ring of each cell. Sums below 1e-12 count as 1e-12.
    """
    n = len(model)
    of_ring, of_column = np.empty(len(rings)), np.empty(n)
    for _ in range(rounds):
        of_ring[:] = 0.0
        for i in range(n):
            for j in range(n):
                of_ring[ring[i, j]] += model[i, j]
        of_ring[:] = rings / np.maximum(of_ring, 1e-12)
        of_column[:] = 0.0
        for i in range(n):
            total = 0.0
            for j in range(n):
                model[i, j] *= of_ring[ring[i, j]]
                total += model[i, j]
            scale = ends[i] / max(total, 1e-12)
            for j in range(n):
                model[i, j] *= scale
                of_column[j] += model[i, j]
        of_column[:] = ends / np.maximum(of_column, 1e-12)
        model *= of_column


@njit(nogil=True, cache=True)
def number_strata(values: FloatArray, first: IntArray, begins: FloatArray) -> IntArray:
    """Return the number of the part that holds each value.

    Part p + 1 begins at rank ``first[p]`` in stable order; ``begins[p]`` is the value at this rank.
    """
    part = np.zeros(len(values), np.int64)
    for begin in begins:
        for i in range(len(values)):
            part[i] += values[i] >= begin
    rank = np.zeros(len(begins) + 2, np.int64)
    for at in part:
        rank[at + 1] += 1
    rank = np.cumsum(rank)
    # Of the values equal to a beginning, the first rows go back: as many as belong below it.
    for i in range(len(values)):
        at = part[i]
        if at > 0 and values[i] == begins[at - 1]:
            part[i] = (first <= rank[at]).sum()
            rank[at] += 1
    return part

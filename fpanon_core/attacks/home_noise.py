"""Where do people live, to an attacker who knows what noise was added? The likeliest homes.

Source: docs/science.md, “An outsider who knows the truth”.
"""

from __future__ import annotations

import math

import numpy as np

from ..engines.local import Engine
from ..engines.progress import Progress
from ..kernels.home_noise import HomeTree, Moved, guess_likeliest
from ..model.arrays import FloatArray
from ..model.cells import PLACE
from ..model.distinct import distinct_rows
from ..model.fingerprints import FingerprintSet
from ..model.mechanism import DENSITIES, Spread
from .homes import HomesAsked, night_share
from .search import Published

AT_HOME = 0.5
"""Share of the samples that are taken to be at home; the others are anywhere in the release."""

BY_DAY = 0.2
"""How much a sample by day counts, of one at night."""

_IN_A_LEAF = 8
_TARGETS_A_BLOCK = 16


def noise_likelihood(
    fs: FingerprintSet, published: Published, asked: HomesAsked, noise: Spread, first: FloatArray,
    *, engine: Engine, progress: Progress | None = None,
) -> FloatArray:  # fmt: skip
    """The homes that make the records asked for likeliest, (n_asked, 2), metres.

    Parameters
    ----------
    fs : FingerprintSet
        The original: people may live wherever somebody else was, as a map of antennas tells.
    published : Published
    asked : HomesAsked
    noise : Spread
        Some.
    first : float64 ndarray (n_asked, 2)
        What is said where nobody else was anywhere.
    engine : LocalEngine
    progress : callable of one float in [0, 1], optional
    """
    cells = published.cells
    extent = [
        float((cells[low] + cells[side]).max() - cells[low].min())
        for low, side in (("x_m", "dx_m"), ("y_m", "dy_m"))
    ]
    # Of planar Laplace noise and of Gaussian noise alike, the density where it is highest.
    highest = 1 / (2 * math.pi * noise.scale**2)
    moved = Moved(
        published.offsets, cells["x_m"] + cells["dx_m"] / 2, cells["y_m"] + cells["dy_m"] / 2,
        BY_DAY + (1 - BY_DAY) * night_share(fs, cells["t_min"], cells["dt_min"]),
        DENSITIES.index(noise.density), noise.scale,
        AT_HOME / (1 - AT_HOME) * highest * extent[0] * extent[1],
    )  # fmt: skip
    homes, out = _tree(fs), np.array(first)
    record, person = asked.record, asked.person

    def block(begin: int) -> float:
        end = min(begin + _TARGETS_A_BLOCK, len(out))
        guess_likeliest(begin, end, record, person, moved, homes, out)
        return float(end - begin)

    engine.run(block, range(0, len(out), _TARGETS_A_BLOCK), len(out), progress)
    return out


def _tree(fs: FingerprintSet) -> HomeTree:
    """The middles of all places of some data, and who alone was there."""
    rows, place = distinct_rows(*fs.arrays(PLACE).values())
    visited, _ = distinct_rows(place, fs.sample_user)
    visitors = np.bincount(place[visited])
    only = np.full(len(rows), -1, np.int64)
    only[place[visited]] = fs.sample_user[visited]
    only[visitors > 1] = -1
    at = np.column_stack([fs.x_m[rows] + fs.dx_m[rows] / 2, fs.y_m[rows] + fs.dy_m[rows] / 2])
    rank = np.empty(len(at), np.int64)
    rank[np.lexsort((at[:, 1], at[:, 0]))] = np.arange(len(at))
    depth = max(0, math.ceil(math.log2(len(at) / _IN_A_LEAF)))
    order, boxes = np.arange(len(at)), []
    for level in range(depth + 1):
        starts = len(at) * np.arange(2**level + 1) // 2**level
        sizes, here = np.diff(starts), at[order]
        low, high = (each.reduceat(here, starts[:-1]) for each in (np.minimum, np.maximum))
        boxes.append(np.column_stack([low[:, 0], high[:, 0], low[:, 1], high[:, 1]]))
        if level < depth:  # cut across the longer side
            across = np.repeat(high[:, 0] - low[:, 0] >= high[:, 1] - low[:, 1], sizes)
            branch = np.repeat(np.arange(2**level), sizes)
            order = order[np.lexsort((np.where(across, here[:, 0], here[:, 1]), branch))]
    x, y = np.ascontiguousarray(at[order].T)
    return HomeTree(x, y, rank[order], only[order], starts, 2**depth - 1, np.concatenate(boxes))

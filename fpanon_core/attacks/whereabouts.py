"""Where was somebody at a moment? The best guess of who has an idea which record is theirs.

Source: docs/science.md, “An outsider who knows the truth”.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..engines.local import Engine
from ..engines.progress import Progress
from ..kernels.place_guesses import guess_places, median_place
from ..model.arrays import FloatArray, IntArray
from .linkage import Suspects
from .search import Published

_TARGETS_A_BLOCK = 16


def places_at(
    published: Published, suspects: Suspects, t_min: FloatArray, *, engine: Engine,
    progress: Progress | None = None,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """The place of each target from which what the records say is least far on average.

    Parameters
    ----------
    published : Published
    suspects : Suspects
        Of the targets.
    t_min : float64 ndarray (n_targets,)
        The moment asked for of each.

    Returns
    -------
    float64 ndarray (n_targets, 2), (2,)
        The guesses, and the place that all published samples together are least far from; metres.
    """
    cells = published.cells
    x, y = cells["x_m"] + cells["dx_m"] / 2, cells["y_m"] + cells["dy_m"] / 2
    start, length = (np.ascontiguousarray(cells[name]) for name in ("t_min", "dt_min"))
    people = np.repeat(published.weight, np.diff(published.offsets)).astype(np.float64)
    base = np.array(median_place(x, y, people))
    guess = np.empty((len(t_min), 2))

    def block(first: int) -> float:
        last = min(first + _TARGETS_A_BLOCK, len(t_min))
        guess_places(first, last, t_min, suspects.record, suspects.share, suspects.count,
                     suspects.rest, published.offsets, x, y, start, length, base[0], base[1],
                     guess)  # fmt: skip
        return float(last - first)

    engine.run(block, range(0, len(t_min), _TARGETS_A_BLOCK), len(t_min), progress)
    return guess, base


def median_places(x_m: FloatArray, y_m: FloatArray, offsets: IntArray) -> FloatArray:
    """Of each list of points the place from which they are least far on average, (n_lists, 2)."""
    pairs = pairwise(offsets.tolist())
    return np.array([median_place(x_m[a:b], y_m[a:b], np.ones(b - a)) for a, b in pairs])

"""Where may the number of a dot be written? Beside it, over no dot and no other number.

The figure of all release options asks it on the screen and in the report. Boxes are left, top,
right and bottom, in pixels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .arrays import BoolArray, FloatArray

_TOUCHING_PX = 1e-6


def corners_beside(
    order: Sequence[int],
    boxes: FloatArray,
    inside: BoolArray,
    dots: FloatArray,
    lines: FloatArray | None = None,
) -> dict[int, int]:
    """The place of each number, by its row; none where all places are taken.

    Parameters
    ----------
    order : sequence of int
        Rows whose number is to be written, the most important first.
    boxes : float64 ndarray (n, n_corners, n_screens, 4)
        Where a number would stand at each corner, on each screen that the figure is drawn for.
    inside : bool ndarray (n, n_corners)
        Whether that is within the figure.
    dots : float64 ndarray (n, n_screens, 4)
        What numbers may not lie over.
    lines : float64 ndarray (m, n_screens, 4), optional
        What they lie over only where there is no other corner.

    Examples
    --------
    Two dots at one place, a corner to the right and one to the left of it.

    >>> right, left = (9.0, 0.0, 15.0, 8.0), (-15.0, 0.0, -9.0, 8.0)
    >>> boxes = np.array([[[right], [left]]] * 2)
    >>> dots = np.array([[(-8.0, 0.0, 8.0, 8.0)]] * 2)
    >>> corners_beside([1, 0], boxes, np.ones((2, 2), bool), dots)
    {1: 0, 0: 1}
    """
    taken, found = dots, {}
    for row in order:
        free = np.flatnonzero(inside[row] & ~_meets(boxes[row], taken))
        if not len(free):
            continue
        clear = free if lines is None else free[~_meets(boxes[row, free], lines)]
        found[row] = int((clear if len(clear) else free)[0])
        taken = np.concatenate([taken, boxes[row, [found[row]]]])
    return found


def _meets(boxes: FloatArray, others: FloatArray) -> BoolArray:
    """Whether each lies over another on any of the screens."""
    one, other = boxes[:, None], others[None]
    apart: BoolArray = one[..., :2] + _TOUCHING_PX >= other[..., 2:]
    apart |= other[..., :2] + _TOUCHING_PX >= one[..., 2:]
    apart_in_some_way: BoolArray = np.any(apart, axis=-1)
    return ~np.all(apart_in_some_way, axis=(1, 2))

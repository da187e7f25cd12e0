"""Which records of two releases are the same person's? Guessed from the two files alone.

Nothing is known of anybody. A record of the one is held against all records of the other, and that
one taken whose cells lie over its own best: a person's true samples are in cells of both.

Source: docs/science.md, “Two releases of the same people”.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..engines.local import Engine, LocalEngine
from ..engines.progress import Progress
from ..kernels.release_overlap import overlap_scores
from ..model.arrays import FloatArray, IntArray
from ..model.records import Records

FLOOR = 0.01
"""Of a cell that meets none of the other record's: a hundred to one against, not impossible."""
_SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Groups:
    """One record for each group of a release.

    Attributes
    ----------
    cells : float64 ndarray (n_cells, 6)
        x0, x1, y0, y1, t0, t1, by t0 within each.
    offsets : int64 ndarray (n_groups + 1,)
    people : int64 ndarray (n_groups,)
        People in each.
    """

    cells: FloatArray
    offsets: IntArray
    people: IntArray

    @classmethod
    def of(cls, records: Records, group: IntArray, weight: IntArray) -> Groups:
        """Of the records of a release, and the group of each."""
        one = np.unique(group, return_index=True)[1]
        begins, lengths = records.begins[one], records.lengths[one]
        c = records.cells
        every = np.column_stack(
            [c.x_m, c.x_m + c.dx_m, c.y_m, c.y_m + c.dy_m, c.t_min, c.t_min + c.dt_min]
        )
        pieces = [every[a : a + n] for a, n in zip(begins.tolist(), lengths.tolist(), strict=True)]
        ordered = [piece[np.argsort(piece[:, 4], kind="stable")] for piece in pieces]
        return cls(
            np.ascontiguousarray(np.concatenate(ordered)),
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            np.bincount(group, weight).astype(np.int64),
        )


def found(
    first: Groups, second: Groups, pairs: IntArray, *,
    engine: Engine | None = None, progress: Progress | None = None,
) -> FloatArray:  # fmt: skip
    """The chance that the right group of the second is taken for a group of the first.

    Where several fit equally well, a record of these is drawn.

    Parameters
    ----------
    pairs : int64 ndarray (n_pairs, 2)
        A group of the first, and the right one of the second.

    Returns
    -------
    float64 ndarray (n_pairs,)
    """
    low = np.minimum(first.cells.min(axis=0), second.cells.min(axis=0))
    high = np.maximum(first.cells.max(axis=0), second.cells.max(axis=0))
    volume = float(np.prod(high[1::2] - low[::2]))
    everyone = np.arange(len(second.people))
    groups, which = np.unique(pairs[:, 0], return_inverse=True)
    out = np.zeros(len(pairs))
    by_group = np.split(np.argsort(which, kind="stable"), np.cumsum(np.bincount(which))[:-1])

    def block(at: int) -> float:
        g = int(groups[at])
        cells = first.cells[first.offsets[g] : first.offsets[g + 1]]
        scores = np.empty(len(everyone))
        overlap_scores(cells, second.cells, second.offsets, everyone, volume, FLOOR, scores)
        best = scores >= scores.max() - _SLACK
        among = int(second.people[best].sum())
        for row in by_group[at]:
            right = pairs[row, 1]
            out[row] = second.people[right] / among if best[right] else 0.0
        return 1.0

    (engine or LocalEngine()).run(block, range(len(groups)), len(groups), progress)
    return out

"""Linking of the records of two releases, from the two files alone.

The attackers have no other knowledge of any person. Each attacker compares a record of one release
with all records of the other, and takes the record with the highest score. Cells that overlap may
hold the same true samples; equal edges of cells may come from the same true sample.

Source: docs/science.md, “Two releases of the same people”.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse import csr_array  # type: ignore[import-untyped,unused-ignore]

from ..engines.local import Engine, LocalEngine, fill
from ..engines.progress import Progress
from ..kernels.release_presence import bounds, overlap_scores
from ..model.arrays import FloatArray, IntArray, distinct_rows, offsets_of
from ..model.published import Records

FLOOR = 0.01
"""Ratio for a cell that meets no cell of the other record: unlikely (1 : 100), but possible."""
_SLACK = 1e-9
_PARTS_OF_A_UNIT = 1_000  # edges are compared to the millimetre, and to 60 ms
_GROUPS_A_BLOCK = 16

Scores = Callable[[int, FloatArray], None]
"""Function that, for a group of the first release, writes the score of each group of the second."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Records of a release, one for each group.

    Attributes
    ----------
    cells : float64 ndarray (n_cells, 6)
        Columns x0, x1, y0, y1 (metres), t0, t1 (minutes); rows in order of t0 within each group.
    offsets : int64 ndarray (n_groups + 1,)
        Cells of group g are rows ``offsets[g]:offsets[g+1]``.
    people : int64 ndarray (n_groups,)
        Number of people in each group.
    """

    cells: FloatArray
    offsets: IntArray
    people: IntArray

    @classmethod
    def of(cls, records: Records, group: IntArray, weight: IntArray) -> Groups:
        """Make groups from a release's records, given each record's group and number of people."""
        one = np.unique(group, return_index=True)[1]
        begins, lengths = records.begins[one], records.lengths[one]
        every = bounds(*records.cells.arrays().values())
        pieces = [every[a : a + n] for a, n in zip(begins.tolist(), lengths.tolist(), strict=True)]
        ordered = [piece[np.argsort(piece[:, 4], kind="stable")] for piece in pieces]
        people = np.bincount(group, weight).astype(np.int64)
        return cls(np.ascontiguousarray(np.concatenate(ordered)), offsets_of(lengths), people)


def found(
    first: Groups,
    second: Groups,
    pairs: IntArray,
    attacker: str,
    *,
    engine: Engine | None = None,
    progress: Progress = None,
) -> FloatArray:
    """Return, for each pair of groups, the probability that the attacker links the two.

    If several groups fit equally well, the attacker draws one of their records.

    Parameters
    ----------
    first, second : Groups
        Groups of the two releases.
    pairs : int64 ndarray (n_pairs, 2)
        Group of the first release, and the right group of the second.
    attacker : str
        One of :data:`BATTERY`.

    Returns
    -------
    float64 ndarray (n_pairs,)
    """
    score = BATTERY[attacker](first, second)
    groups, which = np.unique(pairs[:, 0], return_inverse=True)
    out = np.zeros(len(pairs))
    by_group = np.split(np.argsort(which, kind="stable"), np.cumsum(np.bincount(which))[:-1])

    def link(begin: int, end: int) -> None:
        scores = np.empty(len(second.people))
        for at in range(begin, end):
            score(int(groups[at]), scores)
            best = scores >= scores.max() - _SLACK
            among = int(second.people[best].sum())
            for row in by_group[at]:
                right = pairs[row, 1]
                out[row] = second.people[right] / among if best[right] else 0.0

    fill(engine or LocalEngine(), len(groups), _GROUPS_A_BLOCK, link, progress=progress)
    return out


def by_overlap(first: Groups, second: Groups) -> Scores:
    """Return a function that scores how well two records' cells overlap, in both directions."""
    low = np.minimum(first.cells.min(axis=0), second.cells.min(axis=0))
    high = np.maximum(first.cells.max(axis=0), second.cells.max(axis=0))
    volume = float(np.prod(high[1::2] - low[::2]))
    everyone = np.arange(len(second.people))

    def score(group: int, out: FloatArray) -> None:
        cells = first.cells[first.offsets[group] : first.offsets[group + 1]]
        overlap_scores(cells, second.cells, second.offsets, everyone, volume, FLOOR, out)

    return score


def by_edges(first: Groups, second: Groups, axes: tuple[int, ...] = (0, 1, 2)) -> Scores:
    """Return a function that scores records by their common edges.

    Each edge is weighted by its rarity in the second release.

    Parameters
    ----------
    axes : tuple of int
        Axes whose edges count: 0 and 1 for the edges of cells along x and y, 2 for the ends of
        cells in time.
    """
    sides = (first, second)
    # Groups are numbered consecutively: those of the first release, then those of the second.
    n_first, n_second = (len(side.people) for side in sides)
    numbers = np.repeat(
        np.arange(n_first + n_second), np.concatenate([np.diff(side.offsets) for side in sides])
    )
    cells = np.round(np.concatenate([side.cells for side in sides]) * _PARTS_OF_A_UNIT)
    ends = [2 * axis + end for axis in axes for end in (0, 1)]
    along = np.repeat(np.array(ends) // 2, len(cells))
    _, edge = distinct_rows(along, cells[:, ends].T.ravel())
    holder = np.tile(numbers, len(ends))
    held, _ = distinct_rows(edge, holder)
    table = csr_array((np.ones(len(held)), (holder[held], edge[held])))
    theirs = table[n_first:]
    worth = np.log(n_second / np.maximum(theirs.sum(axis=0), 1))
    mine, by_edge = table[:n_first].multiply(worth).tocsr(), theirs.T.tocsr()
    root = np.sqrt(theirs.sum(axis=1))

    def score(group: int, out: FloatArray) -> None:
        out[:] = (mine[[group]] @ by_edge).toarray()[0] / root

    return score


BATTERY: dict[str, Callable[[Groups, Groups], Scores]] = {
    "overlap": by_overlap,
    "edges": by_edges,
    "edges in time": partial(by_edges, axes=(2,)),
}
"""Attackers by name; the risk is the success rate of the strongest attacker."""

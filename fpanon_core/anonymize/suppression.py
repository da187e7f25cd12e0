"""Which samples are left out so that what is published keeps its limits, with a crowd in each cell.

Groups are formed as without limits: what a limit changes is what is published, never with whom
anybody hides; results with and without can be compared group by group. Under limits every published
cell, trimmed or not, holds samples of at least k of its group's users: a cell with fewer would say
of one person where that person was, and of the others what is not so.

- A cell within the limits that holds samples of k users stays as it is.
- A wider or longer one is trimmed to the largest part that keeps the limits and holds samples of k
  users: of all such parts that with the most samples (ties: the one that begins first; then the
  smallest lower x, then y, then end, then upper x, then y). It becomes the bounding cell of these.
- Where there is no such part, the cell is left out whole, and with it all samples it holds.
- A sample longer than its cell that is left out in one cell is so in all; cells in which fewer than
  k users then have a sample are left out, too, until none is.
- A user with no sample left is in no group (−1). A group of which no cell remains is not published;
  as every cell has k users with a sample, so has every group that remains.

Cells only shrink, within their own stretch of time: none comes to overlap another, all members
still share them, and every sample that is not left out stays inside.

Source: docs/science.md, “Hiding everyone: GLOVE”.
"""

from __future__ import annotations

import numpy as np

from ..engines.local import Engine
from ..kernels.glove_suppress import MOST_STEPS, suppress_group
from ..model.arrays import Codes
from ..model.fingerprints import FingerprintSet
from ..model.glove import REASONS
from .grouping import Group

LEFT_OVER = 1 + REASONS.index("left over")  # codes count the reasons from 1
_BLOCK = 16


def suppress(
    fs: FingerprintSet,
    groups: list[Group],
    k: int,
    max_space_m: float | None,
    max_time_min: float | None,
    engine: Engine,
) -> Codes:
    """Shrink the groups' cells to the limits, in place; of each sample why it is left out.

    Users of whom nothing is left are taken out of their groups, and empty groups from the list.

    Returns
    -------
    int8 ndarray (n_samples,)
        0 = published; otherwise 1 + the reason's number in :data:`REASONS`.
    """
    code = np.zeros(fs.n_samples, np.int8)
    if max_space_m is None and max_time_min is None:
        return code
    space = np.inf if max_space_m is None else float(max_space_m)
    time = np.inf if max_time_min is None else float(max_time_min)

    def block(first: int) -> float:
        for group in groups[first : first + _BLOCK]:
            rows = np.concatenate(
                [np.arange(fs.offsets[u], fs.offsets[u + 1]) for u in group.members]
            )
            owner = np.repeat(np.arange(len(group.members)), fs.lengths[group.members])
            order = np.argsort(fs.t_min[rows], kind="stable")
            rows, owner = rows[order], owner[order]
            samples = np.column_stack(
                [v[rows] for v in (fs.x_m, fs.y_m, fs.t_min, fs.dx_m, fs.dy_m, fs.dt_min)]
            )
            weight = fs.weight[group.members].astype(np.float64)
            group.cells, code[rows] = suppress_group(
                group.cells, samples, owner, weight, float(k), space, time, MOST_STEPS
            )
            present = np.unique(owner[code[rows] == 0])
            group.members = [group.members[member] for member in present]
            group.weight = float(weight[present].sum())
        return 1.0

    blocks = range(0, len(groups), _BLOCK)
    engine.run(block, blocks, max(1, len(blocks)))
    # Numbered by their smallest member, who may be gone.
    groups[:] = sorted((g for g in groups if g.members), key=lambda group: group.members[0])
    return code

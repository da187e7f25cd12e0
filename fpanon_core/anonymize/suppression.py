"""Which samples are left out so that what is published keeps its thresholds.

The section says that a sample whose generalization would exceed a threshold is left out, per user.
Which samples these are depends on the others of the same cell: one sample far away makes the whole
cell too wide, and without it the rest may well be published. So:

- Groups are formed as without suppression. What a threshold changes is what is published, never
  with whom anybody hides; results with and without it can be compared group by group.
- In each published cell that exceeds a threshold, the original samples it holds are looked at, each
  with its user. Samples too large by themselves are left out; then those at one face of the
  bounding cell of the rest, the face that comes down most, in shares of the threshold, for each
  sample lost; and so on until it keeps the thresholds. Then those left out are tried again,
  earliest first, and put back where the cell still keeps them. So none that is left out could be
  published beside the rest. The cell becomes the bounding cell of those kept; a cell that keeps
  none, or held none, is not published.
- Cells only shrink, within their own stretch of time: none comes to overlap another, all members
  still share them, and every sample that is not left out stays inside.

A user all of whose samples are left out stays in the group and is published like its other members:
taken out, the user could leave fewer than k behind. A group of which no cell remains is not
published; its users are in no group (−1).

Source: docs/science.md, “Hiding everyone: GLOVE”.
"""

from __future__ import annotations

import numpy as np

from ..engines.local import Engine
from ..kernels.glove_suppress import suppress_group
from ..model.arrays import Codes
from ..model.fingerprints import FingerprintSet
from ..model.glove import REASONS
from .grouping import Group

LEFT_OVER = len(REASONS)  # codes count the reasons from 1
_BLOCK = 64


def suppress(
    fs: FingerprintSet,
    groups: list[Group],
    max_space_m: float | None,
    max_time_min: float | None,
    engine: Engine,
) -> Codes:
    """Shrink the groups' cells to the thresholds, in place; of each sample why it is left out.

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
            rows = rows[np.argsort(fs.t_min[rows], kind="stable")]
            samples = np.column_stack(
                [v[rows] for v in (fs.x_m, fs.y_m, fs.t_min, fs.dx_m, fs.dy_m, fs.dt_min)]
            )
            group.cells, code[rows] = suppress_group(group.cells, samples, rows, space, time)
        return 1.0

    blocks = range(0, len(groups), _BLOCK)
    engine.run(block, blocks, max(1, len(blocks)))
    return code

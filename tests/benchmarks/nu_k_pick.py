"""nu-k-pick (Mishra & Fiore 2026, section III-D) beside aligned publishing: why it is not offered.

Everybody picks the k − 1 others whom it costs least to be merged with, and every record is
generalized with all that picked it: here, by the best blocks of these people. Records then differ.
Whoever knows a person finds k records that hold all of the person's samples, but they are not
alike: the tightest around these samples is likelier than 1 in k the person's own.
"""

import numpy as np

from fpanon_core import StretchConfig, k_gap
from fpanon_core.anonymize.crowding import boxes_of
from fpanon_core.kernels.aligned_blocks import blocks_of, pair_losses

_NEAREST = 60


def nu_k_pick(fs, k):
    """Mean loss, medians of side and span, and how often the tightest record is the right one."""
    boxes, everybody = boxes_of(fs, StretchConfig(1, 1)), np.arange(fs.n_users)
    near = k_gap(fs, min(_NEAREST + 1, fs.n_users)).neighbours
    loss = np.empty(near.shape)
    pair_losses(boxes, everybody, near, loss)
    each = loss / (fs.lengths[:, None] + fs.lengths[near])
    order = np.argsort(each, axis=1, kind="stable")[:, : k - 1]
    picked = np.take_along_axis(near, order, axis=1)
    picking = [[r] for r in everybody]
    for x in everybody:
        for r in picked[x]:
            picking[r].append(x)
    tightness = np.full((fs.n_users, k), np.inf)  # of the own record, then of those picked
    side, span = np.empty(fs.n_samples), np.empty(fs.n_samples)
    for r in everybody:
        cells, _ = blocks_of(boxes, np.array(sorted(picking[r])))
        for x in picking[r]:
            rows = fs.rows_of(x)
            at = np.searchsorted(cells[:, 2], fs.t_min[rows], "right") - 1
            wide, long = (cells[at, 3] + cells[at, 4]) / 2, cells[at, 5]
            place = 0 if x == r else 1 + picked[x].tolist().index(r)
            tightness[x, place] = (boxes.by_space * wide + boxes.by_time * long).mean()
            if x == r:
                side[rows], span[rows] = wide, long
    least = tightness.min(axis=1)
    tightest = np.isclose(tightness, least[:, None], rtol=1e-9)
    right = (tightest[:, 0] / tightest.sum(axis=1)).mean()
    return {
        "mean loss": round(float((boxes.by_space * side + boxes.by_time * span).mean()), 4),
        "median side, m": float(np.median(side)),
        "median span, min": float(np.median(span)),
        "the tightest is the right one": round(float(right), 4),
        "guessing among k": round(1 / k, 4),
    }

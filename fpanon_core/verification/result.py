"""A result of GLOVE, as it is checked: with everything that it says of itself."""

from __future__ import annotations

import numpy as np

from ..model.glove import GloveResult
from .claim import Claim, by_start, contents
from .faults import Faults


def claim_of(result: GloveResult, faults: Faults) -> Claim | None:
    """The release in a result; None, with a fault, where it cannot be looked at."""
    p = result.published
    original = faults.original
    group = np.asarray(result.group, np.int64)
    if len(group) != original.n_users:
        text = f"The result has {len(group)} users, the original {original.n_users}."
        faults.add("missing user", text)
        return None
    if len(group) and not (group.min() >= -1 and group.max() < p.n_groups):
        faults.add("unknown group", "A user is in a group of which nothing is published.")
        return None
    said_of_itself(result, faults)
    members = np.zeros(p.n_groups, np.int64)
    np.add.at(members, group[group >= 0], original.weight[group >= 0])
    for g in np.flatnonzero(members != p.n_users).tolist():
        text = f"Group {g} is said to have {p.n_users[g]} users and has {members[g]}."
        faults.add("group size", text, group=g)
    cells = np.column_stack(
        [p.x_m, p.x_m + p.dx_m, p.y_m, p.y_m + p.dy_m, p.t_min, p.t_min + p.dt_min]
    )
    pieces = [by_start(cells[p.rows_of(g)]) for g in range(p.n_groups)]
    offsets = np.asarray(p.offsets)
    return Claim(
        cells=np.ascontiguousarray(np.concatenate([np.empty((0, 6)), *pieces])),
        first=offsets[:-1],
        last=offsets[1:],
        label=np.arange(p.n_groups),
        content=contents(pieces),
        records=np.bincount(group[group >= 0], minlength=p.n_groups).astype(np.int64),
        home=group,
    )


def said_of_itself(result: GloveResult, faults: Faults) -> None:
    """Digest, pseudonyms, weights, projection, clock and granularity are those of the original."""
    original, p = faults.original, result.published
    if result.digest != original.digest:
        faults.add("digest", "The result was made from other data: its digest is another.")
    if not np.array_equal(result.number, original.number):
        text = "The numbers behind the pseudonyms are not, one by one, those of the original."
        faults.add("pseudonym", text)
    if not np.array_equal(result.weight, original.weight):
        faults.add("weight", "The users' weights are not those of the original.")
    if p.crs != original.crs:
        faults.add("projection", "The map projection is not that of the original.")
    if p.clock != original.clock:
        faults.add("clock", "First day or time zone are not those of the original.")
    if (p.granularity_m, p.granularity_min) != (original.granularity_m, original.granularity_min):
        faults.add("granularity", "The granularity is not that of the original.")
    if result.k < faults.k:
        text = f"The result was made for k = {result.k}, fewer than {faults.k}."
        faults.add("stated k", text)

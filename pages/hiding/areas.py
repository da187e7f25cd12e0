"""What is published of one group, and its members' own samples, ready to be drawn."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from fpanon_core.model.arrays import FloatArray, IntArray
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.glove import GloveResult
from pages.charts.spacetime import Path3D


def groups(release: GloveResult) -> IntArray:
    """The group of each published sample."""
    published = release.published
    return np.repeat(np.arange(published.n_groups), published.lengths)


def middle(release: GloveResult) -> int:
    """The group of middling length."""
    lengths = release.published.lengths
    return int(np.argsort(lengths, kind="stable")[len(lengths) // 2])


def paths(
    release: GloveResult, fs: FingerprintSet, group: int, users: Iterable[int]
) -> list[Path3D]:
    """The own samples of some members, from the middle of what is published for the group."""
    east, north = _centre(release, group)
    names = fs.pseudonyms
    drawn = []
    for user in users:
        own = fs.rows_of(user)
        drawn.append(
            Path3D(
                names[user],
                (fs.x_m[own] + fs.dx_m[own] / 2 - east) / 1000,
                (fs.y_m[own] + fs.dy_m[own] / 2 - north) / 1000,
                fs.wall_minutes(fs.t_min[own] + fs.dt_min[own] / 2),
            )
        )
    return drawn


def boxes(release: GloveResult, fs: FingerprintSet, group: int) -> FloatArray:
    """What is published for a group: lower and upper corners, km and local minutes, (n, 6)."""
    published = release.published
    rows = published.rows_of(group)
    centre = _centre(release, group)
    east, north = published.x_m[rows] - centre[0], published.y_m[rows] - centre[1]
    return np.column_stack(
        [
            east / 1000,
            north / 1000,
            fs.wall_minutes(published.t_min[rows]),
            (east + published.dx_m[rows]) / 1000,
            (north + published.dy_m[rows]) / 1000,
            fs.wall_minutes(published.t_min[rows] + published.dt_min[rows]),
        ]
    )


def _centre(release: GloveResult, group: int) -> tuple[float, float]:
    published = release.published
    rows = published.rows_of(group)
    return float(np.median(published.x_m[rows])), float(np.median(published.y_m[rows]))

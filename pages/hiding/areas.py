"""What is published where: of everyone at one moment, and of one group, ready to be drawn."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from fpanon_core.model.arrays import FloatArray, IntArray
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.glove import GloveResult
from pages.charts.spacetime import Path3D


def hours(release: GloveResult, fs: FingerprintSet) -> range:
    """The hours, counted from the first local midnight, in which something is published."""
    start, end = _walls(release, fs)
    return range(int(start.min() // 60), int((end.max() - 1) // 60) + 1)


def within_hour(release: GloveResult, fs: FingerprintSet, hour: int, most: int) -> IntArray:
    """Row numbers of published samples that hold within an hour, one for each group.

    The first of each group; of more than ``most`` some, evenly spaced, the same every time.
    """
    start, end = _walls(release, fs)
    some = np.flatnonzero((start <= 60 * hour + 59) & (end > 60 * hour))
    some = some[np.unique(groups(release)[some], return_index=True)[1]]
    if len(some) > most:
        some = some[np.unique(np.linspace(0, len(some) - 1, most).astype(int))]
    return some


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


def _walls(release: GloveResult, fs: FingerprintSet) -> tuple[FloatArray, FloatArray]:
    """Local minutes at which each published sample begins and ends."""
    published = release.published
    return (
        fs.wall_minutes(published.t_min),
        fs.wall_minutes(published.t_min + published.dt_min),
    )

"""What is published of one group, and its members' own samples, ready to be drawn."""

from __future__ import annotations

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
    release: GloveResult, fs: FingerprintSet, group: int, at_most: int
) -> tuple[list[Path3D], Path3D | None]:
    """The own samples of some members, and of all others together; east and north of the middle.

    Of a release in periods: the samples within the group's own.
    """
    people = np.sort(release.people[release.members(group)]).tolist()
    centre = _centre(release, group)
    rows = [_rows(release, fs, group, person) for person in people]
    drawn = [
        _path(fs, fs.pseudonyms[person], own, centre)
        for person, own in zip(people[:at_most], rows, strict=False)
    ]
    rest = rows[at_most:]
    return drawn, _path(fs, "all others", np.concatenate(rest), centre) if rest else None


def _rows(release: GloveResult, fs: FingerprintSet, group: int, person: int) -> IntArray:
    """A person's samples, of the group's period where there are periods."""
    own = fs.rows_of(person)
    rows = np.arange(own.start, own.stop)
    if release.group_period is None or release.period_days is None:
        return rows
    period = fs.wall_minutes(fs.t_min[own]) // (1_440 * release.period_days)
    inside: IntArray = rows[period == release.group_period[group]]
    return inside


def _path(fs: FingerprintSet, name: str, rows: IntArray, centre: tuple[float, float]) -> Path3D:
    return Path3D(
        name,
        (fs.x_m[rows] + fs.dx_m[rows] / 2 - centre[0]) / 1000,
        (fs.y_m[rows] + fs.dy_m[rows] / 2 - centre[1]) / 1000,
        fs.wall_minutes(fs.t_min[rows] + fs.dt_min[rows] / 2),
    )


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

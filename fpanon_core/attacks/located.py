"""At which place was everyone, in each time slot in which they have a sample?

By the events' own places and period, or by those of a stated frame.

Source: docs/science.md, “Counts and trajectory recovery”.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree  # type: ignore[import-untyped,unused-ignore]

from ..model.aggregates import LeftOut
from ..model.arrays import FloatArray, IntArray, SmallInts
from ..model.counts_frame import CountsFrame, slots_between
from ..model.errors import ConfigError, InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.projection import lon_lat, project
from ..model.ragged import offsets_of, rows_of, stretches

_CLOSE_M = 1e-6  # places nearer than this to equally near are equally near
_CLOSE_MIN = 1e-9
_SAMPLES_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False)
class Located:
    """Everyone's place in every slot with a sample; rows by user, then by slot.

    Attributes
    ----------
    user, slot, place : int64 ndarray (n,)
    corners : tuple of four float64 ndarray (n_places,)
        x, y, dx, dy of the places, metres.
    starts : float64 ndarray (n_slots,)
        Elapsed minutes since the epoch of the clock: the frame's, or else the data's.
    wall : float64 ndarray (n_slots,)
        The same on the wall clock.
    left_out : LeftOut
    """

    user: IntArray
    slot: IntArray
    place: IntArray
    corners: tuple[FloatArray, ...]
    starts: FloatArray
    wall: FloatArray
    left_out: LeftOut

    @property
    def centres(self) -> FloatArray:
        """Of the places, (n_places, 2), metres."""
        x_m, y_m, dx_m, dy_m = self.corners
        return np.column_stack([x_m + dx_m / 2, y_m + dy_m / 2])


def located(
    fs: FingerprintSet, slot_min: float, frame: CountsFrame | None, *, shared: bool
) -> Located:
    """Where everyone was; see :func:`fpanon_core.aggregate_counts`.

    Parameters
    ----------
    fs : FingerprintSet
    slot_min : float
        Of slots without a frame.
    frame : CountsFrame or None
    shared : bool
        Whether a sample that reaches over several slots is shared among them by time. If not, it
        belongs to the slot in which it begins, so that it changes no other.
    """
    cell, corners = _cells(fs)
    if frame is None:
        starts, end = _slots_of(fs, slot_min)
        edges, wall = np.append(starts, end), fs.wall_minutes(starts)
        begin, place = fs.t_min, np.arange(len(corners[0]))
    else:
        edges, wall = frame.slot_edge_min, frame.wall_start_min
        begin = fs.t_min + _minutes_after(fs, frame)
        place = _place_of(corners, frame, fs.crs)
        corners = (frame.x_m, frame.y_m, frame.dx_m, frame.dy_m)
        starts = edges[:-1]
    if not shared and (fs.dt_min > slot_min + _CLOSE_MIN).any():
        raise InfeasibleError(
            f"Samples of up to {fs.dt_min.max():g} min reach over several slots of "
            f"{slot_min:g} min, so that one record would be in many; choose slots as long as "
            "the samples, or fill in."
        )
    outside, late, found = 0, 0, []
    for users in stretches(fs.offsets, _SAMPLES_AT_ONCE):
        rows = slice(int(fs.offsets[users.start]), int(fs.offsets[users.stop]))
        user = np.repeat(np.arange(users.start, users.stop), np.diff(fs.offsets)[users])
        from_, at = begin[rows], place[cell[rows]]
        to = from_ + fs.dt_min[rows] if shared else from_
        ahead = (to <= edges[0]) if shared else (from_ < edges[0])
        out, off = at < 0, ahead | (from_ >= edges[-1])
        outside, late = outside + int(out.sum()), late + int((off & ~out).sum())
        kept = ~out & ~off
        found.append(_most_frequent(user[kept], at[kept], from_[kept], to[kept], edges))
    user, slot, at = (np.concatenate(column) for column in zip(*found, strict=True))
    seen = np.zeros(fs.n_users, np.bool_)
    seen[user] = True
    left_out = LeftOut(outside, late, int(fs.weight[~seen].sum()))
    return Located(user, slot, at, corners, starts, wall, left_out)


def nearest_place(tree: cKDTree, points: FloatArray) -> IntArray:
    """The nearest place of each point, the lowest number of those equally near."""
    nearest = np.empty(len(points), np.int64)
    left, many = np.arange(len(points)), min(2, tree.n)
    while len(left):
        apart, place = (v.reshape(len(left), -1) for v in tree.query(points[left], many))
        tied = apart <= apart[:, :1] + _CLOSE_M
        nearest[left] = np.where(tied, place, tree.n).min(axis=1)
        if many == tree.n:
            break
        left = left[tied.all(axis=1)]  # there may be more as near as the last of them
        many = min(8 * many, tree.n)
    return nearest


def _slots_of(fs: FingerprintSet, slot_min: float) -> tuple[FloatArray, float]:
    """Starts of the slots from the first sample to the last, and the end of the last slot."""
    first, last = float(fs.t_min.min()), float((fs.t_min + fs.dt_min).max())
    if fs.clock is None:
        begin = np.floor(first / slot_min)
        many = max(1, int(np.ceil(last / slot_min) - begin))
        return (begin + np.arange(many)) * slot_min, (begin + many) * slot_min
    starts = slots_between(fs.clock, first, last, slot_min)
    begin, length = fs.clock.window(starts[-1:], slot_min)
    return starts, float(begin[0] + length[0])


def _minutes_after(fs: FingerprintSet, frame: CountsFrame) -> float:
    """What to add to the data's elapsed minutes to have the frame's."""
    if (fs.clock is None) != (frame.clock is None):
        raise ConfigError("Of the data and the frame only one has a calendar; state the period.")
    if fs.clock is None or frame.clock is None:
        return 0.0
    return (fs.clock.epoch - frame.clock.epoch).total_seconds() / 60


def _cells(fs: FingerprintSet) -> tuple[SmallInts, tuple[FloatArray, ...]]:
    """Number of the cell of each sample, and each cell's corner and extent."""
    keys = (fs.x_m, fs.y_m, fs.dx_m, fs.dy_m)
    cell = np.empty(len(fs.x_m), np.int32)
    parts: list[tuple[FloatArray, ...]] = []
    for at in range(0, len(cell), _SAMPLES_AT_ONCE):
        some = slice(at, at + _SAMPLES_AT_ONCE)
        cell[some], there = _distinct_cells(tuple(k[some] for k in keys))
        parts.append(there)
    number, corners = _distinct_cells(
        tuple(np.concatenate(column) for column in zip(*parts, strict=True))
    )
    many = offsets_of([len(part[0]) for part in parts])
    for begin, at in zip(many, range(0, len(cell), _SAMPLES_AT_ONCE), strict=False):
        some = slice(at, at + _SAMPLES_AT_ONCE)
        cell[some] = number[begin + cell[some]]
    return cell, corners


def _distinct_cells(keys: tuple[FloatArray, ...]) -> tuple[SmallInts, tuple[FloatArray, ...]]:
    """The number of each, by x, then y, then extent, and those there are."""
    order = np.lexsort(keys[::-1])
    ordered = [k[order] for k in keys]
    new = np.ones(len(order), bool)
    new[1:] = np.logical_or.reduce([k[1:] != k[:-1] for k in ordered])
    cell = np.empty(len(order), np.int32)
    cell[order] = np.cumsum(new) - 1
    return cell, tuple(k[new] for k in ordered)


def _place_of(corners: tuple[FloatArray, ...], frame: CountsFrame, crs: str | None) -> IntArray:
    """The frame's place of each cell, by its centre; −1 outside a stated area."""
    x_m, y_m = corners[0] + corners[2] / 2, corners[1] + corners[3] / 2
    if frame.area is None:
        if frame.crs != crs:
            raise ConfigError("The antennas of the frame are on another projection than the data.")
        at = np.column_stack([frame.x_m + frame.dx_m / 2, frame.y_m + frame.dy_m / 2])
        return nearest_place(cKDTree(at), np.column_stack([x_m, y_m]))
    area = frame.area
    if area.unit == "degrees":
        if crs is None or frame.crs is None:
            raise ConfigError("The data have no degrees; state the area in metres.")
        lon, lat = lon_lat(crs, x_m, y_m)
        inside = (area.south <= lat) & (lat < area.north)
        inside &= (lon - area.west) % 360.0 < area.east - area.west
        x_m, y_m = project(lat, lon, frame.crs)
    else:
        inside = (area.south <= y_m) & (y_m < area.north) & (area.west <= x_m) & (x_m < area.east)
    place = np.full(len(x_m), -1, np.int64)
    side = frame.dx_m[0]
    rows = frame.n_places // frame.columns
    # The bounds bend on the projection: what rounding puts outside belongs to the last square.
    column = np.clip(np.floor((x_m[inside] - frame.x_m[0]) / side), 0, frame.columns - 1)
    row = np.clip(np.floor((y_m[inside] - frame.y_m[0]) / side), 0, rows - 1)
    place[inside] = (row * frame.columns + column).astype(np.int64)
    return place


def _most_frequent(
    user: IntArray, place: IntArray, begin: FloatArray, end: FloatArray, edges: FloatArray
) -> tuple[IntArray, IntArray, IntArray]:
    """User, slot and place of every slot in which a user has a sample."""
    if len(user) == 0:
        return user, user, user
    n_slots = len(edges) - 1
    first = np.searchsorted(edges, begin, side="right") - 1
    last = np.maximum(np.searchsorted(edges, end, side="left") - 1, first)
    first, last = np.maximum(first, 0), np.minimum(last, n_slots - 1)
    many = last - first + 1
    slot = rows_of(first, many)
    row = np.repeat(np.arange(len(user)), many)
    inside = np.minimum(end[row], edges[slot + 1]) - np.maximum(begin[row], edges[slot])
    # Samples, not events: the count weighs the draws of an adversary and nothing else.
    length = np.where(end > begin, end - begin, 1.0)
    whole = (edges[slot] <= begin[row]) & (end[row] <= edges[slot + 1])
    samples = np.where(whole, 1.0, inside / length[row])
    user, place = user[row], place[row]
    order = np.lexsort((place, slot, user))
    user, slot, place, samples = user[order], slot[order], place[order], samples[order]
    new = np.ones(len(order), bool)
    new[1:] = (user[1:] != user[:-1]) | (slot[1:] != slot[:-1]) | (place[1:] != place[:-1])
    start = np.flatnonzero(new)
    # Rounded, so that what is equal but for the order of adding is a tie.
    samples = np.round(np.add.reduceat(samples, start), 9)
    user, slot, place = user[start], slot[start], place[start]
    # Stable: of places with as many samples the lowest number stays first.
    order = np.lexsort((-samples, slot, user))
    user, slot, place = user[order], slot[order], place[order]
    new = np.ones(len(order), bool)
    new[1:] = (user[1:] != user[:-1]) | (slot[1:] != slot[:-1])
    return user[new], slot[new], place[new]

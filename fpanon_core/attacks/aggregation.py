"""Counts of people at each place in each time slot, as they would be published.

There are two ways to count people. In the first, as in Xu et al. 2017, §5.1, everyone is in one
place in every slot. In the second, people are counted only in slots where they have a sample.
Places and period come from the events, or from a stated frame.

Source: docs/science.md, “Counts and trajectory recovery”.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import h3.api.basic_int as h3
import numpy as np
from scipy.spatial import cKDTree  # type: ignore[import-untyped,unused-ignore]

from ..kernels.table_sums import number_cells
from ..model.aggregates import UNKNOWN, AggregateCounts, sparse_of
from ..model.arrays import (
    PLACE,
    BoolArray,
    FloatArray,
    IntArray,
    SmallInts,
    distinct_rows,
    pieces,
    rows_of,
    stretches,
)
from ..model.counts_frame import CountsFrame, check_slot, slots_between
from ..model.errors import ConfigError, InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.periods import decided_by_records
from ..model.projection import lon_lat, project

_CELLS_AT_ONCE = 1 << 18  # people × slots filled in, or counted, at a time
_MOST_CELLS = 1 << 31  # most cells of ``truth``: 8 GB


@dataclass(frozen=True, eq=False)
class CountedPeople:
    """Counts, and the place of each counted person in each slot.

    Attributes
    ----------
    counts : AggregateCounts
    truth : int32 ndarray (n_people, n_slots)
        Place of each person in each slot; −1 where they are not counted.
    recorded : bool ndarray (n_people, n_slots)
        Whether the person has a sample in the slot. All other places in ``truth`` were filled in
        or, if gaps are not filled in, are −1.
    """

    counts: AggregateCounts
    truth: SmallInts
    recorded: BoolArray


def aggregate_counts(
    fs: FingerprintSet,
    *,
    slot_min: float = 30.0,
    frame: CountsFrame | None = None,
    filled_in: bool = True,
) -> tuple[AggregateCounts, SmallInts]:
    """Count people by place and time slot, and keep their places as the truth for scoring.

    In each slot, a user is at the place where the user has the most *samples*, whatever the
    samples' numbers of events. Ties go to the lower place number. A sample that spans several
    slots, as in generalized data, is divided among them by time.

    **Filled in**, as in the published attack: a slot without a sample gets a place by linear
    interpolation between the places before and after. The place nearest to the interpolated point
    is taken; ties go to the lower place number. Before the first and after the last sample, the
    place nearest in time is kept (Xu et al. 2017, §5.1). **Not filled in**: people are counted only
    in slots in which they have a sample. A sample counts only in the slot in which it begins, so
    one record changes one slot.

    **The frame.** With a frame, people are counted at its places and in its slots, whatever the
    records contain. Samples outside the frame are left out, and so are people without any sample
    inside. Without a frame, places are the distinct cells of the data, by x, then y, then extent.
    Slots are then aligned to local midnight; the first contains the first sample, and the last the
    end of the last sample. In that case, the records determine the list of places and the period,
    and no noise on the counts hides that.

    Parameters
    ----------
    fs : FingerprintSet
        A fingerprint that stands for w people counts w times.
    slot_min : float
        Length of a slot, minutes, if no frame is given; a whole number of slots makes a day.
    frame : CountsFrame, optional
        Stated places and slots.
    filled_in : bool

    Returns
    -------
    counts : AggregateCounts
    truth : int32 ndarray (n_people, n_slots)
        Place number of each person in each slot, −1 where they are not counted; rows in the order
        of ``fs``, w for each fingerprint.

    Raises
    ------
    ConfigError
        ``slot_min`` does not divide a day, or the frame does not fit the data.
    InfeasibleError
        The table of people by slots would not fit in memory, or samples are longer than a slot and
        gaps are not filled in.

    Examples
    --------
    One person was at a place at 0:10 and at another, 900 m away, at 1:40. The slot of 0:30 is
    snapped to the first place (300 m away), the slot of 1:00 to the second.

    >>> fs = FingerprintSet.from_samples([1, 1], [0, 900], [0, 0], [10, 100])
    >>> counts, truth = aggregate_counts(fs)
    >>> truth.tolist(), counts.totals.tolist()
    ([[0, 0, 1, 1]], [1, 1, 1, 1])

    Counts over a stated area and day, only in slots with a sample.

    >>> from fpanon_core import CountsFrame, StatedArea, StatedPeriod
    >>> area, day = StatedArea(0, 0, 1_000, 2_000, "metres"), StatedPeriod(None, 1, 60)
    >>> frame = CountsFrame.of_area(area, 500, day)
    >>> counts, _ = aggregate_counts(fs, frame=frame, filled_in=False)
    >>> counts.counts.shape, counts.totals[:3].tolist()
    ((24, 8), [1, 1, 0])
    """
    made = counted_people(fs, slot_min=slot_min, frame=frame, filled_in=filled_in)
    return made.counts, made.truth


def counted_people(
    fs: FingerprintSet,
    *,
    slot_min: float = 30.0,
    frame: CountsFrame | None = None,
    filled_in: bool = True,
) -> CountedPeople:
    """Count people as :func:`aggregate_counts` does; also return which points were recorded."""
    where = _located(fs, slot_min, frame, filled_in)
    people, slots = int(fs.weight.sum()), len(where.starts)
    if people * slots > _MOST_CELLS:
        raise InfeasibleError(
            f"{people:,} people in {slots:,} slots are too many for memory; choose longer "
            "slots or fewer people."
        )
    truth = np.full((fs.n_users, slots), UNKNOWN, np.int32)
    truth[where.user, where.slot] = where.place
    recorded = truth != UNKNOWN
    x_m, y_m, dx_m, dy_m = where.corners
    if filled_in:
        centres = np.column_stack([x_m + dx_m / 2, y_m + dy_m / 2])
        tree, seen = cKDTree(centres), np.flatnonzero(recorded.any(axis=1))
        at_once = max(1, _CELLS_AT_ONCE // slots)
        for first in range(0, len(seen), at_once):
            users = seen[first : first + at_once]
            truth[users] = _interpolated(truth[users], centres, tree)
    if np.any(fs.weight != 1):
        truth = np.repeat(truth, fs.weight, axis=0)
        recorded = np.repeat(recorded, fs.weight, axis=0)
    counts = AggregateCounts(
        counts=cast(IntArray, sparse_of(_counted(truth, len(x_m)))),
        x_m=x_m,
        y_m=y_m,
        dx_m=dx_m,
        dy_m=dy_m,
        slot_start_min=where.starts,
        slot_min=where.slot_min,
        wall_start_min=where.wall,
        digest=fs.digest,
        frame=frame,
        filled_in=filled_in,
        heaviest=int(fs.weight.max()),
        of_records=decided_by_records(fs),
    )
    return CountedPeople(counts, truth, recorded)


def _counted(truth: SmallInts, n_places: int) -> Iterator[SmallInts]:
    """Yield the number of people at each place in each slot, some slots at a time."""
    at_once = max(1, _CELLS_AT_ONCE // max(len(truth), n_places))
    for first in range(0, truth.shape[1], at_once):
        # Transposed, so that a slot is contiguous in memory; 0 stands for people not counted.
        some = np.ascontiguousarray(truth[:, first : first + at_once].T) + 1
        block = np.empty((len(some), n_places), np.int32)
        for row, here in zip(block, some, strict=True):
            row[:] = np.bincount(here, minlength=n_places + 1)[1:]
        yield block


def _interpolated(truth: SmallInts, centres: FloatArray, tree: cKDTree) -> SmallInts:
    """Return the places with each −1 interpolated; each row must have at least one place."""
    slots = np.arange(truth.shape[1], dtype=np.int32)
    known = truth >= 0
    before = np.maximum.accumulate(np.where(known, slots, -1), axis=1)
    after = np.minimum.accumulate(np.where(known, slots, len(slots))[:, ::-1], axis=1)[:, ::-1]
    user, slot = np.nonzero(~known)
    before, after = before[user, slot], after[user, slot]
    begun, ended = before >= 0, after < len(slots)
    before, after = np.where(begun, before, after), np.where(ended, after, before)
    left, right = truth[user, before], truth[user, after]
    truth[user, slot] = left
    moving = np.flatnonzero(left != right)
    a, b = centres[left[moving]], centres[right[moving]]
    share = (slot[moving] - before[moving]) / (after[moving] - before[moving])
    truth[user[moving], slot[moving]] = _nearest_place(tree, a + (b - a) * share[:, None])
    return truth


_CLOSE_M = 1e-6  # differences of distance below this count as ties
_CLOSE_MIN = 1e-9
_SAMPLES_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False)
class _Located:
    """Each user's place in every slot with a sample; rows by user, then by slot.

    ``corners`` are x, y, dx, dy of the places, metres. ``starts`` are the starts of the slots, in
    elapsed minutes since the epoch of the frame or, without a frame, of the data. ``wall`` has the
    same times on the wall clock.
    """

    slot_min: float
    user: IntArray
    slot: IntArray
    place: IntArray
    corners: tuple[FloatArray, ...]
    starts: FloatArray
    wall: FloatArray


def _located(
    fs: FingerprintSet, slot_min: float, frame: CountsFrame | None, filled_in: bool
) -> _Located:
    """Return each user's place in each slot; see :func:`fpanon_core.aggregate_counts`.

    If gaps are filled in, a sample that spans several slots is divided among them by time.
    If not, it belongs to the slot in which it begins, so that it changes no other slot.
    """
    slot_min = check_slot(slot_min) if frame is None else frame.slot_min
    cell, corners = cells_of(fs)
    if frame is None:
        starts, end = _slots_of(fs, slot_min)
        edges, wall = np.append(starts, end), fs.wall_minutes(starts)
        begin, place = fs.t_min, np.arange(len(corners[0]))
    else:
        edges, wall = frame.slot_edge_min, frame.wall_start_min
        begin = fs.t_min + minutes_after(fs, frame)
        place = place_of(corners, frame, fs.crs)
        corners = (frame.x_m, frame.y_m, frame.dx_m, frame.dy_m)
        starts = edges[:-1]
    if not filled_in and (fs.dt_min > slot_min + _CLOSE_MIN).any():
        raise InfeasibleError(
            f"Samples of up to {fs.dt_min.max():g} min span several slots of "
            f"{slot_min:g} min, so one record would be in several; choose slots as long as "
            "the samples, or fill in gaps."
        )
    found = []
    for users in stretches(fs.offsets, _SAMPLES_AT_ONCE):
        rows = slice(int(fs.offsets[users.start]), int(fs.offsets[users.stop]))
        user = np.repeat(np.arange(users.start, users.stop), np.diff(fs.offsets)[users])
        from_, at = begin[rows], place[cell[rows]]
        to = from_ + fs.dt_min[rows] if filled_in else from_
        ahead = (to <= edges[0]) if filled_in else (from_ < edges[0])
        kept = (at >= 0) & ~ahead & (from_ < edges[-1])
        found.append(_most_frequent(user[kept], at[kept], from_[kept], to[kept], edges))
    user, slot, at = (np.concatenate(column) for column in zip(*found, strict=True))
    return _Located(slot_min, user, slot, at, corners, starts, wall)


def _nearest_place(tree: cKDTree, points: FloatArray) -> IntArray:
    """Return the place nearest to each point; ties go to the lowest number."""
    nearest = np.empty(len(points), np.int64)
    left, many = np.arange(len(points)), min(2, tree.n)
    while len(left):
        apart, place = (v.reshape(len(left), -1) for v in tree.query(points[left], many))
        tied = apart <= apart[:, :1] + _CLOSE_M
        nearest[left] = np.where(tied, place, tree.n).min(axis=1)
        if many == tree.n:
            break
        left = left[tied.all(axis=1)]  # there may be more places as near as the last one
        many = min(8 * many, tree.n)
    return nearest


def _slots_of(fs: FingerprintSet, slot_min: float) -> tuple[FloatArray, float]:
    """Return the starts of the slots from first to last sample, and the end of the last slot."""
    first, last = float(fs.t_min.min()), float((fs.t_min + fs.dt_min).max())
    if fs.clock is None:
        begin = np.floor(first / slot_min)
        many = max(1, int(np.ceil(last / slot_min) - begin))
        return (begin + np.arange(many)) * slot_min, (begin + many) * slot_min
    starts = slots_between(fs.clock, first, last, slot_min)
    begin, length = fs.clock.window(starts[-1:], slot_min)
    return starts, float(begin[0] + length[0])


def minutes_after(fs: FingerprintSet, frame: CountsFrame) -> float:
    """Return how many minutes the frame's elapsed time is ahead of the data's.

    Raises
    ------
    ConfigError
        Only one of the data and the frame has a calendar.
    """
    if (fs.clock is None) != (frame.clock is None):
        raise ConfigError("State a first day if the data have dates; state none if they have none.")
    if fs.clock is None or frame.clock is None:
        return 0.0
    return (fs.clock.epoch - frame.clock.epoch).total_seconds() / 60


def cells_of(
    fs: FingerprintSet, rows: slice = slice(None)
) -> tuple[SmallInts, tuple[FloatArray, ...]]:
    """Return the cell number of each sample in ``rows``, and each cell's corner and extent."""
    x, y, dx, dy = keys = tuple(column[rows] for column in fs.arrays(PLACE).values())
    cell = np.empty(len(x), np.int32)
    first = number_cells(x, y, dx, dy, cell)
    in_order, number = distinct_rows(*(k[first] for k in keys))
    for some in pieces(len(cell)):
        cell[some] = number[cell[some]]
    return cell, tuple(k[first[in_order]] for k in keys)


def place_of(corners: tuple[FloatArray, ...], frame: CountsFrame, crs: str | None) -> IntArray:
    """Return the number of the frame's place for the centre of each cell; −1 outside a stated area.

    In a stated area, the place is the square or hexagon that holds the centre. In a frame of
    antennas, it is the nearest antenna.

    Raises
    ------
    ConfigError
        The projections of the data and of the frame's antennas differ, or the area is stated in
        degrees for data without a projection.
    """
    x_m, y_m = corners[0] + corners[2] / 2, corners[1] + corners[3] / 2
    if frame.area is None:
        if frame.crs != crs:
            raise ConfigError("The antennas of the frame use a different projection from the data.")
        at = np.column_stack([frame.x_m + frame.dx_m / 2, frame.y_m + frame.dy_m / 2])
        return _nearest_place(cKDTree(at), np.column_stack([x_m, y_m]))
    area = frame.area
    if area.unit == "degrees":
        if crs is None or frame.crs is None:
            raise ConfigError("The data have no positions in degrees; state the area in metres.")
        lon, lat = lon_lat(crs, x_m, y_m)
        inside = (area.south <= lat) & (lat < area.north)
        inside &= (lon - area.west) % 360.0 < area.east - area.west
        x_m, y_m = project(lat, lon, frame.crs)
    else:
        inside = (area.south <= y_m) & (y_m < area.north) & (area.west <= x_m) & (x_m < area.east)
    place = np.full(len(x_m), -1, np.int64)
    if len(frame.cells):
        place[inside] = _hexagon_of(lat[inside], lon[inside], frame.cells)
        return place
    side = frame.dx_m[0]
    rows = frame.n_places // frame.columns
    # Bounds are curved on the projection: points just outside the grid join the nearest square.
    column = np.clip(np.floor((x_m[inside] - frame.x_m[0]) / side), 0, frame.columns - 1)
    row = np.clip(np.floor((y_m[inside] - frame.y_m[0]) / side), 0, rows - 1)
    place[inside] = (row * frame.columns + column).astype(np.int64)
    return place


def _hexagon_of(lat: FloatArray, lon: FloatArray, cells: IntArray) -> IntArray:
    """Return the position, among ascending H3 cells, of the cell that holds each point, or −1."""
    resolution = h3.get_resolution(int(cells[0]))
    lon = (lon + 180.0) % 360.0 - 180.0
    points = zip(lat.tolist(), lon.tolist(), strict=True)
    own = np.array([h3.latlng_to_cell(*at, resolution) for at in points], np.int64)
    at = np.minimum(np.searchsorted(cells, own), len(cells) - 1)
    return np.where(cells[at] == own, at, -1)


def _most_frequent(
    user: IntArray, place: IntArray, begin: FloatArray, end: FloatArray, edges: FloatArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the user, slot and most frequent place for each user and slot with a sample."""
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
    # Samples, not events: the number of events affects only the draws of an attacker.
    length = np.where(end > begin, end - begin, 1.0)
    whole = (edges[slot] <= begin[row]) & (end[row] <= edges[slot + 1])
    samples = np.where(whole, 1.0, inside / length[row])
    user, place = user[row], place[row]
    some, which = distinct_rows(user, slot, place)
    # Rounded, so that sums that differ only by the order of addition are ties.
    samples = np.round(np.bincount(which, samples), 9)
    user, slot, place = user[some], slot[some], place[some]
    # Stable: among places with equally many samples, the lowest number stays first.
    order = np.lexsort((-samples, slot, user))
    user, slot, place = user[order], slot[order], place[order]
    new = np.ones(len(order), bool)
    new[1:] = (user[1:] != user[:-1]) | (slot[1:] != slot[:-1])
    return user[new], slot[new], place[new]

"""Second look at many parts: when and where each row is, on one clock and one map.

Which rows say the same as an earlier one, in whichever parts they are?

Each row has a number mixed of what it says; only rows whose numbers are equal are compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..model.arrays import BoolArray, FloatArray, IntArray
from . import report as why
from .distinct_parts import Buckets
from .events import equal_rows, mixture
from .instants import instants_in, said_of_clocks
from .part_rows import PartRows
from .positions import Centre, project_repeated
from .spill import Spill


@dataclass(frozen=True, eq=False)
class Placed:
    """What the second look has found out.

    Attributes
    ----------
    user : int64 ndarray (n_codes,)
        New number of each user's code, by first appearance among the rows in use; −1 for those
        without a row.
    first_us : int
        The first instant.
    lost : int64 ndarray
        Rows without a place on the map.
    mixtures : Spill
        ``mix`` of each row: a number mixed of what it says.
    """

    user: IntArray
    first_us: int
    lost: IntArray
    mixtures: Spill


def placed(
    known: PartRows,
    projection: Centre,
    zone: str | FloatArray,
    buckets: Buckets,
    notes: list[str],
    own: Path,
    tell: Callable[[float], object],
) -> Placed:
    """Put the rows in use into buckets of users; what is to be said of clocks goes to the notes.

    ``zone``: that of the times without an offset, or minutes of each row; ``own``: a private
    folder; ``tell``: is told the share of the whole reading that is done, 0.45 to 0.6.
    """
    remap = np.full(len(known.users), -1, np.int64)
    (folder := own / "mix").mkdir(0o700)
    mixtures = Spill(folder)
    n_users, first_us = 0, 2**62
    skipped = twice = 0
    lost_rows = []
    for rows, (used, us, x, y, mixed, lost, clocks) in zip(
        known.slices, known.over(lambda r: _placed(known, r, projection, zone)), strict=True
    ):
        skipped, twice = skipped + clocks[0], twice + clocks[1]
        mixtures.append(mix=mixed)
        if len(lost):
            lost_rows.append(rows.start + lost)
        if len(used):
            fresh = pd.unique(used[remap[used] < 0])
            remap[fresh] = n_users + np.arange(len(fresh))
            n_users += len(fresh)
            first_us = min(first_us, int(us.min()))
            buckets.append(code=remap[used].astype(np.int32), us=us, x=x, y=y)
        tell(0.45 + 0.15 * rows.stop / known.parts.n_rows)
    mixtures.close()
    known.fate.check_some_left()
    notes += said_of_clocks(skipped, twice)
    return Placed(remap, first_us, np.concatenate([np.empty(0, np.int64), *lost_rows]), mixtures)


def _placed(
    known: PartRows, rows: slice, projection: Centre, zone: str | FloatArray
) -> tuple[Any, ...]:
    fate = known.fate.part(rows)
    reader = zone if isinstance(zone, str) else zone[rows]
    us, *clocks = instants_in(known.parsed(rows), fate.used, reader)
    code = known.spill.read("code", rows)
    lat, lon = known.degrees(rows)
    mixed = mixture(code.astype(np.int64), us, lat, lon)
    x, y = project_repeated(fate.pick(lat), fate.pick(lon), projection.crs)
    lost = np.flatnonzero(fate.used)[nowhere] if (nowhere := np.isnan(x)).any() else ()
    if len(lost):
        fate.set_aside_used(why.IMPOSSIBLE_COORDINATES, nowhere)
        x, y = x[~nowhere], y[~nowhere]
    return fate.pick(code).astype(np.int64), fate.pick(us), x, y, mixed, lost, clocks


_AT_ONCE = 2_000_000  # rows compared field by field at a time
_SORTED = 64 << 20  # rows sorted at a time


def identical(known: PartRows, mixtures: Spill, lost: IntArray) -> list[IntArray]:
    """Rows, of those in use before ``lost`` were found out, that equal an earlier one."""
    twins = _twins(known, mixtures, lost)
    if not len(twins):
        return []
    marks = np.zeros(1 << 24, bool)
    marks[(twins & np.uint64(0xFFFFFF)).astype(np.int64)] = True

    def suspects(rows: slice) -> tuple[IntArray, npt.NDArray[np.uint64]]:
        mix = mixtures.read("mix", rows)
        hit = np.flatnonzero(marks[(mix & np.uint64(0xFFFFFF)).astype(np.int64)])
        at = np.minimum(np.searchsorted(twins, mix[hit]), len(twins) - 1)
        hit = hit[twins[at] == mix[hit]]
        hit = hit[_was_used(known, rows, lost)[hit]]
        return rows.start + hit, mix[hit]

    found = list(known.over(suspects))
    rows = np.concatenate([r for r, _ in found])
    key = np.concatenate([k for _, k in found])
    out = []
    # Rows of one mixture stay together, a bounded number of rows at a time.
    order = np.argsort(key, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(key[order])) + 1, len(key))
    begin = 0
    while begin < len(key):
        upto = int(np.searchsorted(ends, begin + _AT_ONCE))
        end = int(ends[min(upto, len(ends) - 1)])
        some = np.sort(rows[order[begin:end]])
        out.append(some[equal_rows(known.parts.taken(some), np.arange(len(some)))])
        begin = end
    return out


def _twins(known: PartRows, mixtures: Spill, lost: IntArray) -> npt.NDArray[np.uint64]:
    """The mixtures that several rows have, ascending; so many sorted at a time as fit."""
    n_passes = -(-known.parts.n_rows // _SORTED)
    out = []
    for turn in range(n_passes):
        some = []
        for rows in known.slices:
            mix = mixtures.read("mix", rows)[_was_used(known, rows, lost)]
            if n_passes > 1:
                share = (mix >> np.uint64(32)) * np.uint64(n_passes)
                mix = mix[share >> np.uint64(32) == turn]
            some.append(mix)
        key = np.concatenate(some)
        key.sort()
        out.append(np.unique(key[1:][key[1:] == key[:-1]]))
    return np.concatenate(out)


def _was_used(known: PartRows, rows: slice, lost: IntArray) -> BoolArray:
    used = known.fate.part(rows).used
    used[lost[(lost >= rows.start) & (lost < rows.stop)] - rows.start] = True
    return used

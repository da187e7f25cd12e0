"""Which rows say the same as an earlier one, in whichever parts they are?

Each row has a number mixed of what it says; only rows whose numbers are equal are compared.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..model.arrays import BoolArray, IntArray
from .events import equal_rows
from .part_rows import PartRows
from .spill import Spill

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

"""One result of many: people who were hidden part by part, each part as data of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..model.arrays import CELL, IntArray, offsets_of, rows_of
from ..model.fingerprints import FingerprintSet
from ..model.glove import REASONS, GloveResult
from ..model.published import GeneralizedFingerprintSet, Part


def part_of(made: GloveResult) -> Part:
    """A result as a part of a larger one."""
    code = np.full(len(made.accuracy), -1, np.int8)
    gone = made.suppressed
    code[gone["sample"].to_numpy(np.int64)] = gone["reason"].map(REASONS.index).to_numpy(np.int8)
    return Part(
        made.group,
        made.published,
        code,
        made.accuracy["space_m"].to_numpy(),
        made.accuracy["time_min"].to_numpy(),
        made.left_over,
        made.left_out,
        made.phantom_share,
    )


def settings_of(made: GloveResult) -> dict[str, Any]:
    """By which settings a result was made."""
    names = (
        "method",
        "k",
        "leftover",
        "suppress_space_m",
        "suppress_time_min",
        "leave_out",
        "config",
    )
    return {name: getattr(made, name) for name in names}


class Joined:
    """The parts of a set of fingerprints, as one.

    Parts write where no other does, so that several may be added at once.

    Parameters
    ----------
    fs : FingerprintSet
        Of which the parts are subsets.
    """

    def __init__(self, fs: FingerprintSet) -> None:
        self._fs = fs
        self._group = np.full(fs.n_users, -1, np.int64)
        self._part = np.zeros(fs.n_users, np.int32)
        self._space, self._time = np.full((2, fs.n_samples), np.nan)
        self._code = np.full(fs.n_samples, -1, np.int8)
        self._parts: dict[int, tuple[IntArray, Part]] = {}

    def leave(self, rows: IntArray, reason: int) -> None:
        """These people are not published at all; ``reason`` is a row of :data:`REASONS`."""
        self._code[self._samples(rows)] = reason

    def add(self, rows: IntArray, part: Part, number: int | None = None) -> None:
        """What was made of the people of these rows, given in this order.

        Parameters
        ----------
        number : int, optional
            Of the part, where they do not come in their order.
        """
        number = len(self._parts) if number is None else number
        sample = self._samples(rows)
        self._group[rows] = part.group
        self._part[rows] = number
        self._space[sample], self._time[sample] = part.space_m, part.time_min
        self._code[sample] = part.code
        # What stands in the whole by now need not be kept twice.
        nothing = np.empty(0)
        slim = replace(part, code=nothing.astype(np.int8), space_m=nothing, time_min=nothing)
        self._parts[number] = rows, slim

    @property
    def left_over(self) -> IntArray:
        """Row numbers, ascending, of the last users of all parts so far."""
        found = [rows[part.left_over] for rows, part in self._parts.values()]
        return np.sort(np.concatenate([np.empty(0, np.int64), *found]))

    def add_again(self, rows: IntArray, part: Part) -> None:
        """What was made of the last users of all parts, who were not published."""
        nobody = np.empty(0, np.int64)
        for number, (whose, earlier) in self._parts.items():
            self._parts[number] = whose, replace(earlier, left_over=nobody)
        self.add(rows, part, 1 + max(self._parts))

    def result(self, **settings: Any) -> GloveResult:
        """All parts together; groups are numbered by their smallest row number, over all of them.

        Parameters
        ----------
        **settings
            By which the parts were made, and what else is said of the whole.
        """
        fs = self._fs
        parts = [self._parts[number] for number in sorted(self._parts)]
        before = np.zeros(max(self._parts) + 1, np.int64)  # groups of earlier parts
        before[sorted(self._parts)] = offsets_of([p.published.n_groups for _, p in parts])[:-1]
        inside = np.flatnonzero(self._group >= 0)
        self._group[inside] += before[self._part[inside]]
        found, first = np.unique(self._group[inside], return_index=True)
        by_member = found[np.argsort(inside[first], kind="stable")]
        number = np.empty(sum(p.published.n_groups for _, p in parts), np.int64)
        number[by_member] = np.arange(len(number))
        self._group[inside] = number[self._group[inside]]
        gone = np.flatnonzero(self._code >= 0)
        user = fs.sample_user
        published = _in_order([p.published for _, p in parts], by_member)
        copies = [int(p.published.lengths[p.group[p.group >= 0]].sum()) for _, p in parts]
        held = sum((1.0 - p.phantom_share) * n for (_, p), n in zip(parts, copies, strict=True))
        made: dict[str, Any] = {
            "group": self._group,
            "published": published,
            "suppressed": pd.DataFrame(
                {
                    "user": user[gone],
                    "sample": gone,
                    "reason": np.array(REASONS, dtype=object)[self._code[gone]],
                }
            ),
            "accuracy": pd.DataFrame(
                {
                    "user": user,
                    "sample": np.arange(fs.n_samples),
                    "group": self._group[user],
                    "space_m": self._space,
                    "time_min": self._time,
                },
                copy=False,
            ),
            "phantom_share": 1.0 - held / sum(copies) if sum(copies) else 0.0,
            "left_over": self.left_over,
            "left_out": np.sort(np.concatenate([rows[p.left_out] for rows, p in parts])),
            "digest": fs.digest,
            "number": np.array(fs.number),
            "weight": np.array(fs.weight),
        }
        return GloveResult(**made, **settings)

    def _samples(self, rows: IntArray) -> IntArray:
        return rows_of(self._fs.offsets[rows], self._fs.lengths[rows])


def _in_order(
    published: list[GeneralizedFingerprintSet], groups: IntArray
) -> GeneralizedFingerprintSet:
    """The groups of all parts, numbered one part after the other, in another order."""
    offsets = offsets_of(np.concatenate([p.lengths for p in published]))
    lengths = np.diff(offsets)[groups]
    rows = rows_of(offsets[:-1][groups], lengths)
    cells: dict[str, Any] = {
        name: np.concatenate([getattr(p, name) for p in published])[rows] for name in CELL
    }
    users = np.concatenate([p.n_users for p in published])[groups]
    return replace(published[0], offsets=offsets_of(lengths), n_users=users, **cells)

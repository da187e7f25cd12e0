"""What is wrong with a release, as it is found; and the verdict at the end."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ..model.arrays import FloatArray, IntArray
from ..model.fingerprints import FingerprintSet
from ..model.glove import VIOLATION_COLUMNS, Verification

MOST = 1_000  # violations listed of each kind


@dataclass
class Cut:
    """The original, a fingerprint for each person and period.

    Attributes
    ----------
    fs : FingerprintSet
        The pieces, under the ids of the original. Of one person and period there is one.
    person, period : int64 ndarray (n_pieces,)
        Row number in the original, and number of the period, of each.
    sample : int64 ndarray (n_samples,)
        Row number in the original of each sample of the pieces.
    days : int
    edges : float64 ndarray
        Where periods begin, in elapsed minutes, from that of number 0 on.
    n_people : int
    ids : ndarray
        Of the original.
    """

    fs: FingerprintSet
    person: IntArray
    period: IntArray
    sample: IntArray
    days: int
    edges: FloatArray
    n_people: int

    def in_order(self, person: IntArray, period: IntArray) -> Cut | None:
        """The same pieces in an order given; None where they are not the same."""
        if len(person) != len(self.person) or len(period) != len(self.period):
            return None
        mine = np.lexsort((self.period, self.person))
        theirs = np.lexsort((period, person))
        if (self.person[mine] != person[theirs]).any() or (
            self.period[mine] != period[theirs]
        ).any():
            return None
        order = np.empty(len(mine), np.int64)
        order[theirs] = mine
        fs = self.fs.subset(order)
        rows = [np.arange(self.fs.offsets[at], self.fs.offsets[at + 1]) for at in order.tolist()]
        return replace(
            self,
            fs=fs,
            person=self.person[order],
            period=self.period[order],
            sample=self.sample[np.concatenate(rows)],
        )


class Faults:
    """The faults found so far in one release of one original.

    Attributes
    ----------
    original : FingerprintSet
        As it is checked: of a release in periods, its pieces.
    whole_digest : str
        Of the original as it was given.
    cut : Cut or None
        Of a release in periods: how the pieces belong to people and periods.
    k : int
        The crowd that is promised; 0 where none is.
    n_groups : int
        Groups looked at.
    """

    def __init__(self, original: FingerprintSet, k: int) -> None:
        self.original = original
        self.whole_digest = original.digest
        self.cut: Cut | None = None
        self.of_whole = False  # whether numbers of pieces are told as numbers of the original
        self.k = k
        self.n_groups = 0
        self._listed: list[tuple[str, int, int, int, str]] = []
        self._counts: dict[str, int] = {}

    def add(
        self, kind: str, text: str, *, group: int = -1, user: int = -1, sample: int = -1
    ) -> None:
        """One fault; ``text`` is a sentence that names no person and no place."""
        if self.cut is not None and self.of_whole:
            user = int(self.cut.person[user]) if user >= 0 else user
            sample = int(self.cut.sample[sample]) if sample >= 0 else sample
        self._counts[kind] = self._counts.get(kind, 0) + 1
        if self._counts[kind] <= MOST:
            self._listed.append((kind, group, user, sample, text))

    def verdict(self) -> Verification:
        """All of it."""
        return Verification(
            violations=pd.DataFrame(self._listed, columns=list(VIOLATION_COLUMNS)),
            counts=dict(self._counts),
            k=self.k,
            users=self.original.n_users if self.cut is None else self.cut.n_people,
            groups=self.n_groups,
            samples=self.original.n_samples,
            period_days=None if self.cut is None else self.cut.days,
        )

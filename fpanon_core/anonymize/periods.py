"""Shorter records under new pseudonyms: data cut into periods, and people hidden in each.

Source: docs/science.md, “Periods”.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..engines.progress import Progress, part
from ..model.arrays import FloatArray, IntArray
from ..model.cells import CELL
from ..model.checks import whole
from ..model.errors import ConfigError, InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.glove import REASONS, GloveResult
from ..model.originals import remember
from ..model.periods import PeriodSet, days_text
from ..model.published import GeneralizedFingerprintSet
from ..model.ragged import offsets_of, rows_of
from ..model.randomness import generator, pseudonyms

Hide = Callable[[FingerprintSet, Progress | None], GloveResult]

SPARSE = REASONS.index("period of fewer than k")
_DAY_MIN = 1_440.0
_MOST_DAYS = 3_660
_SLACK_MIN = 1e-6


def into_periods(fs: FingerprintSet, days: int, *, seed: int | None = None) -> PeriodSet:
    """Cut data into periods, with a pseudonym of its own for everybody's part in each.

    Periods begin at local midnight, the first at that of the first day. A sample belongs to the
    period in which it begins, whole, also where it reaches into the next (as samples of generalized
    data may): cut in two, its halves would touch at the period's edge in the same place, and show
    which two pieces are one person's. Nothing is left out.

    Parameters
    ----------
    fs : FingerprintSet
        Is not changed.
    days : int
        In a period, 1 or more. The last may be shorter.
    seed : int or None
        Of the pseudonyms and the order of the pieces. None: the operating system's randomness, for
        whatever is published. A seed is for studies.

    Returns
    -------
    PeriodSet
        Which :func:`glove` and :func:`aligned` take.

    Raises
    ------
    ConfigError
        ``days`` is no whole number from 1, or a sample is longer than a period, so that a record of
        one period would tell of others.

    Notes
    -----
    Fingerprints that stand for several users are cut as one: their pieces stand for as many.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 0, 900], [0] * 3, [5, 1_500, 7])
    >>> cut = into_periods(fs, 1)
    >>> sorted(zip(cut.person.tolist(), cut.period.tolist()))
    [(0, 0), (0, 1), (1, 0)]
    >>> cut.pieces.n_samples, len(set(cut.pieces.user_ids))
    (3, 3)
    """
    days = whole("days", days, 1, _MOST_DAYS)
    begins, ends, of_sample = _periods_of(fs, days)
    if (fs.dt_min > ends - begins + _SLACK_MIN).any():
        raise ConfigError(
            f"Samples of up to {fs.dt_min.max() / 60:g} h are longer than periods of "
            f"{days_text(days)}; make periods before times are made coarser, or longer periods."
        )
    # Pieces person by person, then in the random order in which they are to stand.
    key = fs.sample_user * (int(of_sample.max()) + 1) + of_sample
    by_piece = np.argsort(key, kind="stable")  # in order of time, as within the fingerprint
    first = np.flatnonzero(np.diff(key[by_piece], prepend=-1))
    lengths = np.diff(first, append=len(key))
    shuffled = generator(seed).permutation(len(first))
    sample = by_piece[rows_of(first[shuffled], lengths[shuffled])]
    person = fs.sample_user[by_piece[first[shuffled]]]
    plain = {name: getattr(fs, name) for name in FingerprintSet.__dataclass_fields__}
    pieces = FingerprintSet(**plain) if type(fs) is not FingerprintSet else fs
    pieces = replace(
        pieces,
        user_ids=pseudonyms(len(first), seed),
        offsets=offsets_of(lengths[shuffled]),
        weight=fs.weight[person],
        number=np.arange(1, len(first) + 1),
        **{name: getattr(fs, name)[sample] for name in (*CELL, "count")},
    )
    remember(fs)
    return PeriodSet(
        pieces=pieces,
        person=person,
        period=of_sample[by_piece[first[shuffled]]],
        sample=sample,
        days=days,
        n_people=fs.n_users,
        digest=fs.digest,
    )


def _periods_of(fs: FingerprintSet, days: int) -> tuple[FloatArray, FloatArray, IntArray]:
    """Of each sample: begin and end, elapsed minutes, and number of the period it begins in."""
    length = days * _DAY_MIN
    if fs.clock is None:
        number = np.floor(fs.t_min / length)
        return number * length, (number + 1) * length, number.astype(np.int64)
    begin, lasts = fs.clock.window(fs.t_min, length)
    # Where midnight is skipped, the period begins when the clock is already past it.
    number = np.floor(fs.clock.wall_minutes(begin) / length + _SLACK_MIN)
    return begin, begin + lasts, number.astype(np.int64)


def samples_of(fs: FingerprintSet, days: int, person: IntArray, period: IntArray) -> IntArray:
    """Row number in the original of each sample of its pieces, which stand in an order given.

    Parameters
    ----------
    fs : FingerprintSet
        The original.
    days : int
    person, period : int64 ndarray (n_pieces,)
        Of each piece, all of which are named.
    """
    of_sample = _periods_of(fs, days)[2]
    width = int(of_sample.max()) + 1
    key = person * width + period
    order = np.argsort(key)
    piece = order[np.searchsorted(key, fs.sample_user * width + of_sample, sorter=order)]
    return np.argsort(piece, kind="stable").astype(np.int64)


def hidden_by_period(
    periods: PeriodSet, k: int, hide: Hide, progress: Progress | None
) -> GloveResult:
    """Hide people among those of the same period only, each period for itself.

    Parameters
    ----------
    periods : PeriodSet
    k : int
        In people: in one period everybody has one piece.
    hide : callable of (FingerprintSet, progress)
        Hides the pieces of one period. What is left out of it is so of each period.
    progress : callable of one float in [0, 1], optional
        Periods take shares by their samples.

    Returns
    -------
    GloveResult
        Of the pieces. Of a period with fewer than k people nothing is published.

    Raises
    ------
    InfeasibleError
        In no period are there k people.
    """
    pieces = periods.pieces
    join = _Joined(periods)
    of = pieces.sample_user
    total, done = pieces.n_samples, 0
    numbers, which = np.unique(periods.period, return_inverse=True)
    people = np.bincount(which, pieces.weight)
    if people.max() < k:
        raise InfeasibleError(
            f"k = {k} exceeds the {int(people.max())} people of the fullest period; choose "
            f"k ≤ {int(people.max())}, or longer periods."
        )
    samples = np.bincount(which[of], minlength=len(numbers))
    for at in range(len(numbers)):
        rows = np.flatnonzero(which == at)
        # As in whole fingerprints: of equals the one who stands first in the original, so that the
        # order drawn changes nobody's group.
        rows = rows[np.argsort(periods.person[rows])]
        upto = done + int(samples[at])
        if people[at] < k:
            join.leave(rows)
        else:
            told = part(progress, done / total, upto / total)
            join.add(rows, hide(pieces.subset(rows), told))
        done = upto
    result = join.result()
    if progress is not None:
        progress(1.0)
    return result


class _Joined:
    """The results of the periods, as one of all pieces."""

    def __init__(self, periods: PeriodSet) -> None:
        fs = periods.pieces
        self.periods = periods
        self.group = np.full(fs.n_users, -1, np.int64)
        self.space, self.time = np.full((2, fs.n_samples), np.nan)
        self.reason = np.full(fs.n_samples, -1, np.int8)
        self.published: list[GeneralizedFingerprintSet] = []
        self.left: list[IntArray] = []
        self.hardest: list[IntArray] = []
        self.n_groups, self.held, self.copies = 0, 0.0, 0
        self.last: GloveResult | None = None

    def leave(self, rows: IntArray) -> None:
        """Pieces of a period of too few people."""
        self.reason[self._samples(rows)] = SPARSE

    def add(self, rows: IntArray, made: GloveResult) -> None:
        """What was made of the pieces of a period, given in the order of ``rows``."""
        sample = self._samples(rows)
        self.group[rows] = np.where(made.group < 0, -1, made.group + self.n_groups)
        self.n_groups += made.published.n_groups
        self.space[sample] = made.accuracy["space_m"].to_numpy()
        self.time[sample] = made.accuracy["time_min"].to_numpy()
        codes = made.suppressed["reason"].map(REASONS.index).to_numpy(np.int8)
        self.reason[sample[made.suppressed["sample"].to_numpy(np.int64)]] = codes
        self.left.append(rows[made.left_over])
        self.hardest.append(rows[made.left_out])
        copies = int(made.published.lengths[made.group[made.group >= 0]].sum())
        self.copies += copies
        self.held += (1.0 - made.phantom_share) * copies
        self.published.append(made.published)
        self.last = made

    def result(self) -> GloveResult:
        """Groups are numbered by their smallest row number, over all periods."""
        assert self.last is not None
        fs, periods = self.periods.pieces, self.periods
        inside = np.flatnonzero(self.group >= 0)
        found, first = np.unique(self.group[inside], return_index=True)
        by_member = found[np.argsort(inside[first], kind="stable")]
        number = np.empty(self.n_groups, np.int64)
        number[by_member] = np.arange(self.n_groups)
        self.group[inside] = number[self.group[inside]]
        gone = np.flatnonzero(self.reason >= 0)
        user = fs.sample_user
        remember(fs)
        return replace(
            self.last,
            group=self.group,
            published=_in_order(self.published, by_member),
            suppressed=pd.DataFrame(
                {
                    "user": user[gone],
                    "sample": gone,
                    "reason": np.array(REASONS, dtype=object)[self.reason[gone]],
                }
            ),
            accuracy=pd.DataFrame(
                {
                    "user": user,
                    "sample": np.arange(fs.n_samples),
                    "group": self.group[user],
                    "space_m": self.space,
                    "time_min": self.time,
                }
            ),
            phantom_share=1.0 - self.held / self.copies if self.copies else 0.0,
            left_over=np.sort(np.concatenate(self.left)),
            left_out=np.sort(np.concatenate(self.hardest)),
            digest=fs.digest,
            number=np.array(fs.number),
            weight=np.array(fs.weight),
            period_days=periods.days,
            person=np.array(periods.person),
            period=np.array(periods.period),
            whole_digest=periods.digest,
        )

    def _samples(self, rows: IntArray) -> IntArray:
        fs = self.periods.pieces
        return rows_of(fs.offsets[rows], fs.lengths[rows])


def _in_order(
    published: list[GeneralizedFingerprintSet], groups: IntArray
) -> GeneralizedFingerprintSet:
    """The groups of all periods, numbered one period after the other, in another order."""
    offsets = offsets_of(np.concatenate([p.lengths for p in published]))
    lengths = np.diff(offsets)[groups]
    rows = rows_of(offsets[:-1][groups], lengths)
    cells: dict[str, Any] = {
        name: np.concatenate([getattr(p, name) for p in published])[rows] for name in CELL
    }
    users = np.concatenate([p.n_users for p in published])[groups]
    return replace(published[0], offsets=offsets_of(lengths), n_users=users, **cells)

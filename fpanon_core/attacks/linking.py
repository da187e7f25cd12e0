"""Which day follows which? Links across days by information gain.

``G(U, V) = H(U+V) − (H(U) + H(V))/2`` in bits, H the entropy of the frequencies of places: 0 where
two days are alike, 1 where two days of equal length have no place in common; beside a day that is
not whole it can be a little below 0, or more than 1. A link between each
day and the next is an optimal assignment under G.

People × people costs are never kept. Days without a common place cost the sum of a part of U and
a part of V, so that the choice among them changes no total. Against that, each common place, with
frequencies f and g, saves ``[φ(f+g) − φ(f) − φ(g)]/(n_U + n_V)``, ``φ(z) = z·log₂ z``; the cheapest
assignment is the one that saves most, over the pairs with a common place only. Days with equal
frequencies are interchangeable, and are taken as one group where the groups are few.

Source: Xu et al. 2017, §4.4, eq. 3–4.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ..engines.local import Engine
from ..engines.progress import Progress
from ..kernels.cost_rows import at_places, by_places
from ..kernels.recovery_links import count_common, save_common
from ..model.aggregates import UNKNOWN
from ..model.arrays import FloatArray, IntArray, SmallInts
from ..model.errors import ConfigError
from ..model.ragged import offsets_of, rows_of
from .assignment import Pairs, most_saving, transport_all

# Of each row: places, and how often; rows begin at the offsets.
Frequencies = tuple[IntArray, SmallInts, IntArray]

# Transport between groups pays where they are few: at most this share of the pairs of people. It is
# the way, too, where the pairs with a common place are too many to be kept.
_GROUPS_SHARE = 0.04
_MOST_PAIRS = 2**22


def entropy(frequencies: npt.ArrayLike) -> float:
    """Entropy of a distribution in bits (Xu et al. 2017, eq. 3), from frequencies of any total.

    Raises
    ------
    ConfigError
        A frequency is negative, or all are 0.

    Examples
    --------
    >>> entropy([2, 2]), entropy([5, 0])
    (1.0, 0.0)
    """
    f = np.asarray(frequencies, np.float64)
    if f.size == 0 or not np.isfinite(f).all() or f.min() < 0 or f.sum() == 0:
        raise ConfigError("Frequencies must not be negative, and one must be above 0.")
    share = f[f > 0] / f.sum()
    return float(abs(-(share * np.log2(share)).sum()))  # the sign of −0.0 goes


def information_gain(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Information gain of joining two days, in bits, from frequencies by place.

    Xu et al. 2017, eq. 4.

    Examples
    --------
    >>> information_gain([1, 1, 0, 0], [0, 0, 1, 1]), information_gain([1, 1], [2, 2])
    (1.0, 0.0)
    """
    u, v = np.asarray(first, np.float64), np.asarray(second, np.float64)
    return entropy(u + v) - (entropy(u) + entropy(v)) / 2


def link_days(
    daily: SmallInts, offsets: IntArray, *, engine: Engine, progress: Progress | None = None
) -> tuple[list[IntArray], FloatArray]:
    """Follow everyone from day to day.

    Returns
    -------
    order : list of int64 ndarray (n_people,)
        For each day the row of ``daily`` that trajectory i follows.
    cost : float64 ndarray (n_days − 1,)
        Total information gain of the links, bits; NaN beside a day without any record, over which
        the day before is linked to the day after.
    """
    days = len(offsets) - 1
    order = [np.arange(len(daily))] * days
    cost = np.full(max(days - 1, 0), np.nan)
    known = [i for i in range(days) if daily[0, offsets[i]] != UNKNOWN]
    pairs = list(pairwise(known))
    follower: list[IntArray] = [order[0]] * len(pairs)

    def take(nth: int, found: tuple[IntArray, float]) -> None:
        i, j = pairs[nth]
        follower[nth], gain = found
        if j == i + 1:
            cost[i] = gain

    both = [_Days(daily, offsets, pair) for pair in pairs]
    engine.map(_linked, both, (), take, progress=progress)
    for (i, j), followed in zip(pairs, follower, strict=True):
        order[j] = followed[order[i]]
    if progress is not None:
        progress(1.0)
    return order, cost


@dataclass(frozen=True, eq=False)
class _Days:
    """Two days: where they go elsewhere they go without the others."""

    daily: SmallInts
    offsets: IntArray
    which: tuple[int, int]

    def __reduce__(self) -> tuple[Any, ...]:
        first, second = self.both()
        joined = np.concatenate([first, second], axis=1)
        return (_Days, (joined, offsets_of([first.shape[1], second.shape[1]]), (0, 1)))

    def both(self) -> tuple[SmallInts, SmallInts]:
        i, j = (self.daily[:, self.offsets[d] : self.offsets[d + 1]] for d in self.which)
        return i, j


def _linked(days: _Days) -> tuple[IntArray, float]:
    return link_two(*days.both())


def link_two(first: SmallInts, second: SmallInts) -> tuple[IntArray, float]:
    """The row of ``second`` that follows each row of ``first``, and the links' total gain, bits.

    Rows with equal frequencies of places are linked in ascending order.
    """
    (of, u), (to, v) = _grouped(first), _grouped(second)
    people, lengths = len(first), (first.shape[1], second.shape[1])
    apart = _apart(u, v, lengths)
    worth = _worth(lengths)
    if (len(u[0]) - 1) * (len(v[0]) - 1) > _GROUPS_SHARE * people**2:
        rows, columns = (_spread(f, g) for f, g in ((u, of), (v, to)))
        many = _common(rows, columns)
        if many.sum() <= _MOST_PAIRS:
            follower, saved_bits = most_saving(_savings(rows, columns, worth, many))
            total = apart[0][of].sum() + apart[1][to].sum() - saved_bits
            return follower, float(total)
    costs = by_places(u, v, worth, *apart)
    (_, j, many), gain = transport_all(costs, np.bincount(of), np.bincount(to))
    follower = np.empty(people, np.int64)
    goal, into = np.repeat(j, many), np.argsort(to, kind="stable")
    # People by their group, each with the next free one of the group they go to.
    leaving = np.argsort(of, kind="stable")
    arriving = np.argsort(goal, kind="stable")
    follower[leaving[arriving]] = into
    return follower, float(gain @ many)


def _grouped(rows: SmallInts) -> tuple[IntArray, Frequencies]:
    """The group of each row, and the frequencies of each group."""
    groups, of = np.unique(np.sort(rows, axis=1), axis=0, return_inverse=True)
    new = np.ones(groups.shape, bool)
    new[:, 1:] = groups[:, 1:] != groups[:, :-1]
    begin = np.flatnonzero(new)
    often = np.diff(np.append(begin, groups.size))
    return of.reshape(-1), (offsets_of(new.sum(axis=1)), groups[new], often)


def _spread(frequencies: Frequencies, of: IntArray) -> Frequencies:
    """The frequencies of each row, from those of its group."""
    offsets, place, often = frequencies
    lengths = np.diff(offsets)[of]
    rows = rows_of(offsets[:-1][of], lengths)
    return offsets_of(lengths), place[rows], often[rows]


def _apart(
    u: Frequencies, v: Frequencies, lengths: tuple[int, int]
) -> tuple[FloatArray, FloatArray]:
    """What a pair without a common place costs, as the sum of a part of each.

    With ``a = n_U/(n_U + n_V)`` it is ``a·H(U) + (1−a)·H(V) + h(a) − (H(U) + H(V))/2``, h the
    entropy of a and 1−a; halves of which each side takes one.
    """
    share = lengths[0] / sum(lengths)
    both = entropy([share, 1 - share]) / 2
    return (share - 0.5) * _entropies(u, lengths[0]) + both, (0.5 - share) * _entropies(
        v, lengths[1]
    ) + both


def _entropies(frequencies: Frequencies, length: int) -> FloatArray:
    offsets, _, often = frequencies
    share = often / length
    bits: FloatArray = np.add.reduceat(-share * np.log2(share), offsets[:-1])
    return bits


def _worth(lengths: tuple[int, int]) -> FloatArray:
    """What a common place saves, by how often either day was there."""
    f, g = (np.arange(n + 1, dtype=np.float64) for n in lengths)
    worth: FloatArray = (_phi(f[:, None] + g) - _phi(f)[:, None] - _phi(g)) / sum(lengths)
    return worth


def _common(u: Frequencies, v: Frequencies) -> IntArray:
    """With how many rows of v each row of u has a place in common."""
    starts, row, _ = at_places(v, int(u[1].max()) + 1)
    rows, columns = len(u[0]) - 1, len(v[0]) - 1
    many = np.zeros(rows, np.int64)
    count_common(0, rows, u[0], u[1], starts, row, np.zeros(columns, np.uint8), many)
    return many


def _savings(u: Frequencies, v: Frequencies, worth: FloatArray, many: IntArray) -> Pairs:
    """What each pair of rows with a common place saves against having none."""
    starts, row, often = at_places(v, int(u[1].max()) + 1)
    offsets = offsets_of(many)
    column = np.empty(int(offsets[-1]), np.int32)
    value = np.empty(int(offsets[-1]))
    scratch = np.zeros(len(v[0]) - 1)
    save_common(0, len(many), *u, starts, row, often, worth, scratch, offsets, column, value)
    return offsets, column, value


def _phi(z: FloatArray) -> FloatArray:
    return np.where(z > 0, z * np.log2(np.maximum(z, 1.0)), 0.0)

"""Regularity of people's movements: the habits that the attack on counts exploits.

Source: Xu et al. 2017, figures 2 and 4 to 7; docs/science.md, “Counts and trajectory recovery”.
"""

from __future__ import annotations

import numpy as np

from ..model.aggregates import NIGHT_ENDS_H, AggregateCounts
from ..model.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    SmallInts,
    distinct_rows,
    offsets_of,
    pieces_of_rows,
)
from ..model.fingerprints import FingerprintSet
from ..model.homes import Habits, quantiles
from .aggregation import CountedPeople
from .recovery import information_gain

TOP = 5
"""Number of most frequent places reported."""

PAIRS = 2_000
"""Largest number of pairs of days drawn of each kind: of one person, and of two people."""

_DAY_MIN = 1_440.0


def habits(fs: FingerprintSet, made: CountedPeople, seed: int) -> Habits:
    """Return shares of top places (overall, at night), prediction errors and information gains.

    Parameters
    ----------
    fs : FingerprintSet
        The people counted.
    made : CountedPeople
        Counts and places of these people, with gaps filled in.
    seed : int
        Seed for drawing pairs of days.

    Returns
    -------
    Habits
    """
    who = np.repeat(np.arange(fs.n_users), fs.weight)
    begins_at_night = fs.wall_minutes(fs.t_min) % _DAY_MIN < NIGHT_ENDS_H * 60
    top, _ = top_shares(fs, np.ones(fs.n_samples, bool))
    top_night, night_places = top_shares(fs, begins_at_night)
    night_m, day_m = prediction_errors(made.counts, made.truth, made.recorded)
    same, other = information_gains(made, seed)
    return Habits(
        top=top[who],
        top_night=top_night[who],
        night_places=night_places[who],
        next_night_m=quantiles(night_m),
        next_day_m=quantiles(day_m),
        n_night=len(night_m),
        n_day=len(day_m),
        same_bits=np.sort(same),
        other_bits=np.sort(other),
    )


def top_shares(fs: FingerprintSet, counted: BoolArray) -> tuple[FloatArray, IntArray]:
    """Return each user's share of events at the 1 … 5 most frequent places, and number of places.

    Parameters
    ----------
    fs : FingerprintSet
    counted : bool ndarray (n_samples,)
        Samples that count.

    Returns
    -------
    share : float64 ndarray (n_users, 5)
        NaN for users without an event in the samples that count.
    places : int64 ndarray (n_users,)
        Number of places in the samples that count.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1] * 4, [0, 0, 900, 500], [0] * 4, [0, 5, 9, 12])
    >>> share, places = top_shares(fs, np.ones(4, bool))
    >>> share[0].tolist(), places.tolist()
    ([0.5, 0.75, 1.0, 1.0, 1.0], [3])
    """
    share = np.full((fs.n_users, TOP), np.nan)
    rows = np.flatnonzero(counted)
    if not len(rows):
        return share, np.zeros(fs.n_users, np.int64)
    user = fs.sample_user[rows]
    first, which = distinct_rows(user, fs.x_m[rows], fs.y_m[rows], fs.dx_m[rows], fs.dy_m[rows])
    events, whose = np.bincount(which, fs.count[rows]), user[first]
    events = events[np.lexsort((-events, whose))]
    places = np.bincount(whose, minlength=fs.n_users)
    nth = np.arange(len(whose)) - offsets_of(places)[whose]  # whose ascends
    at = np.zeros((fs.n_users, TOP))
    at[whose[nth < TOP], nth[nth < TOP]] = events[nth < TOP]
    total = np.bincount(whose, events, fs.n_users)
    some = total > 0
    share[some] = np.cumsum(at[some], axis=1) / total[some, None]
    return share, places


def prediction_errors(
    counts: AggregateCounts, truth: SmallInts, recorded: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Return the distances between predicted and true next places, at night and by day, metres.

    The slots used are those with a sample of the person, except the first of each day. Predictions
    are those of the attack (Xu et al. 2017, eq. 2). At night and in the second slot of a day, the
    prediction is the last place; otherwise it is ``q_t + (q_t − q_{t−1})``.

    Parameters
    ----------
    counts : AggregateCounts
    truth : int32 ndarray (n_people, n_slots)
        Place of each person in each slot, with gaps filled in.
    recorded : bool ndarray (n_people, n_slots)
        Whether the person has a sample in the slot.

    Returns
    -------
    float64 ndarray (n_night,), float64 ndarray (n_day,)
        A distance for each slot used at night, and for each slot used by day.
    """
    starts = np.zeros(counts.n_slots, bool)
    starts[counts.day_offsets[:-1]] = True
    at = np.flatnonzero(~starts)
    night = counts.is_night[at]
    stays = night | starts[at - 1]
    centre = counts.centres
    found: tuple[list[FloatArray], list[FloatArray]] = ([np.empty(0)], [np.empty(0)])
    for people in pieces_of_rows(len(truth), counts.n_slots):
        some = truth[people]
        row, step = np.nonzero(recorded[people][:, at])
        slot = at[step]
        last = some[row, slot - 1]
        before = np.where(stays[step], last, some[row, slot - 2])
        off = centre[some[row, slot]] - (centre[last] + (centre[last] - centre[before]))
        error_m = np.hypot(*off.T)
        for kept, when in zip(found, (night[step], ~night[step]), strict=True):
            kept.append(error_m[when])
    return np.concatenate(found[0]), np.concatenate(found[1])


def information_gains(
    made: CountedPeople, seed: int, pairs: int = PAIRS
) -> tuple[FloatArray, FloatArray]:
    """Return the gains, in bits, of joining a day with the next day of the same or another person.

    Only days on which the people concerned have a sample are used; the filled-in slots of these
    days count, as in the attack. At most ``pairs`` days that have a next day are drawn. Each day is
    joined with the next day of the same person, and with the next day of another person, drawn at
    random.

    Returns
    -------
    float64 ndarray (n_days,), float64 ndarray (n_days or fewer,)
        The second array lacks the days for which no other person has a sample on the next day.
    """
    rng = np.random.default_rng(seed)
    truth, offsets = made.truth, made.counts.day_offsets
    seen = np.logical_or.reduceat(made.recorded, offsets[:-1], axis=1)
    who, day = np.nonzero(seen[:, :-1] & seen[:, 1:])
    if len(who) > pairs:
        drawn = np.sort(rng.choice(len(who), pairs, replace=False))
        who, day = who[drawn], day[drawn]
    same, other = np.empty(len(who)), np.full(len(who), np.nan)
    candidates = [np.flatnonzero(seen[:, d]) for d in range(seen.shape[1])]
    for n, (person, d) in enumerate(zip(who.tolist(), day.tolist(), strict=True)):
        of = slice(int(offsets[d]), int(offsets[d + 1]))
        to = slice(int(offsets[d + 1]), int(offsets[d + 2]))
        same[n] = _gain(truth[person, of], truth[person, to])
        there = candidates[d + 1]
        if len(there) > 1:
            nth = int(rng.integers(len(there) - 1))  # among all but the person
            nth += int(nth >= np.searchsorted(there, person))
            other[n] = _gain(truth[person, of], truth[there[nth], to])
    return same, other[np.isfinite(other)]


def _gain(first: SmallInts, second: SmallInts) -> float:
    """Return the information gain of two days, from the place of each slot."""
    _, place = np.unique(np.concatenate([first, second]), return_inverse=True)
    n = int(place.max()) + 1
    return information_gain(
        np.bincount(place[: len(first)], minlength=n), np.bincount(place[len(first) :], minlength=n)
    )

"""Movement and activity of synthetic people: compiled loops over users.

Each user has a random stream of their own, made from the seed and the user's number alone. So a
user's life depends neither on the number of users nor on how they are split into chunks.

*Movement.* A user's home is drawn where people live. Most users have a workplace, drawn by gravity
(jobs there divided by squared distance). Weekdays have work and a few outings, and weekends have
outings only; every night is spent at home. An outing goes somewhere new with probability
``ρ·S^−γ``, where S is the number of places known so far. Otherwise it returns to a known place,
with probability proportional to the visits made there. This is exploration and preferential return,
with ρ = 0.6 and γ = 0.21 as measured by Song, Koren, Wang & Barabási, *Modelling the scaling
properties of human mobility*, Nature Physics 6 (2010). New places are drawn by gravity from the
present place (Pappalardo et al., *Returners and explorers dichotomy in human mobility*, Nature
Communications 6, 2015). Trips take time, and events on a trip are recorded by the antennas along a
straight line.

*Activity.* The number of events is lognormal over users. Events come in short bursts, whose starts
follow the hours of the week.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from ..model.arrays import FloatArray, IntArray

_DAY = 1440.0
_RHO, _GAMMA = 0.6, 0.21
_EMPLOYED, _AT_WORK = 0.72, 0.93
_SPEED_M_PER_MIN, _SET_OFF_MIN = 600.0, 4.0
_BED_MIN = 23.25 * 60
_MORE_IN_BURST, _BURST_GAP_MIN = 0.3, 5.0
# Largest number of legs in a user's day: to work, on outings, and home.
_LEGS_A_DAY = 10


class World(NamedTuple):
    """Antennas, residents and gravity of a simulated country, and the rhythm of activity."""

    days: int
    weekday: int  # of the first day, 0 = Monday
    rhythm: FloatArray  # cumulative share of activity by hour of the period
    x_m: FloatArray
    y_m: FloatArray
    residents: FloatArray  # cumulative, by antenna
    pull: npt.NDArray[np.float32]  # pull[i]: the cumulative gravity from antenna i


class Stays(NamedTuple):
    """Stops of one user, each with times of arrival and departure."""

    arrive: FloatArray
    leave: FloatArray
    stop: IntArray


@njit(nogil=True, cache=True)
def count_events(first: int, seed: int, mean: float, sigma: float, out: IntArray) -> None:
    """Draw a lognormal number of events, at least 1, for the users ``first, first + 1, …``.

    ``mean`` is the mean of the lognormal distribution, ``sigma`` the standard deviation of its
    logarithm.
    """
    state = np.zeros(1, np.uint64)
    for i in range(len(out)):
        start(state, seed, first + i, 1)
        rate = mean * np.exp(sigma * _normal(state) - 0.5 * sigma * sigma)
        out[i] = max(1, int(rate + uniform(state)))


@njit(nogil=True, cache=True)
def wander(
    world: World,
    first: int,
    seed: int,
    offsets: IntArray,
    second: IntArray,
    place: npt.NDArray[np.int16],
) -> None:
    """Write the events of the users ``first, first + 1, …`` into ``second`` and ``place``.

    Events of the i-th user go to rows ``offsets[i]:offsets[i+1]``, in time order. ``second`` counts
    from the first local midnight.
    """
    days, x_m, y_m = world.days, world.x_m, world.y_m
    state = np.zeros(1, np.uint64)
    legs = days * _LEGS_A_DAY + 2
    arrive, leave, stop = np.empty(legs), np.empty(legs), np.empty(legs, np.int64)
    stays = Stays(arrive, leave, stop)
    for i in range(len(offsets) - 1):
        start(state, seed, first + i, 2)
        n = _itinerary(state, world, stays)
        rows = second[offsets[i] : offsets[i + 1]]
        start(state, seed, first + i, 3)
        _event_times(state, days, world.rhythm, rows)
        rows.sort()
        for j in range(1, len(rows)):  # at most one event a second: none looks like a copy
            if rows[j] <= rows[j - 1] and rows[j - 1] < days * 86_400 - 1:
                rows[j] = rows[j - 1] + 1
        leg = 0
        for j in range(len(rows)):
            t = rows[j] / 60.0
            while leg + 1 < n and arrive[leg + 1] <= t:
                leg += 1
            here = stop[leg]
            if leg + 1 < n and t > leave[leg]:
                goal = stop[leg + 1]
                part = (t - leave[leg]) / (arrive[leg + 1] - leave[leg])
                here = _nearest(
                    x_m[here] + part * (x_m[goal] - x_m[here]),
                    y_m[here] + part * (y_m[goal] - y_m[here]),
                    x_m,
                    y_m,
                )
            place[offsets[i] + j] = here


@njit(nogil=True, cache=True)
def _itinerary(state: Any, world: World, stays: Stays) -> int:
    """Fill in one user's stops, with times of arrival and departure; return their number."""
    days, weekday, pull = world.days, world.weekday, world.pull
    arrive, leave, stop = stays.arrive, stays.leave, stays.stop
    home = draw(world.residents, uniform(state))
    work = draw(pull[home], uniform(state))
    employed = uniform(state) < _EMPLOYED
    shift_start = 60 * (8.3 + 0.8 * _normal(state))
    shift_length = 60 * (8.4 + 0.7 * _normal(state))
    sociable = 0.4 + 1.2 * uniform(state)
    known, visits = np.empty(days * _LEGS_A_DAY, np.int64), np.zeros(days * _LEGS_A_DAY)
    n_known = 0
    arrive[0], leave[0], stop[0] = 0.0, 0.0, home
    n = 1
    for day in range(days):
        midnight = day * _DAY
        free = midnight + 60 * (9.5 + 1.5 * _normal(state))
        outings = 1.1 * sociable
        if (weekday + day) % 7 < 5:
            outings = 0.7 * sociable
            if employed and uniform(state) < _AT_WORK:
                outings = 0.4 * sociable
                begin = midnight + shift_start + 12 * _normal(state)
                free = begin + shift_length + 20 * _normal(state)
                n = _go(n, work, begin, free, world, stays)
        while uniform(state) < outings:
            outings = outings * 0.75 if outings > 1 else outings * 0.5
            begin = max(free, leave[n - 1]) + 60 * 3.0 * uniform(state)
            end = begin + 20 - 80 * np.log(1 - uniform(state))
            if end > midnight + _BED_MIN:
                break
            here = stop[n - 1]
            new = n_known == 0 or uniform(state) < _RHO * (n_known + 2.0) ** -_GAMMA
            if new:
                goal = draw(pull[here], uniform(state))
            else:
                left = uniform(state) * visits[:n_known].sum()
                at = 0
                while at + 1 < n_known and left >= visits[at]:
                    left -= visits[at]
                    at += 1
                goal = known[at]
            seen = -1
            for k in range(n_known):
                if known[k] == goal:
                    seen = k
            if seen < 0:
                seen = n_known
                known[seen] = goal
                n_known += 1
            visits[seen] += 1
            n = _go(n, goal, begin, end, world, stays)
            if uniform(state) < 0.6:
                n = _go(n, home, 0.0, 0.0, world, stays)
        if stop[n - 1] != home:
            n = _go(n, home, 0.0, 0.0, world, stays)
    leave[n - 1] = days * _DAY
    return n


@njit(nogil=True, cache=True)
def _go(n: int, goal: int, begin: float, end: float, world: World, stays: Stays) -> int:
    """Append a stay at ``goal`` until ``end``; return the new number of stays.

    The stay begins at ``begin``, or at the earliest possible arrival if that is later, and does not
    end before it begins. If the user is at ``goal`` already, or the arrays are full, the last stay
    is extended to ``end`` instead.
    """
    x_m, y_m, arrive, leave, stop = world.x_m, world.y_m, stays.arrive, stays.leave, stays.stop
    here = stop[n - 1]
    if n >= len(stop) or goal == here:
        leave[n - 1] = max(leave[n - 1], end)
        return n
    way = abs(x_m[goal] - x_m[here]) + abs(y_m[goal] - y_m[here])
    takes = _SET_OFF_MIN + way / _SPEED_M_PER_MIN
    leave[n - 1] = max(leave[n - 1], begin - takes)
    arrive[n] = leave[n - 1] + takes
    leave[n] = max(arrive[n], end)
    stop[n] = goal
    return n + 1


@njit(nogil=True, cache=True)
def _event_times(state: Any, days: int, rhythm: FloatArray, out: IntArray) -> None:
    """Fill in each event's second since the first midnight, in bursts with the week's rhythm."""
    shift = 0.6 * _normal(state)  # some rise early, some late (hours)
    last = days * _DAY - 1.0 / 60.0
    made = 0
    while made < len(out):
        u = uniform(state)
        hour = draw(rhythm, u)
        begin = rhythm[hour - 1] if hour else 0.0
        t = 60 * (hour + (u - begin) / (rhythm[hour] - begin) + shift)
        t = t % (days * _DAY)
        while made < len(out):
            out[made] = int(60 * min(t, last))
            made += 1
            if uniform(state) >= _MORE_IN_BURST:
                break
            t -= _BURST_GAP_MIN * np.log(1 - uniform(state))
            if t > last:
                break


@njit(nogil=True, cache=True)
def _nearest(x: float, y: float, x_m: FloatArray, y_m: FloatArray) -> int:
    """Return the antenna nearest to a position."""
    best, least = 0, np.inf
    for k in range(len(x_m)):
        far = (x_m[k] - x) ** 2 + (y_m[k] - y) ** 2
        if far < least:
            best, least = k, far
    return best


@njit(nogil=True, cache=True)
def draw(cumulative: Any, u: float) -> int:
    """Return the position of the first cumulative share above ``u``, a number in [0, 1).

    If no share is above ``u``, the result is the last position.
    """
    low, high = 0, len(cumulative) - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] > u:
            high = middle
        else:
            low = middle + 1
    return low


@njit(nogil=True, cache=True)
def start(state: Any, seed: int, user: int, purpose: int) -> None:
    """Reset a user's random stream; each purpose has a stream of its own."""
    state[0] = np.uint64(seed)
    _bits(state)
    state[0] = _bits(state) ^ np.uint64(user)
    state[0] = _bits(state) ^ np.uint64(purpose)
    state[0] = _bits(state)


@njit(nogil=True, cache=True)
def _normal(state: Any) -> float:
    """Draw a standard normal number (Box & Muller's method, cosine half)."""
    radius = np.sqrt(-2.0 * np.log(1.0 - uniform(state)))
    normal: float = radius * np.cos(2.0 * np.pi * uniform(state))
    return normal


@njit(nogil=True, cache=True)
def uniform(state: Any) -> float:
    """Draw a number in [0, 1) with 53 random bits."""
    unit: float = np.float64(_bits(state) >> np.uint64(11)) * 2.0**-53
    return unit


@njit(nogil=True, cache=True)
def _bits(state: Any) -> Any:
    """Return the next 64 bits of splitmix64 (Steele, Lea & Flood, OOPSLA 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))

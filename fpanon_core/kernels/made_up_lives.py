"""Simulated lives of synthetic people: compiled loops over people.

Each person has a random stream of their own, from one seed and the person's number. So a life can
be generated once to learn its radius, and a second time to store it.

:mod:`fpanon_core.synthesis.generation` calls these functions, and documents what is drawn.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from ..model.arrays import FloatArray, IntArray, SmallInts
from .synthetic_lives import draw, start, uniform

_DAY_MIN, _HOUR_MIN = 1440, 60
_TRIES = 12  # to find a place that the person does not know yet
_ZIPF = 1.2  # the visits to the r-th place fall like r^−1.2 (Song et al. 2010)
_ROUNDS = 10  # rounds that fit the frequencies of the places to their weights
_NEAR_M = 1_000.0  # far beyond it, a place twice as far is half as likely to be the next one
_ANCHOR, _OTHER = 1, 2


class Model(NamedTuple):
    """Model of all people: shares and cumulative shares, from noisy statistics only.

    Attributes
    ----------
    x_m, y_m : float64 ndarray (n_places,)
        Centres of the places.
    places, first : int64 ndarray (n_places,), (n_zones + 1,)
        Places of zone z are ``places[first[z]:first[z+1]]``.
    within : float64 ndarray (n_places,), cumulative in each zone
        Shares of the zone's places, in the same order.
    zone : int64 ndarray (n_places,)
        Zone of each place.
    homes : float64 ndarray (n_zones,), cumulative
        Shares of homes by zone.
    pull : float32 ndarray (2 · n_kinds, n_zones, n_zones), cumulative
        Pull from a home's zone to the anchor's zone, and to other places' zones, for each kind of
        person.
    kinds : float64 ndarray (n_kinds,), cumulative
        Shares of people by kind.
    records : float64 ndarray (n_event_bins · n_place_bins,), cumulative
        Shares of people by number of events × number of places, raveled.
    at_home : float64 ndarray (n_home_bins,), cumulative
        Shares of people by the share of their events at home.
    days : float64 ndarray (n_days,), cumulative
        Shares of events by day.
    day_type : int64 ndarray (n_days,)
        Type of each day.
    wall_min : int64 ndarray (1440 · n_days,)
        Minute recorded for each drawn minute; a different one if the clocks skip the drawn minute.
    hours : float64 ndarray (2, 24), cumulative
        Shares of events by hour, for each type of day.
    roles : float64 ndarray (3, 2, 24)
        Shares of events at home, at the anchor and at other places, by type of day and hour.
    gaps : float64 ndarray (2, n_gaps)
        Shares of intervals by length; rows for intervals in which the person stayed, and moved.
    radii : float64 ndarray (n_rings,)
        Shares of people by radius of gyration.
    event_bounds, place_bounds, home_bounds, gap_bounds, ring_m : float64 ndarray
        Bounds of the bins of events, places, shares at home, intervals (minutes) and distances (m).
    moves : float
        Mean, over people, of min(number of moves, 128)/128.
    tilt : float
        Above 1, drawn numbers of events tend to be low within their bin; below 1, high.
    """

    x_m: FloatArray
    y_m: FloatArray
    places: IntArray
    first: IntArray
    within: FloatArray
    zone: IntArray
    homes: FloatArray
    pull: npt.NDArray[np.float32]
    kinds: FloatArray
    records: FloatArray
    at_home: FloatArray
    days: FloatArray
    day_type: IntArray
    wall_min: IntArray
    hours: FloatArray
    roles: FloatArray
    gaps: FloatArray
    radii: FloatArray
    event_bounds: FloatArray
    place_bounds: FloatArray
    home_bounds: FloatArray
    gap_bounds: FloatArray
    ring_m: FloatArray
    moves: float
    tilt: float


@njit(nogil=True, cache=True)
def survey(
    model: Model, seed: int, numbers: IntArray, readiness: float, figures: FloatArray
) -> None:
    """Set ``figures`` (n, 3) to each life's number of events, number of moves, and radius (m).

    ``readiness`` multiplies the probabilities of moving.
    """
    longest = int(model.event_bounds[-1]) + 1
    place, t_min = np.empty(longest, np.int64), np.empty(longest, np.int64)
    for i in range(len(numbers)):
        n = _live(model, seed, numbers[i], readiness, place, t_min)
        moves = 0
        for j in range(1, n):
            moves += place[j] != place[j - 1]
        figures[i, 0], figures[i, 1] = n, moves
        figures[i, 2] = _radius(model, place[:n])


@njit(nogil=True, cache=True)
def write_lives(
    model: Model,
    seed: int,
    numbers: IntArray,
    readiness: float,
    offsets: IntArray,
    place: SmallInts,
    t_min: SmallInts,
) -> None:
    """Write the lives, each in order of time; life i goes to rows ``offsets[i]:offsets[i+1]``.

    ``readiness`` multiplies the probabilities of moving.
    """
    longest = int(model.event_bounds[-1]) + 1
    own_place, own_t = np.empty(longest, np.int64), np.empty(longest, np.int64)
    for i in range(len(numbers)):
        n = _live(model, seed, numbers[i], readiness, own_place, own_t)
        place[offsets[i] : offsets[i + 1]] = own_place[:n]
        t_min[offsets[i] : offsets[i + 1]] = own_t[:n]


@njit(nogil=True, cache=True)
def _live(
    model: Model, seed: int, number: int, readiness: float, place: IntArray, t_min: IntArray
) -> int:
    """Fill in the place and minute of each event, in order of time; return the number of events."""
    state = np.zeros(1, np.uint64)
    start(state, seed, number, 1)
    cell = draw(model.records, uniform(state))
    columns = len(model.place_bounds) - 1
    n = _between(state, model.event_bounds, cell // columns, model.tilt)
    many = min(n, _between(state, model.place_bounds, cell % columns, 1.0))
    at = draw(model.at_home, uniform(state))
    low, high = model.home_bounds[at], model.home_bounds[at + 1]
    home_share = low + (high - low) * uniform(state)
    own = np.empty(many, np.int64)
    many = _choose_places(state, model, own)
    weight = _weights(model, home_share, many)
    _times(state, model, t_min[:n])
    _walk(state, model, own[:many], weight, readiness, place[:n], t_min[:n])
    _visit_all(state, own[:many], place[:n])
    for i in range(1, n):  # within one minute, the lower place comes first
        j = i
        while j > 0 and t_min[j] == t_min[j - 1] and place[j] < place[j - 1]:
            place[j], place[j - 1] = place[j - 1], place[j]
            j -= 1
    return n


@njit(nogil=True, cache=True)
def _between(state: Any, bounds: FloatArray, at: int, tilt: float) -> int:
    """Draw a whole number from a bin, with small numbers likelier, as on a logarithmic scale."""
    low, high = np.log(bounds[at]), np.log(bounds[at + 1])
    return int(np.exp(low + (high - low) * uniform(state) ** tilt) + 1e-9)


@njit(nogil=True, cache=True)
def _place_in(state: Any, model: Model, zone: int) -> int:
    first, last = model.first[zone], model.first[zone + 1]
    return int(model.places[first + draw(model.within[first:last], uniform(state))])


@njit(nogil=True, cache=True)
def _choose_places(state: Any, model: Model, own: IntArray) -> int:
    """Fill in home, anchor and other places, all different; return how many were found."""
    kind = draw(model.kinds, uniform(state))
    own[0] = _place_in(state, model, draw(model.homes, uniform(state)))
    home, many = model.zone[own[0]], 1
    for rank in range(1, len(own)):
        pull = model.pull[2 * kind + (1 if rank > 1 else 0), home]
        for _ in range(_TRIES):
            place = _place_in(state, model, draw(pull, uniform(state)))
            known = False
            for i in range(many):
                known |= own[i] == place
            if not known:
                own[many] = place
                many += 1
                break
    return many


@njit(nogil=True, cache=True)
def _weights(model: Model, home_share: float, many: int) -> FloatArray:
    """Return the shares of a person's events by own place: home, anchor, others."""
    weight = np.ones(many)
    if many == 1:
        return weight
    anchor, other = model.roles[_ANCHOR].sum(), model.roles[_OTHER].sum()
    away = 1.0 - home_share
    weight[0], weight[1] = home_share, away
    if many > 2:
        weight[1] = away * anchor / max(anchor + other, 1e-12)
        total = 0.0
        for i in range(2, many):
            weight[i] = (i - 1.0) ** -_ZIPF
            total += weight[i]
        for i in range(2, many):
            weight[i] *= (away - weight[1]) / total
    return weight


@njit(nogil=True, cache=True)
def _times(state: Any, model: Model, t_min: IntArray) -> None:
    """Draw times by day and hour, and in bursts: minutes since the first midnight, ascending."""
    last = len(model.day_type) * _DAY_MIN - 1
    soon, later = model.gaps[:, 0].sum(), model.gaps[:, 1].sum()
    for i in range(len(t_min)):
        u = uniform(state)
        if i > 0 and u < soon + later:
            at = 0 if u < soon else 1
            low, high = model.gap_bounds[at], model.gap_bounds[at + 1]
            before = t_min[int(uniform(state) * i)]
            t_min[i] = min(last, before + int(low + (high - low) * uniform(state)))
            continue
        day = draw(model.days, uniform(state))
        hour = draw(model.hours[model.day_type[day]], uniform(state))
        t_min[i] = day * _DAY_MIN + hour * _HOUR_MIN + int(uniform(state) * _HOUR_MIN)
    for i in range(len(t_min)):
        t_min[i] = model.wall_min[t_min[i]]
    t_min.sort()


@njit(nogil=True, cache=True)
def _walk(
    state: Any,
    model: Model,
    own: IntArray,
    weight: FloatArray,
    readiness: float,
    place: IntArray,
    t_min: IntArray,
) -> None:
    """Fill in places: a person stays, or goes to a place popular at that hour, preferably nearby.

    Places far from the others are drawn more often in compensation, so each keeps its weight in the
    long run.
    """
    near, drawn = _nearness(model, own), weight
    for _ in range(_ROUNDS):
        drawn = np.sqrt(drawn * weight / np.maximum((near * drawn).sum(axis=1), 1e-12))
    of_role = np.array([model.roles[0].sum(), model.roles[1].sum(), model.roles[2].sum()])
    chance, here = np.empty(len(own)), -1
    for i in range(len(place)):
        if i > 0:
            gap = np.searchsorted(
                model.gap_bounds[1:], float(t_min[i] - t_min[i - 1]), side="right"
            )
            moved = model.gaps[1, gap] / max(model.gaps[0, gap] + model.gaps[1, gap], 1e-12)
            if uniform(state) >= readiness * moved:
                place[i] = place[i - 1]
                continue
        kind = model.day_type[t_min[i] // _DAY_MIN]
        hour = t_min[i] % _DAY_MIN // _HOUR_MIN
        total = 0.0
        for j in range(len(own)):
            role = min(j, _OTHER)
            share = drawn[j] * model.roles[role, kind, hour] / max(of_role[role], 1e-12) + 1e-9
            total += share * (near[here, j] if here >= 0 else 1.0)
            chance[j] = total
        u, j = uniform(state) * total, 0
        while j + 1 < len(own) and chance[j] <= u:
            j += 1
        place[i], here = own[j], j


@njit(nogil=True, cache=True)
def _nearness(model: Model, own: IntArray) -> FloatArray:
    """Return the readiness to go from each own place to any other; it falls with distance."""
    x, y = model.x_m[own], model.y_m[own]
    near = np.empty((len(own), len(own)))
    for i in range(len(own)):
        near[i] = 1.0 / (1.0 + np.hypot(x - x[i], y - y[i]) / _NEAR_M)
    return near


@njit(nogil=True, cache=True)
def _visit_all(state: Any, own: IntArray, place: IntArray) -> None:
    """Try to give each own place an event, without taking another place's only event."""
    for other in own:
        seen = False
        for i in range(len(place)):
            seen |= place[i] == other
        if seen:
            continue
        for _ in range(_TRIES):
            at, same = int(uniform(state) * len(place)), 0
            for i in range(len(place)):
                same += place[i] == place[at]
            if same > 1:
                place[at] = other
                break


@njit(nogil=True, cache=True)
def _radius(model: Model, place: IntArray) -> float:
    x, y = model.x_m[place], model.y_m[place]
    return float(np.sqrt(np.var(x) + np.var(y)))

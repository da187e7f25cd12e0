"""Model of the population, fitted to noisy statistics, for generating synthetic people.

The fit is post-processing: it uses only noisy statistics and the public frame, so it costs no ε.
Homes and visits by zone are shrunk towards each other and towards the stated residents; hours are
shrunk towards a stated profile. Trips from home follow a gravity model fitted to noisy homes,
visits and distances.

Source: docs/science.md, “Synthetic people with differential privacy”.
"""

from __future__ import annotations

import math

import numpy as np

from ..aggregates.smoothing import RINGS_KM, kept
from ..kernels.made_up_lives import Model
from ..kernels.person_statistics import MOST_COUNTED
from ..kernels.table_smoothing import shrink_by_tree
from ..model.arrays import FloatArray, IntArray
from ..model.synthetic_people import NoisyStatistics
from .statistics import AT_HOME, EVENTS, GAPS_MIN, HOURS, PLACES, Ground

EVENT_BOUNDS = np.array([1.0, *EVENTS, 2 * EVENTS[-1]])
_MOST_TILT, _HALVINGS = 1.5, 20
_ROUNDS = 25  # of proportional fitting
_LEAST = 1e-12


def fitted(found: NoisyStatistics, ground: Ground) -> Model:
    """Return the model of the population, fitted to the noisy statistics."""
    homes, visits = _masses(found, ground)
    pull = np.stack([_gravity(ground, homes, visits, row) for row in _rings_of(found)])
    order = np.argsort(ground.zone, kind="stable")
    first = np.concatenate([[0], np.cumsum(np.bincount(ground.zone))])
    weights = np.split(ground.frame.weight[order], first[1:-1])
    roles = _hours(found)
    # One person adds at most one half to each amount.
    events, moves = (2 * np.clip(found.tables["amounts"] / found.n_people, 0.0, 0.5)).tolist()
    return Model(
        x_m=ground.x_m,
        y_m=ground.y_m,
        places=order,
        first=first,
        within=np.concatenate([_cumulative(each) for each in weights]),
        zone=ground.zone.astype(np.int64),
        homes=_cumulative(homes),
        pull=_cumulative(pull).astype(np.float32),
        kinds=_cumulative(_classes_of(found)),
        records=_cumulative(simplex(found.tables["records"]).ravel()),
        at_home=_cumulative(simplex(found.tables["at_home"])),
        days=_cumulative(_days(found)),
        day_type=ground.frame.day_type,
        wall_min=_recorded(ground),
        hours=_cumulative(roles.sum(axis=0)),
        roles=roles,
        gaps=simplex(found.tables["gaps"]),
        radii=simplex(found.tables["radii"]),
        event_bounds=EVENT_BOUNDS,
        place_bounds=np.array([1.0, *PLACES, 1.5 * PLACES[-1]]),
        home_bounds=np.array([0.0, *AT_HOME, 1.0]),
        gap_bounds=np.array([0.0, *GAPS_MIN]),
        ring_m=1_000 * np.array(RINGS_KM),
        moves=moves,
        tilt=_tilt(simplex(found.tables["records"]).sum(axis=1), events),
    )


def homes_by_place(found: NoisyStatistics, ground: Ground) -> FloatArray:
    """Return the model's share of homes at each place, as an array (n_places,)."""
    homes, _ = _masses(found, ground)
    weight = ground.frame.weight
    return np.asarray((homes / np.bincount(ground.zone, weight))[ground.zone] * weight)


def _masses(found: NoisyStatistics, ground: Ground) -> tuple[FloatArray, FloatArray]:
    """Return the shares of homes and of visits by zone, each shrunk towards the other."""
    weight = np.bincount(ground.zone, ground.frame.weight)
    of_leaf = np.bincount(found.leaf, weight)
    order = np.arange(len(of_leaf))
    n, prior = found.n_people, of_leaf / of_leaf.sum()
    shrunk: dict[str, FloatArray] = {}
    for name in ("visits", "homes", "visits"):
        values = found.tables[name]
        total = max(float(values.sum()), _LEAST)
        expected = prior * total
        each = shrink_by_tree(values[:, None], expected[:, None], found.variance(name), order)[:, 0]
        shrunk[name] = each / max(float(each.sum()), _LEAST)
        prior = shrunk[name] + 1.0 / (n * len(prior))
        prior = prior / prior.sum()
    share = weight / of_leaf[found.leaf]
    return shrunk["homes"][found.leaf] * share, shrunk["visits"][found.leaf] * share


def _recorded(ground: Ground) -> IntArray:
    """Return the wall-clock minute at which each drawn minute is recorded.

    A time that the clocks skip becomes the time to which they are set.
    """
    clock, minutes = ground.frame.counts.clock, 1440 * ground.frame.counts.days
    wall = np.arange(minutes, dtype=np.float64)
    if clock is not None:
        wall = np.minimum(clock.wall_minutes(clock.elapsed_minutes(wall)), minutes - 1.0)
    return wall.astype(np.int64)


def _tilt(share: FloatArray, events: float) -> float:
    """Return the exponent that spreads people within classes of event counts to fit the noisy mean.

    Parameters
    ----------
    share : float64 ndarray (n_classes,)
        Share of people in each class of event counts.
    events : float
        Mean of min(events, 128), divided by 128.
    """
    low, high = np.log(EVENT_BOUNDS[:-1]), np.log(EVENT_BOUNDS[1:])
    along = (np.arange(64) + 0.5) / 64

    def off(log_tilt: float) -> float:
        many = np.exp(low + (high - low) * along[:, None] ** np.exp(log_tilt))
        return float((np.minimum(np.floor(many), MOST_COUNTED).mean(axis=0) * share).sum())

    least, most = -_MOST_TILT, _MOST_TILT  # more tilt, fewer events
    for _ in range(_HALVINGS):
        middle = (least + most) / 2
        least, most = (middle, most) if off(middle) > events * MOST_COUNTED else (least, middle)
    return math.exp((least + most) / 2)


def _classes_of(found: NoisyStatistics) -> FloatArray:
    """Return the share of each class of the radius of gyration."""
    sums: FloatArray = np.maximum(found.tables["rings"].sum(axis=(1, 2)), 0.0)
    return sums / max(float(sums.sum()), _LEAST)


def _rings_of(found: NoisyStatistics) -> FloatArray:
    """Return the shares of distance rings, one row for each class of radius and kind of place."""
    rings = found.tables["rings"]
    every = simplex(rings.sum(axis=0))
    every = every / np.maximum(every.sum(axis=1, keepdims=True), _LEAST)
    noise = found.variance("rings") * rings.shape[2]
    rows = []
    for of_class in rings:
        for kind, row in enumerate(of_class):
            mass = max(float(row.sum()), _LEAST)
            sure = mass**2 / (mass**2 + noise)
            own = simplex(row)
            rows.append(sure * own / max(own.sum(), _LEAST) + (1 - sure) * every[kind])
    return np.array(rows)


def _gravity(ground: Ground, homes: FloatArray, visits: FloatArray, ring: FloatArray) -> FloatArray:
    """Return the trips from each zone to each zone, by iterative proportional fitting."""
    many = np.bincount(ground.zone)
    x, y = (np.bincount(ground.zone, at) / many for at in (ground.x_m, ground.y_m))
    apart = np.hypot(x[:, None] - x, y[:, None] - y)
    within = np.searchsorted(1_000 * np.array(RINGS_KM), apart, side="right")
    model = np.outer(homes, visits) + _LEAST
    np.fill_diagonal(model, np.where(many > 1, np.diagonal(model), 0.0))
    for _ in range(_ROUNDS):
        sums = np.bincount(within.ravel(), model.ravel(), len(ring))
        model *= (ring / np.maximum(sums, _LEAST))[within]
        model *= (visits / np.maximum(model.sum(axis=0), _LEAST))[None, :]
        model *= (homes / np.maximum(model.sum(axis=1), _LEAST))[:, None]
    return model + _LEAST * visits


def _hours(found: NoisyStatistics) -> FloatArray:
    """Return the shares of events by role, type of day and hour.

    Each harmonic over the hours is shrunk towards the stated profile.
    """
    table, profile = found.tables["roles"], PROFILE / PROFILE.sum(axis=2, keepdims=True)
    expected = np.maximum(table.sum(axis=2, keepdims=True), 0.0) * profile
    off = np.fft.rfft(table - expected)
    power = (np.abs(off) ** 2).mean(axis=(0, 1))
    share = np.maximum(0.0, 1.0 - found.variance("roles") * HOURS / np.maximum(power, _LEAST))
    share[0] = 1.0  # the sum of each row is kept
    out: FloatArray = np.maximum(expected + np.fft.irfft(share * off, HOURS), 0.0)
    return out / max(float(out.sum()), _LEAST)


def _days(found: NoisyStatistics) -> FloatArray:
    """Return the shares of events by day, shrunk towards equal shares."""
    days = found.tables["days"]
    mean = float(days.mean())
    return simplex(mean + kept(days - mean, found.variance("days")) * (days - mean))


def _profile() -> FloatArray:
    """Return a profile of activity: low at night; on weekdays, work by day and home otherwise."""
    hour = np.arange(HOURS)
    awake = np.where((hour >= 8) & (hour < 22), 1.0, np.where((hour == 7) | (hour == 22), 0.5, 0.1))
    home = awake * np.where((hour >= 9) & (hour < 18), 0.5, 1.0)
    work = awake * np.where((hour >= 9) & (hour < 18), 1.0, 0.2)
    return np.array([[home, awake], [work, awake], [awake, awake]])


PROFILE = _profile()
"""Stated activity by role (home, anchor, other), type of day and hour; independent of any data."""


def simplex(values: FloatArray) -> FloatArray:
    """Return the non-negative shares, adding up to 1, that are nearest to noisy numbers.

    The numbers are first divided by their total; without a positive total, all shares are equal.
    The method is that of Duchi et al. 2008.

    Examples
    --------
    >>> simplex(np.array([6.0, 3.0, -1.0])).tolist()
    [0.6875, 0.3125, 0.0]
    """
    total = float(values.sum())
    if total <= 0:  # all is noise
        return np.full(values.shape, 1.0 / values.size)
    flat = values.ravel() / total
    down = np.sort(flat)[::-1]
    excess = (np.cumsum(down) - 1) / np.arange(1, len(down) + 1)
    last = int(np.flatnonzero(down > excess).max(initial=0))
    return np.asarray(np.maximum(flat - excess[last], 0.0).reshape(values.shape))


def _cumulative(values: FloatArray) -> FloatArray:
    sums: FloatArray = np.cumsum(values, axis=-1)
    return np.asarray(sums / np.maximum(sums[..., -1:], _LEAST))

"""Application of one technique to fingerprints or to data in periods.

This module defines noise on places and times, and exchange of places or times among people. It also
defines suppression of rarely visited bins, and a random draw of people.

Noise moves each sample, and its events, by an independent draw. One draw, published once, blurs one
position. Over a whole fingerprint the draws average out, so the scale gives no guarantee for the
person. The loss of privacy adds up over the samples (Andrés et al. 2013, §3).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import cKDTree  # type: ignore[import-untyped,unused-ignore]

from ..engines.local import Engine
from ..engines.progress import Progress, tell
from ..model.arrays import PLACE, TIME, FloatArray, distinct_rows
from ..model.checks import whole
from ..model.errors import ConfigError, InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult
from ..model.options import (
    AddNoise,
    Aligned,
    Generalize,
    Glove,
    Periods,
    Permute,
    SampleUsers,
    SpaceNoise,
    Step,
    SuppressRare,
    Synthesize,
    Tables,
    TimeNoise,
    What,
)
from ..model.periods import PeriodSet
from ..model.randomness import generator, generators
from .aligned import aligned
from .generalize import corner, gathered, generalize, windows_at
from .glove import glove
from .periods import into_periods


class Applied(NamedTuple):
    """Result of applying one technique.

    Attributes
    ----------
    fs : FingerprintSet
        Result, record by record.
    suppressed_share : float
        Share of the input samples that the technique suppressed.
    samples_left_out : int
        Number of input samples left out, whether or not their person was left out too.
    hidden : GloveResult or None
        Result of hiding people in groups, for a technique that does so.
    periods : PeriodSet or None
        The same fingerprints with their people and periods, if the data are in periods.
    """

    fs: FingerprintSet
    suppressed_share: float = 0.0
    samples_left_out: int = 0
    hidden: GloveResult | None = None
    periods: PeriodSet | None = None


def apply(
    given: FingerprintSet | PeriodSet,
    step: Step,
    seed: int | None,
    *,
    engine: Engine | None = None,
    progress: Progress = None,
) -> Applied:
    """Apply one technique to data, and return the result.

    If the seed is None, noise, exchanges, draws of people and pseudonyms come from the operating
    system's randomness. Antenna clusters then start from seed 0.

    Raises
    ------
    ConfigError
        The technique cannot be applied to these data, or makes tables or synthetic people.
    InfeasibleError
        Nothing would be left, or k or a cluster size is too large for the data.
    """
    tell(progress, 0.0)
    done = _applied(given, step, seed, engine, progress)
    if not isinstance(given, PeriodSet):
        return done
    pieces = given.changed(done.fs) if done.hidden is None else _pieces_of(done, given)
    return done._replace(periods=pieces)


def records_of(made: FingerprintSet | PeriodSet) -> FingerprintSet:
    """Return what would be published, record by record; for data in periods, the pieces."""
    return made.pieces if isinstance(made, PeriodSet) else made


def _pieces_of(done: Applied, given: PeriodSet) -> PeriodSet:
    """Return the published records of data in periods, each with its person and period."""
    assert done.hidden is not None
    inside = np.flatnonzero(done.hidden.group >= 0)
    rows = np.repeat(inside, done.hidden.weight[inside])
    return replace(
        given, pieces=done.fs, person=given.person[rows], period=given.period[rows], sample=None
    )


def _applied(
    given: FingerprintSet | PeriodSet,
    step: Step,
    seed: int | None,
    engine: Engine | None,
    progress: Progress,
) -> Applied:
    fs = records_of(given)
    match step:
        case Generalize(profile):
            return Applied(generalize(fs, profile, seed=seed or 0))
        case Periods(days):
            cut = into_periods(fs, days, seed=seed)
            return Applied(cut.pieces, periods=cut)
        case SampleUsers(share):
            some = sample_users(fs, share, seed=seed)
            return Applied(some, 0.0, fs.n_samples - some.n_samples)
        case AddNoise(space_m, time_min, space, time):
            return Applied(add_noise(fs, space_m, time_min, space=space, time=time, seed=seed))
        case Permute(what, window_min, region_m):
            return Applied(permute(fs, what, window_min=window_min, region_m=region_m, seed=seed))
        case SuppressRare(min_users):
            kept = suppress_rare(fs, min_users, seed=seed)
            gone = fs.n_samples - kept.n_samples
            return Applied(kept, 1 - kept.n_samples / fs.n_samples, gone)
        case Glove(k, space_limit, time_limit, share):
            limits = {"suppress_space_m": space_limit, "suppress_time_min": time_limit}
            hide: Callable[..., GloveResult] = glove
            if isinstance(step, Aligned):
                limits = {"max_side_m": space_limit, "max_span_min": time_limit}
                hide = partial(aligned, effort=step.effort)
            hidden = hide(given, k, leave_out=share, engine=engine, progress=progress, **limits)
            if not (hidden.group >= 0).any():
                raise InfeasibleError(
                    f"{step} would publish nothing. Raise the limits, or choose a k below {k}."
                )
            return Applied(
                hidden.expanded(), hidden.suppressed_share, len(hidden.suppressed), hidden
            )
        case Tables() | Synthesize():
            raise ConfigError(
                "This option publishes nobody's records; use the function release instead."
            )


Cells = dict[str, Any]

_DAY_MIN = 1_440.0


def add_noise(
    fs: FingerprintSet,
    space_m: float = 0.0,
    time_min: float = 0.0,
    *,
    space: SpaceNoise = "planar_laplace",
    time: TimeNoise = "laplace",
    seed: int | None = 0,
) -> FingerprintSet:
    """Move every sample at random in space, in time, or both.

    Noise is added to the middle of the sample's cell. The result is snapped to a cell of the data,
    so that bins remain comparable. If all places are squares of one grid, this cell is a square of
    the grid, visited or not. Otherwise it is the existing place whose middle is nearest. Times are
    snapped in the same way, to a window of the data or to the existing window whose middle is
    nearest.

    The days of the data run from local midnight of the first day to local midnight after the last.
    A time outside these days is reflected at their ends. Clipping would pile up samples in the
    first and last windows. Without any bound, there would be days that were never recorded.

    Every user and every event remains. Samples of a user that coincide afterwards become one, and
    their counts add up. Places may leave the region of the data.

    Parameters
    ----------
    fs : FingerprintSet
        Data to change; the set itself stays as it is.
    space_m : float
        Scale in space, in metres; 0 for none. ``"planar_laplace"``: b = 1/ε of the density
        ``exp(−r/b) / (2πb²)`` at distance r; the mean distance is 2b (Andrés, Bordenabe,
        Chatzikokolakis & Palamidessi 2013, *Geo-indistinguishability*, §5). The distance is drawn
        from the gamma distribution of shape 2 and scale b; the direction is uniform.
        ``"gaussian"``: the standard deviation along x and along y.
    time_min : float
        Scale in time, in minutes; 0 for none. ``"laplace"``: b of the density ``exp(−|t|/b) / 2b``;
        the mean distance is b. ``"gaussian"``: the standard deviation.
    space : {"planar_laplace", "gaussian"}
    time : {"laplace", "gaussian"}
    seed : int or None
        A seed is for studies only: it repeats the noise, and anyone with the program can draw the
        noise again and subtract it. Use None, the operating system's randomness, for anything
        published. Noise in space does not depend on whether there is noise in time.

    Returns
    -------
    FingerprintSet

    Raises
    ------
    ConfigError
        A scale is negative or not a number, a distribution is unknown, or the seed is neither None
        nor a whole number of at least 0.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 300, 0], [0, 0, 0], [0, 5, 9])
    >>> blurred = add_noise(fs, space_m=500, seed=1)
    >>> blurred.n_users, int(blurred.count.sum()), blurred.t_min.tolist()
    (2, 3, [0.0, 5.0, 9.0])
    """
    step = AddNoise(space_m, time_min, space, time)
    in_space, in_time = generators(seed, 2)
    cells = fs.arrays()
    if step.space_m > 0:
        cells |= _moved_places(fs, *_planar(step, fs.n_samples, in_space))
    if step.time_min > 0:
        cells |= _moved_times(fs, _linear(step, fs.n_samples, in_time))
    return gathered(fs, fs.sample_user, cells, fs.count)


def _planar(step: AddNoise, n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Draw shifts along x and along y for ``n`` samples, in metres."""
    if step.space == "gaussian":
        return rng.normal(0.0, step.space_m, n), rng.normal(0.0, step.space_m, n)
    radius = rng.gamma(2.0, step.space_m, n)
    angle = rng.uniform(0.0, 2 * np.pi, n)
    return radius * np.cos(angle), radius * np.sin(angle)


def _linear(step: AddNoise, n: int, rng: np.random.Generator) -> FloatArray:
    """Draw shifts in time for ``n`` samples, in minutes."""
    draw = rng.normal if step.time == "gaussian" else rng.laplace
    return draw(0.0, step.time_min, n)


def _moved_places(fs: FingerprintSet, shift_x: FloatArray, shift_y: FloatArray) -> Cells:
    side, (x, y) = fs.granularity_m, corner(fs)
    column, row = np.rint((fs.x_m - x) / side), np.rint((fs.y_m - y) / side)
    whole_squares = (fs.dx_m == side) & (fs.dy_m == side)
    if np.all(whole_squares & (x + column * side == fs.x_m) & (y + row * side == fs.y_m)):
        # From the middle of a square, half a side leads to its edge.
        column, row = column + np.floor(0.5 + shift_x / side), row + np.floor(0.5 + shift_y / side)
        return {"x_m": x + column * side, "y_m": y + row * side}
    first, which = distinct_rows(*fs.arrays(PLACE).values())
    places = {name: values[first] for name, values in fs.arrays(PLACE).items()}
    middles = np.column_stack(
        [places["x_m"] + places["dx_m"] / 2, places["y_m"] + places["dy_m"] / 2]
    )
    nearest = cKDTree(middles).query(middles[which] + np.column_stack([shift_x, shift_y]))[1]
    return {name: values[nearest] for name, values in places.items()}


def _moved_times(fs: FingerprintSet, shift: FloatArray) -> Cells:
    middle = fs.t_min + fs.dt_min / 2
    latest = int(np.argmax(fs.t_min + fs.dt_min))
    days, lengths = windows_at(fs, fs.t_min[[int(np.argmin(fs.t_min)), latest]], _DAY_MIN)
    begin = float(days[0])
    end = max(float(days[1] + lengths[1]), float(fs.t_min[latest] + fs.dt_min[latest]))
    around = np.mod(middle + shift - begin, 2 * (end - begin))
    moved = begin + np.minimum(around, 2 * (end - begin) - around)
    start, length = windows_at(fs, fs.t_min, fs.granularity_min)
    if np.array_equal(start, fs.t_min) and np.array_equal(length, fs.dt_min):
        # The end itself is in no window.
        moved = np.minimum(moved, np.nextafter(end, begin))
        start, length = windows_at(fs, moved, fs.granularity_min)
        return {"t_min": start, "dt_min": length}
    first, _ = distinct_rows(middle, fs.t_min)
    windows, middles = fs.arrays(TIME), middle[first]
    after = np.clip(np.searchsorted(middles, moved), 1, max(1, len(middles) - 1))
    before = after - 1
    after = np.minimum(after, len(middles) - 1)
    nearer = np.where(moved - middles[before] <= middles[after] - moved, before, after)
    return {name: values[first][nearer] for name, values in windows.items()}


def permute(
    fs: FingerprintSet,
    what: What = "positions",
    *,
    window_min: float = 60.0,
    region_m: float = 5_000.0,
    seed: int | None = 0,
) -> FingerprintSet:
    """Exchange positions at random within each time window, or times within each region.

    *Events* are exchanged, not samples: a sample of count 3 gives and takes three positions.
    Therefore both marginals are kept exactly, even if samples coincide afterwards. ``"positions"``
    keeps each window's number of events at each place, and each user's number of events at each
    time. ``"times"`` keeps each region's number of events at each time, and each user's number of
    events at each place. Samples of a user that coincide afterwards become one, and their counts
    add up. Within a window or region, every arrangement is equally likely; an event may keep its
    position or time, or get that of another event of the same user.

    Parameters
    ----------
    fs : FingerprintSet
        Data to change; the set itself stays as it is.
    what : {"positions", "times"}
    window_min : float
        For positions: length of the windows in minutes, at least as long as the data's windows.
        Windows are aligned to local midnight; a sample is in the window that holds its start.
    region_m : float
        For times: side of the square regions in metres, at least the side of the data's grid. Four
        regions meet at the projection's origin; a sample is in the region that holds its middle.
    seed : int or None
        A seed is for studies only: it repeats the exchange, and anyone with the program can undo
        it. Use None, the operating system's randomness, for anything published.

    Returns
    -------
    FingerprintSet

    Raises
    ------
    ConfigError
        ``what`` is unknown, a size is finer than the data or not positive, or the seed is neither
        None nor a whole number of at least 0.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 2, 3], [0, 300, 900], [0] * 3, [0, 5, 70])
    >>> shuffled = permute(fs, "positions", window_min=60)
    >>> sorted(shuffled.x_m[:2].tolist()), shuffled.x_m[2:].tolist(), shuffled.t_min.tolist()
    ([0.0, 300.0], [900.0], [0.0, 5.0, 70.0])
    """
    step = Permute(what, window_min, region_m)
    rng = generator(seed)
    if step.what == "positions":
        _check_coarse("window_min", step.window_min, fs.granularity_min, "min")
        group = distinct_rows(windows_at(fs, fs.t_min, step.window_min)[0])[1]
    else:
        _check_coarse("region_m", step.region_m, fs.granularity_m, "m")
        column = np.floor((fs.x_m + fs.dx_m / 2) / step.region_m)
        group = distinct_rows(column, np.floor((fs.y_m + fs.dy_m / 2) / step.region_m))[1]
    rows = np.repeat(np.arange(fs.n_samples), np.maximum(fs.count, 1))
    group = group[rows]
    by_group = np.argsort(group, kind="stable")
    source = np.empty(len(rows), np.int64)
    source[by_group] = rows[np.lexsort((rng.random(len(rows)), group))]
    names = PLACE if step.what == "positions" else TIME
    cells = {name: values[rows] for name, values in fs.arrays().items()}
    cells |= {name: values[source] for name, values in fs.arrays(names).items()}
    # A sample without events is exchanged as if it had one, and keeps its count of 0.
    return gathered(fs, fs.sample_user[rows], cells, np.minimum(fs.count, 1)[rows])


def _check_coarse(name: str, size: float, finest: float, unit: str) -> None:
    if size < finest:
        raise ConfigError(
            f"{name} = {size:g} is finer than the data's {finest:g} {unit}; choose at least "
            f"{finest:g} {unit}."
        )


def suppress_rare(fs: FingerprintSet, min_users: int, *, seed: int | None = 0) -> FingerprintSet:
    """Leave out every sample in a bin that fewer than ``min_users`` users visit.

    A bin is a cell of place and time in the data; two cells are the same bin if their corners and
    extents are equal. A fingerprint that stands for several users counts as that many. Users
    without any sample left are dropped. A second pass would change nothing: a bin that stays keeps
    all its visitors. Compare ``n_users`` and ``n_samples`` to see what was left out.

    Parameters
    ----------
    fs : FingerprintSet
        Data to change; the set itself stays as it is.
    min_users : int
        1 or more; 1 leaves everything in.
    seed : int or None
        Accepted for uniformity with the other techniques; nothing is drawn.

    Returns
    -------
    FingerprintSet

    Raises
    ------
    ConfigError
        ``min_users`` is not a whole number of at least 1, or the seed is neither None nor a whole
        number of at least 0.
    InfeasibleError
        Nothing would be left.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1, 2, 3], [0, 300, 0, 900], [0] * 4, [0] * 4)
    >>> kept = suppress_rare(fs, 2)
    >>> kept.n_users, kept.x_m.tolist(), kept.number.tolist()
    (2, [0.0, 0.0], [1, 2])
    """
    step = SuppressRare(min_users)
    if seed is not None:
        whole("seed", seed, 0)
    cells = fs.arrays(PLACE + TIME)
    _, bin_ = distinct_rows(*cells.values())
    # A user is counted once in a bin, however often the fingerprint lists it.
    once, _ = distinct_rows(bin_, fs.sample_user)
    visitors = np.zeros(int(bin_.max()) + 1, np.int64)
    np.add.at(visitors, bin_[once], fs.weight[fs.sample_user[once]])
    kept = visitors[bin_] >= step.min_users
    if not kept.any():
        raise InfeasibleError(
            f"No area has {step.min_users} people or more in one time window (the largest number "
            f"is {visitors.max()}), so nothing would be left; require fewer people, or generalize "
            "first."
        )
    return fs.with_samples(kept)


def sample_users(fs: FingerprintSet, share: float, *, seed: int | None = 0) -> FingerprintSet:
    """Draw a share of the users at random, each with their whole fingerprint.

    Fingerprints are drawn without replacement, so every subset of the drawn size is equally likely.

    Parameters
    ----------
    fs : FingerprintSet
        Data to change; the set itself stays as it is.
    share : float
        In (0, 1]. ``share · n_users`` fingerprints are kept, rounded half up, and at least one.
    seed : int or None
        A seed is for studies only: it repeats the draw, and anyone with the program can find out
        which users were drawn. Use None, the operating system's randomness, for anything published.

    Returns
    -------
    FingerprintSet
        The drawn users in the order of ``fs``; each keeps the running number of its pseudonym.

    Raises
    ------
    ConfigError
        The share is outside (0, 1], or the seed is neither None nor a whole number of at least 0.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1, 2, 3, 4], [0, 300, 0, 0, 0], [0] * 5, [0] * 5)
    >>> half = sample_users(fs, 0.5)
    >>> half.n_users, set(half.number) < set(fs.number)
    (2, True)
    """
    step = SampleUsers(share)
    rng = generator(seed)
    kept = max(1, math.floor(step.share * fs.n_users + 0.5))
    return fs.subset(np.sort(rng.choice(fs.n_users, kept, replace=False, shuffle=False)))

"""How much does it hide people that places and times are not quite true?

Each sample is moved by a draw of its own, and its events with it. One draw, published once, blurs
one position; over a whole fingerprint the draws average out, and no guarantee for the person
follows from the scale (Andrés et al. 2013, §3: the loss adds up over the samples).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import cKDTree  # type: ignore[import-untyped,unused-ignore]

from ..model.arrays import PLACE, TIME, FloatArray, distinct_rows
from ..model.fingerprints import FingerprintSet
from ..model.options import AddNoise, SpaceNoise, TimeNoise
from ..model.randomness import generators
from .cells import gathered, windows_at
from .origins import corner

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

    Noise is added to the middle of the sample's cell, and the result snapped to a cell of the data,
    so that bins remain comparable: a square of the data's own grid (which nobody need have visited)
    where all places are squares of one, otherwise the existing place whose middle is nearest; and
    likewise a window of the data's own, or the existing one whose middle is nearest. A time that
    would leave the days of the data, from local midnight of the first to that after the last, is
    reflected at their ends: clipping would heap up samples in the first and last window, and
    letting them go would add days that were never recorded.

    Every user remains, and every event: samples of a user that come to coincide are one, and their
    counts add up. Places may leave the region of the data.

    Parameters
    ----------
    fs : FingerprintSet
        Is not changed.
    space_m : float
        Scale in space, metres; 0 for none. ``"planar_laplace"``: b = 1/ε of the density
        ``exp(−r/b) / (2πb²)`` at distance r (Andrés, Bordenabe, Chatzikokolakis & Palamidessi 2013,
        *Geo-indistinguishability*, §5), of which the mean distance is 2b. The distance follows the
        gamma distribution of shape 2 and scale b, and is drawn from it; the direction is uniform.
        ``"gaussian"``: the standard deviation along x and along y.
    time_min : float
        Scale in time, minutes; 0 for none. ``"laplace"``: b of the density ``exp(−|t|/b) / 2b``;
        the mean distance is b. ``"gaussian"``: the standard deviation.
    space : {"planar_laplace", "gaussian"}
    time : {"laplace", "gaussian"}
    seed : int or None
        A seed is for studies: the same seed, the same noise, and whoever has the programme can draw
        it again and take it off. None, for whatever is published: the operating system's
        randomness. Noise in space does not depend on whether there is any in time.

    Returns
    -------
    FingerprintSet

    Raises
    ------
    ConfigError
        A scale is negative or no number, a distribution unknown, or the seed no whole number.

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
    """Shifts along x and y, metres."""
    if step.space == "gaussian":
        return rng.normal(0.0, step.space_m, n), rng.normal(0.0, step.space_m, n)
    radius = rng.gamma(2.0, step.space_m, n)
    angle = rng.uniform(0.0, 2 * np.pi, n)
    return radius * np.cos(angle), radius * np.sin(angle)


def _linear(step: AddNoise, n: int, rng: np.random.Generator) -> FloatArray:
    """Shifts in time, minutes."""
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
        # The very end is in no window.
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

"""How much does it hide people that places, or times, were shuffled among them?"""

from __future__ import annotations

import numpy as np

from ..model.arrays import PLACE, TIME, IntArray, distinct_rows
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.options import Permute, What
from ..model.randomness import generator
from .cells import gathered, windows_at


def permute(
    fs: FingerprintSet,
    what: What = "positions",
    *,
    window_min: float = 60.0,
    region_m: float = 5_000.0,
    seed: int | None = 0,
) -> FingerprintSet:
    """Exchange positions at random within each time window, or times within each region.

    What is exchanged are *events*, not samples: a sample of count 3 gives and takes three
    positions. Therefore both marginals are kept exactly, whatever comes to coincide.
    ``"positions"``: of every window, the places with their numbers of events; of every user, the
    times with theirs. ``"times"``: of every region, the times with their numbers of events; of
    every user, the places with theirs. A user who then holds one sample twice holds it once, with
    the counts added up. Within a window or region every arrangement is equally likely; an event may
    keep what it had, or get it from the same user.

    Parameters
    ----------
    fs : FingerprintSet
        Is not changed.
    what : {"positions", "times"}
    window_min : float
        For positions: length of the windows, minutes, at least the data's; from local midnight. A
        sample is in the window that holds its start.
    region_m : float
        For times: side of the square regions, metres, at least the data's grid; from the
        projection's origin. A sample is in the region that holds its middle.
    seed : int or None
        A seed is for studies: the same seed, the same exchange, which whoever has the programme can
        undo. None, for whatever is published: the operating system's randomness.

    Returns
    -------
    FingerprintSet

    Raises
    ------
    ConfigError
        ``what`` is neither, a size is not positive or finer than the data, or the seed no whole
        number.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 2, 3], [0, 300, 900], [0] * 3, [0, 5, 70])
    >>> shuffled = permute(fs, "positions", window_min=60)
    >>> sorted(shuffled.x_m[:2].tolist()), shuffled.x_m[2:].tolist(), shuffled.t_min.tolist()
    ([0.0, 300.0], [900.0], [0.0, 5.0, 70.0])
    """
    step = Permute(what, window_min, region_m)
    rng = generator(seed)
    group = _windows(fs, step) if step.what == "positions" else _regions(fs, step)
    rows = np.repeat(np.arange(fs.n_samples), np.maximum(fs.count, 1))
    group = group[rows]
    by_group = np.argsort(group, kind="stable")
    source = np.empty(len(rows), np.int64)
    source[by_group] = rows[np.lexsort((rng.random(len(rows)), group))]
    names = PLACE if step.what == "positions" else TIME
    cells = {name: values[rows] for name, values in fs.arrays().items()}
    cells |= {name: values[source] for name, values in fs.arrays(names).items()}
    # A sample without any event is exchanged as if it had one, and remains without.
    return gathered(fs, fs.sample_user[rows], cells, np.minimum(fs.count, 1)[rows])


def _windows(fs: FingerprintSet, step: Permute) -> IntArray:
    if step.window_min < fs.granularity_min:
        raise ConfigError(
            f"window_min = {step.window_min:g} is finer than the data's {fs.granularity_min:g} "
            "min; choose one at least as coarse."
        )
    return distinct_rows(windows_at(fs, fs.t_min, step.window_min)[0])[1]


def _regions(fs: FingerprintSet, step: Permute) -> IntArray:
    if step.region_m < fs.granularity_m:
        raise ConfigError(
            f"region_m = {step.region_m:g} is finer than the data's {fs.granularity_m:g} m; choose "
            "one at least as coarse."
        )
    column = np.floor((fs.x_m + fs.dx_m / 2) / step.region_m)
    return distinct_rows(column, np.floor((fs.y_m + fs.dy_m / 2) / step.region_m))[1]

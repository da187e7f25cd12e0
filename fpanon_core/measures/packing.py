"""Fingerprints and their features in the form that the kernels read."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels.kgap_search import Features
from ..kernels.stretch import Packed, Scale
from ..model.arrays import FloatArray, IntArray
from ..model.configs import StretchConfig
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet

# More features bound more tightly and cost more to prepare; beyond these numbers, no gain was
# measurable on the data sets of tests/benchmarks.
_MOST_CELLS = 1024
_MOST_BINS = 2048
_FINEST_BIN_MIN = 10.0
_MOST_JOINT = 65_536  # cells times windows
_FINEST_WINDOW_MIN = 240.0


def scale_of(config: StretchConfig) -> Scale:
    """Return the weights and thresholds in the form that the kernels read.

    Raises
    ------
    ConfigError
        The weights are 1 and 1, which only a loss accepts.
    """
    if config.unweighted:
        raise ConfigError(
            "w_space = 1 and w_time = 1 are only for a loss (mean_loss, aligned, align). A stretch "
            "effort is in [0, 1], so its weights must add up to 1."
        )
    weights, caps = (config.w_space, config.w_time), (config.max_space_m, config.max_time_min)
    return Scale(*(float(value) for value in (*weights, *caps)))


def pack(fs: FingerprintSet, config: StretchConfig) -> Packed:
    """Return the arrays of a fingerprint set for the kernels, with each user's distinct places.

    Raises
    ------
    ConfigError
        The weights of ``config`` are 1 and 1, which only a loss accepts.
    """
    x_cells, y_cells = (_ranks(fs.x_m), _ranks(fs.y_m))
    cells = x_cells * (int(y_cells.max()) + 1) + y_cells
    if not (_constant(fs.dx_m) and _constant(fs.dy_m)):
        # With unequal extents, a corner does not determine a place; kernels then use no places.
        cells = np.arange(fs.n_samples)
    cell = _ranks(cells)
    key = fs.sample_user * (int(cell.max()) + 1) + cell
    keys, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    place_user = keys // (int(cell.max()) + 1)
    place_offsets = np.searchsorted(place_user, np.arange(fs.n_users + 1))
    columns = {"t": fs.t_min, "x": fs.x_m, "y": fs.y_m}
    columns |= {"dt": fs.dt_min, "dx": fs.dx_m, "dy": fs.dy_m}
    of_samples: dict[str, Any] = {name: np.array(values) for name, values in columns.items()}
    of_samples |= dict.fromkeys(("cell", "bin", "joint"), np.empty(0, np.int32))
    return Packed(
        equal=all(_constant(extent) for extent in (fs.dx_m, fs.dy_m, fs.dt_min)),
        offsets=np.array(fs.offsets),
        weight=fs.weight.astype(np.float64),
        place=inverse - place_offsets[fs.sample_user],
        place_offsets=place_offsets.astype(np.int64),
        px=np.array(fs.x_m)[first],
        py=np.array(fs.y_m)[first],
        **of_samples,
        scale=scale_of(config),
    )


def with_features(fs: FingerprintSet, packed: Packed) -> tuple[Packed, Features]:
    """Return ``packed`` with each sample's cell, bin and window, and each user's features.

    The features are the cells and bins in which a user has samples, with the numbers of samples.

    Cells are the distinct places if these are few, otherwise the squares of a regular grid with few
    enough squares. Bins are short spans of time, and windows are longer spans.
    """
    cell, x0, x1, y0, y1 = _cells(fs)
    start, end = float(fs.t_min.min()), float(fs.t_min.max())
    width = max(_FINEST_BIN_MIN, (end - start) / (_MOST_BINS - 1))
    n_bins = int((end - start) // width) + 1
    bins = np.minimum(((fs.t_min - start) // width).astype(np.int64), n_bins - 1)
    n_features = len(x0) + n_bins
    window_width = max(_FINEST_WINDOW_MIN, (end - start) / (_MOST_JOINT // len(x0)))
    n_windows = int((end - start) // window_width) + 1
    window = np.minimum(((fs.t_min - start) // window_width).astype(np.int64), n_windows - 1)
    joint = window * len(x0) + cell
    keys, count = np.unique(
        np.concatenate(
            [fs.sample_user * n_features + cell, fs.sample_user * n_features + len(x0) + bins]
        ),
        return_counts=True,
    )
    user = keys // n_features
    features = Features(
        offsets=np.searchsorted(user, np.arange(fs.n_users + 1)).astype(np.int64),
        feature=(keys % n_features).astype(np.int32),
        samples=count.astype(np.int32),
        cell_x0=x0,
        cell_x1=x1,
        cell_y0=y0,
        cell_y1=y1,
        bin_start=start,
        bin_width=width,
        n_bins=n_bins,
        window_width=window_width,
        n_windows=n_windows,
    )
    bin_feature = (len(x0) + bins).astype(np.int32)
    return packed._replace(
        cell=cell.astype(np.int32), bin=bin_feature, joint=joint.astype(np.int32)
    ), features


def _cells(fs: FingerprintSet) -> tuple[IntArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the cell of each sample, and the range of places in each cell."""
    column, row, side = _ranks(fs.x_m), _ranks(fs.y_m), 0.0
    extent = max(float(np.ptp(fs.x_m)), float(np.ptp(fs.y_m)))
    while (cell := _ranks(column * (int(row.max()) + 1) + row)).max() >= _MOST_CELLS:
        # Halving the number of cells needs squares √2 wider; smaller steps would only take longer
        # to find the same squares.
        side = max(side * 1.25, extent / 2048)
        column = np.floor((fs.x_m - fs.x_m.min()) / side).astype(np.int64)
        row = np.floor((fs.y_m - fs.y_m.min()) / side).astype(np.int64)
    count = int(cell.max()) + 1
    low, high = np.full((2, count), np.inf), np.full((2, count), -np.inf)
    for axis, values in enumerate((fs.x_m, fs.y_m)):
        np.minimum.at(low[axis], cell, values)
        np.maximum.at(high[axis], cell, values)
    return cell, low[0], high[0], low[1], high[1]


def _ranks(values: npt.NDArray[np.generic]) -> IntArray:
    """Return 0, 1, 2, … for the distinct values in ascending order."""
    ranks: IntArray = np.unique(values, return_inverse=True)[1].astype(np.int64)
    return ranks


def _constant(values: FloatArray) -> bool:
    return bool(np.all(values == values[0]))

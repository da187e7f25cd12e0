"""How coarse is a release, in one number? The mean loss over its original samples.

Source: docs/science.md, “Hiding everyone in step: aligned publishing”.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..model.configs import StretchConfig
from ..model.errors import SchemaError
from ..model.glove import GloveResult


def mean_loss(
    result_or_frame: GloveResult | pd.DataFrame, *, config: StretchConfig | None = None
) -> float:
    """Mean, over the original samples that are published, of their loss in place and time.

    The loss is w_space · side/max_space + w_time · span/max_time: side, (dx + dy)/2, and span, dt,
    are those of the published sample that holds each, and neither is saturated.

    Parameters
    ----------
    result_or_frame : GloveResult or DataFrame
        A result; or its accuracy (``space_m``, ``time_min``), of which rows without values, the
        samples left out, do not count; or the blocks of :func:`align` (``dx_m``, ``dy_m``,
        ``dt_min``, ``n_samples``).
    config : StretchConfig
        Weights and thresholds; weights of 1 and 1 give the plain sum of both parts.

    Returns
    -------
    float
        NaN where nothing is published.

    Raises
    ------
    SchemaError
        If a table has neither set of columns.

    Examples
    --------
    >>> table = pd.DataFrame({"space_m": [20_000.0, 0.0, None], "time_min": [0.0, 480.0, None]})
    >>> mean_loss(table)
    0.5
    """
    config = config or StretchConfig()
    table = (
        result_or_frame.accuracy if isinstance(result_or_frame, GloveResult) else result_or_frame
    )
    if {"space_m", "time_min"} <= set(table.columns):
        table = table[["space_m", "time_min"]].dropna()
        side, span = table["space_m"].to_numpy(np.float64), table["time_min"].to_numpy(np.float64)
        times = np.ones(len(table))
    elif {"dx_m", "dy_m", "dt_min", "n_samples"} <= set(table.columns):
        side = (table["dx_m"] + table["dy_m"]).to_numpy(np.float64) / 2
        span, times = table["dt_min"].to_numpy(np.float64), table["n_samples"].to_numpy(np.float64)
    else:
        raise SchemaError(
            "The table has neither space_m and time_min nor dx_m, dy_m, dt_min and n_samples; give "
            "the accuracy of a result, or the blocks of a group."
        )
    if not times.sum():
        return float("nan")
    loss = config.w_space * side / config.max_space_m + config.w_time * span / config.max_time_min
    return float((loss * times).sum() / times.sum())

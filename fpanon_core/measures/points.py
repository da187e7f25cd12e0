"""How many points make someone unique? Points needed.

Source: de Montjoye et al. 2013, fig. 2C; docs/science.md, “Adversary knowledge and unicity”.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..engines.local import Engine
from ..engines.progress import Progress
from ..model.arrays import FloatArray
from ..model.checks import number, whole
from ..model.configs import KnowledgeConfig, Strategy
from ..model.errors import InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.keyed import keyed
from .drawing import drawn
from .matching import first_unique

MONTH_DAYS = 30.0
_DAY_MIN = 1440.0


def points_needed(
    fs: FingerprintSet,
    *,
    users: int = 1000,
    min_per_month: float = 75,
    strategy: Strategy = "random",
    out_of: int = 1,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Points to learn of heavy users, one after the other, until nobody else fits.

    Parameters
    ----------
    fs : FingerprintSet
    users : int
        Heavy users drawn at random; all of them where there are no more.
    min_per_month : float
        Interactions (counts, not samples) in a month of 30 days that make a user heavy. The data
        last from the first to the last local calendar day with a sample, both included; shorter
        data are scaled up. Interactions of a fingerprint that stands for several are shared.
    strategy : {"random", "uniform", "top", "consecutive"}
        Order in which points become known; see :func:`draw_knowledge`.
    out_of : int
        Largest anonymity set, in users, that counts as found.
    seed : int
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    DataFrame
        One row per target: ``user`` (row number), ``pseudonym``, ``per_month`` (interactions),
        ``bins`` (in the trace; places for ``top``), ``points`` needed, NaN for who is *never*
        found by all bins together, and ``anonymity_set``, |E| after the last point taken.
        ``attrs`` hold ``never`` (how many), ``heavy`` (how many there are to draw from),
        ``config`` (strategy, users, seed, out_of, min_per_month) and ``digest``, all of them plain
        values, which a Parquet file keeps.

    Raises
    ------
    ConfigError
        A parameter is out of its range.
    InfeasibleError
        Nobody is heavy.

    Examples
    --------
    Both were at the first place; the second tells them apart.

    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 900, 0], [0, 0, 0], [0, 5, 0])
    >>> table = points_needed(fs, min_per_month=0, strategy="consecutive")
    >>> table.points.tolist(), table.attrs["never"]
    ([2.0, nan], 1)
    """
    config = KnowledgeConfig(int(fs.lengths.max()), strategy, users, seed)
    whole("out_of", out_of, 1)
    number("min_per_month", min_per_month, least=0.0)
    monthly = interactions_per_month(fs)
    heavy = np.flatnonzero(monthly >= min_per_month)
    if len(heavy) == 0:
        raise InfeasibleError(
            f"None of the {fs.n_users} users has {min_per_month:g} interactions in 30 days (the "
            f"busiest has {monthly.max():.1f}); lower min_per_month."
        )
    knowledge = drawn(fs, config, among=heavy, beyond=True)
    points, sizes = first_unique(fs, knowledge, out_of, engine=engine, progress=progress)
    targets = knowledge.targets
    table = pd.DataFrame(
        {
            "user": targets,
            "pseudonym": np.array(fs.pseudonyms)[targets],
            "per_month": monthly[targets],
            "bins": knowledge.sizes,
            "points": np.where(points > 0, points, np.nan),
            "anonymity_set": sizes,
        }
    )
    table.attrs = {
        "never": int((points == 0).sum()),
        "heavy": len(heavy),
        "config": {
            "strategy": strategy,
            "users": config.users,
            "seed": config.seed,
            "out_of": int(out_of),
            "min_per_month": float(min_per_month),
        },
        "digest": keyed(fs.digest),
    }
    return table


def interactions_per_month(fs: FingerprintSet) -> FloatArray:
    """Events of each subscriber in 30 days, shape (n_users,); see :func:`points_needed`."""
    days = np.floor(fs.wall_minutes(np.array([fs.t_min.min(), fs.t_min.max()])) / _DAY_MIN)
    events = np.add.reduceat(fs.count, fs.offsets[:-1]) / fs.weight
    monthly: FloatArray = events * MONTH_DAYS / (days[1] - days[0] + 1)
    return monthly

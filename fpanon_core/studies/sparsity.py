"""Sparsity model: the unicity that chance alone produces for a number of users and bins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Unpack

import numpy as np
import pandas as pd

from ..measures.unicity import sparsity_model
from ..model import limits
from ..model.arrays import FloatArray, IntArray
from ..model.checks import Checked
from .tabled import Tabled, Work

_POINTS = 300  # of the curve
_LEAST_BINS = 1_000  # that the curve reaches


@dataclass(frozen=True)
class Config(Checked):
    """A random matrix of users and bins; see :func:`fpanon_core.sparsity_model`.

    Attributes
    ----------
    users : int
    bins : int
    density : float
        Probability that a user is in a bin.
    """

    users: Annotated[int, limits.MODEL_USERS.check]
    bins: Annotated[int, limits.MODEL_BINS.check] = 30
    density: Annotated[float, limits.MODEL_DENSITY.check] = 0.5


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """Probability that a given user is unique, and probability that nobody is.

    Attributes
    ----------
    config : Config
    digest : str
        Empty, as the model uses no data.
    unique, anonymous : float
        Probability that a given user is unique; probability that everyone is 2-anonymous.
    over_bins : int64 ndarray (n,)
        Numbers of bins, ascending, around the number asked for.
    over_unique : float64 ndarray (n,)
        Probability that a given user is unique, for each number of bins.
    """

    config: Config
    digest: str
    unique: float
    anonymous: float
    over_bins: IntArray
    over_unique: FloatArray

    MAY_LEAVE = frozenset({"sparsity"})

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the table ``sparsity``: the curve, as ``bins`` and ``p_unique``."""
        return {"sparsity": pd.DataFrame({"bins": self.over_bins, "p_unique": self.over_unique})}


def study(config: Config, **_: Unpack[Work]) -> Result:
    """Evaluate the model, a formula, at the number of bins asked for and at numbers around it."""
    over = np.unique(np.geomspace(1, max(_LEAST_BINS, 10 * config.bins), _POINTS).astype(int))
    curve = sparsity_model(config.users, over, config.density)
    here = sparsity_model(config.users, config.bins, config.density)
    return Result(
        config, "", float(here.p_unique), float(here.p_anonymous), over, np.asarray(curve.p_unique)
    )

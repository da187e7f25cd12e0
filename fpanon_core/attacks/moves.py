"""Is the first cell of a period where somebody may have gone from the last cell of another?

The attacker has the release only. How far people go in which time is learnt from the moves within
its records; a pair of records gains as far as the move between them is likelier than from the last
cell of anybody of that period.

Source: docs/science.md, “Whose records belong together”.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..engines.local import Engine
from ..kernels.relink_moves import add_moves, count_moves
from ..model.arrays import FloatArray, IntArray
from ..model.closed import Closed
from ..model.fingerprints import FingerprintSet
from ..model.mechanism import Spread
from .assignment import Pairs

# Edges of the classes: 100 m, doubled up to 204.8 km; 15 min to a week. Squares are compared.
_WAYS_M2: FloatArray = np.array([(100.0 * 2**i) ** 2 for i in range(12)])
_GAPS_MIN2: FloatArray = np.array(
    [m**2 for m in (15.0, 30, 60, 120, 240, 480, 720, 1_440, 2_880, 10_080)]
)
_LAGS = (1, 2, 4, 8, 16, 32)
_PRIOR = 10.0  # moves of any time, that stand beside those of a class of time
_NONE = Spread()
_RECORDS_A_BLOCK = 64


@dataclass(frozen=True, eq=False)
class Moves(Closed):
    """How far people go in which time, by the moves within the records of a release.

    Attributes
    ----------
    chance : float64 ndarray (n_gaps + 1, n_ways + 1)
        Of each class of distance, by the class of the time between; rows sum to 1.
    errors : float64 ndarray (2,)
        Variance that noise adds to a distance (m²), and to a time between (min²).
    """

    chance: FloatArray
    errors: FloatArray

    def __post_init__(self) -> None:
        self._close()

    def added(
        self, pairs: Pairs, last: FloatArray, weight: IntArray, first: FloatArray, engine: Engine
    ) -> Pairs:
        """Pairs with the log-likelihood of the move between them added.

        Parameters
        ----------
        pairs : Pairs
            A row for each later record, a column for each earlier one.
        last, first : float64 ndarray (n, 5)
            Last cells of the earlier records and first cells of the later ones, as :func:`ends`.
        weight : int64 ndarray (n_earlier,)
            People of each earlier record.
        """
        offsets, column, value = pairs
        n, out = len(offsets) - 1, value.copy()

        def block(begin: int) -> float:
            end = min(begin + _RECORDS_A_BLOCK, n)
            add_moves(begin, end, offsets, column, last, weight, first, self.errors,
                      _WAYS_M2, _GAPS_MIN2, self.chance, out)  # fmt: skip
            return float(end - begin)

        engine.run(block, range(0, n, _RECORDS_A_BLOCK), n, None)
        return offsets, column, out


def moves_of(
    fs: FingerprintSet, space: Spread = _NONE, time: Spread = _NONE
) -> tuple[Moves, FloatArray]:
    """What a release shows of moves, and the ends of its records.

    Returns
    -------
    moves : Moves
    ends : float64 ndarray (n_records, 10)
        The first cell of each record, then the last: x, y of its middle, variance of a place in it,
        time of its middle, variance of a time in it (metres, minutes).
    """
    # Both ends of a move are moved by noise, along x and along y.
    errors = np.array([4 * space.variance, 2 * time.variance])
    cells = np.column_stack(
        [
            fs.x_m + fs.dx_m / 2, fs.y_m + fs.dy_m / 2, (fs.dx_m**2 + fs.dy_m**2) / 12,
            fs.t_min + fs.dt_min / 2, fs.dt_min**2 / 12,
        ]
    )  # fmt: skip
    record = fs.sample_user
    cells = cells[np.lexsort((*cells.T[[4, 2, 1, 0, 3]], record))]
    counts = np.zeros((len(_GAPS_MIN2) + 1, len(_WAYS_M2) + 1), np.int64)
    for lag in _LAGS:
        one = np.flatnonzero(record[:-lag] == record[lag:])
        count_moves(cells[one], cells[one + lag], errors, _WAYS_M2, _GAPS_MIN2, counts)
    pooled = (counts.sum(axis=0) + 1) / (counts.sum() + counts.shape[1])
    chance = (counts + _PRIOR * pooled) / (counts.sum(axis=1, keepdims=True) + _PRIOR)
    ends = np.hstack([cells[fs.offsets[:-1]], cells[fs.offsets[1:] - 1]])
    return Moves(chance, errors), ends

"""Which options are worth looking at? The Pareto front.

An option is dominated when another is at least as good on both and better on one. Dominated options
imply no trade-off: whoever takes one gives something away for nothing. The front depends on the
order of the risks only, so that measures of risk that rank alike give one front (lemma 4.1).

Source: Noriega Campero 2015, §5.2; docs/science.md, “Techniques, utility and the front of release
options”.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..model.arrays import FloatArray, IntArray
from ..model.errors import ConfigError


def pareto_front(risk: npt.ArrayLike, utility: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Whether each option is on the front: risk as small, utility as large as can be.

    Options alike in both are on the front together or not at all. An option whose risk or utility
    is not known (NaN) is never on it, and dominates none.

    Parameters
    ----------
    risk, utility : array_like (n,)

    Returns
    -------
    bool ndarray (n,)

    Raises
    ------
    ConfigError
        They are not two equally long lists of numbers.

    Notes
    -----
    By one sort: in order of risk, an option is on the front when none of its risk has more utility
    and none of smaller risk has as much.

    Examples
    --------
    >>> pareto_front([0.9, 0.4, 0.5, 0.1], [1.0, 0.8, 0.7, 0.2]).tolist()
    [True, True, False, True]
    """
    risks, utilities = _both(risk, utility)
    front = np.zeros(len(risks), bool)
    known = np.flatnonzero(~(np.isnan(risks) | np.isnan(utilities)))
    if len(known) == 0:
        return front
    order = known[np.lexsort((-utilities[known], risks[known]))]
    r, u = risks[order], utilities[order]
    starts = np.flatnonzero(np.append(True, r[1:] != r[:-1]))
    group = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(r))))
    most = u[starts]  # of each risk: the first, as utilities fall
    safer = np.append(-np.inf, np.maximum.accumulate(most)[:-1])
    first = np.append(True, np.zeros(len(starts) - 1, bool))
    front[order] = (u == most[group]) & ((u > safer[group]) | first[group])
    return front


def dominating(risk: npt.ArrayLike, utility: npt.ArrayLike) -> list[IntArray]:
    """Of each option the row numbers of those that dominate it, ascending; empty on the front.

    Empty, too, where risk or utility is not known (NaN).

    Examples
    --------
    >>> [rows.tolist() for rows in dominating([0.9, 0.4, 0.5], [1.0, 0.8, 0.7])]
    [[], [], [1]]
    """
    risks, utilities = _both(risk, utility)
    found = []
    for r, u in zip(risks, utilities, strict=True):
        as_good = (risks <= r) & (utilities >= u)
        found.append(np.flatnonzero(as_good & ((risks < r) | (utilities > u))))
    return found


def _both(risk: npt.ArrayLike, utility: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    try:
        risks, utilities = np.asarray(risk, np.float64), np.asarray(utility, np.float64)
    except (TypeError, ValueError):
        raise ConfigError("Risk and utility are lists of numbers.") from None
    if risks.ndim != 1 or risks.shape != utilities.shape:
        raise ConfigError(
            f"risk has the shape {risks.shape} and utility {utilities.shape}; give one of each for "
            "every option."
        )
    return risks, utilities

"""Which options are worth looking at? The Pareto front.

An option is dominated when another is at least as good on both and better on one. Dominated options
imply no trade-off: whoever takes one gives something away for nothing. The front depends on the
order of the risks only, so that measures of risk that rank alike give one front (lemma 4.1).

Risks are estimates. Where their intervals are given, an option dominates another only if the risk
is no more wherever the two truly lie within theirs; of two of which the estimates alone would have
one dominate the other, it is said that they are level.

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


def dominating(
    risk: npt.ArrayLike,
    utility: npt.ArrayLike,
    *,
    low: npt.ArrayLike | None = None,
    high: npt.ArrayLike | None = None,
) -> list[IntArray]:
    """Of each option the row numbers of those that dominate it, ascending; empty on the front.

    Empty, too, where risk or utility is not known (NaN).

    Parameters
    ----------
    risk, utility : array_like (n,)
    low, high : array_like (n,), optional
        Ends of each risk's interval: an option dominates another only where its ``high`` is not
        above the other's ``low`` (and it is better in one). Unknown ends (NaN) are the risk.

    Raises
    ------
    ConfigError
        They are not equally long lists of numbers, or an interval does not hold its risk.

    Notes
    -----
    With intervals, too, it is a strict partial order: who is dominated is so by one that is not,
    and some option is not, if any is known.

    Examples
    --------
    >>> [rows.tolist() for rows in dominating([0.9, 0.4, 0.5], [1.0, 0.8, 0.7])]
    [[], [], [1]]
    >>> ends = {"low": [0.8, 0.3, 0.4], "high": [1.0, 0.5, 0.6]}
    >>> [rows.tolist() for rows in dominating([0.9, 0.4, 0.5], [1.0, 0.8, 0.7], **ends)]
    [[], [], []]
    """
    risks, utilities = _both(risk, utility)
    lows, highs = _ends(risks, low, high)
    found = []
    for least, u in zip(lows, utilities, strict=True):
        as_good = (highs <= least) & (utilities >= u)
        found.append(np.flatnonzero(as_good & ((highs < least) | (utilities > u))))
    return found


def level(
    risk: npt.ArrayLike, utility: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike
) -> list[IntArray]:
    """Of each option the row numbers of those that it is level with, ascending.

    By the estimates one of the two dominates the other; the intervals leave it open.

    Examples
    --------
    >>> ends = [0.8, 0.3, 0.4], [1.0, 0.5, 0.6]
    >>> [rows.tolist() for rows in level([0.9, 0.4, 0.5], [1.0, 0.8, 0.7], *ends)]
    [[], [2], [1]]
    """
    surely = dominating(risk, utility, low=low, high=high)
    n = len(surely)
    found = np.zeros((n, n), bool)
    for i, rows in enumerate(dominating(risk, utility)):
        found[i, rows] = True
        found[i, surely[i]] = False
    return [np.flatnonzero(row) for row in found | found.T]


def _ends(
    risks: FloatArray, low: npt.ArrayLike | None, high: npt.ArrayLike | None
) -> tuple[FloatArray, FloatArray]:
    """Ends of the intervals, the risk itself where there is none."""
    lows = risks if low is None else _both(risks, low)[1]
    highs = risks if high is None else _both(risks, high)[1]
    lows, highs = (np.where(np.isnan(e) | np.isnan(risks), risks, e) for e in (lows, highs))
    if ((lows > risks) | (highs < risks)).any():
        raise ConfigError("An interval does not hold its risk; low ≤ risk ≤ high.")
    return lows, highs


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

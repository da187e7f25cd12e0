"""How useful do experts find a release? Asked utility.

Source: Noriega Campero 2015, §5.1.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy import stats  # type: ignore[import-untyped,unused-ignore]

from ..model.errors import ConfigError
from ..model.options import name_key

MAX_SCORE = 10.0


def asked_utility(frame: pd.DataFrame, domain: str) -> pd.DataFrame:
    """Mean score of each option among the experts of one domain, scaled to [0, 1].

    Parameters
    ----------
    frame : DataFrame
        As :func:`fpanon_core.read_questionnaire` gives it.
    domain : str

    Returns
    -------
    DataFrame
        One row per option, in order of first appearance and so spelt: ``option``, ``mean``
        (score/10), ``experts`` (how many scored it), ``low``, ``high`` (95 % interval by Student's
        t, cut to [0, 1]; NaN with one expert).

    Raises
    ------
    ConfigError
        Nobody answered for that domain.

    Examples
    --------
    >>> rows = [("A", "transport", "1 km", 8), ("B", "transport", "1 km", 6)]
    >>> frame = pd.DataFrame(rows, columns=["expert", "domain", "option", "score"])
    >>> asked_utility(frame, "transport")[["option", "mean", "experts"]].values.tolist()
    [['1 km', 0.7, 2]]
    """
    mine = frame[frame["domain"].map(name_key) == name_key(domain)]
    if len(mine) == 0:
        known = ", ".join(repr(name) for name in frame["domain"].unique())
        raise ConfigError(f"The questionnaire has no domain {domain!r}; it has {known or 'none'}.")
    rows = []
    for _, group in mine.groupby(mine["option"].map(name_key), sort=False):
        scores = group["score"].to_numpy(np.float64) / MAX_SCORE
        mean, experts = float(scores.mean()), len(scores)
        half = math.nan
        if experts > 1:
            spread = float(scores.std(ddof=1)) / math.sqrt(experts)
            half = float(stats.t.ppf(0.975, experts - 1)) * spread
        # max and min would swallow NaN; numpy's do not.
        rows.append(
            {
                "option": group["option"].iloc[0],
                "mean": mean,
                "experts": experts,
                "low": float(np.maximum(0.0, mean - half)),
                "high": float(np.minimum(1.0, mean + half)),
            }
        )
    return pd.DataFrame(rows)

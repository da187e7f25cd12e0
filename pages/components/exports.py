"""Results as tables, for the screen and for download; users by pseudonym only."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from .dataset import Dataset
from .tasks import Measured

COLUMNS = {
    "Already anonymous (%)": st.column_config.ProgressColumn(
        format="%.1f %%",
        min_value=0,
        max_value=100,
        help="Share of the users whose fingerprint at least k − 1 others have, too.",
    ),
    "Median gap (0–1)": st.column_config.NumberColumn(format="%.3f"),
    "90 % of users within": st.column_config.NumberColumn(format="%.3f"),
    "Typical distance (km)": st.column_config.NumberColumn(format="%.1f"),
    "Typical time (min)": st.column_config.NumberColumn(format="%.0f"),
}


def gap_title(k: str) -> str:
    """The title of an axis of k-gaps."""
    return f"{k}-gap: mean stretch effort to the nearest others (0 = already {k}-anonymous)"


def reach(measured: list[Measured], ks: tuple[int, ...], whole: bool) -> tuple[float, float]:
    """The range of a common axis of k-gaps: all of it, or as far as 99 % of every curve goes."""
    ends = [
        float(np.quantile(m.result.at(k).values, 0.99))
        for m in measured
        if (k := max((k for k in ks if k in m.parts), default=0))
    ]
    return 0.0, 1.0 if whole or not ends else min(1.0, max(0.05, 1.2 * max(ends)))


def by_profile(measured: list[Measured], k: int) -> pd.DataFrame:
    """One row per profile, for one k."""
    rows = []
    for m in measured:
        values, parts = m.result.at(k).values, m.parts[k]
        rows.append(
            (
                str(m.profile),
                100 * float((values == 0).mean()),
                float(np.median(values)),
                float(np.quantile(values, 0.9)),
                float(np.median(parts.space_m)) / 1000,
                float(np.median(parts.time_min)),
            )
        )
    return pd.DataFrame(rows, columns=["Profile", *COLUMNS])


def gaps_csv(dataset: Dataset, measured: list[Measured], ks: tuple[int, ...]) -> bytes:
    """One row per user, profile and k, with the data's digest and the configuration."""
    names = np.array(dataset.fs.pseudonyms)
    frames = []
    for m in measured:
        for k in (k for k in ks if k in m.parts):
            result, parts = m.result.at(k), m.parts[k]
            frames.append(
                pd.DataFrame(
                    {
                        "user": names[result.users],
                        "profile_m": m.profile.grid_m,
                        "profile_min": m.profile.minutes,
                        "k": k,
                        "k_gap": result.values,
                        "mean_distance_m": parts.space_m.round(1),
                        "mean_time_min": parts.time_min.round(2),
                        "temporal_share": parts.temporal_share.round(4),
                        "gini_space": parts.gini_space.round(4),
                        "gini_time": parts.gini_time.round(4),
                        "gini_total": parts.gini_total.round(4),
                        "tail_space": parts.tail_space.round(3),
                        "tail_time": parts.tail_time.round(3),
                        "tail_total": parts.tail_total.round(3),
                        "w_space": result.config.w_space,
                        "max_space_m": result.config.max_space_m,
                        "max_time_min": result.config.max_time_min,
                        "data_digest": dataset.digest,
                        "synthetic": dataset.source.synthetic,
                    }
                )
            )
    return pd.concat(frames).to_csv(index=False).encode()

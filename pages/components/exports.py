"""Results as tables, for the screen and for download; users by pseudonym only."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from .dataset import Dataset
from .tasks import Measured

COLUMNS = {
    "Already anonymous": st.column_config.NumberColumn(format="%.1f %%"),
    "Median gap": st.column_config.NumberColumn(format="%.3f"),
    "90 % of users within": st.column_config.NumberColumn(format="%.3f"),
    "Typical distance (km)": st.column_config.NumberColumn(format="%.2f"),
    "Typical time (min)": st.column_config.NumberColumn(format="%.0f"),
    "Computed in (s)": st.column_config.NumberColumn(format="%.1f"),
}


def gap_title(k: str) -> str:
    """The title of an axis of k-gaps."""
    return f"{k}-gap: mean stretch effort to the nearest others (0 = already {k}-anonymous)"


def reach(measured: list[Measured], whole: bool) -> tuple[float, float]:
    """The range of a common axis of k-gaps: all of it, or as far as 99 % of every curve goes."""
    ends = [float(np.quantile(m.result.values, 0.99)) for m in measured]
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
                m.seconds,
            )
        )
    return pd.DataFrame(rows, columns=["Profile", *COLUMNS])


def gaps_csv(dataset: Dataset, measured: list[Measured], ks: tuple[int, ...]) -> bytes:
    """One row per user, profile and k, with the data's digest and the configuration."""
    names = np.array(dataset.fs.pseudonyms)
    frames = []
    for m in measured:
        for k in ks:
            result, parts = m.result.at(k), m.parts[k]
            frames.append(
                pd.DataFrame(
                    {
                        "user": names[result.users],
                        "profile_m": m.profile.space.metres,
                        "profile_min": m.profile.minutes,
                        "k": k,
                        "k_gap": result.values,
                        "mean_distance_m": parts.space_m.round(1),
                        "mean_time_min": parts.time_min.round(2),
                        "temporal_share": parts.temporal_share.round(4),
                        "w_space": result.config.w_space,
                        "max_space_m": result.config.max_space_m,
                        "max_time_min": result.config.max_time_min,
                        "data_digest": dataset.digest,
                        "synthetic": dataset.source.synthetic,
                    }
                )
            )
    return pd.concat(frames).to_csv(index=False).encode()

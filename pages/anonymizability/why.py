"""Why are people hard to hide? The place or the time; a few hard samples or all.

After Gramaglia & Fiore 2015, section 4.3.
"""

from __future__ import annotations

import numpy as np
import streamlit as st

from fpanon_core.studies.anonymizability import Measured
from pages.anonymizability import why_story
from pages.anonymizability.why_story import DIMENSIONS, REFERENCES
from pages.charts import style, words
from pages.charts.cdf import Curve, beyond, cdf
from pages.shell import definitions
from pages.shell.figure import plot
from pages.shell.meaning import what_this_means
from pages.shell.pair import side_by_side

_LOWEST_TAIL = 0.25  # the index cannot be less than 0.29, the third quartile as far as the end


def show(measured: Measured, k: int, of: style.Theme) -> None:
    """Temporal share, Gini coefficient and tail weight of everyone, under one profile at one k."""
    with st.expander(
        "Why: the place or the time, a few hard samples or all alike?", key="anon_why"
    ):
        st.markdown("**The place, or the time?**", help=definitions.TEMPORAL_SHARE)
        _temporal_share(measured, k, of)
        left, right = side_by_side("why")
        with left:
            st.markdown(
                "**How unequal are the efforts?** – Gini coefficient", help=definitions.GINI
            )
            _gini(measured, k, of)
        with right:
            st.markdown(
                "**How heavy is the tail?** – tail weight index", help=definitions.TAIL_WEIGHT
            )
            _tail(measured, k, of)


def _temporal_share(measured: Measured, k: int, of: style.Theme) -> None:
    share = measured.parts[k].temporal_share
    plot(
        cdf(
            [Curve(f"{measured.profile}, k = {k}", share, of.categories[1], 1)],
            of,
            x_title="Share of the stretch effort that is time (0 = all place, 1 = all time)",
            references=why_story.usual_shares(k, measured.gaps.config),
            height=style.OTHER_PX,
        ),
        key="anon_share",
        theme=None,
        config=style.CONFIG,
        alt=f"Share of users by the share of time in their effort, at {measured.profile}, k = {k}.",
    )
    what_this_means(
        *why_story.temporal_share(share, k, measured.gaps.config),
        key="share",
        published=why_story.published_temporal_share(k, measured.gaps.config),
    )


def _gini(measured: Measured, k: int, of: style.Theme) -> None:
    parts = measured.parts[k]
    values = {name: getattr(parts, f"gini_{name}") for name in DIMENSIONS}
    plot(
        cdf(
            _curves(values, of),
            of,
            x_title="Gini coefficient of a user's efforts",
            height=style.OTHER_PX,
        ),
        key="anon_gini",
        theme=None,
        config=style.CONFIG,
        alt=f"Share of users by the Gini coefficient of their efforts in space, in time and in "
        f"both, at {measured.profile}, k = {k}.",
    )
    what_this_means(
        *why_story.gini(parts),
        key="gini",
    )


def _tail(measured: Measured, k: int, of: style.Theme) -> None:
    parts = measured.parts[k]
    values = {name: getattr(parts, f"tail_{name}") for name in DIMENSIONS}
    curves = _curves(values, of)
    edge = _reach(values)
    plot(
        cdf(
            curves,
            of,
            x_title="Tail weight index of a user's efforts (logarithmic)",
            x_range=(_LOWEST_TAIL, edge),
            references=REFERENCES,
            log_x=True,
            height=style.OTHER_PX,
        ),
        key="anon_tail",
        theme=None,
        config=style.CONFIG,
        alt=f"Share of users by the tail weight index of their efforts in space, in time and in "
        f"both, at {measured.profile}, k = {k}; reference lines at "
        + ", ".join(label for _, label in REFERENCES)
        + ".",
    )
    what_this_means(
        *why_story.tail(parts),
        words.beyond(beyond(curves, edge)),
        key="tail",
    )


def _curves(values: dict[str, np.ndarray], of: style.Theme) -> list[Curve]:
    """One curve for each part of the effort, looking the same in every figure."""
    return [
        Curve(label, values[name], of.categories[i], i)
        for i, (name, label) in enumerate(DIMENSIONS.items())
    ]


def _reach(values: dict[str, np.ndarray]) -> float:
    """Right edge of the axis of tail weights: the references, and 99 % of every curve."""
    ends = [np.quantile(v[np.isfinite(v)], 0.99) for v in values.values() if np.isfinite(v).any()]
    return max(20.0, 1.2 * float(max(ends, default=0.0)))

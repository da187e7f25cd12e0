"""What a figure means, in a sentence or two with this data's numbers, in one place under it."""

from __future__ import annotations

import streamlit as st

CALL_RECORDS = "call records of Ivory Coast and Senegal (Gramaglia & Fiore 2015)"


def what_this_means(
    *sentences: str, key: str, published: str = "", source: str = CALL_RECORDS
) -> None:
    """The paragraph under a figure; ``published`` is what a paper found on its own data.

    ``source`` names those data and, in brackets, authors and year.
    """
    with st.container(key=f"meaning_{key}"):
        st.markdown("**What this means.** " + " ".join(s for s in sentences if s))
        if published:
            data, _, paper = source.partition(" (")
            with st.popover("Published for comparison", type="tertiary", key=f"published_{key}"):
                st.caption(
                    f"Published for {data} ({paper.removesuffix(')')}; other data, so compare the "
                    f"shape only): {published}"
                )

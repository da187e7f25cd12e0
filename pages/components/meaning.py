"""What a figure means, in a sentence or two with this data's numbers, in one place under it."""

from __future__ import annotations

import streamlit as st


def what_this_means(
    *sentences: str, key: str, published: str = "", source: str = "D4D (ANON"
) -> None:
    """The paragraph under a figure; ``published`` is what a paper found on its own data.

    ``source`` names those data and, after a bracket, the paper.
    """
    with st.container(key=f"meaning_{key}"):
        st.markdown("**What this means.** " + " ".join(s for s in sentences if s))
        if published:
            st.caption(
                f"Published for {source}, on other data: compare the shape only): {published}"
            )

"""What a figure means, in a sentence or two with this data's numbers, in one place under it."""

from __future__ import annotations

import streamlit as st


def what_this_means(*sentences: str, key: str, published: str = "") -> None:
    """The paragraph under a figure; ``published`` is what the paper found on its own data."""
    with st.container(key=f"meaning_{key}"):
        st.markdown("**What this means.** " + " ".join(s for s in sentences if s))
        if published:
            st.caption(
                f"Published for D4D (ANON, on other data: compare the shape only): {published}"
            )

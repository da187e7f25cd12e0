"""Two things side by side where there is room, one below the other where there is not."""

from __future__ import annotations

import streamlit as st

from pages.charts import style

_LEAST_WIDTH = "25rem"  # below that a figure's titles and ticks no longer fit


def side_by_side(key: str) -> list[st.delta_generator.DeltaGenerator]:
    """Two equal columns that wrap on a narrow screen, such as a projector's."""
    with st.container(key=f"pair_{key}"):
        return list(st.columns(2, gap="large"))


def dress() -> None:
    """The few rules of style that Streamlit's theme has no setting for; call once a run."""
    theme = style.theme(st.context.theme.type)
    ink, faint = theme.css("ink"), theme.css("faint")
    st.html(
        "<style>"
        '[class*="st-key-pair_"] [data-testid="stColumn"] '
        f"{{min-width: min({_LEAST_WIDTH}, 100%);}}"
        # The accent is dark enough for white text on it, and so too dark for text of its own.
        '[data-testid="stButtonGroup"] button[data-selected="true"] * '
        f"{{color: {ink}; font-weight: 600;}}"
        '[data-testid="stSlider"] [data-testid="stMarkdownContainer"] p '
        f"{{color: {ink};}}"
        # The frame takes as little of the first screen as it can.
        '[data-testid="stMainBlockContainer"] {padding: 2.2rem 2.5rem 2rem;}'
        '[data-testid="stSidebarHeader"] {height: 2.2rem; margin-bottom: 0;}'
        '[data-testid="stSidebarUserContent"] {padding: 0 0.3rem 1rem;}'
        '.st-key-overview_four [data-testid="stPageLink-NavLink"] {padding-left: 0;}'
        ".st-key-navigation em {font-size: 0.8em; font-style: normal; margin-left: 0.2em;}"
        '.st-key-navigation [data-testid="stCaptionContainer"] {margin-top: 0.9rem;}'
        '.st-key-navigation [data-testid="stCaptionContainer"] p '
        "{font-weight: 600; letter-spacing: 0.02em;}"
        ".st-key-bar p {font-size: 0.82rem;}"
        ".st-key-bar button {padding: 0 0.2rem; min-height: 1.9rem;}"
        f".st-key-bar {{border-bottom: 1px solid {faint}; padding-bottom: 0.2rem;}}"
        # On a projector's narrow screen the list of pages leaves more room to the page.
        "@media (max-width: 1100px) {"
        '[data-testid="stMainBlockContainer"] {padding: 2rem 1rem 1.5rem;}'
        "html {font-size: 14px !important;}"
        '[data-testid="stSidebar"] {width: 15.5rem !important; min-width: 15.5rem !important;}'
        ".st-key-navigation em {display: none;}"
        "}"
        "</style>"
    )

"""Messages on what is kept of a session without its browser, and on what was ended."""

from __future__ import annotations

import streamlit as st

from pages.charts import words
from pages.server.environment import IN_FORCE
from pages.server.lives import Ended

from . import session
from .guard import act

_TOLD = "fp_ended"


def tell() -> None:
    """Draw a message on what was ended while the browser was away, until it is confirmed."""
    if (ended := session.ended()) is not None:
        st.session_state[_TOLD] = ended
    told: Ended | None = st.session_state.get(_TOLD)
    if told is not None:
        st.warning(sentence(told))
        st.button("Understood", key="frame_away_read", on_click=act(_read))


def kept() -> str:
    """Say what is kept of a session without its browser, and what is not."""
    return (
        "What you open stays in this computer's memory while this browser shows a page of the "
        f"dashboard, and for {_minutes(IN_FORCE.grace_min)} after. If you reload a page, it "
        "finds your data, results and running work; no other browser does. After that time, or "
        "when the dashboard stops, everything is gone except what you saved."
    )


def lost() -> str:
    """Say what closing the page loses, and when."""
    return (
        "Once the page is closed, data, results, settings and choice are kept for "
        f"{_minutes(IN_FORCE.grace_min)}, for this browser alone. After that all of it is gone; if "
        "you stop the dashboard, it is gone at once. Only what you saved remains."
    )


def sentence(ended: Ended) -> str:
    """Say in plain words what was ended, without any content of the data."""
    if not ended.minutes:
        return (
            "The session that this page belonged to has ended, or the dashboard was started anew. "
            "What was open is no longer in this computer's memory; open the data again."
        )
    lost = ["the data and results are gone from this computer's memory"] if ended.data else []
    if ended.stopped:
        stopped = words.count(ended.stopped, "unfinished computation")
        lost.append(f"{stopped} {words.were(ended.stopped)} stopped")
    return (
        f"Your session ended after {_minutes(ended.minutes)} without a connection: "
        f"{', and '.join(lost)}."
    )


def _minutes(minutes: float) -> str:
    if minutes < 1:
        return words.count(round(minutes * 60), "second")
    return words.count(round(minutes), "minute")


def _read() -> None:
    st.session_state.pop(_TOLD, None)

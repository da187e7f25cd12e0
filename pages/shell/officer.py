"""Who works in this session, and what the audit log hears: what is opened, what is downloaded.

The server's own guard (:mod:`pages.server.entrance`) has asked already who is let in; were it
passed by, no page is drawn here all the same.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from fpanon_core.io import audit
from fpanon_core.io.audit import Setting
from fpanon_core.model.errors import FpanonError
from pages.charts.plain import MESSAGE_LENGTH, plain
from pages.server import entrance

_SIGNER, _UNTIL = "report_signer", "report_until"


def passed() -> bool:
    """Whether pages may be run; says why, where they may not."""
    why = entrance.current().refusal(st.user.to_dict())
    if why:
        st.title("fpanon", anchor=False)
        st.text(why)
        st.link_button("Log in", entrance.LOG_IN)
    return not why


def officer() -> str:
    """Who works in this session: as the provider has it, or ``local``."""
    return entrance.name(st.user.to_dict()) if entrance.current().required else entrance.LOCAL


def named() -> str:
    """Who has logged in; empty where nobody logs in."""
    return officer() if entrance.current().required else ""


def way_out() -> None:
    """Who is logged in, and the button that ends it; nothing where nobody logs in."""
    if entrance.current().required:
        st.text(f"Logged in as {officer()}")
        if st.button("Log out", key="log_out", icon=":material/logout:"):
            st.logout()


def standing() -> str:
    """Why nothing may be opened or downloaded just now; "" when it may."""
    log = audit.asked_for()
    try:
        if log is not None:
            log.check()
    except FpanonError as fault:
        return str(fault)
    return ""


def tell() -> None:
    """Say so, above every page, as long as it is so."""
    if why := standing():
        st.error(plain(why, MESSAGE_LENGTH))


def opened(what: str, data: str, users: int) -> None:
    """Note that a data set is opened; FpanonError if that cannot be: it is not to be opened."""
    if (log := audit.asked_for()) is not None:
        log.note("opened", who=officer(), what=what, data=data, settings={"users": users})


def overridden(option: str, data: str, by: str) -> None:
    """Note that somebody chooses an option above a threshold; FpanonError if that cannot be."""
    if (log := audit.asked_for()) is not None:
        log.note("overridden", who=officer(), what=option, data=data, settings={"by": by})


def signer(label: str) -> str:
    """Who signs the report, and answers for what is above a threshold: one name on all pages."""
    name: str = st.text_input(
        label,
        named(),
        key=_SIGNER,
        max_chars=120,
        persist_state="session",
        help="Stands in the report, not in its recipe.",
    )
    return name


def ending() -> str:
    """Until when the decision holds, in the officer's words; a control."""
    until: str = st.text_input(
        "Valid until (optional)",
        key=_UNTIL,
        max_chars=60,
        persist_state="session",
        placeholder="31 December 2027",
        help="Stands in the report, not in its recipe.",
    )
    return until


def signed() -> tuple[str, str]:
    """Who signs, and until when it holds, as they were given; empty where they were not."""
    return st.session_state.get(_SIGNER) or named(), st.session_state.get(_UNTIL) or ""


def exporting(
    content: Callable[[], bytes], what: str, data: str, **settings: Setting
) -> Callable[[], bytes]:
    """What makes the bytes of a download, and notes that before it hands them out.

    Streamlit calls it when somebody clicks, outside any session: who that is is taken down here.
    """
    log, who = audit.asked_for(), officer()
    if log is None:
        return content

    def noted() -> bytes:
        made = content()
        log.note("exported", who=who, what=what, data=data, content=made, settings=settings)
        return made

    return noted

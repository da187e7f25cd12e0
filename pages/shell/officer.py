"""The officer who works in this session, and the audit log's notes of opened and downloaded data.

The server's own guard (:mod:`pages.server.entrance`) has already checked who is let in. Even if it
were bypassed, no page would be drawn here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from fpanon_core.io import audit
from fpanon_core.model.errors import FpanonError
from pages.charts.plain import MESSAGE_LENGTH, plain
from pages.server import entrance, environment

_SIGNER = "report_signer"


def passed() -> bool:
    """Return whether pages may be run; if they may not, say why on the screen."""
    why = entrance.current().refusal(st.user.to_dict())
    if why:
        st.title("fpanon", anchor=False)
        st.text(why)
        st.link_button("Log in", entrance.LOG_IN)
    return not why


def officer() -> str:
    """Return the name of this session's officer: given by the login provider, or ``local``."""
    return entrance.name(st.user.to_dict()) if entrance.current().required else entrance.LOCAL


def several() -> bool:
    """Return whether several officers may share a dashboard: it has a login or a public address."""
    return entrance.current().required or environment.public() is not None


def named() -> str:
    """Return the name of the person who has logged in; "" if the server needs no login."""
    return officer() if entrance.current().required else ""


def way_out() -> None:
    """Draw who is logged in, and the button to log out; nothing if the server needs no login."""
    if entrance.current().required:
        st.text(f"Logged in as {officer()}")
        if st.button("Log out", key="log_out", icon=":material/logout:"):
            st.logout()


def standing() -> str:
    """Say why nothing may be opened or downloaded just now; return "" if both are allowed."""
    log = audit.asked_for()
    try:
        if log is not None:
            log.check()
    except FpanonError as fault:
        return str(fault)
    return ""


def tell() -> None:
    """Show above every page why nothing may be opened or downloaded, as long as that holds."""
    if why := standing():
        st.error(plain(why, MESSAGE_LENGTH))


def opened(what: str, data: str, users: int) -> None:
    """Record in the audit log that a data set is opened; if this fails, raise FpanonError.

    The data set must then not be opened.
    """
    if (log := audit.asked_for()) is not None:
        log.note("opened", who=officer(), what=what, data=data, settings={"users": users})


def overridden(option: str, data: str, by: str) -> None:
    """Record in the audit log that an option above a threshold is chosen.

    Raise FpanonError if this fails.
    """
    if (log := audit.asked_for()) is not None:
        log.note("overridden", who=officer(), what=option, data=data, settings={"by": by})


def signer(label: str) -> str:
    """Draw the field for the person who signs the report; return the name, the same on all pages.

    The same person answers for a release above a threshold.
    """
    return _field(label, key=_SIGNER, value=named(), max_chars=120)


def _field(label: str, **how: Any) -> str:
    told = "This appears in the report, not in its recipe."
    found: str = st.text_input(label, persist_state="session", help=told, **how)
    return found


def _until(digest: str) -> str:
    return f"report_until_{digest[:12]}"


def ending(digest: str) -> str:
    """Draw the field for how long the decision on a data set is valid; return its text."""
    usual = "31 December 2027"
    return _field("Valid until", key=_until(digest), max_chars=60, placeholder=usual)


def signed(digest: str) -> tuple[str, str]:
    """Return the signer, by default the person logged in, and the end of validity; "" if unset."""
    until = st.session_state.get(_until(digest)) or ""
    return st.session_state.get(_SIGNER) or named(), until


def exporting(
    content: Callable[[], bytes],
    what: str,
    data: str,
    settings: Mapping[str, audit.Setting],
    left: Callable[[], None] | None,
) -> Callable[[], bytes]:
    """Return a callable that makes and logs a download, before its bytes are handed out.

    Streamlit calls it on a click, outside any session. So the officer is looked up here. Once the
    download is logged, ``left`` is called, if given.
    """
    log, who = audit.asked_for(), officer()

    def noted() -> bytes:
        made = content()
        if log is not None:
            log.note("exported", who=who, what=what, data=data, content=made, settings=settings)
        if left is not None:
            left()
        return made

    return noted

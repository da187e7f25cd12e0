"""The audit log as a session writes it: what is opened, what is downloaded, and by whom."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from fpanon_core.io import audit
from fpanon_core.io.audit import Setting
from fpanon_core.model.errors import FpanonError
from pages.charts.plain import MESSAGE_LENGTH, plain

from . import widgets


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
        log.note("opened", who=widgets.officer(), what=what, data=data, settings={"users": users})


def exporting(
    content: Callable[[], bytes], what: str, data: str, **settings: Setting
) -> Callable[[], bytes]:
    """What makes the bytes of a download, and notes that before it hands them out.

    Streamlit calls it when somebody clicks, outside any session: who that is is taken down here.
    """
    log, who = audit.asked_for(), widgets.officer()
    if log is None:
        return content

    def noted() -> bytes:
        made = content()
        log.note("exported", who=who, what=what, data=data, content=made, settings=settings)
        return made

    return noted

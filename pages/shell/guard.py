"""Faults told in plain words: the screen and the log get their kind and place, never their data."""

from __future__ import annotations

import contextlib
import logging
import os
import traceback
from collections.abc import Iterator
from typing import NoReturn

import streamlit as st

_log = logging.getLogger("fpanon")


class Ended(Exception):
    """A view has nothing more to show; see :func:`end_view`."""


def end_view() -> NoReturn:
    """Show nothing more, where ``st.stop`` would also stop what the frame has yet to do."""
    raise Ended


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Catch what the drawing of a view, or of a part of it, raises by mistake.

    A fault's message may quote the data; Streamlit would print it to the server's log.
    """
    try:
        yield
    except Ended:
        raise
    except Exception as fault:  # Streamlit's own control flow is no Exception.
        last = traceback.extract_tb(fault.__traceback__)[-1]
        place = f"{os.path.basename(last.filename)}:{last.lineno}"
        _log.error("%s at %s", type(fault).__name__, place)
        st.error(
            "A fault in the program kept this from being drawn in full "
            f"({type(fault).__name__} at {place}). Your data and results are still here; go to "
            "another view and back, and report this line if it comes again."
        )

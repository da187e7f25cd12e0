"""Report a fault in the program by its kind and place only, on the screen and in the log.

The message of a fault may quote the data. The dashboard's own guard catches the faults of views and
callbacks; this module catches all others. Nothing that this process logs carries a fault's message,
whichever code logs it.
"""

from __future__ import annotations

import logging
import os
import threading
import traceback
from typing import Any

import streamlit as st
from streamlit import config

log = logging.getLogger("fpanon")


def kind_and_place(fault: BaseException) -> str:
    """Return the part of a fault that may be shown, such as ``ValueError at view.py:31``."""
    frames = traceback.extract_tb(fault.__traceback__)
    place = f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else "start"
    return f"{type(fault).__name__} at {place}"


def sentence(fault: BaseException) -> str:
    """Return the sentences with which the screen reports a fault."""
    return (
        "A fault in the program stopped this step before it was complete "
        f"({kind_and_place(fault)}). Your data and results are still here; go to another page and "
        "back. If this message appears again, report it."
    )


def on_script_error(fault: Exception) -> bool:
    """Report a fault that nothing else caught; return True to keep Streamlit from reporting it."""
    st.error(sentence(fault))
    return True


def keep_out_of_logs() -> None:
    """Keep the messages of faults, and the values around them, out of all logs of this process."""
    make = logging.getLogRecordFactory()
    if not isinstance(make, _WithoutFaults):
        logging.setLogRecordFactory(_WithoutFaults(make))
    threading.excepthook = _tell_of_thread
    config.set_option("logger.enableRich", False)  # it would print them itself, outside every log


class _WithoutFaults:
    """Record factory that replaces faults in log records by their kind and place."""

    def __init__(self, make: Any) -> None:
        self._make = make

    def __call__(self, *arguments: Any, **named: Any) -> logging.LogRecord:
        record: logging.LogRecord = self._make(*arguments, **named)
        if isinstance(record.args, tuple):
            record.args = tuple(
                kind_and_place(value) if isinstance(value, BaseException) else value
                for value in record.args
            )
        fault = record.exc_info[1] if record.exc_info else None
        if fault is not None:
            record.msg = f"{record.getMessage()}: {kind_and_place(fault)}"
            record.args, record.exc_info, record.exc_text = (), None, None
        return record


def _tell_of_thread(told: threading.ExceptHookArgs) -> None:
    if told.exc_value is not None and not isinstance(told.exc_value, SystemExit):
        log.error("%s in a thread", kind_and_place(told.exc_value))

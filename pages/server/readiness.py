"""What keeps the server's one event loop free, however many officers work at once.

Every connection, download and page of all sessions goes through one thread, which also needs the
interpreter to itself for a moment at each step. Two things of Streamlit's held it up, measured with
twenty visitors: up to 45 s for one answer.

- After each run of a page Streamlit collects garbage, and looks at everything that lives: some
  250,000 objects are of modules, and never go. They are loaded before the first visit, and set
  apart from what is looked at.
- A session that comes back after a lost connection has its source files watched, even where the
  configuration says that none is: after its runs the paths of all modules are resolved, one by one.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from streamlit import config
from streamlit.runtime.app_session import AppSession

_VIEW = "view"  # a script, that draws when it is loaded

# How long a thread may keep the interpreter that others wait for, seconds; Python's own 5 ms, times
# twenty pages that are drawn, is what the event loop would wait at each of its steps.
_TURN_S = 0.0005

# Each thread would be given memory of its own to take from, and little of it comes back.
_M_ARENA_MAX, _ARENAS = -8, 2

_watch = AppSession.register_file_watchers


def keep() -> None:
    """Short turns, memory that comes back, and no files watched unless the configuration has it so.

    For this process.
    """
    sys.setswitchinterval(_TURN_S)
    with contextlib.suppress(AttributeError, OSError):  # glibc's
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _ARENAS)
    # Arrow's own keeps what it once had; this one the reaper can give back.
    pa.set_memory_pool(pa.system_memory_pool())
    # Streamlit has no setting that reaches a reconnection.
    AppSession.register_file_watchers = _watch_if_wanted  # type: ignore[method-assign, assignment]


def _watch_if_wanted(session: AppSession) -> None:
    if config.get_option("server.fileWatcherType") != "none":
        _watch(session)


def load() -> None:
    """Load what pages are made of, and set it apart from what is collected.

    To be called before there is a session: what lives then is never collected.
    """
    for name in modules():
        importlib.import_module(name)
    gc.collect()
    gc.freeze()


def modules() -> Iterator[str]:
    """The names of all modules of the dashboard but the views."""
    root = Path(__file__).parent.parent
    for path in sorted(root.rglob("*.py")):
        if path.stem != _VIEW:
            yield ".".join([root.name, *path.relative_to(root).with_suffix("").parts])

"""Middleware between the network and every page, in force from the first request on.

This module also holds the reaper, which ends the work of sessions without a browser and returns
the memory to the machine. It also sets up the whole process: no outside service is contacted, and
the one event loop is kept free.

Unless this module prevents it, Streamlit asks an outside service for this machine's public address,
and a socket for its address within the network. It prints both addresses and accepts them as
origins. Neither address is needed: the configuration alone says which names are accepted.

Every connection, download and page of all sessions goes through one thread, which also needs the
interpreter to itself for a moment at each step. Two features of Streamlit blocked this thread:
with twenty visitors, one answer took up to 45 s.

- After each run of a page, Streamlit collects garbage, and looks at all live objects. Some 250,000
  of them belong to modules and are never freed. They are loaded before the first visit, and
  excluded from collection.
- When a session comes back after a lost connection, Streamlit watches the program's source files,
  even if the configuration says that none is watched. After each run of that session, the paths
  of all modules are then resolved, one by one.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import gc
import importlib
import sys
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from starlette.formparsers import MultiPartParser
from starlette.middleware import Middleware
from streamlit import config, net_util, runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.pages_manager import PagesManager
from streamlit.starlette import App

from fpanon_core.engines.limits import give_back

from . import entrance, environment, faults, media, uploads
from .door import Door, Headers
from .lives import REGISTRY, Registry
from .owners import Crowd, Owners

_VIEW = "view"  # a script that draws when it is loaded

# Seconds for which a thread may keep the interpreter while others wait for it. With Python's own
# 5 ms and twenty pages being drawn, the event loop would wait 0.1 s at each of its steps.
_TURN_S = 0.0005

# Otherwise each thread would have an arena of its own, and little of its memory is given back.
_M_ARENA_MAX, _ARENAS = -8, 2

_FILES_AT_MOST = 65_536  # where a machine has no limit
_watch = AppSession.register_file_watchers
_MOST_S = 5.0  # between two looks of the reaper

# The outermost first: the answer has the headers even if the door refuses. A person kept out by the
# entrance has come under the dashboard's own name, and owns nothing.
MIDDLEWARE: list[Middleware] = [
    Middleware(Headers),
    Middleware(Door),
    Middleware(entrance.Guard),
    Middleware(Crowd),
    Middleware(Owners, registry=REGISTRY),
    Middleware(media.Media, registry=REGISTRY),
    Middleware(uploads.Uploads, registry=REGISTRY, allowances=environment.IN_FORCE),
]


@asynccontextmanager
async def lifespan(_app: App) -> AsyncGenerator[dict[str, Any]]:
    """Load the modules, and run the reaper from the start of the server to its end."""
    raise_limit_of_files()
    await asyncio.to_thread(load)
    # Streamlit takes a folder of this name for its older kind of pages: the first visitor who came
    # by a link to a page was told that there is no such page.
    PagesManager.uses_pages_directory = False
    if (public := environment.public()) is not None:
        # Streamlit looks at a WebSocket's host once more.
        names = {*config.get_option("server.allowedHosts"), public.name}
        config.set_option("server.allowedHosts", sorted(names))
    reaper = asyncio.create_task(Reaper(REGISTRY).run())
    try:
        yield {}
    finally:
        reaper.cancel()
        REGISTRY.close()


class Reaper:
    """Background task that ends sessions left without a browser, and drops files no longer needed.

    Parameters
    ----------
    registry : Registry
    close_session : callable
        Ends a session of Streamlit's, given its name; called in the event loop. Returns True if the
        session was ended, False if it has a browser after all.
    """

    def __init__(
        self, registry: Registry, close_session: Callable[[str], bool] | None = None
    ) -> None:
        self._registry = registry
        self._close_session = close_session or _close_session
        self._uploads = uploads.Sweep(registry)

    async def run(self) -> None:
        """End what is due, at regular intervals, until the server stops."""
        while True:
            await asyncio.sleep(min(_MOST_S, self._registry.grace_s / 4))
            try:
                await self.look()
            except Exception as fault:  # the next look comes nevertheless
                faults.log.error("%s in the reaper", type(fault).__name__)

    async def look(self) -> int:
        """End everything that is due, once; return the number of sessions and files ended."""
        ended = await self._end_due() + self._end_unknown()
        ended += self._uploads() + media.sweep(self._registry)
        if ended:
            await asyncio.to_thread(give_back)
        return ended

    async def _end_due(self) -> int:
        # In a function of its own: memory that variables still hold could not be given back.
        due = self._registry.take_due()
        for work in due:
            await asyncio.to_thread(work.close)
        ended = [work.session_id for work in due] + self._registry.take_replaced()
        for session_id in ended:
            self._close_session(session_id)
        return len(ended)

    def _end_unknown(self) -> int:
        """End sessions that the registry lacks: their script never ran, and no page gets them."""
        unknown = [name for name in _stored() if self._registry.known(name) is None]
        return sum(self._close_session(session_id) for session_id in unknown)


def _close_session(session_id: str) -> bool:
    """Close a session, and drop its uploads, downloads and state."""
    if not runtime.exists():
        return False
    server = runtime.get_instance()
    if server.is_active_session(session_id):
        return False
    server.close_session(session_id)
    return True


def _stored() -> list[str]:
    if not runtime.exists():
        return []
    server = runtime.get_instance()
    names = [each.session.id for each in server._session_mgr.list_sessions()]
    return [name for name in names if not server.is_active_session(name)]


# --- the process ---


def set_up_process() -> None:
    """Shorten the turns of threads, allow memory to be given back, and ask no outside service.

    Watch files only if so configured.
    """
    net_util.get_external_ip = net_util.get_internal_ip = _nothing
    sys.setswitchinterval(_TURN_S)
    with contextlib.suppress(AttributeError, OSError):  # only glibc has it
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _ARENAS)
    # Arrow's own pool keeps the memory it once had; the reaper can give back the system's.
    pa.set_memory_pool(pa.system_memory_pool())
    # Streamlit has no setting that reaches a reconnection.
    AppSession.register_file_watchers = _watch_if_wanted  # type: ignore[method-assign, assignment]


def _nothing() -> None:
    return None


def _watch_if_wanted(session: AppSession) -> None:
    if config.get_option("server.fileWatcherType") != "none":
        _watch(session)


def load() -> None:
    """Load the modules of all pages, and exclude them from garbage collection.

    Call it before there is a session: objects that exist at that time are never collected.
    """
    for name in modules():
        importlib.import_module(name)
    gc.collect()
    gc.freeze()


def modules() -> Iterator[str]:
    """Yield the names of all modules of the dashboard except the views."""
    root = Path(__file__).parent.parent
    for path in sorted(root.rglob("*.py")):
        if path.stem != _VIEW:
            yield ".".join([root.name, *path.relative_to(root).with_suffix("").parts])


def raise_limit_of_files() -> None:
    """Let this process open as many files as the machine allows, up to 65,536.

    The usual 1,024 are too few.
    """
    try:
        import resource
    except ImportError:  # not on Windows, which has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _FILES_AT_MOST if hard == resource.RLIM_INFINITY else min(hard, _FILES_AT_MOST)
    if soft != resource.RLIM_INFINITY and soft < most:
        with contextlib.suppress(ValueError, OSError):  # less is no reason not to start
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


# --- in force ---

# The web server would spool uploads of more than a megabyte to a temporary file; what people upload
# here stays in memory.
MultiPartParser.spool_max_size = 2**40
set_up_process()
media.keep_apart()

# Streamlit must not forget a session before the reaper ends it: reconnecting would find the work,
# and nothing on the page.
config.set_option("server.disconnectedSessionTTL", int(environment.IN_FORCE.grace_s) + 3600)

faults.keep_out_of_logs()

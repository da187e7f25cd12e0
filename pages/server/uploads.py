"""Uploads: which session owns them, how much of them is in memory, and for how long.

Streamlit accepts a file with any id for any session that a client can name, and keeps the file
until the session ends. Here an upload must come from the session's own browser. It is counted while
it arrives, for its session and for all sessions, and dropped when no widget of its session's page
holds it. An upload that stops arriving, or whose session has ended, is stopped and no longer
counted.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from .environment import MEGABYTE, Allowances
from .lives import Registry, Work
from .owners import owner

UNCLAIMED_S = 60.0
"""Seconds after which a file that no widget holds is dropped."""
STALLED_S = 60.0
"""Seconds within which the next :data:`LEAST` bytes of an upload, or its end, must arrive."""
LEAST = MEGABYTE
LOOK_S = 5.0
"""Seconds between two looks at an upload that receives nothing."""
_ROUTE = re.compile(r"/_stcore/upload_file/([^/]+)/([^/]+)$")

_TOO_SLOW = f"Too slow: less than {LEAST // MEGABYTE} MB arrived in {STALLED_S:g} seconds."
_OVER = {"Connection": "close"}  # the rest of what was announced is not waited for


@dataclass
class _Pace:
    since: float
    arrived: int = 0  # bytes since then

    def stalled(self, size: int, now: float) -> bool:
        """Return whether too little has arrived lately; ``size`` bytes arrived just now."""
        self.arrived += size
        if self.arrived >= LEAST:
            self.since, self.arrived = now, 0
        return now - self.since >= STALLED_S


class Uploads:
    """Middleware that counts uploads, refuses some, and stops others that exceed an allowance.

    Parameters
    ----------
    app : ASGI application
    registry : Registry
        The registry of sessions that may be uploaded to.
    allowances : Allowances
    look_s : float
        Seconds between two looks at an upload that receives nothing.
    """

    def __init__(
        self, app: ASGIApp, registry: Registry, allowances: Allowances, look_s: float = LOOK_S
    ) -> None:
        self._app = app
        self._registry = registry
        self._allowances = allowances
        self._look_s = look_s
        self._arriving: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        route = _ROUTE.search(scope["path"]) if scope["type"] == "http" else None
        if route is None or scope["method"] not in ("PUT", "DELETE"):
            await self._app(scope, receive, send)
            return
        session_id = route[1]
        work, asking = self._registry.known(session_id), owner(scope)
        if work is None or not asking or work.owner != asking:
            refusal = PlainTextResponse("This session does not belong to this browser.", 403)
            await refusal(scope, receive, send)
            return
        arrived, more = 0, True
        pace = _Pace(self._registry.clock())

        async def counted() -> Message:
            nonlocal arrived, more
            if not more:
                return await receive()  # whether the browser is still there
            message = await self._next(receive, work, session_id, pace)
            more = message.get("more_body", False)
            size = len(message.get("body", b""))
            arrived += size
            self._arriving[session_id] += size
            self._check(session_id)
            return message

        try:
            await self._app(scope, counted, send)
        finally:
            self._arriving[session_id] -= arrived
            if not self._arriving[session_id]:
                del self._arriving[session_id]

    async def _next(self, receive: Receive, work: Work, session_id: str, pace: _Pace) -> Message:
        """Return the next message, unless it takes too long or the session no longer exists."""
        coming = asyncio.ensure_future(receive())
        try:
            while True:
                await asyncio.wait({coming}, timeout=self._look_s)
                if self._registry.known(session_id) is not work:
                    raise HTTPException(410, "The session has ended.", _OVER)
                size = len(coming.result().get("body", b"")) if coming.done() else 0
                if pace.stalled(size, self._registry.clock()):
                    raise HTTPException(408, _TOO_SLOW, _OVER)
                if coming.done():
                    return coming.result()
        finally:
            coming.cancel()

    def _check(self, session_id: str) -> None:
        """Refuse the upload if the session, or all sessions together, exceed their allowance."""
        held = in_memory(self._registry) + self._arriving
        if held[session_id] > self._allowances.session_mb * MEGABYTE:
            most = f"{self._allowances.session_mb:g} MB for one session"
        elif held.total() > self._allowances.server_mb * MEGABYTE:
            most = f"{self._allowances.server_mb:g} MB for all sessions together"
        else:
            return
        raise HTTPException(413, f"Too much: this server keeps up to {most} in memory.")


def in_memory(registry: Registry) -> Counter[str]:
    """Return how many bytes each session's uploads hold: files not yet read, and the open one."""
    found = Counter({work.session_id: work.source_bytes for work in registry.sessions()})
    found.update({session_id: sum(files.values()) for session_id, files in _stored().items()})
    return found


def drop(session_id: str, file_ids: list[str]) -> None:
    """Forget uploaded files, for example once they have been handed on to be read."""
    manager = _manager()
    for file_id in file_ids if manager is not None else ():
        cast(MemoryUploadedFileManager, manager).remove_file(session_id, file_id)


class Sweep:
    """Callable that drops uploaded files that no widget has held for :data:`UNCLAIMED_S`."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._seen: dict[tuple[str, str], float] = {}

    def __call__(self) -> int:
        """Drop the files that are due; return their number."""
        now = self._registry.clock()
        unclaimed: dict[tuple[str, str], float] = {}
        dropped = 0
        for session_id, files in _stored().items():
            work = self._registry.known(session_id)
            for file_id in files:
                if work is not None and file_id in work.claimed:
                    continue
                since = self._seen.get((session_id, file_id), now)
                if now - since >= UNCLAIMED_S:
                    drop(session_id, [file_id])
                    dropped += 1
                else:
                    unclaimed[session_id, file_id] = since
        self._seen = unclaimed
        return dropped


def _manager() -> MemoryUploadedFileManager | None:
    if not runtime.exists():
        return None
    manager = runtime.get_instance().uploaded_file_mgr
    return manager if isinstance(manager, MemoryUploadedFileManager) else None


def _stored() -> Mapping[str, Mapping[str, int]]:
    """Return the sizes of the files in memory, by session and id."""
    manager = _manager()
    if manager is None:
        return {}
    return {
        session_id: {file_id: len(record.data) for file_id, record in list(files.items())}
        for session_id, files in list(manager.file_storage.items())
    }

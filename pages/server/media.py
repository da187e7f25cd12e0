"""Files that a page offers: each has a random name, and only its own browser can fetch it.

Streamlit names a file by a fast digest of parts of its content. It gives two sessions the same name
for files that look alike, and serves the file to any client that knows the name. Here a name is a
random number, so that the name reveals neither the content nor another file. The file is sent only
to the browser whose session asked for it.
"""

from __future__ import annotations

import os.path
import re
import secrets
import threading
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import runtime
from streamlit.runtime import memory_media_file_storage
from streamlit.runtime.media_file_manager import MediaFileManager

from .lives import Registry
from .owners import owner

KEPT_S = 60.0
"""Seconds after which a file made for a download is dropped. The browser fetches it at once, and
every further press of the button makes another file."""
_ROUTE = re.compile(r"/media/([^/]+)")  # whole: fonts are at /static/media/
_NAMING = "_calculate_file_id"
_EXECUTE = MediaFileManager.execute_deferred
_INACTIVE = MediaFileManager._get_inactive_file_ids
_MADE: dict[str, tuple[str, float | None]] = {}  # session, and when the sweep first saw the file
_LOCK = threading.Lock()


def keep_apart() -> None:
    """Replace the functions with which Streamlit names files, for this process.

    Raises
    ------
    AttributeError
        This Streamlit has no such functions, so files would have guessable names.
    """
    if not callable(getattr(memory_media_file_storage, _NAMING)):
        raise AttributeError(_NAMING)
    setattr(memory_media_file_storage, _NAMING, _random_id)
    setattr(MediaFileManager, _EXECUTE.__name__, _execute_deferred)
    setattr(MediaFileManager, _INACTIVE.__name__, _inactive)


def _random_id(_data: bytes, _mimetype: str, _filename: str | None = None) -> str:
    """Return a random name; ignore the arguments, from which Streamlit makes a digest."""
    return secrets.token_hex(32)


def _execute_deferred(manager: MediaFileManager, file_id: str) -> str:
    """Make a file as Streamlit does, and also note which session it belongs to."""
    asked = manager._deferred_callables.get(file_id)
    url = _EXECUTE(manager, file_id)
    if asked is not None:
        with _LOCK:
            _MADE[_id(url.rpartition("/")[2])] = (asked["session_id"], None)
    return url


def _inactive(manager: MediaFileManager) -> set[str]:
    """Return Streamlit's inactive files except those just made, which the sweep drops later.

    Otherwise two runs of any session's script could drop a file before its own browser fetches it.
    """
    with _LOCK:
        return _INACTIVE(manager) - _MADE.keys()


def _id(name: str) -> str:
    return os.path.splitext(name)[0]


class Media:
    """Middleware that sends a file to the browser whose session it belongs to, and to no other.

    Parameters
    ----------
    app : ASGI application
    registry : Registry
        The registry of known sessions.
    """

    def __init__(self, app: ASGIApp, registry: Registry) -> None:
        self._app = app
        self._registry = registry

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        route = _ROUTE.fullmatch(scope["path"]) if scope["type"] == "http" else None
        if route is None or self._allowed(_id(route[1]), owner(scope)):
            await self._app(scope, receive, send)
        else:
            # The same answer as for an unknown name: it does not reveal whether the file exists.
            await PlainTextResponse("Not found.\n", 404)(scope, receive, send)

    def _allowed(self, file_id: str, asking: str) -> bool:
        works = [self._registry.known(session_id) for session_id in _sessions_of(file_id)]
        return bool(asking) and any(work and work.owner == asking for work in works)


def sweep(registry: Registry) -> int:
    """Drop files made for downloads: after :data:`KEPT_S`, or with their session.

    Return the number of files dropped.
    """
    now, over = registry.clock(), []
    with _LOCK:
        for file_id, (session_id, seen) in list(_MADE.items()):
            since = now if seen is None else seen
            _MADE[file_id] = (session_id, since)
            if now - since >= KEPT_S or registry.known(session_id) is None:
                over.append(file_id)
                del _MADE[file_id]
    manager = _manager()
    if manager is not None and over:
        with manager._lock:
            for file_id in over:
                if file_id in manager._file_metadata:  # Streamlit may have been first
                    manager._delete_file(file_id)
    return len(over)


def _sessions_of(file_id: str) -> list[str]:
    """Return the session that asked for a file to be made, or the sessions that show the file."""
    with _LOCK:
        made = _MADE.get(file_id)
    if made is not None:
        return [made[0]]
    manager = _manager()
    if manager is None:
        return []
    with manager._lock:
        on_pages: dict[str, Any] = manager._files_by_session_and_coord
        return [session for session, files in on_pages.items() if file_id in files.values()]


def _manager() -> MediaFileManager | None:
    return runtime.get_instance().media_file_mgr if runtime.exists() else None

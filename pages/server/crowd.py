"""How many windows are open at once: in all, of one browser, and of those that show no cookie.

Each takes some four files of the machine and a share of its memory, and a server that has no file
left answers nobody. So a connection beyond the number is refused before it costs anything, and the
page says so in place of waiting for ever.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from dataclasses import dataclass
from typing import Final

from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from .entrance import PERSON
from .owners import is_page, owner

_AGAIN_S: Final = 10
_FULL: Final = (
    f'<!doctype html><html lang="en"><meta http-equiv="refresh" content="{_AGAIN_S}">'
    "<title>fpanon is full</title><h1>fpanon is full</h1><p>As many windows of the dashboard are"
    " open as this server has room for. Close those that are not needed. This page tries again by"
    f" itself every {_AGAIN_S} seconds.</p></html>"
)
_FILES_AT_MOST: Final = 65_536  # where a machine has no limit


@dataclass(frozen=True)
class Room:
    """For how many windows there is room.

    Attributes
    ----------
    in_all : int
        Of everybody together.
    of_one : int
        Of one browser; of one person, where people log in.
    without_cookie : int
        Of all browsers together that show no cookie: none of ours comes without.
    """

    in_all: int = 200
    of_one: int = 20
    without_cookie: int = 5


class Crowd:
    """Counts connections, and refuses those for which there is no room.

    Parameters
    ----------
    app : ASGI application
    room : Room
    """

    def __init__(self, app: ASGIApp, room: Room | None = None) -> None:
        self._app = app
        self._room = room or Room()
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or connection."""
        if scope["type"] == "websocket":
            await self._connect(scope, receive, send)
        elif scope["type"] == "http" and is_page(scope) and self._full(_who(scope), page=True):
            full = HTMLResponse(_FULL, 503, {"Retry-After": str(_AGAIN_S)})
            await full(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        who = _who(scope)
        if self._full(who):
            # "Try again later" (RFC 6455, 7.4.1); before it is accepted browsers see a plain 403. A
            # 503 would put an error of the web server's into the log, for each.
            await WebSocketClose(code=1013)(scope, receive, send)
            return
        self._open[who] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open[who] -= 1
            if not self._open[who]:
                del self._open[who]

    def _full(self, who: str, page: bool = False) -> bool:
        if self._open.total() >= self._room.in_all:
            return True
        if not who:
            # A page that is asked for without a cookie is about to be given one.
            return not page and self._open[who] >= self._room.without_cookie
        return self._open[who] >= self._room.of_one


def _who(scope: Scope) -> str:
    """The person, where people log in: whoever takes many cookies is still one."""
    person: str = scope.get(PERSON, "")
    return person or owner(scope)


def raise_limit_of_files() -> None:
    """Let this process open as many files as the machine allows it; the usual 1,024 are few."""
    try:
        import resource
    except ImportError:  # not on Windows, which has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _FILES_AT_MOST if hard == resource.RLIM_INFINITY else min(hard, _FILES_AT_MOST)
    if soft != resource.RLIM_INFINITY and soft < most:
        with contextlib.suppress(ValueError, OSError):  # less is no reason not to start
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))

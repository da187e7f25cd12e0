"""Identify a browser by its cookie, and give a session to its own browser only.

Streamlit gives a session to any client that names it, and the name is part of the addresses of
uploads. Here a connection gets the session it asks for only with the cookie of the browser that
began the session. The cookie is a random number of 256 bits. Scripts cannot read it, and other
sites cannot cause it to be sent; the server keeps only its digest.

Each window takes about four open files and a share of the memory. A server that can open no more
files answers nobody. So the number of connections is limited: in all, for one browser, and for
clients without a cookie. A connection beyond these limits is refused before it costs anything, and
the page says so instead of waiting forever.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections import Counter
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from .entrance import PERSON
from .lives import Registry

CONNECTION = "x-fpanon-connection"
"""Header of the handshake that only this module writes; it names the session's connection."""
_STREAM = "/_stcore/stream"
_PROTOCOLS = "sec-websocket-protocol"  # Streamlit's page puts three things there: see _parts
_LEFT = 1001  # the code with which a browser says that the page is left (RFC 6455, 7.4.1)
# When one of our own pages asks for the same address, the browser sends its cookie.
_ONCE_MORE = (
    '<!doctype html><html lang="en"><meta http-equiv="refresh" content="0"><title>fpanon</title>'
    "<p>Opening fpanon.</p></html>"
)
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")  # 32 bytes in base64

_AGAIN_S: Final = 10
_FULL: Final = (
    f'<!doctype html><html lang="en"><meta http-equiv="refresh" content="{_AGAIN_S}">'
    "<title>fpanon is full</title><h1>fpanon is full</h1><p>As many windows of the dashboard are"
    " open as this server allows. Close those that are not needed. This page tries again by"
    f" itself every {_AGAIN_S} seconds.</p></html>"
)


def owner(scope: Scope) -> str:
    """Return the digest of the cookie of the requesting browser; "" if it has none.

    Where people log in, the digest covers the person, too. So a second person who logs in with the
    same browser finds nothing of the first person's.
    """
    token = _token(scope)
    if not token:
        return ""
    return hashlib.sha256("\n".join((token, scope.get(PERSON, ""))).encode()).hexdigest()


class Owners:
    """Middleware that gives a browser its cookie, and a connection only its own browser's sessions.

    Parameters
    ----------
    app : ASGI application
    registry : Registry
        The registry that records connections.
    """

    def __init__(self, app: ASGIApp, registry: Registry) -> None:
        self._app = app
        self._registry = registry

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or connection."""
        if scope["type"] == "http" and is_page(scope) and not _token(scope):
            if _led_here(scope):
                await HTMLResponse(_ONCE_MORE)(scope, receive, send)
            else:
                await self._app(scope, receive, _with_cookie(scope, send))
        elif scope["type"] == "websocket" and scope["path"].endswith(_STREAM):
            await self._connect(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        parts = _parts(Headers(scope=scope).get(_PROTOCOLS, ""))
        name, granted = self._registry.opened(owner(scope), parts[2])
        left = False

        async def heard() -> Message:
            nonlocal left
            message = await receive()
            if message["type"] == "websocket.disconnect":
                left = message.get("code") == _LEFT
            return message

        own = {_PROTOCOLS.encode(), CONNECTION.encode()}
        headers = [(key, value) for key, value in scope["headers"] if key.lower() not in own]
        if any(parts):
            told = parts if granted else parts[:2]
            headers.append((_PROTOCOLS.encode(), ", ".join(told).encode("latin-1")))
        headers.append((CONNECTION.encode(), name.encode()))
        try:
            await self._app({**scope, "headers": headers}, heard, send)
        finally:
            self._registry.closed(name, left=left)


def _parts(protocols: str) -> list[str]:
    """Return the protocol, the token against forged requests, and the page's previous session."""
    return [*(part.strip() for part in protocols.split(",")), "", "", ""][:3]


def is_page(scope: Scope) -> bool:
    """Return whether a browser asks for a page, and not for a part of a page."""
    return scope["method"] == "GET" and "text/html" in Headers(scope=scope).get("accept", "")


def _led_here(scope: Scope) -> bool:
    """Return whether another site led the browser here; its cookie, if any, is then not sent.

    A new cookie would replace the one that the browser has, and its other windows would lose their
    work.
    """
    return Headers(scope=scope).get("sec-fetch-site") == "cross-site"


def _name(scope: Scope) -> str:
    """Return the name of the cookie, with the port: browsers share cookies between ports.

    Browsers accept a cookie with the prefix ``__Host-`` only over https and from this host (RFC
    6265bis, 4.1.3). So no other host of the domain can plant a cookie that it knows.
    """
    server = scope.get("server") or ("", 0)
    return f"{'__Host-' if _https(scope) else ''}fpanon-{server[1] or 0}"


def _https(scope: Scope) -> bool:
    """Return whether the browser speaks https, to this server or to the proxy in front of it."""
    told = Headers(scope=scope).get("x-forwarded-proto")
    return told == "https" or scope.get("scheme") in ("https", "wss")


def _token(scope: Scope) -> str:
    cookies = cookie_parser("; ".join(Headers(scope=scope).getlist("cookie")))
    token = cookies.get(_name(scope), "")
    return token if _TOKEN.fullmatch(token) else ""


def _with_cookie(scope: Scope, send: Send) -> Send:
    cookie = f"{_name(scope)}={secrets.token_urlsafe(32)}; Path=/; HttpOnly; SameSite=Strict" + (
        "; Secure" if _https(scope) else ""
    )

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).append("set-cookie", cookie)
        await send(message)

    return sent


# --- how many windows are open at once ---


@dataclass(frozen=True)
class Room:
    """Largest numbers of windows that may be open at once.

    Attributes
    ----------
    in_all : int
        Number for everybody together.
    of_one : int
        Number for one browser; for one person, if people log in.
    without_cookie : int
        Number for all clients without a cookie; the dashboard's own pages always send one.
    """

    in_all: int = 200
    of_one: int = 20
    without_cookie: int = 5


class Crowd:
    """Middleware that counts connections, and refuses those for which there is no room.

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
            # "Try again later" (RFC 6455, 7.4.1); before the connection is accepted, browsers see a
            # plain 403. With a 503 the web server would log an error for each.
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
    """If people log in, return the person; otherwise, return the browser.

    So one person with many cookies still counts once.
    """
    person: str = scope.get(PERSON, "")
    return person or owner(scope)

"""Requests as the web server hands them on, without a web server."""

from __future__ import annotations

import asyncio
from typing import Any

PORT = 8501
HERE = f"localhost:{PORT}"
PAGE = f"http://{HERE}"
TOKEN, OTHER = "a" * 43, "b" * 43  # of the cookies of two browsers


async def never(*_: Any) -> Any:
    """In place of what is to be sent or received, where nothing is."""
    raise AssertionError("nothing is to be said")


class Behind:
    """What is behind the door: notes that a request came through."""

    def __init__(self, *headers: tuple[bytes, bytes]) -> None:
        self.reached = False
        self._headers = list(headers)

    async def __call__(self, scope: Any, _receive: Any, send: Any) -> None:
        """Answer."""
        self.reached = True
        if scope["type"] == "http":
            start = {"type": "http.response.start", "status": 200, "headers": self._headers}
            await send(start)
            await send({"type": "http.response.body", "body": b"through"})
        else:
            await send({"type": "websocket.accept"})


def cookie(token: str) -> str:
    """What a browser with that token sends."""
    return f"fpanon-{PORT}={token}"


def scope_of(path: str = "/", method: str = "GET", tls: bool = False, **told: Any) -> Any:
    """A request, or with method ``WS`` a WebSocket.

    ``told``: headers, with _ for -; a list for one that is sent several times, None for one that is
    not; ``Host`` is this machine's unless told.
    """
    headers = [
        (name.replace("_", "-").lower().encode(), value.encode("latin-1"))
        for name, values in ({"host": HERE} | told).items()
        for value in (values if isinstance(values, list) else [values])
        if value is not None
    ]
    bare, _, query = path.partition("?")
    kind, scheme = ("websocket", "ws") if method == "WS" else ("http", "http")
    return {
        "type": kind,
        "scheme": f"{scheme}s" if tls else scheme,
        "path": bare,
        "raw_path": bare.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": headers,
        "server": ("127.0.0.1", PORT),
    } | ({} if method == "WS" else {"method": method})


def ask(app: Any, path: str = "/", method: str = "GET", **told: Any) -> list[dict[str, Any]]:
    """What an application answers to a request, described as in :func:`scope_of`."""
    first = "websocket.connect" if method == "WS" else "http.request"
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": first, "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(app(scope_of(path, method, **told), receive, send))
    return sent


def headers_of(answer: list[dict[str, Any]]) -> dict[str, str]:
    """By name, in small letters; of several by one name the last."""
    return {key.decode().lower(): value.decode() for key, value in answer[0]["headers"]}

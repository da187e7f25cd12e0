"""Requests as the web server hands them on, without a web server."""

from __future__ import annotations

import asyncio
from typing import Any

PORT = 8501
HERE = f"localhost:{PORT}"
PAGE = f"http://{HERE}"


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


def ask(app: Any, path: str = "/", method: str = "GET", **told: Any) -> list[dict[str, Any]]:
    """What an application answers to a request.

    ``told``: headers, with _ for -; a list for one that is sent several times, None for one that is
    not; ``Host`` is this machine's unless told. Method ``WS`` is a WebSocket.
    """
    named = {"host": HERE} | told
    headers = [
        (name.replace("_", "-").encode(), value.encode("latin-1"))
        for name, values in named.items()
        for value in (values if isinstance(values, list) else [values])
        if value is not None
    ]
    scope: dict[str, Any] = {
        "type": "websocket" if method == "WS" else "http",
        "scheme": "ws" if method == "WS" else "http",
        "path": path,
        "headers": headers,
        "server": ("127.0.0.1", PORT),
    }
    if method != "WS":
        scope["method"] = method
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    return sent


def headers_of(answer: list[dict[str, Any]]) -> dict[str, str]:
    """By name, in small letters; of several by one name the last."""
    return {key.decode().lower(): value.decode() for key, value in answer[0]["headers"]}

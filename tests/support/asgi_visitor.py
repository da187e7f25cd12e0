"""Somebody who asks an ASGI application, without a network between the two."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp


@dataclass(frozen=True)
class Answer:
    """What an application says to a request."""

    status: int
    headers: Headers
    text: str


@dataclass
class Visitor:
    """Asks with these headers; ``host`` is sent as it is."""

    app: ASGIApp
    host: str = "fpanon.example"
    cookies: dict[str, str] = field(default_factory=dict)

    def get(self, path: str, **headers: str) -> Answer:
        """A page, a file."""
        return self.ask("GET", path, **headers)

    def ask(self, method: str, path: str, **headers: str) -> Answer:
        """Any request."""
        sent = self._run({"type": "http", "method": method}, path, headers)
        start = next(m for m in sent if m["type"] == "http.response.start")
        body = b"".join(m["body"] for m in sent if m["type"] == "http.response.body")
        return Answer(start["status"], Headers(raw=start["headers"]), body.decode())

    def socket(self, path: str, **headers: str) -> str:
        """What comes first over a WebSocket; "" from one that is not accepted."""
        sent = self._run({"type": "websocket"}, path, headers)
        if sent[0]["type"] != "websocket.accept":
            assert sent == [{"type": "websocket.close", "code": 1008}]
            return ""
        return next(m["text"] for m in sent if m["type"] == "websocket.send")

    def _run(self, scope: dict[str, Any], path: str, headers: dict[str, str]) -> list[Any]:
        told = {"host": self.host} | {name.lower(): value for name, value in headers.items()}
        if self.cookies:
            told["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        bare, _, query = path.partition("?")
        scope |= {
            "path": bare,
            "raw_path": bare.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "scheme": "https",
            "server": (self.host, 443),
            "headers": [(n.encode(), v.encode("latin-1")) for n, v in told.items()],
        }
        sent: list[Any] = []
        first = "websocket.connect" if scope["type"] == "websocket" else "http.request"
        heard = iter([{"type": first, "body": b"", "more_body": False}])

        async def receive() -> Any:
            return next(heard)

        async def send(message: Any) -> None:
            sent.append(message)

        asyncio.run(self.app(scope, receive, send))
        return sent

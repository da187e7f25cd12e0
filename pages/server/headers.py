"""What every answer tells the browser: to load, and connect to, nothing but the dashboard's own."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import file_util

from . import place
from .place import Place

_OF_ITS_NAME: Final = "/static/"  # files whose name is their content's digest
_FIXED: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": (
        "accelerometer=(), browsing-topics=(), camera=(), display-capture=(), geolocation=(), "
        "gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=(), "
        "xr-spatial-tracking=()"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def policy() -> str:
    """The Content-Security-Policy of every answer.

    The one script that Streamlit's page holds inline is known by its digest. Its style sheets are
    made by scripts, which needs ``unsafe-inline`` for styles; its reading of messages, and the
    maps, hold compiled code, which needs ``wasm-unsafe-eval`` (no text becomes a program by that);
    the tables' icons are a font within a style sheet.
    """
    scripts = " ".join(["'self'", "'wasm-unsafe-eval'", *_inline_scripts()])
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {scripts}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "manifest-src 'self'",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        ]
    )


def _inline_scripts() -> list[str]:
    """Digests of the inline scripts of the page that Streamlit serves, as a policy names them."""
    page = Path(file_util.get_static_dir(), "index.html").read_bytes()
    return [
        f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"
        for script in re.findall(rb"<script>(.*?)</script>", page, re.DOTALL)
    ]


class Headers:
    """ASGI middleware that adds them to every answer, refusals too.

    Parameters
    ----------
    app : ASGIApp
        What answers.
    public : Place, optional
        The address people reach it under; cookies are for https alone where it is one.
    """

    def __init__(self, app: ASGIApp, *, public: Place | None = None) -> None:
        self._app = app
        self._fixed = {**_FIXED, "Content-Security-Policy": policy()}
        public = public or place.public()
        self._secure = public is not None and public.scheme == "https"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the headers added."""

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._add(scope["path"], MutableHeaders(scope=message))
            await send(message)

        await self._app(scope, receive, told if scope["type"] == "http" else send)

    def _add(self, path: str, headers: MutableHeaders) -> None:
        for name, value in self._fixed.items():
            headers[name] = value
        if not path.startswith(_OF_ITS_NAME):
            # Downloads hold data: no copy is kept in the browser or on the way.
            headers["Cache-Control"] = "no-store"
        if self._secure:
            cookies = headers.getlist("set-cookie")
            del headers["set-cookie"]
            for cookie in cookies:
                marked = re.search(r";\s*secure\s*(;|$)", cookie, re.IGNORECASE)
                headers.append("set-cookie", cookie if marked else f"{cookie}; Secure")

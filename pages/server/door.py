"""Let in only requests for a known route, under the dashboard's own name, from its own pages.

Streamlit checks the host only for WebSocket requests. Before it refuses a foreign origin, it asks
an outside service for this machine's address. So unwanted requests are refused here and never reach
Streamlit. The headers of every answer allow the browser to load from, and connect to, this server
only.
"""

from __future__ import annotations

import base64
import hashlib
import re
import tomllib
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from streamlit import config, file_util
from streamlit.runtime.secrets import secrets_singleton

from . import environment
from .environment import Place

_READING: Final = frozenset({"GET", "HEAD"})
_HEALTH: Final = "/_stcore/health"
_LOGIN: Final = re.compile(r"/auth/(enter|login|logout)|/oauth2callback")
# What the dashboard's own pages ask for; Streamlit's other routes (metrics, agents, components) are
# of no use here. An address that is not a file is answered with the start page: a view's address is
# one word.
_ROUTES: Final = tuple(
    (re.compile(path, re.ASCII), frozenset(methods))
    for path, methods in (
        (r"/([a-z][a-z-]*/?)?", _READING),
        (r"/(favicon\.png|manifest\.json|index\.html)", _READING),
        (r"/static/(css|js|media)/[\w@~-][\w@~.-]*", _READING),
        (r"/media/[\w-][\w.-]*", _READING),
        (_HEALTH, _READING),
        (r"/_stcore/host-config", _READING),
        (r"/_stcore/upload_file/[\w-]+/[\w-]+", {"PUT", "DELETE"}),
    )
)
# Nobody is logged in or out by a link on another page; the provider leads back to oauth2callback.
_AT_ONES_OWN_WISH: Final = re.compile(r"/auth/.*")
_SOCKET: Final = "/_stcore/stream"

_OF_ITS_NAME: Final = "/static/"  # files whose name is their content's digest
_TOLD: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def login_stands() -> bool:
    """Return whether Streamlit's secrets configure a login; if not, a login's routes are closed."""
    return secrets_singleton.load_if_toml_exists() and "auth" in secrets_singleton


class Door:
    """ASGI middleware that answers unwanted requests with a short refusal.

    Parameters
    ----------
    app : ASGIApp
        The application behind the door.
    names : collection of str, optional
        Names of this machine under which the dashboard may be reached, without the port; by default
        Streamlit's ``server.allowedHosts``.
    public : Place, optional
        The one address under which the dashboard is reached through a proxy; under ``names``, the
        dashboard then answers only health checks. By default, the address in the environment.
    login : callable, optional
        Returns whether the routes of a login are open.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        names: Collection[str] | None = None,
        public: Place | None = None,
        login: Callable[[], bool] = login_stands,
    ) -> None:
        self._app = app
        self._names = config.get_option("server.allowedHosts") if names is None else names
        self._public = public or environment.public()
        self._login = login

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        refusal = self._refusal(scope) if scope["type"] in ("http", "websocket") else None
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose(code=1008)(scope, receive, send)  # before it is accepted: a 403
        else:
            status, reason = refusal
            await PlainTextResponse(f"{reason}\n", status)(scope, receive, send)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Return status and reason, or None to let the request through; never quote the request."""
        here = self._place(scope)
        if here is None:
            return 421, "The dashboard cannot be reached by this name."
        # A browser names the origin of every request except plain reads. Any other request
        # without an origin does not come from one of our pages.
        origins = _values(scope, b"origin")
        reads = scope["type"] == "http" and scope["method"] in _READING
        if (origins != [here.origin] and (origins or not reads)) or not _from_here(scope):
            return 403, "This request does not come from a page of the dashboard."
        return self._unknown(scope)

    def _place(self, scope: Scope) -> Place | None:
        """Return the scheme and host that the request addresses; None if they are not allowed."""
        scheme = scope["scheme"].replace("ws", "http")
        # The port of the socket that received it: Streamlit may have taken another than configured.
        _, port = scope["server"]
        local: list[Place] = [Place.of(scheme, name, port) for name in self._names]
        if self._public is not None:
            local = [self._public, *(local if scope["path"] == _HEALTH else [])]
        hosts = [host.lower() for host in _values(scope, b"host")]
        return next((each for each in local if [each.host] == hosts), None)

    def _unknown(self, scope: Scope) -> tuple[int, str] | None:
        path: str = scope["path"]
        if scope["type"] == "websocket":
            return None if path == _SOCKET else (404, "Not found.")
        if _LOGIN.fullmatch(path):
            # A provider sends people back by a link; nothing is posted.
            open_ = scope["method"] in _READING and self._login()
            return None if open_ else (404, "Not found.")
        for route, methods in _ROUTES:
            if route.fullmatch(path):
                return None if scope["method"] in methods else (405, "This method is not allowed.")
        return 404, "Not found."


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def _from_here(scope: Scope) -> bool:
    """Return whether, by the browser's headers, the request can come from our pages or a link.

    This keeps other pages from loading parts of the dashboard by requests without an Origin
    (https://www.w3.org/TR/fetch-metadata/).
    """
    site = _values(scope, b"sec-fetch-site")
    if all(value in ("same-origin", "none") for value in site):
        return True
    if _AT_ONES_OWN_WISH.fullmatch(scope["path"]):
        return False
    followed = (_values(scope, b"sec-fetch-mode"), _values(scope, b"sec-fetch-dest"))
    return scope.get("method") in _READING and followed == (["navigate"], ["document"])


# --- what every answer tells the browser ---


def policy() -> str:
    """Return the Content-Security-Policy of every answer.

    The one inline script of Streamlit's page is known by its digest. Scripts make the page's style
    sheets, so styles need ``unsafe-inline``. The maps and the reader of messages use compiled code,
    which needs ``wasm-unsafe-eval``; this permission does not let text run as a program. The
    tables' icons are a font within a style sheet.
    """
    scripts = " ".join(["'self'", "'wasm-unsafe-eval'", *_inline_scripts()])
    told = "; ".join(f"{name} {what}" for name, what in _TOLD["policy"].items())
    return told.replace("{scripts}", scripts)


def _inline_scripts() -> list[str]:
    """Return the digests of the inline scripts of Streamlit's page, as a policy names them."""
    page = Path(file_util.get_static_dir(), "index.html").read_bytes()
    return [
        f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"
        for script in re.findall(rb"<script>(.*?)</script>", page, re.DOTALL)
    ]


class Headers:
    """ASGI middleware that adds the security headers to every answer, including refusals.

    Parameters
    ----------
    app : ASGIApp
        The application that answers.
    public : Place, optional
        The public address, by default the one in the environment; if it is https, cookies are sent
        over https only.
    """

    def __init__(self, app: ASGIApp, *, public: Place | None = None) -> None:
        self._app = app
        self._fixed = {**_TOLD["headers"], "Content-Security-Policy": policy()}
        public = public or environment.public()
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

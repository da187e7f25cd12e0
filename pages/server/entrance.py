"""Access control: let in everybody who reaches the server, or only people whose login allows it.

The login is Streamlit's OpenID Connect: the ``[auth]`` section of its secrets names the provider.
Streamlit leaves it to each page to ask whether a person is logged in. Here the server checks this
before anybody reaches a page. A person without access gets a plain page with a link to the
provider, and no session, upload or download of the dashboard. If the login is only partly set up,
nobody is let in.
"""

from __future__ import annotations

import html
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config
from streamlit.auth_util import get_cookie_with_chunks
from streamlit.runtime.secrets import secrets_singleton
from streamlit.user_info import generate_login_redirect_url
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from .environment import PUBLIC_VARIABLE, public

OFFICERS = "FPANON_OFFICERS"
"""Environment variable that lists who may enter: e-mail addresses or subjects, separated by commas.
If unset, everybody whom the provider lets in may enter."""
ELSEWHERE = "FPANON_LOGIN"
"""Environment variable that says that the proxy checks logins, so that this server need not."""
PERSON = "fpanon.person"
"""Key of the person in the scope of a request that was let through after a login."""
HOURS = 24
"""Hours for which a login opens sessions. An open session is not ended: work would be lost."""
LOCAL = "local"
"""Name of the person where nobody logs in."""
LOG_IN, LOG_OUT = "/auth/enter", "/auth/logout"

_BY_PROXY = "proxy"
_AHEAD_S = 300  # by how much the provider's clock may be ahead of this one
_NEEDED = ("client_id", "client_secret", "server_metadata_url")
_SECRET_LENGTH = 32
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
# Files of an open session; their address names the session or the file by a text nobody can guess.
_OF_OPEN_SESSIONS = ("/media/", "/_stcore/upload_file/")
# What logging in or out itself needs; none of it holds anything of a session.
_OPEN = {"/_stcore/health", "/auth/login", LOG_OUT, "/oauth2callback"}
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>fpanon</title>
<meta name="viewport" content="width=device-width">
<style>body{{font:1.1rem/1.5 sans-serif;max-width:34rem;margin:12vh auto;padding:0 1rem}}
a{{color:#005a8c}}</style></head>
<body><main><h1>fpanon</h1><p id="why">{why}</p>{ways}</main></body></html>
"""


@dataclass(frozen=True)
class Entrance:
    """Rules by which people are let in.

    Attributes
    ----------
    required : bool
        Whether people must log in.
    providers : tuple of str
        Streamlit's names of the providers that people can log in with.
    officers : frozenset of str or None
        E-mail addresses and subjects of the people let in, in lower case; None to let in everybody
        whose login the provider accepts.
    fault : str
        Why nobody is let in, if the login is only partly set up; "" otherwise.
    """

    required: bool
    providers: tuple[str, ...] = ()
    officers: frozenset[str] | None = None
    fault: str = ""

    def refusal(self, claims: Mapping[str, Any], now: float | None = None) -> str:
        """Say why a person is not let in, in words for that person; return "" if they are let in.

        Parameters
        ----------
        claims : mapping
            The provider's claims about the person; empty if nobody has logged in.
        now : float or None
            The present time, in seconds since 1970, to refuse a login that is too old. None in an
            open session, where the age of the login does not count.
        """
        if self.fault:
            return f"Nobody is let in: {self.fault}"
        if not self.required:
            return ""
        if claims.get("is_logged_in") is not True:
            return "Log in to open the dashboard."
        if now is not None and not _recent(claims.get("iat"), now):
            return f"This login is older than {HOURS} hours; log in again."
        if self.officers is not None and not self.officers & _names(claims):
            return (
                f"You are logged in as {name(claims)} (subject {claims.get('sub', 'not given')}), "
                "but are not among this dashboard's officers. Ask its administrator for access."
            )
        return ""


def name(claims: Mapping[str, Any]) -> str:
    """Return a person's name: the e-mail address if the provider has checked it, or the subject.

    Return ``local`` if the claims have neither.
    """
    return _checked_address(claims) or str(claims.get("sub") or LOCAL)


def _person(claims: Mapping[str, Any]) -> str:
    """Return this server's own name for a person: the provider, and its name for the person."""
    return f"{claims.get('iss', '')} {claims.get('sub', '')}"


def _names(claims: Mapping[str, Any]) -> set[str]:
    return {_checked_address(claims).lower(), str(claims.get("sub") or "").lower()} - {""}


def _checked_address(claims: Mapping[str, Any]) -> str:
    # An address that the provider has not checked can be anybody's.
    return str(claims.get("email") or "") if claims.get("email_verified") is True else ""


def _recent(since: object, now: float) -> bool:
    if not isinstance(since, int | float) or isinstance(since, bool):
        return False
    return now - HOURS * 3600 < since < now + _AHEAD_S


@cache
def current() -> Entrance:
    """Return this server's rules of access, set up at the first call."""
    return as_set_up()


def as_set_up(environment: Mapping[str, str] = os.environ) -> Entrance:
    """Return the rules of access that the secrets and the environment define."""
    listed = environment.get(OFFICERS)
    officers = None
    if listed is not None:
        officers = frozenset(each.strip().lower() for each in listed.split(",") if each.strip())
    known = secrets_singleton.load_if_toml_exists()
    # Streamlit treats secrets that cannot be read as if there were none.
    if not known and any(os.path.exists(path) for path in config.get_option("secrets.files")):
        return Entrance(True, fault="the secrets file cannot be read.")
    section = secrets_singleton.get("auth") if known else None
    if section is None:
        return _without_log_in(environment)
    if not isinstance(section, Mapping):
        return Entrance(True, fault="[auth] in the secrets is not a section.")
    providers, fault = _providers(section)
    return Entrance(True, providers, officers, fault or _common_fault(section, environment))


def _without_log_in(environment: Mapping[str, str]) -> Entrance:
    """Let everybody in, unless officers are listed or a public server has no login by a proxy."""
    if OFFICERS in environment:
        return Entrance(True, fault=f"{OFFICERS} is set, but no login is configured ([auth]).")
    if public(environment) is not None and environment.get(ELSEWHERE) != _BY_PROXY:
        return Entrance(
            True,
            fault=f"{PUBLIC_VARIABLE} is set, but no login is configured ([auth]). If the "
            f"proxy asks people to log in, set {ELSEWHERE}={_BY_PROXY}.",
        )
    return Entrance(False)


def _providers(section: Mapping[str, Any]) -> tuple[tuple[str, ...], str]:
    """Return the providers and ""; if one is faulty, return no providers and the fault."""
    found = {key: value for key, value in section.items() if isinstance(value, Mapping)}
    found = {key: value for key, value in found.items() if key != "client_kwargs"}
    if not found or section.get("client_id"):
        found = {"default": section, **found}
    for key, value in found.items():
        lacking = [each for each in _NEEDED if not value.get(each)]
        if lacking:
            return (), f"for the provider {key}, {' and '.join(lacking)} must be given."
        address = urlsplit(str(value["server_metadata_url"]))
        if address.scheme != "https" and address.hostname not in _LOOPBACK:
            return (), f"the provider {key} must be reached over https."
    return tuple(found), ""


def _common_fault(section: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    if len(str(section.get("cookie_secret", ""))) < _SECRET_LENGTH:
        return f"cookie_secret must have {_SECRET_LENGTH} characters or more, drawn at random."
    back = urlsplit(str(section.get("redirect_uri", "")))
    if not back.netloc or back.path != "/oauth2callback":
        return "redirect_uri must be the dashboard's address followed by /oauth2callback."
    here = public(environment)
    if here is not None and f"{back.scheme}://{back.netloc}" != here.origin:
        return f"redirect_uri must begin with the public address, {PUBLIC_VARIABLE}."
    if back.scheme != "https" and back.hostname not in _LOOPBACK:
        return "redirect_uri must be an https address."
    return ""


class Guard:
    """Middleware that shows only the login page to people without access.

    Parameters
    ----------
    app : ASGI application
        The application behind the guard.
    entrance : Entrance, optional
        Rules of access; by default those that are set up, looked up at the first request.
    """

    def __init__(self, app: ASGIApp, entrance: Entrance | None = None) -> None:
        self._app, self._entrance = app, entrance

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        answer, entrance = None, self._entrance or current()
        if scope["type"] in ("http", "websocket"):
            request = HTTPConnection(scope)
            answer = _answer(entrance, request)
            if answer is None and entrance.required:
                scope = {**scope, PERSON: _person(claims_of(request))}
        if answer is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # before it is accepted: a 403
        else:
            await answer(scope, receive, send)


def _answer(entrance: Entrance, request: HTTPConnection) -> Response | None:
    """Return the answer to a person who is not let in; None to let the request through."""
    path = str(request.scope["path"])  # not from the URL, which a Host header can alter
    if not entrance.required or (path in _OPEN and not entrance.fault):
        return None
    if path == LOG_IN and not entrance.fault:
        return _to_provider(entrance, request)
    opened = path.startswith(_OF_OPEN_SESSIONS)
    why = entrance.refusal(claims_of(request), None if opened else time.time())
    if not why:
        return None
    status = 503 if entrance.fault else 403
    kept = {"Cache-Control": "no-store"}
    if "text/html" not in request.headers.get("accept", ""):
        return PlainTextResponse(why, status, kept)
    links = [
        f'<p><a href="{LOG_IN}?provider={html.escape(each)}">Log in'
        f"{'' if each == 'default' else f' with {html.escape(each)}'}</a></p>"
        for each in entrance.providers
        if not entrance.fault
    ]
    return HTMLResponse(_PAGE.format(why=html.escape(why), ways="".join(links)), status, kept)


def _to_provider(entrance: Entrance, request: HTTPConnection) -> Response:
    asked = request.query_params.get("provider", entrance.providers[0])
    if asked not in entrance.providers:
        return PlainTextResponse("There is no such provider.", 404)
    # The address holds a token that is valid for a few minutes, so it is made on request.
    return RedirectResponse(generate_login_redirect_url(asked), 302)


def claims_of(request: HTTPConnection) -> dict[str, Any]:
    """Return the claims in the signed cookie of a request; empty if there are none."""
    secret = str(secrets_singleton.get("auth", {}).get("cookie_secret", ""))

    def one(cookie: str) -> bytes | None:
        value = request.cookies.get(cookie)
        if value is None or not secret:
            return None
        return decode_signed_value(secret, cookie, value.encode("latin-1", "replace"))

    try:
        said = json.loads(get_cookie_with_chunks(one, USER_COOKIE_NAME) or b"{}")
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}

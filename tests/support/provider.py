"""A provider of OpenID Connect on this machine: whoever is asked for is who logs in."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

CLIENT, SECRET = "fpanon-test", "a secret of the test's client"
PEOPLE: dict[str, dict[str, Any]] = {
    "anna": {"sub": "a-1", "email": "anna@office.example", "email_verified": True},
    "bert": {"sub": "b-2", "email": "bert@office.example", "email_verified": True},
    "mallory": {"sub": "m-3", "email": "mallory@elsewhere.example", "email_verified": True},
    # An address that the provider has not checked.
    "liar": {"sub": "l-4", "email": "anna@office.example", "email_verified": False},
}


@dataclass
class Provider:
    """Where it is, and what it has handed out."""

    address: str
    key: RSAKey = field(
        default_factory=lambda: RSAKey.generate_key(2048, {"kid": "k", "use": "sig"})
    )
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def app(self) -> Starlette:
        """The server."""
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._described),
                Route("/authorize", self._asked),
                Route("/chosen", self._chosen),
                Route("/token", self._token, methods=["POST"]),
                Route("/keys", self._keys),
                Route("/end", self._ended),
            ]
        )

    def secrets(self, dashboard: str) -> str:
        """The secrets of a dashboard at that address whose officers log in here."""
        return (
            f'[auth]\nredirect_uri = "{dashboard}/oauth2callback"\n'
            f'cookie_secret = "{secrets.token_hex(32)}"\n'
            f'client_id = "{CLIENT}"\nclient_secret = "{SECRET}"\n'
            f'server_metadata_url = "{self.address}/.well-known/openid-configuration"\n'
        )

    async def _described(self, _: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.address,
                "authorization_endpoint": f"{self.address}/authorize",
                "token_endpoint": f"{self.address}/token",
                "jwks_uri": f"{self.address}/keys",
                "end_session_endpoint": f"{self.address}/end",
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"],
                "code_challenge_methods_supported": ["S256"],
            }
        )

    async def _asked(self, request: Request) -> Response:
        """The page on which one says who one is."""
        asked = dict(request.query_params)
        assert asked["client_id"] == CLIENT
        links = (
            f'<p><a id="{who}" href="/chosen?{urlencode(asked | {"who": who})}">{who}</a></p>'
            for who in PEOPLE
        )
        return HTMLResponse("<h1>Who are you?</h1>" + "".join(links))

    async def _chosen(self, request: Request) -> Response:
        asked = dict(request.query_params)
        code = secrets.token_urlsafe()
        self.codes[code] = asked
        back = urlencode({"code": code, "state": asked["state"]})
        return RedirectResponse(f"{asked['redirect_uri']}?{back}", 302)

    async def _token(self, request: Request) -> Response:
        given = await request.form()
        asked = self.codes.pop(str(given["code"]))  # good for once
        now = int(time.time())
        claims = {
            "iss": self.address,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 600,
            "nonce": asked["nonce"],
            **PEOPLE[asked["who"]],
        }
        token = jwt.encode({"alg": "RS256", "kid": "k"}, claims, self.key)
        return JSONResponse({"access_token": "none", "token_type": "Bearer", "id_token": token})

    async def _keys(self, _: Request) -> Response:
        return JSONResponse({"keys": [self.key.as_dict(private=False)]})

    async def _ended(self, request: Request) -> Response:
        return RedirectResponse(request.query_params["post_logout_redirect_uri"], 302)


@contextmanager
def running(port: int) -> Iterator[Provider]:
    """A provider that answers at a port of this machine."""
    provider = Provider(f"http://127.0.0.1:{port}")
    settings = uvicorn.Config(provider.app(), port=port, log_level="error", lifespan="off")
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the provider did not start"
            time.sleep(0.02)
        yield provider
    finally:
        server.should_exit = True
        thread.join(30)

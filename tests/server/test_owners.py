"""The cookie that says whose a session is, and what of a handshake reaches Streamlit."""

from __future__ import annotations

import asyncio
from http.cookies import SimpleCookie
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from pages.server.entrance import PERSON
from pages.server.lives import Registry
from pages.server.owners import CONNECTION, Owners, owner

from .asgi import TOKEN, Behind, ask, cookie, headers_of, never, scope_of


def asked(**told: Any) -> dict[str, str]:
    """The headers of the answer to a request for the page."""
    app = Owners(Behind(), Registry(60.0))
    return headers_of(ask(app, **{"accept": "text/html,application/xhtml+xml,*/*"} | told))


def cookie_of(answer: dict[str, bytes]) -> Any:
    """The one cookie of an answer."""
    (morsel,) = SimpleCookie(answer["set-cookie"]).values()
    return morsel


def test_a_browser_gets_a_cookie_that_scripts_and_other_sites_cannot_use() -> None:
    given = cookie_of(asked())
    assert given.key == "fpanon-8501"
    assert len(given.value) == 43  # 32 bytes in base64
    assert given["httponly"]
    assert given["samesite"] == "Strict"
    assert given["path"] == "/"
    assert not given["secure"]
    assert not given["max-age"]
    assert not given["expires"]  # it goes with the browser
    assert not given["domain"]
    assert cookie_of(asked()).value != given.value


@pytest.mark.parametrize("how", [{"tls": True}, {"x_forwarded_proto": "https"}])
def test_behind_https_it_never_travels_in_the_clear_and_no_other_host_can_plant_one(
    how: dict[str, Any],
) -> None:
    """Browsers take a cookie of that prefix from this host alone: Secure, Path=/, no Domain."""
    given = cookie_of(asked(**how))
    assert given["secure"]
    assert given.key == "__Host-fpanon-8501"
    for prefix, counts in (("", False), ("__Host-", True)):
        scope = scope_of("/_stcore/stream", "WS", cookie=prefix + cookie(TOKEN), **how)
        assert bool(owner(scope)) is counts


@pytest.mark.parametrize(
    ("told", "given"),
    [
        ({"cookie": f"x=1; {cookie(TOKEN)}"}, False),  # it has one
        ({"cookie": f"fpanon-8501={TOKEN}!"}, True),  # of another make
        ({"cookie": "fpanon-8501="}, True),
        ({"cookie": f"fpanon-8502={TOKEN}"}, True),  # of another server
        ({"accept": "*/*"}, False),  # only pages bring it
        ({"sec_fetch_site": "cross-site"}, False),  # a page that another site leads to
        ({"sec_fetch_site": "same-origin"}, True),
        ({"sec_fetch_site": "none"}, True),
    ],
)
def test_who_is_given_one(told: dict[str, str], given: bool) -> None:
    assert ("set-cookie" in asked(**told)) is given


def test_a_page_that_another_site_leads_to_is_answered_first_by_one_of_ours() -> None:
    assert asked(sec_fetch_site="cross-site")["content-type"].startswith("text/html")


class Handshake:
    """One connection through the guard: what Streamlit would see of it."""

    def __init__(self, registry: Registry, protocols: str, token: str = TOKEN) -> None:
        self.registry = registry
        self.seen: dict[bytes, list[bytes]] = {}
        self.scope: Scope = scope_of(
            "/_stcore/stream",
            "WS",
            cookie=cookie(token),
            sec_websocket_protocol=protocols,
            **{CONNECTION: "forged"},
        )
        self.scope["headers"].append((b"Sec-WebSocket-Protocol", b"streamlit, x, smuggled"))

    def run(self, session: str, code: int | None = None) -> Handshake:
        """Connect, have a script run in that session, and disconnect with that code."""

        async def app(scope: Scope, receive: Receive, _send: Send) -> None:
            for key, value in scope["headers"]:
                self.seen.setdefault(key, []).append(value)
            (name,) = self.seen[CONNECTION.encode()]
            self.work = self.registry.claim(session, name.decode())
            await receive()

        async def receive() -> Message:
            return {"type": "websocket.disconnect", **({} if code is None else {"code": code})}

        asyncio.run(Owners(app, self.registry)(self.scope, receive, never))
        return self

    @property
    def protocols(self) -> list[bytes]:
        return self.seen[b"sec-websocket-protocol"]


def test_a_session_reaches_streamlit_only_with_the_cookie_of_its_browser() -> None:
    registry = Registry(60.0)
    mine = Handshake(registry, "streamlit, xsrf").run("s")
    assert mine.protocols == [b"streamlit, xsrf"]
    assert mine.seen[CONNECTION.encode()] != [b"forged"]
    again = Handshake(registry, "streamlit, xsrf, s").run("s")
    assert again.protocols == [b"streamlit, xsrf, s"]
    assert again.work is mine.work
    for token in ("b" * 43, "", "a" * 42):
        stolen = Handshake(registry, "streamlit, xsrf, s", token).run("t" + token)
        assert stolen.protocols == [b"streamlit, xsrf"]
        assert stolen.work is not mine.work


@pytest.mark.parametrize(
    ("code", "left"), [(1001, True), (1006, False), (1000, False), (None, False)]
)
def test_a_page_that_was_left_is_told_from_one_that_was_cut_off(
    code: int | None, left: bool
) -> None:
    registry = Registry(60.0)
    work = Handshake(registry, "streamlit, xsrf").run("s", code).work
    assert work.left is left
    assert work.gone_since is not None


def test_the_connection_is_over_also_when_streamlit_fails() -> None:
    registry = Registry(60.0)
    handshake = Handshake(registry, "streamlit, xsrf")

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        name = dict(scope["headers"])[CONNECTION.encode()].decode()
        registry.claim("s", name)
        raise ValueError("of a test")

    with pytest.raises(ValueError, match="of a test"):
        asyncio.run(Owners(app, registry)(handshake.scope, never, never))
    assert registry.claim("s").gone_since is not None


def test_the_server_keeps_a_digest_alone_of_each_cookie_and_person() -> None:
    scope: Scope = scope_of(cookie=cookie(TOKEN))
    assert TOKEN not in owner(scope)
    assert len(owner(scope)) == 64
    anna, bert = owner(scope | {PERSON: "x anna"}), owner(scope | {PERSON: "x bert"})
    assert len({owner(scope), anna, bert}) == 3
    assert anna == owner(scope | {PERSON: "x anna"})

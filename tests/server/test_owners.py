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

TOKEN = "a" * 43
HTML = (b"accept", b"text/html,application/xhtml+xml,*/*")


def asked(*headers: tuple[bytes, bytes], **changed: Any) -> dict[str, bytes]:
    """The headers of the answer to a request for the page."""
    scope: Scope = {
        "type": "http",
        "method": "GET",
        "path": "/",
        "scheme": "http",
        "server": ("127.0.0.1", 8501),
        "headers": list(headers),
    } | changed
    sent: list[Message] = []

    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(Owners(app, Registry(60.0))(scope, _never, send))
    return dict(sent[0]["headers"])


async def _never() -> Message:
    raise AssertionError("nothing is to be read")


def cookie_of(answer: dict[str, bytes]) -> Any:
    """The one cookie of an answer."""
    (morsel,) = SimpleCookie(answer[b"set-cookie"].decode()).values()
    return morsel


def test_a_browser_gets_a_cookie_that_scripts_and_other_sites_cannot_use() -> None:
    given = cookie_of(asked(HTML))
    assert given.key == "fpanon-8501"
    assert len(given.value) == 43  # 32 bytes in base64
    assert given["httponly"]
    assert given["samesite"] == "Strict"
    assert given["path"] == "/"
    assert not given["secure"]
    assert not given["max-age"]
    assert not given["expires"]  # it goes with the browser
    assert not given["domain"]
    assert cookie_of(asked(HTML)).value != given.value


@pytest.mark.parametrize(
    "how", [{"scheme": "https"}, {"headers": [HTML, (b"x-forwarded-proto", b"https")]}]
)
def test_behind_https_it_never_travels_in_the_clear(how: dict[str, Any]) -> None:
    assert cookie_of(asked(HTML, **how))["secure"]


@pytest.mark.parametrize(
    "how", [{"scheme": "wss"}, {"headers": [(b"x-forwarded-proto", b"https")]}]
)
def test_behind_https_no_other_host_of_the_domain_can_plant_one(how: dict[str, Any]) -> None:
    """Browsers take a cookie of that prefix from this host alone: Secure, Path=/, no Domain."""
    assert cookie_of(asked(HTML, scheme="https")).key == "__Host-fpanon-8501"
    for name, counts in (("fpanon-8501", False), ("__Host-fpanon-8501", True)):
        cookie = (b"cookie", f"{name}={TOKEN}".encode())
        scope = {"type": "websocket", "server": ("127.0.0.1", 8501), "headers": [cookie]}
        scope |= {**how, "headers": [cookie, *how.get("headers", [])]}
        assert bool(owner(scope)) is counts


def test_one_that_it_has_stays() -> None:
    assert b"set-cookie" not in asked(HTML, (b"cookie", f"x=1; fpanon-8501={TOKEN}".encode()))


@pytest.mark.parametrize("bad", [f"fpanon-8501={TOKEN}!", "fpanon-8501=", f"fpanon-8502={TOKEN}"])
def test_one_of_another_make_or_of_another_server_does_not_count(bad: str) -> None:
    assert b"set-cookie" in asked(HTML, (b"cookie", bad.encode()))


def test_only_pages_bring_it() -> None:
    assert b"set-cookie" not in asked((b"accept", b"*/*"))


class Handshake:
    """One connection through the guard: what Streamlit would see of it."""

    def __init__(self, registry: Registry, protocols: str, token: str = TOKEN) -> None:
        self.registry = registry
        self.seen: dict[bytes, list[bytes]] = {}
        self.scope: Scope = {
            "type": "websocket",
            "path": "/_stcore/stream",
            "scheme": "ws",
            "server": ("127.0.0.1", 8501),
            "headers": [
                (b"cookie", f"fpanon-8501={token}".encode()),
                (b"sec-websocket-protocol", protocols.encode()),
                (b"Sec-WebSocket-Protocol", b"streamlit, x, smuggled"),
                (CONNECTION.encode(), b"forged"),
            ],
        }

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

        async def send(_message: Message) -> None:
            raise AssertionError("nothing is to be said")

        asyncio.run(Owners(app, self.registry)(self.scope, receive, send))
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
        asyncio.run(Owners(app, registry)(handshake.scope, _never, _never))  # type: ignore[arg-type]
    assert registry.of("s").gone_since is not None


def test_the_server_keeps_a_digest_alone() -> None:
    scope = Handshake(Registry(60.0), "streamlit").scope
    assert TOKEN not in owner(scope)
    assert len(owner(scope)) == 64


def test_whoever_logs_in_after_somebody_else_is_another_owner() -> None:
    cookie = (b"cookie", f"fpanon-8501={TOKEN}".encode())
    scope: Scope = {"type": "http", "server": ("127.0.0.1", 8501), "headers": [cookie]}
    anna, bert = owner(scope | {PERSON: "x anna"}), owner(scope | {PERSON: "x bert"})
    assert len({owner(scope), anna, bert}) == 3
    assert anna == owner(scope | {PERSON: "x anna"})


def test_a_page_that_another_site_leads_to_replaces_no_cookie() -> None:
    led = asked(HTML, (b"sec-fetch-site", b"cross-site"))
    assert b"set-cookie" not in led
    assert led[b"content-type"].startswith(b"text/html")
    assert b"set-cookie" in asked(HTML, (b"sec-fetch-site", b"same-origin"))
    assert b"set-cookie" in asked(HTML, (b"sec-fetch-site", b"none"))

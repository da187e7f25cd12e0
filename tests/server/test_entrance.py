"""Who is let in, and what a request without a login reaches: the way in, and nothing else."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import streamlit.auth_util
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket
from streamlit.runtime.secrets import Secrets
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from pages.server import entrance
from pages.server.entrance import PERSON, Entrance, Guard
from tests.support.provider import PEOPLE, Provider

from .asgi import ask, headers_of

ANNA = {"is_logged_in": True, **PEOPLE["anna"]}
NOW = 1_800_000_000.0
DASHBOARD = "https://fpanon.example"


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Secrets]:
    """Has Streamlit's secrets say something; a server that is asked for the first time."""

    def tell(text: str) -> Secrets:
        file = tmp_path / "secrets.toml"
        file.write_text(text)
        said = Secrets()
        monkeypatch.setattr(Secrets, "_maybe_install_file_watchers", lambda _: None)
        for module in (entrance, streamlit.auth_util):
            monkeypatch.setattr(module, "secrets_singleton", said)
        usual = entrance.config.get_option
        monkeypatch.setattr(
            "streamlit.config.get_option",
            lambda name: [str(file)] if name == "secrets.files" else usual(name),
        )
        return said

    return tell


def set_up(**changed: str | None) -> str:
    """The secrets of a login, with lines changed or, None, left out."""
    lines = Provider("https://provider.example").secrets(DASHBOARD).splitlines()[1:]
    entries = dict(line.split(" = ", 1) for line in lines) | {
        name: value if value is None else json.dumps(value) for name, value in changed.items()
    }
    kept = (f"{name} = {value}" for name, value in entries.items() if value is not None)
    return "\n".join(["[auth]", *kept, ""])


def fault(environment: dict[str, str] | None = None) -> str:
    """Why nobody is let in; "" where somebody may be."""
    found = entrance.as_set_up(environment or {})
    assert bool(found.fault) == ("Nobody" in found.refusal(ANNA | {"iat": NOW}, NOW))
    return found.fault


# --- how it is set up ----------------------------------------------------------------------------


def test_alone_on_a_machine_nobody_logs_in(told: Callable[[str], Secrets]) -> None:
    told("other = 1\n")
    assert entrance.as_set_up({}) == Entrance(False)
    assert entrance.as_set_up({}).refusal({}, NOW) == ""
    # Nor where it is said that somebody else asks.
    elsewhere = {"FPANON_PUBLIC_URL": DASHBOARD, "FPANON_LOGIN": "proxy"}
    assert entrance.as_set_up(elsewhere) == Entrance(False)


def test_a_log_in_that_is_set_up_is_required(told: Callable[[str], Secrets]) -> None:
    told(set_up())
    assert entrance.as_set_up({}) == Entrance(True, ("default",))
    assert not fault({"FPANON_PUBLIC_URL": DASHBOARD + "/"})
    # At several providers, too.
    one = "\n".join(set_up().splitlines()[3:])
    told(f"{set_up(client_id=None)}[auth.north]\n{one}\n[auth.south]\n{one}\n")
    assert entrance.as_set_up({}).providers == ("north", "south")


@pytest.mark.parametrize(
    ("secrets", "environment", "why"),
    [
        ("[auth\n", {}, "cannot be read"),
        ("auth = 1\n", {}, "not a section"),
        ("[auth]\n", {}, "client_id and client_secret and server_metadata_url"),
        (set_up(client_secret=None), {}, "client_secret must be given"),
        (set_up(server_metadata_url="http://provider.example/"), {}, "over https"),
        (set_up(cookie_secret=None), {}, "32 characters"),
        (set_up(cookie_secret="short"), {}, "32 characters"),
        (set_up(redirect_uri=None), {}, "redirect_uri"),
        (set_up(redirect_uri=DASHBOARD), {}, "redirect_uri"),
        (set_up(redirect_uri="http://fpanon.example/oauth2callback"), {}, "https address"),
        (set_up(), {"FPANON_PUBLIC_URL": "https://other.example"}, "public address"),
        ("other = 1\n", {"FPANON_OFFICERS": "anna@office.example"}, "no login"),
        ("other = 1\n", {"FPANON_PUBLIC_URL": DASHBOARD}, "no login"),
    ],
)
def test_set_up_by_half_lets_nobody_in(
    secrets: str, environment: dict[str, str], why: str, told: Callable[[str], Secrets]
) -> None:
    told(secrets)
    assert why in fault(environment)


# --- who ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("claims", [{}, {"sub": "a-1"}, {"is_logged_in": False, "iat": NOW}])
def test_nobody_is_not_let_in(claims: dict[str, Any]) -> None:
    assert Entrance(True).refusal(claims, NOW) == "Log in to open the dashboard."


@pytest.mark.parametrize(
    ("iat", "good"),
    [
        (NOW, True),
        (NOW - 23 * 3600, True),
        (NOW - 25 * 3600, False),
        (NOW + 3600, False),  # from a clock that is not to be trusted
        ("yesterday", False),
        (True, False),
        (None, False),
    ],
)
def test_a_log_in_opens_sessions_for_a_day(iat: Any, good: bool) -> None:
    assert (Entrance(True).refusal(ANNA | {"iat": iat}, NOW) == "") == good
    assert Entrance(True).refusal(ANNA | {"iat": iat}) == ""  # a session that is open stays so


@pytest.mark.parametrize(
    ("listed", "let_in"),
    [
        (None, {"anna", "bert", "mallory", "liar"}),
        ("anna@office.example, Bert@Office.example", {"anna", "bert"}),
        ("m-3", {"mallory"}),
        ("l-4", {"liar"}),
        (" , ", set()),
    ],
)
def test_officers_are_those_listed(
    listed: str | None, let_in: set[str], told: Callable[[str], Secrets]
) -> None:
    """An address counts that the provider has checked; a subject is the provider's own."""
    told(set_up())
    found = entrance.as_set_up({} if listed is None else {entrance.OFFICERS: listed})
    now = {"is_logged_in": True, "iat": NOW}
    assert {who for who in PEOPLE if not found.refusal(now | PEOPLE[who], NOW)} == let_in


def test_somebody_is_called_what_the_provider_has_checked() -> None:
    assert [entrance.name(PEOPLE[who]) for who in PEOPLE] == [
        "anna@office.example",
        "bert@office.example",
        "mallory@elsewhere.example",
        "l-4",
    ]


# --- what is reached ------------------------------------------------------------------------------

WAY_IN = ("/_stcore/health", "/auth/login", "/auth/logout", "/oauth2callback")
CLOSED = (
    "/",
    "/anonymizability",
    "/data",
    "/static/js/main.js",
    "/media/0123.csv",
    "/_stcore/upload_file/s/f",
    "/_stcore/host-config",
    "/_stcore/metrics",
    "/auth/login/x",
    "/component/x",
    "//auth/login",
    "/data/auth/login",
)


class Answer(NamedTuple):
    """What an application says to a request."""

    status: int
    headers: dict[str, str]
    text: str


@dataclass
class Visitor:
    """Asks with these cookies; ``host`` is sent as it is."""

    app: ASGIApp
    host: str = "fpanon.example"
    cookies: dict[str, str] = field(default_factory=dict)

    def get(self, path: str, **headers: str) -> Answer:
        """A page, a file."""
        return self.ask("GET", path, **headers)

    def ask(self, method: str, path: str, **headers: str) -> Answer:
        """Any request."""
        sent = self._sent(method, path, headers)
        body = b"".join(message.get("body", b"") for message in sent)
        return Answer(sent[0]["status"], headers_of(sent), body.decode())

    def socket(self, path: str) -> str:
        """What comes first over a WebSocket; "" from one that is not accepted."""
        sent = self._sent("WS", path, {})
        if sent[0]["type"] != "websocket.accept":
            assert sent == [{"type": "websocket.close", "code": 1008}]
            return ""
        return str(sent[1]["text"])

    def _sent(self, method: str, path: str, headers: dict[str, str]) -> list[dict[str, Any]]:
        told = "; ".join(f"{name}={value}" for name, value in self.cookies.items()) or None
        return ask(self.app, path, method, tls=True, host=self.host, cookie=told, **headers)


async def _reached(_: Request) -> PlainTextResponse:
    return PlainTextResponse("reached")


async def _socket(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.send_text("reached")
    await websocket.close()


def client(guard: Entrance | None = None) -> Visitor:
    """A visitor of a server with that entrance."""
    routes = [
        WebSocketRoute("/_stcore/stream", _socket),
        Route("/{path:path}", _reached, methods=["GET", "PUT", "DELETE", "POST"]),
    ]
    guarded = Guard(Starlette(routes=routes), guard or entrance.as_set_up({}))
    return Visitor(guarded)


def logged_in(visitor: Visitor, said: Secrets, secret: str = "", **claims: Any) -> Visitor:
    """The same, with the cookie of somebody who has logged in."""
    who = json.dumps(ANNA | {"iat": time.time(), "origin": DASHBOARD} | claims)
    signed = create_signed_value(secret or said["auth"]["cookie_secret"], USER_COOKIE_NAME, who)
    visitor.cookies[USER_COOKIE_NAME] = signed.decode()
    return visitor


def sees(visitor: Visitor) -> set[str]:
    """What a visitor reaches."""
    found = {path for path in (*WAY_IN, *CLOSED) if visitor.get(path).text == "reached"}
    found |= {f"PUT {p}" for p in CLOSED if visitor.ask("PUT", p).text == "reached"}
    found.add(visitor.socket("/_stcore/stream"))
    return found - {""}


EVERYTHING = {*WAY_IN, *CLOSED, *(f"PUT {path}" for path in CLOSED), "reached"}


def test_all_is_reached_after_logging_in_or_where_no_log_in_is_set_up(
    told: Callable[[str], Secrets],
) -> None:
    told("other = 1\n")
    assert sees(client()) == EVERYTHING
    said = told(set_up())
    assert sees(logged_in(client(), said)) == EVERYTHING


def test_without_logging_in_the_way_in_is_reached_alone(told: Callable[[str], Secrets]) -> None:
    told(set_up())
    assert sees(client()) == set(WAY_IN)
    for host in ("fpanon.example/auth/login?", "fpanon.example/_stcore/health#"):
        visitor = client()
        visitor.host = host  # bends no path
        assert visitor.get("/data").text != "reached"


def test_a_cookie_of_another_making_is_none(told: Callable[[str], Secrets]) -> None:
    said = told(set_up())
    assert sees(logged_in(client(), said, secret="x" * 64)) == set(WAY_IN)
    forged = client()
    forged.cookies[USER_COOKIE_NAME] = json.dumps(ANNA | {"iat": time.time()})
    assert sees(forged) == set(WAY_IN)


def test_an_old_cookie_opens_no_session(told: Callable[[str], Secrets]) -> None:
    """What belongs to a session that is open still can be had."""
    said = told(set_up())
    old = logged_in(client(), said, iat=time.time() - 2 * 86_400)
    opened = {"/media/0123.csv", "/_stcore/upload_file/s/f"}
    assert sees(old) == {*WAY_IN, *opened, *(f"PUT {path}" for path in opened)}


def test_who_is_no_officer_reaches_nothing_and_their_name_is_no_markup(
    told: Callable[[str], Secrets],
) -> None:
    said = told(set_up())
    visitor = logged_in(client(entrance.as_set_up({entrance.OFFICERS: "x"})), said)
    assert sees(visitor) == set(WAY_IN)
    text = visitor.get("/", Accept="text/html").text
    assert "anna@office.example (subject a-1), but are not among" in text
    logged_in(visitor, said, sub="<script>", email="<img src=x>")
    text = visitor.get("/", Accept="text/html").text
    assert "&lt;script&gt;" in text
    assert "<script>" not in text
    assert "<img" not in text


def test_set_up_by_half_nothing_is_reached(told: Callable[[str], Secrets]) -> None:
    told(set_up(cookie_secret="short"))
    visitor = client()
    assert sees(visitor) == set()
    answer = visitor.get("/", Accept="text/html")
    assert answer.status == 503
    assert "Nobody is let in: cookie_secret" in answer.text
    assert "href" not in answer.text


def test_the_way_in_leads_to_the_provider(told: Callable[[str], Secrets]) -> None:
    told(set_up())
    visitor = client()
    page = visitor.get("/anonymizability?k=5", Accept="text/html")
    assert page.status == 403
    assert '<a href="/auth/enter?provider=default">Log in</a>' in page.text
    answer = visitor.get("/auth/enter")
    assert answer.status == 302
    assert answer.headers["location"].startswith("/auth/login?provider=")
    assert visitor.get("/auth/enter?provider=nobody").status == 404


def test_behind_it_one_knows_whose_a_request_is(told: Callable[[str], Secrets]) -> None:
    said = told(set_up())
    people: list[str] = []

    async def app(scope: Scope, _receive: Receive, send: Send) -> None:
        people.append(scope[PERSON])
        await PlainTextResponse("reached")(scope, _receive, send)

    for subject in ("a1", "b2", "a1"):
        visitor = logged_in(Visitor(Guard(app, entrance.as_set_up({}))), said, sub=subject)
        assert visitor.get("/").text == "reached"
    assert people[0] == people[2] != people[1]

"""Who is let in, by host, origin and route; nothing else reaches Streamlit."""

from __future__ import annotations

import pytest

from pages.server import guards
from pages.server.door import Door, Headers
from pages.server.entrance import Guard
from pages.server.environment import Place
from pages.server.media import Media
from pages.server.owners import Crowd, Owners
from pages.server.uploads import Uploads
from tests.server.asgi import HERE, PAGE, PORT, Behind, ask

PUBLIC = Place("https", "fpanon.example")
UPLOAD = "/_stcore/upload_file/0b7f-session/0b7f-file"
STREAM = "/_stcore/stream"
# Each route of ours, with what its own page tells.
OURS = [
    ("GET", "/", {}),
    ("HEAD", "/", {}),
    ("GET", "/data", {}),
    ("GET", "/anonymizability/", {}),
    ("GET", "/favicon.png", {}),
    ("GET", "/manifest.json", {}),
    ("GET", "/static/js/index.DormvYxC.js", {"origin": PAGE}),
    ("GET", "/static/media/SourceSansVF-Upright.ttf.BsWL4Kly.woff2", {"origin": PAGE}),
    ("GET", "/media/5f4dcc3b5aa765d61d8327deb882cf99.csv", {}),
    ("GET", "/_stcore/health", {}),
    ("GET", "/_stcore/host-config", {}),
    ("PUT", UPLOAD, {"origin": PAGE}),
    ("DELETE", UPLOAD, {"origin": PAGE}),
    ("WS", STREAM, {"origin": PAGE}),
]
NOT_OURS = [
    ("GET", "/_stcore/metrics"),
    ("GET", "/_stcore/script-health-check"),
    ("GET", "/_stcore/agent/openapi.json"),
    ("GET", "/_stcore/agent/mcp"),
    ("POST", "/_stcore/agent/interact"),
    ("GET", "/_stcore/bidi-components/a/b.js"),
    ("GET", "/component/a/b.html"),
    ("GET", "/app/static/a.csv"),
    ("GET", "/auth/login"),
    ("GET", "/auth/logout"),
    ("GET", "/oauth2callback"),
    ("GET", "/data/_stcore/health"),
    ("GET", "//other.example"),
    ("GET", "/../app.py"),
    ("GET", "/static/js/.."),
    ("GET", "/static/../app.py"),
    ("GET", "/media/../app.py"),
    ("GET", "/_stcore/stream"),
    ("GET", "/data\n"),
    ("POST", "/"),
    ("OPTIONS", "/"),
    ("OPTIONS", UPLOAD),
    ("GET", UPLOAD),
    ("POST", UPLOAD),
    ("PUT", "/media/a.csv"),
    ("WS", "/"),
    ("WS", "/_stcore/metrics"),
]
FOREIGN = [
    "http://other.example",
    "http://localhost:3000",
    "http://localhost",
    f"https://{HERE}",
    f"http://127.0.0.1:{PORT}",
    "http://0.0.0.0:1",
    f"http://other.example@{HERE}",
    f"{PAGE}/",
    f"{PAGE}, http://other.example",
    "null",
    "",
]
REBOUND = [
    None,
    "",
    "other.example",
    f"other.example:{PORT}",
    "localhost",
    "localhost:80",
    f"localhost.:{PORT}",
    f"other.localhost:{PORT}",
    f"localhost:{PORT}@other.example",
    f"0.0.0.0:{PORT}",
    f"[::1]:{PORT}",
    [HERE, "other.example"],
    [HERE, HERE],
]


def door(behind, *, public=None, login=False):
    names = ["localhost", "127.0.0.1"]
    return Door(behind, names=names, public=public, login=lambda: login)


def refused(answer):
    """A short refusal that quotes nothing of what was asked; of a WebSocket, before it opens."""
    if answer[0]["type"] == "websocket.close":
        return True
    assert len(answer[1]["body"]) < 100
    assert b"other.example" not in answer[1]["body"]
    return 400 <= answer[0]["status"] < 500


@pytest.mark.parametrize(("method", "path", "told"), OURS)
def test_the_dashboards_own_pages_are_let_in(method, path, told):
    behind = Behind()
    ask(door(behind), path, method, **told)
    assert behind.reached


@pytest.mark.parametrize("host", [HERE, HERE.upper(), f"127.0.0.1:{PORT}"])
def test_by_each_name_of_this_machine(host):
    behind = Behind()
    ask(door(behind), STREAM, "WS", host=host, origin=f"http://{host.lower()}")
    assert behind.reached


@pytest.mark.parametrize("host", REBOUND)
@pytest.mark.parametrize(("method", "path", "told"), OURS)
def test_under_another_name_nothing_is_answered(method, path, told, host):
    behind = Behind()
    assert refused(ask(door(behind), path, method, **told | {"host": host}))
    assert not behind.reached


@pytest.mark.parametrize("origin", FOREIGN)
@pytest.mark.parametrize(("method", "path"), [each[:2] for each in OURS])
def test_another_page_gets_nothing(method, path, origin):
    behind = Behind()
    assert refused(ask(door(behind), path, method, origin=origin))
    assert not behind.reached


@pytest.mark.parametrize(("method", "path"), [("WS", STREAM), ("PUT", UPLOAD), ("DELETE", UPLOAD)])
@pytest.mark.parametrize("origin", [None, [PAGE, PAGE], [PAGE, "http://other.example"]])
def test_what_does_not_say_where_it_is_from(method, path, origin):
    behind = Behind()
    assert refused(ask(door(behind), path, method, origin=origin))
    assert not behind.reached


@pytest.mark.parametrize(("method", "path"), NOT_OURS)
def test_no_other_route_is_open(method, path):
    behind = Behind()
    assert refused(ask(door(behind), path, method, origin=PAGE))
    assert not behind.reached


# A page at another port of this machine is "same-site" to a browser.
@pytest.mark.parametrize("site", ["cross-site", "same-site", "other"])
@pytest.mark.parametrize(
    ("mode", "dest", "let_in"),
    [
        ("navigate", "document", True),  # a link, or an address typed
        ("navigate", "iframe", False),
        ("no-cors", "image", False),
        ("no-cors", "script", False),
        ("cors", "empty", False),
    ],
)
def test_nothing_is_loaded_into_another_page(site, mode, dest, let_in):
    behind = Behind()
    told = {"sec_fetch_site": site, "sec_fetch_mode": mode, "sec_fetch_dest": dest}
    answer = ask(door(behind), "/data", **told)
    assert behind.reached is let_in
    assert let_in or refused(answer)


def test_the_routes_of_a_login_open_with_it():
    for path in ("/auth/enter", "/auth/login", "/auth/logout", "/oauth2callback"):
        behind = Behind()
        ask(door(behind, login=True), path)
        assert behind.reached
        assert refused(ask(door(Behind(), login=True), path, "POST", origin=PAGE))


@pytest.mark.parametrize("path", ["/auth/enter", "/auth/login", "/auth/logout"])
def test_a_link_elsewhere_logs_nobody_in_or_out(path):
    told = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}
    told["sec_fetch_dest"] = "document"
    behind = Behind()
    assert refused(ask(door(behind, login=True), path, **told))
    assert not behind.reached
    ask(door(behind, login=True), "/oauth2callback", **told)  # the provider leads back there
    assert behind.reached


@pytest.mark.parametrize(
    ("host", "origin", "let_in"),
    [
        (PUBLIC.host, PUBLIC.origin, True),
        (HERE, PAGE, False),
        (HERE, PUBLIC.origin, False),
        (PUBLIC.host, PAGE, False),
        (PUBLIC.host, f"http://{PUBLIC.host}", False),
        (f"{PUBLIC.host}:{PORT}", PUBLIC.origin, False),
    ],
)
def test_behind_a_proxy_the_public_name_alone(host, origin, let_in):
    behind = Behind()
    answer = ask(door(behind, public=PUBLIC), STREAM, "WS", host=host, origin=origin)
    assert behind.reached is let_in
    assert let_in or refused(answer)


def test_behind_a_proxy_this_machine_is_told_of_its_health_alone(monkeypatch):
    monkeypatch.setenv("FPANON_PUBLIC_URL", PUBLIC.origin)  # read from the environment, too
    for through in (door, lambda behind, **_: Door(behind, names=["localhost"])):
        for path, told, let_in in (
            ("/_stcore/health", {}, True),
            ("/data", {}, False),
            ("/_stcore/host-config", {}, False),
            ("/data", {"host": PUBLIC.host, "origin": PUBLIC.origin}, True),
        ):
            behind = Behind()
            answer = ask(through(behind, public=PUBLIC), path, **told)
            assert behind.reached is let_in
            assert let_in or refused(answer)


def test_each_guard_stands_where_it_is_to_stand():
    """Refusals carry the headers; who is let in is asked before anything is noted of a window."""
    order = [each.cls for each in guards.MIDDLEWARE]
    assert order == [Headers, Door, Guard, Crowd, Owners, Media, Uploads]

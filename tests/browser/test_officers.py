"""Several officers behind a reverse proxy: who logs in enters, each has a session of one's own.

The proxy is nginx with the configuration of docs/nginx.conf, the provider of the login one of the
tests' own.
"""

from __future__ import annotations

import http.client
import re
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from pages.shell import navigation
from tests.browser.dashboard import VIEWS, Dashboard, clean
from tests.browser.proxy import Proxy
from tests.browser.proxy import running as proxy_running
from tests.browser.server import Server, free_port, started, status
from tests.browser.tables import SECRET, events, separated
from tests.support.provider import Provider
from tests.support.provider import running as provider_running

pytestmark = pytest.mark.browser

PATHS = [f"/{place.address}" for place in navigation.PLACES]
OFFICERS = "anna@office.example, bert@office.example"


@dataclass(frozen=True)
class Office:
    """What officers work with."""

    server: Server
    proxy: Proxy
    provider: Provider
    browser: Browser


@pytest.fixture(scope="module")
def office(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """A provider, a dashboard that asks for its login, and the proxy before it."""
    folder = tmp_path_factory.mktemp("office")
    port, public = free_port(), free_port()
    address = f"https://localhost:{public}"
    with ExitStack() as stack:
        provider = stack.enter_context(provider_running(free_port()))
        secrets = folder / "secrets.toml"
        secrets.write_text(provider.secrets(address))
        options = ("--secrets.files", str(secrets))
        settings = {"FPANON_PUBLIC_URL": address, "FPANON_OFFICERS": OFFICERS}
        server = stack.enter_context(started(folder / "log.txt", *options, port=port, **settings))
        proxy = stack.enter_context(proxy_running(folder, public, port))
        yield Office(server, proxy, provider, browser)


@pytest.fixture
def visitor(office: Office) -> Iterator[Callable[[], Dashboard]]:
    """Opens browsers of their own, in which nobody has logged in yet."""
    with ExitStack() as stack:

        def open_one() -> Dashboard:
            context = office.browser.new_context(
                ignore_https_errors=True,
                accept_downloads=True,
                reduced_motion="reduce",
                viewport={"width": 1440, "height": 900},
            )
            stack.callback(context.close)
            return Dashboard(context.new_page(), office.proxy.address)

        yield open_one
    office.server.check_printed()


def log_in(dashboard: Dashboard, who: str) -> None:
    """From the page that asks for it, by way of the provider."""
    dashboard.page.get_by_role("link", name="Log in").click()
    dashboard.page.locator(f"#{who}").click()


def entered(dashboard: Dashboard, who: str) -> Dashboard:
    """Somebody who has logged in, on the start page."""
    dashboard.page.goto(dashboard.address)
    log_in(dashboard, who)
    dashboard.wait_for_view("Overview")
    dashboard.settle()
    dashboard.seen.forget()  # the way to the provider and back
    return dashboard


def asks_for_log_in(page: Page) -> None:
    """Nothing is there but the way to the provider; no session of the dashboard was begun."""
    expect(page.locator("#why")).to_have_text("Log in to open the dashboard.")
    assert page.locator("body").inner_text().split("\n\n") == [
        "fpanon",
        "Log in to open the dashboard.",
        "Log in",
    ]
    assert page.locator("script").count() == 0


def answer(port: int, host: str, path: str = "/", **headers: str) -> Answer | None:
    """What the proxy answers to a request for a name; None when it hangs up."""
    connection = http.client.HTTPSConnection("localhost", port, timeout=60, context=_trusting())
    try:
        connection.request("GET", path, headers={"Host": host, **headers})
        found = connection.getresponse()
        return Answer(found.status, dict(found.getheaders()), found.read().decode())
    except http.client.RemoteDisconnected:
        return None
    finally:
        connection.close()


class Answer(NamedTuple):
    """Of a web server."""

    status: int
    headers: dict[str, str]
    body: str


def _trusting() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def port_of(address: str) -> int:
    """At the end of an address."""
    return int(address.rpartition(":")[2])


# --- the proxy -----------------------------------------------------------------------------------


def test_one_name_over_tls_and_no_way_past_it(office: Office) -> None:
    public, own = port_of(office.proxy.address), port_of(office.server.address)
    found = answer(public, f"localhost:{public}", Accept="text/html")
    assert found is not None
    assert found.status == 403
    assert "Log in to open the dashboard." in found.body
    assert found.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert found.headers["x-frame-options"] == "DENY"
    assert found.headers["Server"] == "nginx"
    # Another name: none of the proxy's, and none of the dashboard's.
    with (
        socket.create_connection(("127.0.0.1", public), 60) as connection,
        pytest.raises(ssl.SSLError, match="unrecognized name"),
    ):
        _trusting().wrap_socket(connection, server_hostname="rebound.example")
    assert answer(public, "rebound.example") is None
    # Past the proxy, on this machine: its health and no more.
    for host in (f"localhost:{own}", f"127.0.0.1:{own}", "rebound.example"):
        assert status(own, "/", Host=host) == 421
    assert status(own, "/_stcore/health", Host=f"localhost:{own}") == 200
    # With the public name, past the proxy: still nobody without a login.
    assert status(own, "/data", Host=f"localhost:{public}") == 403


# --- the login ----------------------------------------------------------------------------------


def test_every_page_asks_for_the_log_in_and_is_there_after_it(
    office: Office, visitor: Callable[[], Dashboard]
) -> None:
    dashboard = visitor()
    for path in PATHS:
        dashboard.page.goto(office.proxy.address + path)
        asks_for_log_in(dashboard.page)
    asked = [url for url in dashboard.seen.requests if not url.endswith("/favicon.ico")]
    assert asked == [office.proxy.address + path for path in PATHS]  # no socket, no script
    log_in(dashboard, "anna")
    dashboard.wait_for_view("Overview")
    dashboard.seen.forget()
    with clean(dashboard):
        for path, view in zip(PATHS, VIEWS, strict=True):
            dashboard.go(path)
            dashboard.wait_for_view(view)
            dashboard.settle()
        assert dashboard.page.get_by_text("Logged in as anna@office.example").is_visible()
    cookies = dashboard.page.context.cookies()
    assert {"_streamlit_user", "_streamlit_xsrf"} <= {cookie["name"] for cookie in cookies}
    assert all(cookie["secure"] for cookie in cookies)


def test_who_is_no_officer_is_told_so(visitor: Callable[[], Dashboard]) -> None:
    for who, name in (("mallory", "mallory@elsewhere.example"), ("liar", "l-4")):
        dashboard = visitor()
        dashboard.page.goto(dashboard.address + "/data")
        log_in(dashboard, who)
        told = dashboard.page.locator("#why")
        expect(told).to_have_text(re.compile(rf"logged in as {name} .* not among this dashboard"))
        assert not [url for url in dashboard.seen.requests if url.startswith("ws")]


def test_officers_have_sessions_of_their_own(
    office: Office, visitor: Callable[[], Dashboard]
) -> None:
    anna, bert = entered(visitor(), "anna"), entered(visitor(), "bert")
    with clean(anna), clean(bert):
        anna.turn_to("Data")
        # More than nginx keeps in memory; a row is set aside.
        content = separated(events(7, 150)) + f"{SECRET}-1,yesterday,48.1,11.5\n".encode()
        anna.upload("of-anna.csv", content)
        anna.wait_for_data(users=7)
        bert.turn_to("Data")
        for text in (bert.text, "".join(map(str, bert.seen.received))):
            assert "of-anna" not in text
            assert SECRET not in text
        # What anna downloads, bert has no address of; nobody has one who is not logged in.
        assert len(anna.download("data_rejects").splitlines()) == 2
        (file,) = {url for url in anna.seen.requests if "/media/" in url and ".csv" in url}
        path = file.removeprefix(office.proxy.address)
        public = port_of(office.proxy.address)
        refused = answer(public, f"localhost:{public}", path)
        assert refused is not None
        assert refused.status == 403
        # Nor is a session handed to another officer, even one who knows its name.
        (sent,) = {url for url in anna.seen.requests if "/_stcore/upload_file/" in url}
        session = sent.split("/")[-2]
        assert resumed(bert, session) != session
        assert resumed(anna, session) == session
    assert office.proxy.put_down() == []


def resumed(dashboard: Dashboard, session: str) -> str:
    """The session that one is given who asks for that one, with the cookies of a browser."""
    cookies = {each["name"]: each["value"] for each in dashboard.page.context.cookies()}
    address = dashboard.address.replace("https", "wss") + "/_stcore/stream"
    cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
    ask = BackMsg()
    ask.rerun_script.query_string = ""
    with connect(
        address,
        origin=Origin(dashboard.address),
        ssl=_trusting(),
        subprotocols=[Subprotocol(e) for e in ("streamlit", cookies["_streamlit_xsrf"], session)],
        additional_headers={"Cookie": cookie},
    ) as stream:
        stream.send(ask.SerializeToString())
        while True:
            told = ForwardMsg.FromString(stream.recv(60))
            if told.WhichOneof("type") == "new_session":
                return told.new_session.initialize.session_id


def test_logging_out_ends_it(office: Office, visitor: Callable[[], Dashboard]) -> None:
    dashboard = entered(visitor(), "bert")
    dashboard.press("log_out")
    asks_for_log_in(dashboard.page)
    names = {cookie["name"] for cookie in dashboard.page.context.cookies()}
    assert "_streamlit_user" not in names
    dashboard.page.goto(office.proxy.address + "/data")
    asks_for_log_in(dashboard.page)

"""The server asks nobody, whatever would have Streamlit do so."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest
from streamlit import net_util
from streamlit.web.server import server_util

from pages.server import guards

_ASKING = "asked for an address"


@pytest.fixture
def _nobody(monkeypatch):
    """Fails what looks for an address, from within this test on."""

    def asked(*_arguments, **_named):
        pytest.fail(_ASKING)

    monkeypatch.setattr(socket.socket, "connect", asked)
    monkeypatch.setattr(socket, "getaddrinfo", asked)
    monkeypatch.setattr(net_util, "get_external_ip", net_util.get_external_ip)
    monkeypatch.setattr(net_util, "get_internal_ip", net_util.get_internal_ip)
    guards.set_up_process()


@pytest.mark.usefixtures("_nobody")
def test_a_foreign_origin_asks_nobody():
    assert not server_util.is_url_from_allowed_origins("http://other.example")


def test_it_is_kept_before_the_first_request():
    """In a process of its own: as when the server loads the application."""
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "import app; from streamlit import net_util as n;"
            "print(n.get_external_ip.__module__, n.get_internal_ip.__module__)",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.split() == ["pages.server.guards"] * 2

"""What the server's operator sets: the name it is reached under, and allowances."""

from __future__ import annotations

import pytest

from fpanon_core.model.errors import ConfigError
from pages.server.environment import PUBLIC_VARIABLE, SESSION_VARIABLE, Allowances, Place, public


@pytest.mark.parametrize(
    ("told", "origin", "name"),
    [
        ("https://fpanon.example", "https://fpanon.example", "fpanon.example"),
        ("https://FPanon.example/", "https://fpanon.example", "fpanon.example"),
        ("https://fpanon.example:443", "https://fpanon.example", "fpanon.example"),
        ("https://fpanon.example:8443", "https://fpanon.example:8443", "fpanon.example"),
        (" http://10.0.0.7:8080 ", "http://10.0.0.7:8080", "10.0.0.7"),
        ("https://[::1]:8443", "https://[::1]:8443", "::1"),
    ],
)
def test_a_public_address(told, origin, name):
    place = public({PUBLIC_VARIABLE: told})
    assert (place.origin, place.name) == (origin, name)
    assert Place.of("http", "localhost", 80).host == "localhost"
    assert Place.of("https", "localhost", 80).host == "localhost:80"


@pytest.mark.parametrize("told", [{}, {PUBLIC_VARIABLE: ""}, {PUBLIC_VARIABLE: " "}])
def test_without_one(told):
    assert public(told) is None


@pytest.mark.parametrize(
    "told",
    [
        "fpanon.example",
        "ftp://fpanon.example",
        "https://:8443",
        "https://*",
        "https://*.example",
        "https://fpanon.example/office",
        "https://fpanon.example?a=1",
        "https://fpanon.example#a",
        "https://someone:secret@fpanon.example",
        "https://fpanon.example:port",
        "https://fpanon.example:99999",
        "https://fpanon.example, https://other.example",
        "https://fpanon.example\\@other.example",
        "https://fpanön.example",
        "https://fpanon .example",
        "https://fpa\nnon.example",
    ],
)
def test_a_wrong_one_is_told_without_being_quoted(told):
    with pytest.raises(ConfigError, match=PUBLIC_VARIABLE) as error:
        public({PUBLIC_VARIABLE: told})
    assert told not in str(error.value)


def test_allowances_are_usual_or_set() -> None:
    assert Allowances.of({}) == Allowances(15.0, 600.0, 2000.0)
    assert Allowances.of({"FPANON_GRACE_MIN": " "}).grace_s == 900
    said = {"FPANON_GRACE_MIN": "0.5", "FPANON_UPLOAD_MB_SESSION": "10", "FPANON_UPLOAD_MB": "20"}
    assert Allowances.of(said) == Allowances(0.5, 10.0, 20.0)


@pytest.mark.parametrize("name", ["FPANON_GRACE_MIN", "FPANON_UPLOAD_MB", SESSION_VARIABLE])
@pytest.mark.parametrize("said", ["0", "-1", "nan", "inf", "1e9", "soon"])
def test_an_allowance_that_cannot_be_meant_is_refused_by_name(name: str, said: str) -> None:
    with pytest.raises(ConfigError, match=name):
        Allowances.of({name: said})

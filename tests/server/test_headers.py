"""What every answer tells the browser."""

from __future__ import annotations

import re

import pytest
import streamlit.file_util

from pages.server.door import Door, Headers, policy
from pages.server.environment import Place
from tests.server.asgi import Behind, ask, headers_of

COOKIE = (b"set-cookie", b"_streamlit_xsrf=2|a|b|1; Path=/; SameSite=Lax")


def directives():
    return {part.split()[0]: set(part.split()[1:]) for part in policy().split("; ")}


@pytest.mark.parametrize("path", ["/", "/data", "/media/a.csv", "/_stcore/health", "/nowhere"])
def test_on_every_answer(path):
    for app in (Headers(Behind()), Headers(Door(Behind(), names=["localhost"]))):
        told = headers_of(ask(app, path))
        assert told["content-security-policy"] == policy()
        assert told["x-content-type-options"] == "nosniff"
        assert told["x-frame-options"] == "DENY"
        assert told["referrer-policy"] == "no-referrer"
        assert told["cross-origin-opener-policy"] == "same-origin"
        assert told["cross-origin-resource-policy"] == "same-origin"
        assert told["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("path", "cached"),
    [("/media/a.csv", "no-store"), ("/static/js/index.DormvYxC.js", "public, immutable")],
)
def test_what_streamlit_says_otherwise_gives_way_but_for_files_named_by_their_digest(path, cached):
    said = Behind((b"cache-control", b"public, immutable"), (b"x-frame-options", b"SAMEORIGIN"))
    told = headers_of(ask(Headers(said), path))
    assert (told["cache-control"], told["x-frame-options"]) == (cached, "DENY")


def test_nothing_is_loaded_from_elsewhere_nor_sent_there():
    own = {"'self'", "data:", "blob:", "'none'", "'unsafe-inline'", "'wasm-unsafe-eval'"}
    for name, sources in directives().items():
        elsewhere = {s for s in sources - own if not re.fullmatch(r"'sha256-[\w+/]+='", s)}
        assert not elsewhere, name
    told = directives()
    assert told["default-src"] == told["object-src"] == told["frame-ancestors"] == {"'none'"}
    assert told["img-src"] == {"'self'", "data:", "blob:"}
    assert told["connect-src"] == told["form-action"] == told["base-uri"] == {"'self'"}
    assert not told["script-src"] & {"'unsafe-inline'", "'unsafe-eval'", "data:", "blob:"}


def test_the_digest_is_that_of_the_page_that_is_served(tmp_path, monkeypatch):
    (tmp_path / "index.html").write_text("<script>a()</script><script src='b'></script>")
    monkeypatch.setattr(streamlit.file_util, "get_static_dir", lambda: str(tmp_path))
    # printf 'a()' | openssl dgst -sha256 -binary | base64
    assert "'sha256-qVpDBgj7bpq5hMAcGp3AOc79J3Y1Z4HvySTwKrWDoy4='" in policy()


@pytest.mark.parametrize(("scheme", "mark"), [("http", b""), ("https", b"; Secure")])
def test_cookies_are_for_https_alone_where_it_is_public_and_marked_once(scheme, mark):
    behind = Behind(COOKIE, (b"set-cookie", b"a=b; Secure"))
    answer = ask(Headers(behind, public=Place(scheme, "fpanon.example")))
    cookies = [value for key, value in answer[0]["headers"] if key == b"set-cookie"]
    assert cookies == [COOKIE[1] + mark, b"a=b; Secure"]

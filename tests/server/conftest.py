"""Sessions of two browsers, by a clock of the test's own."""

from __future__ import annotations

import pytest

from pages.server.lives import Registry
from pages.server.owners import owner

from .asgi import OTHER, TOKEN, cookie, scope_of


@pytest.fixture
def registry() -> Registry:
    """With a session "s" of one browser, and "t" of another; ``now`` is the time."""
    now = [0.0]
    registry = Registry(900.0, lambda: now[0])
    registry.now = now  # type: ignore[attr-defined]
    for session, token in (("s", TOKEN), ("t", OTHER)):
        registry.claim(session, registry.opened(owner(scope_of(cookie=cookie(token))))[0])
    return registry

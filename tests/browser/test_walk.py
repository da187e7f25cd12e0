"""Every page in every state, at three sizes, by day and by night: nothing off, cut or on top.

Pictures of all of them are left in ``build/walk``, to be looked at.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from pages.shell import navigation
from tests.browser.dashboard import LONG_MS, Dashboard
from tests.browser.layout import cut, off_the_screen, overlapping
from tests.browser.server import Server
from tests.browser.test_access import serious

# Minutes of work, and not all of it green yet: `make walk` runs it, and CI does not.
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif("FPANON_WALK" not in os.environ, reason="only by make walk"),
]

PICTURES = Path(__file__).resolve().parents[2] / "build" / "walk"
SIZES = ((1440, 900), (1920, 1080), (1024, 768))
SCHEMES = ("light", "dark")
MOST_BYTES = 2_000_000
# Text alone: what stands there needs no figure.
TEXT = {"method"}


def looked_at(dashboard: Dashboard, state: str, *, figure: bool) -> list[str]:
    """What is wrong with all pages of a session, in all sizes and both schemes."""
    page, wrong = dashboard.page, []
    for place in navigation.PLACES:
        dashboard.seen.received.clear()
        dashboard.turn_to(place.title)
        if state == "loaded":
            dashboard.wait_until_idle()
        sent = sum(map(len, dashboard.seen.received))
        if sent > MOST_BYTES:
            wrong.append(f"{place.folder} {state}: {sent:,} bytes were sent")
        for scheme in SCHEMES:
            dashboard.turn_to_scheme(scheme)
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                dashboard.rest()
                name = f"{place.folder}_{state}_{width}x{height}_{scheme}"
                page.screenshot(path=PICTURES / f"{name}.png")
                found = [*cut(page), *overlapping(page)]
                if figure and place.folder not in TEXT:
                    found += off_the_screen(page)
                wrong += [f"{name}: {each}" for each in found]
            page.set_viewport_size({"width": 1440, "height": 900})
            wrong += [f"{place.folder} {state} {scheme}: {each}" for each in serious(dashboard)]
    (PICTURES / f"{state}.txt").write_text("\n".join(wrong), encoding="utf-8")
    return wrong


@pytest.fixture(autouse=True, scope="module")
def folder() -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)


def test_with_nothing_open(dashboard: Dashboard) -> None:
    dashboard.go()
    assert looked_at(dashboard, "empty", figure=False) == []


def test_while_everything_waits(open_dashboard: Callable[..., Dashboard], server: Server) -> None:
    dashboard = open_dashboard()
    dashboard.go()
    dashboard.press("start_sf_cabs")
    dashboard.says("May these data be released")
    expect(dashboard.page.locator(".st-key-bar_data")).to_be_visible()
    with server.held():
        assert looked_at(dashboard, "waiting", figure=False) == []


def test_where_work_failed(open_dashboard: Callable[..., Dashboard], server: Server) -> None:
    dashboard = open_dashboard()
    dashboard.go()
    dashboard.press("start_sf_cabs")
    expect(dashboard.page.locator(".st-key-bar_data")).to_be_visible()
    for place in ("anonymizability", "disclosure", "aggregates", "unicity"):
        with server.held():
            dashboard.turn_to(navigation.place(place).title)
            dashboard.settle()
            for child in server.workers():
                server.kill(child)
    assert looked_at(dashboard, "failed", figure=False) == []


def test_with_everything_measured(open_dashboard: Callable[..., Dashboard]) -> None:
    dashboard = open_dashboard()
    page = dashboard.page
    dashboard.go()
    dashboard.press("start_sf_cabs")
    numbers = page.get_by_test_id("stMetricValue")
    expect(numbers).to_have_count(4, timeout=LONG_MS)
    for at in range(4):
        expect(numbers.nth(at)).to_have_text(re.compile(r"\d"), timeout=LONG_MS)
    dashboard.press("overview_find_go")
    expect(page.locator(".st-key-overview_cancel")).to_have_count(1, timeout=LONG_MS)
    expect(page.locator(".st-key-overview_cancel")).to_have_count(0, timeout=3 * LONG_MS)
    dashboard.turn_to("Hide everyone")
    dashboard.hide_everyone()
    for place in navigation.PLACES:  # each measures what it shows before it is looked at
        dashboard.turn_to(place.title)
        dashboard.wait_until_idle()
    assert looked_at(dashboard, "loaded", figure=True) == []

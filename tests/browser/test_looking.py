"""Looking changes nothing: every popover and expander of every page is opened, closed and left.

What there is to open is found on the pages. Each is opened three times, and closed in another way
each time: at first after all pages were seen, then after going elsewhere, then after a reload.
"""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, expect

from pages.shell import navigation
from tests.browser.dashboard import LONG_MS, Dashboard

pytestmark = pytest.mark.browser

# Of several pages, none as usual: what is lost then cannot look as if it were kept.
ASKED = "/?slot=30&people=300&link=250&p=3&points=random&seed=7&off_m=200&off_min=10&k=2,5&d=20"
AT_LEAST = 30
"""So many different popovers and expanders there are; with fewer, the search has gone blind."""

BAR, MAIN = ".st-key-bar", "[data-testid=stMain]"
# What a part of the page says and holds, but for figures (drawn late) and what is folded in it.
_HOLDS = """(root, folded) => {
    const seen = e => folded || !e.closest('[data-testid=stExpanderDetails]');
    const every = selector => [...root.querySelectorAll(selector)].filter(seen);
    const state = e => ['aria-checked', 'aria-pressed', 'aria-selected'].map(
        name => e.getAttribute(name)).join();
    return {
        texts: every('[data-testid=stMarkdownContainer], [data-testid=stMetricValue]')
            .filter(e => !e.closest('[data-testid=stProgress]'))
            .map(e => e.textContent.trim()),
        fields: every('input, textarea').filter(e => e.type !== 'file').map(
            e => ['checkbox', 'radio'].includes(e.type) ? e.checked : e.value),
        chosen: every('[role=radio], [role=switch], [role=checkbox], [data-baseweb=select]').map(
            e => state(e) + e.textContent.trim()),
        buttons: every('button').filter(
            e => !e.closest('[data-testid=stElementToolbar], .js-plotly-plot')).map(
            e => e.textContent.trim() + (e.disabled ? ' (disabled)' : '')),
    };
}"""


@dataclass(frozen=True)
class Folded:
    """A popover or an expander on the page, told by its words."""

    dashboard: Dashboard
    name: str
    at: int

    @property
    def _is_popover(self) -> bool:
        return self.name.startswith("popover")

    @property
    def _button(self) -> Locator:
        test_id = "stPopoverButton" if self._is_popover else "stExpander"
        found = self.dashboard.page.get_by_test_id(test_id).nth(self.at)
        return found if self._is_popover else found.locator("summary")

    @property
    def _body(self) -> Locator:
        page = self.dashboard.page
        if self._is_popover:
            return page.get_by_test_id("stPopoverBody")
        return page.get_by_test_id("stExpander").nth(self.at).locator("details[open]")

    def open(self) -> dict[str, Any]:
        """Press it; what it says and holds."""
        self.dashboard.insist(
            lambda: None if self._body.count() else self._button.click(),
            lambda ms: self._body.wait_for(timeout=ms),
        )
        self.dashboard.rest()
        found: dict[str, Any] = self._body.evaluate(_HOLDS, True)
        return found

    def close(self, way: Callable[[Folded], object]) -> None:
        """In a way; what that leaves open is closed by its button."""
        way(self)
        if not self._is_popover and self._body.count():
            self._button.click()
        expect(self._body).to_have_count(0)
        self.dashboard.rest()

    def escape(self) -> None:
        """By the key."""
        self.dashboard.page.keyboard.press("Escape")

    def click_elsewhere(self) -> None:
        """On nothing: the empty corner of the page."""
        width = self.dashboard.page.viewport_size["width"]
        self.dashboard.page.mouse.click(width - 30, 890)

    def press_again(self) -> None:
        """By the button that opened it."""
        self._button.click()


def every_folded(dashboard: Dashboard) -> Iterator[Folded]:
    """All there are on the page now, those folded in others left out."""
    page = dashboard.page
    for kind, test_id in (("popover", "stPopoverButton"), ("expander", "stExpander")):
        for at, each in enumerate(page.get_by_test_id(test_id).all()):
            button = each if kind == "popover" else each.locator("summary")
            if button.is_visible() and button.is_enabled() and not _open(kind, each):
                words = button.locator("[data-testid=stMarkdownContainer]").first.text_content()
                yield Folded(dashboard, f"{kind} {(words or '').strip()}", at)


def _open(kind: str, each: Locator) -> bool:
    """Whether the page shows it open from the beginning."""
    return kind == "expander" and bool(each.locator("details[open]").count())


def picture(dashboard: Dashboard) -> dict[str, Any]:
    """What the page says, holds and offers, and its address."""
    found: dict[str, Any] = dashboard.page.locator(MAIN).evaluate(_HOLDS, False)
    return found | {"address": urlsplit(dashboard.page.url).query}


def downloads(dashboard: Dashboard) -> dict[str, str]:
    """A digest of what each download button of the page gives."""
    found = {}
    for button in dashboard.page.get_by_test_id("stDownloadButton").all():
        if button.is_visible() and button.locator("button").is_enabled():
            with dashboard.page.expect_download() as got:
                button.locator("button").click()
            with open(got.value.path(), "rb") as file:
                found[got.value.suggested_filename] = _digest(file.read())
            dashboard.rest()
    return found


def _digest(content: bytes) -> str:
    """Of a zip, of what is in it but when it was made."""
    if not content.startswith(b"PK"):
        return hashlib.sha256(content).hexdigest()
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return str(sorted((each.filename, each.CRC) for each in packed.infolist()))


def _measured(dashboard: Dashboard) -> None:
    """A sample with settings of one's own, all of it measured, and a release."""
    page = dashboard.page
    dashboard.go(ASKED)
    dashboard.open_sample("taxis")
    numbers = page.get_by_test_id("stMetricValue")
    for at in range(4):
        expect(numbers.nth(at)).to_have_text(re.compile(r"\d"), timeout=LONG_MS)
    dashboard.press("overview_find_go")
    expect(page.locator(".st-key-overview_cancel")).to_have_count(1, timeout=LONG_MS)
    expect(page.locator(".st-key-overview_cancel")).to_have_count(0, timeout=3 * LONG_MS)
    dashboard.turn_to("Hide everyone")
    dashboard.hide_everyone()


def test_looking_changes_nothing(open_dashboard: Callable[..., Dashboard]) -> None:
    dashboard = open_dashboard()
    _measured(dashboard)
    for place in navigation.PLACES:  # each measures what it shows
        dashboard.turn_to(place.title)
        dashboard.wait_until_idle()
    before, files = {}, {}
    for place in navigation.PLACES:
        dashboard.turn_to(place.title)
        dashboard.wait_until_idle()
        dashboard.rest()
        before[place.title] = picture(dashboard)
        files[place.title] = downloads(dashboard)
    assert sum(map(len, files.values())) >= 5
    held: dict[tuple[str, str], dict[str, Any]] = {}
    wrong = []
    for way in (Folded.escape, Folded.click_elsewhere, Folded.press_again):
        for place in navigation.PLACES:
            dashboard.turn_to(place.title)
            if way is Folded.press_again:
                dashboard.page.reload()
                dashboard.page.locator("h1").first.wait_for()
            dashboard.wait_until_idle()
            dashboard.rest()
            wrong += _differs(f"{place.title} by {way.__name__}", before[place.title], dashboard)
            for each in list(every_folded(dashboard)):
                found = each.open()
                was = held.setdefault((place.title, each.name), found)
                if was != found:
                    wrong.append(f"{place.title}, {each.name}: held {_change(was, found)}")
                each.close(way)
            wrong += _differs(f"{place.title} after {way.__name__}", before[place.title], dashboard)
    for place in navigation.PLACES:
        dashboard.turn_to(place.title)
        dashboard.wait_until_idle()
        dashboard.rest()
        if (now := downloads(dashboard)) != files[place.title]:
            wrong.append(f"{place.title}: downloads {_change(files[place.title], now)}")
    assert wrong == []
    assert len(held) >= AT_LEAST, sorted(held)


def _differs(when: str, before: dict[str, Any], dashboard: Dashboard) -> list[str]:
    now = picture(dashboard)
    return [] if now == before else [f"{when}: {_change(before, now)}"]


def _change(before: dict[str, Any], now: dict[str, Any]) -> str:
    """The parts that are not as they were."""
    told = []
    for name in sorted({*before, *now}):
        was, is_now = before.get(name), now.get(name)
        if was != is_now and isinstance(was, list) and isinstance(is_now, list):
            was, is_now = (
                [each for each in was if each not in is_now] or len(was),
                [each for each in is_now if each not in was] or len(is_now),
            )
        if was != is_now:
            told.append(f"{name} from {was} to {is_now}")
    return "; ".join(told)

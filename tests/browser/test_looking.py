"""Looking changes nothing: every popover and expander of every page is opened, closed and left.

The test finds them on the pages. It opens each twice, and closes popovers in three ways by turns.
Then it visits every page again, and once more after a reload.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Download, Locator, expect

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

    def close(self, turn: int) -> None:
        """By the key, by a click elsewhere or by its button; an expander has only the last way."""
        ways = (self._button.click, self._escape, self._click_elsewhere)
        ways[turn % 3 if self._is_popover else 0]()
        expect(self._body).to_have_count(0)
        self.dashboard.rest()

    def _escape(self) -> None:
        self.dashboard.page.keyboard.press("Escape")

    def _click_elsewhere(self) -> None:
        """On nothing: the empty corner of the page."""
        width = self.dashboard.page.viewport_size["width"]
        self.dashboard.page.mouse.click(width - 30, 890)


def every_folded(dashboard: Dashboard) -> Iterator[Folded]:
    """All there are on the page now, those folded in others left out."""
    page = dashboard.page
    for kind, test_id in (("popover", "stPopoverButton"), ("expander", "stExpander")):
        for at, each in enumerate(page.get_by_test_id(test_id).all()):
            button = each if kind == "popover" else each.locator("summary")
            if button.is_visible() and button.is_enabled() and not _open(kind, each):
                words = button.locator("[data-testid=stMarkdownContainer]").first.text_content()
                yield Folded(dashboard, f"{kind} {at}: {(words or '').strip()}", at)


def _open(kind: str, each: Locator) -> bool:
    """Whether the page shows it open from the beginning."""
    return kind == "expander" and bool(each.locator("details[open]").count())


def picture(dashboard: Dashboard) -> dict[str, Any]:
    """What the page says, holds and offers, and its address."""
    found: dict[str, Any] = dashboard.page.locator(MAIN).evaluate(_HOLDS, False)
    return found | {"address": urlsplit(dashboard.page.url).query}


def downloads(dashboard: Dashboard) -> dict[str, str]:
    """A digest of what each download button of the page gives, those folded away too."""
    found = {}
    folded = dashboard.page.get_by_test_id("stExpander").filter(has_text="the figures' numbers")
    for each in folded.all():
        each.locator("summary").click()
        dashboard.rest()
    for button in dashboard.page.get_by_test_id("stDownloadButton").all():
        if button.is_visible() and button.locator("button").first.is_enabled():
            with dashboard.page.expect_download() as got:
                button.locator("button").first.click()
            with open(got.value.path(), "rb") as file:
                found[got.value.suggested_filename] = _digest(file.read(), got.value)
            dashboard.rest()
    for each in folded.all():
        each.locator("summary").click()
    dashboard.rest()
    return found


def _digest(content: bytes, file: Download) -> str:
    """Of a zip, of what is in it but when it was made; the length where each has new pseudonyms."""
    if "_not_for_release" in file.suggested_filename:
        return str(len(content))
    if not content.startswith(b"PK"):
        return hashlib.sha256(content).hexdigest()
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return str(sorted((each.filename, each.CRC) for each in packed.infolist()))


def _ready(dashboard: Dashboard, place: str) -> dict[str, Any]:
    """The page, once all that it measures by itself is there."""
    dashboard.turn_to(place)
    awaited = dashboard.page.get_by_test_id("stMetricValue").filter(has_text="…")
    # A job may begin with a page's last run, after nothing seemed to be under way.
    for _ in range(5):
        dashboard.rest()
        dashboard.wait_until_idle()
        expect(awaited).to_have_count(0, timeout=LONG_MS)
        dashboard.rest()
        if not dashboard.page.get_by_test_id("stProgress").count():
            break
    return picture(dashboard)


def test_looking_changes_nothing(open_dashboard: Callable[..., Dashboard]) -> None:
    dashboard = open_dashboard()
    dashboard.go(ASKED)
    dashboard.open_sample("taxis")
    places = [place.title for place in navigation.PLACES]
    for place in places:  # each measures what it shows, and others show it, too
        _ready(dashboard, place)
    before, files = {}, {}
    for place in places:
        before[place] = _ready(dashboard, place)
        files[place] = downloads(dashboard)
    assert sum(map(len, files.values())) >= 5
    held: dict[tuple[str, str], dict[str, Any]] = {}
    wrong = []
    for place in places:
        wrong += _differs(f"{place}, come back to", before[place], _ready(dashboard, place))
        for at, each in enumerate(list(every_folded(dashboard))):
            for turn in (at, at + 1):
                found = each.open()
                was = held.setdefault((place, each.name), found)
                wrong += _differs(f"{place}, {each.name}, turn {turn}", was, found)
                each.close(turn)
        wrong += _differs(f"{place}, all closed", before[place], picture(dashboard))
    for place in places:
        wrong += _differs(f"{place} at the end", before[place], _ready(dashboard, place))
        wrong += _differs(f"Downloads of {place}", files[place], downloads(dashboard))
    dashboard.page.reload()
    dashboard.page.locator("h1").first.wait_for()
    for place in places:
        wrong += _differs(f"{place} after a reload", before[place], _ready(dashboard, place))
    assert not wrong, "\n".join(wrong)
    assert len(held) >= AT_LEAST, sorted(held)


def _differs(when: str, before: dict[str, Any], now: dict[str, Any]) -> list[str]:
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

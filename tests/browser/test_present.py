"""The slides on a wall: nothing cut, nothing over another, in every setting; keys, larger type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.dashboard import Dashboard
from tests.browser.layout import cut, overlapping, serious

pytestmark = pytest.mark.browser

SIZES = ((1_280, 720), (1_920, 1_080))
SLIDES = [
    "May these data be released?",
    "Who can be singled out without protection?",
    "What is published about one person?",
    "What does the release keep?",
    "What does an attacker find, before and after protection?",
    "What was decided?",
]
PARTS = ("present_corner", "present_heading", "main_figure", "present_sentence")
# Boxes of the slide's parts, of the maps and figures in it, and whether anything scrolls.
_BOXES = """parts => {
    const box = e => { const {x, y, right, bottom} = e.getBoundingClientRect();
                       return [x, y, right, bottom]; };
    const of = name => document.querySelector(`[data-testid=stMain] .st-key-${name}`);
    const main = document.querySelector('[data-testid=stMain]');
    const inner = main.querySelectorAll(
        '[data-testid=stDeckGlJsonChart], .js-plotly-plot, .st-key-main_figure p');
    return {
        parts: parts.map(name => box(of(name))),
        inner: [...inner].filter(e => e.checkVisibility()).map(box),
        scrolls: main.scrollHeight - main.clientHeight,
        size: [innerWidth, innerHeight],
    };
}"""


def walked(dashboard: Dashboard) -> Iterator[str]:
    """Every slide in turn, once it is drawn, by its question."""
    page = dashboard.page
    for number in range(1, len(SLIDES) + 1):
        expect(page.locator(".st-key-present_corner")).to_contain_text(f"{number} of {len(SLIDES)}")
        dashboard.wait_until_idle()
        dashboard.rest()
        yield page.locator(".st-key-present_heading h1").inner_text()
        if number < len(SLIDES):
            page.keyboard.press("ArrowRight")
    for number in range(len(SLIDES) - 1, 0, -1):
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".st-key-present_corner")).to_contain_text(f"{number} of {len(SLIDES)}")


def faults(page: Page) -> list[str]:
    """What lies off the screen, or on something else."""
    found = page.evaluate(_BOXES, list(PARTS))
    wide, high = found["size"]
    named = [*zip(PARTS, found["parts"], strict=True), *(("a figure", b) for b in found["inner"])]
    told = [
        f"{name} off the screen: {box}"
        for name, box in named
        if box[0] < 0 or box[1] < 0 or box[2] > wide + 1 or box[3] > high + 1
    ]
    told += [
        f"{a} on {b}: {p} {q}"
        for (a, p), (b, q) in combinations(named[: len(PARTS)], 2)
        if min(p[2], q[2]) - max(p[0], q[0]) > 1 and min(p[3], q[3]) - max(p[1], q[1]) > 1
    ]
    if found["scrolls"] > 1:
        told.append(f"it scrolls by {found['scrolls']} px")
    return told + cut(page) + overlapping(page)


def chosen(dashboard: Dashboard) -> str:
    """The synthetic people, and an option of records chosen on Release options; its name."""
    page = dashboard.page
    dashboard.go("/data")
    dashboard.open_sample_in_data("people", 2_000)
    dashboard.turn_to("Release options")
    expect(page.locator(".st-key-options_front .js-plotly-plot")).to_have_count(1)
    dashboard.wait_until_idle()
    name = "regions by district · 6 h"
    dashboard.keep_choice(name, "The ministry asked for it.")
    dashboard.wait_until_idle()
    return name


def test_every_slide_is_whole_and_names_the_option_in_every_setting(
    open_dashboard: Callable[..., Dashboard], tmp_path: Path
) -> None:
    width, height = SIZES[0]
    dashboard = open_dashboard(viewport={"width": width, "height": height})
    page = dashboard.page
    name = chosen(dashboard)
    dashboard.turn_to("Present")
    wrong: list[str] = []
    for alone in (False, True):
        if alone:
            page.keyboard.press("f")
            expect(page.get_by_test_id("stSidebar")).to_be_hidden()
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            seen = []
            for title in walked(dashboard):
                seen.append(title)
                page.screenshot(
                    path=tmp_path / f"{height}_{'alone' if alone else 'menu'}_{title}.png"
                )
                where = f"{width} x {height}, {'alone' if alone else 'with the menu'}, {title}"
                wrong += [f"{where}: {fault}" for fault in faults(page)]
                if (
                    f"Chosen option: {name}"
                    not in page.locator(".st-key-present_heading").inner_text()
                ):
                    wrong.append(f"{where}: which option it is of is not said")
            assert seen == SLIDES
    page.keyboard.press("f")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    assert not wrong, "\n".join(wrong)
    assert not serious(dashboard)

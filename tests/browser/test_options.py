"""The Release options view in a real browser: the 3 × 4 preset, its front, asked utility, pins."""

from __future__ import annotations

from io import StringIO

import pandas as pd
import pytest
from playwright.sync_api import expect

from tests.browser.dashboard import LONG_MS, Dashboard, colours

pytestmark = pytest.mark.browser
_MAP = ".st-key-pair_options_maps_0 [data-testid=stDeckGlJsonChart]"
_DOTS = """key => {
    const plot = document.querySelector(`.st-key-${key} .js-plotly-plot`);
    if (!plot || !plot._fullLayout) return [];
    const {xaxis, yaxis} = plot._fullLayout, box = plot.getBoundingClientRect();
    return plot._fullData.filter(t => t.customdata).flatMap(t => t.customdata.map((c, i) =>
        [c[0], c[1], box.left + xaxis._offset + xaxis.l2p(t.x[i]),
         box.top + yaxis._offset + yaxis.l2p(t.y[i])]));
}"""
_DRAWN = "([key, count, axis]) => { const plot = document.querySelector(" \
    "`.st-key-${key} .js-plotly-plot`); return plot && plot._fullLayout" \
    " && plot._fullLayout.yaxis.title.text.includes(axis) && plot._fullData.filter(" \
    "t => t.customdata).reduce((n, t) => n + t.x.length, 0) === count; }"  # fmt: skip


def wait_for_dots(dashboard: Dashboard, count: int, axis: str) -> None:
    dashboard.page.wait_for_function(_DRAWN, arg=["options_front", count, axis], timeout=LONG_MS)
    dashboard.settle()


def test_the_front_of_the_preset_and_what_experts_say(dashboard: Dashboard) -> None:
    page = dashboard.page
    dashboard.go("/anonymizability?profiles=100x1")
    dashboard.turn_to("Start")
    dashboard.open_sample("Open the synthetic users")
    expect(page.locator("h1")).to_have_text("Anonymizability", timeout=LONG_MS)
    dashboard.settle()
    dashboard.turn_to("Release options")
    wait_for_dots(dashboard, 12, "unicity")
    dashboard.wait_until_idle()
    dashboard.says("are dominated: “")
    assert colours(dashboard.picture_of(".st-key-options_front")) > 20

    # Another measure of risk is drawn at once: no progress bar comes.
    page.locator(".st-key-options_risk").get_by_text("EM-disclosure").click()
    wait_for_dots(dashboard, 12, "EM")
    expect(page.get_by_test_id("stProgress")).to_have_count(0)

    # A click on a dot pins the option, and its release is drawn.
    page.locator(".st-key-options_front .js-plotly-plot").scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    _, name, x, y = page.evaluate(_DOTS, "options_front")[0]
    page.mouse.move(x - 3, y)
    page.mouse.move(x, y, steps=4)
    page.mouse.click(x, y)
    pinned = page.locator(".st-key-options_pinned")
    expect(pinned.get_by_text(name)).to_be_visible(timeout=LONG_MS)
    dashboard.says("a record that somebody else has")
    dashboard.wait_until_idle()
    assert colours(dashboard.picture_of(_MAP)) > 50

    # What experts answered, by the template filled in.
    page.locator(".st-key-options_utility").get_by_text("asked of experts").click()
    dashboard.says("as soon as there is a questionnaire")
    sheet = pd.read_csv(StringIO(dashboard.download("options_template")), dtype={"expert": str})
    sheet["score"] = [(7 * i) % 11 for i in range(len(sheet))]
    sheet.loc[0, "score"] = 12
    files = page.locator(".st-key-options_file input[type=file]")
    body = sheet.to_csv(index=False).encode()
    files.set_input_files({"name": "answers.csv", "mimeType": "text/csv", "buffer": body})
    dashboard.says("1 row of the questionnaire could not be used")
    dashboard.says("3 experts, 36 scores")  # the first domain; the row left out is of the other
    wait_for_dots(dashboard, 12, "EM")
    table = pd.read_csv(StringIO(dashboard.download("options_get_options_csv")))
    assert {"option", "risk", "utility", "front"} <= set(table.columns)

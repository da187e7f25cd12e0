"""The slides on a wall: larger type, keys, nothing around; and lines of one's own under the map."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.dashboard import Dashboard

pytestmark = pytest.mark.browser

ROADS = {"type": "LineString", "coordinates": [[0.5, 23.5], [1.5, 24.5]]}


def test_a_slide_stands_alone_over_lines_of_ones_own_and_asks_nobody_for_anything(
    open_dashboard: Callable[..., Dashboard],
) -> None:
    dashboard = open_dashboard()
    page = dashboard.page
    dashboard.go("/data")
    dashboard.open_sample_in_data("people", 2_000)
    dashboard.unfold("data_background")
    file = {"name": "roads.geojson", "mimeType": "application/json"}
    page.locator(".st-key-data_background input[type=file]").set_input_files(
        file | {"buffer": json.dumps(ROADS).encode()}
    )
    expect(page.locator(".st-key-data_background_read button")).to_be_enabled()
    dashboard.press("data_background_read", "1 line of 2 points lie")
    dashboard.turn_to("Present")
    dashboard.says("A column counts the people recorded in a hexagon")
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar).to_be_visible()
    page.keyboard.press("f")
    expect(sidebar).to_be_hidden()
    expect(page.locator("h1")).to_have_count(1)
    size = page.locator(".st-key-present_sentence p").evaluate(
        "p => parseFloat(getComputedStyle(p).fontSize)"
    )
    assert size >= 20
    page.keyboard.press("f")
    expect(sidebar).to_be_visible()
    assert dashboard.seen.strangers(dashboard.address) == []

"""The Unicity view in a real browser: every figure drawn, the map of regions."""

from __future__ import annotations

from io import StringIO

import pandas as pd
import pytest
from playwright.sync_api import expect

from tests.browser.dashboard import Dashboard, colours

pytestmark = pytest.mark.browser
_MAP = ".st-key-pair_unicity_regions [data-testid=stDeckGlJsonChart]"


def test_the_whole_view_is_drawn(taxis: Dashboard) -> None:
    dashboard, page = taxis, taxis.page
    dashboard.turn_to("Who can be found")
    for more in ("unicity_law", "unicity_merging", "unicity_why"):
        dashboard.unfold(more)
    for key, names in (
        (
            "unicity_by_p",
            ["unique", "one of 2 at most", "one of 5 at most", "one of 10 at most"],
        ),
        ("unicity_by_strategy", ["random", "uniform", "top", "consecutive"]),
        ("unicity_laws", ["p = 2", "p = 4", "p = 6", "p = 8"]),
    ):
        legend = page.locator(f".st-key-{key} .legendtext")
        expect(legend).to_have_text(names)
    cells = page.locator(".st-key-unicity_heat .heatmaplayer image, .st-key-unicity_heat .hm")
    expect(cells.first).to_be_attached()
    expect(page.locator(".st-key-unicity_heat .heatmap-label")).to_have_count(36)
    expect(page.locator(".st-key-unicity_sparsity .legendtext")).to_have_count(2)
    dashboard.says("become")
    dashboard.wait_until_idle()
    assert colours(dashboard.picture_of(_MAP, lambda drawn: colours(drawn) > 50)) > 50
    for name, column in (
        ("unicity", "out_of"),
        ("unicity_grid", "space_size"),
        ("points_needed", "anonymity_set"),
        ("scaling_laws", "beta_se"),
        ("sparsity", "p_unique"),
        ("merged_antennas", "antennas"),
    ):
        assert column in pd.read_csv(StringIO(dashboard.download(f"unicity_get_{name}"))).columns

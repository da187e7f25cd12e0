"""The Disclosure view in a real browser: every figure drawn, the map, the explainer, the files."""

from __future__ import annotations

from io import StringIO

import pandas as pd
import pytest
from playwright.sync_api import expect

from tests.browser.dashboard import Dashboard, colours
from tests.browser.layout import serious

pytestmark = pytest.mark.browser
_MAP = ".st-key-pair_disclosure_leak [data-testid=stDeckGlJsonChart]"


def test_the_whole_view_is_drawn(people: Dashboard) -> None:
    dashboard, page = people, people.page
    dashboard.turn_to("What is learnt")
    expect(page.locator(".st-key-disclosure_main .scatterlayer .trace")).to_have_count(1)
    for more in ("disclosure_all", "disclosure_agreement"):
        dashboard.unfold(more)
    legend = page.locator(".st-key-disclosure_over_profiles .legendtext")
    expect(legend).to_have_text(["p = 3", "p = 4", "p = 5"])
    series = page.locator(".st-key-disclosure_over_profiles .scatterlayer .trace")
    expect(series).to_have_count(6)
    expect(page.locator(".st-key-disclosure_tau .heatmap-label")).to_have_count(15)
    cells = page.locator(".st-key-disclosure_week .heatmaplayer image")
    expect(cells.first).to_be_attached()
    expect(page.locator(".st-key-disclosure_lorenz .legendtext")).to_have_count(3)
    dashboard.says("Unicity at 4 points and")
    dashboard.wait_until_idle()  # or the answer, once it comes, closes what was opened
    dashboard.unfold("disclosure_example")
    dashboard.says("k-disclosure 0.5417")
    expect(page.locator(".st-key-disclosure_example table tr")).to_have_count(5)
    dashboard.wait_until_idle()
    assert colours(dashboard.picture_of(_MAP, lambda drawn: colours(drawn) > 50)) > 50
    assert serious(dashboard) == []
    for name, column in (
        ("disclosure", "em_low"),
        ("agreement", "discordant_pairs"),
        ("places", "users_a_window"),
        ("hours", "bin_minutes"),
        ("users", "pseudonym"),
        ("lorenz", "share_of_total"),
    ):
        table = pd.read_csv(StringIO(dashboard.download(f"disclosure_get_{name}")))
        assert column in table.columns
        assert len(table)

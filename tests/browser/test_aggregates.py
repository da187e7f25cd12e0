"""The Aggregates view in a real browser: every figure, both maps, the files."""

from __future__ import annotations

from io import StringIO

import pandas as pd
import pytest
from playwright.sync_api import expect

from tests.browser.dashboard import Dashboard, colours

pytestmark = pytest.mark.browser
_ATTACK, _RANDOM = "recovered by the attack", "linked at random"


def test_the_whole_view_is_drawn(taxis: Dashboard) -> None:
    dashboard, page = taxis, taxis.page
    dashboard.turn_to("Would counts be safer")
    legend = page.locator(".st-key-aggregates_steps .legendtext")
    expect(legend).to_have_text([_ATTACK, _RANDOM])
    assert "slot=60" in page.url  # as the address says in which the session began
    assert "seed=5" in page.url
    expect(page.locator(".st-key-aggregates_steps .bartext")).to_have_count(6)
    expect(page.locator(".st-key-aggregates_unique .bartext")).to_have_count(5)
    expect(page.locator(".st-key-aggregates_error .legendtext")).to_have_text([_ATTACK])
    dashboard.unfold("aggregates_one")
    expect(page.locator(".st-key-aggregates_away .js-line").first).to_be_attached()
    for place in ("[data-testid=stMain]", ".st-key-pair_aggregates_person"):
        picture = dashboard.picture_of(
            f"{place} [data-testid=stDeckGlJsonChart]", lambda drawn: colours(drawn) > 30
        )
        assert colours(picture) > 30
    dashboard.says("as taxis do")
    dashboard.unfold("aggregates_varied")
    dashboard.press("recovery_factors_go")
    lines = page.locator(".st-key-aggregates_factors_accuracy .scatterlayer .js-line")
    expect(lines).to_have_count(12)
    dashboard.unfold("aggregates_helps")
    dashboard.press("recovery_remedies_go")
    bars = page.locator(".st-key-aggregates_remedies .bartext")
    expect(bars).to_have_count(18)
    files = {
        "counts": "people",
        "scores": "at_random",
        "errors": "error_m",
        "path": "true_x_m",
        "uniqueness": "unique",
        "mitigations": "count_error",
    }
    for name, column in files.items():
        table = pd.read_csv(StringIO(dashboard.download(f"aggregates_get_{name}")))
        assert column in table.columns
    assert "u0" not in page.url

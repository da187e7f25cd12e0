"""The way through: a sample by one click, the other sample, then a file of one's own."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.dashboard import Dashboard
from tests.browser.tables import flawed

pytestmark = pytest.mark.browser
KS = ["k = 2", "k = 5", "k = 10"]
PROFILES = [
    *("100 m · 1 min", "1 km · 30 min", "2.5 km · 1 h"),
    *("5 km · 2 h", "10 km · 4 h", "20 km · 8 h"),
]


def test_from_one_click_to_a_file_of_ones_own(dashboard: Dashboard) -> None:
    page = dashboard.page
    dashboard.go()

    # One click: the real taxis; by the menu, for three crowds and six profiles.
    dashboard.open_sample("taxis")
    assert page.url == f"{dashboard.address}/"
    dashboard.turn_to("How hard to hide")
    dashboard.wait_for_curves("anon_by_k", KS)
    dashboard.says("496 people")
    dashboard.wait_for_curves("anon_by_profile", PROFILES)
    dashboard.wait_until_idle()
    assert [row[0] for row in dashboard.table("Already k-anonymous", 6)] == PROFILES
    assert page.url == f"{dashboard.address}/anonymizability"
    assert "Synthetic data" not in dashboard.text

    # The generated people, who are said to be so beside every figure.
    dashboard.turn_to("Data")
    dashboard.open_sample_in_data("people", 2_000)
    dashboard.turn_to("How hard to hide")
    dashboard.says("2,000 people")
    dashboard.wait_for_curves("anon_by_k", KS)
    bar = page.get_by_test_id("stMain").locator(".st-key-bar")  # above the figures of every view
    expect(bar.get_by_text("Synthetic data")).to_be_visible()
    assert "San Francisco" not in dashboard.text

    # A file of one's own, in German, with flaws: every row of it is accounted for.
    content, reasons = flawed()
    dashboard.turn_to("Data")
    dashboard.upload("bewegungen.csv", content)
    dashboard.wait_for_data(users=12)
    account = {
        fate: int(rows.replace(",", ""))
        for fate, rows, *_ in dashboard.table("What became of the rows", 3 + len(reasons))
    }
    # No two of the 240 good rows share a person, place and minute but the 5 copies.
    assert account == {"read": 255, "made a sample": 240, "repeated a sample": 5} | reasons
    dashboard.says("Of 255 rows, 245 were used and 10 set aside")
    became = (
        "245 rows became 240 samples: 240 were the first of their person in their place and "
        "minute. 5 more fell into one of those samples"
    )
    page.keyboard.press("Escape")  # other data are open for a choice yet
    details = page.get_by_test_id("stPopoverBody").get_by_text(became)
    dashboard.insist(
        lambda: dashboard.unfold("details_account"),
        lambda ms: expect(details).to_be_visible(timeout=ms),
    )
    page.keyboard.press("Escape")
    assert "Synthetic data" not in bar.inner_text()

    dashboard.ready("data_on").click()
    dashboard.wait_for_view("Overview")
    dashboard.turn_to("How hard to hide")
    dashboard.says("12 people")
    dashboard.wait_for_curves("anon_by_k", KS)
    dashboard.wait_for_curves("anon_by_profile", PROFILES)
    dashboard.wait_until_idle()
    assert "synthetic data" not in dashboard.text.lower()

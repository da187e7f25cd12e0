"""Long work: it survives its process, goes on while one looks elsewhere, and is nobody else's."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Kept
from tests.browser.dashboard import KS, Dashboard
from tests.browser.server import Server
from tests.browser.tables import events, separated

pytestmark = pytest.mark.browser
PROFILES = [
    *("100 m · 1 min", "1 km · 30 min", "2.5 km · 1 h"),
    *("5 km · 2 h", "10 km · 4 h", "20 km · 8 h"),
]
_ITS_TURN = re.compile(r"Measuring at .* so far")  # what waits behind other work has no time yet


@pytest.fixture(autouse=True)
def _nobody_else_computes(kept: Kept, server: Server) -> None:
    """What sessions of earlier tests go on with in the background is not taken for this one's."""
    kept.close_all()
    server.wait_until_alone()


def test_work_goes_on_while_one_looks_elsewhere(dashboard: Dashboard, server: Server) -> None:
    page = dashboard.page
    dashboard.go()
    dashboard.open_sample("people")
    dashboard.turn_to("How hard to hide")
    # Until the finest profile is measured, as Overview asked, it alone is under way.
    dashboard.says(re.compile("more to come"))
    bar = page.locator(".st-key-bar")
    with server.held():  # however long it takes to look there on a busy machine
        dashboard.turn_to("Overview")
        expect(bar.get_by_text(re.compile("Measuring at"))).to_be_visible()
    dashboard.turn_to("Data")
    dashboard.wait_for_data(users=2_000)
    dashboard.wait_until_idle()
    dashboard.turn_to("How hard to hide")
    assert page.get_by_test_id("stProgress").count() == 0
    dashboard.wait_for_curves("anon_by_profile", PROFILES)


def test_two_sessions_compute_at_once_and_see_only_their_own(
    open_dashboard: Callable[..., Dashboard], server: Server
) -> None:
    one, two = open_dashboard(), open_dashboard()
    one.go("/anonymizability?k=2,5,10,100")  # takes longer than all that the other does
    one.turn_to("Overview")
    two.go("/data")
    one.open_sample("people")
    one.turn_to("How hard to hide")
    one.says(_ITS_TURN)
    with server.held(server.busy_worker()):  # however long this takes on a busy machine
        two.upload("somewhere-else.csv", separated(events(40, 30)))
        two.wait_for_data(users=40)
        one.says("Measuring at")
    two.turn_to("How hard to hide")
    one.says("Measuring at")  # still at it while the other one computes
    two.wait_for_curves("anon_by_k", KS)
    one.wait_for_curves("anon_by_k", [*KS, "k = 100"])
    two.wait_until_idle()
    one.wait_until_idle()

    assert "somewhere-else" not in one.text
    assert "40 people" not in one.text
    for theirs in ("Synthetic", "2,000", "u0001"):
        assert theirs not in two.text
    gaps = []
    for dashboard, users in ((one, 2_000), (two, 40)):
        header, *rows = dashboard.download("anon_get_k_gaps").splitlines()
        columns = header.split(",")
        cells = [row.split(",") for row in rows]
        assert len({row[columns.index("pseudonym")] for row in cells}) == users
        gaps.append({row[columns.index("k_gap")] for row in cells})
    telling = max(gaps[0] - gaps[1], key=len)
    assert len(telling) > 8
    assert gaps[1] - gaps[0]
    heard = b"".join(two.seen.received)
    assert b"somewhere-else" in heard
    assert b"Measuring at" in heard
    assert telling.encode() not in heard

"""What cannot be read or measured is refused with a sentence that says what to do."""

from __future__ import annotations

import random
import re

import pytest

from tests.browser.dashboard import Dashboard
from tests.browser.tables import SECRET, events, separated

pytestmark = pytest.mark.browser

_GOOD = events(3, 4)
_UNREADABLE = {
    "empty": (b"", "empty"),
    "binary": (random.Random(0).randbytes(4096), "(?i)text|table|binary"),
    "header alone": (separated([]), "(?i)no (data )?row|header"),
    "no time": (
        "\n".join(["user_id,lat,lon", *(f"{u},{lat},{lon}" for u, _, lat, lon in _GOOD)]).encode(),
        "(?i)time",
    ),
    "all rows bad": (
        separated([(user, "yesterday", lat, lon) for user, _, lat, lon in _GOOD]),
        "(?i)time",
    ),
}


@pytest.mark.parametrize("fault", _UNREADABLE)
def test_a_file_that_cannot_be_read_is_refused_in_a_sentence(
    dashboard: Dashboard, fault: str
) -> None:
    content, named = _UNREADABLE[fault]
    dashboard.go("/data")
    dashboard.upload("records.csv", content)
    told = dashboard.error()
    _is_a_sentence(told)
    assert re.search(named, told), told


def test_after_a_bad_file_a_good_one_is_read(dashboard: Dashboard) -> None:
    dashboard.go("/data")
    dashboard.upload("records.csv", b"")
    dashboard.error()
    dashboard.upload("better.csv", separated(events(4, 5)))
    dashboard.wait_for_data(users=4)
    assert dashboard.page.get_by_test_id("stAlertContentError").count() == 0


def test_k_beyond_the_users_is_refused_with_the_way_out(dashboard: Dashboard) -> None:
    dashboard.go("/data")
    dashboard.upload("few.csv", separated(events(4, 5)))
    dashboard.wait_for_data(users=4)
    dashboard.turn_to("How hard to hide")
    dashboard.wait_for_curves("anon_by_k", ["k = 2"])
    dashboard.wait_until_idle()
    dashboard.unfold("anon_settings")
    dashboard.tag("anon_ks", "50")
    dashboard.press("anon_measure")
    told = dashboard.error()
    _is_a_sentence(told)
    assert "50" in told
    assert "4" in told

    # The way out leads out.
    dashboard.press("anon_undo")
    dashboard.wait_for_curves("anon_by_k", ["k = 2"])


def _is_a_sentence(told: str) -> None:
    assert len(told.split()) >= 6, told
    assert told.rstrip().endswith((".", "?")), told
    for trace in ("Traceback", "Error(", 'File "', ".py", SECRET):
        assert trace not in told, told

"""No raw user id and no place leaves the server: not shown, not sent, not in a link or a file."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.browser.dashboard import KS, Dashboard
from tests.browser.tables import SECRET, events, flawed, separated

pytestmark = pytest.mark.browser


def test_an_uploaded_id_is_never_seen_again(dashboard: Dashboard) -> None:
    content, reasons = flawed()
    assert SECRET.encode() in content
    texts = []
    dashboard.go("/data")
    dashboard.upload("records.csv", content)
    dashboard.wait_for_data(users=12)
    _list_columns(dashboard)
    texts.append(dashboard.text)
    rejects = dashboard.download("data_rejects")
    assert len(rejects.splitlines()) == 1 + sum(reasons.values())

    dashboard.turn_to("How hard to hide")
    dashboard.wait_for_curves("anon_by_k", KS)
    dashboard.wait_until_idle()
    dashboard.choose("person_list", "u0007")
    dashboard.says("u0007's samples must move")
    dashboard.unfold("person_matches")
    dashboard.settle()
    texts.append(dashboard.text)
    results = dashboard.download("anon_get_k_gaps")
    header, *lines = results.splitlines()
    assert (header.split(",")[0], header.split(",")[-1]) == ("pseudonym", "for_release")
    rows = Counter(line.split(",")[0] for line in lines)
    assert set(rows.values()) == {6 * 3}  # profiles × values of k
    assert len(rows) == 12
    assert "u0007" not in results  # names on screen are in no file

    for text in (*texts, rejects, results):
        assert SECRET not in text
    for url in (dashboard.page.url, *dashboard.seen.requests):
        assert SECRET not in url
        assert not any(place in url for place in ("48.1", "11.5", "u0007", "records"))
    _nothing_sent(dashboard)


def test_nor_one_of_a_file_without_header(dashboard: Dashboard) -> None:
    dashboard.go("/data")
    headless = separated(events(5, 20)).split(b"\n", 1)[1]
    dashboard.upload("records.csv", headless)
    dashboard.wait_for_data(users=5)
    _list_columns(dashboard)
    assert SECRET not in dashboard.text
    _nothing_sent(dashboard)


def _list_columns(dashboard: Dashboard) -> None:
    dashboard.unfold("data_correct")
    dashboard.press("data_list_columns")
    listed = dashboard.page.locator(".st-key-data_column_user")  # in a redraw it folds up again
    dashboard.insist(
        lambda: dashboard.unfold("data_correct"), lambda ms: listed.wait_for(timeout=ms)
    )


def _nothing_sent(dashboard: Dashboard) -> None:
    """The server sent no id to the browser, whether shown or not."""
    heard = b"".join(dashboard.seen.received)
    assert b"records.csv" in heard  # so what is sent can be searched
    assert SECRET.encode() not in heard

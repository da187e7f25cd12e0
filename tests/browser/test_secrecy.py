"""No raw user id and no place leaves the server: not shown, not sent, not in a link or a file.

Nor does anything of a session reach another.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import pytest

from tests.browser.conftest import Kept
from tests.browser.dashboard import KS, Dashboard
from tests.browser.server import Server
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


def test_two_sessions_compute_at_once_and_see_only_their_own(
    open_dashboard: Callable[..., Dashboard], kept: Kept, server: Server
) -> None:
    kept.close_all()  # what sessions of earlier tests go on with is not taken for this one's
    server.wait_until_alone()
    one, two = open_dashboard(), open_dashboard()
    one.go("/anonymizability?k=2,5,10,100")  # takes longer than all that the other does
    one.turn_to("Overview")
    two.go("/data")
    one.open_sample("people")
    one.turn_to("How hard to hide")
    one.says(re.compile(r"Measuring at .* so far"))
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

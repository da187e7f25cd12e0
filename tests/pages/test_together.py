"""Before a second release of the same people is exported: the question, and its answer."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from fpanon_core.measures.crossing import crossing
from fpanon_core.model.published import Membership
from fpanon_core.studies import production
from pages.hiding import form
from pages.hiding.figures import PRODUCED
from pages.shell import together
from pages.shell.release import PRODUCED as OPTION_PRODUCED
from pages.shell.together import Register
from tests.support.stated_frames import crowd
from tests.support.views import (
    HEADER,
    answers,
    go,
    has,
    keep_choice,
    made_here,
    new_app,
    press,
    said,
    until,
    upload,
)

READ = "I have read this"


@pytest.fixture
def twelve(app: AppTest) -> AppTest:
    """Twelve people on a line, on the view that hides them."""
    return upload(app, on_a_line(12), page="hiding")


def on_a_line(users: int, mark: str = "subscriber") -> bytes:
    """Neighbours are near in place, people six apart in time: other pairs are near for other k."""
    lines = [
        f"{mark}-{u:03d},2024-03-05T{h:02d}:{5 * (u % 6):02d}:00+00:00,{14.7 + u / 200:.4f},-17.4"
        for u in range(users)
        for h in range(8, 11)
    ]
    return (HEADER + "\n".join(lines) + "\n").encode()


def released(at: AppTest, k: int, method: str = "aligned") -> production.Result:
    """Hide everyone in a crowd of k, and have the release made."""
    at.number_input(key="glove_k").set_value(k)
    at.selectbox(key="glove_method").set_value(method)
    before = len(answers(at, form.RELEASES))
    press(at, "glove_run", lambda at: len(answers(at, form.RELEASES)) > before).run()
    before = len(answers(at, PRODUCED))
    press(at, "produce_hidden_go", lambda at: len(answers(at, PRODUCED)) > before).run()
    return [found.result for found in answers(at, PRODUCED).values()][-1]


def may_leave(at: AppTest) -> bool:
    (button,) = (b for b in at.get("download_button") if b.key == "produce_hidden_get_release")
    return not button.proto.disabled


def may_leave_unasked(at: AppTest) -> bool:
    return may_leave(at) and ticked(at) is None


def ticked(at: AppTest) -> Any:
    return next((box for box in at.checkbox if box.label.startswith(READ)), None)


def test_a_second_release_is_asked_about_before_it_leaves(
    twelve: AppTest, offered: dict[str, Callable[[], bytes]]
) -> None:
    first = released(twelve, 2)
    export_first = offered["release.zip"]
    assert may_leave_unasked(twelve)
    assert "Have these people's data been released before?" in [e.label for e in twelve.expander]
    second = released(twelve, 5)
    go(twelve, "report")
    names = made_here(twelve)
    assert names is not None
    assert names["Release"].tolist() == ["aligned, k = 2", "aligned, k = 5"]
    digests = [f"csv {sha256(each.archive).hexdigest()}" for each in (first, second)]
    assert names["SHA-256"].tolist() == digests
    go(twelve, "hiding")
    # Made is not exported: what stayed here tells nobody anything.
    assert may_leave_unasked(twelve)
    assert export_first() == first.archive
    twelve.run()
    found = crossing(first.membership, second.membership)
    assert found.falls
    text = said(twelve)
    assert "**A second release of the same people.** With the release exported" in text
    assert f"together, {found.together.alone} of 12 people are each alone" in text
    assert "if only one person is in both, to that person alone." in text
    assert not may_leave(twelve)
    assert any("weaker together with an earlier release" in each.value for each in twelve.warning)
    assert "Ready to release" not in text
    # An informed choice: it is the officer's.
    ticked(twelve).check().run()
    assert may_leave(twelve)
    assert offered["release.zip"]() == second.archive
    twelve.run()
    assert may_leave(twelve)
    assert ticked(twelve).value is True


def test_the_same_groups_again_and_people_who_are_alone_already_are_no_question(
    twelve: AppTest, offered: dict[str, Callable[[], bytes]]
) -> None:
    first = released(twelve, 2)
    for _ in range(2):
        assert offered["release.zip"]() == first.archive
        twelve.run()
        assert may_leave_unasked(twelve)
        assert "Together with" not in said(twelve)
    # In the other format: other names, the same groups.
    twelve.segmented_control(key="produce_hidden_format").set_value("parquet").run()
    press(twelve, "produce_hidden_go", lambda at: len(answers(at, PRODUCED)) == 2).run()
    assert "(aligned, k = 2) and this release together, no person's group is smaller" in said(
        twelve
    )
    assert may_leave_unasked(twelve)
    # What left in one view is known in the other: an option in which all are alone anyhow.
    go(twelve, "options")
    twelve.pills(key="options_presets").set_value(["As it is"]).run()
    until(twelve, lambda at: has(at, "options_choice_keep"))
    keep_choice(twelve, "as it is", "For this test alone.")
    go(twelve, "report")
    until(twelve, lambda at: has(at, "produce_option_go")).run()
    press(twelve, "produce_option_go", lambda at: len(answers(at, OPTION_PRODUCED)) == 1).run()
    assert (
        "With the release exported earlier (aligned, k = 2) and this release together, no "
        "person's group is smaller than the smaller of that person's two groups. 12 of 12 people "
        "are alone, each already alone in earlier releases or in this release."
    ) in said(twelve)
    assert ticked(twelve) is None


def test_of_a_release_that_left_nothing_of_anybody_is_kept(
    twelve: AppTest, offered: dict[str, Callable[[], bytes]]
) -> None:
    released(twelve, 2)
    offered["release.zip"]()
    register: Register = twelve.session_state["fp_exported"]
    (left,) = register.before(members("ab"))
    assert left.membership.pseudonym is None
    assert all(isinstance(name, bytes) and len(name) == 16 for name in left.membership.who)
    assert b"subscriber" not in b"".join(left.membership.who)
    (made,) = register.made.values()
    kept = {"what", "at", "people", "sha256", "ledger"}
    assert {each.name for each in dataclasses.fields(made)} == kept
    assert made.people.dtype == np.uint64


def test_people_of_releases_are_counted_for_each_data_set() -> None:
    some, more = crowd(9), crowd(12)
    known, now = Register(), dt.datetime.now(dt.UTC)
    known.made[1] = together.Made("first", now, known.people(some), "", Path("a.ledger"))
    for people in (some, more):
        assert [n for _, n in known.of_people(people)] == [some.n_users]


def test_an_older_release_is_given_with_its_key(twelve: AppTest) -> None:
    """In a session that knows nothing of what left."""
    older = released(twelve, 5)
    app = upload(new_app(), on_a_line(12), page="hiding")
    now = released(app, 2)
    assert ticked(app) is None
    # Files that cannot be used are refused in words.
    give(app, now.archive[:500], now.key)
    assert "The release has changed since it was written" in app.error[-1].value
    give(app, now.archive, b"pseudonym,user_id\nX,Y\n")
    assert "it names 0 of the 12 pseudonyms in the release" in app.error[-1].value
    assert may_leave_unasked(app)
    assert "No earlier release with groups is known here." in said(app)
    # Its own files: no second release.
    give(app, now.archive, now.key)
    assert not app.error
    assert "Known here: aligned, k = 2 (this very release)." in said(app)
    assert ticked(app) is None
    give(app, older.archive, older.key)
    found = crossing(older.membership, now.membership)
    assert found.falls
    assert f"together, {found.together.alone} of 12 people are each alone" in said(app)
    assert "aligned, k = 5" in said(app)
    assert not may_leave(app)
    ticked(app).check().run()
    assert may_leave(app)


def give(at: AppTest, release: bytes, key: bytes) -> None:
    at.file_uploader(key="produce_hidden_earlier_release").upload("old.zip", release)
    at.file_uploader(key="produce_hidden_earlier_key").upload("old.csv", key).run()
    at.button(key="produce_hidden_earlier_go").click().run()
    until(
        at, lambda at: not any(job.kind == "older_release" for job in at.session_state["fp_jobs"])
    )
    at.run()


def test_the_audit_log_hears_of_an_earlier_release_before_it_is_used(
    twelve: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older, now = released(twelve, 5), released(twelve, 2)
    assert older.membership is not None
    monkeypatch.setenv("FPANON_AUDIT_LOG", str(tmp_path / "audit.jsonl"))
    give(twelve, older.archive, older.key)
    (line,) = (tmp_path / "audit.jsonl").read_text().splitlines()
    told = json.loads(line)
    noted = {"event": "opened", "what": "earlier release", "settings": {"users": 12}}
    assert told | noted == told
    assert "subscriber" not in line
    assert older.membership.digest not in line
    assert ticked(twelve) is not None
    # What cannot be noted is not opened.
    register: Register = twelve.session_state["fp_exported"]
    (tmp_path / "audit.jsonl").chmod(0o644)
    before = len(register.left)
    give(twelve, now.archive, now.key)
    assert len(register.left) == before
    assert "nothing can be opened or downloaded" in said(twelve)


def test_people_who_are_others_are_said_to_be(twelve: AppTest) -> None:
    released(twelve, 2)
    register: Register = twelve.session_state["fp_exported"]
    register.note(members("ab", "ab", name="GLOVE, k = 2"))
    twelve.run()
    told = "Nobody is in both this release and the release exported earlier (GLOVE"
    assert told in said(twelve)
    assert may_leave(twelve)


# --- the sentences, and what is kept -------------------------------------------------------------


def members(*groups: str, name: str = "") -> Membership:
    """A release from "ab", "cd": people a to d in two groups."""
    pairs = [(p, g) for g, group in enumerate(groups) for p in group]
    who = np.array([p for p, _ in pairs], dtype=object)
    return Membership.whole(who, [g for _, g in pairs], name=name, digest=f"{name} {groups}")


def test_several_that_left_are_held_against_it_together() -> None:
    """With each by itself nobody is alone; with both, everybody."""
    register = Register()
    now = members("abcd", name="C")
    register.note(members("ab", "cd", name="A"))
    assert not register.crossing(now).falls
    register.note(members("ac", "bd", name="B"))
    crossed = register.crossing(now)
    assert crossed.together.alone == crossed.first.alone == 4  # alone in the two that left
    other = members("ad", "bc", name="D")
    assert register.crossing(other).together.alone == 4
    register.note(now)
    assert len(register.before(other)) == 3
    assert len(register.before(now)) == 2  # itself is none
    register.note(now)
    assert len(register.before(other)) == 3  # and once only
    assert (
        together.describe_earlier(register.before(now)) == "the 2 releases that left earlier (A; B)"
    )

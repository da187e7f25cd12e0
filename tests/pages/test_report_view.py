"""The Report view: before there is anything, the choice, its limits, texts from outside."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256

import pytest
from streamlit.testing.v1 import AppTest

from fpanon_core.studies.exploration import Exploration
from fpanon_core.studies.recipe import Decision, recipe_of
from fpanon_core.studies.search import KNOWLEDGE
from pages.report import story
from pages.shell.release import PRODUCED
from pages.shell.workspace import REFUSE, Tried
from tests.pages.test_options_view import explored, names
from tests.support.views import (
    answers,
    go,
    has,
    idle,
    keep_choice,
    new_app,
    press,
    rows,
    said,
    until,
    upload,
    workspace,
)

NASTY = '<script>alert(1)</script><img src="http://x.example/y">'


@pytest.fixture
def weighed(app: AppTest) -> AppTest:
    upload(app, rows(users=9, samples=6), page="options")
    explored(app, 12)
    return app


def reported(at: AppTest) -> str:
    """The page as it will print, once the data as they are are measured."""
    go(at, "report")
    until(at, lambda at: has(at, "report_get_html") and bool(answers(at, "as_it_is"))).run()
    return shown(at)


def shown(at: AppTest) -> str:
    """The page; numbers and per cent are kept on one line by spaces that do not break."""
    return str(at.get("iframe")[0].proto.srcdoc)


def choose(at: AppTest, name: str, why: str) -> None:
    keep_choice(go(at, "options"), name, why)


def test_before_there_is_anything_it_says_what_to_do(app: AppTest) -> None:
    upload(app, rows(users=9, samples=6), page="report")
    assert "Nothing has been weighed for these data yet" in said(app)
    assert not has(app, "report_get_html")


def test_that_nothing_leaves_is_decided_with_a_reason_and_undone_by_a_choice(
    weighed: AppTest,
) -> None:
    go(weighed, "options")
    name = next(n for n in weighed.selectbox(key="options_choice_name").options if n != REFUSE)
    choose(weighed, name, "It hides.")
    choose(weighed, REFUSE, "  ")
    assert "Say why nothing may be released" in weighed.error[0].value
    assert workspace(weighed).weighed.chosen == name
    choose(weighed, REFUSE, "They can be served by *counts*.")
    assert "Decided: **nothing is released.**" in said(weighed)
    page = reported(weighed)
    assert "Decided: nothing is released." in page
    assert "Reason: They can be served by *counts*." in page
    assert "The chosen option is" not in page
    go(weighed, "overview")
    assert "Decided: **nothing is released.**" in said(weighed)
    choose(weighed, name, "It hides after all.")
    assert workspace(weighed).weighed.chosen == name
    assert "Decided: nothing is released." not in reported(weighed)


def test_without_a_choice_it_reports_and_says_so(weighed: AppTest) -> None:
    page, text = reported(weighed), said(weighed)
    assert "Choose an option on *Release options*" in text
    assert "No option has been chosen." in page
    assert "of 12 options" in page
    assert "The original data have not been assessed" not in page
    assert "own.csv" not in page  # a file's name may be somebody's
    assert "No name is stated for the data" in page
    assert "subscriber-" not in page
    for later in ("The search ended", "Before you sign", "SHA-256"):
        assert later not in page + text
    # What a search left untried is said once it has ended.
    workspace(weighed).tried = Tried((), KNOWLEDGE, began=0.0, until=0.0, seconds=1.0)
    reported(weighed)
    assert "The search has not tried every option" in said(weighed)
    # Machines are warned of before the officer signs, and on what is signed, without a pseudonym.
    data = weighed.session_state["fp_dataset"]
    machines = replace(data.report, machines="3 ids made most samples: subscriber-1, …")
    weighed.session_state["fp_dataset"] = replace(data, report=machines)
    warning = "Some ids are recorded day and night alike, as machines and test phones are."
    assert warning in said(weighed.run())
    assert f"<li><b>{warning}</b></li>" in reported(weighed)
    assert "subscriber-1" not in reported(weighed)


def test_the_choice_is_in_the_page_letter_by_letter_and_what_is_over_thresholds_first_of_all(
    weighed: AppTest,
) -> None:
    name = names(weighed)[0]
    choose(weighed, name, f"Because {NASTY}")
    page = reported(weighed)
    assert f"The chosen option is “{name}”" in page
    verdict = page[page.index('id="verdict"') : page.index('id="risk"')]
    assert f"“{name}”. This option is not within the thresholds." in verdict
    assert verdict.count('class="against"') >= 2
    assert "A. Officer overrides the thresholds. Reason: Because &lt;script&gt;" in verdict
    weighed.text_input(key="report_signer").set_value(f"Ada {NASTY}")
    weighed.text_area(key="report_question").set_value(f"May we? {NASTY}")
    key = next(each.key for each in weighed.text_input if each.key.startswith("report_data_"))
    weighed.text_input(key=key).set_value(f"March {NASTY}").run()
    page = shown(weighed)
    for begins in ("Because", "Ada", "May we?", "March"):
        assert f"{begins} &lt;script&gt;alert(1)" in page
    assert "<script" not in page
    assert "<img" not in page
    # It is all still there after another page was looked at.
    go(weighed, "unicity")
    assert "Ada &lt;script&gt;" in reported(weighed)
    # Thresholds changed on the report hold in it; looser ones are told. A reason holds everywhere.
    (field,) = (f for f in weighed.number_input if str(f.key).startswith("limit_outsider"))
    assert "threshold of 1.5%" not in page
    field.set_value(1.5).run()
    assert "threshold of 1.5%" in shown(weighed)
    field.set_value(90.0).run()
    assert "Looser than usual: re-identification risk 90% (usually 5%)" in shown(weighed)
    key = next(a.key for a in weighed.text_area if a.key.startswith("options_choice_why"))
    weighed.text_area(key=key).set_value("Asked for by the city").run()
    assert workspace(weighed).choice.why == "Asked for by the city"
    assert "Asked for by the city" in said(go(weighed, "options"))
    # A choice that is no longer among the options is none.
    weighed.pills(key="options_presets").set_value(["As it is"]).run()
    explored(weighed, 1)
    page = reported(weighed)
    assert "is not among the options weighed now" in said(weighed)
    assert "No option has been chosen." in page


def test_a_decision_holds_for_its_purpose_and_recipient_alone(weighed: AppTest) -> None:
    name = names(weighed)[0]
    choose(weighed, name, "Asked for by the city")
    assert "Asked for by the city" in reported(weighed)
    weighed.text_area(key="report_question").set_value("May the city have it?").run()
    weighed.session_state["aims_recipient"] = "room"
    page = reported(weighed)
    assert "May the city have it?" not in page
    assert "No option has been chosen." in page
    assert "Asked for by the city" not in page
    assert workspace(weighed).choice is None
    assert "Your earlier decision was for another purpose, recipient or set of areas." in said(
        weighed
    )
    # Another decision, for this recipient: the first reason does not stand in its field.
    go(weighed, "options")
    assert weighed.selectbox(key="options_choice_name").value is None, "one click would keep it"
    weighed.selectbox(key="options_choice_name").set_value(name).run()
    assert not weighed.text_area(key=f"options_choice_why_{name}").value
    choose(weighed, name, "For our own room")
    assert "For our own room" in reported(weighed)
    weighed.text_area(key=f"options_choice_why_{name}").set_value("Typed and not kept")
    weighed.session_state["aims_recipient"] = "anyone"
    go(weighed, "options")
    assert weighed.text_area(key=f"options_choice_why_{name}").value == "Asked for by the city"
    page = reported(weighed)
    assert "Asked for by the city" in page
    assert "For our own room" not in page
    # Weights of another purpose are another purpose, on whichever page they are chosen.
    go(weighed, "options").selectbox(key="options_weights").set_value("travel").run()
    page = reported(weighed)
    assert "No option has been chosen." in page
    assert "Asked for by the city" not in page


def test_what_is_left_to_do_before_it_is_signed_and_the_release_made_is_known_by_its_digest(
    weighed: AppTest,
) -> None:
    name, other = names(weighed)[:2]
    choose(weighed, name, "Asked for.")
    reported(weighed)
    asked = "state until when the decision holds (*Question, reason, names*)"
    last = "make the release, at the end of this page."
    assert f"**Before you sign**, {asked}; {last}" in said(weighed)
    press(weighed, "produce_option_go", lambda at: bool(answers(at, PRODUCED)) and idle(at))
    page = shown(weighed.run())
    (found,) = [each.result for each in answers(weighed, PRODUCED).values()]
    facts, digest = found.facts, sha256(found.archive).hexdigest()
    assert f"<dt>SHA-256 of the release file</dt><dd>{digest}</dd>" in page
    assert page.count(digest) == 2, "at once also among the session's releases"
    assert f"<dt>Days covered</dt><dd>{facts.first_day} to {facts.last_day}</dd>" in page
    assert f"<dt>Rows</dt><dd>{facts.rows:,}</dd>" in page
    weighed.text_input(key="report_signer").set_value("").run()
    signing = f"**Before you sign**, name who signs and {asked}"
    assert signing in said(weighed)
    assert "make the release, at the end of this page" not in said(weighed)
    # Of another option nothing was produced; of nothing, there is nothing to make.
    choose(weighed, other, "Asked for.")
    page = reported(weighed)
    assert "SHA-256 of the release file" not in page
    assert page.count(digest) == 1, "listed as made in this session"
    choose(weighed, REFUSE, "Served by counts.")
    reported(weighed)
    assert "make the release, at the end of this page" not in said(weighed)
    weighing = workspace(weighed).weighed
    assert weighing is not None
    stated = Decision(why="x", signer="Ada", until="2027")
    nothing = story.to_do(weighing, stated, made=False)
    assert nothing == (
        "**There is nothing more to fill in.** Print the report. Whether to sign it is your "
        "judgement."
    )
    little = "This release keeps too little."
    assert story.to_do(weighing, stated, made=True, little=little) == (
        "This release keeps too little. Choose another option, or say in the reason why this is "
        "enough."
    )


def saved_recipe(at: AppTest) -> bytes:
    """The recipe that the report would offer, by what the session weighed."""
    mine = workspace(at)
    found = mine.weighed
    decision = Decision("", found.chosen, found.why)
    judged = Exploration(found.table, limits=found.limits, areas=mine.areas)
    return story.recipe(recipe_of(judged, decision))


def use_recipe(at: AppTest, body: bytes) -> None:
    at.file_uploader(key="options_recipe_file").upload("r.json", body).run()
    at.button(key="options_recipe_use").click().run()


def test_a_recipe_is_opened_again_and_gives_the_same_report(weighed: AppTest) -> None:
    weighed.selectbox(key="options_strategy").set_value("top").run()
    weighed.number_input(key="options_p").set_value(2).run()
    weighed.number_input(key="limit_outsider").set_value(20.0).run()
    weighed.selectbox(key="options_weights").set_value("epidemics").run()
    until(weighed, idle).run()
    name = names(weighed)[1]
    choose(weighed, name, "Asked for.")
    page, kept = reported(weighed), saved_recipe(weighed)

    other = upload(new_app(), rows(users=9, samples=6), page="options")
    use_recipe(other, kept)
    assert "The recipe's settings and 12 options are in use." in said(other)
    assert "These are not the recipe's data" not in said(other)
    assert f"The recipe chose {name}" in said(other)
    until(other, idle).run()
    explored(other, 12)
    assert other.number_input(key="options_p").value == 2
    (field,) = (f for f in other.number_input if str(f.key).startswith("limit_outsider"))
    assert field.value == 20.0
    choose(other, name, "Asked for.")
    assert reported(other) == page


def test_a_recipe_brings_its_recipient_and_areas_and_what_is_none_is_refused_kindly(
    weighed: AppTest,
) -> None:
    kept = json.loads(saved_recipe(weighed))
    kept |= {"areas": 3_000.0, "recipient": {"kind": "contract", "controls": "high"}}
    go(weighed, "options")
    for body in (b"", b"{", b"[]", b'{"recipe": 9}', b"[" * 100_000):
        use_recipe(weighed, body)
        assert any("recipe" in box.value for box in weighed.error), body[:9]
    use_recipe(weighed, json.dumps(kept).encode())
    explored(weighed, 12)
    page = reported(weighed)
    assert "compared on squares of 3 km" in page
    assert "Recipients under contract get the release. We assume high controls and high" in page
    assert "The threshold in force is 5%" in page  # the thresholds are the recipe's own

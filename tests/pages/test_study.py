"""The study: saved in one session and opened in another; and settings that are found again."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from fpanon_core.studies import study_file
from fpanon_core.studies.study_codec import KINDS
from fpanon_core.studies.study_file import open_study, save
from pages.shell import settings
from pages.shell.workspace import reason_key
from tests.pages.test_options_view import explored
from tests.support import runner
from tests.support.views import (
    answers,
    go,
    has,
    idle,
    keep_choice,
    new_app,
    rows,
    said,
    until,
    upload,
    workspace,
)

PAGES = Path(__file__).resolve().parents[2] / "pages"
VIEWS = (
    *("anonymizability", "unicity", "disclosure", "aggregates"),
    *("hiding", "options", "attack", "report"),
)


def measured(at: AppTest) -> AppTest:
    """Every page has been looked at, an option is chosen, and nothing is under way."""
    for view in VIEWS:
        go(at, view)
        if view == "anonymizability" and has(at, "anon_go"):
            at.button(key="anon_go").click().run()
        if view == "options":
            explored(at, 12)
            name = at.selectbox(key="options_choice_name").options[5]
            keep_choice(at, name, "They asked for it.")
        if view == "hiding":
            at.number_input(key="glove_k").set_value(3)
            at.button(key="glove_run").click().run()
        if view == "unicity":
            at.number_input(key="unicity_seed").set_value(7).run()
        until(at, lambda at: quiet(at)).run()
    return at


def quiet(at: AppTest) -> bool:
    return not any(job.active or job.status == "done" for job in at.session_state["fp_jobs"])


def open_in(at: AppTest, content: bytes) -> AppTest:
    go(at, "data")
    at.file_uploader(key="data_study_file").upload("study.zip", content).run()
    at.button(key="data_study_open").click().run()
    return until(at, idle).run()


def kinds(at: AppTest) -> dict[str, list[Any]]:
    state = at.session_state
    return {kind: [*kept] for kind, kept in state["fp_answers"].items() if kept and kind in KINDS}


@dataclass
class Made:
    """What one session has found: its study, without and with the data, and what its pages say."""

    study: bytes
    with_data: bytes
    digest: str
    kinds: dict[str, list[Any]]
    shown: dict[str, str]


_MADE: list[Made] = []  # once for all tests


@pytest.fixture
def made(app: AppTest, offered: dict[str, Callable[[], bytes]]) -> Made:
    if not _MADE:
        upload(app, rows(users=9, samples=6))
        measured(app)
        go(app, "report")
        study = offered["study_not_for_release.zip"]()
        app.checkbox(key="report_study_data").set_value(True).run()
        with_data = offered["study_not_for_release.zip"]()
        shown = {}
        for view in VIEWS:
            go(app, view)
            until(app, quiet).run()
            shown[view] = said(app)
        _MADE.append(Made(study, with_data, digest_of(app), kinds(app), shown))
    return _MADE[0]


def digest_of(at: AppTest) -> str:
    digest: str = at.session_state["fp_dataset"].digest
    return digest


def test_another_session_shows_the_same_and_computes_nothing(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = new_app()
    upload(other, rows(users=9, samples=6))
    until(other, quiet)
    open_in(other, made.study)
    assert "nothing was computed again" in said(other)
    other.button(key="frame_study_read").click().run()
    assert kinds(other) == made.kinds

    begun = "something was computed"
    monkeypatch.setattr(runner.InProcessRunner, "submit", lambda *_, **__: pytest.fail(begun))
    for view in VIEWS:
        go(other, view)
        assert said(other) == made.shown[view], view
    assert has(other, "report_get_html")


def test_the_option_selected_is_there_again_once_it_is_explored_anew() -> None:
    def script() -> None:
        import streamlit as st

        from pages.options import figures

        figures.select(st.session_state["offered"])
        st.selectbox("Option", st.session_state["offered"], index=None, key="options_choice_name")

    at = AppTest.from_function(script)
    at.session_state["offered"] = ["a", "b", "c"]
    at.run().selectbox[0].set_value("b").run()
    at.session_state["offered"] = ["a"]  # the others are explored anew
    assert at.run().selectbox[0].value is None
    at.session_state["offered"] = ["a", "b", "c"]
    assert at.run().selectbox[0].value == "b"


def test_without_its_data_it_waits_for_them_and_other_data_are_refused(made: Made) -> None:
    other = open_in(new_app(), made.study)
    assert "A study waits for its data" in said(other)
    upload(other, rows(users=8, samples=6))
    assert "The study will open once those data are open" in said(other)
    assert workspace(other).weighed is None
    open_in(other, made.study)
    assert "belongs to other data, or to the same data" in said(other)
    assert "9 people and 54 samples" in said(other)
    assert workspace(other).weighed is None
    upload(other, rows(users=9, samples=6))
    assert "nothing was computed again" in said(other)
    assert workspace(other).weighed.why == "They asked for it."


def test_with_the_data_in_it_needs_no_others_and_what_is_no_study_is_refused(made: Made) -> None:
    other = new_app()
    for body in (b"", b"PK\x03\x04" + b"x" * 99, made.study[:-40]):
        open_in(other, body)
        assert "tudy" in said(other)
        assert "fault" not in said(other)
        assert "fp_workspace" not in other.session_state
    open_in(other, made.with_data)
    assert "nothing was computed again" in said(other)
    assert digest_of(other) == made.digest


def test_settings_from_elsewhere_that_no_page_can_use_are_let_go(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = open_study(made.study).study
    odd = dict(study.settings) | {
        "options_risk": "none such",
        "glove_method": ["x"],
        "fp_limits": [1],
        "fp_disclosure_config": 3,
        "a_go": True,
        "fp_counts_of": "own.csv",  # of counts to publish, which earlier versions made
        "aggregates_counts_days": 2,
    }
    monkeypatch.setattr(study_file, "_seal", lambda _: "of another machine")
    body = save(replace(study, settings=odd))
    monkeypatch.undo()
    other = new_app()
    upload(other, rows(users=9, samples=6))
    open_in(other, body)
    assert "taken on trust" in said(other)
    unknown = ("a_go", "fp_counts_of", "aggregates_counts_days")
    assert not any(name in other.session_state for name in unknown)
    for view in ("hiding", "options", "disclosure"):
        go(other, view)
        assert "A fault in the program" not in said(other), view
    assert "could not use the study's settings" in said(other)
    assert answers(other, "options")


# --- what is kept ---


# A produced release comes with its pseudonym key, or spends its ε once. A questionnaire is
# identified by its upload, and so is a file whose columns or size were asked for. An estimate holds
# for one machine. The presentation computes one person's record and exact counts again whenever it
# shows them.
NOT_KEPT = {
    *("produce_option", "produce_hidden", "produce_tables", "produce_people", "questionnaire"),
    *("peek", "weigh", "foretell", "shown_record", "shown_tables"),
}


def test_every_kind_of_question_is_kept_or_said_not_to_be() -> None:
    named = set()
    for path in PAGES.rglob("*.py"):
        for call in calls(path):
            if getattr(call.func, "id", "") == "Kind" and call.args:
                named.add(ast.literal_eval(call.args[0]))
    assert named == set(KINDS) | NOT_KEPT


PRESSED = {"button", "form_submit_button", "file_uploader", "offer", "popover", "download_button"}
FIELDS = {"number", "segments", "selectbox", "_field"}  # shell/widgets.py, hiding/form.py: persist


def test_settings_are_the_widgets_that_persist_and_no_buttons() -> None:
    persisting, pressed = set(), set()
    for path in PAGES.rglob("*.py"):
        texts = constants(path)
        for call in calls(path):
            named = {word.arg: word.value for word in call.keywords}
            if "key" not in named or not isinstance(call.func, ast.Attribute | ast.Name):
                continue
            key = text_of(named["key"], texts)
            ours = isinstance(call.func, ast.Name) and call.func.id in FIELDS and "at" not in named
            if "persist_state" in named or ours:
                persisting.add(key)
            elif isinstance(call.func, ast.Attribute) and call.func.attr in PRESSED:
                pressed.add(key)
    assert len(persisting) > 40
    popovers = {"attack_exactly", "options_own_weights"}
    assert settings.is_setting(reason_key("as it is"))  # a key that a function gives: "?"
    unknown = {key for key in persisting - popovers if not settings.is_setting(key)}
    assert unknown <= {"?_format", "?"}
    assert not {key for key in pressed if settings.is_setting(key)}


def calls(path: Path) -> list[ast.Call]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def constants(path: Path) -> dict[str, str]:
    """Names of texts in a module."""
    found: dict[str, str] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
            pairs = (
                zip(target.elts, value.elts, strict=False)
                if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
                else [(target, value)]
            )
            for one, text in pairs:
                if isinstance(one, ast.Name) and isinstance(text, ast.Constant):
                    found[one.id] = str(text.value)
    return found


def text_of(node: ast.expr, texts: dict[str, str]) -> str:
    """A key as far as it is known before anything runs; "?" for the rest."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.Name):
        return texts.get(node.id, "?")
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part, texts) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return text_of(node.value, texts)
    if isinstance(node, ast.BinOp):
        return text_of(node.left, texts) + text_of(node.right, texts)
    return "?"


def test_areas_of_a_study_from_before_purposes_had_their_own_stay() -> None:
    def page() -> None:
        from pages.shell import settings

        settings.put({"aims_areas_0123456789ab": 2_000.0, "aims_purpose": "travel"}, {})

    at = AppTest.from_function(page).run()
    assert not at.exception
    assert at.session_state["aims_areas_0123456789ab_travel"] == 2_000.0

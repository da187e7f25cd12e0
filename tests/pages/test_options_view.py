"""The Release options view: explored, another risk, asked utility, own options, the choice."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from fpanon_core import explore_options
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.presets import purpose_areas
from pages.options.story import risk_cell, risk_text
from pages.shell.release import PRODUCED
from tests.support.views import (
    HEADER,
    address,
    answers,
    chosen,
    go,
    has,
    idle,
    keep_choice,
    new_app,
    opened,
    press,
    rows,
    said,
    until,
    upload,
)


def kept(at: AppTest) -> dict[Any, OptionResult]:
    """The results that the session keeps, by the question asked."""
    return {key: found.result.results[0] for key, found in answers(at, "options").items()}


def explored(at: AppTest, count: int) -> AppTest:
    return until(at, lambda at: len(kept(at)) >= count and front(at, count))


def added(at: AppTest, count: int, **fields: Any) -> AppTest:
    """An option of one's own put together in the form, and so many explored; 0: it is refused."""
    for name, value in fields.items():
        kinds = (at.number_input, at.selectbox, at.text_input, at.slider)
        (field,) = (each for kind in kinds for each in kind if each.key == f"options_{name}")
        field.set_value(value)
    at.button(key="options_add").click().run()
    return explored(at, count) if count else at


def raw(at: AppTest, body: bytes) -> AppTest:
    """A file of one's own, of which the data as they are are explored."""
    upload(at, body, page="options")
    at.pills(key="options_presets").set_value(["As it is"]).run()
    return explored(at, 1)


def under_way(at: AppTest) -> list[Any]:
    return [job for job in at.session_state["fp_jobs"] if job.kind == "options"]


def front(at: AppTest, count: int) -> bool:
    return any(len(table.value) == count and "No." in table.value for table in at.dataframe)


def shown(at: AppTest) -> pd.DataFrame:
    """The first table."""
    return next(table.value for table in at.dataframe if "Unique" in table.value)


def whole(at: AppTest) -> pd.DataFrame:
    """The table of all figures."""
    return next(table.value for table in at.dataframe if "Share a record" in table.value)


def names(at: AppTest) -> list[str]:
    return shown(at)["Option"].tolist()


def test_the_preset_is_explored_and_a_dominated_option_explained(app: AppTest) -> None:
    """What each cell says of a result is held by the story; here, whose results they are."""
    opened(app, page="options")
    explored(app, 12)
    fs = app.session_state["fp_dataset"].fs
    results = list(kept(app).values())
    assert len(results) == 12
    # Any row alike, unless another draw is chosen: more people are found than by the busy ones.
    asked = {"risk": "outsider", "utility": "transport", "strategy": "uniform"}
    areas = purpose_areas(fs, "transport")
    expected = explore_options(fs, [r.option for r in results], areas=areas, **asked)
    by_name = whole(app).set_index("Option").assign(**shown(app).set_index("Option"))
    for i, result in enumerate(expected.results):
        row = by_name.loc[result.option.name]
        assert row["Re-identified"] == risk_text(result.risks["outsider"][0], "outsider")
        assert row["Homes found"] == risk_cell(result, "home")
        assert row["Utility"] == pytest.approx(expected.utility[i], abs=5e-4)
        assert (row["Beaten by none"] != "no") == bool(expected.front[i])
        assert (row["Within the threshold"] != "yes") == bool(expected.unsafe(0.05)[i])
    text = said(app)
    assert "12 options" in text
    assert expected.front.all() or "beaten by another (dominated). For example, “" in text


def test_another_risk_redraws_another_draw_is_another_question_and_experts_are_asked(
    app: AppTest,
) -> None:
    upload(app, rows(users=9, samples=6), page="options")
    explored(app, 12)
    assert address(app) == {}
    before, options = kept(app), names(app)
    app.selectbox(key="options_risk").set_value("em").run()
    assert kept(app) == before
    assert not under_way(app)
    assert "EM-disclosure" in shown(app)
    assert "Home" in shown(app)
    value = next(r for r in before.values() if r.option.name == names(app)[0]).risks["em"][0]
    assert shown(app)["EM-disclosure"][0] == f"{value:.3g}"
    # Nor do other weights, or a limit.
    app.selectbox(key="options_weights").set_value("epidemics").run()
    app.number_input(key="limit_em").set_value(0.0).run()
    assert not under_way(app)
    assert set(whole(app)["Within the threshold"]) == {"no"}
    assert "Each sample of a person is equally likely" in said(app)
    # Utility as asked of experts, by the template filled in.
    app.segmented_control(key="options_utility").set_value("asked of experts").run()
    assert "as soon as there is a questionnaire" in said(app)
    scores = [
        ("ann", "transport", options[0], 9),
        ("bob", "transport", options[0], 7),
        ("ann", "transport", options[1], 4),
        ("ann", "transport", options[1], 5),  # a second answer of hers
        ("ann", "transport", options[2], 11),
        ("ann", "transport", "no such option", 3),
    ]
    frame = pd.DataFrame(scores, columns=["expert", "domain", "option", "score"])
    body = frame.to_csv(index=False).encode()
    app.file_uploader(key="options_file").upload("answers.csv", body).run()
    text = said(until(app, idle))
    assert "3 rows of the questionnaire could not be used" in text
    assert "2 experts, 3 scores" in text
    assert "10 options were not scored" in text
    by_name = shown(app).set_index("Option")
    assert by_name.loc[options[0], "Utility"] == 0.8  # (0.9 + 0.7) / 2
    assert by_name.loc[options[1], "Utility"] == 0.4  # the first answer counts
    app.toggle(key="options_example").set_value(True).run()
    assert "none of your options is among them" in said(until(app, idle))
    app.toggle(key="options_example").set_value(False).run()
    assert "2 experts, 3 scores" in said(until(app, idle))
    # Another draw of points is measured, and is in the address.
    app.selectbox(key="options_strategy").set_value("random").run()
    until(app, lambda at: len(kept(at)) == 24).run()
    assert {config.knowledge.strategy for _, config in kept(app)} == {"uniform", "random"}
    assert "busy places and times are likelier" in said(app)
    assert address(app)["points"] == "random"


def test_the_synthetic_answers_score_the_options_of_the_synthetic_sample(app: AppTest) -> None:
    opened(app, "synthetic", "options")
    explored(app, 12)
    app.segmented_control(key="options_utility").set_value("asked of experts").run()
    app.toggle(key="options_example").set_value(True).run()
    until(app, idle).run()
    assert "Synthetic answers, no real experts" in said(app)
    assert "as scored by invented experts" in said(app)  # beside the figure, too
    assert "not scored" not in said(app)
    assert shown(app)["Utility"].between(0, 1).all()


def test_an_option_of_ones_own_and_one_that_cannot_be(app: AppTest) -> None:
    raw(app, rows(users=9, samples=6))
    added(app, 2, share=50.0)
    row = whole(app).set_index("Option").loc["50% of the people"]
    assert row["People"] in ("4", "5")
    added(app, 0, share=100.0, rare=9, name="only where all are")
    until(app, lambda at: at.warning)
    assert "only where all are" in app.warning[0].value
    assert "could not be made" in app.warning[0].value
    assert len(shown(app)) == 2
    # What leaving out leaves out is shown, and a name hides no recipe.
    added(app, 3, share=100.0, rare=1, noise_m=300.0, name="blurred")
    row = whole(app).set_index("Option").loc["blurred"]
    assert row["What is done"] == "noise of 300 m (planar Laplace)"
    assert "The linkage attack covers an attacker who knows true points" in said(app)
    # No name is given twice; and exchange suits the windows.
    added(app, 0, noise_m=0.0, share=40.0, name="As it is")
    assert "An option with that name" in app.error[0].value
    added(app, 4, name="mixed", permuted="positions", profile="20 km · 8 h")


def test_hiding_everyone_in_periods_is_an_option_of_ones_own(app: AppTest) -> None:
    """Six alike on two days: aligned at k = 3 day by day, and by GLOVE as whole records."""
    lines = [f"u{i},2024-03-{day:02d} 08:0{i}:00,14.7,-17.4\n" for day in (4, 5) for i in range(6)]
    raw(app, (HEADER + "".join(lines)).encode())
    added(app, 2, k=3, period="days")
    added(app, 3, leave_out=5, method="GLOVE", period="whole records")
    by_name = whole(app).set_index("Option")
    assert [name for name in by_name.index if "aligned, k = 3" in name and "1 day" in name]
    assert "GLOVE, k = 3, up to 5% left out" in by_name.index
    assert by_name["Share a record"].tolist()[1:] == ["3 or more", "6 or more"]


def test_pinned_options_stand_side_by_side_and_one_is_chosen(app: AppTest) -> None:
    upload(app, rows(users=9, samples=6), page="options")
    explored(app, 12)
    some = names(app)[:2]
    app.multiselect(key="options_pinned").set_value(some).run()
    compared = next(t.value for t in app.dataframe if "Utility (range)" in t.value.index)
    assert list(compared.columns) == some
    app.button(key="options_choice_keep").click().run()
    assert "Choose an option first" in app.error[0].value
    why = f"options_choice_why_{some[0]}"
    keep_choice(app, some[0], "The ministry asked for *hours*.")
    assert "Chosen:" in said(app)
    choice = chosen(app)
    assert choice.result.option.name == some[0]
    assert choice.why == "The ministry asked for *hours*."
    go(app, "unicity")
    go(app, "options")
    assert "Chosen:" in said(app)
    assert app.text_area(key=why).value == "The ministry asked for *hours*."
    # A reason belongs to the option that it was given for.
    app.selectbox(key="options_choice_name").set_value(some[1]).run()
    assert "Chosen:" not in said(app)
    assert app.text_area(key=f"options_choice_why_{some[1]}").value == ""
    # What is not within the thresholds is kept only with a reason and a name.
    for reason, name in (("", "A. Officer"), ("Coarser.", " ")):
        keep_choice(app, some[1], reason, name)
        assert "is not within your thresholds" in app.error[0].value
        assert "This exceeds the threshold of 5%" in app.error[0].value
        assert "who takes that decision" in app.error[0].value
        assert chosen(app) is choice
    keep_choice(app, some[1], "Coarser.")
    assert not app.error
    assert chosen(app).why == "Coarser."
    assert chosen(app).result.option.name == some[1]
    app.selectbox(key="options_choice_name").set_value(some[0]).run()
    assert app.text_area(key=why).value == "The ministry asked for *hours*."
    assert app.multiselect(key="options_pinned").value == some


def test_the_chosen_option_is_produced_whatever_it_is(app: AppTest) -> None:
    """Noise promises no crowd; its release leaves all the same, and says so."""
    raw(app, rows(users=9, samples=6))
    added(app, 2, noise_m=500.0)
    once = "was recorded at least once in the row's area and time window"
    noisy = next(name for name in names(app) if name != "as it is")
    for name, words in (("as it is", once), (noisy, "of 100 rows")):
        go(app, "options")
        keep_choice(app, name, "It is wanted.")
        go(app, "report")
        until(app, lambda at: has(at, "produce_option_go")).run()
        assert "This option is, or may be, above the threshold" in said(app)
        assert "has an area" in said(app)
        drawn = app.button(key="produce_option_go").help
        assert "Noise, exchanges and draws of people come from the operating system" in drawn
        before = len(answers(app, PRODUCED))
        press(app, "produce_option_go", lambda at, n=before: len(answers(at, PRODUCED)) > n).run()
        assert words in said(app)
        assert "does not guarantee k-anonymity" in said(app)
        # Not in green: nothing that protects anybody was checked.
        told = "This release does not guarantee k-anonymity"
        assert any(told in box.value for box in app.warning)
        assert not any("in order" in box.value for box in app.success)
        assert [b.label for b in app.download_button if b.key.startswith("produce_option")] == [
            "Release (zip)",
            "Pseudonym key (not for release)",
        ]  # no sample is left out: there is nothing to list
    made = [found.result for found in answers(app, PRODUCED).values()]
    assert all(each.verdict.passed and each.verdict.k is None for each in made)


def test_each_option_is_asked_alone_and_let_go_when_nobody_wants_it(app: AppTest) -> None:
    opened(app, page="options")
    assert len(under_way(app)) == 12
    app.pills(key="options_presets").set_value(["As it is"]).run()
    assert [job.label for job in under_way(app)] == ["Exploring “as it is”"]
    explored(app, 1)
    done = kept(app)
    assert len(done) == 1
    assert names(app) == ["as it is"]
    # Cancelled, they wait to be asked for again.
    app.pills(key="options_presets").set_value(["Places × windows, 3 × 4", "As it is"]).run()
    app.button(key="options_jobs_cancel").click().run()
    app.run()
    assert not under_way(app)
    assert app.button(key="options_go").label == "Explore 12 options"
    app.button(key="options_go").click().run()
    explored(app, 13)
    assert kept(app).items() >= done.items()  # nothing is done twice


def test_the_address_names_what_is_weighed_and_nothing_of_ones_own() -> None:
    app = new_app(sets="asis,glove", risk="kl", weights="epidemics", p="2", seed="7")
    upload(app, rows(users=9, samples=6))
    for name, value in (("sets", "asis"), ("risk", "kl"), ("weights", "epidemics"), ("p", "2")):
        app.query_params[name] = value
    go(app, "options")
    explored(app, 1)
    assert app.pills(key="options_presets").value == ["As it is"]
    assert app.selectbox(key="options_risk").value == "kl"
    assert app.selectbox(key="options_weights").value == "epidemics"
    assert app.number_input(key="options_p").value == 2
    added(app, 0, share=50.0)
    app.number_input(key="options_seed").set_value(3).run()
    explored(app, 2)
    named = {"sets": "asis", "risk": "kl", "weights": "epidemics", "p": "2", "seed": "3"}
    assert address(app) == named
    app.query_params.clear()
    go(app, "unicity")
    app.query_params["risk"] = "no such"
    go(app, "options")
    assert app.selectbox(key="options_risk").value == "kl"


def test_weights_of_nothing_are_refused(app: AppTest) -> None:
    raw(app, rows(users=9, samples=6))
    app.selectbox(key="options_weights").set_value("your own").run()
    for name in ("density", "flows", "mobility", "visits", "space", "time"):
        app.number_input(key=f"options_weight_{name}").set_value(0.0)
    app.run()
    assert "All weights are 0" in app.error[0].value
    assert not any("No." in table.value for table in app.dataframe)

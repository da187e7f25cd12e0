"""The view that attacks a release: empty, loaded, each kind of release, refused, one followed."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from fpanon_core import FrameConfig, StatedPeriod, explore_options
from fpanon_core.model.errors import ConfigError
from fpanon_core.model.options import Aligned, Generalize, Periods, Presence, ReleaseOption
from fpanon_core.model.profiles import GeneralizationProfile, Grid
from fpanon_core.studies import attack
from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.study import AtHand
from pages.attack import form
from tests.support.views import (
    address,
    answers,
    chosen,
    go,
    has,
    idle,
    keep_choice,
    new_app,
    opened,
    rows,
    said,
    until,
    upload,
    workspace,
)


def found(at: AppTest) -> list[attack.Result]:
    """The results that the session keeps, the latest last."""
    return [each.result for each in answers(at, form.ATTACK).values()]


def attacked(at: AppTest, release: str, many: int = 1) -> attack.Result:
    """Attack the release of that name, and wait until somebody is followed, too."""
    choose(at, release)
    until(at, lambda at: len(found(at)) == many and has(at, "attack_next"))
    return found(at)[-1]


def choose(at: AppTest, release: str) -> AppTest:
    """A release of the list."""
    return at.selectbox(key="attack_release").set_value(release).run()


def pressed(at: AppTest, key: str) -> AppTest:
    """A button that leads to the view; AppTest does not remember by itself where it led."""
    at.button(key=key).click().run()
    assert at.title[0].value == "Attack the release"
    return go(at, "attack")


@pytest.fixture
def small(app: AppTest) -> AppTest:
    """Nine users of one's own file, at the same six hours, on the view."""
    return upload(app, rows(users=9, samples=6), page="attack")


def test_nothing_is_attacked_until_a_release_is_chosen(small: AppTest) -> None:
    assert "Choose the option to attack" in said(small)
    assert small.selectbox(key="attack_release").value is None
    assert "aligned, k = 2" in small.selectbox(key="attack_release").options
    assert not small.session_state["fp_jobs"]
    assert address(small) == {}


def test_the_form_that_was_kept_is_asked_about_first(app: AppTest) -> None:
    upload(app, rows(users=9, samples=6), page="options")
    until(app, lambda at: has(at, "options_choice_keep") and idle(at))
    names = list(app.selectbox(key="options_choice_name").options)[:-1]  # the last: nothing leaves
    keep_choice(app, names[-1], "It hides.")
    go(app, "attack")
    listed = app.selectbox(key="attack_release").options
    assert listed[:2] == [names[-1], "as it is"]
    assert app.selectbox(key="attack_release").value == names[-1]
    until(app, lambda at: found(at))
    assert found(app)[0].config.option == chosen(app).result.option
    # What somebody takes instead stays; another choice is asked about again.
    choose(app, "as it is")
    go(app, "data")
    go(app, "attack")
    assert app.selectbox(key="attack_release").value == "as it is"
    go(app, "options")
    until(app, lambda at: has(at, "options_choice_keep") and idle(at))
    keep_choice(app, names[0], "It hides.")
    go(app, "attack")
    assert app.selectbox(key="attack_release").value == names[0]


def test_before_after_and_guessing(small: AppTest) -> None:
    result = attacked(small, "aligned, k = 2")
    # Nine people 1.1 km apart on a line: each point names its person, until two or more share it.
    assert result.before.link.first == 1
    assert result.after.link.first <= 1 / 2
    assert result.config.strategy == "uniform"
    assert "**The strongest attacker with 4 known points picks the right record in" in said(small)
    assert "The attacker knows that the person is in the release" in said(small)
    assert small.dataframe[0].value["Guessing"].tolist()[0] == "11%"
    assert [b.key for b in small.download_button] == ["attack_get_attack", "attack_get_targets"]
    assert address(small) == {"release": "aligned, k = 2"}
    assert not small.error
    # Looking elsewhere and coming back loses nothing, and asks nothing again.
    go(small, "data")
    go(small, "attack")
    assert small.selectbox(key="attack_release").value == "aligned, k = 2"
    assert has(small, "attack_next")
    assert len(found(small)) == 1


def test_what_the_outsider_knows_is_in_the_address_and_another_question(small: AppTest) -> None:
    attacked(small, "aligned, k = 2")
    small.number_input(key="attack_p").set_value(2)
    small.selectbox(key="attack_strategy").set_value("random")
    small.number_input(key="attack_blur_m").set_value(100.0)
    small.number_input(key="attack_blur_min").set_value(30.0).run()
    until(small, lambda at: len(found(at)) == 2 and has(at, "attack_next"))
    known = found(small)[-1].config
    assert (known.p, known.strategy, known.blur_m, known.blur_min) == (2, "random", 100.0, 30.0)
    assert "2 points of each person" in said(small)
    assert "with errors of about 100 m and 30 minutes" in said(small)
    named = {
        "release": "aligned, k = 2",
        "p": "2",
        "points": "random",
        "off_m": "100",
        "off_min": "30",
    }
    assert address(small) == named
    # Who follows such a link finds the same.
    again = new_app(**named)
    upload(again, rows(users=9, samples=6), page="attack")
    until(again, lambda at: found(at))
    assert found(again)[0].config == known


def test_places_and_times_can_be_typed_and_nonsense_is_refused() -> None:
    """In the form's own words; AppTest cannot type into a list."""
    option = ReleaseOption(steps=[Generalize(GeneralizationProfile(Grid(30_000), 1_440))])
    made = form.typed("30 km · 24 h")
    assert (made.name, made.option, made.made) == ("30 km · 24 h", option, None)
    with pytest.raises(ConfigError, match="whatever"):
        form.typed("whatever")


def test_an_attack_that_cannot_be_is_told_kindly(small: AppTest) -> None:
    """Six samples each, and seven points known."""
    small.number_input(key="attack_p").set_value(7)
    choose(small, "aligned, k = 2")
    until(small, lambda at: at.error)
    assert "not finished" in small.error[0].value
    assert "7" in small.error[0].value
    assert "Traceback" not in said(small)
    small.number_input(key="attack_p").set_value(6).run()
    until(small, lambda at: has(at, "attack_next"))
    assert not small.error


def test_what_was_hidden_is_attacked_as_it_is(app: AppTest) -> None:
    upload(app, rows(users=9, samples=6), page="hiding")
    app.number_input(key="glove_k").set_value(3)
    app.number_input(key="glove_space").set_value(100.0)
    app.button(key="glove_run").click().run()
    until(app, lambda at: has(at, "glove_attack"))
    pressed(app, "glove_attack")
    name = "aligned, k = 3 · at most 100 km"
    assert app.selectbox(key="attack_release").value == name
    until(app, lambda at: found(at) and has(at, "attack_next"))
    result = found(app)[0]
    assert result.option.steps == (Aligned(3, 100_000.0),)
    assert result.crowd == 3
    assert address(app) == {}  # whoever follows the link has not made it
    # The same settings but another release: another question.
    go(app, "hiding")
    app.number_input(key="glove_space").set_value(90.0)
    app.button(key="glove_run").click().run()
    until(app, lambda at: idle(at) and len(answers(at, "glove")) == 2)
    app.run()
    pressed(app, "glove_attack")
    until(app, lambda at: len(found(at)) == 2)
    assert found(app)[-1].option.steps == (Aligned(3, 90_000.0),)


def test_two_clicks_lead_from_the_front_to_the_figure(app: AppTest) -> None:
    upload(app, rows(users=9, samples=6))
    go(app, "attack")  # whose own settings give way to those of who asks
    assert app.number_input(key="attack_p").value == 4
    go(app, "options")
    until(app, lambda at: any("No." in each.value for each in at.dataframe) and idle(at))
    assert not has(app, "options_attack")
    name = next(each.value for each in app.dataframe if "No." in each.value)["Option"].iloc[1]
    app.number_input(key="options_p").set_value(3).run()
    until(app, idle)
    app.multiselect(key="options_pinned").set_value([name]).run()
    until(app, idle)
    assert app.button(key="options_attack").label == f"What does an attacker find in “{name}”?"
    pressed(app, "options_attack")
    assert app.selectbox(key="attack_release").value == name
    assert app.number_input(key="attack_p").value == 3  # the same outsider
    until(app, lambda at: found(at) and has(at, "attack_next"))
    assert found(app)[0].config.option.name == name


def test_periods_say_of_whom(app: AppTest) -> None:
    """Twelve users on two days, at places of their own."""
    lines = [
        f"u{i},2024-03-0{4 + day} {h:02d}:00:00,{14.7 + i / 100:.4f},-17.4"
        for day in range(2)
        for i in range(12)
        for h in (1, 8, 12, 18, 23)
    ]
    upload(app, "\n".join(["user,time,lat,lon", *lines]).encode(), page="attack")
    result = attacked(app, "aligned, k = 2, days")
    assert result.option.steps == (Periods(1), Aligned(2))
    assert "24 records, each covering one day of one person, in the release" in said(app)
    until(app, lambda at: "By habits alone, without any known point" in said(at))


def steps(at: AppTest) -> Any:
    return next(each for each in at.slider if each.label == "Points known")


def test_one_person_is_followed_step_by_step(small: AppTest) -> None:
    attacked(small, "aligned, k = 2")
    names = small.session_state["fp_dataset"].fs.pseudonyms
    followed = next(iter(answers(small, form.FOLLOWED).values())).result
    who = followed.pseudonym
    assert who in names
    assert f"The attacker knows 1 point of {who}" in said(small)
    small.button(key="attack_next").click().run()
    assert steps(small).value == 2
    assert f"The attacker knows 2 points of {who}" in said(small)
    steps(small).set_value(4).run()
    assert small.button(key="attack_next").disabled
    steps(small).set_value(0).run()
    assert small.button(key="attack_back").disabled
    assert f"Nothing is known about {who} yet." in said(small)
    # Somebody else; nobody's name is in the address, nor an id anywhere.
    for _ in range(3):
        small.button(key="attack_follow_random").click().run()
        until(small, lambda at: idle(at) and has(at, "attack_next"))
    assert steps(small).value == 1
    assert "u0" not in str(address(small))
    assert "subscriber" not in said(small)


def test_a_choice_without_records_is_none_to_attack(app: AppTest) -> None:
    opened(app)
    fs, frame = app.session_state["fp_dataset"].fs, FrameConfig(StatedPeriod(date(2008, 6, 8), 1))
    table = explore_options(fs, [ReleaseOption(steps=[Presence(frame, 4, 15)])], risk="outsider")
    mine = workspace(app)
    mine.weigh(table, Limits(), 0)
    mine.made["options"] = (AtHand("options", "counts", table.options[0]),)
    mine.choose(table.results[0], "Asked for.")
    go(app, "attack")
    assert "The chosen option holds no person's record" in said(app)
    offered = app.selectbox(key="attack_release").options
    assert "counts" not in offered
    assert not any(name.startswith(("presence", "flows", "synthetic")) for name in offered)
    assert not app.error

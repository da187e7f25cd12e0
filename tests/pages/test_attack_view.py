"""The view that attacks a release: empty, loaded, each kind of release, refused, one followed."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from fpanon_core import FrameConfig, StatedPeriod, explore_options
from fpanon_core.model.errors import ConfigError
from fpanon_core.model.options import Aligned, Generalize, Periods, Presence, ReleaseOption, Tables
from fpanon_core.model.profiles import GeneralizationProfile, Grid
from fpanon_core.studies import attack
from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.study import AtHand
from pages.attack import form, story
from pages.shell.kinds import ATTACK
from tests.support.snapshots import check_snapshot
from tests.support.views import (
    address,
    answers,
    choose_option,
    chosen,
    go,
    has,
    idle,
    keep_choice,
    new_app,
    opened,
    page_lines,
    press,
    rows,
    said,
    until,
    upload,
    workspace,
)


def found(at: AppTest) -> list[attack.Result]:
    """The results that the session keeps, the latest last."""
    return [each.result for each in answers(at, ATTACK).values()]


def attacked(at: AppTest, release: str) -> attack.Result:
    """Attack the release of that name, and wait until somebody is followed, too."""
    choose(at, release)
    until(at, lambda at: found(at) and has(at, "attack_next"))
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


def test_one_release_and_one_person_step_by_step_are_told_as_the_snapshot_says(
    small: AppTest,
) -> None:
    told = {"Before": page_lines(small)}
    assert small.selectbox(key="attack_release").value is None
    assert not small.session_state["fp_jobs"]
    assert address(small) == {}
    result = attacked(small, "aligned, k = 2")
    # Nine people 1.1 km apart on a line: each point names its person, until two or more share it.
    assert result.before.link.first == 1
    assert result.after.link.first <= 1 / 2
    assert result.config.strategy == "uniform"
    told["Pairs, one point"] = page_lines(small)
    assert small.dataframe[0].value["Guessing"].tolist()[0] == "11%"
    assert [b.key for b in small.download_button] == ["attack_get_attack", "attack_get_targets"]
    assert address(small) == {"release": "aligned, k = 2"}
    assert not small.error
    # One person, point by point.
    who = next(iter(answers(small, form.FOLLOWED).values())).result.pseudonym
    assert who in small.session_state["fp_dataset"].fs.pseudonyms
    assert f"The attacker knows 1 point of {who}" in said(small)
    small.button(key="attack_next").click().run()
    assert steps(small).value == 2
    told["Two points"] = page_lines(small)
    steps(small).set_value(4).run()
    assert small.button(key="attack_next").disabled
    steps(small).set_value(0).run()
    assert small.button(key="attack_back").disabled
    told["No point"] = page_lines(small)
    check_snapshot("attack_view", told)
    # Somebody else; nobody's name is in the address, nor an id anywhere.
    press(small, "attack_follow_random", lambda at: idle(at) and has(at, "attack_next"))
    assert steps(small).value == 1
    assert "u0" not in str(address(small))
    assert "subscriber" not in said(small)
    # Looking elsewhere and coming back loses nothing, and asks nothing again.
    go(small, "data")
    go(small, "attack")
    assert small.selectbox(key="attack_release").value == "aligned, k = 2"
    assert has(small, "attack_next")
    assert len(found(small)) == 1


def steps(at: AppTest) -> Any:
    return next(each for each in at.slider if each.label == "Points known")


def test_the_form_that_was_kept_is_asked_about_first(app: AppTest) -> None:
    upload(app, rows(users=9, samples=6), page="options")
    until(app, lambda at: has(at, "options_choice_keep") and idle(at))
    names = list(app.selectbox(key="options_choice_name").options)[:-1]  # the last: nothing leaves
    keep_choice(app, names[-1], "It hides.")
    go(app, "attack")
    listed = app.selectbox(key="attack_release").options
    assert listed[:2] == [names[-1], "as it is"]
    assert app.selectbox(key="attack_release").value == names[-1]
    until(app, found)
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


def test_what_the_attacker_knows_is_in_the_address_and_another_question(small: AppTest) -> None:
    small.number_input(key="attack_p").set_value(7)  # of six samples each: told kindly
    choose(small, "aligned, k = 2")
    until(small, lambda at: at.error)
    assert "not finished" in small.error[0].value
    assert "7" in small.error[0].value
    assert "Traceback" not in said(small)
    small.number_input(key="attack_p").set_value(2)
    small.selectbox(key="attack_strategy").set_value("random")
    small.number_input(key="attack_blur_m").set_value(100.0)
    small.number_input(key="attack_blur_min").set_value(30.0).run()
    until(small, lambda at: len(found(at)) == 1 and has(at, "attack_next"))
    assert not small.error
    known = found(small)[-1].config
    assert (known.p, known.strategy, known.blur_m, known.blur_min) == (2, "random", 100.0, 30.0)
    assert "2 points of each person" in said(small)
    assert "with errors of about 100 m and 30 minutes" in said(small)
    named = {"release": "aligned, k = 2", "p": "2", "points": "random"}
    named |= {"off_m": "100", "off_min": "30"}
    assert address(small) == named
    # Who follows such a link finds the same.
    again = upload(new_app(**named), rows(users=9, samples=6), page="attack")
    until(again, found)
    assert found(again)[0].config == known


def test_places_and_times_can_be_typed_and_nonsense_is_refused() -> None:
    """In the form's own words; AppTest cannot type into a list."""
    option = ReleaseOption(steps=[Generalize(GeneralizationProfile(Grid(30_000), 1_440))])
    made = form.typed("30 km · 24 h")
    assert (made.name, made.option, made.made) == ("30 km · 24 h", option, None)
    with pytest.raises(ConfigError, match="whatever"):
        form.typed("whatever")


def test_what_was_hidden_is_attacked_as_it_is(app: AppTest) -> None:
    upload(app, rows(users=9, samples=6), page="hiding")
    app.number_input(key="glove_k").set_value(3)
    app.number_input(key="glove_space").set_value(100.0)
    press(app, "glove_run", "glove_attack")
    pressed(app, "glove_attack")
    name = "aligned, k = 3 · at most 100 km"
    assert app.selectbox(key="attack_release").value == name
    until(app, lambda at: found(at) and has(at, "attack_next"))
    result = found(app)[0]
    assert result.option.steps == (Aligned(3, 100_000.0),)
    assert result.crowd == 3
    assert address(app) == {}  # whoever follows the link has not made it


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


def test_a_choice_without_records_is_none_to_attack(app: AppTest) -> None:
    opened(app)
    step = Presence(FrameConfig(StatedPeriod(date(2008, 6, 8), 1)), 4, 15)
    tables = AtHand("options", "counts", ReleaseOption(steps=[step]))
    workspace(app).made["options"] = (tables,)
    go(app, "attack")
    assert story.NOT_LISTED in said(app)
    go(app, "overview")
    mine = choose_option(app, step)
    mine.made["options"] = (tables,)
    go(app, "attack")
    assert story.NOT_LISTED not in said(app)
    assert "**Not the chosen option**, which holds nobody's record" in said(app)
    offered = app.selectbox(key="attack_release").options
    assert "counts" not in offered
    assert not any(name.startswith(("presence", "flows", "synthetic")) for name in offered)
    assert app.selectbox(key="attack_release").value is None


def test_without_a_choice_the_option_nearest_to_the_thresholds_is_attacked(app: AppTest) -> None:
    opened(app)
    far, near = (
        ReleaseOption(steps=[Generalize(GeneralizationProfile(Grid(m), m / 50))])
        for m in (500, 5_000)
    )
    table = explore_options(app.session_state["fp_dataset"].fs, [far, near], risk="outsider")
    workspace(app).weigh(table, Limits(), 0)
    go(app, "attack")
    assert app.selectbox(key="attack_release").value == near.name
    app.selectbox(key="attack_release").set_value(None).run()
    assert app.selectbox(key="attack_release").value is None, "what was cleared stays so"


def test_an_option_with_records_that_is_chosen_is_not_said_to_hold_none(app: AppTest) -> None:
    opened(app)
    step = Tables(FrameConfig(StatedPeriod(date(2008, 6, 8), 1), antennas_an_area=4), 24, 2)
    limits = Limits(dict.fromkeys(Limits().of) | {"home": 1.0})
    mine = choose_option(app, step, limits)
    mine.kept, mine.weighed = None, replace(mine.weighed, chosen=None)  # it is recommended only
    go(app, "attack")
    assert "**Not the recommended option**" in said(app)
    fs = app.session_state["fp_dataset"].fs
    coarse = ReleaseOption(steps=[Generalize(GeneralizationProfile(Grid(5_000), 60))])
    (chosen,) = explore_options(fs, [coarse], risk="outsider").results
    mine.choose(chosen, "Asked for.")
    assert "**Not the" not in said(app.run())
    assert not app.error

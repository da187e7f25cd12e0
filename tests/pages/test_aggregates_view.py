"""The Aggregates view: empty, attacked, other settings, odd data, factors and mitigations."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

from fpanon_core import (
    FingerprintSet,
    FrameConfig,
    StatedArea,
    StatedPeriod,
    read_cdr,
)
from fpanon_core.attacks.aggregation import counted_people
from fpanon_core.attacks.habits import habits
from fpanon_core.model.configs import Screening
from fpanon_core.studies import counts_release, recovery_mitigations
from fpanon_core.studies.recovery_mitigations import Effort
from pages.aggregates import counts_story, story
from pages.charts import words
from tests.support.snapshots import check_snapshot
from tests.support.views import (
    address,
    answer,
    go,
    has,
    idle,
    new_app,
    opened,
    rows,
    said,
    until,
    upload,
)


def attacked(at: AppTest) -> AppTest:
    return until(
        at, lambda at: answer(at, "recovery")[1] is not None and has(at, "aggregates_get_counts")
    )


def test_the_taxis_are_attacked_and_it_says_why_little_comes_back(app: AppTest) -> None:
    opened(app, page="aggregates")
    attacked(app)
    _, found = answer(app, "recovery")
    score, text = found.score, said(app)
    # The number is of what is recorded, and what is filled in stands beside.
    assert f"{words.percent(1 - found.recorded)} of the points had to be filled in" in text
    random = words.percent(score.baseline_recorded)
    recorded = (
        f"{words.percent(score.recorded)} of the recorded points; linking at random recovers "
        f"{random}"
    )
    assert recorded in text
    assert f"filled-in ones included, the attack gets {words.percent(score.accuracy)} right" in text
    assert "Attack the counts" in text, "the buttons are introduced"
    assert story.top_places(found.habits) in text
    assert story.nights(found.habits) in text
    app.segmented_control(key="aggregates_habit").set_value("Next place and next day").run()
    assert story.top_places(found.habits) not in said(app)
    assert story.next_place(found.habits) in said(app)
    assert story.gains(found.habits).startswith("Consecutive days hardly tell people apart: ")
    assert story.gains(found.habits) in said(app)
    assert "as taxis do" in text
    assert "too few days for a habit" in text
    for table in found.tables().values():
        assert not {"data_digest", "synthetic"} & set(table)
    # Another slot is another question.
    app.selectbox(key="aggregates_slot").set_value(180)
    app.button(key="aggregates_run").click().run()
    until(app, lambda at: answer(at, "recovery")[0][1].slot_min == 180)
    app.run()
    assert "every 3 hours" in said(app)


def test_fewer_users_are_drawn_and_the_settings_are_kept(app: AppTest) -> None:
    opened(app, page="aggregates")
    attacked(app)
    app.number_input(key="aggregates_users").set_value(50)
    app.number_input(key="aggregates_seed").set_value(7)
    app.button(key="aggregates_run").click().run()
    until(app, lambda at: answer(at, "recovery")[0][1].users == 50)
    app.run()
    assert "446 people in the data were not drawn" in said(app)
    assert "Small counts are commoner among these 50 people than among all" in said(app)
    _, found = answer(app, "recovery")
    assert len(np.unique(found.users)) == 50
    go(app, "unicity")
    go(app, "aggregates")
    assert app.number_input(key="aggregates_users").value == 50
    assert app.number_input(key="aggregates_seed").value == 7


def test_settings_come_from_the_address_and_nonsense_is_passed_over() -> None:
    app = new_app(slot="60", seed="3", people="1", pairing="best")
    upload(app, rows(users=7, samples=12), page="aggregates")
    attacked(app)
    _, plan = answer(app, "recovery")[0]
    assert (plan.slot_min, plan.seed, plan.users, plan.pairing) == (60.0, 3, 7, "greedy")
    assert address(app) == {"slot": "60", "seed": "3"}


def test_one_person_is_looked_at_by_pseudonym_only(app: AppTest) -> None:
    upload(app, rows(users=7, samples=12), page="aggregates")
    attacked(app)
    _, found = answer(app, "recovery")
    right = (found.recovered == found.truth).mean(axis=1)
    app.button(key="aggregates_person_best").click().run()
    names = app.session_state["fp_dataset"].fs.pseudonyms
    best = names[found.users[np.argsort(right, kind="stable")[-1]]]
    assert f"The trajectory paired with {best} is right in" in said(app)
    box = next(e for e in app.selectbox if e.key.startswith("aggregates_person"))
    box.set_value(3).run()
    assert "The trajectory paired with u0003" in said(app)


def test_factors_and_mitigations_when_asked_for(app: AppTest) -> None:
    upload(app, rows(users=9, samples=30), page="aggregates")
    attacked(app)
    assert "This runs the attack again on coarser places" in said(app)
    app.button(key="recovery_factors_go").click().run()
    until(app, lambda at: has(at, "aggregates_get_factors"))
    assert (
        "For all 9 people, trying the mitigations would take about 10 seconds and 0.1 GB of "
        "memory" in said(app)
    )
    app.button(key="recovery_remedies_go").click().run()
    until(app, lambda at: has(at, "aggregates_get_mitigations"))
    text = said(app)
    assert "Such counts show what noise does and promise nothing" in text
    assert "are recovered across days at the original places" in text
    assert "The attack recovers least after" in text
    table = app.dataframe[0].value
    assert table["Counts"].tolist()[:2] == ["as they are", "slots of 3 h"]
    assert table["Counts"].tolist()[-1] == "private, person, ε = 0.1"


def test_people_who_are_all_in_one_place_at_one_time(app: AppTest) -> None:
    lines = [f"u{i},2024-03-04 08:00:00,14.7,-17.4" for i in range(5)]
    upload(app, "\n".join(["user,time,lat,lon", *lines]).encode(), page="aggregates")
    attacked(app)
    text = said(app)
    assert "Every point was recorded" in text
    assert "recovers 100% of the recorded points" in text
    assert "has no night to start from" in text
    assert "Why it is low" not in text


def test_people_hardly_ever_seen_are_not_taken_for_taxis(app: AppTest) -> None:
    lines = [
        f"u{i},2024-03-{day} 12:00:00,{14 + 0.1 * i + 0.4 * (day % 2):.2f},-17.4"
        for i in range(6)
        for day in (10, 11, 12)
    ]
    upload(app, "\n".join(["user,time,lat,lon", *lines]).encode(), page="aggregates")
    attacked(app)
    _, found = answer(app, "recovery")
    # 12:00 to 12:00 two days later: 97 slots, three of them with a record.
    assert found.recorded == 3 / 97
    assert "Here, 96.9% of the points were filled in" in said(app)
    assert "96.9% of the points had to be filled in from the records before or after" in said(app)


def test_cancelled_work_waits_to_be_asked_for_again(app: AppTest) -> None:
    opened(app, "synthetic", "aggregates")
    until(app, lambda at: has(at, "recovery_jobs_cancel"))
    app.button(key="recovery_jobs_cancel").click().run()
    app.run()
    assert not [job for job in app.session_state["fp_jobs"] if job.kind == "recovery"]
    assert has(app, "recovery_go")


def stated(at: AppTest, **fields: object) -> AppTest:
    """The settings of counts to publish filled in and sent."""
    return filled(at, **fields).button(key="aggregates_counts").click().run()


def filled(at: AppTest, **fields: object) -> AppTest:
    """The settings of counts to publish filled in; the form first, as fields go by it."""
    if (form := fields.pop("form_of", None)) is not None:
        at.selectbox(key="aggregates_counts_form_of").set_value(form).run()
    for name, value in fields.items():
        kind = {"first": at.date_input, "unit": at.selectbox}
        kind.get(name, at.number_input)(key=f"aggregates_counts_{name}").set_value(value)
    return at.run()


def corrected(at: AppTest, timezone: str, centre: str = "") -> AppTest:
    """The data read again with what was stated, and attacked."""
    go(at, "data")
    if has(at, "data_list_columns"):
        at.button(key="data_list_columns").click().run()
        until(at, lambda at: has(at, "data_timezone"))
    at.selectbox(key="data_timezone").set_value(timezone)
    for wrong in ("14.7", "91, 0"):
        at.text_input(key="data_centre").set_value(wrong)
        at.button(key="data_read_again").click().run()
        assert "centre" in said(at).lower()
    at.text_input(key="data_centre").set_value(centre)
    at.button(key="data_read_again").click().run()
    until(at, idle).run()
    assert at.session_state["fp_dataset"].report.centre_stated == bool(centre)
    go(at, "aggregates")
    return attacked(at)


FRAME = {
    "first": dt.date(2024, 3, 5),
    "days": 1,
    "side": 2_000.0,
    "south": 14.6,
    "west": -17.5,
    "north": 14.75,
    "east": -17.3,
}


def reasoned(at: AppTest) -> None:
    """Unprotected counts are made, and a reason is given to let them leave."""
    until(at, lambda at: has(at, "aggregates_counts_why"))
    at.text_area(key="aggregates_counts_why").set_value("A town of its own choice.").run()
    assert has(at, "aggregates_get_release")


def test_the_counts_made_are_offered_under_their_own_settings_only(app: AppTest) -> None:
    """Whatever is changed, refused or read again, the zip made before goes."""
    upload(app, rows(users=9, samples=12), page="aggregates")
    attacked(app)

    def made() -> bool:
        stated(app, form_of="plain", **FRAME)
        reasoned(app)
        return has(app, "aggregates_get_release")

    for change in ({"form_of": "suppressed"}, {"days": 2}, {"north": 14.76}, {"side": 500.0}):
        assert made()
        filled(app, **change)
        assert not has(app, "aggregates_get_release"), change
        assert "no longer offered" in said(app)
    assert made()
    filled(app, north=10.0)  # refused: no area
    assert not has(app, "aggregates_get_release")
    # Read again with the guessed zone stated: the same samples, another reading.
    assert made()
    before = app.session_state["fp_dataset"]
    corrected(app, timezone=before.report.timezone)
    after = app.session_state["fp_dataset"]
    assert after.digest == before.digest
    assert after.reading != before.reading
    assert not has(app, "aggregates_get_release")
    assert made()


def test_counts_to_publish_are_stated_made_and_packed(
    app: AppTest, offered: dict[str, Callable[[], bytes]]
) -> None:
    upload(app, rows(users=9, samples=12), page="aggregates")
    attacked(app)
    # Nothing is chosen, and no field is there that nothing uses.
    assert "State the protection, the places and the period" in said(app)
    assert app.selectbox(key="aggregates_counts_form_of").value is None
    unused = ("aggregates_counts_below", "aggregates_counts_epsilon", "aggregates_counts_unit")
    assert not any(has(app, key) for key in unused)
    stated(app)
    assert "State how the counts are protected, the first day" in said(app)
    stated(app, form_of="plain", **FRAME)
    until(app, lambda at: has(at, "aggregates_counts_why"))
    assert not has(app, "aggregates_get_release")
    assert "Say why they may be released" in said(app)
    reasoned(app)
    text = said(app)
    # Nine people 0.01° apart from 14.70 north on, of 12 samples each: five below 14.75.
    assert "5 people are counted at" in text
    assert "48 samples outside the area, 0 outside the period, and 4 people without" in text
    assert "Nothing protects these counts" in text
    assert [name for name in offered if name.startswith("counts_")] == ["counts_unprotected.zip"]
    # A promise needs that the records decided nothing of how they were read: both said at once,
    # and the unprotected counts are not offered under settings that promise something.
    filled(app, form_of="private")
    assert not has(app, "aggregates_get_release")
    stated(app, unit="user-slot", epsilon=0.5)
    text = said(app)
    assert "The time zone is guessed from the records" in text
    assert "give 14.675, -17.4 as centre of the projection (the middle of the area)" in text
    assert not has(app, "aggregates_get_release")
    # Read again, the data are another matter; what was stated is still there.
    corrected(app, timezone="Africa/Dakar", centre="14.675, -17.4")
    assert not has(app, "aggregates_get_release")
    assert app.number_input(key="aggregates_counts_south").value == 14.6
    assert app.date_input(key="aggregates_counts_first").value == FRAME["first"]
    stated(app, form_of="private", unit="user-slot", epsilon=0.5)
    until(app, lambda at: has(at, "aggregates_get_release"))
    text = said(app)
    assert "ε = 0.5 for a person's records within one slot" in text
    assert "48 slots together, ε = 24" in text
    assert "add up" in text
    # Sensitivity 2, ε = .5: scale 4, standard deviation 5.7; of six people, as it is snapped now.
    assert "off by about 5.7 people, but there are 6 people in all, 0.061 per place" in text
    _, made = answer(app, "counts_release")
    assert not made.counts.filled_in
    with zipfile.ZipFile(io.BytesIO(offered["counts_private.zip"]())) as packed:
        assert set(packed.namelist()) == {
            "README.md",
            "datapackage.json",
            "counts.csv",
            "places.csv",
        }
        assert "subscriber" not in "".join(packed.read(n).decode() for n in packed.namelist())
    # The mitigations are tried over what was stated, and only then a promise is spoken of.
    app.button(key="recovery_remedies_go").click().run()
    until(app, lambda at: has(at, "aggregates_get_mitigations"))
    told = said(app)
    assert "The only promise on this page is a stated ε, with stated places and a stated" in told
    # Nonsense is told.
    stated(app, north=10.0)
    assert "The area is empty" in said(app)


def test_sentences_are_those_of_the_snapshot() -> None:
    """Two people: one at two places by day, 3 of 4 records at one; the other at one by night.

    The first is in slots 23, 24 and 25 after its first: two steps of 0 m, then 9 km. Counted: two
    people, each seen at 0:00 and 3:00, half an hour apart; in slots of an hour each is alone in 4,
    and recorded in 2 of them. The least of mitigations must be least of every row of the table.
    """
    fs = FingerprintSet.from_samples(
        [1, 1, 1, 1, 2], [0, 0, 0, 9_000, 0], [0] * 5, [700, 720, 740, 760, 60]
    )
    nobody = FingerprintSet.from_samples([1], [0], [0], [700])
    some, none = (habits(each, counted_people(each), 0) for each in (fs, nobody))
    assert some.n_night == 0
    assert story.reach([some.next_day_m / 1_000, some.next_night_m])[1] > 9
    low, high = story.reach([none.next_day_m])
    assert low < 0 < 1 < high
    few, all_of_them = Effort(2_000, 120.0, 1.5), Effort(20_000, 12_000.0, 15.0)
    assert [each.affordable for each in (few, all_of_them, Effort(9, 1.0, 4.1))] == [
        True,
        False,
        False,
    ]
    _, report = read_cdr(io.BytesIO(rows(users=3, samples=12)), timezone="Africa/Dakar")
    screenings = (Screening(min_samples=2), Screening.of("civ"), Screening.of("sen"))
    check_snapshot(
        "aggregates",
        {
            "Habits": [
                story.top_places(some),
                story.nights(some),
                *story.places(some),
                story.next_place(some),
                story.gains(some),
            ],
            "Habits of nobody": [story.nights(none), *story.places(none), story.next_place(none)],
            "Effort": story.effort(few, all_of_them),
            "Effort for all": story.effort(few, few),
            "Counts of one person": [counts_story.warned(each) for each in of_two()],
            "Mitigations": story.mitigations(tried()),
            "Decided by the records": [
                counts_story.guessed(replace(report, **change)) or "(nothing)"
                for change in (
                    {},
                    {"timezone_guessed": True},
                    *({"screening": each} for each in screenings),
                )
            ],
        },
    )


def of_two() -> list[counts_release.Result]:
    """Counts of two people as they are, without what is filled in, and with small ones blank."""
    fs = FingerprintSet.from_samples(
        [1, 1, 2, 2], [0, 3_000, 10_000, 13_000], [0] * 4, [5, 185, 5, 185]
    )
    area = StatedArea(0, 0, 1_000, 20_000, "metres")
    frame = FrameConfig(StatedPeriod(None, 1, 60), "grid", area, 1_000)
    made, seen, blank = (
        counts_release.study(fs, counts_release.Config(frame, form, **more))
        for form, more in (
            ("plain", {}),
            ("plain", {"filled_in": False}),
            ("suppressed", {"below": 2}),
        )
    )
    assert made.published == made.of_one == made.of_one_unseen + 4
    assert made.recorded_share == 4 / made.published
    assert (seen.published, seen.of_one, seen.of_one_unseen) == (4, 4, 0)
    assert blank.of_one == 0
    return [made, seen, blank]


def tried() -> recovery_mitigations.Result:
    table = pd.DataFrame(
        {
            "mitigation": ["none", "longer slots", "small counts suppressed", *["private"] * 2],
            "setting": [np.nan, 180, 15, 1, 0.1],
            "unit": ["", "", "", "user", "user"],
            "recorded": [0.28, 0.35, 0.044, 0.011, 0.010],
            "recorded_random": [0.02] * 5,
            "count_error": [0.0, 1.0, 2.0, 30.0, 300.0],
            "count_error_share": [0.0, 0.2, 0.94, 91.0, 902.0],
            "users": [9] * 5,
        }
    )
    return recovery_mitigations.Result(table, 159, 9, recovery_mitigations.Config(30.0), "")

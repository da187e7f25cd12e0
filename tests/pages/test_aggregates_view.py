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

from fpanon_core import FingerprintSet, FrameConfig, StatedArea, StatedPeriod, read_cdr
from fpanon_core.attacks.aggregation import counted_people
from fpanon_core.attacks.habits import habits
from fpanon_core.model.configs import Screening
from fpanon_core.studies import counts_release, recovery_mitigations
from fpanon_core.studies.recovery_mitigations import Effort
from pages.aggregates import counts_story, story
from pages.charts import words
from tests.support.snapshots import check_snapshot
from tests.support.views import (
    HEADER,
    address,
    answer,
    go,
    has,
    new_app,
    opened,
    page_lines,
    press,
    rows,
    said,
    until,
    upload,
)


def attacked(at: AppTest) -> AppTest:
    return until(
        at, lambda at: answer(at, "recovery")[1] is not None and has(at, "aggregates_get_counts")
    )


def page(at: AppTest) -> list[str]:
    """What the page says, without how long more will take: that is the machine's."""
    return [line for line in page_lines(at) if "judging by the attack above" not in line]


def test_the_taxis_are_attacked_as_the_snapshot_says(app: AppTest) -> None:
    """Of what is recorded, beside what is filled in; why little comes back; another slot."""
    attacked(opened(app, page="aggregates"))
    _, found = answer(app, "recovery")
    told = {"Taxis": page(app)}
    assert f"{words.percent(found.score.recorded)} of the recorded points" in said(app)
    app.segmented_control(key="aggregates_habit").set_value("Next place and next day").run()
    told["Their next places"] = page(app)
    assert story.gains(found.habits) in said(app)
    app.selectbox(key="aggregates_slot").set_value(180)
    app.number_input(key="aggregates_users").set_value(50)
    press(app, "aggregates_run", lambda at: answer(at, "recovery")[0][1].slot_min == 180).run()
    told["Fifty of them, every three hours"] = page(app)
    assert len(np.unique(answer(app, "recovery")[1].users)) == 50
    check_snapshot("aggregates_taxis", told)


def test_settings_are_of_the_address_and_one_person_is_a_pseudonym() -> None:
    app = new_app(slot="60", seed="3", people="1", pairing="best")  # two of them are nonsense
    attacked(upload(app, rows(users=7, samples=12), page="aggregates"))
    (_, plan), found = answer(app, "recovery")
    assert (plan.slot_min, plan.seed, plan.users, plan.pairing) == (60.0, 3, 7, "greedy")
    assert address(app) == {"slot": "60", "seed": "3"}
    right = (found.recovered == found.truth).mean(axis=1)
    app.button(key="aggregates_person_best").click().run()
    names = app.session_state["fp_dataset"].fs.pseudonyms
    best = names[found.users[np.argsort(right, kind="stable")[-1]]]
    assert f"The trajectory paired with {best} is right in" in said(app)
    box = next(e for e in app.selectbox if e.key.startswith("aggregates_person"))
    box.set_value(3).run()
    assert "The trajectory paired with u0003" in said(app)


def test_people_who_are_no_taxis_are_attacked_as_the_snapshot_says(app: AppTest) -> None:
    """All in one place at one time; hardly ever seen; and what factors and mitigations do."""
    together = [f"u{i},2024-03-04 08:00:00,14.7,-17.4\n" for i in range(5)]
    seldom = [
        f"u{i},2024-03-{day} 12:00:00,{14 + 0.1 * i + 0.4 * (day % 2):.2f},-17.4\n"
        for i in range(6)
        for day in (10, 11, 12)
    ]
    files = [(HEADER + "".join(lines)).encode() for lines in (together, seldom)]
    told = {}
    recorded = []
    for name, body in (("Together", files[0]), ("Seldom", files[1]), ("Nine", rows(9, 30))):
        attacked(upload(app, body, page="aggregates"))
        told[name] = page(app)
        recorded.append(answer(app, "recovery")[1].recorded)
    # 12:00 to 12:00 two days later: 97 slots, three of them with a record.
    assert recorded[:2] == [1, 3 / 97]
    for key, made in (("factors", "factors"), ("remedies", "mitigations")):
        press(app, f"recovery_{key}_go", lambda at, name=made: has(at, f"aggregates_get_{name}"))
        told[made] = page(app)
    table = app.dataframe[0].value
    assert table["Counts"].tolist()[:2] == ["as they are", "slots of 3 h"]
    assert table["Counts"].tolist()[-1] == "private, person, ε = 0.1"
    check_snapshot("aggregates_people", told)


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
        press(at, "data_list_columns", "data_timezone")
    at.selectbox(key="data_timezone").set_value(timezone)
    for wrong in ("14.7", "91, 0"):
        at.text_input(key="data_centre").set_value(wrong)
        at.button(key="data_read_again").click().run()
        assert "centre" in said(at).lower()
    at.text_input(key="data_centre").set_value(centre)
    press(at, "data_read_again")
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


def test_counts_to_publish_are_stated_made_and_packed_as_the_snapshot_says(
    app: AppTest, offered: dict[str, Callable[[], bytes]]
) -> None:
    """Whatever is changed, refused or read again, the zip made before goes.

    Nine people 0.01° apart from 14.70 north on, of 12 samples each: five below 14.75. Of ε = .5
    and sensitivity 2 the scale is 4, the standard deviation 5.7; of six people, as it is snapped.
    """
    attacked(upload(app, rows(users=9, samples=12), page="aggregates"))
    told = {"Before": page(app)}
    # Nothing is chosen, and no field is there that nothing uses.
    assert app.selectbox(key="aggregates_counts_form_of").value is None
    unused = ("aggregates_counts_below", "aggregates_counts_epsilon", "aggregates_counts_unit")
    assert not any(has(app, key) for key in unused)
    told["Nothing is stated"] = page(stated(app))
    stated(app, form_of="plain", **FRAME)
    until(app, lambda at: has(at, "aggregates_counts_why"))
    assert not has(app, "aggregates_get_release")
    told["No reason is given"] = page(app)
    reasoned(app)
    told["Unprotected"] = page(app)
    assert [name for name in offered if name.startswith("counts_")] == ["counts_unprotected.zip"]
    for change in ({"form_of": "suppressed"}, {"days": 2}, {"north": 14.76}, {"side": 500.0}):
        filled(app, **change)
        assert not has(app, "aggregates_get_release"), change
        assert "no longer offered" in said(app)
        stated(app, form_of="plain", **FRAME)
        reasoned(app)
    stated(app, north=10.0)
    assert "The area is empty" in said(app)
    assert not has(app, "aggregates_get_release")
    # A promise needs that the records decided nothing of how they were read: both said at once,
    # and the unprotected counts are not offered under settings that promise something.
    stated(app, form_of="private", unit="user-slot", epsilon=0.5, north=FRAME["north"])
    told["Decided by the records"] = page(app)
    assert not has(app, "aggregates_get_release")
    # Read again with the guessed zone stated: the same samples, another reading.
    stated(app, form_of="plain", **FRAME)
    reasoned(app)
    before = app.session_state["fp_dataset"]
    corrected(app, timezone=before.report.timezone)
    after = app.session_state["fp_dataset"]
    assert after.digest == before.digest
    assert after.reading != before.reading
    assert not has(app, "aggregates_get_release")
    # With its centre stated, the data are another matter; what was stated is still there.
    corrected(app, timezone="Africa/Dakar", centre="14.675, -17.4")
    assert not has(app, "aggregates_get_release")
    assert app.number_input(key="aggregates_counts_south").value == 14.6
    assert app.date_input(key="aggregates_counts_first").value == FRAME["first"]
    stated(app, form_of="private", unit="user-slot", epsilon=0.5)
    until(app, lambda at: has(at, "aggregates_get_release"))
    told["Private"] = page(app)
    assert not answer(app, "counts_release")[1].counts.filled_in
    with zipfile.ZipFile(io.BytesIO(offered["counts_private.zip"]())) as packed:
        names = {"README.md", "datapackage.json", "counts.csv", "places.csv"}
        assert set(packed.namelist()) == names
        assert "subscriber" not in "".join(packed.read(n).decode() for n in names)
    # The mitigations are tried over what was stated, and only then a promise is spoken of.
    press(app, "recovery_remedies_go", "aggregates_get_mitigations")
    told["Mitigations"] = page(app)
    check_snapshot("aggregates_counts", told)


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
    assert few.affordable
    assert not any(each.affordable for each in (all_of_them, Effort(9, 1.0, 4.1)))
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

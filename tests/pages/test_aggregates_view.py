"""The Aggregates view: empty, attacked, other settings, odd data, factors and mitigations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from fpanon_core.studies import recovery_mitigations
from fpanon_core.studies.recovery_mitigations import Effort
from pages.aggregates import story
from pages.charts import words
from tests.support.snapshots import check_snapshot
from tests.support.views import (
    HEADER,
    address,
    answer,
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
    assert "Replace the records" in [each.proto.label for each in app.get("page_link")]
    assert f"{words.percent(found.score.recorded)} of the recorded points" in said(app)
    app.selectbox(key="aggregates_slot").set_value(180)
    app.number_input(key="aggregates_users").set_value(50)
    press(app, "aggregates_run", lambda at: answer(at, "recovery")[0][1].slot_min == 180).run()
    told["Fifty of them, every three hours"] = page(app)
    assert len(np.unique(answer(app, "recovery")[1].users)) == 50
    check_snapshot("aggregates_taxis", told)


def test_settings_are_of_the_address() -> None:
    app = new_app(slot="60", seed="3", people="1", pairing="best")  # two of them are nonsense
    attacked(upload(app, rows(users=7, samples=12), page="aggregates"))
    (_, plan), _ = answer(app, "recovery")
    assert (plan.slot_min, plan.seed, plan.users, plan.pairing) == (60.0, 3, 7, "greedy")
    assert address(app) == {"slot": "60", "seed": "3"}


def test_the_reason_why_counts_are_not_safe_is_the_larger_finding(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attack recovers 84 points in 100 more than at random, so a small share is no reason."""
    found = answer(attacked(upload(app, rows(9, 30), page="aggregates")), "recovery")[1]
    share = found.score.recorded, found.score.baseline_recorded
    monkeypatch.setattr(type(found), "alone", 0.0004)
    recovers, random = map(words.percent, share)
    assert story.attack(found)[0] == (
        f"**Exact counts are not safe: linking them into trajectories recovers {recovers} of the "
        f"recorded points (at random: {random}).** Also, less than 0.1% of counts above 0 are of "
        "one person, recorded or filled in there."
    )
    told = (*story.attack(found), *story.release(found), *story.unique(found))
    assert not [each for each in told if each[:1].islower()]
    monkeypatch.setattr(type(found), "alone", 0.9)
    assert "not safe: 90% of counts above 0 are of one person" in story.attack(found)[0]


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


def test_sentences_are_those_of_the_snapshot() -> None:
    """The least of mitigations must be least of every row of the table."""
    few, all_of_them = Effort(2_000, 120.0, 1.5), Effort(20_000, 12_000.0, 15.0)
    assert few.affordable
    assert not any(each.affordable for each in (all_of_them, Effort(9, 1.0, 4.1)))
    check_snapshot(
        "aggregates",
        {
            "Effort": story.effort(few, all_of_them),
            "Effort for all": story.effort(few, few),
            "Mitigations": story.mitigations(tried()),
        },
    )


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

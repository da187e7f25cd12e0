"""The view that hides everyone: empty, run, refused, by method, period and limits; downloads."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from fpanon_core import explore_options, verify_k_anonymity
from fpanon_core.__main__ import app as commands
from fpanon_core.model.facts import Verdict
from fpanon_core.model.options import Aligned, ReleaseOption
from fpanon_core.studies import hiding, production, publishing
from fpanon_core.studies.judgement import JUDGED, Limits
from fpanon_core.studies.option_result import OptionResult, utility_choice
from fpanon_core.studies.options_table import OptionsTable
from fpanon_core.studies.search import KNOWLEDGE
from pages.hiding import form
from pages.hiding.figures import PRODUCED
from pages.shell.kinds import ATTACK
from pages.shell.release import ABOVE, UNKNOWN
from tests.support.snapshots import check_snapshot
from tests.support.views import (
    HEADER,
    answers,
    go,
    page_lines,
    press,
    rows,
    said,
    until,
    upload,
    workspace,
)


def hidden(at: AppTest, releases_made: int = 1) -> AppTest:
    """Hide everyone as the form says, until that many releases are there."""
    at.button(key="glove_run").click().run()
    return until(at, lambda at: len(made(at)) == releases_made)


def made(at: AppTest) -> list[hiding.Result]:
    return [found.result for found in answers(at, form.RELEASES).values()]


def latest(at: AppTest) -> hiding.Result:
    return made(at)[-1]


@pytest.fixture
def small(app: AppTest) -> AppTest:
    """Seven users of one's own file, on the view that hides them."""
    return upload(app, rows(users=7, samples=4), page="hiding")


def test_before_everyone_is_hidden_options_tried_show_what_it_costs(small: AppTest) -> None:
    assert not small.table
    options = [ReleaseOption(steps=[Aligned(2)]), ReleaseOption(steps=[Aligned(3)])]
    table = explore_options(small.session_state["fp_dataset"].fs, options, risk="outsider")
    workspace(small).weigh(table, Limits(), 0)
    (shown,) = [each.value for each in small.run().table]
    assert shown["Option"].tolist() == [options[1].name], "the nearest to the thresholds"
    assert f"{table.utility[1]:.2f} " in shown["Utility"].item().replace("\\", "")


def test_everyone_is_hidden_as_the_snapshot_says_and_releases_stand_beside_each_other(
    small: AppTest,
) -> None:
    """Everyone moves at the same four moments: four rows each, all recorded in each of them."""
    told = {"Before": page_lines(small)}
    small.number_input(key="glove_k").set_value(5_000)
    small.button(key="glove_run").click().run()
    told["Too large a k"] = page_lines(small)
    assert not small.session_state["fp_jobs"]
    small.number_input(key="glove_k").set_value(2)
    hidden(small)
    told["In pairs"] = page_lines(small)
    table = small.dataframe[0].value
    assert table[["Method", "k", "Period"]].values.tolist() == [["aligned", 2, "whole"]]
    assert not small.error
    # The group that loses most is looked at first, another one when asked for.
    number = next(n for n in small.number_input if n.label.startswith("Group"))
    assert number.value == 1
    number.set_value(3).run()
    told["The third group"] = page_lines(small)
    small.session_state["fp_group"] = 9  # as of a saved study of another release
    small.run()
    assert page_lines(small) == told["In pairs"]
    # Another release, within 1 km.
    small.number_input(key="glove_k").set_value(3)
    small.number_input(key="glove_space").set_value(1.0)
    hidden(small, 2)
    told["Within 1 km"] = page_lines(small)
    table = small.dataframe[0].value
    assert table["k"].tolist() == [2, 3]
    assert table["Limits"].tolist() == ["", "at most 1 km"]
    assert table["Samples"].iloc[0] == "100%"
    assert table["Samples"].iloc[1] != "100%"
    # Seven in one group: 6.7 km of a line that is 6.4 km long without its ends.
    small.number_input(key="glove_k").set_value(7)
    small.number_input(key="glove_space").set_value(None)
    hidden(small, 3)
    told["Of little use"] = page_lines(small)
    assert not small.success
    # Without a map projection there is no map, and all else.
    data = small.session_state["fp_dataset"]
    object.__setattr__(data, "fs", replace(data.fs, crs=None))
    small.run()
    press(small, "glove_run", lambda at: "Group 1 of 1 has the largest loss" in said(at))
    told["Without a projection"] = page_lines(small)
    check_snapshot("hiding_view", told)
    # Other data start without releases.
    upload(small, rows(users=5, samples=2), name="other.csv", page="hiding")
    assert not small.dataframe
    assert small.number_input(key="glove_k").value == 5, "nobody hides among seven here"
    assert "Choose k and hide everyone" in said(small)


def test_what_hiding_many_takes_is_told_and_they_are_cut_into_shards(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory, and shards, at once; time as soon as it is known; too many shards are refused."""
    monkeypatch.setattr(form, "_MANY_USERS", 60)
    monkeypatch.setattr(form, "SHARDED_FROM", 61)
    upload(app, rows(users=60, samples=2), page="hiding")
    assert "glove_shards" not in {each.key for each in app.number_input}
    monkeypatch.setattr(form, "SHARDED_FROM", 60)
    app.run()
    assert "About 180 MB of memory is needed; a computation may take" in said(app)
    assert "Cutting the data into shards first takes less time" in said(app)
    until(app, lambda at: "hiding whole records (aligned) takes about" in said(at))
    assert app.number_input(key="glove_k").value == 20, "the k that the threshold needs"
    app.number_input(key="glove_k").set_value(2)
    app.number_input(key="glove_shards").set_value(4)
    hidden(app, 0)
    assert not made(app)
    assert "4 shards would hold about 15 people each" in app.error[0].value
    assert "choose up to 3 shards" in app.error[0].value
    app.number_input(key="glove_shards").set_value(3)
    hidden(app)
    assert not app.error
    assert "Cutting the data into shards first" not in said(app)
    assert latest(app).config.shards == 3
    assert latest(app).verdict.passed
    assert app.dataframe[0].value["Limits"].tolist() == ["3 shards"]
    chosen = next(each for each in app.selectbox if each.label == "Look at the release")
    assert chosen.options == ["aligned, k = 2 · 3 shards"]
    app.number_input(key="glove_k").set_value(50)
    hidden(app)  # no other release
    told = "60 people cannot be divided into shards: each shard needs at least 10 groups of k = 50"
    assert told in app.error[0].value
    monkeypatch.setenv("FPANON_MEMORY_GB", "0.01")
    app.run()
    assert "which is too much: a computation may take 10 MB here." in said(app)
    assert "Shards are set under" not in said(app)
    monkeypatch.setattr(form.estimates, "describe_memory", lambda *_: "All would, in 12 shards.")
    app.run()
    assert "All would, in 12 shards. Shards are set under Limits, in the form." in said(app)


def test_glove_periods_and_a_tail_left_out(app: AppTest, tmp_path: Path) -> None:
    """Twenty users on two days, four hours each: by GLOVE; by day; and with up to 10% left out."""
    upload(app, two_days(users=20), page="hiding")
    app.selectbox(key="glove_method").set_value("glove")
    hidden(app)
    assert latest(app).release.method == "glove"
    app.selectbox(key="glove_method").set_value("aligned")
    app.selectbox(key="glove_period").set_value("days")
    app.number_input(key="glove_k").set_value(3)
    hidden(app, 2)
    assert "Everyone published in each period of 1 day is in a group of at least 3" in said(app)
    assert latest(app).release.period_days == 1
    archive, data = tmp_path / "r.zip", tmp_path / "d.csv"
    archive.write_bytes(produced(app).archive)
    data.write_bytes(two_days(users=20))
    verdict = CliRunner().invoke(commands, ["verify", str(archive), str(data), "--k", "3"])
    assert verdict.exit_code == 0, verdict.output
    # The same with a tail left out: what the others gain is told.
    app.slider(key="glove_leave_out").set_value(10)
    hidden(app, 3)
    table = app.dataframe[0].value
    assert table["Left out ≤"].tolist() == ["0%", "0%", "10%"]
    assert table["People"].tolist() == ["100%", "100%", "90%"]  # the same two, twice
    gain = "With up to 10% of the people left out of each day, the samples of all others are"
    assert gain in said(app)
    # One group of one day: people by the names they have in the data.
    told = next(each.value for each in app.markdown if "The members of the group are" in each.value)
    release = latest(app).release
    number = int(hiding.groups_by_loss(release)["group"][0])
    people = np.sort(release.people[release.members(number)])
    *most, last = (f"u{p + 1:04d}" for p in people)
    assert f"The members of the group are {', '.join(most)} and {last}." in told
    # A release in periods is produced, and the key keeps them apart.
    assert produced(app).verdict.passed


def two_days(users: int) -> bytes:
    """User i at its own place, at four hours of two days, the last one far away."""
    places = [14.7 + u / 1_000 for u in range(users - 1)] + [15.3]
    lines = [
        f"subscriber-{u:03d},2024-03-{day:02d}T{h:02d}:00:00+00:00,{lat:.4f},-17.4"
        for u, lat in enumerate(places)
        for day in (5, 6)
        for h in range(8, 12)
    ]
    return (HEADER + "\n".join(lines) + "\n").encode()


def has_downloads(at: AppTest) -> bool:
    return any(b.key.startswith(("glove_get", "produce_hidden")) for b in at.download_button)


def produced(at: AppTest) -> production.Result:
    """Press the button that makes the release as it leaves, and wait for it."""
    before = len(answers(at, PRODUCED))
    press(at, "produce_hidden_go", lambda at: len(answers(at, PRODUCED)) > before).run()
    return [found.result for found in answers(at, PRODUCED).values()][-1]


def test_the_release_is_produced_verified_and_offered_with_its_key(small: AppTest) -> None:
    hidden(small)
    assert not any(b.key.startswith("produce_hidden") for b in small.download_button)
    found = produced(small)
    keys = [b.key for b in small.download_button if b.key.startswith("produce_hidden")]
    assert keys == [f"produce_hidden_get_{name}" for name in ("release", "key")]
    assert [b.label for b in small.download_button if "not for release" in b.label] == [
        "Pseudonym key (not for release)"
    ]  # no sample is left out: there is nothing to list
    text = said(small)
    promise = "Verified: everyone in the release is in a group of at least 2"
    assert f"{UNKNOWN}.** {promise}" in small.info[0].value, "nobody has attacked it"
    # The page that goes with it stands on the screen, word for word but for its headings.
    inside = unzipped(found.archive)
    page = inside["README.md"].decode()
    assert "data.csv" in inside
    assert page == found.page
    assert "**Mobility data: aligned, k = 2**" in text
    assert page.split("SHA-256 is")[1].split("`")[1] in text
    # Nothing of it names anybody; the key does.
    assert b"subscriber-00" not in found.archive
    assert b"subscriber-00" not in b"".join(inside.values())
    assert found.key.count(b"subscriber-00") == 7
    # Looking elsewhere and coming back shows the same release: the key remains its key.
    go(small, "data")
    go(small, "hiding")
    assert [kept.result.key for kept in answers(small, PRODUCED).values()] == [found.key]
    assert has_downloads(small)
    # Another format is another release, under other pseudonyms.
    small.segmented_control(key="produce_hidden_format").set_value("parquet").run()
    assert not any(b.key == "produce_hidden_get_release" for b in small.download_button)
    second = produced(small)
    assert "data.parquet" in unzipped(second.archive)
    pseudonyms = [set(pd.read_csv(io.BytesIO(made.key))["pseudonym"]) for made in (found, second)]
    assert not pseudonyms[0] & pseudonyms[1]
    # A verdict that fails forbids the download.
    release = latest(small)
    broken = verify_k_anonymity(small.session_state["fp_dataset"].fs, release.release, 4)
    assert not broken.passed
    object.__setattr__(release, "verdict", broken)
    small.run()
    assert "Do not release this" in small.error[0].value
    assert not has_downloads(small)


def test_a_release_above_a_threshold_is_not_ready(small: AppTest) -> None:
    """As explored; if it is within all thresholds, it is ready."""
    hidden(small)
    produced(small)
    assert "Ready to release" not in said(small)
    # Explored, and above.
    small.session_state["fp_limits"] = Limits({"outsider": None})
    risks = dict.fromkeys(("outsider", "unicity"), (0.01, 0.0, 0.02))
    one = OptionResult(
        ReleaseOption(steps=[Aligned(2)]),
        risks | {"home": (0.11, 0.1, 0.12)},
        crowd_least=2,
        guessing={"home": 0.03},
    )
    digest, mine = small.session_state["fp_dataset"].digest, workspace(small)
    table = OptionsTable((one,), "outsider", utility_choice("transport"), KNOWLEDGE, digest)
    mine.weigh(table, Limits({"outsider": None}), 0)
    small.run()
    above = [each.value for each in small.warning if "Homes found: 11%" in each.value]
    assert len(above) == 2, "at the top, and beside the download"
    assert all(each.startswith(f"**{ABOVE}.**") for each in above)
    assert not small.success
    # Only what the usual attacker finds, who knows four points, shows that it is within.
    fine = replace(one, risks=risks | {"home": (0.0, 0.0, 0.01)})
    for known, head in ((KNOWLEDGE, READY), (replace(KNOWLEDGE, p=1), UNKNOWN)):
        mine.weigh(replace(table, results=(fine,), config=known), Limits(), 0)
        assert head in standing(small, Limits())
    mine.weigh(replace(table, results=(fine,)), Limits(), 0)
    assert UNKNOWN in standing(small, Limits(dict.fromkeys(JUDGED))), "no threshold is left"
    unknown = replace(one, risks={}, crowd_least=0)
    mine.weigh(replace(table, results=(unknown,)), Limits(), 0)
    assert UNKNOWN in standing(small, Limits()), "no risk is known"


def test_a_release_is_ready_if_the_usual_attacker_finds_no_more_than_accepted(
    small: AppTest,
) -> None:
    """A weaker attacker cannot show that; what one finds above a threshold counts."""
    hidden(small)
    produced(small)
    go(small, "attack")
    usual = {"p": 4, "strategy": "uniform", "blur_m": 0.0}
    for name, weaker in (("p", 1), ("strategy", "random"), ("blur_m", 50.0), ("p", 4)):
        for field, value in (usual | {name: weaker}).items():
            widget = small.selectbox if field == "strategy" else small.number_input
            widget(key=f"attack_{field}").set_value(value)
        before = len(answers(small, ATTACK))
        until(small.run(), lambda at, n=before: len(answers(at, ATTACK)) > n)
        found = [*answers(small, ATTACK).values()][-1].result.to_frame().set_index("measure")
        most = float(found.loc["re-identification risk", "after_high"])
        go(small, "hiding")
        head = READY if (name, weaker) == ("p", 4) else UNKNOWN
        assert head in standing(small, Limits({"outsider": most + 1e-6, "home": None}))
        above = standing(small, Limits({"outsider": most - 1e-6, "home": None}))
        assert f"{ABOVE}.** Re-identification risk: " in above
        assert "Ready" not in above
        go(small, "attack")


READY = "**Ready to release.** Verified: everyone"


def standing(at: AppTest, limits: Limits) -> str:
    """What the view says under these thresholds."""
    at.session_state["fp_limits"] = limits
    assert not at.run().exception
    return said(at)


def unzipped(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened_zip:
        return {name: opened_zip.read(name) for name in opened_zip.namelist()}


def test_what_does_not_verify_as_written_is_not_offered(
    small: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.number_input(key="glove_k").set_value(3)  # asked by no other test, and so not known
    hidden(small)
    failed = Verdict(False, 2, "NOT verified for k = 2. Faults found: 1 × uncovered sample.")
    monkeypatch.setattr(publishing, "verdict_on", lambda *_, **__: failed)
    found = produced(small)
    assert (found.archive, found.key, found.left_out) == (b"", b"", b"")
    assert "Do not release this; it is not offered" in small.error[-1].value
    assert not any(b.key.startswith("produce_hidden") for b in small.download_button)

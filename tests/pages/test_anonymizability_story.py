"""What the Anonymizability and the Data view say, by hand; no browser, no Streamlit."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest

from fpanon_core.io.cdr import read_cdr
from fpanon_core.model.configs import StretchConfig
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.profiles import GeneralizationProfile, Grid
from fpanon_core.studies.anonymizability import Config, Measured, neighbours_of, study
from pages.anonymizability import figures, person, story
from pages.charts.cdf import Curve
from pages.data import story as data_story

FINE, COARSE = GeneralizationProfile(Grid(100), 1), GeneralizationProfile(Grid(20_000), 480)
# At 0, 3,000 and 6,000 m at one time: 3 km to the nearest of all, so 3,000/20,000/2 = 0.075.
THREE = FingerprintSet.from_samples([1, 2, 3], [0, 3_000, 6_000], [0] * 3, [5] * 3)


@pytest.fixture(scope="module")
def measured() -> list[Measured]:
    return list(study(THREE, Config((FINE, COARSE), (2, 3))).measured)


def test_by_k(measured: list[Measured]) -> None:
    curves = [Curve("k = 2", measured[0].gaps.at(2).values, "", 0)]
    said = story.by_k(measured[0], (2, 3), StretchConfig(), curves, 0.07)
    assert said[0] == "At 100 m · 1 min, none of the 3 users is 2-anonymous already."
    assert said[1] == ""
    # For k = 3 the mean of both: (3 + 6)/2 km at the ends, 3 km in the middle; the median is 4.5.
    assert said[2:4] == [
        "To look like one other user, a typical user would have to be moved by about 3.0 km and no "
        "time on average, each sample counted up to 20 km and 8 hours.",
        "To look like 2 other users, by about 4.5 km and no time, counted alike.",
    ]
    assert said[4] == "No matched sample is as far apart as that."
    assert said[-1] == "Users beyond the right edge: 3 on the curve “k = 2”."
    once = story.by_k(measured[0], (2,), StretchConfig(), curves, 1.0)
    assert sum("To look like" in sentence for sentence in once) == 1
    assert once[-1] == ""


def far_apart() -> FingerprintSet:
    """a: two samples at minutes 0 and 20,000; b: one at minute 60, 2 km away; c: one 30 km away.

    a is the longer beside both. To b: 2 km, 60 min; and 2 km, 19,940 min, which counts as 480. So a
    and b are 2 km and (60 + 480)/2 = 270 min = 4.5 h apart as counted, half of it at the limit;
    uncapped it would be 10,000 min, 6.9 days. c is nearest to b: 28 km, counted as 20, and no time.
    """
    x, t = [0, 0, 2_000, 30_000], [0, 20_000, 60, 60]
    return FingerprintSet.from_samples([*"aabc"], x, [0] * 4, t)


def test_everyone_and_one_person_are_counted_in_the_same_measure() -> None:
    fs = far_apart()
    (measured,) = study(fs, Config((FINE,), (2,))).measured
    parts, gaps = measured.parts[2], measured.gaps.at(2)
    np.testing.assert_allclose(parts.space_m, [2_000, 2_000, 20_000])
    np.testing.assert_allclose(parts.time_min, [270, 270, 0])
    np.testing.assert_allclose(parts.beyond_space, [0, 0, 1])
    np.testing.assert_allclose(parts.beyond_time, [0.5, 0.5, 0])
    said = story.by_k(measured, (2,), StretchConfig(), [], 1.0)
    assert "about 2.0 km and 4.5 hours on average, each sample counted up to 20 km" in said[2]
    assert said[4] == (
        "Of a user's matched samples, on average, 33 % are 20 km or more apart and 33 % are 8 "
        "hours or more apart, and count as no more."
    )
    (near,) = neighbours_of(fs, gaps, 0)
    told = person.gap(fs, 0, measured, near, 2)
    assert "moved by 2.0 km and 4.5 hours on average, each sample counted up to 20 km" in told[1]
    assert told[2] == "Of those matched, 50 % are 8 hours or more apart, and count as no more."
    assert told[3].endswith("the hardest pair is 2.0 km and 14 days apart in full.")
    hardest = person.gap(fs, 2, measured, neighbours_of(fs, gaps, 2)[0], 2)
    assert "moved by 20 km and no time on average" in hardest[1]
    assert hardest[3].endswith("is 28 km and no time apart in full.")
    # The tables name the limit wherever it was applied, and "in full" where it was not.
    shown = person.table_of_neighbours(fs, [near], gaps.config)
    assert shown["Time (up to 8 hours each)"].tolist() == ["4.5 hours"]
    assert shown["Distance (up to 20 km each)"].tolist() == ["2.0 km"]
    pairs = person.matches(fs, near)
    assert pairs["Time apart in full"].tolist() == ["14 days", "60 minutes"]
    table = story.profiles_table([measured], 2)
    assert table["Time (up to 8 hours each)"].tolist() == ["4.5 hours"]
    for frame in (shown, pairs, table):
        for name in frame:
            if "distance" in name.lower() or "time" in name.lower().replace("local time", ""):
                assert "up to" in name or "in full" in name, name


@pytest.mark.parametrize(
    ("w_space", "kept", "other"), [(1.0, "space", "time"), (0.0, "time", "space")]
)
def test_without_a_weight_nothing_is_said_of_the_same_record(
    w_space: float, kept: str, other: str
) -> None:
    """a and b share all that has a weight and differ in the other: a 2-gap of 0, two records."""
    x, t = ([0, 0], [0, 90]) if kept == "space" else ([0, 5_000], [7, 7])
    fs = FingerprintSet.from_samples([*"ab"], x, [0, 0], t)
    stretch = StretchConfig(w_space, 1 - w_space)
    (measured,) = study(fs, Config((FINE,), (2,), stretch)).measured
    gaps = measured.gaps.at(2)
    assert gaps.values.tolist() == [0, 0]
    told = [
        *story.by_k(measured, (2,), stretch, [], 1.0),
        *story.by_profile([measured], 2, 0, [], 1.0),
        *person.gap(fs, 0, measured, neighbours_of(fs, gaps, 0)[0], 2),
        *figures.temporal_share(measured.parts[2].temporal_share, 2, stretch),
        *figures.gini(measured.parts[2]),
        story.gap_title("2", stretch),
        *story.profiles_table([measured], 2),
    ]
    text = " ".join(told)
    assert "anonymous" not in text
    assert "very same" not in text
    assert f"{other} has no weight: a k-gap of 0 says that nothing has to be moved in" in text
    assert "k-gap of 0 (%)" in text
    assert "the 2-gap of all 2 users is 0." in text
    assert ("Distance (up to" in text, "Time (up to" in text) == (kept == "space", kept == "time")


def test_what_was_published_is_told_where_the_same_was_asked() -> None:
    other = StretchConfig(max_time_min=60)
    assert "0.09" in story.published_by_k(FINE, (2, 5), StretchConfig())
    assert story.published_by_k(FINE, (5,), StretchConfig()) == ""
    assert story.published_by_k(COARSE, (2,), StretchConfig()) == ""
    assert story.published_by_k(FINE, (2,), other) == ""
    assert "30 %" in story.published_by_profile([FINE, COARSE], 2, StretchConfig())
    assert story.published_by_profile([FINE], 2, StretchConfig()) == ""
    assert story.published_by_profile([COARSE], 3, StretchConfig()) == ""
    assert "80 %" in figures.published_temporal_share(2, StretchConfig())
    assert figures.published_temporal_share(2, other) == ""
    assert [at for at, _ in figures.usual_shares(2, StretchConfig())] == [0.42, 0.77, 0.8]
    assert figures.usual_shares(2, other) == figures.usual_shares(3, StretchConfig()) == ()


def test_by_profile(measured: list[Measured]) -> None:
    assert story.by_profile(measured[:1], 3, 1, [], 1.0)[:2] == [
        "Even at 100 m · 1 min, none of the 3 users is 3-anonymous: nobody has the very same "
        "fingerprint as 2 others.",
        "1 of the profiles is not measured yet.",
    ]
    said = story.by_profile(measured, 2, 0, [], 1.0)
    assert said[0].startswith("At 20 km · 8 h, everybody is 2-anonymous: at least 1 other has")
    table = story.profiles_table(measured, 2)
    assert table["Already k-anonymous (%)"].tolist() == [0, 100]
    assert table["Distance (up to 20 km each)"].tolist() == ["3.0 km", "no distance"]


def test_reach_and_cost(measured: list[Measured]) -> None:
    # 99 % of the users lie at 0.1125 or below, 1.2 times that is shown.
    ends = np.quantile(measured[0].gaps.at(3).values, 0.99)
    assert story.reach({FINE: measured[0]}, (2, 3)) == pytest.approx(1.2 * ends)
    assert story.reach({COARSE: measured[1]}, (2,)) == 0.05
    assert story.reach({}, (2,)) == 1.0
    unknown = story.cost_of_asking(2, (FINE, COARSE), 9_000, None)
    assert unknown == "2 of 2 profiles are not measured; on 9,000 users it may take a while."
    both = story.cost_of_asking(2, (FINE, COARSE), 9_000, 90.0)
    assert both.endswith("1 min 30 s for 100 m · 1 min, and at most 3 min 00 s for all.")
    assert story.cost_of_asking(1, (FINE,), 9_000, 90.0).endswith("for 100 m · 1 min.")


def test_one_person(measured: list[Measured]) -> None:
    (near,) = neighbours_of(THREE, measured[0].gaps.at(2), 0)
    said = person.gap(THREE, 0, measured[0], near, 2)
    assert said[0].startswith("u0001 has 1 sample and a 2-gap of 0.075; 0 % of the users")
    assert "To look like one other user" in said[1]
    assert "3.0 km and no time on average" in said[1]
    assert "matched with u0002" in said[3]
    assert person.place_or_time(near.matches, 2) == [
        "Time makes up 0 % of the effort of hiding this user among one other user, place 100 %."
    ]
    row = person.matches(THREE, near).iloc[0]
    assert (row["Of"], row["Local time"], row["Distance in full"]) == (
        "u0001",
        "day 1 00:05",
        "3.0 km",
    )
    told = person.gap(THREE, 0, measured[1], near, 2)
    assert told == ["u0001 is already 2-anonymous: one other user has the very same record."]


def test_why(measured: list[Measured]) -> None:
    parts, stretch = measured[0].parts[2], StretchConfig()
    # All three are apart in space alone.
    assert figures.temporal_share(parts.temporal_share, 2, stretch)[:2] == [
        "Time does not dominate here: it takes more than half of the effort for 0 % of people.",
        "The median temporal share is 0 %, to hide among one other user.",
    ]
    hidden = figures.temporal_share(measured[1].parts[2].temporal_share, 2, stretch)
    assert hidden == ["Everyone is 2-anonymous already, so there is no effort to divide."]
    some = figures.temporal_share(np.array([0.5, np.nan]), 2, stretch)
    assert some[2] == "Left out: 1 of the 2 users (50 %), 2-anonymous already."
    most = figures.temporal_share(np.array([0.8, 0.6, 0.5]), 5, stretch)
    assert most[0] == "Time takes more than half of the effort for 67 % of people."
    assert most[1] == "The median temporal share is 60 %, to hide among 4 other users."
    assert "In time, all 3 users are not moved at all" in figures.gini(parts)[1]


def test_who_has_no_tail_weight_is_counted_before_what_half_of_the_others_have(
    measured: list[Measured],
) -> None:
    nobody = figures.tail(measured[0].parts[2])
    assert nobody[:2] == [
        "In space, none of the 3 users has a tail weight.",
        "In time, none of the 3 users has a tail weight.",
    ]
    assert nobody[2].startswith(
        "Without a tail weight, and not in the curves: 3 in space, 3 in time, 3 in both."
    )
    known = np.array([np.nan, 0.3, 2.0])
    parts = replace(measured[0].parts[2], tail_time=known, tail_space=np.array([1.0, 1.7, 20.0]))
    said = figures.tail(parts)
    assert said[0] == (
        "In space, all 3 users have a tail weight: half of these 1.7 or more, between an "
        "exponential distribution's (1.6) and a Pareto distribution's (14), and 2 more than an "
        "exponential's."
    )
    # The middle of 0.3 and 2.0 is 1.15.
    assert said[1].startswith(
        "In time, 2 of the 3 users (67 %) have a tail weight: half of these 1.1 or more, between a "
        "normal distribution's (1) and an exponential distribution's (1.6), and 1 more"
    )
    assert "not in the curves: 1 in time, 3 in both" in said[2]


def test_the_account_of_a_file() -> None:
    rows = [f"a,2024-03-05T0{i}:00:00Z,14.7,-17.{i}" for i in range(3)]
    text = "\n".join(["user,time,lat,lon", *rows, "b,never,14.7,-17.4"]) + "\n"
    fs, report = read_cdr(io.StringIO(text), timezone="UTC")
    said = data_story.account(report)
    assert said[0] == "Of 4 rows, 3 were used and 1 set aside, each for one reason."
    assert said[1] == "3 rows became 3 samples."
    assert said[2] == "They run from 2024-03-05 00:00 to 2024-03-05 02:00, UTC time."
    fates = data_story.fates(report)
    assert fates["Rows"].tolist() == ["4", "3", "0", "1"]  # none repeated a sample
    assert fates["Share"].tolist() == ["100 %", "75 %", "0 %", "25 %"]
    assert data_story.roles(report)["Role"].tolist() == ["User", "Time", "Latitude", "Longitude"]
    assert dict(data_story.form(report).to_numpy().tolist())["Grid"] == "100 m × 1 min"
    places = np.array([7, 1, 1, 1])
    assert data_story.activity(np.array([4, 6]), places)[1].startswith(
        "The busiest tenth of the places holds 70 %"
    )
    assert data_story.screened(1, 1) == (
        "1 of the 2 users (50 %) meet the rule and remain; 1 was screened out."
    )
    assert fs.n_users == 1

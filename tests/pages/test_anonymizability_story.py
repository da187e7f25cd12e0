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
from tests.support.snapshots import check_snapshot

FINE, COARSE = GeneralizationProfile(Grid(100), 1), GeneralizationProfile(Grid(20_000), 480)
# At 0, 3,000 and 6,000 m at one time: 3 km to the nearest of all, so 3,000/20,000/2 = 0.075.
THREE = FingerprintSet.from_samples([1, 2, 3], [0, 3_000, 6_000], [0] * 3, [5] * 3)


@pytest.fixture(scope="module")
def measured() -> list[Measured]:
    return list(study(THREE, Config((FINE, COARSE), (2, 3))).measured)


def far_apart() -> FingerprintSet:
    """a: two samples at minutes 0 and 20,000; b: one at minute 60, 2 km away; c: one 30 km away.

    a is the longer beside both. To b: 2 km, 60 min; and 2 km, 19,940 min, which counts as 480. So a
    and b are 2 km and (60 + 480)/2 = 270 min = 4.5 h apart as counted, half of it at the limit;
    uncapped it would be 10,000 min, 6.9 days. c is nearest to b: 28 km, counted as 20, and no time.
    """
    x, t = [0, 0, 2_000, 30_000], [0, 20_000, 60, 60]
    return FingerprintSet.from_samples([*"aabc"], x, [0] * 4, t)


def test_sentences_are_those_of_the_snapshot(measured: list[Measured]) -> None:
    """For k = 3 the mean of both: (3 + 6)/2 km at the ends, 3 km in the middle; the median is 4.5.

    Coarse, all three are in one cell. Far apart: a and b are 2 km and (60 + 480)/2 min apart.
    """
    fine, coarse = measured
    usual, fs = StretchConfig(), far_apart()
    curves = [Curve("k = 2", fine.gaps.at(2).values, "", 0)]
    (far,) = study(fs, Config((FINE,), (2,))).measured
    near = [neighbours_of(fs, far.gaps.at(2), user)[0] for user in range(3)]
    (own,) = neighbours_of(THREE, fine.gaps.at(2), 0)
    parts, hidden = fine.parts[2], coarse.parts[2]
    known = np.array([np.nan, 0.3, 2.0])  # the middle of 0.3 and 2.0 is 1.15
    tails = replace(parts, tail_time=known, tail_space=np.array([1.0, 1.7, 20.0]))
    shares = {
        "Time, of people apart in space alone": (parts.temporal_share, 2),
        "Time, of people who are alike": (hidden.temporal_share, 2),
        "Time, with one person 2-anonymous already": (np.array([0.5, np.nan]), 2),
        "Time, of most": (np.array([0.8, 0.6, 0.5]), 5),
    }
    check_snapshot(
        "anonymizability",
        {
            "By k": story.by_k(fine, (2, 3), usual, curves, 0.07),
            "By one k": story.by_k(fine, (2,), usual, curves, 1.0),
            "By k, far apart": story.by_k(far, (2,), usual, [], 1.0),
            "By profile, one of two": story.by_profile(measured[:1], 3, 1, [], 1.0),
            "By profile": story.by_profile(measured, 2, 0, [], 1.0),
            "What asking costs": [
                story.cost_of_asking(2, (FINE, COARSE), 9_000, None),
                story.cost_of_asking(2, (FINE, COARSE), 9_000, 90.0),
                story.cost_of_asking(1, (FINE,), 9_000, 90.0),
            ],
            "One person": [
                *person.gap(THREE, 0, fine, own, 2),
                *person.place_or_time(own.matches, 2),
            ],
            "One person who is 2-anonymous already": person.gap(THREE, 0, coarse, own, 2),
            "One of the people far from all others": person.gap(fs, 0, far, near[0], 2),
            "The hardest of them": person.gap(fs, 2, far, near[2], 2),
        }
        | {title: figures.temporal_share(share, k, usual) for title, (share, k) in shares.items()}
        | {
            "Gini": figures.gini(parts),
            "Tails of nobody": figures.tail(parts),
            "Tails of some": figures.tail(tails),
        },
    )
    row = person.matches(THREE, own).iloc[0]
    assert (row["Local time"], row["Distance in full"]) == ("day 1 00:05", "3.0 km")
    table = story.profiles_table(measured, 2)
    assert table["Already k-anonymous (%)"].tolist() == [0, 100]
    assert table["Distance (up to 20 km each)"].tolist() == ["3.0 km", "no distance"]


def test_reach(measured: list[Measured]) -> None:
    """99% of the people lie at 0.1125 or below, 1.2 times that is shown."""
    ends = np.quantile(measured[0].gaps.at(3).values, 0.99)
    assert story.reach({FINE: measured[0]}, (2, 3)) == pytest.approx(1.2 * ends)
    assert story.reach({COARSE: measured[1]}, (2,)) == 0.05
    assert story.reach({}, (2,)) == 1.0


def test_the_account_of_a_file_is_that_of_the_snapshot() -> None:
    rows = [f"a,2024-03-05T0{i}:00:00Z,14.7,-17.{i}" for i in range(3)]
    text = "\n".join(["user,time,lat,lon", *rows, "b,never,14.7,-17.4"]) + "\n"
    _, report = read_cdr(io.StringIO(text), timezone="UTC")
    fates, roles = data_story.fates(report), data_story.roles(report)
    check_snapshot(
        "data",
        {
            "Account": data_story.account(report),
            "Fates": fates.to_csv(index=False, sep="|").splitlines(),
            "Roles": roles["Role"],
            "Activity": data_story.activity(np.array([4, 6]), np.array([7, 1, 1, 1])),
            "Screened": data_story.screened(1, 1),
        },
    )
    assert dict(data_story.form(report).to_numpy().tolist())["Grid"] == "100 m × 1 min"


def test_everyone_and_one_person_are_counted_in_the_same_measure() -> None:
    fs = far_apart()
    (measured,) = study(fs, Config((FINE,), (2,))).measured
    parts, gaps = measured.parts[2], measured.gaps.at(2)
    np.testing.assert_allclose(parts.space_m, [2_000, 2_000, 20_000])
    np.testing.assert_allclose(parts.time_min, [270, 270, 0])
    np.testing.assert_allclose(parts.beyond_space, [0, 0, 1])
    np.testing.assert_allclose(parts.beyond_time, [0.5, 0.5, 0])
    (near,) = neighbours_of(fs, gaps, 0)
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
    assert "the 2-gap is 0 for all 2 people." in text
    assert ("Distance (up to" in text, "Time (up to" in text) == (kept == "space", kept == "time")


def test_what_was_published_is_told_where_the_same_was_asked() -> None:
    usual, other = StretchConfig(), StretchConfig(max_time_min=60)
    told = [
        *(story.published_by_k(*case) for case in ((FINE, (2, 5), usual), (FINE, (5,), usual))),
        *(story.published_by_k(*case) for case in ((COARSE, (2,), usual), (FINE, (2,), other))),
        *(story.published_by_profile([p], k, usual) for p, k in ((COARSE, 2), (FINE, 2))),
        story.published_by_profile([COARSE], 3, usual),
        *(figures.published_temporal_share(*case) for case in ((2, usual), (2, other), (3, usual))),
    ]
    assert [bool(text) for text in told] == [1, 0, 0, 0, 1, 0, 0, 1, 0, 0]

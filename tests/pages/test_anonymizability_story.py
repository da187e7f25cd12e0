"""What the Anonymizability and the Data view say, by hand; no browser, no Streamlit."""

from __future__ import annotations

import io

import numpy as np
import pytest

from fpanon_core.io.cdr import read_cdr
from fpanon_core.model.configs import StretchConfig
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.profiles import GeneralizationProfile, Grid
from fpanon_core.studies.anonymizability import Config, Measured, neighbours_of, study
from pages.anonymizability import person_story, story, why_story
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
    # For k = 3 the mean of both: (3 + 6)/2 km at the ends, 3 km in the middle; the median is 4.5.
    assert "one other user, a typical user would have to be moved by about 3.0 km" in said[1]
    assert "2 other users, a typical user would have to be moved by about 4.5 km" in said[2]
    assert said[-1] == "Users beyond the right edge: 3 on the curve “k = 2”."
    once = story.by_k(measured[0], (2,), StretchConfig(), curves, 1.0)
    assert sum("To look like" in sentence for sentence in once) == 1
    assert once[-1] == ""


def test_by_profile(measured: list[Measured]) -> None:
    assert story.by_profile(measured[:1], 3, 1, [], 1.0)[:2] == [
        "Even at 100 m · 1 min, all 3 users are not yet 3-anonymous: fewer than 2 others have the "
        "very same fingerprint.",
        "1 of the profiles is not measured yet.",
    ]
    said = story.by_profile(measured, 2, 0, [], 1.0)
    assert said[0].startswith("At 20 km · 8 h, everybody is 2-anonymous: at least 1 other has")
    table = story.profiles_table(measured, 2)
    assert table["Already anonymous (%)"].tolist() == [0, 100]
    assert table["Typical distance (km)"].tolist() == pytest.approx([3, 0])


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
    result = measured[0].gaps.at(2)
    (near,) = neighbours_of(THREE, result, 0)
    said = person_story.gap(THREE, 0, result, near, 2)
    assert said[0].startswith("u0001 has 1 samples and a 2-gap of 0.075; 0 % of the users")
    assert "To look like u0002" in said[1]
    assert "3.0 km and no time on average" in said[1]
    assert person_story.place_or_time(near.matches, 2) == [
        "Time makes up 0 % of the effort of hiding this user among one other user, place 100 %."
    ]
    assert person_story.neighbours(THREE, [near])["Distance (km)"].tolist() == [3]
    row = person_story.matches(THREE, near).iloc[0]
    assert (row["Of"], row["Local time"], row["Distance (km)"]) == ("u0001", "day 1 00:05", 3)
    hidden = measured[1].gaps.at(2)
    told = person_story.gap(THREE, 0, hidden, near, 2)
    assert told == ["u0001 is already 2-anonymous: one other user has the very same record."]


def test_why(measured: list[Measured]) -> None:
    parts = measured[0].parts[2]
    assert why_story.temporal_share(parts.temporal_share, 2)[0].startswith(
        "For half of the users, time rather than place is 0 % or more"
    )
    hidden = why_story.temporal_share(measured[1].parts[2].temporal_share, 2)
    assert hidden == ["Everyone is hidden already, so there is no effort to divide."]
    some = why_story.temporal_share(np.array([0.5, np.nan]), 2)
    assert some[1] == "Left out: 1 of the 2 users (50 %), hidden already."
    assert "In time, all 3 users are not moved at all" in why_story.gini(parts)[1]
    (undefined,) = why_story.tail(parts)
    assert undefined.startswith("Tail weight is undefined in space for 3, in time for 3, in both")


def test_the_account_of_a_file() -> None:
    rows = [f"a,2024-03-05T0{i}:00:00Z,14.7,-17.{i}" for i in range(3)]
    text = "\n".join(["user,time,lat,lon", *rows, "b,never,14.7,-17.4"]) + "\n"
    fs, report = read_cdr(io.StringIO(text), timezone="UTC")
    said = data_story.account(report)
    assert said[0] == "Of 4 rows, 3 were used and 1 set aside, each for one reason."
    assert said[1] == "They run from 2024-03-05 00:00 to 2024-03-05 02:00, UTC time."
    fates = data_story.fates(report)
    assert fates["Rows"].tolist() == ["4", "3", "1"]
    assert fates["Share"].tolist() == ["100 %", "75 %", "25 %"]
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

"""What the GLOVE view says and draws, of four people by hand; no browser, no Streamlit."""

from __future__ import annotations

import numpy as np
import pytest

from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.profiles import GeneralizationProfile, Grid
from fpanon_core.studies import comparison, glove_estimate, hiding
from pages.charts import style
from pages.hiding import areas, story


def town() -> FingerprintSet:
    """One sample each: minutes 0 and 2, 900 m apart; minutes 600 and 603, at one place."""
    return FingerprintSet.from_samples([*"abcd"], [0, 900, 0, 0], [0] * 4, [0, 2, 600, 603])


@pytest.fixture(scope="module")
def made() -> dict[hiding.Config, hiding.Result]:
    configs = (hiding.Config(), hiding.Config(2, suppress_space_m=300, leftover="suppress"))
    return {config: hiding.study(town(), config) for config in configs}


def test_a_release_is_called_by_what_it_was_made_with() -> None:
    assert story.name_of(hiding.Config(5)) == "k = 5"
    wishes = hiding.Config(2, 1_500, 90, "suppress")
    assert story.name_of(wishes) == "k = 2 · at most 1.5 km · at most 1.5 h · left-overs out"


def test_what_a_release_means(made: dict[hiding.Config, hiding.Result]) -> None:
    """Pairs of span 550 m and 3 min, and of 100 m and 4 min; all within 2 km and 2 hours."""
    plain, limited = made.values()
    told = " ".join(story.meaning(plain))
    assert "Everyone is one of at least 2 people with the same record." in told
    assert "an area of at most 300 m by side" in told  # (550 + 100) / 2 = 325
    assert "100 % lie within 2 km, 100 % within 2 hours." in told
    assert "No sample is left out." in told
    assert "left over" not in told
    assert story.verdict(plain).startswith("**Verified.** Everyone published is one of at least 2")
    assert story.figures(plain)["Groups"] == "2"
    # The first pair cannot be within 300 m: both samples go, of four in all, and nobody is in what
    # is published of another alone.
    told = " ".join(story.meaning(limited))
    assert "50 % of the samples are left out" in told
    assert "or as fewer than 2 people's" in told
    assert "Of 2 users nothing is published." in told
    assert "has no sample of their own" not in told
    table = story.releases(made)
    assert table["Release"].tolist() == ["k = 2", "k = 2 · at most 0.3 km · left-overs out"]
    assert table["Mean side (km)"].iloc[0] == 0.33  # 0.325 and a trifle
    assert table["Verified"].tolist() == ["yes", "yes"]


def test_curves_of_accuracy(made: dict[hiding.Config, hiding.Result]) -> None:
    theme = style.theme("light")
    space, time = story.ACCURACIES
    curves, edge = story.accuracy(made, space, theme)
    assert [curve.name for curve in curves] == [story.name_of(config) for config in made]
    assert sorted(curves[0].values) == [0.1, 0.1, 0.55, 0.55]
    assert edge == pytest.approx(1.05 * 0.55)
    assert story.beyond(curves, edge) == ""
    assert story.beyond(curves, 0.3) == "Samples beyond the right edge: 2 on the curve “k = 2”."
    curves, _ = story.accuracy(made, time, theme)
    assert curves[0].values == pytest.approx([3 / 60, 3 / 60, 4 / 60, 4 / 60])


def test_areas_of_an_hour_and_of_a_group(made: dict[hiding.Config, hiding.Result]) -> None:
    fs, release = town(), next(iter(made.values())).release
    assert areas.hours(release, fs) == range(11)  # until minute 603, of hour 10
    assert areas.within_hour(release, fs, 0, 99).tolist() == [0]
    assert areas.within_hour(release, fs, 5, 99).tolist() == []
    assert areas.within_hour(release, fs, 10, 99).tolist() == [1]
    assert areas.groups(release).tolist() == [0, 1]
    assert hiding.groups_by_cost(release).tolist() == [1, 0]
    assert areas.boxes(release, fs, 0).tolist() == [[0.0, 0.0, 0.0, 1.0, 0.1, 3.0]]
    first, second = areas.paths(release, fs, 0, [0, 1])
    assert (first.name, second.name) == ("u0001", "u0002")
    assert (first.east_km.tolist(), second.east_km.tolist()) == ([0.05], [0.95])
    assert (first.wall_min.tolist(), second.wall_min.tolist()) == ([0.5], [2.5])
    told = story.group(0, release, 1, 2)
    assert told.startswith("Group 0: u0001 and 1 more, not drawn. Their 2 own samples")
    assert story.area(0, 2, 1000.0, 100.0, 3.0) == "group 0, 2 users: 1.0 × 0.1 km, 3 minutes"
    assert story.moment(26, ["4 Mar", "5 Mar"]) == "5 Mar, 02:00"
    assert story.moment(50, ["4 Mar", "5 Mar"]) == "day 3, 02:00"
    assert "1 area for 2 users" in story.at_one_moment("4 Mar, 00:00", 1, 2)


def test_of_too_many_areas_some_are_shown_evenly() -> None:
    users = np.arange(20)
    fs = FingerprintSet.from_samples(users, 10_000.0 * (users // 2), 0.0 * users, 0.0 * users)
    release = hiding.study(fs, hiding.Config()).release
    assert release.published.n_groups == 10
    assert areas.within_hour(release, fs, 0, 10).tolist() == list(range(10))
    assert areas.within_hour(release, fs, 0, 4).tolist() == [0, 3, 6, 9]


def test_beside_equally_coarse_data() -> None:
    """A grid of 1 km and windows of 30 min hide both pairs; with GLOVE 325 m and 3.5 min do."""
    ladder = (GeneralizationProfile(Grid(1000), 30),)
    found = comparison.study(town(), comparison.Config(ks=(2,), ladder=ladder))
    told = story.compared(found)
    assert told[0].startswith("Made equally coarse, everyone is one of 2 only at 1 km · 30 min;")
    assert told[1].startswith("Held to at most 15 km and 6 hours, with 0 % of the samples left out")
    shown = story.ways(found)
    assert shown["Way"].tolist() == [
        "Everyone equally coarse (1 km · 30 min)",
        "GLOVE",
        "GLOVE, at most 15 km and 6 hours",
    ]
    assert shown["Mean span (min)"].tolist() == [30.0, 3.5, 3.5]
    ladder = (GeneralizationProfile(Grid(100), 30),)
    found = comparison.study(town(), comparison.Config(ks=(2,), ladder=ladder))
    assert "at most 50 % of the users are, at 100 m · 30 min." in story.compared(found)[0]


def test_dots_at_one_spot_share_a_label() -> None:
    found = comparison.study(town(), comparison.Config(ks=(2, 3, 4)))
    part = found.comparison[found.comparison["method"] == "GLOVE"]
    # Nobody but all four is a crowd of 3, or of 4.
    assert story.labels(part) == ["k = 2", "k = 3, 4", ""]
    assert story.crowds([2, 5, 10]) == "k = 2, 5 and 10"
    assert story.crowds([2]) == "k = 2"


def test_how_long_a_run_takes() -> None:
    found = glove_estimate.Result(glove_estimate.Config(), "", {2: 8.0, 5: 125.0})
    assert story.expected(found) == (
        "On this machine a run takes about 8 s at k = 2, about 2 min 05 s at k = 5."
    )

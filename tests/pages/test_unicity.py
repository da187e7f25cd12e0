"""The Unicity view: what it says and draws by hand, and on the page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import fpanon_core as fp
from fpanon_core import ConfigError, fit_scaling_law
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.profiles import GeneralizationProfile, Grid
from fpanon_core.model.unicity import CLEARLY_R2, LAW_R2
from fpanon_core.studies import antenna_merging, unicity
from fpanon_core.studies.unicity import PRODUCT
from pages.shell.questions import Kind
from pages.unicity import story
from pages.unicity.sections import OUTSIDER, REGIONS
from tests.support.snapshots import check_snapshot
from tests.support.views import HEADER, answers, opened, rows, said, until, upload

# --- unicity story --------------------------------------------------------------------------------


def study(fs: FingerprintSet, **wishes: object) -> unicity.Result:
    profiles = tuple(GeneralizationProfile(Grid(m), t) for m in (100, 2_000) for t in (1, 600))
    return unicity.study(fs, unicity.Config(profiles=profiles, grid_points=(1, 2), **wishes))


def people(user: list[int], x: list[float], t: list[float], **wishes: object) -> unicity.Result:
    return study(FingerprintSet.from_samples(user, x, [0] * len(x), t), **wishes)


@pytest.fixture(scope="module")
def found() -> unicity.Result:
    """Three people at 0, 900 and 900 m, at minutes 5, 5 and 65."""
    return people([1, 2, 3], [0, 900, 900], [5, 5, 65])


def test_sentences_are_those_of_the_snapshot(found: unicity.Result) -> None:
    """Half of five, two never unique, is the third, who needs 3; of those ever unique it is 2."""
    short = people([1, 1, 2], [0, 900, 900], [5, 9, 65])
    alike = people([1, 2], [0, 0], [5, 5])
    busy = people([1, 1, 1, 2], [0, 0, 100, 0], [0, 5, 9, 0], heavy_per_month=75.0)
    half = replace(needing(found, [1, 2, 3, np.nan, np.nan]), heavy=True)
    line = FingerprintSet.from_samples(np.arange(4), 1_000.0 * np.arange(4), [0.0] * 4, [60.0] * 4)
    merged = antenna_merging.study(line, antenna_merging.Config(4, users=4))
    check_snapshot(
        "unicity",
        {
            "Known points": story.points_known(found),
            "Known points of a person with one": story.points_known(short),
            "Points needed": story.points_needed(found),
            "Points needed by two people who are alike": story.points_needed(alike),
            "Points needed by busy people": story.points_needed(busy),
            "Points needed by half, if two of five are never unique": story.points_needed(half),
            "Points needed, if fewer than half are ever unique": story.points_needed(
                needing(found, [1, np.nan, np.nan])
            ),
            "Coarser data": story.coarser(found, 2, 0.05),
            "Laws of two resolutions": story.flat(found.laws_along(unicity.SIDE)),
            "Merged places": story.regions(merged, 4),
            "Merged antennas": story.regions(replace(merged, antennas=True), 4),
        },
    )


def test_what_is_drawn_is_that_of_the_snapshot(found: unicity.Result) -> None:
    """Without times, two of the three places are the same.

    At 100 m and 1 min all three are unique, at 2 km and 10 h nobody. At 2 km and 1 min, the two of
    minute 5 are alike; at 100 m and 10 h, the two at 900 m. Of four points there is no law.
    """
    series = story.narrowed(found) | found.curves
    laws = found.laws_along(unicity.PRODUCT)
    sides, windows, share = story.heat(found, 1)
    check_snapshot(
        "unicity_drawn",
        {
            "Known points": [
                f"{name}: {[r.config.p for r in s]}, {np.round([r.value for r in s], 6)}"
                for name, s in series.items()
            ],
            "Resolutions": [*map(str, (sides, windows, *np.round(share, 6)))],
            "No laws": [*map(str, story.fits(laws)), *(curve.name for curve in story.curves(laws))],
        },
    )
    assert story.grid_points(found) == [1, 2]
    assert story.flat(laws) == ""
    assert not any(law.holds for law in laws)


def needing(found: unicity.Result, points: list[float]) -> unicity.Result:
    return replace(found, points=pd.DataFrame({"points": np.array(points, float)}))


@given(st.lists(st.sampled_from([1.0, 2.0, 3.0, 7.0, np.nan]), min_size=1, max_size=40))
def test_half_of_all_asked_counts_those_never_unique(
    found: unicity.Result, points: list[float]
) -> None:
    """The plain definition: the fewest m for which at least half of all asked need m or fewer."""
    result = needing(found, points)
    enough = [m for m in range(1, 8) if 2 * sum(p <= m for p in points) >= len(points)]
    if enough:
        assert result.median_needed == enough[0]
    else:
        assert np.isnan(result.median_needed)


def test_of_fewer_than_30_nothing_is_drawn(found: unicity.Result) -> None:
    few, many = needing(found, [2.0] * 29 + [np.nan] * 9), needing(found, [2.0, 3.0] * 15)
    assert not story.points_drawn(few)
    assert not story.points_drawn(needing(found, [2.0] * 30))  # all after the same number
    assert "The figure needs at least" in story.points_needed(few)[-1]
    assert story.points_drawn(many)
    assert "too few" not in " ".join(story.points_needed(many))


def law(unicity_: list[float], p: int = 4) -> unicity.Law:
    x = np.array([1.0, 2, 4, 8, 16, 32])
    return unicity.Law(unicity.SIDE, p, x, np.array(unicity_), fit_scaling_law(x, unicity_))


def test_a_law_is_shown_only_where_it_fits() -> None:
    x = np.array([1.0, 2, 4, 8, 16, 32])
    good = law((1.9 - x**0.1).tolist(), 2)
    scattered = law([0.5, 0.9, 0.2, 0.8, 0.3, 0.6], 4)  # R² far below .9
    other = law((1.9 - np.exp(0.02 * x)).tolist(), 6)  # by its make of another form
    assert (good.holds, scattered.holds, other.holds) == (True, False, False)
    assert scattered.fit.r2 < LAW_R2
    assert other.fit.better.r2 > other.fit.r2 + CLEARLY_R2
    laws = [good, scattered, other]
    drawn = story.curves(laws)
    assert [curve.name for curve in drawn] == ["p = 2", "p = 4", "p = 6"]
    assert [len(curve.value) for curve in drawn] == [6, 6, 6]
    assert [len(curve.curve) > 0 for curve in drawn] == [True, False, False]
    rows = story.fits(laws)
    assert [row["Law"] == "no law" for row in rows] == [False, True, True]
    text = story.lawless(laws)
    assert text.startswith(f"No law holds at p = 4 (R² {scattered.fit.r2:.3f}")
    assert f"p = 6 (R² {other.fit.r2:.3f}, α − " in text
    assert "A law is shown if its R² is at least 0.9" in text
    assert story.lawless([good]) == ""
    for none in (scattered, other):
        with pytest.raises(ConfigError, match="no law"):
            none.curve()


def test_what_the_corner_of_the_coarsest_grid_is_worth_is_said() -> None:
    """Four people in a city that the corner 0, 0 quarters: one cell, or each in a cell alone."""
    side = 5_000.0
    fs = FingerprintSet.from_samples(
        [1, 2, 3, 4], [-400.0, 400.0, -400.0, 400.0], [-400.0, -400.0, 400.0, 400.0], [5] * 4
    )
    config = unicity.Config(
        points=(1,),
        strategies=("random",),
        profiles=(GeneralizationProfile(Grid(side), 60),),
        grid_points=(1,),
    )
    found = unicity.study(fs, config)
    assert found.grid["value"].tolist() == [0.0]
    (text,) = story.elsewhere(found, 1)
    assert "at 5 km · 1 h, 0% of people are unique" in text
    assert "ranges from 0% to 100%; with the corner at (0, 0), it is 100%" in text
    assert story.coarser(found, 1, None)[-1] == text
    hexagons = replace(found, corners=found.corners.iloc[:0])
    assert story.elsewhere(hexagons, 1) == []


# --- unicity view ---------------------------------------------------------------------------------


def answer(at: AppTest, kind: Kind) -> Any:
    """The answer kept of that kind; None while there is none."""
    found = list(answers(at, kind).values())
    return found[-1].result if found else None


def measured(at: AppTest) -> AppTest:
    return until(at, lambda at: answer(at, OUTSIDER) is not None and len(at.dataframe) > 0)


def test_the_taxis_are_looked_at_as_an_outsider_would(app: AppTest) -> None:
    opened(app, page="unicity")
    measured(app)
    fs = app.session_state["fp_dataset"].fs
    four = fp.unicity(fs, 4)
    result = answer(app, OUTSIDER)
    assert result.curves["random"][3].value == four.value
    assert {len(found) for found in result.curves.values()} == {8}
    text = said(app)
    assert "4 known points single out" in text
    assert f"We tested {four.n_targets:,} people" in text
    table = app.dataframe[0].value
    assert table["p"].tolist() == [2, 4, 6, 8]
    # The product of side and window is no law here, and none is written or drawn as one.
    laws = result.laws_along(PRODUCT)
    assert [name == "no law" for name in table["Law"]] == [not law.holds for law in laws]
    assert "No law holds at p = 2 (R² " in text
    assert len(fs.pseudonyms) >= 30
    # Another seed asks about other points, and is another result.
    app.number_input(key="unicity_seed").set_value(1).run()
    until(app, lambda at: answer(at, OUTSIDER).config.seed == 1)


def test_short_records_and_data_of_one_bin_are_looked_at_too(app: AppTest) -> None:
    measured(upload(app, rows(users=7, samples=2), page="unicity"))
    assert len(answer(app, OUTSIDER).curves["random"]) == 2
    assert "2 known points single out" in said(app)
    lines = [f"u{i},2024-03-04 08:00:00,14.7,-17.4\n" for i in range(5)]
    upload(app, (HEADER + "".join(lines)).encode(), page="unicity")
    until(app, lambda at: len(answer(at, OUTSIDER).curves["random"]) == 1).run()
    assert [found.value for found in answer(app, OUTSIDER).curves["random"]] == [0.0]
    assert "is ever unique: for each" in said(app)
    assert "there is no law to fit" in said(app)
    until(app, lambda at: at.error)  # seven antennas asked for, one there is
    assert "larger than the network" in app.error[0].value


def test_antennas_are_merged(app: AppTest) -> None:
    upload(app, rows(users=7, samples=4), page="unicity")
    measured(app)
    until(app, lambda at: answer(at, REGIONS) is not None)
    app.number_input(key="unicity_v").set_value(3).run()
    until(app, lambda at: "With 4 points" in said(at) and "become 3 regions" in said(at))
    # The file brings no antennas: what is merged are its places.
    assert "7 places become 3 regions" in said(app)
    assert "antennas become" not in said(app)
    assert app.number_input(key="unicity_v").label == "Places in a region, about (v)"
    assert "The figure needs at least" in said(app)
    found = answer(app, REGIONS)
    assert found.sizes.sum() == 7  # the users stand at seven places
    assert len(found.rings) >= 3

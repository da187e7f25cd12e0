"""What the Unicity view says and draws, by hand; no browser, no Streamlit."""

from __future__ import annotations

import numpy as np
import pytest

from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.profiles import GeneralizationProfile, Grid
from fpanon_core.studies import antenna_merging, sparsity, unicity
from pages.unicity import story


def study(fs: FingerprintSet, **wishes: object) -> unicity.Result:
    profiles = tuple(GeneralizationProfile(Grid(m), t) for m in (100, 2_000) for t in (1, 600))
    return unicity.study(fs, unicity.Config(profiles=profiles, grid_points=(1, 2), **wishes))


@pytest.fixture(scope="module")
def found() -> unicity.Result:
    """Three people at 0, 900 and 900 m, at minutes 5, 5 and 65."""
    fs = FingerprintSet.from_samples([1, 2, 3], [0, 900, 900], [0] * 3, [5, 5, 65])
    return study(fs)


def test_points_known(found: unicity.Result) -> None:
    series = story.narrowed(found)
    assert [s.name for s in series] == [
        "unique", "one of 2 at most", "one of 5 at most", "one of 10 at most"
    ]  # fmt: skip
    assert (series[0].points, series[0].value) == ([1], [1.0])
    assert [s.name for s in story.strategies(found)] == ["random", "uniform", "top", "consecutive"]
    # Without times, two of the three places are the same.
    assert story.strategies(found)[2].value == [pytest.approx(1 / 3)]
    told = story.points_known(found)
    assert told[0].startswith("Whoever knows 1 point of a person – places and times, as in these")
    assert "finds 100 % of them with certainty" in told[0]
    assert "3 people asked about); guessing finds 1 in 3." in told[0]
    assert len(told) == 1


def test_who_has_fewer_points_is_told() -> None:
    fs = FingerprintSet.from_samples([1, 1, 2], [0, 900, 900], [0] * 3, [5, 9, 65])
    told = story.points_known(study(fs))
    assert told[1].startswith("1 user asked about has fewer than 2 points;")


def test_points_needed(found: unicity.Result) -> None:
    assert found.needed.tolist() == [1.0, 1.0, 1.0]
    assert found.median_needed == 1
    (told,) = story.points_needed(found)
    assert told == (
        "Of 3 users, none of whom is busy, half are unique after 1 point, and nobody needs more "
        "than 1."
    )
    alike = study(FingerprintSet.from_samples([1, 2], [0, 0], [0] * 2, [5, 5]))
    assert np.isnan(alike.median_needed)
    assert story.points_needed(alike) == [
        "None of 2 users, none of whom is busy is ever unique.",
        "2 users were never unique: somebody else has all their points, too.",
    ]
    busy = study(
        FingerprintSet.from_samples([1, 1, 1, 2], [0, 0, 100, 0], [0] * 4, [0, 5, 9, 0]),
        heavy_per_month=75.0,
    )
    assert "Of 1 users with 75 or more interactions a month" in story.points_needed(busy)[0]


def test_resolutions(found: unicity.Result) -> None:
    """At 100 m and 1 min all three are unique; at 2 km and 10 h nobody."""
    assert story.grid_points(found) == [1, 2]
    sides, windows, share = story.heat(found, 1)
    assert (sides, windows) == (["100 m", "2 km"], ["1 min", "10 h"])
    # At 2 km and 1 min, the two of minute 5 are alike; at 100 m and 10 h, the two at 900 m.
    assert share.tolist() == [[1.0, pytest.approx(1 / 3)], [pytest.approx(1 / 3), 0.0]]
    told = story.coarser(found, 2)
    assert told[0] == "With 2 points, 100 % are unique at 100 m · 1 min, 0 % at 2 km · 10 h."
    assert told[1] == "Of 3 users the coarsest form has fewer than 2 points."


def test_laws(found: unicity.Result) -> None:
    laws = found.laws_along(unicity.PRODUCT)
    assert story.flat(laws) == ""
    assert [row["p"] for row in story.fits(laws)] == [1, 2]
    assert [name for name in story.fits(laws)[0] if name.startswith("R²")] == [
        "R², α − x^β", "R², α − exp(λx)", "R², α − exp(x^β)", "R², α − βx"
    ]  # fmt: skip
    assert [curve.name for curve in story.curves(laws)] == ["p = 1", "p = 2"]
    exponents = story.exponents(found, unicity.PRODUCT)
    assert exponents is not None
    points, betas, _, lines = exponents
    assert points == [1, 2]
    assert betas == [law.fit.beta for law in laws if law.fit is not None]
    assert [line.name[:6] for line in lines] == ["fitted", "publis"]
    assert "compare the shape only" in story.exponent_line(found, unicity.PRODUCT)
    # Two resolutions a side are too few for a law.
    assert story.flat(found.laws_along(unicity.SIDE)).startswith("At p = 1, 2 unicity is the same")
    assert story.exponents(found, unicity.SIDE) is None
    assert story.exponent_line(found, unicity.SIDE) == ""


def test_merged_antennas() -> None:
    fs = FingerprintSet.from_samples(np.arange(4), 1_000.0 * np.arange(4), [0.0] * 4, [60.0] * 4)
    merged = antenna_merging.study(fs, antenna_merging.Config(4, users=4))
    told = story.regions(merged, 4)
    assert told[0] == (
        "4 antennas become 1 region of 4 to 4. With 4 points, 0 % of the users are unique in them "
        "at 1 min, 0 % at 24 h."
    )
    assert story.region_names(merged) == []


def test_sparsity() -> None:
    """Two users in one bin each with probability ½: they differ in half of all cases."""
    found = sparsity.study(sparsity.Config(2, 1, 0.5))
    assert story.sparse(found) == (
        "Of 2 users, each in 50 % of 1 bins at random, one is unique with probability 0.5; that "
        "nobody is, has probability 0.25."
    )

"""What an attacker can tell: the same as measured one by one, with one index for all points."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import fpanon_core as fp
from fpanon_core.model.unicity import CLEARLY_R2, LAW_R2
from fpanon_core.studies import antenna_merging
from fpanon_core.studies import unicity as outsider
from tests.studies.test_unicity_grid import town
from tests.support.alike import check_alike
from tests.support.refusals import check_refused


@pytest.fixture(scope="module")
def found():
    return outsider.study(town(120, 9), outsider.Config(users=50, seed=3))


def test_every_share_is_the_unicity_of_its_strategy_and_points(found):
    table = found.to_frame()
    assert len(table) == sum(len(curve) for curve in found.curves.values()) * 4
    assert found.curves["random"][-1].config.p == 8
    for strategy, curve in found.curves.items():
        for measured in curve:
            alone = fp.unicity(town(120, 9), measured.config.p, strategy=strategy, users=50, seed=3)
            check_alike(measured, alone)
            rows = table[(table["strategy"] == strategy) & (table["p"] == alone.config.p)]
            assert rows["out_of"].tolist() == [1, 2, 5, 10]
            assert rows["value"].tolist() == [alone.at(x).value for x in (1, 2, 5, 10)]


def test_points_needed_and_the_grid_are_as_their_functions_make_them(found):
    fs = town(120, 9)
    alone = fp.points_needed(fs, seed=3)  # all are heavy: nine samples on one day
    assert found.heavy
    pd.testing.assert_frame_equal(found.points, alone.drop(columns="user"))
    assert found.points.attrs["never"] == alone.attrs["never"]
    assert len(found.needed) == len(alone) - alone.attrs["never"]
    half = sorted(alone["points"].fillna(np.inf))[(len(alone) + 1) // 2 - 1]  # all count
    assert found.median_needed == half
    grid = fp.unicity_grid(fs, outsider.PROFILES, outsider.GRID_POINTS, users=50, seed=3)
    pd.testing.assert_frame_equal(found.grid, grid)
    few = fp.FingerprintSet.from_samples([1, 1, 2], [0, 900, 0], [0] * 3, [0, 90_000, 0])
    result = outsider.study(few, outsider.Config())  # two events in 63 days
    assert not result.heavy
    assert [len(curve) for curve in result.curves.values()] == [2, 2, 2, 2]


def test_laws_are_fitted_along_each_axis(found):
    assert [(law.along, law.p) for law in found.laws] == [
        (axis, p) for axis in outsider.AXES for p in (2, 4, 6, 8)
    ]
    of_4 = found.grid[found.grid["p"] == 4]
    finest = of_4[of_4["window_min"] == 1]
    law = found.laws_along(outsider.SIDE)[1]
    assert law.resolution.tolist() == [0.1, 0.5, 1.0, 2.5, 5.0, 10.0]
    assert law.unicity.tolist() == finest["value"].tolist()
    assert law.fit is None  # whoever knows the minute needs no place
    law = found.laws_along(outsider.PRODUCT)[1]
    sides, windows = (100, 500, 1_000, 2_500, 5_000, 10_000), outsider.WINDOWS_MIN
    km_h = [m / 1000 * t / 60 for m in sides for t in windows]
    assert law.resolution.tolist() == pytest.approx(km_h)
    alone = fp.fit_scaling_law(law.resolution, of_4["value"])
    assert law.fit.formula == alone.formula
    # By the minute nobody needs a place: the product of both is no law.
    assert not law.holds
    assert alone.r2 < LAW_R2
    with pytest.raises(fp.ConfigError, match="no law"):
        law.curve()
    rows = found.to_frame("scaling_laws")
    part = rows[(rows["along"] == outsider.PRODUCT) & (rows["p"] == 4)]
    assert part["form"].tolist() == ["power", "exponential", "stretched", "linear"]
    assert part["formula"].iloc[0] == alone.formula
    assert part["law_holds"].tolist() == [False] * 4


def test_the_curve_of_a_law_and_what_is_called_one():
    """1.9 − x^0.1 is a law; its unicities exchanged are none, nor is another form's curve."""
    x = np.array([1.0, 2, 4, 8, 16, 32])

    def law(eps):
        return outsider.Law(outsider.SIDE, 4, x, np.asarray(eps), fp.fit_scaling_law(x, eps))

    good = law(1.9 - x**0.1)
    assert good.holds
    assert good.fit.better is None
    at, eps = good.curve()
    assert (at[0], at[-1], len(at)) == (pytest.approx(1.0), pytest.approx(32.0), 80)
    assert eps.tolist() == np.clip(good.fit.predict(at), 0, 1).tolist()
    # As good as another form, but not clearly worse: 1 − .99 of a law is less than the limit.
    close = law(1.9 - x**0.1 + 0.004 * np.array([1, -1, 1, -1, 1, -1]))
    assert close.fit.r2 >= LAW_R2
    assert max(fit.r2 for fit in close.fit.fits.values()) <= close.fit.r2 + CLEARLY_R2
    assert close.holds
    equal = fp.fit_scaling_law(x, [0.7] * 6)
    assert (equal.holds, equal.better) == (False, None)


def test_where_unicity_does_not_fall_there_is_no_law():
    """Everybody was at one place at one time: nobody is unique at any resolution."""
    fs = fp.FingerprintSet.from_samples([*"abc"], [0] * 3, [0] * 3, [5] * 3)
    found = outsider.study(fs, outsider.Config())
    assert all(law.fit is None for law in found.laws)
    assert found.to_frame("scaling_laws").columns.tolist()[:4] == ["along", "p", "form", "formula"]
    assert len(found.to_frame("scaling_laws")) == 0
    with pytest.raises(fp.ConfigError, match="no law"):
        found.laws[0].curve()


def test_what_cannot_be_asked_of_an_outsider():
    check_refused(outsider.Config, users=[0], seed=[-1], strategies=[("best",), ()])
    check_refused(outsider.Config, points=[(0,)], out_of=[(0,)], heavy_per_month=[-1.0])


def test_laws_are_of_the_square_grids_whatever_else_is_measured():
    """Places of several kinds in one grid: the laws are those of the squares alone."""
    fs = town(40, 4)
    squares = tuple(fp.GeneralizationProfile(fp.Grid(m), t) for m in (100, 2_000) for t in (1, 600))
    clusters = fp.GeneralizationProfile(fp.AntennaClusters(3), 60)
    alone = outsider.study(fs, outsider.Config(users=9, profiles=squares))
    both = outsider.study(fs, outsider.Config(users=9, profiles=(*squares, clusters)))
    assert str(clusters) in set(both.grid["profile"])
    pd.testing.assert_frame_equal(both.to_frame("scaling_laws"), alone.to_frame("scaling_laws"))


def test_antennas_are_merged():
    """Seven places on a line, regions of about three: as the clusters say; unicity in them."""
    fs = fp.FingerprintSet.from_samples(np.arange(7), 1_000.0 * np.arange(7), [0] * 7, [60] * 7)
    found = antenna_merging.study(fs, antenna_merging.Config(3, users=7))
    clusters = fp.cluster_antennas(fs.x_m + 50, fs.y_m + 50, 3)
    assert found.to_frame()["places"].sum() == 7  # the data bring no antennas
    assert "antennas" in replace(found, antennas=True).to_frame()
    assert sorted(found.sizes.tolist()) == sorted(np.bincount(clusters).tolist())
    assert (found.rings, found.region) == ([], [])  # there is no projection
    profiles = [fp.GeneralizationProfile(fp.AntennaClusters(3), m) for m in outsider.WINDOWS_MIN]
    expected = fp.unicity_grid(fs, profiles, outsider.GRID_POINTS, users=7)
    pd.testing.assert_frame_equal(found.to_frame("merged_unicity"), expected)
    with pytest.raises(fp.InfeasibleError, match="larger than the network"):
        antenna_merging.study(fs, antenna_merging.Config(50))
    with pytest.raises(fp.ConfigError):
        antenna_merging.Config(0)

"""Disclosure under several profiles: its tables are those of the parts, one schema for all."""

from itertools import pairwise

import pandas as pd
import pytest

import fpanon_core as fp
from fpanon_core.studies.disclosure import Config, study, suited_profiles
from tests.studies.test_unicity_grid import PROFILES, town
from tests.support.refusals import check_refused

KNOWN = fp.KnowledgeConfig(2, users=50, seed=1)
NAMES = ["profile", "space_size", "window_min", "origin_x_m", "origin_y_m"]


@pytest.fixture(scope="module")
def found():
    return study(town(), Config(KNOWN, tuple(PROFILES)))


def test_the_grid_and_the_agreement_are_those_of_the_functions(found):
    grid = fp.disclosure_grid(town(), PROFILES, p=2, unicity_p=(1, 2, 3), users=50, seed=1)
    tables = found.tables()
    assert list(tables) == ["disclosure", "agreement", "places", "hours", "users", "lorenz"]
    assert found.to_frame().equals(grid)
    assert (found.digest, found.n_users) == (town().digest, int(town().weight.sum()))
    expected = fp.ordinal_agreement(grid)
    for at, pairs in enumerate(expected["discordant_pairs"]):
        expected.loc[at, "discordant_pairs"] = "; ".join(f"{a} / {b}" for a, b in pairs)
    pd.testing.assert_frame_equal(tables["agreement"], expected, check_dtype=False)


def test_tables_say_of_every_row_which_profile_it_is_of(found):
    tables = found.tables()
    for name, of in (("places", "places"), ("hours", "week"), ("users", "people")):
        table = tables[name]
        assert list(table.columns[: len(NAMES)]) == NAMES
        for profile in PROFILES:
            mine = table[table["profile"] == str(profile)].drop(columns=NAMES)
            part = getattr(found.leaks[str(profile)], of)
            assert mine.reset_index(drop=True).equals(part)
    assert tables["users"]["pseudonym"].str.fullmatch(r"u\d+").all()
    curves = tables["lorenz"].groupby([*NAMES, "measure"], sort=False)
    assert curves.ngroups == 2 * len(PROFILES)
    for _, curve in curves:
        assert all(a <= b for a, b in pairwise(curve["share_of_total"]))
        assert curve[["share_of_users", "share_of_total"]].iloc[-1].tolist() == [1, 1]
    with pytest.raises(fp.ConfigError, match="no table"):
        found.to_frame("nothing")


def test_of_one_profile_the_agreement_has_no_rows():
    one = study(town(), Config(KNOWN, tuple(PROFILES[:1])))
    assert list(one.to_frame("agreement").columns) == list(
        fp.ordinal_agreement(fp.disclosure_grid(town(), PROFILES[:2])).columns
    )
    assert len(one.to_frame("agreement")) == 0


def test_profiles_and_points_that_are_not_given():
    fs = town()
    assert Config().points == (3, 4, 5)
    assert Config(fp.KnowledgeConfig(1)).points == (1, 2)
    assert Config(unicity_p=(7,)).points == (7,)
    assert Config().profiles_for(fs) == suited_profiles(fs)
    assert Config(profiles=tuple(PROFILES)).profiles_for(fs) == tuple(PROFILES)


def test_settings_are_checked_when_they_are_made():
    known = [{"p": 51}, {"users": 1_000_001}, {"seed": 2**53}]
    check_refused(Config, knowledge=[fp.KnowledgeConfig(**each) for each in known])
    check_refused(Config, unicity_p=[(0,), (1.5,)], profiles=[("1 km",)])
    finer = Config(KNOWN, (fp.GeneralizationProfile(fp.Grid(10), 1),))
    with pytest.raises(fp.ConfigError, match="finer than the data"):
        study(town(5, 3), finer)


def test_without_a_projection_places_have_no_corners_in_degrees():
    fs = fp.FingerprintSet.from_samples(range(9), range(0, 900, 100), [0] * 9, range(9))
    assert "west" not in study(fs, Config(KNOWN, tuple(PROFILES[:1]))).to_frame("places")

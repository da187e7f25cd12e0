"""The recovery attack as a study: whom it draws, what its tables hold, one person's path."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from fpanon_core import ConfigError, FingerprintSet
from fpanon_core.studies import recovery
from fpanon_core.studies import recovery_factors as factors
from fpanon_core.studies import recovery_mitigations as mitigations
from tests.attacks.test_mitigations import town as people_at_work
from tests.support.refusals import check_refused


@pytest.fixture(scope="module")
def town() -> FingerprintSet:
    """Twenty people with a home and a workplace, an hour apart, for two days."""
    return people_at_work(20)


@pytest.fixture(scope="module")
def found(town: FingerprintSet) -> recovery.Result:
    return recovery.study(town, recovery.Config(60, 8, seed=5))


def test_those_drawn_are_counted_and_named(town, found):
    assert len(found.users) == found.score.n_users == 8
    assert (np.diff(found.users) > 0).all()
    assert found.digest == town.digest
    assert (recovery.study(town, recovery.Config(60, 8, seed=6)).users != found.users).any()
    for users in (None, 20, 500):
        assert recovery.study(town, recovery.Config(60, users)).score.n_users == 20


def test_its_tables_say_what_the_result_says(found):
    tables = found.tables()
    names = ("scores", "counts", "errors", "uniqueness")
    assert list(tables) == [f"recovery_{name}" for name in names]
    scores = found.to_frame()
    assert scores["step"].tolist() == ["nights", "days", "across days"]
    assert scores["accuracy"].tolist() == found.score.accuracy_by_step.tolist()
    assert scores["error_median_m"].isna().tolist() == [True, True, False]
    assert scores["recorded_accuracy"].tolist() == found.score.recorded_by_step.tolist()
    assert (scores["recorded_share"] == found.recorded).all()
    assert scores["top2"].iloc[-1] == found.score.uniqueness[1]
    assert (scores["slot_min"].unique(), scores["seed"].unique()) == ([60], [5])
    # Everyone is in one place in each of 48 slots.
    counts = found.to_frame("recovery_counts").groupby("slot_start_min")["people"].sum()
    assert counts.tolist() == [8] * 48
    errors = found.to_frame("recovery_errors")
    assert errors["share_of_points"].iloc[[0, -1]].tolist() == [0, 1]
    assert errors["error_m"].is_monotonic_increasing
    for table in tables.values():
        assert "digest" not in "".join(table.columns)
    with pytest.raises(ConfigError, match=r"no table .scores.; there are recovery_scores"):
        found.to_frame("scores")


def test_how_right_the_trajectories_are(found):
    assert (found.recovered == found.truth).mean() == pytest.approx(found.score.accuracy)
    assert found.within(0) <= found.within(1_000) <= found.within(1e9) == 1
    assert 0 <= found.alone <= found.small == 1  # eight people: all counts are below 15


def test_trajectories_have_no_names_and_are_in_the_attacks_order(found):
    table = found.trajectories()
    assert set(table) == {"trajectory", "slot_start_min", "slot_min", "x_m", "y_m"}
    assert len(table) == found.recovered.size
    first = table[table["trajectory"] == 0]
    places = found.recovered[found.score.pair[0]]
    np.testing.assert_array_equal(first["x_m"], found.counts.x_m[places])


def test_factors_and_mitigations_are_of_those_drawn(town):
    some = town.subset(recovery.drawn_rows(town, recovery.Config(60, 8, seed=5)))
    varied = factors.study(town, factors.Config(60, 8, seed=5))
    expected = factors.study(some, factors.Config(60, None, seed=5)).to_frame()
    pd.testing.assert_frame_equal(varied.to_frame(), expected)
    assert varied.of("users")["level"].tolist() == [1, 2, 4, 8]
    tried = mitigations.study(town, mitigations.Config(60, 8, seed=5, epsilons=()))
    expected = mitigations.study(some, mitigations.Config(60, None, seed=5, epsilons=())).table
    pd.testing.assert_frame_equal(tried.to_frame("recovery_mitigations"), expected)
    assert varied.digest == tried.digest == town.digest


def test_what_helps_most_is_told_of_the_same_points_only():
    """Coarser counts judge coarser points; of the others one is too dear."""
    names = ["none", "coarser places", "small counts suppressed", "noise"]
    table = pd.DataFrame({"mitigation": names, "recorded": [0.9, 0.1, 0.2, 0.5], "unit": ""})
    table["count_error_share"] = [0.0, 0.1, 0.9, 0.3]
    tried = mitigations.Result(table, 9, 20, mitigations.Config(), "")
    assert tried.none["recorded"] == 0.9
    assert tried.strongest["mitigation"] == "small counts suppressed"
    assert tried.mildest["mitigation"] == "noise"
    dear = replace(tried, table=table.assign(count_error_share=0.9))
    assert dear.mildest is None


def test_a_setting_out_of_its_range():
    check_refused(recovery.Config, slot_min=[0], users=[0], pairing=["best"], seed=[-1])
    check_refused(recovery.Config, link_threshold_m=[-1])
    check_refused(factors.Config, spaces_m=[(0.0,)], people=[(0,)])
    check_refused(mitigations.Config, coarse_slot_min=[10], epsilons=[(0.0,)], limit=[0])

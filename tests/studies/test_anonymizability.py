"""Everyone's k-gap by profile and k: one run for all k, tables, and results put together."""

import numpy as np
import pandas as pd
import pytest

import fpanon_core as fp
from fpanon_core.studies import anonymizability
from fpanon_core.studies.anonymizability import Config, extended, study, together
from fpanon_core.studies.under_profiles import check_profiles

FINE, COARSE = (
    fp.GeneralizationProfile(fp.Grid(100), 1),
    fp.GeneralizationProfile(fp.Grid(1000), 60),
)


def people(n=12, samples=5):
    rng = np.random.default_rng(4)
    user = np.repeat(np.arange(n), samples)
    return fp.FingerprintSet.from_samples(user, *rng.uniform(0, 9_000, (3, n * samples)))


def test_each_k_is_what_a_run_of_its_own_gives():
    fs = people()
    result = study(fs, Config((FINE, COARSE), (4, 2)))
    assert result.config.ks == (2, 4)
    for measured, seen in zip(result.measured, (fs, fp.generalize(fs, COARSE)), strict=True):
        for k in (2, 4):
            alone = fp.k_gap(seen, k)
            np.testing.assert_array_equal(measured.gaps.at(k).values, alone.values)
            parts = fp.stretch_components(seen, alone)
            np.testing.assert_array_equal(measured.parts[k].space_m, parts.space_m)
            np.testing.assert_array_equal(measured.parts[k].tail_total, parts.tail_total)


def test_tables_have_a_row_per_user_profile_and_k():
    """Two users 300 m and no time apart: 300/20,000 of half the effort, 0.0075; nobody hidden."""
    fs = fp.FingerprintSet.from_samples([7, 9], [0, 300], [0, 0], [0, 0])
    tables = study(fs, Config((FINE, COARSE))).tables()
    assert list(tables) == ["k_gaps", "k_gap_summary"]
    rows = tables["k_gaps"]
    assert rows["pseudonym"].tolist() == ["u0001", "u0002"] * 2
    assert rows["profile"].tolist() == [str(FINE)] * 2 + [str(COARSE)] * 2
    assert rows["space_size"].tolist() == [100, 100, 1000, 1000]
    assert rows["k_gap"].tolist() == pytest.approx([0.0075, 0.0075, 0, 0])
    assert rows["mean_capped_distance_m"].tolist() == pytest.approx([300, 300, 0, 0])
    summary = tables["k_gap_summary"]
    assert summary["share_at_0"].tolist() == [0, 1]
    assert summary["median_capped_distance_m"].tolist() == pytest.approx([300, 0])
    assert summary["share_beyond_time"].tolist() == [0, 0]
    assert rows["max_time_min"].tolist() == [480] * 4
    assert summary["max_time_min"].tolist() == [480] * 2
    assert not {"user", "user_id", "digest"} & {*rows, *summary}


def test_an_earlier_run_is_not_run_again(monkeypatch):
    fs = people()
    widest = study(fs, Config((COARSE,), (6,)))
    expected = study(fs, Config((COARSE,), (2, 3)))
    monkeypatch.setattr(anonymizability, "k_gap", None)
    later = study(fs, Config((COARSE,), (2, 3)), widest)
    pd.testing.assert_frame_equal(later.to_frame(), expected.to_frame())


def test_results_extend_each_other():
    fs = people()
    few, many = study(fs, Config((FINE,), (2,))), study(fs, Config((FINE,), (3, 5)))
    for both in (extended(few, many), extended(many, few)):
        assert (both.config.ks, both.measured[0].gaps.k) == ((2, 3, 5), 5)
        pd.testing.assert_frame_equal(
            both.to_frame(), study(fs, Config((FINE,), (2, 3, 5))).to_frame()
        )
    assert extended(None, few) is few
    with pytest.raises(fp.ConfigError, match="differ only in k"):
        extended(few, study(fs, Config((COARSE,), (3,))))


def test_results_by_profile_come_together():
    fs = people()
    alone = [study(fs, Config((profile,), (2, 3))) for profile in (FINE, COARSE)]
    whole = study(fs, Config((FINE, COARSE), (3,)))
    for name, table in together(alone, (3,)).tables().items():
        pd.testing.assert_frame_equal(table, whole.to_frame(name))


def test_a_profile_finer_than_the_data_is_the_data_or_refused_by_name():
    fs = fp.generalize(people(), COARSE)
    finer = study(fs, Config((FINE,))).measured[0].gaps
    np.testing.assert_array_equal(finer.values, fp.k_gap(fs).values)
    with pytest.raises(fp.ConfigError, match="finer than the data"):
        check_profiles(fs, [FINE])


@pytest.mark.parametrize("ks", [(), (1,), (2, 2.5), (True,)])
def test_senseless_k_are_refused(ks):
    with pytest.raises(fp.ConfigError):
        Config((FINE,), ks)


def test_more_than_there_are_have_no_answer():
    with pytest.raises(fp.InfeasibleError):
        study(people(4), Config((FINE,), (5,)))

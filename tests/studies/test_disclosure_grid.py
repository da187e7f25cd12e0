"""Disclosure over profiles: the same as one by one."""

import pytest

from fpanon_core import (
    Cancelled,
    ConfigError,
    FingerprintSet,
    GeneralizationProfile,
    Grid,
    LocalEngine,
    disclosure,
    disclosure_grid,
    draw_knowledge,
    generalize,
    ordinal_agreement,
    unicity,
)
from fpanon_core.model.files import keyed
from tests.studies.test_unicity_grid import PROFILES, town


@pytest.mark.parametrize("strategy", ["random", "top"])
def test_every_row_is_the_disclosure_of_its_profile(strategy):
    fs = town()
    table = disclosure_grid(
        fs, PROFILES, p=2, unicity_p=(1, 2), strategy=strategy, users=100, seed=1
    )
    assert table.attrs["digest"] == keyed(fs.digest)
    assert table.attrs["config"] == {"p": 2, "strategy": strategy, "users": 100, "seed": 1}
    for row, profile in zip(table.to_dict("records"), PROFILES, strict=True):
        assert row["profile"] == str(profile)
        assert (row["space_size"], row["window_min"]) == (profile.grid_m, profile.minutes)
        seen = generalize(fs, profile)
        known = draw_knowledge(seen, 2, strategy=strategy, users=100, seed=1)
        alone = disclosure(seen, known)
        for name in ("k", "em", "kl", "em_sum", "kl_sum"):
            assert row[name] == alone.measure(name)
            assert (row[f"{name}_low"], row[f"{name}_high"]) == alone.interval(name)
        assert row["unicity_p2"] == alone.unicity
        one = unicity(seen, 1, strategy=strategy, users=100, seed=1)
        assert (row["unicity_p1"], row["unicity_p1_low"]) == (one.value, one.low)
        assert (row["targets"], row["too_few"]) == (100, known.too_few)
        assert row["bins"] == alone.n_bins


def test_the_measures_of_a_grid_can_be_compared():
    profiles = [GeneralizationProfile(Grid(m), t) for m in (100, 800, 3200) for t in (1, 60)]
    table = disclosure_grid(town(), profiles, users=100).set_index("profile")
    agreement = ordinal_agreement(table[["unicity_p3", "unicity_p4", "unicity_p5", "em", "kl"]])
    assert len(agreement) == 10
    assert agreement.pairs.tolist() == [15] * 10


def test_workers_change_nothing_and_progress_rises():
    fs, seen = town(), []
    one = disclosure_grid(fs, PROFILES, p=2, engine=LocalEngine(1), progress=seen.append)
    assert one.equals(disclosure_grid(fs, PROFILES, p=2, engine=LocalEngine(2)))
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == (0.0, pytest.approx(1.0))

    def stop(share):
        if share > 0.3:
            raise Cancelled("stopped by the user")

    with pytest.raises(Cancelled):
        disclosure_grid(fs, PROFILES, p=2, progress=stop)


def test_a_p_beyond_every_trace_is_counted_and_no_error():
    fs = FingerprintSet.from_samples(range(30), range(0, 3_000, 100), [0] * 30, range(30))
    table = disclosure_grid(fs, [GeneralizationProfile(Grid(1e6), 1e6)], p=9)
    assert table.too_few.tolist() == table.targets.tolist() == [30]
    # One bin, in which everybody was: nothing to learn.
    assert table[["k", "em", "kl"]].values.tolist() == [[pytest.approx(1 / 30), 0.0, 0.0]]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"profiles": []}, "at least one profile"),
        ({"unicity_p": []}, "at least one profile"),
        ({"p": 0}, "p = 0"),
        ({"unicity_p": [0]}, "p = 0"),
        ({"strategy": "best"}, "Unknown strategy"),
        ({"profiles": [GeneralizationProfile(Grid(10), 1)]}, "finer than the data"),
    ],
)
def test_what_cannot_be_asked(wrong, words):
    with pytest.raises(ConfigError, match=words):
        disclosure_grid(town(5, 3), **({"profiles": PROFILES} | wrong))

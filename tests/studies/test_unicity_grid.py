"""Unicity over profiles: the same as one by one, with one generalization each."""

import numpy as np
import pytest

from fpanon_core import (
    Cancelled,
    ConfigError,
    FingerprintSet,
    GeneralizationProfile,
    Grid,
    LocalEngine,
    generalize,
    glove,
    unicity,
    unicity_grid,
)
from fpanon_core.model.files import keyed


def town(n=300, samples=12):
    rng = np.random.default_rng(4)
    user = np.repeat(np.arange(n), samples)
    x, y = np.floor(rng.normal(0, 6, (2, len(user)))) * 100
    return FingerprintSet.from_samples(user, x, y, rng.integers(0, 600, len(user)).astype(float))


PROFILES = [GeneralizationProfile(Grid(m), h) for m in (100, 800) for h in (1, 60)]


@pytest.mark.parametrize("strategy", ["random", "top", "consecutive"])
def test_every_row_is_the_unicity_of_its_profile(strategy):
    fs = town()
    table = unicity_grid(fs, PROFILES, p=[1, 3], out_of=[1, 2], strategy=strategy, users=100)
    assert len(table) == 4 * 2 * 2
    assert table.attrs["digest"] == keyed(fs.digest)
    for row in table.itertuples():
        profile = GeneralizationProfile(Grid(row.space_size), row.window_min)
        assert row.profile == str(profile)
        alone = unicity(
            generalize(fs, profile), row.p, out_of=row.out_of, strategy=strategy, users=100
        )
        assert (row.value, row.low, row.high) == (alone.value, alone.low, alone.high)
        assert (row.targets, row.found, row.too_few) == (100, alone.n_found, alone.too_few)


def test_by_hand():
    """Three people at minute 5, 5 and 65, at 0, 900 and 900 m.

    100 m · 1 h: cells (0, 0), (900, 0), (900, 1): all unique. 1 km · 1 h: (0, 0) twice, (0, 1).
    1 km · 2 h: one cell for all.
    """
    fs = FingerprintSet.from_samples([1, 2, 3], [0, 900, 900], [0] * 3, [5, 5, 65])
    profiles = [GeneralizationProfile(Grid(m), t) for m, t in [(100, 60), (1000, 60), (1000, 120)]]
    assert unicity_grid(fs, profiles, p=[1]).found.tolist() == [3, 1, 0]


def test_a_p_beyond_every_trace_is_counted_and_no_error():
    fs = town(30, 3)
    table = unicity_grid(fs, [GeneralizationProfile(Grid(1e6), 1e6)], p=[9])
    assert table.too_few.tolist() == table.targets.tolist() == [30]


def test_workers_change_nothing_and_progress_rises():
    fs, seen = town(), []
    one = unicity_grid(fs, PROFILES, p=[2], engine=LocalEngine(1), progress=seen.append)
    assert one.equals(unicity_grid(fs, PROFILES, p=[2], engine=LocalEngine(2)))
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == (0.0, pytest.approx(1.0))

    def stop(share):
        if share > 0.3:
            raise Cancelled("stopped by the user")

    with pytest.raises(Cancelled):
        unicity_grid(fs, PROFILES, p=[2], progress=stop)


def test_in_a_k_anonymous_release_nobody_is_unique():
    """By weight, one fingerprint a group, and as copies, one a member: the same sizes."""
    result = glove(town(60, 4), 3)
    weighted = unicity(result.published.fingerprints(), 1)
    assert (weighted.value, weighted.n_targets, weighted.n_users) == (0.0, 60, 60)
    assert weighted.sizes.min() >= 3
    longest = int(result.published.lengths.max())
    by_weight = unicity(result.published.fingerprints(), longest)
    copies = unicity(result.published.fingerprints(np.sort(result.group)), longest)
    assert by_weight.sizes.tolist() == copies.sizes.tolist()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"profiles": []}, "at least one profile"),
        ({"p": []}, "at least one profile"),
        ({"out_of": []}, "at least one profile"),
        ({"p": [0]}, "p = 0"),
        ({"out_of": [0]}, "out_of = 0"),
        ({"strategy": "best"}, "Unknown strategy"),
        ({"profiles": [GeneralizationProfile(Grid(10), 1)]}, "finer than the data"),
    ],
)
def test_what_cannot_be_asked(wrong, words):
    with pytest.raises(ConfigError, match=words):
        unicity_grid(town(5, 3), **({"profiles": PROFILES} | wrong))

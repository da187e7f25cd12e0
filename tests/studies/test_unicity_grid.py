"""Unicity and disclosure over profiles: the same as one by one, with one generalization each."""

import numpy as np
import pytest

import fpanon_core as fp
from fpanon_core.model.files import keyed
from tests.support.refusals import check_refused


def town(n=300, samples=12):
    rng = np.random.default_rng(4)
    user = np.repeat(np.arange(n), samples)
    x, y = np.floor(rng.normal(0, 6, (2, len(user)))) * 100
    return fp.FingerprintSet.from_samples(user, x, y, rng.integers(0, 600, len(user)).astype(float))


PROFILES = [fp.GeneralizationProfile(fp.Grid(m), h) for m in (100, 800) for h in (1, 60)]


@pytest.mark.parametrize("strategy", ["random", "top", "consecutive"])
def test_every_row_is_the_unicity_of_its_profile(strategy):
    fs = town()
    table = fp.unicity_grid(fs, PROFILES, p=[1, 3], out_of=[1, 2], strategy=strategy, users=100)
    assert len(table) == 4 * 2 * 2
    assert table.attrs["digest"] == keyed(fs.digest)
    for row in table.itertuples():
        profile = fp.GeneralizationProfile(fp.Grid(row.space_size), row.window_min)
        assert row.profile == str(profile)
        alone = fp.unicity(
            fp.generalize(fs, profile), row.p, out_of=row.out_of, strategy=strategy, users=100
        )
        assert (row.value, row.low, row.high) == (alone.value, alone.low, alone.high)
        assert (row.targets, row.found, row.too_few) == (100, alone.n_found, alone.too_few)


def test_by_hand():
    """Three people at minute 5, 5 and 65, at 0, 900 and 900 m.

    100 m · 1 h: cells (0, 0), (900, 0), (900, 1): all unique. 1 km · 1 h: (0, 0) twice, (0, 1).
    1 km · 2 h: one cell for all.
    """
    fs = fp.FingerprintSet.from_samples([1, 2, 3], [0, 900, 900], [0] * 3, [5, 5, 65])
    profiles = [
        fp.GeneralizationProfile(fp.Grid(m), t) for m, t in [(100, 60), (1000, 60), (1000, 120)]
    ]
    assert fp.unicity_grid(fs, profiles, p=[1]).found.tolist() == [3, 1, 0]


@pytest.mark.parametrize("strategy", ["random", "top"])
def test_every_row_is_the_disclosure_of_its_profile(strategy):
    fs = town()
    table = fp.disclosure_grid(
        fs, PROFILES, p=2, unicity_p=(1, 2), strategy=strategy, users=100, seed=1
    )
    assert table.attrs["digest"] == keyed(fs.digest)
    assert table.attrs["config"] == {"p": 2, "strategy": strategy, "users": 100, "seed": 1}
    for row, profile in zip(table.to_dict("records"), PROFILES, strict=True):
        assert row["profile"] == str(profile)
        assert (row["space_size"], row["window_min"]) == (profile.grid_m, profile.minutes)
        seen = fp.generalize(fs, profile)
        known = fp.draw_knowledge(seen, 2, strategy=strategy, users=100, seed=1)
        alone = fp.disclosure(seen, known)
        for name in ("k", "em", "kl", "em_sum", "kl_sum"):
            assert row[name] == alone.measure(name)
            assert (row[f"{name}_low"], row[f"{name}_high"]) == alone.interval(name)
        assert row["unicity_p2"] == alone.unicity
        one = fp.unicity(seen, 1, strategy=strategy, users=100, seed=1)
        assert (row["unicity_p1"], row["unicity_p1_low"]) == (one.value, one.low)
        assert (row["targets"], row["too_few"]) == (100, known.too_few)
        assert row["bins"] == alone.n_bins


def test_a_p_beyond_every_trace_is_counted_and_no_error():
    fs, one_cell = town(30, 3), [fp.GeneralizationProfile(fp.Grid(1e6), 1e6)]
    for table in (fp.unicity_grid(fs, one_cell, p=[9]), fp.disclosure_grid(fs, one_cell, p=9)):
        assert table.too_few.tolist() == table.targets.tolist() == [30]
    # One bin, in which everybody was: nothing to learn.
    assert table[["k", "em", "kl"]].values.tolist() == [[pytest.approx(1 / 30), 0.0, 0.0]]


def test_in_a_k_anonymous_release_nobody_is_unique():
    """By weight, one fingerprint a group, and as copies, one a member: the same sizes."""
    result = fp.glove(town(60, 4), 3)
    weighted = fp.unicity(result.published.fingerprints(), 1)
    assert (weighted.value, weighted.n_targets, weighted.n_users) == (0.0, 60, 60)
    assert weighted.sizes.min() >= 3
    longest = int(result.published.lengths.max())
    by_weight = fp.unicity(result.published.fingerprints(), longest)
    copies = fp.unicity(result.published.fingerprints(np.sort(result.group)), longest)
    assert by_weight.sizes.tolist() == copies.sizes.tolist()


def test_what_cannot_be_asked():
    finer = [fp.GeneralizationProfile(fp.Grid(10), 1)]
    for grid, said, wrong in (
        (fp.unicity_grid, "at least one profile", {"profiles": [[]], "p": [[]], "out_of": [[]]}),
        (fp.unicity_grid, "NAME = 0", {"p": [[0]], "out_of": [[0]]}),
        (fp.unicity_grid, "Unknown strategy", {"strategy": ["best"]}),
        (fp.unicity_grid, "finer than the data", {"profiles": [finer]}),
        (fp.disclosure_grid, "at least one profile", {"profiles": [[]], "unicity_p": [[]]}),
        (fp.disclosure_grid, "p = 0", {"p": [0], "unicity_p": [[0]]}),
    ):
        check_refused(
            lambda grid=grid, **some: grid(town(5, 3), **{"profiles": PROFILES} | some),
            said,
            **wrong,
        )

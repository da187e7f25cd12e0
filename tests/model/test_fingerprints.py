"""The data model: snapping, sets, order, digests, and what never shows."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpanon_core.model.errors import ConfigError, InfeasibleError, SchemaError
from fpanon_core.model.fingerprints import FingerprintSet, distinct
from tests.support.fingerprint_sets import events

ROWS = {
    "user": ["zoe", "ann", "zoe", "zoe", "ann"],
    "x_m": [150.0, -1.0, 199.9, 120.0, 0.0],
    "y_m": [0.0, 0.0, 99.0, 0.0, 0.0],
    "t_min": [10.0, 7.5, 10.9, 3.0, 7.2],
}


def test_by_hand():
    """zoe's first and third events fall into one sample; −1 m snaps down to −100 m."""
    fs = FingerprintSet.from_samples(**ROWS)
    assert fs.user_ids.tolist() == ["zoe", "ann"]
    assert fs.offsets.tolist() == [0, 2, 4]
    assert fs.t_min.tolist() == [3, 10, 7, 7]
    assert fs.x_m.tolist() == [100, 100, -100, 0]
    assert fs.count.tolist() == [1, 2, 1, 1]
    assert (fs.n_users, fs.n_samples) == (2, 4)
    assert fs.to_frame()["user"].tolist() == [0, 0, 1, 1]


def test_ids_are_not_shown():
    fs = FingerprintSet.from_samples(**ROWS)
    shown = repr(fs) + str(fs) + fs.to_frame().to_csv() + " ".join(fs.pseudonyms)
    assert "zoe" not in shown
    assert "ann" not in shown
    assert fs.subset([1]).pseudonyms == fs.pseudonyms[1:]


def test_digest_tells_contents_apart():
    fs = FingerprintSet.from_samples(**ROWS)
    assert fs.digest == FingerprintSet.from_samples(**ROWS).digest
    assert fs.digest == pickle.loads(pickle.dumps(fs)).digest
    changed = {name: list(values) for name, values in ROWS.items()}
    changed["t_min"][0] += 1
    assert fs.digest != FingerprintSet.from_samples(**changed).digest
    assert fs.digest != FingerprintSet.from_samples(**ROWS, granularity_m=50).digest
    assert fs.digest != fs.subset([1, 0]).digest


@settings(deadline=None)
@given(events(), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(fs, random):
    frame = fs.to_frame()
    rows = np.repeat(np.arange(len(frame)), frame["count"])
    random.shuffle(rows)
    names = ("user", "x_m", "y_m", "t_min")
    made = FingerprintSet.from_samples(*(frame[name].to_numpy()[rows] for name in names))
    back = made.subset(np.argsort(made.user_ids))
    for name in ("offsets", "x_m", "y_m", "t_min", "count"):
        np.testing.assert_array_equal(getattr(back, name), getattr(fs, name))


@settings(deadline=None)
@given(events(), st.data())
def test_subset(fs, data):
    users = data.draw(st.lists(st.integers(0, fs.n_users - 1), min_size=1, unique=True))
    part = fs.subset(users)
    for i, u in enumerate(users):
        np.testing.assert_array_equal(part.x_m[part.rows_of(i)], fs.x_m[fs.rows_of(u)])
    assert part.pseudonyms == [fs.pseudonyms[u] for u in users]
    mask = np.isin(np.arange(fs.n_users), users)
    assert fs.subset(mask).digest == fs.subset(sorted(users)).digest
    some = np.zeros(fs.n_samples, bool)
    some[data.draw(st.lists(st.integers(0, fs.n_samples - 1), min_size=1))] = True
    left, there = fs.with_samples(some), np.unique(fs.sample_user[some])
    assert left.x_m.tolist() == fs.x_m[some].tolist()
    assert left.user_ids.tolist() == fs.user_ids[there].tolist()
    assert left.number.tolist() == fs.number[there].tolist()


@given(st.lists(st.tuples(*[st.integers(-2, 2)] * 4), min_size=1, max_size=60))
def test_ranges_too_wide_for_one_key_are_sorted_alike(rows):
    columns = list(np.array(rows).T)
    narrow, count = distinct(columns)
    wide, again = distinct([column * 10**9 for column in columns])
    assert (np.array(narrow) * 10**9).tolist() == np.array(wide).tolist()
    assert again.tolist() == count.tolist()


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"user": [], "x_m": [], "y_m": [], "t_min": []}, SchemaError, "no event"),
        ({"x_m": [0.0]}, SchemaError, "same number of rows"),
        ({"x_m": [np.nan, 0, 0, 0, 0]}, SchemaError, "not a number in 1 of 5 rows"),
        ({"user": [None, "a", "a", "a", "a"]}, SchemaError, "missing in 1 of 5 rows"),
        ({"granularity_m": 0}, ConfigError, "granularity_m"),
        ({"granularity_min": -1}, ConfigError, "granularity_min"),
    ],
)
def test_faults(change, error, words):
    with pytest.raises(error, match=words):
        FingerprintSet.from_samples(**(ROWS | change))


@pytest.mark.parametrize(
    ("users", "words"),
    [([], "No user"), ([2], "outside"), ([0, 0], "twice"), ([0.5], "row number"), ([True], "mask")],
)
def test_impossible_subsets(users, words):
    with pytest.raises(InfeasibleError, match=words):
        FingerprintSet.from_samples(**ROWS).subset(users)
    with pytest.raises(InfeasibleError, match="No sample"):
        FingerprintSet.from_samples(**ROWS).with_samples(np.zeros(4, bool))

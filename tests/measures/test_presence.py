"""Rows in whose cell the person was never recorded, and samples that lie in no row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpanon_core import FingerprintSet, Permute, glove, release
from fpanon_core.measures.crowds import presence
from fpanon_core.model.records import Records
from tests.oracles import presence as oracle
from tests.support.fingerprint_sets import as_lists, boxes, events


def test_a_row_counts_where_the_person_has_a_sample_in_it():
    """One person, raw at (0, 0, 5) and (900, 0, 9); published (0, 0, 5) as it is; (800, 0, 9),
    beside the second; and a cell of 1 km and 10 min at minute 0, which holds both.
    """
    fs = FingerprintSet.from_samples([1, 1], [0, 900], [0, 0], [5, 9])
    out = FingerprintSet(
        user_ids=np.array([1]),
        offsets=np.array([0, 3]),
        count=np.ones(3, int),
        x_m=np.array([0.0, 0, 800]),
        y_m=np.zeros(3),
        t_min=np.array([0.0, 5, 9]),
        dx_m=np.array([1000.0, 100, 100]),
        dy_m=np.array([1000.0, 100, 100]),
        dt_min=np.array([10.0, 1, 1]),
    )
    found = presence(fs, Records.of_fingerprints(out), np.array([0]))
    assert (found.rows, found.phantoms) == (3, 1)
    assert found.covered.tolist() == [True, True]


@given(boxes(), st.integers(0, 2**32 - 1))
def test_as_the_plain_loops_have_it(fs, seed):
    """Cells of any extent, published of somebody else, or twice of the same person."""
    rng = np.random.default_rng(seed)
    other = rng.permutation(fs.n_users)
    person = rng.integers(0, fs.n_users, fs.n_users)
    out = fs.subset(other)
    found = presence(fs, Records.of_fingerprints(out), person)
    own, published = as_lists(fs), as_lists(out)
    rows, lost, covered = oracle.phantoms(
        [(own[u], published[r]) for r, u in enumerate(person.tolist())]
    )
    assert (found.rows, found.phantoms) == (rows, lost)
    expected = np.zeros(fs.n_samples, bool)
    for u, some in zip(person.tolist(), covered, strict=True):
        expected[fs.rows_of(u)] |= some
    assert found.covered.tolist() == expected.tolist()


@given(events(), st.integers(2, 3))
def test_of_glove_it_is_what_glove_says(fs, k):
    """Unsuppressed, and counted otherwise: by the spans that hold each sample."""
    if k > fs.n_users:
        return
    result = glove(fs, k)
    found = presence(fs, result.records, np.flatnonzero(result.group >= 0))
    assert found.phantom_share == pytest.approx(result.phantom_share)
    assert found.covered.all()


def test_an_exchange_makes_phantoms():
    """Two people at two places in one hour: the exchange gives both, or neither, the other's."""
    fs = FingerprintSet.from_samples([1, 2], [0, 900], [0, 0], [5, 9])
    shares = set()
    for seed in range(20):
        out = release(fs, Permute("positions"), seed=seed)
        shares.add(presence(fs, out.origin.records, out.origin.person).phantom_share)
    assert shares == {0.0, 1.0}

"""Counts are held as a sparse matrix; their table is made only when asked for."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from fpanon_core import AggregateCounts
from fpanon_core.model.aggregates import sparse_of

TABLES = hnp.arrays(
    np.int32, hnp.array_shapes(min_dims=2, max_dims=2, max_side=7), elements=st.integers(-2, 3)
)


def held(table):
    """The counts of a table, given in two blocks."""
    slots, places = table.shape
    cut = slots // 2 or 1
    rows = sparse_of([b for b in (table[:cut], table[cut:]) if len(b)])
    return AggregateCounts(rows, np.arange(places), np.zeros(places), np.arange(slots) * 30.0)


@given(TABLES)
def test_counts_say_what_the_table_says(table):
    counts = held(table)
    assert (counts.n_slots, counts.n_places) == table.shape
    assert counts.totals.tolist() == table.sum(axis=1).tolist()
    assert counts.noisy == bool((table < 0).any())
    assert counts.greatest == max(0, int(table.max()))
    assert counts.above_zero.tolist() == table[table > 0].tolist()
    slot, place, many = counts.entries()
    assert (slot.tolist(), place.tolist()) == tuple(a.tolist() for a in np.nonzero(table))
    assert many.tolist() == table[slot, place].tolist()
    assert np.concatenate([counts.block(s) for s in counts.pieces()]).tolist() == table.tolist()
    last = counts.n_slots - 1
    assert counts.of_slot(last).tolist() == table[-1].tolist()
    assert counts.block(np.array([last, 0, last])).tolist() == table[[last, 0, last]].tolist()
    assert "counts" not in vars(counts)
    assert counts.counts.dtype == table.dtype
    assert counts.counts.tolist() == counts.with_counts(table).counts.tolist() == table.tolist()


def test_the_table_is_kept_once_made_closed_and_never_pickled():
    counts = held(np.array([[0, 2, 0], [1, 0, 0]], np.int32))
    assert counts.counts is counts.counts
    assert not counts.counts.flags.writeable
    again = pickle.loads(pickle.dumps(counts))
    assert "counts" not in vars(again)
    assert again.counts.tolist() == [[0, 2, 0], [1, 0, 0]]
    assert not hasattr(counts, "count")


def test_an_index_of_no_place_is_refused_after_a_crossing():
    """SciPy would read and write outside its arrays."""
    counts = held(np.array([[0, 2, 0], [1, 0, 0]], np.int32))
    counts.__getstate__()["_held"][1][0] = 3
    again = pickle.loads(pickle.dumps(counts))
    for read in (lambda: again.totals, lambda: again.counts, again.entries):
        with pytest.raises(ValueError, match="indices must be < 3"):
            read()

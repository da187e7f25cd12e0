"""Counts held by those other than 0 say what the table says; it is made only when asked for."""

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from fpanon_core import AggregateCounts
from fpanon_core.model.aggregates import CountRows

TABLES = hnp.arrays(
    np.int32, hnp.array_shapes(min_dims=2, max_dims=2, max_side=7), elements=st.integers(-2, 3)
)


def both(table):
    """The same counts, held by rows and as a table."""
    slots, places = table.shape
    rest = (np.arange(places), np.zeros(places), np.arange(slots) * 30.0)
    cut = slots // 2 or 1
    rows = CountRows.of_blocks([b for b in (table[:cut], table[cut:]) if len(b)])
    return AggregateCounts(rows, *rest), AggregateCounts(table, *rest)


@given(TABLES)
def test_rows_say_what_the_table_says(table):
    held, plain = both(table)
    for counts in (held, plain):
        assert counts.n_slots, counts.n_places == table.shape
        assert counts.totals.tolist() == table.sum(axis=1).tolist()
        assert counts.noisy == bool((table < 0).any())
        assert counts.greatest == max(0, int(table.max()))
        assert counts.above_zero.tolist() == table[table > 0].tolist()
        slot, place, many = counts.entries()
        assert (slot.tolist(), place.tolist()) == tuple(a.tolist() for a in np.nonzero(table))
        assert many.tolist() == table[slot, place].tolist()
        assert np.concatenate([counts.block(some) for some in counts.pieces()]).tolist() == (
            table.tolist()
        )
        last = counts.n_slots - 1
        assert counts.of_slot(last).tolist() == table[-1].tolist()
        assert counts.block(np.array([last, 0, last])).tolist() == table[[last, 0, last]].tolist()
    assert "counts" not in vars(held)
    assert held.counts.dtype == table.dtype
    assert held.counts.tolist() == table.tolist()


def test_the_table_is_kept_once_made_closed_and_never_pickled():
    held, _ = both(np.array([[0, 2, 0], [1, 0, 0]], np.int32))
    assert held.counts is held.counts
    assert not held.counts.flags.writeable
    again = pickle.loads(pickle.dumps(held))
    assert "counts" not in vars(again)
    assert again.counts.tolist() == [[0, 2, 0], [1, 0, 0]]
    assert again.with_counts(np.ones((2, 3), int)).totals.tolist() == [3, 3]


def test_what_is_not_there_is_still_an_error():
    held, plain = both(np.array([[1]]))
    for counts in (held, plain):
        assert not hasattr(counts, "count")

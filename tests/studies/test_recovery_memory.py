"""The attack and its mitigations work in blocks: no table of slots by places, equal results."""

import tracemalloc

import numpy as np
import pytest

from fpanon_core import FingerprintSet
from fpanon_core.attacks import aggregation, mitigations, scoring
from fpanon_core.model import aggregates
from fpanon_core.model.aggregates import CountRows
from fpanon_core.studies import recovery, recovery_mitigations
from tests.support.alike import check_alike


def sparse(people=25, days=4, places=400, seed=0):
    """Few records of each person, at places all over."""
    rng = np.random.default_rng(seed)
    n = people * days * 3
    user = np.concatenate([np.arange(people), rng.integers(0, people, n)])
    x, y = rng.integers(0, places, (2, len(user))) * 100.0
    return FingerprintSet.from_samples(user, x, y, rng.integers(0, days * 1440, len(user)))


def in_small_blocks(monkeypatch, cells):
    """Everything in blocks of so many cells, of one row at least."""
    monkeypatch.setattr(aggregates, "_COUNTS_AT_ONCE", cells)
    monkeypatch.setattr(aggregation, "_CELLS_AT_ONCE", cells)
    monkeypatch.setattr(aggregation, "_SAMPLES_AT_ONCE", cells)

    def small(n, width):
        at_once = max(1, cells // width)
        return (slice(at, min(at + at_once, n)) for at in range(0, n, at_once))

    for module in (scoring, mitigations):
        monkeypatch.setattr(module, "pieces_of_rows", small)


@pytest.fixture
def most_dense(monkeypatch):
    """The largest table made of counts held by rows, in counts."""
    most, dense = [0], CountRows.dense

    def seen(rows, slots=slice(None)):
        table = dense(rows, slots)
        most[0] = max(most[0], table.size)
        return table

    monkeypatch.setattr(CountRows, "dense", seen)
    monkeypatch.setattr(aggregates, "_COUNTS_AT_ONCE", 2_000)
    monkeypatch.setattr(recovery_mitigations, "_SLOTS_AT_ONCE", 4)
    return most


def test_no_table_of_all_slots_and_places_is_made(most_dense):
    fs = sparse()
    found = recovery.study(fs, recovery.Config(users=None))
    found.tables()
    assert 0 < found.alone <= found.small <= 1
    assert "counts" not in vars(found.counts)
    table = found.counts.n_slots * found.counts.n_places
    assert 0 < most_dense[0] <= table / 3  # a day of four
    tried = recovery_mitigations.study(fs, recovery_mitigations.Config(users=None))
    assert len(tried.table) == 9
    assert tried.table.loc[0, ["slots", "places"]].prod() == table
    assert most_dense[0] <= table / 3


@pytest.mark.parametrize("pairing", ["greedy", "optimal"])
def test_small_blocks_give_what_one_block_gives(monkeypatch, pairing):
    fs = sparse(people=12, days=3, places=12)
    config = recovery_mitigations.Config(users=None, pairing=pairing, limit=2, noise_share=0.5)

    def both():
        attack = recovery.study(fs, recovery.Config(users=None, pairing=pairing))
        return attack, recovery_mitigations.study(fs, config).table

    one, table = both()
    monkeypatch.setattr(aggregates, "_COUNTS_AT_ONCE", 1)
    monkeypatch.setattr(aggregation, "_CELLS_AT_ONCE", 1)
    other, in_blocks = both()
    assert one.counts.counts.tolist() == other.counts.counts.tolist()
    for name in ("truth", "recovered"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()
    check_alike(one.score, other.score)
    assert table.to_csv() == in_blocks.to_csv()


def test_what_grows_with_days_is_within_the_estimate(monkeypatch):
    # Small blocks, so that they do not hide what is held of each person and slot.
    in_small_blocks(monkeypatch, cells=500)
    peaks, said, people = [], [], 40
    for days in (1, 2, 16):  # the first for what is made once
        fs = sparse(people, days, places=4)
        tracemalloc.start()
        try:
            counts = recovery.study(fs, recovery.Config(users=None)).counts
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
        said.append(recovery.memory_bytes(counts.n_slots, people, counts.n_places))
    assert 0 < peaks[2] - peaks[1] <= said[2] - said[1]
    assert peaks[2] <= said[2]

"""Whose a record may be: by boxes around records first, and yet as if every pair were tried."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpanon_core.kernels.verify_cover import (
    BLOCK,
    Classes,
    People,
    class_boxes,
    classes_within,
    fewest_misses,
)
from fpanon_core.verification.fitting import in_blocks

SLACK = 1e-6
few = st.integers(0, 4)


def box(draw):
    """x0, x1, y0, y1, t0, t1 on a small grid; of length 0 now and then."""
    low, wide = [draw(few) for _ in range(3)], [draw(few) for _ in range(3)]
    return [float(v) for a, d in zip(low, wide, strict=True) for v in (a, a + d)]


@st.composite
def people_and_records(draw):
    people = [
        [box(draw) for _ in range(draw(st.integers(1, 3)))] for _ in range(draw(st.integers(1, 4)))
    ]
    records = [
        sorted((box(draw) for _ in range(draw(st.integers(1, 4)))), key=lambda c: c[4])
        for _ in range(draw(st.integers(1, 5)))
    ]
    n = sum(map(len, people))
    wanted = np.array([draw(st.booleans()) for _ in range(n)])
    return people, records, wanted


def holds(record, sample):
    """Whether the cells that the sample reaches across hold it, for all of its time."""
    x0, x1, y0, y1, t0, t1 = sample
    held = sum(
        min(c[5], t1) - max(c[4], t0)
        for c in record
        if c[4] < t1
        and c[5] > t0
        and c[0] <= x0 + SLACK
        and c[1] >= x1 - SLACK
        and c[2] <= y0 + SLACK
        and c[3] >= y1 - SLACK
    )
    return held >= t1 - t0 - SLACK


def misses_of(people, records, wanted):
    """How many of a person's samples, of those wanted, a record does not hold."""
    of = np.split(wanted, np.cumsum([len(person) for person in people])[:-1])
    return np.array(
        [
            [
                sum(w and not holds(record, s) for s, w in zip(p, own, strict=True))
                for record in records
            ]
            for p, own in zip(people, of, strict=True)
        ]
    )


def arrays(people, records, wanted):
    offsets = np.cumsum([0, *map(len, people)])
    cells = np.array([c for record in records for c in record])
    ends = np.cumsum([0, *map(len, records)])
    reach = np.concatenate([np.maximum.accumulate([c[5] for c in record]) for record in records])
    first, last = ends[:-1].copy(), ends[1:].copy()
    samples = np.array([s for person in people for s in person])
    around = class_boxes(cells, first, last)
    return People(offsets, samples, wanted), Classes(cells, reach, first, last, around)


def fits(people, records, wanted, most, begin=0):
    """Person, record and number of samples missed, of those that miss so many at most."""
    held = arrays(people, records, wanted)
    n, blocks = len(people), in_blocks(held[1].around)
    found = classes_within(begin, n, *held, *blocks, np.full(n, most))
    return list(zip(*found, strict=True))


@settings(max_examples=300, deadline=None)
@given(people_and_records(), st.integers(0, 2))
def test_every_pair_that_fits_is_found_and_no_other(given_, most):
    people, records, wanted = given_
    misses, n = misses_of(people, records, wanted), len(people)
    expected = [(u, g, misses[u, g]) for u, g in np.argwhere(misses <= most)]
    assert fits(people, records, wanted, most) == expected
    half = n // 2  # people are looked at in stretches
    assert fits(people, records, wanted, most, half) == [e for e in expected if e[0] >= half]
    fewest = fewest_misses(0, n, *arrays(people, records, wanted), most)
    assert fewest.tolist() == np.minimum(misses.min(axis=1), most + 1).tolist()


def test_of_many_records_in_blocks_none_is_passed_over():
    rng = np.random.default_rng(5)

    def boxes(n, wide):
        low = rng.integers(0, 30, 3)
        low = low + rng.integers(0, 3, (n, 3))
        return np.stack([low, low + rng.integers(1, wide, (n, 3))], axis=2).reshape(n, 6) * 1.0

    people = [boxes(2, 3).tolist() for _ in range(60)]
    records = [sorted(boxes(3, 9).tolist(), key=lambda c: c[4]) for _ in range(2_000)]
    every = np.ones(120, bool)
    misses = misses_of(people, records, every)
    for most in (0, 1):
        found = fits(people, records, every, most)
        assert found == [(u, g, misses[u, g]) for u, g in np.argwhere(misses <= most)]
        assert len(found) > 20


def test_the_box_around_a_record_is_that_of_all_its_cells():
    cells = np.array([[0.0, 2, 5, 6, 0, 4], [1, 3, 2, 9, 1, 2], [7, 8, 7, 8, 7, 8]])
    found = class_boxes(cells, np.array([0, 2]), np.array([2, 3]))
    assert found.tolist() == [[0, 3, 2, 9, 0, 4], [7, 8, 7, 8, 7, 8]]


@pytest.mark.parametrize("axis", [0, 2, 4])
def test_a_record_that_ends_before_a_sample_is_not_tried(axis):
    cell = np.array([0.0, 5, 0, 5, 0, 5])
    sample = cell.copy()
    sample[axis : axis + 2] += 5
    only = [[sample]], [[cell]], np.array([True])
    assert fits(*only, 0) == []
    assert fewest_misses(0, 1, *arrays(*only), 5).tolist() == [1]


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 1_000])
def test_blocks_hold_every_box_once_within_their_hull(n):
    low = np.random.default_rng(n).uniform(0, 9, (n, 3))
    around = np.stack([low, low + 1], axis=2).reshape(n, 6)
    order, hulls = in_blocks(around)
    assert sorted(order) == list(range(n))
    assert len(hulls) == -(-n // BLOCK)
    hull = hulls[np.arange(n) // BLOCK]
    assert (hull[:, ::2] <= around[order, ::2]).all()
    assert (hull[:, 1::2] >= around[order, 1::2]).all()
    if n == 1_000:  # near to each other: half as wide as all, in the middle
        assert np.median(np.ptp(hull[:, :2], axis=1)) < 5

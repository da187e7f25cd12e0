"""Whose a record may be: by boxes around records first, and yet as if every pair were tried."""

import numpy as np

from fpanon_core.kernels.verify_cover import (
    Classes,
    People,
    class_boxes,
    classes_within,
    fewest_misses,
)
from fpanon_core.verification.fitting import in_blocks

SLACK = 1e-6


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
        half = [each for each in found if each[0] >= 30]  # people are looked at in stretches
        assert fits(people, records, every, most, 30) == half
        fewest = fewest_misses(0, 60, *arrays(people, records, every), most)
        assert fewest.tolist() == np.minimum(misses.min(axis=1), most + 1).tolist()

"""May these records be those people's? By trying every way. Imports nothing from the package.

People and records are lists of rectangles (x0, x1, y0, y1, t0, t1), those of a record apart in
time.
"""

from itertools import permutations


def held(sample, cells):
    """Whether a sample lies inside the cells it reaches across, all its time."""
    x0, x1, y0, y1, t0, t1 = sample
    inside = 0.0
    for a0, a1, b0, b1, c0, c1 in cells:
        if c0 < t1 and c1 > t0 and a0 <= x0 and x1 <= a1 and b0 <= y0 and y1 <= b1:
            inside += min(c1, t1) - max(c0, t0)
    return inside >= t1 - t0


def fewest_missed(people, records):
    """Samples outside their person's record, at least, when everyone has one or none is left.

    People for whom there is no record miss all their samples.
    """
    slots = list(range(len(records))) + [None] * (len(people) - len(records))
    best = None
    for order in set(permutations(slots, len(people))):
        missed = 0
        for samples, slot in zip(people, order, strict=True):
            cells = [] if slot is None else records[slot]
            missed += sum(not held(sample, cells) for sample in samples)
        best = missed if best is None else min(best, missed)
    return best

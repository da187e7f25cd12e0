"""Which published cells hold a sample of their person, and which samples lie in none: plain loops.

Cells and samples are tuples x, y, t, dx, dy, dt.
"""


def overlaps(a, b):
    return all(a[i] < b[i] + b[i + 3] and b[i] < a[i] + a[i + 3] for i in range(3))


def corner_in(sample, cell):
    return all(cell[i] <= sample[i] < cell[i] + cell[i + 3] for i in range(3))


def phantoms(records):
    """Of (samples of the person, cells published of the person): rows, phantoms, covered or not."""
    rows = lost = 0
    covered = []
    for samples, cells in records:
        rows += len(cells)
        lost += sum(not any(overlaps(s, c) for s in samples) for c in cells)
        covered.append([any(corner_in(s, c) for c in cells) for s in samples])
    return rows, lost, covered

"""Which polygon holds a point? By casting a ray, edge by edge.

Imports nothing from the package.
"""

from itertools import pairwise


def crossings(x, y, ring):
    """Edges of a closed ring that a ray from the point to the east crosses."""
    found = 0
    for (x1, y1), (x2, y2) in pairwise(ring):
        if (y1 > y) != (y2 > y) and x < x1 + (y - y1) * (x2 - x1) / (y2 - y1):
            found += 1
    return found


def region_of(x, y, polygons):
    """Number of the first polygon, a list of rings (the outer, then holes); None if there is none.

    Inside is who crosses an odd number of edges: a hole takes away what its ring encloses.
    """
    for number, rings in enumerate(polygons):
        if sum(crossings(x, y, ring) for ring in rings) % 2:
            return number
    return None

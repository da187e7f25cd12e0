"""Where a grid begins, by docs/science.md: whole metres, plain loops, exact fractions."""

from fractions import Fraction


def shifts(side, raw):
    """No, one, two and three quarters of the side, rounded down to whole raw cells."""
    found = []
    for quarter in range(4):
        whole = (quarter * side) // (4 * raw) * raw
        if whole not in found:
            found.append(whole)
    return found


def cell(place, side, origin):
    """Column and row of the cell that holds a place's lower corner."""
    return (place[0] - origin[0]) // side, (place[1] - origin[1]) // side


def expected_crowd(users, weights, side, origin):
    """Sum of n² over sum of n, n the people who were in a cell."""
    people = {}
    for places, weight in zip(users, weights, strict=True):
        for one in {cell(place, side, origin) for place in places}:
            people[one] = people.get(one, 0) + weight
    return Fraction(sum(n * n for n in people.values()), sum(people.values()))


def origin(users, weights, side, raw, base=(0, 0)):
    """The origin for users, each a list of lower corners (x, y) of raw cells, in whole metres."""
    places = [place for mine in users for place in mine]
    extents = []
    for axis in (0, 1):
        values = [place[axis] for place in places]
        extents.append(max(values) + raw - min(values))
    tried = [(base[0] + dx, base[1] + dy) for dx in shifts(side, raw) for dy in shifts(side, raw)]
    if side >= max(extents):
        for one in tried:
            if len({cell(place, side, one) for place in places}) == 1:
                return one
        return tuple(
            base[axis]
            + (2 * (min(place[axis] for place in places) - base[axis]) - side + extents[axis])
            // (2 * raw)
            * raw
            for axis in (0, 1)
        )
    best = None
    for one in tried:
        crowd = expected_crowd(users, weights, side, one)
        if best is None or crowd > best[0]:
            best = (crowd, one)
    return best[1]

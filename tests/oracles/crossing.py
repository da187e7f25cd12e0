"""Who is left in the crossing of two releases, by comparing everyone with everyone.

Imports nothing of ours. A release is a list of records: person, name of the group, first day and
the day after the last.
"""


def share_a_day(one, other):
    return max(one[2], other[2]) < min(one[3], other[3])


def crowd(release, record):
    """People who are in the group of a record."""
    return {p for p, group, first, last in release if (group, first, last) == record[1:]}


def crossing(first, second):
    """For each person in both: the smallest crowd in the first, in the second, and in both."""
    found = {}
    for a in first:
        for b in second:
            if a[0] != b[0] or not share_a_day(a, b):
                continue
            crowds = crowd(first, a), crowd(second, b)
            sizes = [len(c) for c in (*crowds, crowds[0] & crowds[1])]
            known = found.get(a[0], sizes)
            found[a[0]] = [min(pair) for pair in zip(known, sizes, strict=True)]
    return found


def naming(found):
    """Mean of 1 / the crowd, of the crossing."""
    return sum(1 / sizes[2] for sizes in found.values()) / len(found)

"""Plain sets, by docs/science.md, for the tests to hold the package against.

Imports nothing from the package. A fingerprint is a list of samples (x, y, t, dx, dy, dt); ``n`` is
the number of users it stands for. A known bin is a sample; of places known without time, a sample
whose t and dt do not matter.
"""


def place(sample):
    x, y, _, dx, dy, _ = sample
    return x, y, dx, dy


def equivalence_class(fingerprints, known, *, timeless=False):
    """Indices of the fingerprints that contain all that is known."""
    seen = place if timeless else tuple
    return {
        u
        for u, samples in enumerate(fingerprints)
        if {seen(s) for s in known} <= {seen(s) for s in samples}
    }


def size(fingerprints, known, *, n=None, timeless=False):
    """|E| in users."""
    n = n or [1] * len(fingerprints)
    return sum(n[u] for u in equivalence_class(fingerprints, known, timeless=timeless))


def unicity(fingerprints, all_known, *, n=None, timeless=False, out_of=1):
    """Share of the targets, given what is known of each, with |E| ≤ out_of."""
    sizes = [size(fingerprints, known, n=n, timeless=timeless) for known in all_known]
    return sum(s <= out_of for s in sizes) / len(sizes)


def points_needed(fingerprints, known, *, n=None, timeless=False, out_of=1):
    """Points, in their order, until |E| ≤ out_of; None when all do not get there."""
    for many in range(1, len(known) + 1):
        if size(fingerprints, known[:many], n=n, timeless=timeless) <= out_of:
            return many
    return None


def top_places(samples, counts, p):
    """The p places with the most events; ties: smaller x, then y."""
    visits = {}
    for sample, count in zip(samples, counts, strict=True):
        visits[place(sample)] = visits.get(place(sample), 0) + count
    return sorted(visits, key=lambda at: (-visits[at], at))[:p]


def order_probability(counts, order):
    """Probability that draws without replacement, by counts, come in just this order."""
    left, probability = sum(counts), 1.0
    for i in order:
        probability *= counts[i] / left
        left -= counts[i]
    return probability

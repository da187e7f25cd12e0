"""The dense matrix of docs/science.md, “Disclosure”, for the tests to hold the package against.

Imports nothing from the package. A fingerprint is a list of samples (x, y, t, dx, dy, dt); ``n`` is
the number of users it stands for.
"""

from fractions import Fraction

from tests.oracles.intervals import relative_entropy
from tests.oracles.unicity import equivalence_class


def bins_of(fingerprints):
    """The columns of D: distinct bins by time, x, y, then dt, dx, dy."""
    return sorted(
        {s for samples in fingerprints for s in samples},
        key=lambda s: (s[2], s[0], s[1], s[5], s[3], s[4]),
    )


def matrix(fingerprints, bins):
    """D, one row per fingerprint: whether it was in each bin."""
    return [[bin_ in set(samples) for bin_ in bins] for samples in fingerprints]


def disclosure(fingerprints, all_known, *, n=None, timeless=False, d=None):
    """Sizes, and EM and KL of every target (rows) and bin (columns); d: bins, empty ones too."""
    n = n or [1] * len(fingerprints)
    bins = bins_of(fingerprints)
    present = matrix(fingerprints, bins)
    everybody = sum(n)
    prior = [
        Fraction(sum(w for row, w in zip(present, n, strict=True) if row[j]), everybody)
        for j in range(len(bins))
    ]
    sizes, ems, kls = [], [], []
    for known in all_known:
        members = equivalence_class(fingerprints, known, timeless=timeless)
        size = sum(n[u] for u in members)
        posterior = [
            Fraction(sum(n[u] for u in members if present[u][j]), size) for j in range(len(bins))
        ]
        sizes.append(size)
        ems.append([float(abs(p - q)) for p, q in zip(posterior, prior, strict=True)])
        kls.append([relative_entropy(p, q) for p, q in zip(posterior, prior, strict=True)])
    d = d or len(bins)
    return {
        "sizes": sizes,
        "k": sum(1 / s for s in sizes) / len(sizes),
        "unicity": sum(s == 1 for s in sizes) / len(sizes),
        "em": ems,
        "kl": kls,
        "em_sum_user": [sum(row) for row in ems],
        "kl_sum_user": [sum(row) for row in kls],
        "em_sum": sum(map(sum, ems)) / len(ems),
        "kl_sum": sum(map(sum, kls)) / len(kls),
        "em_user": [sum(row) / d for row in ems],
        "kl_user": [sum(row) / d for row in kls],
        "em_bin": [sum(column) / len(ems) for column in zip(*ems, strict=True)],
        "kl_bin": [sum(column) / len(kls) for column in zip(*kls, strict=True)],
        "em_overall": sum(map(sum, ems)) / (len(ems) * d),
        "kl_overall": sum(map(sum, kls)) / (len(kls) * d),
    }

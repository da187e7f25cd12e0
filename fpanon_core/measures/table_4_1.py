"""The worked example of disclosure, as data.

Source: Noriega Campero 2015, table 4.1.
"""

from __future__ import annotations

from ..model.fingerprints import FingerprintSet
from ..model.knowledge import Knowledge

# Bins, from 1, of users 1 … 4: where they were, and what an outsider knows of it.
PRESENCE = ((1, 3), (1, 3, 4), (3, 4), (2, 4))
KNOWN = ((3,), (1,), (4,), (2, 4))
N_BINS = 5  # nobody was in the fifth


def table_4_1() -> tuple[FingerprintSet, Knowledge]:
    """Fingerprints and knowledge; bin j is minute j at one place.

    Examples
    --------
    >>> from fpanon_core import disclosure
    >>> fs, knowledge = table_4_1()
    >>> disclosure(fs, knowledge, n_bins=N_BINS).sizes.tolist()
    [3, 2, 3, 1]
    """
    rows = [(user, bin_) for user, own in enumerate(PRESENCE, 1) for bin_ in own]
    user, minute = zip(*rows, strict=True)
    fs = FingerprintSet.from_samples(user, [0] * len(rows), [0] * len(rows), minute)
    known = {u: [(0.0, 0.0, float(bin_)) for bin_ in own] for u, own in enumerate(KNOWN)}
    return fs, Knowledge.from_bins(fs, known)

"""Which data was a result made of? Known as long as somebody else in the process holds them.

A result of GLOVE carries the digest of its original, not the original: it is sent between processes
and saved. Whoever made it has the original at hand as a rule, and need not say so again.
"""

from __future__ import annotations

import threading
from weakref import WeakValueDictionary

from .fingerprints import FingerprintSet

_KNOWN: WeakValueDictionary[str, FingerprintSet] = WeakValueDictionary()
_CHANGE = threading.Lock()


def remember(fs: FingerprintSet) -> None:
    """Find these fingerprints again by their digest, for as long as they are held elsewhere."""
    with _CHANGE:
        _KNOWN[fs.digest] = fs


def known(digest: str) -> FingerprintSet | None:
    """The fingerprints of that digest, if somebody still holds them.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 2], [0, 0], [0, 0], [0, 1])
    >>> remember(fs)
    >>> known(fs.digest) is fs, known("another")
    (True, None)
    """
    with _CHANGE:
        return _KNOWN.get(digest)

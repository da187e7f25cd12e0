"""Who shares a record, by comparing everyone with everyone. Imports nothing of ours.

A fingerprint is a list of samples; ``n`` is the number of users it stands for.
"""


def sharing(fingerprints, n):
    """Of each fingerprint, the users who were in exactly the same bins."""
    return [
        sum(w for b, w in zip(fingerprints, n, strict=True) if set(a) == set(b))
        for a in fingerprints
    ]

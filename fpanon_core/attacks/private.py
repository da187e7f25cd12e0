"""Counts that say provably little about anyone: differential privacy, by OpenDP.

**The unit of protection** is what an outsider cannot tell whether it is so or otherwise:

- ``"user-slot"``: where one person was in *one* slot. What a person does over the whole period is
  protected ε times the number of slots only.
- ``"user"``: where one person was in *all* slots together.

In both, two data sets are neighbours when one person's place differs, in one slot or in any number
of them; how many people there are in each slot is no secret (it is the same in all). Changing a
place takes 1 from one count and adds 1 to another, so the counts change by at most 2 in all
(L1 sensitivity) for a user-slot, and by 2 × the number of slots for a user. Every count gets
independent discrete Laplace noise of scale sensitivity/ε. The list of places and the filling of
gaps between a person's samples are taken as given: which places occur at all is published as it is,
and one record can decide many slots that are filled in from it, all of which a user-slot's ε does
not cover; ``"user"`` does. Fingerprints that stand for several subscribers are not covered either:
one subscriber may have shaped the places of all of them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..model.aggregates import AggregateCounts
from ..model.checks import positive
from ..model.errors import ConfigError
from ..model.privacy import UNITS, PrivacyGuarantee, Unit


def privacy_guarantee(
    counts: AggregateCounts, epsilon: float, unit: Unit = "user-slot"
) -> PrivacyGuarantee:
    """The noise that ε takes for counts of so many slots.

    Examples
    --------
    >>> from fpanon_core import FingerprintSet, aggregate_counts
    >>> fs = FingerprintSet.from_samples([1, 1], [0, 0], [0, 0], [0, 1439])
    >>> counts, _ = aggregate_counts(fs, slot_min=60)
    >>> privacy_guarantee(counts, 0.5).scale, privacy_guarantee(counts, 0.5, "user").scale
    (4.0, 96.0)
    """
    epsilon = positive("epsilon", epsilon)
    if unit not in UNITS:
        raise ConfigError(f"Unknown unit {unit!r}; give one of {', '.join(UNITS)}.")
    sensitivity = 2 * (counts.n_slots if unit == "user" else 1)
    return PrivacyGuarantee(epsilon, unit, sensitivity, sensitivity / epsilon)


def dp_counts(counts: AggregateCounts, epsilon: float, unit: Unit = "user-slot") -> AggregateCounts:
    """Differentially private counts; see the module for what is protected.

    The noise comes from OpenDP's own source of randomness, which takes no seed: whoever knew the
    seed could take the noise off again. So no two runs are alike. Counts can come out negative.

    Parameters
    ----------
    counts : AggregateCounts
    epsilon : float
        Above 0; smaller protects more.
    unit : {"user-slot", "user"}

    Returns
    -------
    AggregateCounts

    Raises
    ------
    ConfigError
        A parameter is out of its range.
    """
    guarantee = privacy_guarantee(counts, epsilon, unit)
    import opendp.prelude as dp  # here, because it takes seconds

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    mechanism = dp.m.make_laplace(*space, scale=guarantee.scale)
    spent = float(mechanism.map(guarantee.sensitivity))  # type: ignore[no-untyped-call]
    if spent > guarantee.epsilon * (1 + 1e-9):
        raise ConfigError(
            f"epsilon = {epsilon:g} cannot be kept: the mechanism would spend {spent:g}; choose "
            "another."
        )
    flat = counts.counts.astype(np.int64).ravel()
    noisy = np.array(mechanism(flat), np.int64).reshape(counts.counts.shape)
    # Not the digest of the data: it would tell whether a guess at them is right.
    return replace(counts, counts=noisy, digest="")

"""Mitigations: changes to counts before publication.

The rest of this text is about *differentially private counts*, which are made with OpenDP.

**The frame is stated**: places come from the antenna table or a grid over a stated area, and the
period is stated. So every data set gives a table of the same shape. If the frame came from the
events, one record could add a row or a column, and no noise would hide that. Counts without a
stated frame are refused.

**The unit of protection** is the allowed difference between two data sets that an attacker cannot
distinguish, up to a factor of e^ε:

- ``"user"``: all records of one person, who may also be in only one of the data sets. A person is
  at no more than one place in each slot, whether or not gaps are filled in. So in each slot, at
  most one count loses 1 and another gains 1. The counts change by at most 2 × slots in total (L1
  sensitivity).
- ``"user-slot"``: the records of one person *in one slot*. It applies to counts of recorded samples
  only: if gaps are filled in, one record can affect many slots, so filled-in counts are
  refused. In the slot, the person is at one place at most: the one with the most samples. One
  count loses 1 and another gains 1, so the sensitivity is 2. A record moved to another slot changes
  two slots. Two slots are two units, for which the guarantee is 2 ε. For all of a person's records,
  the total is ε times the number of slots.

Every count gets independent discrete Laplace noise of scale sensitivity/ε. The ε values of several
publications about the same people add up. Fingerprints that stand for several people are refused,
because one person's records would affect the counts of all these people.

**Equal reading.** Positions are snapped to raw cells on a map projection. By default, the centre of
the projection is the middle of the records. Then one additional person can move the cells of all
others. Cells move by less than their side, but may still cross the bounds of places. The noise does
not cover this effect, so such counts are refused. With a stated centre (``read_cdr(...,
centre=...)``), nobody moves another person's cell. Counts of samples whose length does not divide
15 minutes are also refused, because the starts of these samples depend on the first day.

**Assumptions**: the time zone of the slots and other stated parameters of the reading are fixed.
Properties that the reading derives from the whole file (columns, date formats, times far from all
others) must be equal for neighbouring data sets. They are equal unless a record is very different
from all others.

Source: Xu et al. 2017, §6.1; docs/science.md, “Counts and trajectory recovery”.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, cast

import numpy as np
from scipy.spatial import cKDTree  # type: ignore[import-untyped,unused-ignore]

from ..engines.progress import Progress, tell
from ..model.aggregates import AggregateCounts, sparse_of
from ..model.arrays import IntArray, SmallInts, offsets_of, pieces_of_rows
from ..model.checks import one_of, positive, whole
from ..model.checks import share as share_of
from ..model.errors import ConfigError, InfeasibleError
from ..model.options import UNITS, PrivacyGuarantee, Unit
from ..model.periods import UNSTATED_CENTRE


def coarsen(
    counts: AggregateCounts, truth: SmallInts, *, metres: float
) -> tuple[AggregateCounts, SmallInts]:
    """Add up the counts of all places whose centres lie in the same square of a grid.

    For longer slots, call :func:`aggregate_counts` again with a larger ``slot_min``.

    Parameters
    ----------
    counts : AggregateCounts
    truth : int32 ndarray (n_users, n_slots)
        Place of each user in each slot, with gaps filled in.
    metres : float
        Side of a square; the grid begins at the origin of the projection.

    Returns
    -------
    counts : AggregateCounts
        The new places are the squares that hold the centre of an old place.
    truth : int32 ndarray (n_users, n_slots)
        Square of each user in each slot.

    Raises
    ------
    ConfigError
        ``metres`` is not a positive number.

    Examples
    --------
    >>> from fpanon_core import FingerprintSet, aggregate_counts
    >>> fs = FingerprintSet.from_samples([1, 2], [0, 300], [0, 0], [0, 0])
    >>> counts, truth = coarsen(*aggregate_counts(fs), metres=1000)
    >>> counts.counts.tolist(), truth.tolist()
    ([[2]], [[0], [0]])
    """
    squares, merged = squares_of(counts, metres)
    order = np.argsort(merged, kind="stable")
    begins = offsets_of(np.bincount(merged))[:-1]  # no square is empty
    side = np.full(len(squares), float(metres))
    x_m, y_m = np.ascontiguousarray(squares.T, np.float64) * metres
    added = sparse_of(
        np.add.reduceat(counts.block(some)[:, order], begins, axis=1, dtype=np.int64)
        for some in counts.pieces()
    )
    coarse = replace(
        counts, counts=cast(IntArray, added), x_m=x_m, y_m=y_m, dx_m=side, dy_m=side, frame=None
    )
    return coarse, merged.astype(np.int32)[truth]


def squares_of(counts: AggregateCounts, metres: float) -> tuple[IntArray, IntArray]:
    """Return the column and row of each square holding a place's centre, and each place's square.

    Returns
    -------
    int64 ndarray (n_squares, 2), int64 ndarray (n_places,)

    Raises
    ------
    ConfigError
        ``metres``, the side of a square, is not a positive number.
    """
    metres = positive("metres", metres)
    cells = np.floor(counts.centres / metres).astype(np.int64)
    squares, merged = np.unique(cells, axis=0, return_inverse=True)
    return squares, merged.reshape(-1)


def suppress_small(counts: AggregateCounts, limit: int = 15) -> AggregateCounts:
    """Set counts below a limit to 0. A limit of 15 is customary.

    Published tables leave such counts blank; the attacker is assumed to read a blank as 0.

    Raises
    ------
    ConfigError
        The limit is not an integer of 1 or more.

    Examples
    --------
    >>> from fpanon_core import FingerprintSet, aggregate_counts
    >>> fs = FingerprintSet.from_samples([1, 2, 3], [0, 0, 300], [0] * 3, [0] * 3)
    >>> suppress_small(aggregate_counts(fs)[0], limit=2).counts.tolist()
    [[2, 0]]
    """
    limit = whole("limit", limit, 1)
    return counts.with_blocks(
        np.where(block < limit, 0, block) for block in map(counts.block, counts.pieces())
    )


def noise_at_frequent(
    counts: AggregateCounts,
    truth: SmallInts,
    *,
    share: float = 0.2,
    neighbours: int = 5,
    seed: int = 0,
) -> AggregateCounts:
    """Move a share of the points at people's most frequent places to nearby places.

    Xu et al. 2017, §6.1, add noise "at each mobile user's most frequent locations to make their
    trajectories less regular". Every point of a user at the user's most frequent place moves with
    probability ``share``. It goes to one of the ``neighbours`` nearest other places, each equally
    likely. Ties for the most frequent place go to the lower place number. Totals do not change.

    Parameters
    ----------
    counts : AggregateCounts
    truth : int32 ndarray (n_users, n_slots)
        Place of each user in each slot, with gaps filled in; the operator knows these places.
    share : float
        Probability, in [0, 1], that a point at the user's most frequent place moves.
    neighbours : int
        Number of places to choose from, 1 or more; all other places if these are fewer.
    seed : int

    Returns
    -------
    AggregateCounts

    Raises
    ------
    ConfigError
        A parameter is out of its range.
    InfeasibleError
        There is only one place.
    """
    moving = share_of("share", share)
    neighbours = whole("neighbours", neighbours, 1)
    if counts.n_places < 2:
        raise InfeasibleError("There is only one place, so no point can be moved to another.")
    rng = np.random.default_rng(whole("seed", seed, 0))
    near = _neighbours(counts, min(neighbours, counts.n_places - 1))
    users, slots = _moved(truth, counts.n_places, moving, rng)
    homes = truth[users, slots]
    goals = near[homes, rng.integers(0, near.shape[1], len(homes))]
    order = np.argsort(slots, kind="stable")
    homes, goals = homes[order], goals[order]
    begins = offsets_of(np.bincount(slots, minlength=counts.n_slots))
    slots = slots[order]

    def noisy(some: slice) -> IntArray:
        block = counts.block(some).astype(np.int64)
        of = slice(int(begins[some.start]), int(begins[some.stop]))
        np.subtract.at(block, (slots[of] - some.start, homes[of]), 1)
        np.add.at(block, (slots[of] - some.start, goals[of]), 1)
        return block

    return counts.with_blocks(map(noisy, counts.pieces()))


def _moved(
    truth: SmallInts, places: int, share: float, rng: np.random.Generator
) -> tuple[SmallInts, SmallInts]:
    """Return the user and slot of each point moved away from a person's most frequent place."""
    users, slots = [], []
    for some in pieces_of_rows(*truth.shape):
        part = truth[some]
        user, slot = np.nonzero(part == _most_frequent(part, places)[:, None])
        moved = rng.random(len(user)) < share
        users.append((user[moved] + some.start).astype(np.int32))
        slots.append(slot[moved].astype(np.int32))
    return np.concatenate(users), np.concatenate(slots)


def _most_frequent(truth: SmallInts, places: int) -> IntArray:
    """Return each user's most frequent place; ties go to the lower number."""
    home = np.empty(len(truth), np.int64)
    for user, row in enumerate(truth):
        home[user] = np.bincount(row, minlength=places).argmax()
    return home


def _neighbours(counts: AggregateCounts, many: int) -> IntArray:
    """Return the other places nearest to each place, (n_places, many)."""
    xy = counts.centres
    _, near = cKDTree(xy).query(xy, many + 1)
    # The nearest place is the place itself, unless another has the same centre.
    own = near == np.arange(len(xy))[:, None]
    own[~own.any(axis=1), -1] = True
    others: IntArray = near[~own].reshape(len(xy), many)
    return others


# --- private counts -------------------------------------------------------------------------------

_READ_AGAIN = " Read the data with a stated centre: read_cdr(..., centre=(lat, lon))."
_AT_ONCE = 1 << 14  # counts given to OpenDP at a time, as a list of Python's numbers


def privacy_guarantee(
    counts: AggregateCounts, epsilon: float, unit: Unit = "user-slot"
) -> PrivacyGuarantee:
    """Return the noise that ε requires for the counts; refuse counts that allow no guarantee.

    Raises
    ------
    ConfigError
        A parameter is out of its range, or the counts allow no guarantee. Counts allow none if they
        have no stated frame, stand for merged data, or are filled in although the unit is one slot.
        A guarantee is also impossible if the records determined how they were read.

    Examples
    --------
    >>> from fpanon_core import CountsFrame, FingerprintSet, StatedArea, StatedPeriod
    >>> from fpanon_core import aggregate_counts
    >>> fs = FingerprintSet.from_samples([1, 1], [0, 0], [0, 0], [0, 1439])
    >>> area = StatedArea(0, 0, 1_000, 1_000, "metres")
    >>> frame = CountsFrame.of_area(area, 500, StatedPeriod(None, 1, 60))
    >>> counts, _ = aggregate_counts(fs, frame=frame, filled_in=False)
    >>> one, person = (privacy_guarantee(counts, 0.5, unit) for unit in ("user-slot", "user"))
    >>> (one.scale, one.epsilon_all), (person.scale, person.epsilon_all)
    ((4.0, 12.0), (96.0, 0.5))
    """
    epsilon = positive("epsilon", epsilon)
    one_of("The unit of protection", unit, UNITS)
    if counts.frame is None:
        raise ConfigError(
            "Private counts need stated places and a stated period (a frame). If these are taken "
            "from the events, one record can add a place or a slot, and no noise hides that."
        )
    if counts.of_records:
        raise ConfigError(
            f"No privacy guarantee is possible for these counts. {counts.of_records}"
            + (_READ_AGAIN if counts.of_records == UNSTATED_CENTRE else "")
        )
    if counts.heaviest > 1:
        raise ConfigError(
            "Some fingerprints stand for several people, so one person's records may affect the "
            "counts of all these people; make private counts from the unmerged data."
        )
    if unit == "user-slot" and counts.filled_in:
        raise ConfigError(
            "Gaps are filled in, so one record can affect many slots: no guarantee for a single "
            "slot would hold. Count recorded samples only, or protect all of a person's records."
        )
    sensitivity = sensitivity_of(counts.n_slots, unit)
    return PrivacyGuarantee(epsilon, unit, sensitivity, sensitivity / epsilon, counts.n_slots)


def sensitivity_of(n_slots: int, unit: Unit) -> int:
    """Return the largest total change of all counts over a stated frame when one unit changes."""
    return 2 * (n_slots if unit == "user" else 1)


def dp_counts(
    counts: AggregateCounts, epsilon: float, unit: Unit = "user-slot", *, progress: Progress = None
) -> AggregateCounts:
    """Make counts differentially private; the module docstring says what is protected.

    The noise comes from OpenDP's own source of randomness, which takes no seed: anyone who knew the
    seed could subtract the noise. So each run differs, and the ε values of published runs add up.
    Counts can be negative; setting negative counts to 0 makes totals too large.

    Parameters
    ----------
    counts : AggregateCounts
        Counts over a stated frame.
    epsilon : float
        Above 0; a smaller ε protects more.
    unit : {"user-slot", "user"}
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    AggregateCounts

    Raises
    ------
    ConfigError
        A parameter is out of its range, or these counts allow no guarantee: see
        :func:`privacy_guarantee`.
    """
    guarantee = privacy_guarantee(counts, epsilon, unit)
    flat = counts.counts.astype(np.int64).ravel()
    noisy = with_noise(flat, guarantee.sensitivity, guarantee.epsilon, progress=progress)
    # No digest of the data, because it would confirm a correct guess at them.
    return replace(counts, counts=noisy.reshape(counts.counts.shape), digest="")


def studied_noise(counts: AggregateCounts, scale: float, seed: int) -> IntArray:
    """Return counts with discrete Laplace noise from a seed: for studies of attacks only.

    Never publish these counts: anyone who knows the seed can subtract the noise. A draw is the
    difference of two geometric draws.

    Parameters
    ----------
    counts : AggregateCounts
    scale : float
        Scale of the noise, in people.
    seed : int

    Returns
    -------
    int64 ndarray (n_slots, n_places)

    Raises
    ------
    ConfigError
        The scale is not a positive number, or the seed is not an integer of 0 or more.
    """
    rng = np.random.default_rng(whole("seed", seed, 0))
    stop = -math.expm1(-1.0 / positive("scale", scale))  # 1 − q, q = exp(−1/scale)
    noisy = np.empty((counts.n_slots, counts.n_places), np.int64)
    for slot, row in enumerate(noisy):  # slot by slot, to save memory
        row[:] = counts.of_slot(slot)
        row += rng.geometric(stop, len(row)) - rng.geometric(stop, len(row))
    return noisy


def with_noise(
    flat: IntArray, sensitivity: int, epsilon: float, *, progress: Progress = None
) -> IntArray:
    """Add OpenDP's discrete Laplace noise of scale sensitivity/ε to each whole number.

    Parameters
    ----------
    flat : int64 ndarray (n,)
    sensitivity : int
        Largest total change (L1) of all numbers when one unit of protection changes.
    epsilon : float
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    int64 ndarray (n,)

    Raises
    ------
    ConfigError
        No mechanism of OpenDP keeps to this ε.
    """
    mechanism = _mechanism(sensitivity, epsilon)
    noisy = np.empty_like(flat)
    firsts = range(0, len(flat), _AT_ONCE)

    # Noise is drawn for each number separately, so pieces are protected no less than the whole: a
    # piece's ε is proportional to its change, and the changes add up to the sensitivity at most.
    def drawn(first: int) -> None:
        noisy[first : first + _AT_ONCE] = mechanism(flat[first : first + _AT_ONCE])

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for done, _ in enumerate(pool.map(drawn, firsts), 1):
            tell(progress, done / len(firsts))
    return noisy


def _mechanism(sensitivity: int, epsilon: float) -> Any:
    """Return OpenDP's discrete Laplace mechanism, scaled to spend no more than the stated ε."""
    import opendp.prelude as dp  # here, because it takes seconds

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    scale = sensitivity / epsilon
    for _ in range(8):  # OpenDP rounds the ε spent upwards
        mechanism = dp.m.make_laplace(*space, scale=scale)
        spent = float(mechanism.map(sensitivity))  # type: ignore[no-untyped-call]
        if spent <= epsilon:
            return mechanism
        scale = math.nextafter(scale, math.inf)
    raise ConfigError(
        f"epsilon = {epsilon:g} cannot be kept: the mechanism would spend {spent:g}; "
        "choose another value."
    )

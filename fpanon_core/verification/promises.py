"""What must always hold of published records, whoever made them.

Source: docs/science.md, “Hiding everyone: GLOVE”, “What is verified”.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ..kernels.verify_cover import covered_samples, people_in_cells
from ..model.arrays import BoolArray, FloatArray, IntArray
from ..model.fingerprints import FingerprintSet
from .claim import SLACK, Claim, rectangles, some_users, stretches
from .faults import Faults

Spans = Callable[[slice, slice, FloatArray, FloatArray], object]
"""Is given some of the users, the rows of their samples, and of each of these samples the largest
(dx + dy)/2 of the cells that hold it, metres, and their length, minutes; NaN of those gone."""


@dataclass
class Held:
    """Which original samples are held by what is published of their user, and how.

    Attributes
    ----------
    gone : bool ndarray (n_samples,)
        Those that are not published, as listed; where there is no list, those not held.
    people : int64 ndarray (n_cells,)
        People of its class with a sample in each cell.
    phantom_share : float
        Of all (record, cell) pairs, those in which the person has no sample.
    """

    gone: BoolArray
    people: IntArray
    phantom_share: float


def check_cells(claim: Claim, faults: Faults) -> bool:
    """Bounds are numbers, extents not negative, and no two cells of a record overlap in time.

    Whether the rest can be checked: not, where a bound is not a number.
    """
    sound = True
    for g in range(claim.n_classes):
        mine = claim.cells[claim.first[g] : claim.last[g]]
        label = int(claim.label[g])
        if len(mine) == 0:
            faults.add("empty fingerprint", "A published record has no samples.", group=label)
        elif not np.isfinite(mine).all():
            faults.add("not a number", "A published bound is not a number.", group=label)
            sound = False
        else:
            if (mine[:, 1::2] < mine[:, ::2]).any():
                text = "A published sample ends before it begins."
                faults.add("negative extent", text, group=label)
            if (mine[1:, 4] < np.maximum.accumulate(mine[:, 5])[:-1] - SLACK).any():
                text = "Two published samples of a record overlap in time."
                faults.add("overlap", text, group=label)
    return sound


def check_limits(
    claim: Claim, space_m: float | None, time_min: float | None, faults: Faults
) -> None:
    """No published cell is wider or longer than the limits stated."""
    cells = claim.cells
    side = ((cells[:, 1] - cells[:, 0]) + (cells[:, 3] - cells[:, 2])) / 2
    for over, what in (
        (side > (np.inf if space_m is None else space_m) + SLACK, "wider"),
        (cells[:, 5] - cells[:, 4] > (np.inf if time_min is None else time_min) + SLACK, "longer"),
    ):
        for _ in range(int(over.sum())):
            faults.add("limit", f"A published sample is {what} than the limit stated.")


def check_crowds(claim: Claim, faults: Faults) -> None:
    """Every group has k people, all alike, and k people share every published record.

    The latter is found from the records themselves, whatever the groups are called: the k-gap of
    what is published is 0.
    """
    size = _people(claim, faults)
    labels, which = np.unique(claim.label, return_inverse=True)
    faults.n_groups = len(labels)
    in_group = np.bincount(which, size, len(labels))
    kinds = np.bincount(which, minlength=len(labels))
    sharing = np.bincount(claim.content, size) if claim.n_classes else np.empty(0)
    for at, label in enumerate(labels.tolist()):
        if in_group[at] < faults.k:
            text = f"A group has {int(in_group[at])} people, fewer than {faults.k}."
            faults.add("group size", text, group=label)
        if kinds[at] > 1:
            text = "The members of a group are not all published alike."
            faults.add("unlike copies", text, group=label)
    for g in np.flatnonzero(sharing[claim.content] < faults.k).tolist():
        text = (
            f"Only {int(sharing[claim.content[g]])} people have the same published record; the "
            f"{faults.k}-gap is not 0."
        )
        faults.add("k-gap", text, group=int(claim.label[g]))


def _people(claim: Claim, faults: Faults) -> FloatArray:
    """People in each class: by weight where it is known whose the records are."""
    if claim.home is None:
        return claim.records.astype(float)
    inside, (row, come) = claim.home >= 0, claim.elsewhere.T
    weight = faults.original.weight[np.append(np.flatnonzero(inside), row)].astype(float)
    classes = np.append(claim.home[inside], come)
    return np.asarray(np.bincount(classes, weight, claim.n_classes), np.float64)


def check_coverage(
    claim: Claim,
    home: IntArray,
    listed: BoolArray | None,
    possible: tuple[IntArray, IntArray] | None,
    faults: Faults,
    tell: Spans | None = None,
) -> Held:
    """Every original sample is inside what is published of its user, or listed as left out.

    And none is listed that is published: where it is not known whose the records are, in whichever
    of the ``possible`` ones is the user's. Where there is no list, those not held are taken to be
    left out; how many may be is for the caller to check. How wide and long the cells are that hold
    each sample is told bit by bit, as many samples have far more of that than is kept of them.
    """
    fs = faults.original
    reach = claim.reach()
    covered = _covered(fs, home, claim, reach)
    user = fs.sample_user
    gone = ~covered if listed is None else listed
    if listed is not None:
        for s in np.flatnonzero(~covered & ~gone & (home >= 0)[user]).tolist():
            text = (
                "An original sample lies outside what is published of its user, and is not listed "
                "as left out."
            )
            faults.add(
                "uncovered sample",
                text,
                group=_label(claim, home, user[s]),
                user=int(user[s]),
                sample=s,
            )
        kept = _kept(fs, gone)
        for u in np.flatnonzero((home < 0) & (kept > 0)).tolist():
            text = (
                f"A user is not published, and {kept[u]} of the user's samples are not listed as "
                "left out."
            )
            faults.add("missing user", text, user=u)
        inside = covered & gone
        for now in _other_ways(home, possible):
            if not inside.any():
                break
            inside &= _covered(fs, now, claim, reach) | (now < 0)[user]
        for s in np.flatnonzero(inside).tolist():
            text = "A sample is listed as left out and lies inside what is published of its user."
            faults.add(
                "left out though published",
                text,
                group=_label(claim, home, user[s]),
                user=int(user[s]),
                sample=s,
            )
    people, pairs = np.zeros(len(claim.cells), np.int64), 0
    for users, rows, offsets, samples in stretches(fs):
        side, span = np.full((2, len(samples)), np.nan)
        of_these, more = people_in_cells(
            offsets,
            samples,
            covered[rows] & ~gone[rows],
            home[users],
            fs.weight[users],
            claim.cells,
            reach,
            claim.first,
            claim.last,
            SLACK,
            side,
            span,
        )
        if tell is not None:
            tell(users, rows, side, span)
        people += of_these
        pairs += more
    published = home[home >= 0]
    copies = int((claim.last - claim.first)[published].sum())
    return Held(gone, people, 1.0 - pairs / copies if copies else 0.0)


def _covered(fs: FingerprintSet, home: IntArray, claim: Claim, reach: FloatArray) -> BoolArray:
    """Which samples lie inside the cells of their user's class."""
    found = [
        covered_samples(
            offsets, samples, home[users], claim.cells, reach, claim.first, claim.last, SLACK
        )
        for users, _, offsets, samples in stretches(fs)
    ]
    return np.concatenate(found)


def _kept(fs: FingerprintSet, gone: BoolArray) -> IntArray:
    """How many samples of each user are not gone."""
    kept = np.zeros(fs.n_users, np.int64)
    for users, rows in some_users(fs):
        inside = fs.sample_user[rows][~gone[rows]] - users.start
        kept[users] = np.bincount(inside, minlength=users.stop - users.start)
    return kept


def _label(claim: Claim, home: IntArray, user: int) -> int:
    return int(claim.label[home[user]]) if home[user] >= 0 else -1


def check_samples_of_k(
    claim: Claim,
    home: IntArray,
    held: Held,
    limited: bool,
    possible: tuple[IntArray, IntArray] | None,
    faults: Faults,
) -> None:
    """Each group has k people with a sample in it; under limits, so has every published cell.

    Where it is not known whose the records are, the pairs of users and classes that are
    ``possible`` are looked at: a group, or a cell, is at fault only where all of whom it may be
    are too few. With the key it is known.
    """
    fs = faults.original
    left = _kept(fs, held.gone) > 0
    present = left & (home >= 0)
    labels, which = np.unique(claim.label, return_inverse=True)
    people = np.bincount(which[home[present]], fs.weight[present], minlength=len(labels))
    in_cells = held.people
    if possible is not None:
        in_cells, in_classes = _possible(claim, home, held, possible, faults)
        people = people + np.bincount(which, in_classes, minlength=len(labels))
    for at in np.flatnonzero(people < faults.k).tolist():
        text = (
            f"A group has {int(people[at])} people with a sample in what is published, fewer than "
            f"{faults.k}."
        )
        faults.add("people with a sample", text, group=int(labels[at]))
    if possible is None:
        for u in np.flatnonzero((home >= 0) & ~left).tolist():
            text = "A person of whose samples none is published has a record all the same."
            faults.add("people with a sample", text, group=_label(claim, home, u), user=u)
    if not limited:
        return
    of = np.repeat(np.arange(claim.n_classes), claim.last - claim.first)
    for c in np.flatnonzero(in_cells < faults.k).tolist():
        text = (
            f"A published sample holds samples of {in_cells[c]} people, fewer than {faults.k}, "
            "and the release keeps limits."
        )
        faults.add("sample of too few", text, group=int(claim.label[of[c]]))


def _possible(
    claim: Claim, home: IntArray, held: Held, possible: tuple[IntArray, IntArray], faults: Faults
) -> tuple[IntArray, IntArray]:
    """People of whom each cell may hold a sample; of each class, those besides the ones given it.

    The ways are gone through until there are enough.
    """
    fs = faults.original
    samples, reach = rectangles(fs), claim.reach()
    cells, classes = held.people.copy(), np.zeros(claim.n_classes, np.int64)
    for now in _other_ways(home, possible):
        if (cells >= faults.k).all() and (classes >= faults.k).all():
            break
        covered = covered_samples(
            fs.offsets, samples, now, claim.cells, reach, claim.first, claim.last, SLACK
        )
        spans = np.empty(fs.n_samples), np.empty(fs.n_samples)
        found, _ = people_in_cells(
            fs.offsets,
            samples,
            covered,
            now,
            fs.weight,
            claim.cells,
            reach,
            claim.first,
            claim.last,
            SLACK,
            *spans,
        )
        cells += found
        inside = _kept(fs, ~covered) > 0
        classes += np.bincount(now[inside], fs.weight[inside], claim.n_classes).astype(np.int64)
    return cells, classes


def _other_ways(home: IntArray, possible: tuple[IntArray, IntArray] | None) -> Iterator[IntArray]:
    """Classes that may be the users' besides the ones given them, one for each user at a time."""
    if possible is None:
        return
    user, kind = possible
    others = kind != home[user]
    order = np.lexsort((kind[others], user[others]))
    user, kind = user[others][order], kind[others][order]
    turn = np.arange(len(user)) - np.searchsorted(user, user)
    for way in range(int(turn.max(initial=-1)) + 1):
        now = np.full(len(home), -1, np.int64)
        now[user[turn == way]] = kind[turn == way]
        yield now

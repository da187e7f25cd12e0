"""Properties that must always hold for published records, whatever made them.

Source: docs/science.md, “Hiding everyone: GLOVE”, “What is verified”.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..kernels.verify_cover import SLACK, People, covered_samples, people_in_cells
from ..model.arrays import BoolArray, FloatArray, IntArray
from ..model.fingerprints import FingerprintSet
from .faults import Claim, Faults, stretches
from .fitting import Fit, fit


@dataclass
class Checked:
    """Coverage of the original samples by the published records of their users.

    Attributes
    ----------
    home : int64 ndarray (n_users,)
        Class of each original user; −1 = the user has no published record.
    certain : bool
        Whether this is the only possible assignment of records to users.
    closest : bool
        Whether no other assignment has more cells that hold a sample of the assigned person, so
        that ``phantom_share`` is the smallest possible.
    gone : bool ndarray (n_samples,)
        Samples listed as not published; without a list, the samples that are not covered.
    people : int64 ndarray (n_cells,)
        Number of people of the cell's class with a sample in the cell.
    phantom_share : float
        Share of all (record, cell) pairs that are false presence: the person has no sample there.
    side_m, span_min : float64 ndarray (n_samples,)
        Largest (dx + dy)/2, and total length, of the cells that hold each sample; NaN for samples
        that are gone or not covered.
    """

    home: IntArray
    certain: bool
    closest: bool
    gone: BoolArray
    people: IntArray
    phantom_share: float
    side_m: FloatArray
    span_min: FloatArray


def check_claim(
    claim: Claim, listed: BoolArray | None, may_miss: int, limited: bool, faults: Faults
) -> Checked | None:
    """Check all that must hold for the records themselves.

    Return how they cover the original samples, or None, with a fault, if that cannot be found.

    Parameters
    ----------
    claim : Claim
    listed : bool ndarray (n_samples,) or None
        Original samples listed as left out; None without a list.
    may_miss : int
        Without a list: the stated number of samples left out.
    limited : bool
        Whether there are suppression thresholds, so that every published sample must hold samples
        of at least k people.
    faults : Faults
    """
    if not check_cells(claim, faults):
        return None
    check_crowds(claim, faults)
    if faults.cut is not None:
        claim = faults.hold_apart(claim, faults.check_groups(claim))
    none = np.empty(0, np.int64)
    found = None if claim.home is None else Fit(claim.home, True, True, none, none)
    if found is None and (found := fit(claim, listed, may_miss, faults)) is None:
        return None
    checked = _coverage(claim, found, listed, faults)
    gone = int(checked.gone.sum())
    if listed is None and gone > may_miss:
        text = (
            f"Original samples outside their person's published record: {gone}; stated to be left "
            f"out: {may_miss}."
        )
        faults.add("uncovered sample", text)
    _check_samples_of_k(claim, found, checked, limited, faults)
    return checked


def check_cells(claim: Claim, faults: Faults) -> bool:
    """Check that bounds are numbers, no extent is negative, and no record's cells overlap in time.

    Return whether the rest can be checked: False if a bound is not a number.
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
    """Check that no published cell is wider or longer than the stated thresholds."""
    limits = (space_m, time_min)
    for extent, limit, what in zip(claim.extents, limits, ("wider", "longer"), strict=True):
        beyond = 0 if limit is None else int((extent > limit + SLACK).sum())
        faults.add("limit", f"A published sample is {what} than the limit stated.", times=beyond)


def check_crowds(claim: Claim, faults: Faults) -> None:
    """Check that each group has at least k people, all with the same record.

    Also check that at least k people share each record, whatever the group numbers: the k-gap of
    the published records must be 0.
    """
    size = _people(claim, faults)
    labels, which = np.unique(claim.label, return_inverse=True)
    faults.n_groups = len(labels)
    in_group = np.bincount(which, size, len(labels))
    kinds = np.bincount(which, minlength=len(labels))
    sharing = np.bincount(claim.content, size) if claim.n_classes else np.empty(0)
    for at, label in enumerate(labels.tolist()):
        if in_group[at] < faults.k:
            text = f"A group has fewer than {faults.k} people: {int(in_group[at])}."
            faults.add("group size", text, group=label)
        if kinds[at] > 1:
            text = "The members of a group are not all published alike."
            faults.add("unlike copies", text, group=label)
    for g in np.flatnonzero(sharing[claim.content] < faults.k).tolist():
        text = (
            f"Too few people ({int(sharing[claim.content[g]])}) have the same published record; "
            f"the {faults.k}-gap is not 0."
        )
        faults.add("k-gap", text, group=int(claim.label[g]))


def _people(claim: Claim, faults: Faults) -> FloatArray:
    """Return the number of people in each class, by weight if the records' owners are known."""
    if claim.home is None:
        return claim.records.astype(float)
    inside, (row, come) = claim.home >= 0, claim.elsewhere.T
    weight = faults.original.weight[np.append(np.flatnonzero(inside), row)].astype(float)
    classes = np.append(claim.home[inside], come)
    return np.asarray(np.bincount(classes, weight, claim.n_classes), np.float64)


def _coverage(claim: Claim, found: Fit, listed: BoolArray | None, faults: Faults) -> Checked:
    """Check that each original sample is inside its user's published record or listed as left out.

    Check also that no listed sample is published. If the owners of records are unknown, a listed
    sample is at fault only if every possible record of the user holds it. Without a list, samples
    that are not covered count as left out; the caller checks how many there may be.
    """
    fs, home = faults.original, found.home
    covered = _covered(fs, home, claim)
    gone = ~covered if listed is None else listed
    if listed is not None:
        user = fs.sample_user
        kept = _kept(fs, gone)
        for u in np.flatnonzero((home < 0) & (kept > 0)).tolist():
            text = (
                "A person is not published, but not all of the person's samples are listed as left "
                f"out (missing: {kept[u]})."
            )
            faults.add("missing user", text, user=u)
        inside = covered & gone
        for now in _other_ways(found):
            if not inside.any():
                break
            inside &= _covered(fs, now, claim) | (now < 0)[user]
        for kind, which, text in (
            (
                "uncovered sample",
                ~covered & ~gone & (home >= 0)[user],
                "An original sample lies outside its person's published record, and is not "
                "listed as left out.",
            ),
            (
                "left out though published",
                inside,
                "A sample is listed as left out but lies inside its person's published record.",
            ),
        ):
            for s in np.flatnonzero(which).tolist():
                u = int(user[s])
                faults.add(kind, text, group=_label(claim, home, u), user=u, sample=s)
    people, pairs, side, span = _met(fs, covered & ~gone, home, claim)
    copies = int((claim.last - claim.first)[home[home >= 0]].sum())
    share = 1.0 - pairs / copies if copies else 0.0
    return Checked(home, found.only, found.closest, gone, people, share, side, span)


def _met(
    fs: FingerprintSet, covered: BoolArray, home: IntArray, claim: Claim
) -> tuple[IntArray, int, FloatArray, FloatArray]:
    """Return the number of people with a sample in each cell, the number of pairs, and extents.

    A pair is a user and a cell that holds a sample of the user. The extents, for each sample, are
    those of the cells that hold it: the largest (dx + dy)/2, and the total length.
    """
    people, pairs = np.zeros(len(claim.cells), np.int64), 0
    side, span = np.full((2, fs.n_samples), np.nan)
    for users, rows, offsets, samples in stretches(fs):
        some, out = People(offsets, samples, covered[rows]), (side[rows], span[rows])
        of_these, more = people_in_cells(some, home[users], fs.weight[users], claim.arrays, *out)
        people += of_these
        pairs += more
    return people, pairs, side, span


def _covered(fs: FingerprintSet, home: IntArray, claim: Claim) -> BoolArray:
    """Return which samples lie inside the cells of their user's class."""
    return np.concatenate(
        [
            covered_samples(offsets, samples, home[users], claim.arrays)
            for users, _, offsets, samples in stretches(fs)
        ]
    )


def _kept(fs: FingerprintSet, gone: BoolArray) -> IntArray:
    """Return how many samples of each user are published, that is, not gone."""
    return fs.lengths - np.add.reduceat(gone, fs.offsets[:-1], dtype=np.int64)


def _label(claim: Claim, home: IntArray, user: int) -> int:
    return int(claim.label[home[user]]) if home[user] >= 0 else -1


def _check_samples_of_k(
    claim: Claim, found: Fit, checked: Checked, limited: bool, faults: Faults
) -> None:
    """Check that each group (with thresholds, also each cell) has k people with a sample in it.

    Without the key, the owners of records are unknown, and all possible pairs of users and classes
    count. A group or a cell is then at fault only if all its possible people together are fewer
    than k.
    """
    fs, home = faults.original, found.home
    left = _kept(fs, checked.gone) > 0
    present = left & (home >= 0)
    labels, which = np.unique(claim.label, return_inverse=True)
    people = np.bincount(which[home[present]], fs.weight[present], minlength=len(labels))
    in_cells, in_classes = checked.people.copy(), np.zeros(claim.n_classes, np.int64)
    for now in _other_ways(found):  # until there are enough
        if (in_cells >= faults.k).all() and (in_classes >= faults.k).all():
            break
        covered = _covered(fs, now, claim)
        in_cells += _met(fs, covered, now, claim)[0]
        inside = _kept(fs, ~covered) > 0
        in_classes += np.bincount(now[inside], fs.weight[inside], claim.n_classes).astype(np.int64)
    people = people + np.bincount(which, in_classes, minlength=len(labels))
    for at in np.flatnonzero(people < faults.k).tolist():
        text = (
            f"A group has fewer than {faults.k} people with a sample in what is published: "
            f"{int(people[at])}."
        )
        faults.add("people with a sample", text, group=int(labels[at]))
    for u in np.flatnonzero((home >= 0) & ~left).tolist() if found.only else ():
        text = "A person has a record although none of the person's samples is published."
        faults.add("people with a sample", text, group=_label(claim, home, u), user=u)
    for c in np.flatnonzero(in_cells < faults.k).tolist() if limited else ():
        text = (
            f"A published sample holds samples of fewer than {faults.k} people ({in_cells[c]}), "
            "although samples seem to have been suppressed to keep limits."
        )
        faults.add("sample of too few", text, group=int(claim.label[claim.class_of_cell[c]]))


def _other_ways(found: Fit) -> Iterator[IntArray]:
    """Yield the other possible classes of the users, one per user at a time."""
    others = found.kind != found.home[found.user]
    user, kind = found.user[others], found.kind[others]
    order = np.lexsort((kind, user))
    user, kind = user[order], kind[order]
    turn = np.arange(len(user)) - np.searchsorted(user, user)
    for way in range(int(turn.max(initial=-1)) + 1):
        now = np.full(len(found.home), -1, np.int64)
        now[user[turn == way]] = kind[turn == way]
        yield now

"""Verification of GLOVE's promises from the data alone.

This module shares no code with GLOVE or with the writers of releases. It takes the original
fingerprints and the publication, and checks everything that must always hold. A result is checked
together with everything it states. A table is checked as a reader receives it: its pseudonyms
identify nobody unless the key is given.

An original sample must lie inside a published sample of its user. A cut in time may fall within an
original sample that is longer than the data's granularity. Such a sample must lie inside the
published samples it spans, without a gap. Positions and times may differ by a millionth of a metre
or minute, so that text written to that accuracy passes.

Source: docs/science.md, “Hiding everyone: GLOVE”, “What is verified”.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..model.arrays import BoolArray, FloatArray, IntArray
from ..model.checks import whole
from ..model.errors import SchemaError
from ..model.fingerprints import FingerprintSet
from ..model.glove import REASONS, GloveResult, Verification
from ..model.options import MOST_LEFT_OUT
from ..model.periods import PeriodSet
from ..model.published import GeneralizedFingerprintSet
from .faults import Claim, Faults, bounds_of, by_start, numbered
from .promises import Checked, check_claim, check_limits
from .records import KNOWN, Key, matched, records_of
from .secrecy import check_order, check_pseudonyms

_ABOUT_LIMITS = frozenset(REASONS) - {"left over", "hardest to hide", "period of fewer than k"}
_SLACK_SHARE = 1e-9


def verify_k_anonymity(
    original: FingerprintSet | GeneralizedFingerprintSet | PeriodSet,
    result: GloveResult | pd.DataFrame,
    k: int,
    *,
    suppressed: pd.DataFrame | None = None,
    key: Key | None = None,
    period_days: int | None = None,
) -> Verification:
    """Check a release against the original data.

    Parameters
    ----------
    original : FingerprintSet, GeneralizedFingerprintSet or PeriodSet
        The data that GLOVE received. For a result in periods, give either the pieces or the whole
        fingerprints, which are then cut into periods. Row numbers in the violations refer to this
        argument.
    result : GloveResult or DataFrame
        A result, or its table (:meth:`GloveResult.to_frame`), for example read back from a file.
    k : int
        The promised k of k-anonymity.
    suppressed : DataFrame, optional
        For a table: the samples stated as suppressed, in columns ``sample`` (row number in the
        original set) and ``reason``. As a cross-check, ``user`` (row number) or ``user_id`` may be
        added. If a reason is a suppression threshold, or no reasons are given, every published
        sample must hold samples of k people. A result includes its own list.
    key : DataFrame, Series or mapping, optional
        For a table: the person behind each pseudonym, as columns ``pseudonym`` and ``user_id``, or
        as a mapping from pseudonyms to ids. Without it, at least one assignment of records to users
        must keep every promise. For a release in periods checked against whole fingerprints, a
        column ``period`` (number) may be added.
    period_days : int, optional
        For a table of a release in periods, checked against whole fingerprints: days in a period.

    Returns
    -------
    Verification

    Raises
    ------
    ConfigError
        k is not an integer of 2 or more, or ``period_days`` is neither None nor an integer of 1 or
        more.
    SchemaError
        A table lacks a column, or has one of another type.

    Examples
    --------
    >>> from fpanon_core import glove
    >>> fs = FingerprintSet.from_samples([1, 2, 3], [0, 300, 0], [0, 0, 0], [0, 3, 483])
    >>> result = glove(fs, 2)
    >>> verify_k_anonymity(fs, result, 2).passed, verify_k_anonymity(fs, result, 4).passed
    (True, False)
    """
    whole("k", k, 2)
    if isinstance(original, GeneralizedFingerprintSet):
        original = original.fingerprints()
    days = result.period_days if isinstance(result, GloveResult) else period_days
    if days is not None:
        days = whole("period_days", days, 1)
    faults = Faults(original, int(k), days)
    if isinstance(result, GloveResult):
        _check_result(result, faults)
    else:
        records = records_of(result, faults)
        check_pseudonyms(records, faults)
        known = set(result.columns) <= KNOWN
        faults.check(known, "columns", "The table has columns that no release has.")
        whose = None if key is None else matched(records, key, faults)
        listed = None if suppressed is None else listed_samples(suppressed, faults, of_whole=True)
        limited = suppressed is not None and _says_limits(suppressed)
        checked = check_claim(records.claim, listed, 0, limited, faults)
        if checked is not None:
            check_order(records, whose, checked.home, faults)
    return faults.verdict()


def _check_result(result: GloveResult, faults: Faults) -> None:
    if not _same_pieces(result, faults):
        return
    claim = _claim_of(result, faults)
    if claim is None:
        return
    stated = result.suppressed
    _check_left_out(result, faults)
    listed = listed_samples(stated, faults)
    known = set(stated.get("reason", ())) <= set(REASONS)
    faults.check(known, "reason", "A sample is listed as suppressed for an unknown reason.")
    limits = result.suppress_space_m, result.suppress_time_min
    check_limits(claim, *limits, faults)
    limited = any(limit is not None for limit in limits) or _says_limits(stated)
    asked = faults.k
    faults.k = max(asked, result.k)  # a promise beyond what was asked must be kept, too
    checked = check_claim(claim, listed, 0, limited, faults)
    faults.k = asked
    if checked is not None:
        _check_figures(result, checked, faults)


def _check_figures(result: GloveResult, checked: Checked, faults: Faults) -> None:
    """Check the share of false presence and the accuracy, from the cells that hold the samples."""
    fs, table = faults.original, result.accuracy
    close = abs(result.phantom_share - checked.phantom_share) <= _SLACK_SHARE
    text = f"The share of false presence is {checked.phantom_share:.6f}, not as stated."
    faults.check(close, "phantom share", text)
    due = {
        "user": fs.sample_user,
        "sample": np.arange(fs.n_samples),
        "group": np.asarray(result.group)[fs.sample_user],
        "space_m": checked.side_m,
        "time_min": checked.span_min,
    }
    if len(table) != fs.n_samples or not due.keys() <= set(table.columns):
        faults.add("accuracy", "The accuracy is not stated for every original sample.")
        return
    off = np.zeros(fs.n_samples, bool)
    for name, values in due.items():
        stated = table[name].to_numpy(np.float64)
        off |= ~np.isclose(stated, values, rtol=0, atol=1e-5, equal_nan=True)
    text = f"Samples whose accuracy is not as stated: {int(off.sum())}."
    faults.check(not off.any(), "accuracy", text)


def _says_limits(stated: pd.DataFrame) -> bool:
    """Return whether suppressed samples imply thresholds; without reasons, any sample does."""
    if "reason" not in stated.columns:
        return len(stated) > 0
    return bool(set(stated["reason"]) & _ABOUT_LIMITS)


def listed_samples(stated: pd.DataFrame, faults: Faults, *, of_whole: bool = False) -> BoolArray:
    """Return a mask of the original samples that are listed as left out.

    Parameters
    ----------
    stated : DataFrame
        Column ``sample`` (row number in the original); ``user`` or ``user_id`` as a cross-check.
    faults : Faults
    of_whole : bool
        Whether row numbers refer to the given whole original, if it is checked in pieces.

    Raises
    ------
    SchemaError
        The list has no column ``sample`` of row numbers.
    """
    fs = faults.original
    gone = np.zeros(fs.n_samples, bool)
    if "sample" not in stated.columns:
        raise SchemaError("The list of suppressed samples has no column 'sample'.")
    try:
        rows = stated["sample"].to_numpy(np.int64)
    except (ValueError, TypeError, OverflowError):
        raise SchemaError(
            "An entry in the list of suppressed samples is not a row number."
        ) from None
    known = (rows >= 0) & (rows < fs.n_samples)
    if of_whole and faults.cut is not None and faults.of_whole:
        piece_row = np.empty(fs.n_samples, np.int64)
        assert faults.cut.sample is not None
        piece_row[faults.cut.sample] = np.arange(fs.n_samples)
        rows = np.where(known, piece_row[np.where(known, rows, 0)], rows)
    if "user" in stated.columns:
        known[known] = fs.sample_user[rows[known]] == stated["user"].to_numpy()[known]
    if "user_id" in stated.columns:
        ids = np.array([str(user_id) for user_id in fs.user_ids.tolist()], dtype=object)
        whose = stated["user_id"].astype(str).to_numpy(object)
        known[known] = ids[fs.sample_user[rows[known]]] == whose[known]
    text = (
        "Samples listed as suppressed that are not in the original, or belong to another person: "
        f"{int((~known).sum())}."
    )
    faults.check(known.all(), "unknown suppressed sample", text)
    gone[rows[known]] = True
    once = int(known.sum()) == int(gone.sum())
    faults.check(once, "listed twice", "A sample is listed as suppressed more than once.")
    return gone


# --- what a result says about itself --------------------------------------------------------------


def _same_pieces(result: GloveResult, faults: Faults) -> bool:
    """Return whether a result in periods has the original's pieces; adopt the result's order.

    A result that treats pieces as whole fingerprints is refused: it may hide a person among the
    person's own pieces.
    """
    if faults.cut is None:
        return True
    person, period = result.person, result.period
    if result.period_days is None or person is None or period is None:
        faults.add("period", "The original is in periods, but the result does not keep them apart.")
        return False
    if faults.of_whole:
        same = faults.put_in_order(np.asarray(person), np.asarray(period))
    else:
        same = np.array_equal(person, faults.cut.person)
        same &= np.array_equal(period, faults.cut.period)
    text = "The pieces of the result do not match those of the original, one by one."
    faults.check(same, "period", text)
    return same


def _claim_of(result: GloveResult, faults: Faults) -> Claim | None:
    """Return the claim of a result, or None, with a fault, if it cannot be checked."""
    p = result.published
    original = faults.original
    group = np.asarray(result.group, np.int64)
    if len(group) != original.n_users:
        text = f"The result has {len(group)} people, but the original has {original.n_users}."
        faults.add("missing user", text)
        return None
    if len(group) and not (group.min() >= -1 and group.max() < p.n_groups):
        faults.add("unknown group", "A person is in a group without a published record.")
        return None
    _said_of_itself(result, faults)
    members = np.zeros(p.n_groups, np.int64)
    np.add.at(members, group[group >= 0], original.weight[group >= 0])
    for g in np.flatnonzero(members != p.n_users).tolist():
        text = f"Group {g} is said to have {p.n_users[g]} people, but has {members[g]}."
        faults.add("group size", text, group=g)
    cells, offsets = bounds_of(p), np.asarray(p.offsets)
    for g in range(p.n_groups):
        cells[p.rows_of(g)] = by_start(cells[p.rows_of(g)])
    return Claim(
        cells=cells,
        first=offsets[:-1],
        last=offsets[1:],
        label=np.arange(p.n_groups),
        content=numbered([cells[p.rows_of(g)] for g in range(p.n_groups)], {}),
        records=np.bincount(group[group >= 0], minlength=p.n_groups).astype(np.int64),
        home=group,
    )


def _said_of_itself(result: GloveResult, faults: Faults) -> None:
    """Check digest, pseudonyms, weights, projection, clock and granularity against the original."""
    original, p = faults.original, result.published
    # The names of pieces are random and part of their digest: pieces cut again have another one.
    same, number = result.digest == original.digest, original.number
    if faults.of_whole:
        same = result.whole_digest == faults.whole_digest
        number = np.arange(1, original.n_users + 1)
    faults.check(same, "digest", "The result was made from other data: its digest differs.")
    text = "The numbers behind the pseudonyms do not match those of the original, one by one."
    faults.check(np.array_equal(result.number, number), "pseudonym", text)
    text = "The weights of people are not those of the original."
    faults.check(np.array_equal(result.weight, original.weight), "weight", text)
    text = "The map projection is not that of the original."
    faults.check(p.crs == original.crs, "projection", text)
    text = "The first day or the time zone is not that of the original."
    faults.check(p.clock == original.clock, "clock", text)
    own, given = ((each.granularity_m, each.granularity_min) for each in (p, original))
    faults.check(own == given, "granularity", "The granularity is not that of the original.")
    text = f"The result was made for k = {result.k}, less than {faults.k}."
    faults.check(result.k >= faults.k, "stated k", text)


def _check_left_out(result: GloveResult, faults: Faults) -> None:
    """Check that thresholds, reasons and people left out or left over agree with the data.

    A reason may be a threshold only if that threshold is stated and the samples of the user's group
    together exceed it. Otherwise no cell of the group could exceed the threshold.
    """
    fs, group = faults.original, np.asarray(result.group)
    limits = [x for x in (result.suppress_space_m, result.suppress_time_min) if x is not None]
    period = faults.period
    people = np.bincount(period, fs.weight)
    left, ours = _known_users(result.left_over, fs)
    out, possible = _known_users(result.left_out, fs)
    most = int(np.bincount(period[left]).max(initial=0)) if ours else len(result.left_over)
    # If left-over people are merged, each shard has its own; else, those of all shards hide as one.
    # A shard has at least 10 crowds of k people, so a result cannot claim to have many shards.
    shards = min(int(result.shards), fs.n_users // (10 * max(result.k, 1)))
    shards = max(1, shards) if result.leftover == "merge" else 1
    share = result.leave_out
    sound = math.isfinite(share) and 0 <= share <= MOST_LEFT_OUT
    gone = np.bincount(period[out], fs.weight[out], len(people))
    twice = len(np.unique(left)) < len(left)
    text = "A stated limit or share, or the treatment of left-over people, is not valid."
    faults.check(all(math.isfinite(each) and each > 0 for each in limits), "limit", text)
    faults.check(result.leftover in ("merge", "suppress"), "left over", text)
    faults.check(sound, "left out", text)
    text = (
        "People said to be left over or left out are too many, are listed twice, or are not in the "
        "original."
    )
    few = -(-most // shards) < max(result.k, 1)
    faults.check(ours and not twice and few, "left over", text)
    few = not sound or (possible and bool((gone <= share * people + 1e-6).all()))
    faults.check(few, "left out", text)
    text = "A person said to be left over or left out is published, or is listed twice."
    unpublished = result.leftover != "suppress" or bool((group[left] < 0).all())
    faults.check(unpublished, "left over", text)
    unpublished = len(np.unique(out)) == len(out) and bool((group[out] < 0).all())
    faults.check(unpublished, "left out", text)
    _check_reasons(result, left, out, faults)


def _check_reasons(result: GloveResult, left: IntArray, out: IntArray, faults: Faults) -> None:
    """Check that the stated reasons of suppressed samples are possible."""
    fs, stated = faults.original, result.suppressed
    limits = {"space": result.suppress_space_m, "time": result.suppress_time_min}
    people = np.bincount(faults.period, fs.weight)[faults.period]  # in the period of each user
    if not {"user", "sample", "reason"} <= set(stated.columns):
        faults.add("reason", "The list of suppressed samples lacks person, sample or reason.")
        return
    user, _ = _known_users(stated["user"], fs)
    known = stated["user"].isin(range(fs.n_users)).to_numpy()
    of = pd.Series(user).groupby(stated["reason"].to_numpy(object)[known])
    by_reason = {str(reason): users.to_numpy() for reason, users in of}
    none = np.empty(0, np.int64)
    over, sparse = by_reason.get("left over", none), by_reason.get("period of fewer than k", none)
    hardest = by_reason.get("hardest to hide", none)
    wrong = {
        "as left over, but the people are not": len(over)
        and (result.leftover != "suppress" or not np.isin(over, left).all()),
        "as hardest to hide, but belong to other people than those left out": not np.array_equal(
            np.unique(hardest), np.unique(out)
        ),
        "as from a period with too few people, but there are enough": len(sparse)
        and (faults.cut is None or (people[sparse] >= result.k).any()),
        "as shared by too few people, but no limit is stated": "fewer than k" in by_reason
        and set(limits.values()) == {None},
    }
    for (what, limit), extent in zip(limits.items(), _extents(result, fs), strict=True):
        listed = [users for reason, users in by_reason.items() if what in str(reason).split()]
        users = np.concatenate([none, *listed])
        beyond = len(users) and (limit is None or (extent[users] <= limit).any())
        wrong[
            f"as beyond a limit in {what}, but no such limit is stated, or no cell could be "
            "beyond it"
        ] = beyond
    for text in [text for text, found in wrong.items() if found]:
        faults.add("reason", f"Samples are listed {text}.")


def _known_users(rows: npt.ArrayLike, fs: FingerprintSet) -> tuple[IntArray, bool]:
    """Return the values that are row numbers of the original, and whether all values are."""
    found = np.asarray(rows, np.int64)
    known = (found >= 0) & (found < fs.n_users)
    return found[known], bool(known.all())


def _extents(result: GloveResult, fs: FingerprintSet) -> tuple[FloatArray, FloatArray]:
    """Return side and span of the samples of each user's group; without a group, of all samples."""
    group = np.asarray(result.group, np.int64)
    of = np.where(group < 0, group.max(initial=-1) + 1, group)[fs.sample_user]
    ends = []
    for low, extent in ((fs.x_m, fs.dx_m), (fs.y_m, fs.dy_m), (fs.t_min, fs.dt_min)):
        first, last = np.full(of.max() + 1, np.inf), np.full(of.max() + 1, -np.inf)
        np.minimum.at(first, of, low)
        np.maximum.at(last, of, low + extent)
        width = last - first
        # A person in no group may have been in a group with anybody.
        ends.append(np.where(group < 0, (low + extent).max() - low.min(), width[group]))
    return (ends[0] + ends[1]) / 2, ends[2]

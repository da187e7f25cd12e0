"""Does a release keep what GLOVE promises? Checked anew, from the data alone.

Shares no code with GLOVE, nor with what writes releases. It takes the original fingerprints and
what is published, and looks at everything that must always hold. A result is checked with all that
it says of itself; a table as its reader has it, whose pseudonyms lead to nobody, unless the key is
given.

An original sample must lie inside a published sample of its user. Where cells were cut in time
within an original sample (which happens to samples longer than the data's granularity), it must lie
inside the published samples it reaches across, without a gap. Positions and times may differ by a
millionth of a metre, or minute: what is written as text to that accuracy must verify.

Source: docs/science.md, “Hiding everyone: GLOVE”, “What is verified”.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..model.arrays import BoolArray, FloatArray, IntArray
from ..model.checks import whole
from ..model.errors import SchemaError
from ..model.fingerprints import FingerprintSet
from ..model.glove import REASONS, GloveResult, Verification
from ..model.periods import PeriodSet
from ..model.published import GeneralizedFingerprintSet
from .claim import Claim
from .faults import Faults
from .fitting import fit
from .periods import apart, check_groups, faults_of, periods_of
from .promises import (
    Held,
    Spans,
    check_cells,
    check_coverage,
    check_crowds,
    check_limits,
    check_samples_of_k,
)
from .records import KNOWN, Key, matched, records_of
from .result import check_left_out, claim_of, same_pieces
from .secrecy import check_order, check_pseudonyms

_ABOUT_LIMITS = frozenset(REASONS) - {"left over", "hardest to hide", "period of fewer than k"}
_SLACK_SHARE = 1e-9


@dataclass
class Checked:
    """What came out while records were looked at.

    Attributes
    ----------
    home : int64 ndarray (n_users,)
        Class of each original user; −1 = nothing is published of the user.
    certain : bool
        Whether that is the only way to give the records to the users.
    closest : bool
        Whether in no other way people meet more cells, so that no phantom share is smaller.
    held : Held
    """

    home: IntArray
    certain: bool
    closest: bool
    held: Held


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
        What was hidden. Of a result in periods, either the pieces or the whole fingerprints, which
        are then cut anew; rows in the violations are those of what is given.
    result : GloveResult or DataFrame
        A result, or its table (:meth:`GloveResult.to_frame`), for example read back from a file.
    k : int
        The crowd that is promised.
    suppressed : DataFrame, optional
        With a table: the samples stated as suppressed, ``sample`` (row number in the original set)
        and, as a cross-check, ``user`` (row number) or ``user_id``; ``reason``. Where a reason is
        a limit, every published sample must hold samples of k people. A result brings its own.
    key : DataFrame, Series or mapping, optional
        With a table: whose the pseudonyms are; columns ``pseudonym`` and ``user_id``, or pseudonyms
        to ids. Without it, some way to give every user a record must keep every promise. Of a
        release in periods, given the whole fingerprints: ``period`` (number), too.
    period_days : int, optional
        With a table of a release in periods, and the whole fingerprints: days in a period.

    Returns
    -------
    Verification

    Raises
    ------
    ConfigError
        If k is not an integer of 2 or more.
    SchemaError
        If a column is missing from a table.

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
    faults = faults_of(original, int(k), days)
    if isinstance(result, GloveResult):
        _check_result(result, faults)
    else:
        records = records_of(result, faults)
        check_pseudonyms(records, faults)
        if set(result.columns) - KNOWN:
            faults.add("columns", "The table has columns that a release has not.")
        whose = None if key is None else matched(records, key, faults)
        listed = None if suppressed is None else listed_samples(suppressed, faults, of_whole=True)
        limited = suppressed is not None and _says_limits(suppressed)
        checked = check_claim(records.claim, listed, 0, limited, faults)
        if checked is not None:
            check_order(records, whose, checked.home, faults)
    return faults.verdict()


def _check_result(result: GloveResult, faults: Faults) -> None:
    if not same_pieces(result, faults):
        return
    claim = claim_of(result, faults)
    if claim is None:
        return
    stated = result.suppressed
    check_left_out(result, faults)
    listed = listed_samples(stated, faults)
    if set(stated.get("reason", ())) - set(REASONS):
        faults.add("reason", "A sample is listed as suppressed for a reason that is none.")
    limits = result.suppress_space_m, result.suppress_time_min
    check_limits(claim, *limits, faults)
    limited = any(limit is not None for limit in limits)
    asked = faults.k
    faults.k = max(asked, result.k)  # what it promises beyond what was asked must hold, too
    accuracy = _accuracy(result, faults)
    checked = check_claim(claim, listed, 0, limited or _says_limits(stated), faults, accuracy)
    faults.k = asked
    if checked is None:
        return
    held = checked.held
    if not abs(result.phantom_share - held.phantom_share) <= _SLACK_SHARE:
        text = f"The phantom share is {held.phantom_share:.6f}, not as stated."
        faults.add("phantom share", text)
    if accuracy is None:
        faults.add("accuracy", "The accuracy is not stated for every original sample.")
    elif accuracy.wrong:
        text = f"The accuracy of {accuracy.wrong} samples is not as stated."
        faults.add("accuracy", text)


def _accuracy(result: GloveResult, faults: Faults) -> _Accuracy | None:
    """To be told of the samples; None where not all are stated."""
    table = result.accuracy
    names = {"user", "sample", "group", "space_m", "time_min"}
    if len(table) != faults.original.n_samples or not names <= set(table.columns):
        return None
    return _Accuracy(faults.original, result)


class _Accuracy:
    """Whether the spans stated for every sample are those of the cells that hold it.

    Attributes
    ----------
    wrong : int
        Samples of which they are not.
    """

    def __init__(self, fs: FingerprintSet, result: GloveResult) -> None:
        self._table, self._group = result.accuracy, np.asarray(result.group)
        self._fs, self.wrong = fs, 0

    def __call__(self, users: slice, rows: slice, side: FloatArray, span: FloatArray) -> None:
        """Compare the samples of some users."""
        lengths = np.diff(self._fs.offsets)[users]
        user = np.repeat(np.arange(users.start, users.stop), lengths)
        expected = {
            "user": user,
            "sample": np.arange(rows.start, rows.stop),
            "group": self._group[user],
            "space_m": side,
            "time_min": span,
        }
        off = np.zeros(len(user), bool)
        for name, values in expected.items():
            stated = self._table[name].to_numpy()[rows].astype(np.float64)
            off |= ~np.isclose(stated, values, rtol=0, atol=1e-5, equal_nan=True)
        self.wrong += int(off.sum())


def check_claim(
    claim: Claim,
    listed: BoolArray | None,
    may_miss: int,
    limited: bool,
    faults: Faults,
    tell: Spans | None = None,
) -> Checked | None:
    """All that must hold of the records themselves.

    Parameters
    ----------
    claim : Claim
    listed : bool ndarray (n_samples,) or None
        Original samples listed as left out; None where there is no list.
    may_miss : int
        Without a list: how many are left out, as stated.
    limited : bool
        Whether limits are kept, so that every published sample must hold samples of k people.
    faults : Faults
    tell : callable, optional
        Told of the cells that hold each sample, as :data:`.promises.Spans` says.

    Returns
    -------
    Checked or None
        None where it could not be looked at.
    """
    if not check_cells(claim, faults):
        return None
    check_crowds(claim, faults)
    if faults.cut is not None:
        period = periods_of(claim, faults.cut.edges, faults)
        check_groups(claim, faults.cut, period, faults)
        claim, faults.original = apart(claim, faults.cut, period)
    home, only, closest = claim.home, True, True
    possible = None
    if home is None:
        found = fit(claim, listed, may_miss, faults)
        if found is None:
            return None
        home, only, closest = found.home, found.only, found.closest
        if not only:
            possible = found.user, found.kind
    held = check_coverage(claim, home, listed, possible, faults, tell)
    if listed is None and int(held.gone.sum()) > may_miss:
        text = (
            f"{int(held.gone.sum())} original samples lie outside what is published of their "
            f"users; {may_miss} are stated to be left out."
        )
        faults.add("uncovered sample", text)
    check_samples_of_k(claim, home, held, limited, possible, faults)
    return Checked(home, only, closest, held)


def _says_limits(stated: pd.DataFrame) -> bool:
    """Whether a list of suppressed samples says that limits were kept; without reasons, it may."""
    if "reason" not in stated.columns:
        return len(stated) > 0
    return bool(set(stated["reason"]) & _ABOUT_LIMITS)


def listed_samples(stated: pd.DataFrame, faults: Faults, *, of_whole: bool = False) -> BoolArray:
    """Mask of the original samples that are listed as left out.

    Parameters
    ----------
    stated : DataFrame
    faults : Faults
    of_whole : bool
        Whether rows are those of the original that was given, where it is checked in pieces.

    Raises
    ------
    SchemaError
        The list has no column ``sample`` of row numbers.
    """
    fs = faults.original
    gone = np.zeros(fs.n_samples, bool)
    if "sample" not in stated.columns:
        raise SchemaError("The list of suppressed samples lacks the column sample.")
    try:
        rows = stated["sample"].to_numpy(np.int64)
    except (ValueError, TypeError, OverflowError):
        raise SchemaError("A sample in the list of suppressed samples is no row number.") from None
    known = (rows >= 0) & (rows < fs.n_samples)
    if of_whole and faults.cut is not None and faults.of_whole:
        piece_row = np.empty(fs.n_samples, np.int64)
        piece_row[faults.cut.sample] = np.arange(fs.n_samples)
        rows = np.where(known, piece_row[np.where(known, rows, 0)], rows)
    if "user" in stated.columns:
        known[known] = fs.sample_user[rows[known]] == stated["user"].to_numpy()[known]
    if "user_id" in stated.columns:
        ids = np.array([str(user_id) for user_id in fs.user_ids.tolist()], dtype=object)
        whose = stated["user_id"].astype(str).to_numpy(object)
        known[known] = ids[fs.sample_user[rows[known]]] == whose[known]
    if not known.all():
        text = (
            f"{int((~known).sum())} samples listed as suppressed are not in the original, or "
            "another user's."
        )
        faults.add("unknown suppressed sample", text)
    gone[rows[known]] = True
    if int(known.sum()) > int(gone.sum()):
        faults.add("listed twice", "A sample is listed as suppressed more than once.")
    return gone

"""Checks that names, numbers and order in a release reveal nothing about the input.

Source: docs/science.md, “A release, as it leaves”.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections import Counter
from itertools import product

import numpy as np
from scipy.stats import rankdata  # type: ignore[import-untyped,unused-ignore]

from ..model.arrays import FloatArray, IntArray, TextArray
from .faults import Faults
from .records import Records

_CHANCE = 1e-6
_NORMAL = 4.891638475698590  # a standard normal is farther from 0 with probability 1e-6
_ENOUGH = 30  # records or groups; with fewer, no order can be told from chance
_PSEUDONYM = re.compile(r"[A-Z2-7]{16}")  # 80 random bits, as base32


def check_pseudonyms(records: Records, faults: Faults) -> None:
    """Check that pseudonyms are random texts: none is, contains or derives from an id."""
    fs = faults.original
    ids = {str(user_id) for user_id in fs.user_ids.tolist()}
    names = records.pseudonym
    running = set(fs.pseudonyms)
    odd = sum(_PSEUDONYM.fullmatch(name) is None for name in names)
    text = f"Pseudonyms that are not 16 random letters and digits: {odd}."
    faults.check(odd == 0, "pseudonym", text)
    same = sum(name in ids or name in running or not name for name in names)
    text = "A pseudonym equals an id or a running number in the original."
    faults.add("pseudonym", text, times=same)
    # Shorter ids occur in random names by chance, more often than once in a million releases.
    places = len(names) * max((len(name) for name in names), default=0) * len(ids)
    least = math.ceil(math.log(max(places, 1) / _CHANCE, 32))
    lengths = sorted({len(i) for i in ids if len(i) >= least})
    by_length = {len(name) for name in names if len(name) >= least}
    # All codes of many people together would not fit into memory; their pseudonyms do.
    bare = Counter(map(_bare, names))
    coded = {
        code[:n]
        for i in ids
        for code in _codes(i)
        for n in by_length
        if len(code) >= n and code[:n] in bare
    }
    text = "A pseudonym is computed from an id of the original."
    faults.add("pseudonym", text, times=sum(bare[code] for code in coded))
    held = sum(
        any(name[at : at + length] in ids for at in range(len(name) - length + 1))
        for name, length in product(names, lengths)
    )
    faults.add("pseudonym", "A pseudonym contains an id of the original.", times=held)


def _codes(user_id: str) -> list[str]:
    """Return common codes of an id, which an attacker can reverse by trying all possible ids."""
    plain = user_id.encode("utf-8", "surrogatepass")
    digests = [getattr(hashlib, of)(plain).digest() for of in ("md5", "sha1", "sha256")]
    coded = [base64.b64encode(of) for of in (plain, *digests)]
    coded += [base64.b32encode(of) for of in (plain, *digests)]
    return [_bare(of.decode()) for of in coded] + [of.hex() for of in (plain, *digests)]


def _bare(code: str) -> str:
    return code.rstrip("=").replace("-", "+").replace("_", "/").lower()


def check_groups_numbered(records: Records, faults: Faults) -> None:
    """Check that groups are numbered from 1 to the number of groups."""
    labels = np.unique(records.claim.label)
    consecutive = np.array_equal(labels, np.arange(1, len(labels) + 1))
    text = "The groups are not numbered from 1 to the number of groups."
    faults.check(consecutive, "group numbers", text)


def check_order(records: Records, whose: IntArray | None, home: IntArray, faults: Faults) -> None:
    """Check that pseudonyms, rows and group numbers do not follow the order of input or ids.

    The check uses rank correlation. Without the key (``whose`` is None), it compares groups,
    because the owners of a group's records are unknown.
    """
    fs, cut = faults.original, faults.cut
    by_id = np.array([str(user_id) for user_id in fs.user_ids.tolist()], dtype=object)
    rows = np.arange(fs.n_users) if cut is None else cut.person
    inputs = {"rows": rows.astype(float), "ids": _ranks_of_texts(by_id)}
    # Each period is checked alone, because an order within it may not show in the overall order.
    n_classes, labels = records.claim.n_classes, records.claim.label.astype(float)
    named = _ranks_of_texts(np.array(records.pseudonym, dtype=object))
    by_record = {"pseudonyms": named, "records": np.arange(len(named), dtype=float)}
    by_class = {what: _means(records.kind, each, n_classes) for what, each in by_record.items()}
    within, published = np.zeros(n_classes, np.int64), home >= 0
    if cut is not None:
        within = faults.periods_of(records.claim)
        _check_links(by_record, by_class | {"group numbers": labels}, whose, home, within, faults)
    for of, before in inputs.items():
        mean_before = _means(home[published], before[published], n_classes)
        first = np.full(n_classes, np.inf)
        np.minimum.at(first, home[published], before[published])
        pairs = [("group numbers", labels, each, within) for each in (mean_before, first)]
        for what, after in by_record.items():
            if whose is None:
                pairs.append((what, by_class[what], mean_before, within))
            else:
                known, at = whose >= 0, within[records.kind]
                pairs.append((what, after[known], before[whose[known]], at[known]))
        for what, after, ranks, strata in pairs:
            text = f"The {what} follow the order of the original's {of}."
            faults.check(not _ordered(after, ranks, strata), "order", text)


def _ranks_of_texts(texts: TextArray) -> FloatArray:
    numbers = np.unique(texts.astype(str), return_inverse=True)[1]
    return np.asarray(numbers, np.float64).reshape(-1)


def _means(of: IntArray, values: FloatArray, n: int) -> FloatArray:
    count = np.bincount(of, minlength=n)
    with np.errstate(invalid="ignore"):
        mean: FloatArray = np.bincount(of, values, n) / count
    return mean


def _check_links(
    by_record: dict[str, FloatArray],
    by_class: dict[str, FloatArray],
    whose: IntArray | None,
    home: IntArray,
    period: IntArray,
    faults: Faults,
) -> None:
    """Check that pseudonyms, rows and group numbers do not link a person's records of two periods.

    The check uses rank correlation over each person's records in one period and in the person's
    next period. Without the key, it compares classes, as in :func:`check_order`. Group numbers are
    always compared by class, since people of one group share one number.
    """
    cut = faults.cut
    assert cut is not None
    inside = np.flatnonzero(home >= 0)
    inside = inside[np.lexsort((cut.period[inside], cut.person[inside]))]
    same = cut.person[inside][1:] == cut.person[inside][:-1]
    one, other = inside[:-1][same], inside[1:][same]
    kinds = home[one]
    found = {
        what: (value, _means(kinds, value[home[other]], len(value)), period)
        for what, value in by_class.items()
    }
    if whose is not None:
        record = np.full(len(home), -1, np.int64)
        record[whose[whose >= 0]] = np.flatnonzero(whose >= 0)
        both = (record[one] >= 0) & (record[other] >= 0)
        a, b = record[one][both], record[other][both]
        # A person may skip a period, so only pairs of the same two periods are compared.
        step = cut.period[one] * (int(cut.period.max()) + 1) + cut.period[other]
        for what, value in by_record.items():
            found[what] = value[a], value[b], step[both]
    for what, (before, after, strata) in found.items():
        text = f"The {what} of two periods follow each other: they link a person's records."
        faults.check(not _ordered(before, after, strata), "order", text)


def _ordered(a: FloatArray, b: FloatArray, strata: IntArray) -> bool:
    """Return whether two orders agree or disagree more strongly than by chance (probability 1e-6).

    Each stratum is ranked separately, and the evidence is summed. For n values in random order with
    the rank correlation r, n·r has the variance n²/(n − 1).
    """
    known = np.isfinite(a) & np.isfinite(b)
    if int(known.sum()) < _ENOUGH:
        return False
    total = variance = 0.0
    for stratum in np.unique(strata[known]).tolist():
        mine = known & (strata == stratum)
        x, y = rankdata(a[mine]), rankdata(b[mine])
        spread = x.std() * y.std()
        if spread == 0:
            continue
        total += float(((x - x.mean()) * (y - y.mean())).sum() / spread)
        variance += len(x) ** 2 / (len(x) - 1)
    return variance > 0 and abs(total) > _NORMAL * math.sqrt(variance)

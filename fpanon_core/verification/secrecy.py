"""Do names, numbers and order in a release say anything about the input?

Source: docs/science.md, “A release, as it leaves”.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata  # type: ignore[import-untyped,unused-ignore]

from ..model.arrays import FloatArray, IntArray, TextArray
from ..model.fingerprints import FingerprintSet
from .faults import Faults
from .records import Records

_CHANCE = 1e-6
_NORMAL = 4.891638475698590  # a standard normal is farther from 0 with probability 1e-6
_ENOUGH = 30  # records, or groups: of fewer, no order can be told from chance
_WORD = re.compile(r"[\w@.+-]+", re.UNICODE)


def check_pseudonyms(records: Records, faults: Faults) -> None:
    """None is an id, or a running number, of the original, or contains an id."""
    fs = faults.original
    ids = ids_of(fs)
    names = records.pseudonym
    running = set(fs.pseudonyms)
    for name in names:
        if name in ids or name in running or not name:
            faults.add("pseudonym", "A pseudonym is an id or a running number of the original.")
    # Shorter ones are inside random names by chance, more often than once in a million releases.
    places = len(names) * max((len(name) for name in names), default=0) * len(ids)
    least = math.ceil(math.log(max(places, 1) / _CHANCE, 32))
    lengths = sorted({len(i) for i in ids if len(i) >= least})
    by_length = {len(name) for name in names if len(name) >= least}
    coded = {code[:n] for i in ids for code in _codes(i) for n in by_length if len(code) >= n}
    for name in names:
        if _bare(name) in coded:
            faults.add("pseudonym", "A pseudonym is computed from an id of the original.")
    for name in names:
        for length in lengths:
            if any(name[at : at + length] in ids for at in range(len(name) - length + 1)):
                faults.add("pseudonym", "A pseudonym contains an id of the original.")


def _codes(user_id: str) -> list[str]:
    """What is commonly computed of an id: it is found again by trying all ids there can be."""
    plain = user_id.encode("utf-8", "surrogatepass")
    digests = [getattr(hashlib, of)(plain).digest() for of in ("md5", "sha1", "sha256")]
    coded = [base64.b64encode(of) for of in (plain, *digests)]
    coded += [base64.b32encode(of) for of in (plain, *digests)]
    return [_bare(of.decode()) for of in coded] + [of.hex() for of in (plain, *digests)]


def _bare(code: str) -> str:
    return code.rstrip("=").replace("-", "+").replace("_", "/").lower()


def check_ids(texts: list[str], columns: list[str], faults: Faults) -> None:
    """No word of page, description or metadata is an id of the original.

    Ids that ordinary words and numbers may equal by chance (up to 4 characters; up to 7 digits; the
    names of columns) are not looked for.
    """
    ids = {
        i
        for i in ids_of(faults.original)
        if len(i) > 4 and not (i.isdigit() and len(i) < 8) and i not in columns
    }
    odd = [i for i in ids if _WORD.fullmatch(i) is None]
    for text in texts:
        words = set(_WORD.findall(text)) | set(re.findall(r"\w+", text))
        words |= {word.strip(".+-") for word in words}
        if words & ids or any(i in text for i in odd):
            faults.add("id", "A member of the release tells an id of the original.")


def ids_of(fs: FingerprintSet) -> set[str]:
    """The input's ids, as text."""
    return {str(user_id) for user_id in fs.user_ids.tolist()}


def check_groups_numbered(records: Records, faults: Faults) -> None:
    """Group numbers are 1 … G."""
    labels = np.unique(records.claim.label)
    if not np.array_equal(labels, np.arange(1, len(labels) + 1)):
        faults.add("group numbers", "The groups are not numbered 1 to their number.")


def check_rows_in_order(code: IntArray, starts: pd.Series[Any], faults: Faults) -> None:
    """The rows of each record follow one another, in order of time."""
    new = np.ones(len(code), bool)
    new[1:] = code[1:] != code[:-1]
    if int(new.sum()) != len(np.unique(code)):
        text = "The rows of a pseudonym do not follow one another: several records have it."
        faults.add("order of rows", text)
    elif (~new[1:] & np.asarray(starts.array[1:] < starts.array[:-1])).any():
        faults.add("order of rows", "The rows of a record are not in order of time.")


def check_order(records: Records, whose: IntArray | None, home: IntArray, faults: Faults) -> None:
    """Pseudonyms, rows and group numbers are not in the order of the input, or of its ids.

    By rank correlation. Without the key (``whose`` is None) group by group: who has which of the
    records of a group is not known then.
    """
    fs = faults.original
    by_id = np.array([str(user_id) for user_id in fs.user_ids.tolist()], dtype=object)
    inputs = {"rows": np.arange(fs.n_users, dtype=float), "ids": _ranks_of_texts(by_id)}
    named = _ranks_of_texts(np.array(records.pseudonym, dtype=object))
    placed = np.arange(len(named), dtype=float)
    n_classes = records.claim.n_classes
    published = home >= 0
    for of, before in inputs.items():
        mean_before = _means(home[published], before[published], n_classes)
        labels = records.claim.label.astype(float)
        first = np.full(n_classes, np.inf)
        np.minimum.at(first, home[published], before[published])
        pairs = [("group numbers", labels, mean_before), ("group numbers", labels, first)]
        for what, after in (("pseudonyms", named), ("records", placed)):
            if whose is not None:
                known = whose >= 0
                pairs.append((what, after[known], before[whose[known]]))
            else:
                pairs.append((what, _means(records.kind, after, n_classes), mean_before))
        for what, after, ranks in pairs:
            if _ordered(after, ranks):
                text = f"The {what} follow the order of the original's {of}."
                faults.add("order", text)


def _ranks_of_texts(texts: TextArray) -> FloatArray:
    numbers = np.unique(texts.astype(str), return_inverse=True)[1]
    return np.asarray(numbers, np.float64).reshape(-1)


def _means(of: IntArray, values: FloatArray, n: int) -> FloatArray:
    count = np.bincount(of, minlength=n)
    with np.errstate(invalid="ignore"):
        mean: FloatArray = np.bincount(of, values, n) / count
    return mean


def _ordered(a: FloatArray, b: FloatArray) -> bool:
    """Whether two orders agree, or disagree, more than chance has it once in a million times."""
    known = np.isfinite(a) & np.isfinite(b)
    if int(known.sum()) < _ENOUGH:
        return False
    a, b = rankdata(a[known]), rankdata(b[known])
    spread = a.std() * b.std()
    if spread == 0:
        return False
    correlation = float(((a - a.mean()) * (b - b.mean())).mean() / spread)
    return abs(correlation) * math.sqrt(len(a) - 1) > _NORMAL

"""Does a release, as it leaves, keep what it says? Its bytes are read back, and checked anew.

Source: docs/science.md, “A release, as it leaves” and “Hiding everyone: GLOVE”.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pandas as pd

from ..model.checks import whole
from ..model.errors import only_ours
from ..model.fingerprints import FingerprintSet
from ..model.glove import Verification
from ..model.periods import PeriodSet
from ..model.published import GeneralizedFingerprintSet
from .anonymity import check_claim, listed_samples
from .data_file import DataFile
from .facts import check_counts, check_facts, limits_stated
from .faults import Faults
from .listed import read_listed
from .package import check_page, check_texts, read_package, texts
from .page_figures import CROWDING
from .periods import check_groups, cut_into, faults_of, period_days, periods_of
from .promises import check_cells, check_crowds, check_limits
from .records import Key, matched
from .rows import read_rows
from .secrecy import check_groups_numbered, check_ids, check_order, check_pseudonyms

Place = str | os.PathLike[str]
_MOVING = frozenset({"add_noise", "permute"})
_HELD = frozenset(
    {"uncovered sample", "no assignment", "missing user", "people with a sample", "undecided",
     "sample of too few", "phantom share", "counts"}
)  # fmt: skip
"""What may only be due to samples that were moved. Crowds and keys are then checked once more."""
_HELD_IN_TIME = _HELD | {"unknown user", "group size", "k-gap"}
"""The same where times were moved, perhaps into another period."""
_MOVED = "places or times were moved first: that cells hold anybody's samples is not checked"
_MOVED_IN_TIME = f"{_MOVED}, nor, between periods, that the key names the right people"


@only_ours("release")
def verify_release(
    path: Place | bytes,
    original: FingerprintSet | GeneralizedFingerprintSet | PeriodSet,
    k: int | None,
    *,
    key: Key | Place | None = None,
    left_out: pd.DataFrame | Place | None = None,
) -> Verification:
    """Check the bytes of a release against the original data.

    Parameters
    ----------
    path : path or bytes
        A folder or a zip file as :func:`fpanon_core.publish` writes it, or the zip file's bytes.
    original : FingerprintSet, GeneralizedFingerprintSet or PeriodSet
        What was hidden: the data that GLOVE was given. Where the release states periods, whole
        fingerprints are cut into them anew. Pieces do not say whose they are, so that with them
        only a key that names the pieces' own ids can be read.
    k : int or None
        The crowd that is promised. None: none is, as with noise or exchanged positions; then files,
        figures and names are checked, not the records against the original.
    key : path, DataFrame, Series or mapping, optional
        Whose the pseudonyms are: ``pseudonym`` and ``user_id``, with periods ``period`` too.
        Without it, some way to give every user a record must keep every promise.
    left_out : path or DataFrame, optional
        The samples left out: ``sample`` (row number in the original) and ``user_id``. Without it,
        no more samples may be missing than the release says.

    Returns
    -------
    Verification
        Whatever is wrong inside the release is a violation, damaged files too.

    Raises
    ------
    ConfigError
        If k is not an integer of 2 or more.
    SchemaError
        If there is no release at ``path``, or key or list cannot be read.
    """
    if k is not None:
        whole("k", k, 2)
    if isinstance(original, GeneralizedFingerprintSet):
        original = original.fingerprints()
    faults = faults_of(original, 0 if k is None else int(k))
    moved, in_time = _check(path, key, left_out, faults)
    verdict = faults.verdict()
    held = _HELD_IN_TIME if in_time else _HELD
    if moved and faults.k and not verdict.passed and set(verdict.counts) <= held:
        # By its own account GLOVE was given other places or times than these: the crowds can be
        # checked, and whose samples the cells hold cannot.
        again = faults_of(original, faults.k)
        _check(path, key, left_out, again, held=False)
        by_key = in_time and key is not None and again.cut is not None
        verdict = replace(again.verdict(), note=_MOVED_IN_TIME if by_key else _MOVED)
    return verdict


def _check(
    path: Place | bytes, key: Key | Place | None, left_out: pd.DataFrame | Place | None,
    faults: Faults, *, held: bool = True,
) -> tuple[bool, bool]:  # fmt: skip
    """All checks; whether, by its own account, samples were moved before people were grouped.

    And whether their times were: they may then be of another period.

    With ``held`` False the records are not held against the original's samples.
    """
    key = read_listed(key, "key") if isinstance(key, (str, os.PathLike)) else key
    if isinstance(left_out, (str, os.PathLike)):
        left_out = read_listed(left_out, "list of samples left out")
    if left_out is not None:
        listed_samples(left_out, Faults(faults.original, 0))  # whether it is such a list
    package = read_package(path, faults)
    facts = package.facts
    check_page(package, faults)
    name = package.data_name
    if name is None:
        return False, False
    days = period_days(facts)
    if faults.cut is None and days is not None:
        cut_into(faults, days)
    elif faults.cut is not None and days != faults.cut.days:
        faults.add("period", "The release is in other periods than the original given.")
    listed = None if left_out is None else listed_samples(left_out, faults, of_whole=True)
    file = DataFile(name, package.data, faults)
    check_texts(package, file.extra, faults)
    check_ids(texts(package, file.extra), package.fields, faults)
    found = read_rows(file, faults)
    if found is None:
        return False, False
    rows, records = found
    if facts and package.fields != rows.columns:
        faults.add("description", "The description names other columns than the data file has.")
    check_facts(facts, rows, package.data_digest, faults)
    check_pseudonyms(records, faults)
    if "group" in rows.columns:
        check_groups_numbered(records, faults)
    space_m, time_min = limits_stated(facts)
    check_limits(records.claim, space_m, time_min, faults)
    steps = _techniques(facts)
    kinds = [step.get("technique") for step in steps]
    in_time = any(_moves_times(step) for step in steps)
    whose = None if key is None else matched(records, key, faults, moved=in_time)
    limited = space_m is not None or time_min is not None
    may_miss = facts.get("samples_left_out", 0)
    may_miss = may_miss if isinstance(may_miss, int) else 0
    checked = None
    if faults.k:
        asked = faults.k
        stated = facts.get("k")
        faults.k = max(asked, stated) if isinstance(stated, int) else asked
        if held:
            checked = check_claim(records.claim, listed, may_miss, limited, faults)
        elif check_cells(records.claim, faults):
            check_crowds(records.claim, faults)
            if faults.cut is not None:
                period = periods_of(records.claim, faults.cut.edges, faults)
                check_groups(records.claim, faults.cut, period, faults)
        faults.k = asked
    elif faults.cut is not None:
        period = periods_of(records.claim, faults.cut.edges, faults)
        check_groups(records.claim, faults.cut, period, faults)
    check_counts(facts, rows, records, listed, checked, faults)
    if checked is not None or whose is not None:
        home = checked.home if checked is not None else records.claim.home
        assert home is not None
        check_order(records, whose, home, faults)
    crowded = bool(kinds) and kinds[-1] in CROWDING
    return crowded and not _MOVING.isdisjoint(map(str, kinds)), in_time


def _techniques(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """The techniques that the release says it was made by."""
    steps = facts.get("steps")
    listed = steps if isinstance(steps, list) else []
    return [
        step for step in listed if isinstance(step, dict) and isinstance(step.get("technique"), str)
    ]


def _moves_times(step: dict[str, Any]) -> bool:
    if step.get("technique") == "add_noise":
        return step.get("time_min") not in (None, 0)
    return step.get("technique") == "permute" and step.get("what") == "times"

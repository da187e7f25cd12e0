"""Does a release, as it leaves, keep what it says? Its bytes are read back, and checked anew.

Source: docs/science.md, “A release, as it leaves” and “Hiding everyone: GLOVE”.
"""

from __future__ import annotations

import os
from dataclasses import replace

import pandas as pd

from ..model.arrays import BoolArray
from ..model.checks import whole
from ..model.errors import only_ours
from ..model.facts import ReleaseFacts
from ..model.fingerprints import FingerprintSet
from ..model.glove import Verification
from ..model.periods import PeriodSet
from ..model.published import GeneralizedFingerprintSet
from ..model.release_page import columns_of
from .anonymity import listed_samples
from .data_file import DataFile, read_rows
from .facts import check_counts, check_facts, check_samples_accuracy
from .faults import Faults
from .package import read_package
from .promises import Checked, check_cells, check_claim, check_crowds, check_limits
from .records import Key, Records, matched, read_listed
from .secrecy import check_groups_numbered, check_order, check_pseudonyms

Place = str | os.PathLike[str]
_HELD = frozenset(
    {
        "uncovered sample",
        "no assignment",
        "missing user",
        "people with a sample",
        "undecided",
        "sample of too few",
        "phantom share",
        "counts",
    }
)
"""What may only be due to steps before GLOVE that cut or move samples.

Crowds and keys are then checked once more."""
_HELD_IN_TIME = _HELD | {"unknown user", "group size", "k-gap"}
"""The same where times were moved, perhaps into another period."""
_MOVED = (
    "places or times were moved or made coarser first: that cells hold anybody's samples is not "
    "checked"
)
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
        Damaged files are violations, too, and so is whatever is in the release beyond its rows and
        what its facts make. What the rows' random names may stand for is not known.

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
    faults = Faults(original, 0 if k is None else int(k))
    facts = _check(path, key, left_out, faults)
    verdict = faults.verdict()
    if facts is None or facts.against != "given" or not faults.k or verdict.passed:
        return verdict
    in_time = facts.times_moved
    if set(verdict.counts) <= (_HELD_IN_TIME if in_time else _HELD):
        # By its own account GLOVE was given other places or times than these: the crowds can be
        # checked, and whose samples the cells hold cannot.
        again = Faults(original, faults.k)
        _check(path, key, left_out, again, held=False)
        by_key = in_time and key is not None and again.cut is not None
        verdict = replace(again.verdict(), note=_MOVED_IN_TIME if by_key else _MOVED)
    return verdict


def _check(
    path: Place | bytes,
    key: Key | Place | None,
    left_out: pd.DataFrame | Place | None,
    faults: Faults,
    *,
    held: bool = True,
) -> ReleaseFacts | None:
    """All checks; what the release states, None where that cannot be read.

    With ``held`` False the records are not held against the original's samples.
    """
    key = read_listed(key, "key") if isinstance(key, (str, os.PathLike)) else key
    if isinstance(left_out, (str, os.PathLike)):
        left_out = read_listed(left_out, "list of samples left out")
    if left_out is not None:
        listed_samples(left_out, Faults(faults.original, 0))  # whether it is such a list
    package = read_package(path, faults)
    facts, name = package.facts, package.data_name
    if name is None or facts is None:
        return None
    faults.in_periods(facts.period_days)
    listed = None if left_out is None else listed_samples(left_out, faults, of_whole=True)
    file = DataFile(name, package.data, columns_of(facts), faults)
    found = read_rows(file, faults)
    if found is None:
        return None
    rows, records = found
    check_pseudonyms(records, faults)
    if facts.groups is not None:
        check_groups_numbered(records, faults)
    check_limits(records.claim, facts.suppress_space_m, facts.suppress_time_min, faults)
    whose = None if key is None else matched(records, key, faults, moved=facts.times_moved)
    check_facts(facts, rows, records, faults)
    checked = _check_records(facts, records, listed, held, faults)
    check_counts(facts, rows, records, listed, checked, faults)
    if checked is not None or whose is not None:
        home = checked.home if checked is not None else records.claim.home
        assert home is not None
        check_order(records, whose, home, faults)
    return facts


def _check_records(
    facts: ReleaseFacts, records: Records, listed: BoolArray | None, held: bool, faults: Faults
) -> Checked | None:
    """What is promised of the records themselves."""
    claim, asked, checked = records.claim, faults.k, None
    if asked and held:
        faults.k = max(asked, facts.k or 0)
        limited = facts.suppress_space_m is not None or facts.suppress_time_min is not None
        checked = check_claim(claim, listed, facts.samples_left_out, limited, faults)
        if checked is not None:
            check_samples_accuracy(facts, checked, faults)
        faults.k = asked
    elif not asked or check_cells(claim, faults):
        if asked:
            faults.k = max(asked, facts.k or 0)
            check_crowds(claim, faults)
            faults.k = asked
        if faults.cut is not None:
            faults.check_groups(claim)
    return checked

"""Verification of a release from its published bytes.

Source: docs/science.md, “A release, as it leaves” and “Hiding everyone: GLOVE”.
"""

from __future__ import annotations

import datetime as dt
import math
import os
from collections.abc import Mapping
from dataclasses import astuple, replace
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

from ..kernels.verify_cover import SLACK, pairs_with_a_sample
from ..model.arrays import BoolArray, FloatArray, IntArray
from ..model.checks import whole
from ..model.clock import LocalClock
from ..model.errors import only_ours
from ..model.facts import Accuracy, ReleaseFacts
from ..model.fingerprints import FingerprintSet
from ..model.glove import Verification
from ..model.options import Generalize, Periods
from ..model.periods import PeriodSet
from ..model.profiles import Grid
from ..model.published import GeneralizedFingerprintSet
from ..model.release_page import columns_of
from .anonymity import listed_samples
from .data_file import DataFile, read_records
from .faults import Claim, Faults, stretches
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
"""Faults that may be due only to steps before GLOVE that cut or move samples.

If there are no others, the release is checked once more, without the original's samples."""
_HELD_IN_TIME = _HELD | {"unknown user", "group size", "k-gap"}
"""Faults of ``_HELD``, and further faults that moved times may cause, even across periods."""
_MOVED = (
    "places or times were moved or made coarser first: whether cells hold anybody's samples is not "
    "checked"
)
_MOVED_IN_TIME = f"{_MOVED}, nor, between periods, whether the key names the right people"


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
        The data that GLOVE or aligned publishing received; if neither was used, the data that the
        release was made from. If the release states periods, whole fingerprints are cut into these
        periods. Pieces do not name their people, so a key for pieces must have the pieces' own ids.
    k : int or None
        The promised k of k-anonymity. None if none is promised, as with noise or exchanged
        positions; then files, figures and names are checked, but not the records against the
        original.
    key : path, DataFrame, Series or mapping, optional
        The person behind each pseudonym, in columns ``pseudonym`` and ``user_id`` or as a mapping;
        with periods, a column ``period`` may be added. Without a key, at least one assignment of
        records to users must keep every promise.
    left_out : path or DataFrame, optional
        The samples left out, in columns ``sample`` (row number in the original) and ``user_id``.
        Without this list, no more samples may be missing than the release states.

    Returns
    -------
    Verification
        Damaged files are violations. So is any content beyond the rows and the texts that the facts
        determine. Whether the random pseudonyms carry a hidden meaning cannot be checked.

    Raises
    ------
    ConfigError
        k is neither None nor an integer of 2 or more.
    SchemaError
        There is no release at ``path``, it is too large, or the key or the list cannot be read.
    OutOfMemory
        The check needs more memory than there is.
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
        # By the release's own account, GLOVE received places or times that differ from these: the
        # crowds can be checked, but not whose samples the cells hold.
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
    """Run all checks; return the facts that the release states, or None if they cannot be read.

    If ``held`` is False, the records are not compared with the original's samples.
    """
    key = read_listed(key, "key") if isinstance(key, (str, os.PathLike)) else key
    if isinstance(left_out, (str, os.PathLike)):
        left_out = read_listed(left_out, "list of samples left out")
    if left_out is not None:
        listed_samples(left_out, Faults(faults.original, 0))  # raises if it is not such a list
    package = read_package(path, faults)
    facts, name = package.facts, package.data_name
    if name is None or facts is None:
        return None
    faults.in_periods(facts.period_days)
    listed = None if left_out is None else listed_samples(left_out, faults, of_whole=True)
    records = read_records(DataFile(name, package.data, columns_of(facts), faults), faults)
    if records is None:
        return None
    check_pseudonyms(records, faults)
    if facts.groups is not None:
        check_groups_numbered(records, faults)
    check_limits(records.claim, facts.suppress_space_m, facts.suppress_time_min, faults)
    whose = None if key is None else matched(records, key, faults, moved=facts.times_moved)
    check_facts(facts, records, faults)
    checked = _check_records(facts, records, listed, held, faults)
    check_counts(facts, records, listed, checked, faults)
    if checked is not None or whose is not None:
        home = checked.home if checked is not None else records.claim.home
        assert home is not None
        check_order(records, whose, home, faults)
    return facts


def _check_records(
    facts: ReleaseFacts, records: Records, listed: BoolArray | None, held: bool, faults: Faults
) -> Checked | None:
    """Check the promises about the records themselves."""
    claim, asked, checked = records.claim, faults.k, None
    if asked:
        faults.k = max(asked, facts.k or 0)
    if asked and held:
        limited = facts.suppress_space_m is not None or facts.suppress_time_min is not None
        checked = check_claim(claim, listed, facts.samples_left_out, limited, faults)
        if checked is not None:
            check_samples_accuracy(facts, checked, faults)
    elif not asked or check_cells(claim, faults):
        if asked:
            check_crowds(claim, faults)
        if faults.cut is not None:
            faults.check_groups(claim)
    faults.k = asked
    return checked


# --- Checks of the facts that a release states about itself

_SLACK_SHARE = 5e-5  # a share stated to four decimals
_BEFORE_MIN = 1e-3  # this long before its end, a sample is still on the same day
_SLACK_ACCURACY = 6e-4  # of a figure stated to four digits, and a rounding of its sum


def check_facts(facts: ReleaseFacts, records: Records, faults: Faults) -> None:
    """Check the stated projection, clock, days, granularity, k, verdict and accuracy."""
    fs = faults.original
    text = "The map projection stated is not that of the original."
    faults.check(facts.crs == fs.crs, "projection", text)
    zone = None if fs.clock is None else fs.clock.timezone
    if facts.timezone != zone:
        faults.add("clock", "The time zone stated is not that of the original.")
    elif fs.clock is not None:
        epoch = fs.clock.epoch.astimezone(ZoneInfo(fs.clock.timezone)).date()
        if facts.epoch != epoch.isoformat():
            faults.add("clock", "The first day stated is not that of the original.")
        if len(records.claim.cells):
            _check_days(facts, fs.clock, records, faults)
    stated = facts.granularity_m, facts.granularity_min
    for one, own in zip(stated, _granularity(facts, fs), strict=True):
        text = "The granularity stated is not that of the original."
        faults.check(math.isclose(one, own, rel_tol=1e-9), "granularity", text)
    if faults.k and facts.k is None:
        faults.add("stated k", "The release promises no groups of k people, although k was given.")
    held = facts.option.holds(fs.granularity_m, fs.granularity_min)
    text = "The stated verdict is about other data than the stated techniques imply."
    faults.check(facts.k is None or (facts.against == "original") == held, "verdict", text)
    _check_rows_accuracy(facts, records.claim, faults)


def _granularity(facts: ReleaseFacts, fs: FingerprintSet) -> tuple[float, float]:
    """Return the side and the time span that the steps give the samples.

    Areas other than a grid leave the side unchanged.
    """
    side, span = fs.granularity_m, fs.granularity_min
    for step in facts.option.steps:
        if isinstance(step, Generalize):
            space = step.profile.space
            side = float(space.metres) if isinstance(space, Grid) else side
            span = float(step.profile.minutes)
    return side, span


# --- days -----------------------------------------------------------------------------------------


def _check_days(facts: ReleaseFacts, clock: LocalClock, records: Records, faults: Faults) -> None:
    """Check the stated first and last day against the recorded days of the people published.

    If samples were moved, the published days count. If it is unknown which people are published,
    the days of all people are the bounds.
    """
    fs, home, cells = faults.original, records.claim.home, records.claim.cells
    zone, epoch = ZoneInfo(clock.timezone), pd.Timestamp(clock.epoch)

    def day(t_min: float) -> dt.date:
        at = epoch + pd.Timedelta(round(t_min * 60e6), "us")
        found: dt.date = at.tz_convert(zone).date()
        return found

    stated = [dt.date.fromisoformat(str(each)) for each in (facts.first_day, facts.last_day)]
    begin, end = float(cells[:, 4].min()), float(cells[:, 5].max())
    window = day(float(cells[cells[:, 5] == end, 4].max()))
    end -= _BEFORE_MIN
    beyond, days = (day(end) - stated[1]).days, (day(end) - window).days + 1
    found = (days - beyond, days) if beyond > 0 else None
    text = "The recorded days stated for the last time window are not those found."
    faults.check(facts.last_window_days == found, "period", text)
    certain = True
    if not facts.moved:
        mine = np.ones(fs.n_users, bool) if home is None else home >= 0
        if faults.cut is not None:  # all pieces of everybody published in some period
            people = np.unique(faults.cut.person[mine])
            mine = np.isin(faults.cut.person, people)
        own = mine[fs.sample_user]
        if not own.any():
            return
        begin = max(begin, float(fs.t_min[own].min()))
        end = min(end, float((fs.t_min + fs.dt_min)[own].max()) - _BEFORE_MIN)
        certain = home is not None or len(records.pseudonym) == fs.n_users
    due = [day(begin), day(end)]
    if stated != due if certain else not due[0] <= stated[0] <= stated[1] <= due[1]:
        faults.add("period", "The first or last day stated is not the one found.")


# --- accuracy -------------------------------------------------------------------------------------


def check_samples_accuracy(facts: ReleaseFacts, checked: Checked, faults: Faults) -> None:
    """Check the accuracy over original samples, if the owners of the records are known."""
    if facts.accuracy is None or facts.accuracy.of != "original samples" or not checked.certain:
        return
    held = np.isfinite(checked.side_m)
    if not held.any():
        return
    extents = checked.side_m[held], checked.span_min[held]
    found = [float(of(values)) for values in extents for of in (np.median, np.mean)]
    if not _close(facts.accuracy, found):
        faults.add("accuracy", "The accuracy stated is not the one found.")


def _check_rows_accuracy(facts: ReleaseFacts, claim: Claim, faults: Faults) -> None:
    """Check the stated accuracy, whose basis must follow from the steps.

    An accuracy over rows must equal the one found. An accuracy over samples must lie within the
    range of the published cells.
    """
    cells, stated = claim.cells, facts.accuracy
    if stated is None or not len(cells) or not np.isfinite(cells).all():
        return
    steps = facts.option.steps
    of = "rows"
    if facts.hiding is not None:
        direct = all(isinstance(step, Periods) for step in steps[:-1])
        of = "original samples" if direct else "samples as the steps before GLOVE left them"
    side, span = claim.extents
    if of == "rows":
        weight = np.repeat(claim.records, claim.last - claim.first)
        found = [
            float(figure)
            for values in (side, span)
            for figure in (_median(values, weight), np.average(values, weights=weight))
        ]
        sound = _close(stated, found)
    else:
        last = float(cells[:, 5].max() - cells[:, 4].min())
        ends = [(side, float(side.max()))] * 2 + [(span, last)] * 2  # a sample may span many cells
        sound = all(
            float(values.min()) * (1 - _SLACK_ACCURACY) - SLACK
            <= figure
            <= most * (1 + _SLACK_ACCURACY) + SLACK
            for figure, (values, most) in zip(astuple(stated)[1:], ends, strict=True)
        )
    if stated.of != of or not sound:
        faults.add("accuracy", "The accuracy stated is not the one found.")


def _close(stated: Accuracy, found: Any) -> bool:
    return all(
        math.isclose(one, other, rel_tol=_SLACK_ACCURACY, abs_tol=10 * SLACK)
        for one, other in zip(astuple(stated)[1:], found, strict=True)
    )


def _median(values: FloatArray, weight: IntArray) -> float:
    """Return the median of values, each repeated ``weight`` times."""
    order = np.argsort(values, kind="stable")
    upto = np.cumsum(weight[order])
    middle = [(int(upto[-1]) - 1) // 2, int(upto[-1]) // 2]
    return float(values[order][np.searchsorted(upto, middle, side="right")].mean())


# --- counts ---------------------------------------------------------------------------------------


def check_counts(
    facts: ReleaseFacts,
    records: Records,
    listed: BoolArray | None,
    checked: Checked | None,
    faults: Faults,
) -> None:
    """Check the stated counts and shares against those found."""
    fs, claim = faults.original, records.claim
    people = len(records.pseudonym)
    absent = fs.n_users - people
    if faults.cut is not None:
        people, absent = _check_pieces(facts, records, checked, faults)
    found: dict[str, int | None] = {
        "people": people,
        "rows": int((claim.records * (claim.last - claim.first)).sum()),
        "groups": len(np.unique(claim.label)) if "group" in columns_of(facts) else None,
        "samples_in": fs.n_samples,
        "people_left_out": absent,
        "people_alone": int((np.bincount(claim.content[records.kind]) == 1).sum()),
    }
    if listed is not None:
        found["samples_left_out"] = int(listed.sum())
    elif checked is not None and checked.certain:
        found["samples_left_out"] = int(checked.gone.sum())
    _check_numbers(facts, found, faults)
    _check_left_out(facts, records, faults)
    _check_phantoms(facts, records, checked, faults)


def _check_numbers(facts: ReleaseFacts, found: Mapping[str, int | None], faults: Faults) -> None:
    for name, value in found.items():
        text = f"The number stated for {name} is not the one found."
        faults.check(getattr(facts, name) == value, "counts", text)


def _check_phantoms(
    facts: ReleaseFacts, records: Records, checked: Checked | None, faults: Faults
) -> None:
    stated = facts.phantom_share
    if stated is None:
        return
    # A GLOVE cell is true of at least one person; if samples were moved, perhaps of nobody.
    if stated == 1 and faults.k:
        faults.add("phantom share", "The stated share of false presence is impossible.")
    if checked is not None:
        share, sure, least = checked.phantom_share, checked.certain, checked.closest
    elif records.claim.home is not None and not (facts.moved and faults.cut is not None):
        share, sure, least = _phantom_share(records.claim, faults), True, True
    else:
        return
    if (least and stated < share - _SLACK_SHARE) or (sure and stated > share + _SLACK_SHARE):
        faults.add("phantom share", "The stated share of false presence is not the one found.")


def _phantom_share(claim: Claim, faults: Faults) -> float:
    """Return the share of false presence: rows whose person has no sample in the cell.

    The owners of the records must be known.
    """
    fs, home = faults.original, claim.home
    assert home is not None
    longest, true = float(fs.dt_min.max()), 0
    for users, _, offsets, samples in stretches(fs):
        true += pairs_with_a_sample(offsets, samples, longest, home[users], claim.arrays)
    copies = int((claim.last - claim.first)[home[home >= 0]].sum())
    return 1.0 - true / copies if copies else 0.0


def _check_pieces(
    facts: ReleaseFacts, records: Records, checked: Checked | None, faults: Faults
) -> tuple[int, int]:
    """Check the counts of pseudonyms and periods; return the people published and left out.

    If the owners of the records are unknown, any possible stated number of people is accepted.
    """
    cut, claim = faults.cut, records.claim
    assert cut is not None
    period = faults.periods_of(claim)[records.kind]
    counted = {"pseudonyms": len(records.pseudonym), "periods": len(np.unique(period))}
    _check_numbers(facts, counted, faults)
    home = claim.home
    if home is None and checked is not None and checked.certain:
        home = checked.home
    if home is not None:
        people = len(np.union1d(cut.person[home >= 0], cut.person[claim.elsewhere[:, 0]]))
        return people, cut.n_people - people
    stated, least = facts.people, int(np.bincount(period).max(initial=0))
    if not least <= stated <= min(cut.n_people, len(period)):
        stated = least
    return stated, cut.n_people - stated


def _check_left_out(facts: ReleaseFacts, records: Records, faults: Faults) -> None:
    """Check the number of people left out if k-anonymity is the only step besides periods.

    At most the stated share of people, and those left over, may be missing. In periods, this holds
    for each period. In a period with fewer than k people, nobody may be published.
    """
    step, cut, fs = facts.hiding, faults.cut, faults.original
    limited = facts.suppress_space_m is not None or facts.suppress_time_min is not None
    if step is None or limited or len(facts.option.steps) != (1 if cut is None else 2):
        return
    of = np.zeros(len(records.kind), np.int64)
    if cut is not None:
        of = faults.periods_of(records.claim)[records.kind]
    people, pieces = np.bincount(faults.period, fs.weight), np.bincount(faults.period)
    there = np.bincount(of, minlength=len(people))[: len(people)]
    last = step.k - 1 if facts.leftover == "suppress" else 0
    allowed = np.where(people < step.k, pieces, step.leave_out * people + last + 1e-6)
    if (pieces - there > allowed).any() or (there[people < step.k] > 0).any():
        within = "" if cut is None else " of a period"
        text = f"More people are left out{within} than the stated techniques leave out."
        faults.add("counts", text)

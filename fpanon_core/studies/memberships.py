"""Membership: which people share a record in a release, given as a result or as files with a key.

In a release by GLOVE or aligned, the groups are those of the method. In any other release, a group
is all people whose whole published records are the same.

See docs/science.md, “Two releases of the same people”.
"""

from __future__ import annotations

import datetime as dt
import io
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..io.publishing import read_published
from ..measures.crowds import alike
from ..model.arrays import CELL, IntArray, distinct_rows, offsets_of
from ..model.errors import ConfigError, SchemaError, only_ours
from ..model.facts import ReleaseFacts
from ..model.files import Place
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult
from ..model.published import ALWAYS, Membership
from ..model.released import AnyRelease, Origin, ReleasedSet
from ..verification.faults import Faults
from ..verification.package import Package, read_package
from ..verification.records import read_listed
from .publishing import origin_of

NO_KEY = (
    "A release does not say who is who. Give the pseudonym key that was written with the release "
    "(--key when it was made, key= of publish, or the dashboard's button): it says which id each "
    "pseudonym stands for. Where no key was kept, make the release again from the records, with a "
    "key. Hiding people draws nothing at random, so the groups are the same."
)
_DAY_MIN = 1_440
_NAME_LENGTH = 120
_COLUMNS = ("x_min_m", "x_max_m", "y_min_m", "y_max_m", "start", "end")


def membership(
    released: AnyRelease | Place | bytes,
    *,
    key: Place | bytes | None = None,
    original: FingerprintSet | None = None,
) -> Membership:
    """Return the person and the group of each record of a release.

    Parameters
    ----------
    released : ReleasedSet, GloveResult, path or bytes
        A result; or a folder or zip written by :func:`fpanon_core.publish`, or the zip's bytes.
    key : path or bytes, optional
        For files, the key that was written with them.
    original : FingerprintSet, optional
        For a GloveResult, the fingerprints that were hidden, if this process no longer holds them.

    Raises
    ------
    ConfigError
        The key or the original is missing, or belongs to another release; or a key is given with a
        result.
    SchemaError
        The files are missing, damaged, changed or without rows.
    """
    if isinstance(released, (ReleasedSet, GloveResult)):
        if key is not None:
            raise ConfigError(
                "A pseudonym key belongs to files; a result itself says whose records it holds."
            )
        return of_origin(origin_of(released, original))
    if key is None:
        raise ConfigError(NO_KEY)
    return _of_files(released, key)


def of_origin(origin: Origin) -> Membership:
    """Return the membership of a release from its origin."""
    records = origin.records
    if records.group is not None:
        group = records.group
    else:
        fs = origin.released
        group = alike(distinct_rows(*fs.arrays(CELL).values())[1], fs.offsets)
    fs, person = origin.original, origin.person
    base = 0 if fs.clock is None else fs.clock.first_day.toordinal()
    first, last = _days(origin.period, origin.period_days, base, len(person))
    names = np.array([str(name) for name in fs.user_ids.tolist()], dtype=object)
    return Membership(
        who=names[person],
        group=group,
        begin_day=first,
        end_day=last,
        weight=fs.weight[person],
        name=origin.option.text,
        k=origin.k,
        digest=fs.digest,
        pseudonym=np.array(fs.pseudonyms, dtype=object)[person],
    )


@only_ours("release")
def _of_files(released: Place | bytes, key: Place | bytes) -> Membership:
    package = _sound(released)
    facts = package.facts
    assert package.data_name is not None
    assert facts is not None
    table = read_published(io.BytesIO(package.data))
    if not len(table):
        raise SchemaError("The release has no rows, so nobody is in it; give another release.")
    if table[list(_COLUMNS)].isna().to_numpy().any():
        raise SchemaError(
            "A row of the release lacks a bound or a time; give the release unchanged."
        )
    code, names = pd.factorize(table["pseudonym"])
    order = np.argsort(code, kind="stable")
    offsets = offsets_of(np.bincount(code))
    # The group is told in the file: of two groups with equal cells, each is a group for itself.
    told = [table["group"].to_numpy()] if "group" in table.columns else []
    cells = [table[name].to_numpy() for name in _COLUMNS]
    group = alike(distinct_rows(*told, *cells)[1][order], offsets)
    period, days, base = _periods_of(facts, table["start"].iloc[order[offsets[:-1]]])
    first, last = _days(period, days, base, len(names))
    who = _whose(np.asarray(names, dtype=object), key)
    if len(set(zip(who.tolist(), first.tolist(), strict=True))) < len(who):
        raise SchemaError(
            "The key gives a person several pseudonyms in one release, or one period of it; give "
            "the key that was written with this release."
        )
    return Membership(
        who=who,
        group=group,
        begin_day=first,
        end_day=last,
        weight=np.ones(len(who), np.int64),
        name=_readable(facts.option.text),
        k=facts.k,
        digest=package.data_digest,
    )


def _sound(released: Place | bytes) -> Package:
    """Return the package of a release; check that its files are as they were written.

    Raises
    ------
    SchemaError
        The files are not as they were written; the message gives the first fault.
    """
    nobody = FingerprintSet.from_samples([0], [0], [0], [0])  # the records are not at hand
    faults = Faults(nobody, 0)
    package = read_package(released, faults)
    verdict = faults.verdict()
    if not verdict.passed:
        why = verdict.violations["text"].iloc[0]
        raise SchemaError(
            f"The release has changed since it was written. {why} Give the release unchanged."
        )
    return package


def _whose(names: npt.NDArray[Any], key: Place | bytes) -> npt.NDArray[Any]:
    """Return the id behind each pseudonym of a release, as its key states."""
    table = read_listed(key, "key")
    if not {"pseudonym", "user_id"} <= set(table.columns):
        raise SchemaError(
            "The key lacks pseudonym or user_id; give the file that was written as the key."
        )
    ids = dict(zip(table["pseudonym"].tolist(), table["user_id"].tolist(), strict=True))
    found = sum(name in ids for name in names.tolist())
    if found < len(names) or len(table) != len(names):
        raise ConfigError(
            f"This is not the key of this release: it names {found:,} of the {len(names):,} "
            f"pseudonyms in the release, and {len(table) - found:,} not in it. Give the key that "
            "was written with it; give several keys in the order of their releases."
        )
    who: npt.NDArray[Any] = np.array([ids[name] for name in names.tolist()], dtype=object)
    return who


def _periods_of(
    facts: ReleaseFacts, starts: pd.Series[Any]
) -> tuple[IntArray | None, int | None, int]:
    """Return the period number of each record, the days in a period, and the first day of period 0.

    Parameters
    ----------
    facts : ReleaseFacts
    starts : Series
        One time of each record; all samples of a record begin in the same period.
    """
    days = facts.period_days
    if days is None:
        return None, None, 0
    if not isinstance(starts.dtype, pd.DatetimeTZDtype):
        return (starts.to_numpy(np.float64) // (_DAY_MIN * days)).astype(np.int64), days, 0
    try:
        base = dt.date.fromisoformat(str(facts.epoch)).toordinal()
        local = starts.dt.tz_convert(ZoneInfo(str(facts.timezone))).dt.tz_localize(None)
    except (KeyError, ValueError, TypeError, OSError):
        raise SchemaError(
            "The release does not say on which day, or in which time zone, its periods begin; give "
            "it as it was written."
        ) from None
    began = pd.Timestamp(dt.date.fromordinal(base))
    return ((local - began).dt.days.to_numpy(np.int64) // days).astype(np.int64), days, base


def _days(
    period: IntArray | None, days: int | None, base: int, n: int
) -> tuple[IntArray, IntArray]:
    """Return the first day of each record, and the day after its last."""
    if period is None or days is None:
        return np.full(n, ALWAYS[0], np.int64), np.full(n, ALWAYS[1], np.int64)
    first = base + np.asarray(period, np.int64) * days
    return first, first + days


def _readable(text: object) -> str:
    """Return a text that a file states, shortened and with unprintable characters replaced."""
    line = " ".join(str(text).split())[:_NAME_LENGTH]
    return "".join(c if c.isprintable() else "\ufffd" for c in line)

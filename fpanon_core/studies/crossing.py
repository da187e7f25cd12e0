"""Composition: what two releases of the same people give away together.

* :func:`cross_releases` says what is left of each k-anonymous group. The releases are results in
  memory, files with their keys, or one of each. The dashboard and the command ``cross`` measure
  this before a second release leaves.
* :func:`match_releases` says how often an attacker with nothing but two files can tell which two
  groups belong to one person. The composition assumes that the attacker knows both groups. Here the
  attacker knows neither, and the strongest of three attackers is reported.
* :func:`membership` says which people share a record in a release. In a release by GLOVE or
  aligned, the groups are those of the method. In any other release, a group is all people whose
  whole published records are the same.
* The functions whose names begin with ``describe_`` put a composition into sentences.

See docs/science.md, “Two releases of the same people”.
"""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..attacks.overlap import BATTERY, Groups, found
from ..engines.local import Engine
from ..engines.progress import Progress, nth_part, tell
from ..io.publishing import read_published
from ..measures import crossing as measure
from ..measures.crowds import alike
from ..model.arrays import CELL, IntArray, distinct_rows, offsets_of
from ..model.checks import whole
from ..model.composition import Crossing, ReleaseMatch
from ..model.errors import ConfigError, FpanonError, InfeasibleError, SchemaError, only_ours
from ..model.facts import ReleaseFacts
from ..model.files import Place
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult
from ..model.intervals import wilson_interval
from ..model.published import ALWAYS, Membership
from ..model.release_page import count, percent
from ..model.released import AnyRelease, Origin, ReleasedSet
from ..verification.faults import Faults
from ..verification.package import Package, read_package
from ..verification.records import read_listed
from .publishing import origin_of
from .tabled import Tabled

NO_KEY = (
    "A release does not say who is who; its pseudonym key does. Give the pseudonym key that was "
    "written with the release (--key when it was made, key= of publish, or the dashboard's "
    "button). Where no key was kept, make the release again from the records, with a key. Hiding "
    "people involves no random draws, so the groups will be the same."
)
_DAY_MIN = 1_440
_NAME_LENGTH = 120
_COLUMNS = ("x_min_m", "x_max_m", "y_min_m", "y_max_m", "start", "end")


def cross_releases(
    first: AnyRelease | Place | bytes,
    second: AnyRelease | Place | bytes,
    *,
    first_key: Place | bytes | None = None,
    second_key: Place | bytes | None = None,
    original: FingerprintSet | None = None,
) -> Crossing:
    """Return the size of each person's group when two releases are combined.

    Two releases that each keep everybody in a group of k may together single people out. A person
    has one group in each release, and often nobody else is in both of these groups. The group that
    is left consists of the people common to both groups.

    Parameters
    ----------
    first, second : ReleasedSet, GloveResult, path or bytes
        Result of :func:`release`, :func:`glove` or :func:`aligned`; or a folder or zip written by
        :func:`publish`, or the zip's bytes.
    first_key, second_key : path or bytes, optional
        For files, the key that was written with them. Equal ids mean the same person.
    original : FingerprintSet, optional
        For a GloveResult, the data it was made from, if this process no longer holds them.

    Returns
    -------
    Crossing
        For the people in both releases, group sizes in the composition and in each release alone.

    Raises
    ------
    ConfigError
        A key or the original is missing, or belongs to another release; or a key is given with a
        result.
    SchemaError
        Files are missing, damaged or changed.
    InfeasibleError
        Nobody is in both releases, or nobody's records in both share a day.

    Notes
    -----
    The result assumes an attacker who can tell a person's group in each release; a few true points
    of the person may suffice. Whether such an attacker exists depends on places and times, which
    are not examined here; :func:`link` measures that. A release says the same about all people of a
    group. So the two releases let no attacker tell apart people who share a group in both. With
    periods, this is true of what the releases say about one period. ``followed`` is for an attacker
    who knows a person's groups in all periods.

    Source: docs/science.md, “Two releases of the same people”; Ganta, Kasiviswanathan & Smith 2008.

    Examples
    --------
    Four people stand on a line. A grid of 2 km makes two pairs of them. With another origin, the
    same grid pairs the two in the middle, and leaves the first and the last with unique records.
    The composition singles everybody out.

    >>> from fpanon_core import GeneralizationProfile, Grid, release
    >>> x_m = [0, 1000, 2000, 3000]
    >>> fs = FingerprintSet.from_samples(["a", "b", "c", "d"], x_m, [0] * 4, [5] * 4)
    >>> ways = [GeneralizationProfile(Grid(2000, (x, 0)), 60) for x in (0, 1000)]
    >>> found = cross_releases(*(release(fs, way) for way in ways))
    >>> found.per_person[["first", "second", "together"]].values.tolist()
    [[2, 1, 1], [2, 2, 1], [2, 2, 1], [2, 1, 1]]
    >>> found.together.alone, found.newly_alone
    (4, 2)
    """
    return measure.crossing(
        membership(first, key=first_key, original=original),
        membership(second, key=second_key, original=original),
    )


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """A composition as tables.

    Attributes
    ----------
    crossing : Crossing
    """

    crossing: Crossing

    MAY_LEAVE = frozenset({"crossing", "crossing_sizes", "crossing_periods"})

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the figures, and the sizes, periods and people of the composition.

        The tables are ``crossing``, ``crossing_sizes``, ``crossing_periods`` and
        ``crossing_people``. The last has a row for each person, and is not for release.
        """
        found = self.crossing
        return {
            "crossing": found.to_frame(),
            "crossing_sizes": found.sizes,
            "crossing_periods": found.periods,
            "crossing_people": found.per_person,
        }


def crossed(made: Membership, before: Sequence[Membership]) -> Crossing:
    """Return the composition of all earlier releases, taken together, with a new release.

    Parameters
    ----------
    made : Membership
    before : sequence of Membership
        At least one.

    Raises
    ------
    InfeasibleError
        Nobody is in both the earlier releases and the new one, on days that both cover.
    """
    return measure.crossing(measure.together(before), made)


@dataclass(frozen=True)
class Config:
    """The files of an earlier release to read.

    Attributes
    ----------
    release, key : str
        Digests that identify the two files.
    """

    release: str
    key: str


@dataclass(frozen=True, eq=False)
class Older:
    """An earlier release as read from its files, or the reason why they cannot be used.

    Attributes
    ----------
    found : Membership or None
    refused : str
        The reason; "" where the files can be used.
    """

    found: Membership | None
    refused: str = ""


def study(
    _: Config, release: bytes = b"", key: bytes = b"", *, progress: Progress | None = None
) -> Older:
    """Read who is in which group of an earlier release, whose files are untrusted.

    Parameters
    ----------
    config : Config
    release, key : bytes
        The zip and the key that was written with it.
    """
    tell(progress, 0.0)
    try:
        return Older(membership(release, key=key))
    except FpanonError as refusal:
        return Older(None, refusal.message)


def match_releases(
    first: AnyRelease,
    second: AnyRelease,
    *,
    original: FingerprintSet | None = None,
    users: int = 2500,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> ReleaseMatch:
    """Return how often an attacker matches a person's groups in two releases by cells alone.

    Parameters
    ----------
    first, second : ReleasedSet or GloveResult
        Releases made from the same data, without periods, noise or exchange.
    original : FingerprintSet, optional
        For a GloveResult, the data it was made from, if this process no longer holds them.
    users : int
        Largest number of targets, drawn from the people in both releases.
    seed : int
        Seed of the draw of people.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    ReleaseMatch

    Raises
    ------
    ConfigError
        The releases were made from different data; one of them is in periods, or has samples moved
        by noise or exchange; or a parameter is out of its range.
    InfeasibleError
        Nobody is in both releases.

    Notes
    -----
    Each of three attackers scores a record b as the match of a record a. *overlap*: the mean of
    ``ln max(0.01, r)`` over the cells A of a, plus the same mean for b against a. Here r is the
    largest ``V·|A∩B| / (|A|·|B|)`` over the cells B of b. The size |·| of a cell is in m² min, and
    V is the size of the box that bounds all cells of both releases. *edges*: the sum of
    ``ln(N / N_e)`` over the edges e of cells (in x, y and time) that both records have, divided by
    the square root of the number of edges of b. The second release has N groups, and N_e of them
    have the edge e. *edges in time*: the same score, for the ends of time spans only. The highest
    share is reported.

    Source: docs/science.md, “Two releases of the same people”.

    Examples
    --------
    >>> from fpanon_core import GeneralizationProfile, Grid, release
    >>> fs = FingerprintSet.from_samples([1, 2, 3, 4], [0, 300, 8000, 8300], [0] * 4, [5] * 4)
    >>> coarse, fine = (release(fs, GeneralizationProfile(Grid(m), 60)) for m in (2000, 1000))
    >>> found = match_releases(coarse, fine)
    >>> found.first, found.attacker, found.guessing
    (1.0, 'overlap', 0.5)
    """
    seed, users = whole("seed", seed, 0), whole("users", users, 1)
    origins = [origin_of(each, original) for each in (first, second)]
    if origins[0].original.digest != origins[1].original.digest:
        raise ConfigError(
            "These releases were made from different data; give two made from the same data."
        )
    if any(origin.period_days is not None for origin in origins):
        raise ConfigError(
            "A release in periods has several records per person; give two without periods."
        )
    if any(origin.option.moved for origin in origins):
        raise ConfigError(
            "Noise and exchange move samples, so a person's cells in two releases need not "
            "overlap: the result would not measure what an attacker can find. Give releases "
            "whose samples were not moved."
        )
    made = [of_origin(origin) for origin in origins]
    both, a, b = np.intersect1d(origins[0].person, origins[1].person, return_indices=True)
    if not len(both):
        raise InfeasibleError("Nobody is in both releases; give two releases of the same people.")
    if len(both) > users:
        drawn = np.sort(np.random.default_rng(seed).choice(len(both), users, replace=False))
        a, b = a[drawn], b[drawn]
    pairs = np.column_stack([made[0].group[a], made[1].group[b]])
    one, other = (
        Groups.of(origin.records, each.group, each.weight)
        for origin, each in zip(origins, made, strict=True)
    )
    n, rows = len(pairs), []
    for step, attacker in enumerate(BATTERY):
        told = nth_part(progress, step, len(BATTERY))
        share = float(found(one, other, pairs, attacker, engine=engine, progress=told).mean())
        rows.append((attacker, share, *wilson_interval(share * n, n)))
    attacker, share, low, high = max(rows, key=lambda row: row[-1])
    people = other.people
    return ReleaseMatch(
        first=share,
        first_low=low,
        first_high=high,
        guessing=float(people[pairs[:, 1]].mean() / people.sum()),
        n_targets=n,
        names=(made[0].name, made[1].name),
        seed=seed,
        digest=origins[0].original.digest,
        attacker=attacker,
        by_attacker=pd.DataFrame(rows, columns=["attacker", "first", "first_low", "first_high"]),
    )


# --- who is in which group ---


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
                "Give a pseudonym key only with a release read from files; a result already says "
                "whose records it holds."
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
    # Where the file states groups, two groups with equal cells stay two.
    stated = [table["group"].to_numpy()] if "group" in table.columns else []
    cells = [table[name].to_numpy() for name in _COLUMNS]
    group = alike(distinct_rows(*stated, *cells)[1][order], offsets)
    period, days, base = _periods_of(facts, table["start"].iloc[order[offsets[:-1]]])
    first, last = _days(period, days, base, len(names))
    who = _whose(np.asarray(names, dtype=object), key)
    if len(set(zip(who.tolist(), first.tolist(), strict=True))) < len(who):
        raise SchemaError(
            "The key gives a person several pseudonyms in one release, or in one period; give the "
            "key that was written with this release."
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
            "was written with the release; give several keys in the order of their releases."
        )
    return np.array([ids[name] for name in names.tolist()], dtype=object)


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


# --- in sentences ---

MEANING = (
    "A few true points may lead to a person's group in each release. What both releases say "
    "together then applies only to the people in both groups: if only one person is in both, to "
    "that person alone."
)
"""The knowledge that the figures assume, and what it reveals."""
FEW = 0.05
"""Share of the smaller release's people; if fewer are in both, the ids are questioned."""


WHERE = ("in earlier releases", "in this release")
"""Words for the two sides of a composition."""


def describe_crossing(found: Crossing, before: str, where: tuple[str, str] = WHERE) -> str:
    """Return the main sentences about a composition.

    Parameters
    ----------
    before : str
        The earlier release or releases, such as "the release exported earlier (GLOVE, k = 2)".
    where : (str, str)
        Words for the first and the second release, each beginning with "in".
    """
    alone, both = found.together.alone, count(found.n_both, "person")
    together = f"With {before} and {where[1].removeprefix('in ')} together"
    if found.only_first or found.only_second:
        both += " in both"
    within = "" if found.followed is None else " within a period"
    if not found.smaller:
        others = found.together.smallest - 1
        end = (
            f"Each of {both} shares both groups with at least {others:,} other{'s' * (others > 1)}."
        )
        if found.falls:
            end = describe_followed(found, where)
        elif alone:
            also = f"{'each ' * (alone > 1)}already alone {where[0]} or {where[1]}"
            end = f"{alone:,} of {both} {_are(alone)} alone, {also}."
        return (
            f"{together}, no person's group{within} is smaller than the smaller of that person's "
            f"two groups. {end}"
        )
    if not alone:
        return (
            f"{together}, nobody is alone{within}, but {found.smaller:,} of {both} "
            f"{'has' if found.smaller == 1 else 'have'} a smaller group than in any one release."
            f"{_fall(found, where)}"
        )
    newly = found.newly_alone
    if newly == alone:
        who = "that person is not" if alone == 1 else "none of these people is"
        by_itself = f"In either release by itself, {who} alone"
    elif newly:
        by_itself = f"{newly:,} of these people {_are(newly)} not alone in any single release"
    else:
        who = "Each of these people" if alone > 1 else "That person"
        by_itself = f"{who} is already alone {where[0]} or {where[1]}"
    each, whose = ("is", "that person's") if alone == 1 else ("are each", "their")
    return (
        f"{together}, {alone:,} of {both} {each} alone: nobody else shares both of {whose} groups. "
        f"{by_itself}.{_fall(found, where)}"
    )


def describe_naming(found: Crossing) -> str:
    """State the mean chance of picking the right person.

    The chance is given for both releases together, for each release, and for guessing.
    """
    return (
        "Suppose that an attacker knows only a person's two groups, and who is in them. "
        "On average, the attacker picks the right person with a chance of "
        f"{percent(found.together.naming)}. "
        f"From one release alone, the chance is {percent(found.first.naming)}; from the other, it "
        f"is {percent(found.second.naming)}. Guessing among everyone in both releases gives "
        f"{percent(found.guessing)}."
    )


def describe_followed(found: Crossing, where: tuple[str, str] = WHERE) -> str:
    """Say how many people are singled out by their groups in all periods; "" without periods."""
    if found.followed is None:
        return ""
    both, *each = (crowd.alone for crowd in found.followed)
    already = " and ".join(f"{n:,} already {side}" for n, side in zip(each, where, strict=True))
    people = count(found.n_both, "person")
    return (
        "These figures concern one period at a time. An attacker who knows a person's groups in "
        f"every period knows more. {both:,} of {people} {_are(both)} then alone in both together, "
        f"{already}."
    )


def describe_counted(found: Crossing) -> str:
    """Say how many people are in both releases, and in each."""
    said = (
        f"{count(found.n_both, 'person')} {_are(found.n_both)} in both releases. In all, one "
        f"release holds {count(found.n_first, 'person')}, the other {found.n_second:,}."
    )
    if found.n_both < FEW * min(found.n_first, found.n_second):
        said += " Few are in both: are these releases of the same people, under the same ids?"
    return said


def _fall(found: Crossing, where: tuple[str, str]) -> str:
    """State the smallest group of each release and of both together.

    Return "" where the smallest group of both together is no smaller than that of either release.
    """
    first, second = found.first.smallest, found.second.smallest
    if found.together.smallest == min(first, second):
        return ""
    return (
        f" The smallest group has {first:,} people {where[0]}, and {second:,} {where[1]}. With "
        f"both together, it has only {found.together.smallest:,}."
    )


def _are(number: int) -> str:
    return "is" if number == 1 else "are"

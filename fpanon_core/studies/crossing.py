"""Composition: what two releases of the same people give away together.

* :func:`cross_releases` says what is left of each k-anonymous group. The releases are results at
  hand, files with their keys, or one of each. The dashboard and the command ``cross`` ask this
  before a second release leaves.
* :func:`match_releases` says how often an attacker with nothing but two files can tell which two
  groups belong to one person. The composition assumes that the attacker knows both groups. Here the
  attacker knows neither, and the strongest of three attackers is reported.
* The functions whose names begin with ``describe_`` put a composition into sentences.

See docs/science.md, “Two releases of the same people”.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..attacks.overlap import BATTERY, Groups, found
from ..engines.local import Engine
from ..engines.progress import Progress, nth_part, tell
from ..measures import crossing as measure
from ..model.checks import whole
from ..model.composition import Crossing, ReleaseMatch
from ..model.errors import ConfigError, FpanonError, InfeasibleError
from ..model.files import Place
from ..model.fingerprints import FingerprintSet
from ..model.intervals import wilson_interval
from ..model.published import Membership
from ..model.released import AnyRelease
from .memberships import membership, of_origin
from .publishing import origin_of
from .tabled import Tabled


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
    is left consists of the people common to both.

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
        Group sizes of the composition and of each release alone, over the people in both.

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
    are not examined here; :func:`link` measures it. A release says the same about all people of a
    group. So no attacker can tell apart, by the two releases, people who share a group in both.
    With periods, this holds for what the releases say about one period. ``followed`` is for an
    attacker who knows a person's groups in all periods.

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
    """The files of an earlier release that are read.

    Attributes
    ----------
    release, key : str
        Digests that identify the two files.
    """

    release: str
    key: str


@dataclass(frozen=True, eq=False)
class Older:
    """An earlier release as read from its files, or why they cannot be used.

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
    """Return how often a person's group in one release is found from the other by cells alone.

    Parameters
    ----------
    first, second : ReleasedSet or GloveResult
        Made of the same data, without periods, noise and exchange.
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
        The releases were made from different data, one of them is in periods, or noise or exchange
        moved samples. Or a parameter is out of its range.
    InfeasibleError
        Nobody is in both releases.

    Notes
    -----
    There are three attackers, each with a score of a record b for a record a. *overlap*: the mean
    of ``ln max(0.01, r)`` over the cells A of a, plus the same mean for b against a. Here r is the
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


MEANING = (
    "A few true points may lead to a person's group in each release. What both releases say "
    "together then applies only to the people in both groups: if that is one person, to that "
    "person alone."
)
"""The knowledge that the figures assume, and what it reveals."""
FEW = 0.05
"""Share of the smaller release's people; if fewer are in both, a text asks about the ids."""


WHERE = ("in earlier releases", "in this release")
"""Words for the two sides of a composition."""


def describe_crossing(
    found: Crossing,
    before: str,
    where: tuple[str, str] = WHERE,
) -> str:
    """Return the main sentences about a composition.

    Parameters
    ----------
    before : str
        The earlier release or releases, such as "the release exported before (GLOVE, k = 2)".
    where : (str, str)
        Words for the first and the second release, each beginning with "in".
    """
    alone, both = found.together.alone, people(found.n_both)
    together = f"With {before} and {where[1].removeprefix('in ')} together"
    if found.only_first or found.only_second:
        both += " in both"
    within = "" if found.followed is None else " within a period"
    no_smaller = f"nobody's group{within} is smaller than the smaller of their two groups"
    if found.falls and not found.smaller:
        return f"{together}, {no_smaller}. {describe_followed(found, where)}"
    if not found.falls:
        others = found.together.smallest - 1
        end = (
            f"{alone:,} of {both} {_are(alone)} alone, {'each ' * (alone > 1)}already alone "
            f"{where[0]} or {where[1]}."
            if alone
            else f"each of {both} shares both groups with at least {others:,} "
            f"other{'s' * (others > 1)}."
        )
        return f"{together}, {no_smaller}: {end}"
    if not alone:
        return (
            f"{together}, nobody is alone{within}, but {found.smaller:,} of {both} "
            f"{_have(found.smaller)} a smaller group than in any one release."
            f"{_fall(found, where)}"
        )
    newly = found.newly_alone
    if newly == alone:
        who = "that person is not" if alone == 1 else "none of these people is"
        by_itself = f"In either release by itself, {who} alone"
    elif newly:
        by_itself = f"{newly:,} of these people {_are(newly)} alone in no single release"
    else:
        who = "Each of these people" if alone > 1 else "That person"
        by_itself = f"{who} is already alone {where[0]} or {where[1]}"
    are_alone = f"{alone:,} of {both} {_are(alone)} alone: nobody else shares both groups with them"
    return f"{together}, {are_alone}. {by_itself}.{_fall(found, where)}"


def describe_naming(found: Crossing) -> str:
    """State the mean chance of picking the right person: by both releases, by each, by guessing."""
    return (
        "Suppose that an attacker knows only a person's two groups, and who is in them. On average "
        f"the attacker picks the right person with a chance of {_percent(found.together.naming)}. "
        f"From one release alone, the chance is {_percent(found.first.naming)}; from the other, it "
        f"is {_percent(found.second.naming)}. Guessing among everyone in both releases gives "
        f"{_percent(found.guessing)}."
    )


def describe_followed(found: Crossing, where: tuple[str, str] = WHERE) -> str:
    """Say how many people are singled out by their groups in all periods; "" without periods."""
    if found.followed is None:
        return ""
    both, *each = (crowd.alone for crowd in found.followed)
    already = " and ".join(f"{n:,} already {side}" for n, side in zip(each, where, strict=True))
    return (
        "These figures concern one period at a time. An attacker who knows a person's groups in "
        f"every period knows more. {both:,} of {people(found.n_both)} {_are(both)} then alone in "
        f"both together, {already}."
    )


def describe_counted(found: Crossing) -> str:
    """Say how many people are in both releases, and in each."""
    said = (
        f"{people(found.n_both)} {_are(found.n_both)} in both releases. In all, one release holds "
        f"{people(found.n_first)}, the other {found.n_second:,}."
    )
    if found.n_both < FEW * min(found.n_first, found.n_second):
        said += " So few: are these releases of the same people, under the same ids?"
    return said


def people(number: int) -> str:
    """Return a number of people in words, such as "1 person", "600 people"."""
    return "1 person" if number == 1 else f"{number:,} people"


def _fall(found: Crossing, where: tuple[str, str]) -> str:
    """State the smallest group of each release and of both together.

    Return "" where the smallest group of both together is no smaller than that of either release.
    """
    first, second = found.first.smallest, found.second.smallest
    if found.together.smallest == min(first, second):
        return ""
    return (
        f" The smallest group has {first:,} people {where[0]} and {second:,} {where[1]}, but only "
        f"{found.together.smallest:,} in both together."
    )


def _percent(share: float) -> str:
    value = 100 * share
    if 0 < value < 0.1:
        return "less than 0.1%"
    return f"{value:.1f}%" if value < 10 else f"{value:.0f}%"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _have(number: int) -> str:
    return "has" if number == 1 else "have"

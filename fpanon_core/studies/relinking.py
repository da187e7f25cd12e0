"""Re-linking attack on a release in periods: how well new pseudonyms protect people.

Everybody has a different pseudonym in each period. The attacker has only the published records, and
matches the records of two periods. One attacker compares records by their places and hours of the
day. The other attacker also uses the move from the last cell of one record to the first cell of the
next. The stronger of the two is reported. The true owner of a record is used only to count correct
links; :class:`Copies` holds it with the records.

Source: docs/science.md, “Whose records belong together”; the matching of statistics follows Naini,
Unnikrishnan, Thiran and Vetterli 2016.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from operator import itemgetter
from typing import Any, Unpack

import numpy as np
import pandas as pd

from ..anonymize.carrying import noise_in_space, noise_in_time
from ..anonymize.chain import release
from ..attacks import relinking as attack
from ..attacks.assignment import Flows
from ..attacks.relinking import Bins, Moves, Traces
from ..engines.local import Engine
from ..engines.progress import Progress, part
from ..model.arrays import FloatArray, IntArray, distinct_rows, rows_of
from ..model.composition import ATTACKERS, RelinkConfig, RelinkResult
from ..model.errors import ConfigError, InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult
from ..model.intervals import wilson_interval
from ..model.options import ReleaseOption
from ..model.released import AnyRelease, ReleasedSet, option_of
from .estimates import Growth, costs
from .linkage import origin_within
from .tabled import Tabled, Work, nth_of, part_of, working

_RANDOM_DRAWS = 20
_LIKENESS, _CONTINUITY = ATTACKERS
_ALIKE = ("alike", "alike_low", "alike_high")
_PAIRS_SHARE = 0.4  # of the progress; the rest is the chains


@dataclass(frozen=True)
class Config:
    """The release that is attacked, and the settings of the attack.

    Attributes
    ----------
    option : ReleaseOption
        An option whose steps cut the data into periods.
    relink : RelinkConfig
        Settings of the attack; the release is made with the same seed.
    """

    option: ReleaseOption
    relink: RelinkConfig = field(default_factory=RelinkConfig)


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """Result of the re-linking attack.

    Attributes
    ----------
    config : Config
    digest : str
        Digest of the original.
    found : RelinkResult
    """

    config: Config
    digest: str
    found: RelinkResult

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the table ``relinked_periods``: a row for each pair of consecutive periods."""
        return {"relinked_periods": self.found.to_frame()}


# Records of two periods are compared in pairs and, with more people, also at more points.
@costs(900, growth=Growth(powers=(2.2, 2.3)))
def study(
    fs: FingerprintSet, config: Config, released: AnyRelease | None = None, **work: Unpack[Work]
) -> Result:
    """Attack a release in periods; make the release first if it is not given."""
    if released is None:
        making, work = part_of(work, 0.0, 0.5), part_of(work, 0.5, 1.0)
        released = release(fs, config.option, seed=config.relink.seed, **making)
    c = config.relink
    found = relink_periods(released, candidates=c.candidates, seed=c.seed, **work)
    return Result(config, found.digest, found)


def relink_periods(
    released: AnyRelease,
    *,
    candidates: int = 512,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> RelinkResult:
    """Link records of consecutive periods without known points; measure how often this succeeds.

    Parameters
    ----------
    released : ReleasedSet or GloveResult
        Result of :func:`release`, :func:`glove` or :func:`aligned` on data in periods.
    candidates : int
        Number of people behind the candidate records of each record; the likeliest records are
        taken until this many people share them.
    seed : int
        Seed of the draws among equal records when chains are built, and of the random matching.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    RelinkResult
        Share of people whose records the stronger of two attackers links correctly from one period
        to the next, and mean share of a person's records that this attacker brings into one chain.
        Both have intervals, and are given for a random matching too.

    Raises
    ------
    ConfigError
        A parameter is out of its range, the release is not in periods, or it does not say what it
        was made from.
    InfeasibleError
        Nothing is published, there is one period only, or nobody has a record in both a period and
        the next.

    Notes
    -----
    The likeness of two records is ``Σ_b √m_b · ln(1 + K(b) / K̄(b))`` over the bins of both. K is
    the mass that the other record gives the bin, and K̄ the mass that the mean person of that
    record's period gives it. The attack is the one-to-one matching with the greatest total
    likeness. See docs/science.md, “Whose records belong together”.

    Examples
    --------
    Two people are each at a place of their own on both days; two more have equal records.

    >>> from fpanon_core import Periods, release
    >>> x = [0, 0, 5_000, 5_000, 9_000, 9_000, 9_000, 9_000]
    >>> day = [0, 1_440] * 4
    >>> fs = FingerprintSet.from_samples([1, 1, 2, 2, 3, 3, 4, 4], x, [0] * 8, day)
    >>> found = relink_periods(release(fs, Periods(1), seed=0))
    >>> found.share, found.alike, found.chance
    (0.75, 1.0, 0.25)
    """
    config = RelinkConfig(candidates, seed)
    copies = Copies.of(released)
    periods = np.unique(copies.period).tolist()
    if len(periods) < 2:
        raise InfeasibleError(
            "This release has records of one period only, so there is nothing to link; make "
            "shorter periods, or load data that cover more days."
        )
    work = working(engine, progress)
    rng = np.random.default_rng(config.seed)
    people = np.zeros(len(copies.person), bool)
    rows: dict[str, list[dict[str, Any]]] = {attacker: [] for attacker in ATTACKERS}
    parts = [Part.of(copies, number, step) for step, number in enumerate(periods)]
    begun: dict[str, Flows] = {}
    for step, (one, two) in enumerate(pairwise(parts)):
        now = nth_of(part_of(work, 0.0, _PAIRS_SHARE), step, len(parts) - 1)
        groups = one.groups, two.groups
        flows = _links(copies, *groups, tuple(ATTACKERS), config.candidates, now)
        begun = begun or flows
        for attacker in ATTACKERS:
            row, first = _counted(one, two, flows[attacker], copies)
            people[one.rows[first]] = True
            pair = {"period": periods[step], "next_period": periods[step + 1]}
            rows[attacker].append({**pair, **row})
    n_people = len(np.unique(copies.person[people]))
    if n_people == 0:
        raise InfeasibleError(
            "Nobody has records in two consecutive periods. Records with other periods between "
            "them may still be linked, but this is not measured; make longer periods to measure it."
        )
    figures = [_figures(name, rows[name], n_people) for name in ATTACKERS]
    attacker = max(figures, key=itemgetter("high"))["attacker"]

    def follow(first: Traces, second: Traces, told: Progress | None) -> Flows:
        now: Work = {**work, "progress": told}
        return _links(copies, first, second, (attacker,), config.candidates, now)[attacker]

    records, told = [each.records for each in parts], part(progress, _PAIRS_SHARE, 1.0)
    chain = attack.chained(records, follow, rng, begun[attacker], told)
    person = [copies.person[each.rows] for each in parts]
    sizes = [len(each.rows) for each in parts]
    draws = [_together(person, attack.by_chance(sizes, rng)).mean() for _ in range(_RANDOM_DRAWS)]
    chains = _together(person, chain), float(np.mean(draws))
    return _result(copies, config, figures, pd.DataFrame(rows[attacker]), n_people, chains)


def _result(
    copies: Copies,
    config: RelinkConfig,
    figures: list[dict[str, Any]],
    table: pd.DataFrame,
    n_people: int,
    chains: tuple[FloatArray, float],
) -> RelinkResult:
    (together, by_draws), both = chains, int(table["both"].sum())
    best, alike = (max(figures, key=itemgetter(end)) for end in ("high", "alike_high"))
    named: dict[str, Any] = best | {name: alike[name] for name in _ALIKE}
    ends = _with_ends(float(together.mean()), len(together))
    named |= zip(("chained", "chained_low", "chained_high"), ends, strict=True)
    return RelinkResult(
        **named,
        alike_chance=float(table["alike_chance"].sum()) / both,
        # A random matching links everybody on the smaller side; a person on both sides is linked
        # correctly with a chance of 1 over the number on the larger side.
        chance=float((table["both"] / _larger(table)).sum()) / both,
        chained_chance=by_draws,
        n_people=n_people,
        n_chained=len(together),
        per_pair=_per_pair(table),
        method=copies.method,
        period_days=copies.days,
        config=config,
        digest=copies.digest,
        by_attacker=pd.DataFrame(figures),
    )


def _links(
    copies: Copies, first: Traces, second: Traces, attackers: tuple[str, ...], most: int, work: Work
) -> dict[str, Flows]:
    """Return the links that each attacker makes, from the same pairs of records."""
    pairs = attack.likenesses(copies.bins, first, second, most, **work)
    found = {}
    if _LIKENESS in attackers:
        found[_LIKENESS] = attack.links(pairs, first, second)
    if _CONTINUITY in attackers:
        moved = attack.with_moves(pairs, copies.moves, first, second, work["engine"])
        found[_CONTINUITY] = attack.links(moved, first, second)
    return found


def _figures(attacker: str, rows: list[dict[str, Any]], n_people: int) -> dict[str, Any]:
    """Return the figures of an attacker over all pairs of periods."""
    both, linked, alike, made = pd.DataFrame(rows)[["both", "linked", "alike", "links"]].sum()
    share, like = (_with_ends(float(found / both), n_people) for found in (linked, alike))
    return {
        "attacker": attacker,
        **dict(zip(("share", "low", "high"), share, strict=True)),
        **dict(zip(_ALIKE, like, strict=True)),
        "precision": float(linked / made) if made else np.nan,
    }


def _counted(
    one: Part, two: Part, flows: tuple[IntArray, ...], copies: Copies
) -> tuple[dict[str, Any], IntArray]:
    """Return the figures of two periods, and the first period's copies of people in both."""
    of, to, many = flows
    _, first, second = np.intersect1d(
        copies.person[one.rows], copies.person[two.rows], assume_unique=True, return_indices=True
    )
    width = len(two.groups.weight)
    sent = pd.Series(many, of * width + to)
    here, there = one.group[first], two.group[second]
    reached: FloatArray = sent.reindex(here * width + there, fill_value=0).to_numpy(np.float64)
    alike = reached / one.groups.weight[here]
    right = alike / two.groups.weight[there]
    row = {
        "people": len(one.rows),
        "next_people": len(two.rows),
        "both": len(first),
        "links": int(many.sum()),
        "linked": float(right.sum()),
        "alike": float(alike.sum()),
        "alike_chance": float(two.groups.weight[there].sum()) / max(len(one.rows), len(two.rows)),
    }
    return row, first


def _together(person: list[IntArray], chain: list[IntArray]) -> FloatArray:
    """Return the largest share of their records in one chain, for people with several records."""
    who, number = pd.factorize(np.concatenate(person))[0], np.concatenate(chain)
    records = np.bincount(who)
    first, which = distinct_rows(who, number)
    largest = np.zeros(len(records), np.int64)
    np.maximum.at(largest, who[first], np.bincount(which))
    several = records > 1
    return np.asarray(largest[several] / records[several])


def _per_pair(table: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each period and the next, as :attr:`RelinkResult.per_pair`."""
    counted = zip(table["linked"], table["both"], strict=True)
    ends = [wilson_interval(x, n) if n else (np.nan, np.nan) for x, n in counted]
    asked = table["both"].where(table["both"] > 0)
    return table.assign(
        share=table["linked"] / asked,
        low=[low for low, _ in ends],
        high=[high for _, high in ends],
        alike=table["alike"] / asked,
        alike_chance=table["alike_chance"] / asked,
        precision=table["linked"] / table["links"].where(table["links"] > 0),
        chance=(1 / _larger(table)).where(table["both"] > 0),
    )


def _larger(table: pd.DataFrame) -> pd.Series[Any]:
    """Return the number of people in the larger period of each pair."""
    return table[["people", "next_people"]].max(axis=1)


def _with_ends(mean: float, of: int) -> tuple[float, float, float]:
    """Return a mean of values from 0 to 1 over ``of`` people, with its interval."""
    mean = min(mean, 1.0)
    return mean, *wilson_interval(mean * of, of)


@dataclass(frozen=True, eq=False)
class Copies:
    """A release with one copy of each record per person who shares it, by period and person.

    Attributes
    ----------
    bins : Bins
    moves : Moves
        Distances that people travel in given times.
    traces : Traces
        The distinct records, in order of the first copy.
    record, person, period : int64 ndarray (n_copies,)
        For each copy, the record, the owner and the number of the period. Copies are in order of
        period and person, so the order of the release does not matter.
    method : str
        The steps of the release, in words.
    days : int
        Days in a period.
    digest : str
        Digest of the original.
    """

    bins: Bins
    moves: Moves
    traces: Traces
    record: IntArray
    person: IntArray
    period: IntArray
    method: str
    days: int
    digest: str

    @classmethod
    def of(cls, released: AnyRelease) -> Copies:
        """Read the records of a release in periods, with their owners.

        Raises
        ------
        ConfigError
            The release is not in periods, or does not say what it was made from.
        InfeasibleError
            The release publishes nothing.
        """
        if isinstance(released, GloveResult):
            hidden: GloveResult | None = released
            person, period = released.people, released.period
            days, digest = released.period_days, released.whole_digest
            option = option_of(released)
            if period is not None:
                inside = released.group >= 0
                person, period = person[inside], period[inside]
        else:
            origin = origin_within(released)
            hidden, person, period = origin.hidden, origin.person, origin.period
            days, digest, option = origin.period_days, origin.original.digest, origin.option
        if period is None or days is None:
            raise ConfigError(
                "This release is not in periods: everybody has one record, and there is nothing to "
                "link; cut the data by Periods or into_periods first."
            )
        if len(person) == 0:
            raise InfeasibleError(
                "Nothing is published in this release. Raise the limits, or choose a smaller k."
            )
        if hidden is None:
            assert isinstance(released, ReleasedSet)
            fs: FingerprintSet = released
            record, weight = np.arange(fs.n_users), fs.weight
        else:
            fs = hidden.published.fingerprints()
            inside = hidden.group >= 0
            record, weight = hidden.group[inside], hidden.weight[inside]
        # A fingerprint of weight n counts as n people, who are the same in each period.
        piece = np.repeat(np.arange(len(weight)), weight)
        nth = rows_of(np.zeros(len(weight), np.int64), weight)
        most = int(weight.max())
        who = person[piece] * most + nth
        order = np.lexsort((who, period[piece]))
        number, seen = pd.factorize(record[piece][order])
        noise = noise_in_space(option), noise_in_time(option)
        moves, ends = attack.moves_of(fs, *noise)
        bins, traces = attack.traced(fs, ends, *noise)
        chosen = traces.rows(np.asarray(seen))
        many = np.bincount(number)
        return cls(
            bins,
            moves,
            replace(chosen, weight=many),
            number,
            who[order],
            period[piece][order],
            option.text,
            days,
            digest,
        )


@dataclass(frozen=True, eq=False)
class Part:
    """The records of one period.

    Attributes
    ----------
    rows : int64 ndarray (n,)
        Rows of the copies in this period, record by record.
    records : Traces
        The distinct records.
    group : int64 ndarray (n,)
        The group of equal records that each copy belongs to.
    groups : Traces
        One record for each group.
    """

    rows: IntArray
    records: Traces
    group: IntArray
    groups: Traces

    @classmethod
    def of(cls, copies: Copies, period: int, step: int) -> Part:
        """Build the part of one period, whose position among all periods is ``step``."""
        rows = np.flatnonzero(copies.period == period)
        rows = rows[np.argsort(copies.record[rows], kind="stable")]
        record, which = np.unique(copies.record[rows], return_inverse=True)
        records = copies.traces.rows(record)
        of, groups = records.grouped(attack.salt_of(step))
        return cls(rows, records, of[which], groups)

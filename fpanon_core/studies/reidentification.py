"""Re-identification risk: the chance that the strongest attacker picks the right record.

The threat: an attacker knows p points of a person, either true or as published, and picks the
record that fits best. Three attackers try: best sample and Bayes with true points
(:mod:`.linkage`), and Bayes with points as published. Without noise, Bayes picks the shortest
record that fits, since the release shows how long records are. The strongest attacker sets the
risk. :func:`outsider_risk` measures it for a release option, together with home inference. Unicity
and disclosure, in contrast, use points drawn from the release itself.

In a release in periods, each period is searched separately. A record hides among the records of its
own period, never among other records of the same person. The same is true where places are known
without any time. The attacker knows p points of *one* record of a target, the one with the most
samples. If the points were spread over several records, the attacker would know fewer points of
each. A person is picked most easily in the period with the most samples.

Source: docs/science.md, “An attacker who knows the truth” and “Periods”.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..anonymize.chain import Chained
from ..attacks.search import ranks
from ..engines.local import Engine
from ..engines.progress import Progress
from ..measures.crowds import Crowds, crowds
from ..measures.disclosure import disclosure
from ..measures.drawing import drawn
from ..model.arrays import CELL, PLACE, FloatArray, IntArray, offsets_of, rows_of
from ..model.configs import KnowledgeConfig, Strategy
from ..model.disclosure import HOME_WITHIN_M, Measure, Sum
from ..model.errors import InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.intervals import mean_interval, wilson_interval
from ..model.knowledge import Knowledge, KnownPoints, Mechanism
from ..model.linkage import ATTACKERS, LinkConfig, RiskResult, strongest
from ..model.periods import PeriodSet
from ..model.released import AnyRelease
from .learnt import homes_found
from .linkage import Attacked, attacked, of_origin, share_with_interval, targets_of, true_ranks
from .option_result import Interval
from .releases import homes
from .tabled import Work, nth_of, part_of, working

PUBLISHED = "bayes_published"
"""Bayes with points as published."""

BATTERY = (*ATTACKERS, PUBLISHED)
"""The attackers, in the order of :attr:`RiskResult.by_attacker`."""

_TRUE_SHARE = 0.8  # of the progress


def reidentification(
    original: FingerprintSet,
    released: AnyRelease,
    p: int = 4,
    *,
    strategy: Strategy = "random",
    blur_m: float = 0.0,
    blur_min: float = 0.0,
    users: int = 2500,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> RiskResult:
    """Return the share of people whose record the strongest of three attackers picks.

    Parameters
    ----------
    original, released, p, strategy, blur_m, blur_min, users, seed, engine, progress
        As for :func:`link`. Targets are people in the release; if a person has fewer than p points,
        all are known. Points as published are never blurred.

    Returns
    -------
    RiskResult

    Raises
    ------
    ConfigError
        A parameter is out of its range, the release does not say what it was made from, or it was
        made from other data.
    InfeasibleError
        The release is in periods, and points are known without times; or a GloveResult publishes
        nothing.

    Examples
    --------
    One of three records with the known point is shorter than the others.

    >>> from fpanon_core import release
    >>> user, x, t = [1, 2, 2, 3, 3], [0, 0, 500, 0, 900], [5, 5, 6, 5, 6]
    >>> fs = FingerprintSet.from_samples(user, x, [0] * 5, t)
    >>> result = reidentification(fs, release(fs, []), 2)
    >>> result.value, result.attacker, round(result.guessing, 3)
    (1.0, 'bayes', 0.333)
    """
    config = LinkConfig(p, strategy, users, seed, blur_m, blur_min)
    release = attacked(original, released)
    return strongest_of(release, config, groups_of(release), working(engine, progress))


def groups_of(release: Attacked) -> Crowds:
    """Count the people who share each record of a release."""
    origin = release.origin
    person = None if origin.period is None else _rows_of_records(release, origin.person)
    return crowds(origin.released, person)


def strongest_of(release: Attacked, config: LinkConfig, alike: Crowds, work: Work) -> RiskResult:
    """Return the result of :func:`reidentification` for a prepared release with known groups."""
    known = targets_of(release, config, absent=False, beyond=True)
    by_truth = true_ranks(release, known, config, **part_of(work, 0.0, _TRUE_SHARE))
    found = {name: each.first for name, each in by_truth.items()}
    found[PUBLISHED] = published_first(release, config, **part_of(work, _TRUE_SHARE, 1.0))
    possible = dict.fromkeys(BATTERY, alike.linkage_most) | {PUBLISHED: alike.naming_most}
    return _result(release, config, found, possible)


def published_first(release: Attacked, config: LinkConfig, **work: Unpack[Work]) -> FloatArray:
    """Return the chance that Bayes picks each target's record by published points, (n_targets,).

    With periods, the points are drawn from each person's longest record.
    """
    origin, published = release.origin, release.published
    fs, rows = origin.released, np.arange(len(origin.person))
    among = None
    if origin.hidden is not None:
        inside = origin.hidden.group >= 0
        rows = _rows_of_records(release, origin.hidden.group[inside])
    if origin.period is not None:
        person, period = (_rows_of_records(release, v) for v in (origin.person, origin.period))
        among = longest_of(fs.lengths, person, period)
    known = drawn(fs, config.knowledge, among=among, beyond=True)
    cells = {name: getattr(known, name) for name in (PLACE if known.timeless else CELL)}
    if known.timeless:
        cells |= {"t_min": np.zeros(len(known.x_m)), "dt_min": np.ones(len(known.x_m))}
    points = KnownPoints.unexchanged(known.offsets, cells)
    method = Mechanism(timeless=known.timeless, by_count=known.by_count)
    return ranks(published, points, method, rows[known.targets], **work)["bayes"].first


def _rows_of_records(release: Attacked, values: IntArray) -> IntArray:
    """Repeat the values of published records, once for each person who shares the record."""
    hidden = release.origin.hidden
    return values if hidden is None else np.repeat(values, hidden.weight[hidden.group >= 0])


def _result(
    release: Attacked, config: LinkConfig, found: dict[str, FloatArray], possible: dict[str, float]
) -> RiskResult:
    intervals = {}
    for name in BATTERY:
        value, low, high = share_with_interval(found[name])
        # Whatever is known, it fits all people who share a record equally well.
        intervals[name] = value, low, max(value, min(high, possible[name]))
    attacker = strongest(intervals)
    value, low, high = intervals[attacker]
    table = pd.DataFrame.from_dict(intervals, "index", columns=["value", "low", "high"])
    table["targets"] = [len(found[name]) for name in BATTERY]
    return RiskResult(
        value,
        low,
        high,
        attacker,
        table.rename_axis("attacker").reset_index(),
        release.guessing,
        release.origin.option.text,
        config,
        release.origin.original.digest,
    )


UNKNOWN: Interval = (math.nan, math.nan, math.nan)

_LINKAGE_SHARE = 0.8  # of the progress


@dataclass(frozen=True)
class OutsiderRisk:
    """Re-identification, linkage and home inference of one option.

    Attributes
    ----------
    risks : dict of str to (value, low, high)
        ``"outsider"`` (the re-identification risk), ``"linkage"`` (the stronger of the attackers
        with true points) and ``"home"``, with 95% intervals; NaN for what cannot be measured.
    attacker : str
        The strongest attacker, who sets the re-identification risk; empty where it cannot be
        measured.
    guessing : dict of str to float
        Results of guessing. For ``"linkage"``, the mean chance of guessing a person's record; with
        periods, among those of its period. For ``"home"``, the share of people whose home is near
        the commonest home.
    unasked : dict of str to str
        Reason why a measure is missing, by the measure's name.
    homes_asked : int
        Denominator of the home-inference rate: people, or records of periods.
    """

    risks: dict[str, Interval]
    attacker: str
    guessing: dict[str, float]
    unasked: dict[str, str]
    homes_asked: int = 0


def outsider_risk(
    release: Chained, knowledge: KnowledgeConfig, alike: Crowds, work: Work
) -> OutsiderRisk:
    """Measure re-identification risk, linkage and home inference of a release.

    Parameters
    ----------
    release : Chained
    knowledge : KnowledgeConfig
        The attacker's knowledge: p points of each target, or all points of a target with fewer.
    alike : Crowds
        Number of people who share each record, which bounds the intervals.
    work : Work
    """
    held = of_origin(release.origin())
    risks: dict[str, Interval] = {"outsider": UNKNOWN, "linkage": UNKNOWN, "home": UNKNOWN}
    guessing = {"linkage": held.guessing}
    unasked: dict[str, str] = {}
    asked, attacker = 0, ""
    config = LinkConfig(knowledge.p, knowledge.strategy, knowledge.users, knowledge.seed)
    try:
        found = strongest_of(held, config, alike, part_of(work, 0.0, _LINKAGE_SHARE))
        attacker = found.attacker
        risks["outsider"] = found.value, found.low, found.high
        risks["linkage"] = found.by_true_points
    except InfeasibleError as why:
        unasked["linkage"] = str(why)
    try:
        true, last = homes(release.original), part_of(work, _LINKAGE_SHARE, 1.0)
        table = homes_found(held, true, [HOME_WITHIN_M], 1, **last)
        first = table.iloc[0]
        share, low, high, guessing["home"] = map(float, first[["found", "low", "high", "guessing"]])
        risks["home"], asked = (share, low, high), int(first["people"])
    except InfeasibleError as why:
        unasked["home"] = str(why)
    return OutsiderRisk(risks, attacker, guessing, unasked, asked)


@dataclass(frozen=True, eq=False)
class PeriodRisk:
    """Results of the searches in all periods, as in :class:`DisclosureResult`.

    Attributes
    ----------
    sizes : int64 ndarray (n_targets,)
        Size of the anonymity set of each target, in the target's period.
    values : dict of str to ndarray (n_targets,)
        By measure: whether each target is unique (``"unicity"``), the inverse of the size
        of its anonymity set (``"k"``), and its EM- and KL-disclosure, summed over the bins of its
        period, in bins and in nats (``"em_sum"``, ``"kl_sum"``).
    most : dict of str to float
        By measure except unicity: upper bound on any one target's value.
    too_few : int
        Number of targets with fewer than p bins in the record with the known points.
    """

    sizes: IntArray
    values: dict[str, npt.NDArray[Any]]
    most: dict[str, float]
    too_few: int

    @property
    def n_targets(self) -> int:
        """Number of targets."""
        return len(self.sizes)

    def measure(self, name: Measure | Sum) -> float:
        """Return the value of ``"unicity"``, ``"k"``, ``"em_sum"`` or ``"kl_sum"``."""
        return math.fsum(self.values[name]) / self.n_targets

    def interval(self, name: Measure | Sum) -> tuple[float, float]:
        """Return the 95% interval of a measure."""
        if name == "unicity":
            return wilson_interval(int(self.values[name].sum()), self.n_targets)
        return mean_interval(self.measure(name), self.n_targets, self.most[name])


def risk_in(periods: PeriodSet, config: KnowledgeConfig, work: Work) -> PeriodRisk:
    """Search for each target in the period that the known points come from; return the results."""
    fs = periods.pieces
    longest = longest_of(fs.lengths, periods.person, periods.period)
    known = drawn(fs, config, among=longest, beyond=True)
    period = periods.period[known.targets]
    numbers = np.unique(period)
    found = []
    for at, number in enumerate(numbers.tolist()):
        rows = periods.rows_of(number)
        some = _of_some(known, np.flatnonzero(period == number), rows)
        found.append(disclosure(fs.subset(rows), some, **nth_of(work, at, len(numbers))))
    sizes = np.concatenate([each.sizes for each in found])
    em = np.concatenate([each.em_sum_user for each in found])
    kl = np.concatenate([each.kl_sum_user for each in found])
    values = {"unicity": sizes == 1, "k": 1.0 / sizes, "em_sum": em, "kl_sum": kl}
    em_most, kl_most = max(f.em_most for f in found), max(f.kl_most for f in found)
    most = {"k": 1.0, "em_sum": em_most, "kl_sum": kl_most}
    return PeriodRisk(sizes, values, most, known.too_few)


def longest_of(lengths: IntArray, person: IntArray, period: IntArray) -> IntArray:
    """Return the row of each person's longest record, in ascending order.

    If several records are equally long, the earliest is taken.
    """
    order = np.lexsort((period, -lengths, person))
    return np.asarray(np.sort(order[np.flatnonzero(np.diff(person[order], prepend=-1))]))


def _of_some(known: Knowledge, targets: IntArray, rows: IntArray) -> Knowledge:
    """Return the knowledge of some targets, numbered by position in the ascending ``rows``."""
    sizes = known.sizes[targets]
    points = rows_of(known.offsets[:-1][targets], sizes)
    return replace(
        known,
        targets=np.searchsorted(rows, known.targets[targets]),
        offsets=offsets_of(sizes),
        **{name: values[points] for name, values in known.arrays().items()},
    )

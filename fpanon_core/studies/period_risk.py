"""What does an outsider find in a release in periods? The risk of people, through their records.

Each period is searched for itself: a record hides among those of its own period, never among a
person's others, also where places are known without any time. What is known of a target are p
points of *one* record, that with the most samples: of points that fall into several records each
record is found by fewer, and whoever is recorded most is found most easily.

Source: docs/science.md, “Periods”.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ..engines.local import Engine
from ..engines.progress import Progress, nth_part
from ..measures.disclosure import disclosure
from ..measures.drawing import drawn
from ..model.arrays import FloatArray, IntArray, offsets_of, rows_of
from ..model.configs import KnowledgeConfig
from ..model.disclosure import Measure, Sum
from ..model.intervals import mean_interval, wilson_interval
from ..model.knowledge import Knowledge
from ..model.periods import PeriodSet


@dataclass(frozen=True, eq=False)
class PeriodRisk:
    """What the searches of all periods found, as of :class:`DisclosureResult`.

    Attributes
    ----------
    sizes : int64 ndarray (n_targets,)
        People among whom each target is hidden, in the target's period.
    em_sum, kl_sum : float64 ndarray (n_targets,)
        Sums over the bins of that period.
    em_most, kl_most : float
        What no target's sum can exceed.
    too_few : int
        Targets with fewer than p bins in the record that is known of.
    """

    sizes: IntArray
    em_sum: FloatArray
    kl_sum: FloatArray
    em_most: float
    kl_most: float
    too_few: int

    @property
    def n_targets(self) -> int:
        """How many people were looked for."""
        return len(self.sizes)

    def measure(self, name: Measure | Sum) -> float:
        """The value of ``"unicity"``, ``"k"``, ``"em_sum"`` or ``"kl_sum"``."""
        values = {
            "unicity": self.sizes == 1, "k": 1.0 / self.sizes, "em_sum": self.em_sum,
            "kl_sum": self.kl_sum,
        }[name]  # fmt: skip
        return math.fsum(values) / self.n_targets

    def interval(self, name: Measure | Sum) -> tuple[float, float]:
        """Its 95 % interval."""
        if name == "unicity":
            return wilson_interval(int((self.sizes == 1).sum()), self.n_targets)
        most = {"k": 1.0, "em_sum": self.em_most, "kl_sum": self.kl_most}[name]
        return mean_interval(self.measure(name), self.n_targets, most)


def risk_in(
    periods: PeriodSet, config: KnowledgeConfig, engine: Engine, progress: Progress | None
) -> PeriodRisk:
    """Look for people, each in the period of the record that is known of."""
    fs = periods.pieces
    longest = longest_of(fs.lengths, periods.person, periods.period)
    known = drawn(fs, config, among=longest, beyond=True)
    period = periods.period[known.targets]
    numbers = np.unique(period)
    found = []
    for at, number in enumerate(numbers.tolist()):
        rows = periods.rows_of(number)
        some = _of_some(known, np.flatnonzero(period == number), rows)
        told = nth_part(progress, at, len(numbers))
        found.append(disclosure(fs.subset(rows), some, engine=engine, progress=told))
    return PeriodRisk(
        sizes=np.concatenate([each.sizes for each in found]),
        em_sum=np.concatenate([each.em_sum_user for each in found]),
        kl_sum=np.concatenate([each.kl_sum_user for each in found]),
        em_most=max(each.em_most for each in found),
        kl_most=max(each.kl_most for each in found),
        too_few=known.too_few,
    )


def longest_of(lengths: IntArray, person: IntArray, period: IntArray) -> IntArray:
    """Row of each person's record with the most samples, ascending; ties: the earlier period."""
    order = np.lexsort((period, -lengths, person))
    first: IntArray = np.sort(order[np.flatnonzero(np.diff(person[order], prepend=-1))])
    return first


def _of_some(known: Knowledge, targets: IntArray, rows: IntArray) -> Knowledge:
    """What is known of some of the targets, by their numbers among ``rows``, ascending."""
    sizes = known.sizes[targets]
    points = rows_of(known.offsets[:-1][targets], sizes)
    return replace(
        known,
        targets=np.searchsorted(rows, known.targets[targets]),
        offsets=offsets_of(sizes),
        **{name: values[points] for name, values in known.arrays().items()},
    )

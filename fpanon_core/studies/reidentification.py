"""How likely does an attacker pick the right record? The strongest attacker of a stated battery.

The threat: an attacker knows p points of a person, either as they truly were or as the release
shows them, and picks the record that fits best. Three attackers try: the best sample and Bayes with
true points (:mod:`.linkage`), and Bayes with points as published. Without noise Bayes picks the
shortest record that fits, since the release shows how long records are.

Source: docs/science.md, “An outsider who knows the truth”.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..attacks.search import ranks
from ..engines.local import Engine, LocalEngine
from ..engines.progress import Progress, part
from ..measures.crowds import Crowds, crowds
from ..measures.drawing import drawn
from ..model.arrays import CELL, PLACE, FloatArray, IntArray
from ..model.configs import Strategy
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult
from ..model.knowledge import KnownPoints, Mechanism
from ..model.linkage import ATTACKERS, LinkConfig, RiskResult, strongest
from ..model.released import ReleasedSet
from .attacked import Attacked, attacked
from .linkage import share_with_interval, targets_of, true_ranks
from .period_risk import longest_of

PUBLISHED = "bayes_published"
"""Bayes with points as published."""

BATTERY = (*ATTACKERS, PUBLISHED)
"""The attackers, in the order of :attr:`RiskResult.by_attacker`."""

_TRUE_SHARE = 0.8  # of the progress


def reidentification(
    original: FingerprintSet,
    released: ReleasedSet | GloveResult,
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
    """Share of people whose record the strongest of three attackers picks.

    Parameters
    ----------
    original, released, p, strategy, blur_m, blur_min, users, seed, engine, progress
        As of :func:`link`. Targets are people in the release; of a person with fewer than p points
        all are known. Points as published are never blurred.

    Returns
    -------
    RiskResult

    Raises
    ------
    ConfigError
        A parameter is out of its range, or the release does not know what it was made of.
    InfeasibleError
        The release is in periods, and points are known without times.

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
    engine = engine or LocalEngine()
    return strongest_of(release, config, groups_of(release), engine=engine, progress=progress)


def groups_of(release: Attacked) -> Crowds:
    """How many people share each record of a release."""
    origin = release.origin
    person = None if origin.period is None else _rows_of_records(release, origin.person)
    return crowds(origin.released, person)


def strongest_of(
    release: Attacked, config: LinkConfig, alike: Crowds, *, engine: Engine,
    progress: Progress | None = None,
) -> RiskResult:  # fmt: skip
    """:func:`reidentification`, for a caller who has the release and its groups at hand."""
    known = targets_of(release, config, absent=False, beyond=True)
    by_truth = true_ranks(
        release, known, config, engine=engine, progress=part(progress, 0.0, _TRUE_SHARE)
    )
    found = {name: each.first for name, each in by_truth.items()}
    found[PUBLISHED] = published_first(
        release, config, engine=engine, progress=part(progress, _TRUE_SHARE, 1.0)
    )
    possible = dict.fromkeys(BATTERY, alike.linkage_most) | {PUBLISHED: alike.naming_most}
    return _result(release, config, found, possible)


def published_first(
    release: Attacked, config: LinkConfig, *, engine: Engine, progress: Progress | None = None
) -> FloatArray:
    """The chance that Bayes picks each target's record by points as published, (n_targets,).

    With periods, the points are those of each person's longest record.
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
    own = rows[known.targets]
    found = ranks(published, points, method, own, engine=engine, progress=progress)
    return found["bayes"].first


def _rows_of_records(release: Attacked, values: IntArray) -> IntArray:
    """Of each record that leaves, as often as the data after have a fingerprint for it."""
    hidden = release.origin.hidden
    return values if hidden is None else np.repeat(values, hidden.weight[hidden.group >= 0])


def _result(
    release: Attacked, config: LinkConfig, found: Mapping[str, FloatArray],
    possible: Mapping[str, float],
) -> RiskResult:  # fmt: skip
    intervals = {}
    for name in BATTERY:
        value, low, high = share_with_interval(found[name])
        # Whatever is known, all who share a record fit it alike.
        intervals[name] = value, low, max(value, min(high, possible[name]))
    attacker = strongest(intervals)
    value, low, high = intervals[attacker]
    table = pd.DataFrame.from_dict(intervals, "index", columns=["value", "low", "high"])
    table["targets"] = [len(found[name]) for name in BATTERY]
    return RiskResult(
        value, low, high, attacker, table.rename_axis("attacker").reset_index(), release.guessing,
        release.origin.option.text, config, release.origin.original.digest,
    )  # fmt: skip

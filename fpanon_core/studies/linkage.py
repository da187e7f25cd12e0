"""Linkage: whose record an attacker with true points picks, in any release option.

Unicity draws its points from the release. Linkage draws them from the original, and scores every
published record by how likely the stated method is to make it from such points.

Source: docs/science.md, “An attacker who knows the truth”.

The module also prepares an attack: it joins a release to the data it was made from. In a release in
periods, each person's part in each period is attacked separately. The attacker knows points of one
period, and looks for the record of that period. Linking a person's records across periods is
a different attack.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
import pandas as pd

from ..anonymize.carrying import Carried, carried
from ..anonymize.periods import into_periods
from ..attacks.homes import Homes, HomesAsked
from ..attacks.search import Published, Ranks, ranks
from ..engines.local import Engine
from ..engines.progress import Progress
from ..measures.drawing import drawn
from ..model.arrays import BoolArray, FloatArray, IntArray, offsets_of
from ..model.configs import Strategy
from ..model.errors import ConfigError, InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult
from ..model.intervals import wilson_interval
from ..model.knowledge import Knowledge
from ..model.linkage import LinkConfig, LinkReading, LinkResult, strongest
from ..model.released import AnyRelease, Origin, ReleasedSet
from .tabled import Work, working

FIRST_FEW = 10
"""Number of leading records that an attacker is willing to examine."""


def link(
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
) -> LinkResult:
    """Return the share of people whose record an attacker picks with p true points of each.

    Parameters
    ----------
    original : FingerprintSet
        The data that the release was made from.
    released : ReleasedSet or GloveResult
        Result of :func:`release`, :func:`glove` or :func:`aligned` on these data.
    p : int
        Number of known points of each target; the points are samples of the original.
    strategy : {"random", "uniform", "top", "consecutive"}
        How the points are chosen; see :func:`draw_knowledge`.
    blur_m, blur_min : float
        Standard deviations of the attacker's own normally distributed errors: along x and y, in
        metres; and in time, in minutes. The attacker knows both.
    users : int
        Largest number of targets drawn from each of two groups: the people in the release, and all
        others.
    seed : int
        Seed of the draws of targets, points and errors; not of the release.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    LinkResult
        Shares of people whose record the stronger of two attackers picks, or ranks among the first
        ten, with intervals; and the share that guessing picks. The result also counts accusations
        of people who are not in the release.

    Raises
    ------
    ConfigError
        A parameter is out of its range, or the release carries no account of its original or was
        made from other data.
    InfeasibleError
        p exceeds the length of every record; or the release is in periods, and points are known
        without times.

    Notes
    -----
    Let f(q | s) be the density that the stated method gives the point q for a published sample s of
    the record r. The score of r is ``Σ_q ln max(max_s f(q | s), floor)`` (best sample) or
    ``Σ_q ln max(Σ_s w_s·f(q | s), floor)`` (Bayes). Here w_s is 1 over the number of samples of r,
    or is proportional to counts where points are drawn by count. A density at or below the floor
    counts as none. Where people were sampled, "not in the release" is a separate hypothesis. See
    docs/science.md, “An attacker who knows the truth”.

    Examples
    --------
    Two of three people were together; each of the two is picked half the time.

    >>> from fpanon_core import AddNoise, release
    >>> fs = FingerprintSet.from_samples([1, 2, 3], [0, 0, 9000], [0, 0, 0], [5, 5, 5])
    >>> result = link(fs, release(fs, []), 1)
    >>> round(result.first, 3), round(result.guessing, 3)
    (0.667, 0.333)

    The shorter of two records with the known point is the likelier one.

    >>> fs = FingerprintSet.from_samples([1, 2, 2, 2], [0, 0, 500, 900], [0] * 4, [5, 5, 6, 7])
    >>> link(fs, release(fs, []), 1).by_attacker["first"].round(2).tolist()
    [0.75, 1.0]
    """
    config = LinkConfig(p, strategy, users, seed, blur_m, blur_min)
    release = attacked(original, released)
    known = targets_of(release, config)
    found = true_ranks(release, known, config, **working(engine, progress))
    return _result(release, known, found, config)


def true_ranks(
    release: Attacked, known: Knowledge, config: LinkConfig, **work: Unpack[Work]
) -> dict[str, Ranks]:
    """Return, for each attacker, the ranks that true points give the targets' own records."""
    cells = cells_known(release, known, config)
    own = release.published.own[known.targets]
    return ranks(release.published, cells.points, cells.mechanism, own, **work)


def cells_known(release: Attacked, known: Knowledge, config: LinkConfig) -> Carried:
    """Return the known points as the release would publish them, with the attacker's errors."""
    blur = {"blur_m": config.blur_m, "blur_min": config.blur_min}
    return carried(release.origin, known, **blur, seed=config.seed)


def targets_of(
    release: Attacked, config: LinkConfig, *, absent: bool = True, beyond: bool = False
) -> Knowledge:
    """Draw known points of the people in the release and then, with ``absent``, of all others.

    Each of the two groups is in the order of the fingerprints. With everybody in the release, the
    draws are those of :func:`draw_knowledge`. With ``beyond``, p may exceed the length of every
    record.
    """
    if release.period is not None and config.strategy == "top":
        # An attacker who knows the period would find more than one who searches all of them.
        raise InfeasibleError(
            "Places without times do not say which period they come from. Without the period, "
            "nobody can look for the right record; draw points other than the most visited places."
        )
    inside = release.published.own >= 0
    groups = [np.flatnonzero(inside), *([np.flatnonzero(~inside)] if absent else [])]
    whole = release.whole
    known = [
        drawn(whole, config.knowledge, among=rows, beyond=beyond) for rows in groups if len(rows)
    ]
    if len(known) == 1:
        return known[0]
    first, second = known
    cells: dict[str, Any] = {
        name: np.concatenate([values, second.arrays()[name]])
        for name, values in first.arrays().items()
    }
    return replace(
        first,
        targets=np.concatenate([first.targets, second.targets]),
        offsets=offsets_of(np.concatenate([first.sizes, second.sizes])),
        too_few=first.too_few + second.too_few,
        **cells,
    )


def _result(
    release: Attacked, known: Knowledge, found: dict[str, Ranks], config: LinkConfig
) -> LinkResult:
    origin, published = release.origin, release.published
    present = published.own[known.targets] >= 0
    readings = {name: _reading(each, present) for name, each in found.items()}
    attacker = strongest(
        {name: (r.first, r.first_low, r.first_high) for name, r in readings.items()}
    )
    best = found[attacker]

    def here(values: FloatArray) -> FloatArray:
        return np.where(present, values, np.nan)

    user = release.person[known.targets]
    table = pd.DataFrame(
        {
            "user": user,
            "pseudonym": np.array(origin.original.pseudonyms)[user],
            "present": present,
            "points": known.sizes,
            "better": here(best.better),
            "level": here(best.level),
            "first": here(best.first),
            "among_10": here(_among_first(best)),
            "posterior": here(best.posterior),
            "accused": np.where(present, np.nan, best.taken.astype(np.float64)),
            **{name: here(each.first) for name, each in found.items()},
        }
    )
    if release.period is not None:
        table.insert(2, "period", release.period[known.targets])
    return LinkResult(
        readings=readings,
        attacker=attacker,
        guessing=release.guessing,
        n_present=int(present.sum()),
        n_absent=int((~present).sum()),
        n_users=published.n_people,
        too_few=known.too_few,
        per_target=table,
        method=origin.option.text,
        config=config,
        digest=origin.original.digest,
    )


def _among_first(found: Ranks) -> FloatArray:
    return np.asarray(np.clip((FIRST_FEW - found.better) / np.maximum(found.level, 1), 0, 1))


def _reading(found: Ranks, present: BoolArray) -> LinkReading:
    accused = found.taken[~present]
    return LinkReading(
        *share_with_interval(found.first[present]),
        *share_with_interval(_among_first(found)[present]),
        *share_with_interval(found.posterior[present]),
        *share_with_interval(accused.astype(np.float64)),
        n_accused=int(accused.sum()),
    )


def share_with_interval(values: FloatArray) -> tuple[float, float, float]:
    """Return the mean of chances and its 95% Wilson interval; NaN if there are no chances.

    Chances between 0 and 1 vary less than outcomes of 0 or 1 with the same mean, so this interval
    is no shorter than needed.
    """
    if len(values) == 0:
        return np.nan, np.nan, np.nan
    # Exactly 1/5 where everybody is one of five: a threshold of 20% is not broken by rounding.
    total = min(math.fsum(values), float(len(values)))
    low, high = wilson_interval(total, len(values))
    return total / len(values), low, high


@dataclass(frozen=True, eq=False)
class Attacked:
    """A release, and the fingerprints that its records were made from.

    Attributes
    ----------
    origin : Origin
    whole : FingerprintSet
        The original; with periods, its pieces.
    person : int64 ndarray (whole.n_users,)
        Row number, in the original, of the person of each fingerprint.
    period : int64 ndarray (whole.n_users,) or None
        Number of the period of each fingerprint; None without periods.
    published : Published
    """

    origin: Origin
    whole: FingerprintSet
    person: IntArray
    period: IntArray | None
    published: Published

    @property
    def guessing(self) -> float:
        """Mean chance of guessing a person's record; with periods, among those of its period."""
        # The mean over all people, n_p of them in period p: Σ_p n_p · (1/n_p) / Σ_p n_p.
        periods = 1 if self.origin.period is None else len(np.unique(self.origin.period))
        return periods / self.published.n_people


def attacked(original: FingerprintSet, released: AnyRelease) -> Attacked:
    """Join a release to the data it was made from.

    Raises
    ------
    ConfigError
        The release carries no account of its original, or was made from other data.
    """
    if isinstance(released, GloveResult):
        return of_origin(Origin.of_glove(released, original))
    origin = origin_within(released)
    if origin.original is not original and origin.original.digest != original.digest:
        raise ConfigError(
            "This release was made from other data than those given as the original; give the "
            "fingerprints that it was made from."
        )
    return of_origin(origin)


def of_origin(origin: Origin) -> Attacked:
    """Join a release, given by its origin, to the data it was made from."""
    original = origin.original
    if origin.period is None or origin.period_days is None:
        everybody = np.arange(original.n_users)
        published = Published.of(origin, origin.person, original.n_users)
        return Attacked(origin, original, everybody, None, published)
    cut = into_periods(original, origin.period_days, seed=0)
    whose = rows_in_period(cut.person, cut.period, origin.person, origin.period)
    published = Published.of(origin, whose, cut.pieces.n_users)
    return Attacked(origin, cut.pieces, cut.person, cut.period, published)


def rows_in_period(person: IntArray, period: IntArray, who: IntArray, when: IntArray) -> IntArray:
    """Return the row of each person's fingerprint in a period.

    ``person`` and ``period`` are those of all fingerprints; ``who`` and ``when``, those asked for.
    """
    width = 1 + int(max(period.max(), when.max()))
    key = person * width + period
    order = np.argsort(key)
    return np.asarray(order[np.searchsorted(key, who * width + when, sorter=order)])


def homes_asked(release: Attacked, homes: Homes, nights: int) -> HomesAsked | None:
    """Return the people in a release whose homes can be attacked; None where there are none.

    Parameters
    ----------
    release : Attacked
    homes : Homes
        True homes, according to the original.
    nights : int
        Fewest nights on which the original must have a record of the person.
    """
    inside = release.published.own >= 0
    rows = np.flatnonzero(inside & (homes.nights[release.person] >= nights))
    if len(rows) == 0:
        return None
    return HomesAsked(
        homes, nights, release.published.own[rows], release.person[rows], release.whole.weight[rows]
    )


def origin_within(released: ReleasedSet) -> Origin:
    """Return the origin that a release carries; raise ConfigError where it carries none."""
    origin = getattr(released, "origin", None)
    if not isinstance(origin, Origin):
        raise ConfigError(
            "These data carry no account of what was done to them; give what release(), glove() "
            "or aligned() made, unchanged."
        )
    return origin

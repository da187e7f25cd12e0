"""Whom does an outsider find who knows where somebody truly was? Linkage, on any release option.

Unicity asks with points drawn from the release; here they are drawn from the original, and every
published record is scored by how likely the stated method makes it of such points.

Source: docs/science.md, “An outsider who knows the truth”; the measure of what is learnt is that of
Shokri et al. 2011.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..anonymize.carrying import Carried, carried
from ..attacks.linkage import Ranks, ranks
from ..engines.local import Engine, LocalEngine
from ..engines.progress import Progress, part
from ..measures.drawing import drawn
from ..model.arrays import BoolArray, FloatArray
from ..model.configs import Strategy
from ..model.errors import InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult
from ..model.intervals import wilson_interval
from ..model.knowledge import Knowledge
from ..model.linkage import LinkConfig, LinkReading, LinkResult
from ..model.ragged import offsets_of
from ..model.released import ReleasedSet
from .attacked import Attacked, attacked

FIRST_FEW = 10
"""Records that an outsider is ready to look into."""


def link(
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
) -> LinkResult:
    """Share of people whose record an outsider picks out who knows p true points of each.

    Parameters
    ----------
    original : FingerprintSet
        The data that the release was made of.
    released : ReleasedSet or GloveResult
        What :func:`release`, :func:`glove` or :func:`aligned` made of them.
    p : int
        Points known of each target, samples of the original.
    strategy : {"random", "uniform", "top", "consecutive"}
        Which points; see :func:`draw_knowledge`.
    blur_m, blur_min : float
        Standard deviation of the outsider's own error, along x and y in metres, in time in minutes,
        normally distributed. The outsider knows how large it is.
    users : int
        Targets drawn among those in the release, and as many, at most, among those who are not.
    seed : int
        Of the draws of targets, points and errors; not of the release.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    LinkResult
        Found, and among the first ten, by a tolerant and by a strict reading, with intervals,
        beside guessing; accusations of people who are not in the release.

    Raises
    ------
    ConfigError
        A parameter is out of its range, or the release does not know what it was made of.
    InfeasibleError
        p exceeds every trace; or the release is in periods, and points are known without times.

    Notes
    -----
    The score of a record is ``Σ_points max(ln f, ln floor)``, f the density that the stated method
    gives a true point for the record's best placed sample. Where people were sampled, "not in the
    release" is a hypothesis of its own. In docs/science.md, “An outsider who knows the truth”.

    Examples
    --------
    Two of three people were together, and are named half the time; noise moves all, and whoever
    allows for it finds as many.

    >>> from fpanon_core import AddNoise, release
    >>> fs = FingerprintSet.from_samples([1, 2, 3], [0, 0, 9000], [0, 0, 0], [5, 5, 5])
    >>> found = link(fs, release(fs, []), 1)
    >>> round(found.first, 3), round(found.guessing, 3)
    (0.667, 0.333)
    >>> moved = link(fs, release(fs, AddNoise(200), seed=1), 1)
    >>> round(moved.strict.first, 3), round(moved.first, 3)
    (0.0, 0.667)
    """
    config = LinkConfig(p, strategy, users, seed, blur_m, blur_min)
    release = attacked(original, released)
    origin, published = release.origin, release.published
    known = targets_of(release, config)
    own = published.own[known.targets]
    engine = engine or LocalEngine()
    cells = carried(origin, known, blur_m=config.blur_m, blur_min=config.blur_min, seed=seed)
    tolerant = _tolerantly(release, known, cells, engine, part(progress, 0.0, 0.8))
    strict = ranks(
        published, cells.exact, cells.exactly, own, engine=engine,
        progress=part(progress, 0.8, 1.0),
    )  # fmt: skip
    return _result(release, known, tolerant, strict, config)


def first_found(
    release: Attacked, config: LinkConfig, *, engine: Engine, progress: Progress | None = None
) -> tuple[float, float, float]:
    """:attr:`LinkResult.first` of the tolerant reading and its interval, and nothing else.

    For whoever weighs many releases. Who has fewer than p points has all of them known, also where
    that is so of everybody.
    """
    known = targets_of(release, config, absent=False, beyond=True)
    cells = carried(
        release.origin, known, blur_m=config.blur_m, blur_min=config.blur_min, seed=config.seed
    )
    return _with_ends(_named(_tolerantly(release, known, cells, engine, progress)))


def targets_of(
    release: Attacked, config: LinkConfig, *, absent: bool = True, beyond: bool = False
) -> Knowledge:
    """Points of people in the release and, likewise, of people who are not; ascending by person.

    With everybody in the release, the draws of :func:`draw_knowledge`. ``beyond``: p may exceed
    every trace.
    """
    if release.period is not None and config.strategy == "top":
        # Among the records of all periods fewer would be found than by who knows the period.
        raise InfeasibleError(
            "Places without times do not say of which period they are, so that nobody can look for "
            "its record; choose another way of drawing points than the most visited places."
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


def _tolerantly(
    release: Attacked, known: Knowledge, cells: Carried, engine: Engine, progress: Progress | None
) -> Ranks:
    """Every record scored by how likely the stated method makes it of the points known."""
    published = release.published
    own = published.own[known.targets]
    return ranks(
        published, cells.points, cells.mechanism, own, engine=engine, progress=progress
    )  # fmt: skip


def _named(found: Ranks) -> FloatArray:
    """The chance that each target's own record is the one picked out, (n_targets,)."""
    chance: FloatArray = np.where(found.better == 0, 1 / np.maximum(found.level, 1), 0.0)
    return chance


def _result(
    release: Attacked, known: Knowledge, tolerant: Ranks, strict: Ranks, config: LinkConfig
) -> LinkResult:
    origin, published = release.origin, release.published
    present = published.own[known.targets] >= 0
    original = origin.original
    user = release.person[known.targets]
    fitting, fits = strict.fitting, strict.fits & present
    named = _named(tolerant)
    few = np.clip((FIRST_FEW - tolerant.better) / np.maximum(tolerant.level, 1), 0, 1)
    strictly = np.where(fits, 1 / np.maximum(fitting, 1), 0.0)
    strict_few = np.where(fits, np.minimum(1, FIRST_FEW / np.maximum(fitting, 1)), 0.0)
    accused = ~present & tolerant.taken
    strict_accused = ~present & (fitting > 0)

    def here(values: FloatArray) -> FloatArray:
        return np.where(present, values, np.nan)

    def gone(values: BoolArray) -> FloatArray:
        return np.where(present, np.nan, values.astype(np.float64))

    table = pd.DataFrame(
        {
            "user": user,
            "pseudonym": np.array(original.pseudonyms)[user],
            "present": present,
            "points": known.sizes,
            "better": here(tolerant.better),
            "level": here(tolerant.level),
            "first": here(named),
            "among_10": here(few),
            "posterior": here(tolerant.posterior),
            "accused": gone(accused),
            "fitting": fitting,
            "strict_first": here(strictly),
            "strict_among_10": here(strict_few),
            "strict_accused": gone(strict_accused),
        }
    )
    if release.period is not None:
        table.insert(2, "period", release.period[known.targets])
    return LinkResult(
        tolerant=_reading(
            named[present], few[present], tolerant.posterior[present], accused[~present]
        ),
        strict=_reading(
            strictly[present], strict_few[present], strictly[present], strict_accused[~present]
        ),
        guessing=release.guessing,
        n_present=int(present.sum()),
        n_absent=int((~present).sum()),
        n_users=published.n_people,
        too_few=known.too_few,
        per_target=table,
        method=origin.option.text,
        config=config,
        digest=original.digest,
    )


def _reading(
    first: FloatArray, few: FloatArray, posterior: FloatArray, accused: BoolArray
) -> LinkReading:
    # Values between 0 and 1 vary less than shares of the same mean: Wilson's interval is no shorter
    # than theirs.
    return LinkReading(
        *_with_ends(first), *_with_ends(few), *_with_ends(posterior),
        *_with_ends(accused.astype(np.float64)), n_accused=int(accused.sum()),
    )  # fmt: skip


def _with_ends(values: FloatArray) -> tuple[float, float, float]:
    if len(values) == 0:
        return np.nan, np.nan, np.nan
    # Exactly 1/5 where everybody is one of five: a limit of 20 % is not broken by rounding.
    total = min(math.fsum(values), float(len(values)))
    low, high = wilson_interval(total, len(values))
    return total / len(values), low, high

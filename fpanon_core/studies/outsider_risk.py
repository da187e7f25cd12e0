"""What does an outsider find in a release option who knows where somebody truly was?

Beside points drawn from the release itself, for every option: linkage by true points, and homes.
After noise or an exchange, a sampling of people or crowds of k, points as published say little of
what true ones find.

Source: docs/science.md, “An outsider who knows the truth”.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..engines.local import Engine
from ..engines.progress import Progress, part
from ..model.configs import KnowledgeConfig
from ..model.errors import InfeasibleError
from ..model.linkage import LinkConfig
from ..model.risk import HOME_WITHIN_M
from .attacked import Attacked, of_origin
from .learnt import homes_found
from .linkage import first_found
from .option_result import Interval
from .releases import Release, homes

UNKNOWN: Interval = (math.nan, math.nan, math.nan)

_LINKAGE_SHARE = 0.8  # of the progress


@dataclass(frozen=True)
class OutsiderRisk:
    """What true points find in one option.

    Attributes
    ----------
    risks : dict of str to (value, low, high)
        ``"linkage"`` and ``"home"``, with 95 % intervals; NaN where it cannot be asked.
    guessing : dict of str to float
        What guessing finds of the same: 1 over the people in the release (with periods, in the
        record's); the share whose home is near the commonest one.
    unasked : dict of str to str
        Why a measure cannot be asked.
    homes_asked : int
        Of how many people, or records of periods, the share of homes is.
    """

    risks: dict[str, Interval]
    guessing: dict[str, float]
    unasked: dict[str, str]
    homes_asked: int = 0


def outsider_risk(
    release: Release,
    knowledge: KnowledgeConfig,
    naming_most: float,
    *,
    engine: Engine,
    progress: Progress | None = None,
) -> OutsiderRisk:
    """Linkage and homes found of a release, each as the library gives it.

    Parameters
    ----------
    release : Release
    knowledge : KnowledgeConfig
        p points of each target, samples of the original; all of them, of who has fewer.
    naming_most : float
        Mean over records of 1 / the people who share it: the interval of linkage need not reach
        beyond what those leave possible.
    engine : LocalEngine
    progress : callable of one float in [0, 1], optional
    """
    held = of_origin(release.made)
    risks: dict[str, Interval] = {"linkage": UNKNOWN, "home": UNKNOWN}
    guessing = {"linkage": held.guessing}
    unasked: dict[str, str] = {}
    asked = 0
    config = LinkConfig(knowledge.p, knowledge.strategy, knowledge.users, knowledge.seed)
    try:
        first = part(progress, 0.0, _LINKAGE_SHARE)
        value, low, high = first_found(held, config, engine=engine, progress=first)
        # Whatever is known, all who share a record fit it alike.
        risks["linkage"] = value, low, max(value, min(high, naming_most))
    except InfeasibleError as why:
        unasked["linkage"] = str(why)
    try:
        risks["home"], guessing["home"], asked = _home(
            held, release, engine, part(progress, _LINKAGE_SHARE, 1.0)
        )
    except InfeasibleError as why:
        unasked["home"] = str(why)
    return OutsiderRisk(risks, guessing, unasked, asked)


def worse_of(linkage: Interval, naming: Interval) -> Interval:
    """Of linkage and the chance of naming by published points, that with the larger upper end.

    Unknown where linkage is: the chance by published points alone is no answer of true ones.

    Examples
    --------
    >>> worse_of((0.1, 0.08, 0.12), (0.11, 0.11, 0.11))
    (0.1, 0.08, 0.12)
    >>> worse_of((math.nan, math.nan, math.nan), (0.1, 0.1, 0.1))
    (nan, nan, nan)
    """
    return naming if naming[2] > linkage[2] else linkage


def _home(
    held: Attacked, release: Release, engine: Engine, progress: Progress | None
) -> tuple[Interval, float, int]:
    true = homes(release.chain.original)
    row = homes_found(held, true, [HOME_WITHIN_M], engine=engine, progress=progress).iloc[0]
    ends = float(row["found"]), float(row["low"]), float(row["high"])
    return ends, float(row["guessing"]), int(row["people"])

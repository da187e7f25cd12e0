"""What does an attacker find in a release option? Re-identification by a battery, and homes.

Beside unicity and disclosure, which ask with points drawn from the release itself.

Source: docs/science.md, “An outsider who knows the truth”.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..engines.local import Engine
from ..engines.progress import Progress, part
from ..measures.crowds import Crowds
from ..model.configs import KnowledgeConfig
from ..model.disclosure import HOME_WITHIN_M
from ..model.errors import InfeasibleError
from ..model.linkage import LinkConfig
from .attacked import Attacked, of_origin
from .learnt import homes_found
from .option_result import Interval
from .reidentification import strongest_of
from .releases import Release, homes

UNKNOWN: Interval = (math.nan, math.nan, math.nan)

_LINKAGE_SHARE = 0.8  # of the progress


@dataclass(frozen=True)
class OutsiderRisk:
    """What true points and the record's nights give away in one option.

    Attributes
    ----------
    risks : dict of str to (value, low, high)
        ``"outsider"`` (the re-identification risk), ``"linkage"`` (the stronger of the attackers
        with true points) and ``"home"``, with 95 % intervals; NaN where it cannot be asked.
    attacker : str
        The strongest attacker behind the re-identification risk; empty where it cannot be asked.
    guessing : dict of str to float
        What guessing finds of the same: 1 over the people in the release (with periods, in the
        record's); the share whose home is near the commonest one.
    unasked : dict of str to str
        Why a measure cannot be asked.
    homes_asked : int
        Of how many people, or records of periods, the share of homes is.
    """

    risks: dict[str, Interval]
    attacker: str
    guessing: dict[str, float]
    unasked: dict[str, str]
    homes_asked: int = 0


def outsider_risk(
    release: Release,
    knowledge: KnowledgeConfig,
    alike: Crowds,
    *,
    engine: Engine,
    progress: Progress | None = None,
) -> OutsiderRisk:
    """Re-identification risk, linkage and home inference of a release, as the library gives them.

    Parameters
    ----------
    release : Release
    knowledge : KnowledgeConfig
        p points of each target; all of them, of a person who has fewer.
    alike : Crowds
        How many share each record, which bounds the intervals.
    engine : LocalEngine
    progress : callable of one float in [0, 1], optional
    """
    held = of_origin(release.made)
    risks: dict[str, Interval] = {"outsider": UNKNOWN, "linkage": UNKNOWN, "home": UNKNOWN}
    guessing = {"linkage": held.guessing}
    unasked: dict[str, str] = {}
    asked, attacker = 0, ""
    config = LinkConfig(knowledge.p, knowledge.strategy, knowledge.users, knowledge.seed)
    try:
        first = part(progress, 0.0, _LINKAGE_SHARE)
        found = strongest_of(held, config, alike, engine=engine, progress=first)
        attacker = found.attacker
        risks["outsider"] = found.value, found.low, found.high
        risks["linkage"] = found.by_true_points
    except InfeasibleError as why:
        unasked["linkage"] = str(why)
    try:
        risks["home"], guessing["home"], asked = _home(
            held, release, engine, part(progress, _LINKAGE_SHARE, 1.0)
        )
    except InfeasibleError as why:
        unasked["home"] = str(why)
    return OutsiderRisk(risks, attacker, guessing, unasked, asked)


def _home(
    held: Attacked, release: Release, engine: Engine, progress: Progress | None
) -> tuple[Interval, float, int]:
    true = homes(release.chain.original)
    row = homes_found(held, true, [HOME_WITHIN_M], engine=engine, progress=progress).iloc[0]
    ends = float(row["found"]), float(row["low"]), float(row["high"])
    return ends, float(row["guessing"]), int(row["people"])

"""May these data be released, and in which form? What is tried first.

Of the many forms that data can be given, those that are worth trying before anything is known of
them: coarser places and times, and crowds as large as the limit of naming takes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..model.disclosure import NAMING
from ..model.fingerprints import FingerprintSet
from ..model.limits import K
from ..model.options import Generalize, ReleaseOption
from ..model.profiles import Hexagons
from .judgement import Limits
from .option_result import OptionResult
from .presets import glove_ladder, hexagon_grid, hiding_ladder, trade_grid

_USUAL_CROWD = 20  # where there is no limit of naming, or one that no crowd is within
_FINEST_HEXAGON = 7
_SECONDS, _SAMPLES, _POWER = 90.0, 120_000, 1.2  # most of it aligns
_LEAST_SECONDS = 20.0


def forms(fs: FingerprintSet, limits: Limits) -> list[ReleaseOption]:
    """The forms to try first, the quickest first.

    Noriega Campero's places and windows; hexagons of edges of 1.4 km or more; then everybody hidden
    in crowds as large as the limit of naming takes: by GLOVE, and aligned, in days where the data
    last longer. Without crowds where the data have fewer people.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 2], [0, 90_000], [0, 0], [0, 0])
    >>> len(forms(fs, Limits())), forms(fs, Limits({"outsider": 0.5}))[-1].name
    (12, 'aligned, k = 2')
    """
    found = trade_grid(fs) + [option for option in hexagon_grid(fs) if _coarse(option)]
    k = crowd(limits)
    if hidden(fs, limits):
        aligned = hiding_ladder(fs, (k,))
        found += [*glove_ladder((k,)), aligned[-2] if len(aligned) > 1 else aligned[0]]
    return found


def hidden(fs: FingerprintSet, limits: Limits) -> bool:
    """Whether the data have people enough for a crowd within the limit of naming."""
    k = crowd(limits)
    return k in K and k <= fs.n_users


def expected_s(fs: FingerprintSet) -> float:
    """About how long trying them takes, by that of 120,000 samples of 2,000 people on one core.

    However small the data are, some two dozen jobs are begun and ended.
    """
    return _LEAST_SECONDS + _SECONDS * float((fs.n_samples / _SAMPLES) ** _POWER)


def crowd(limits: Limits) -> int:
    """People who must share a record for a chance of naming within the limit.

    Examples
    --------
    >>> crowd(Limits()), crowd(Limits({"outsider": 0.3})), crowd(Limits({"outsider": None}))
    (20, 4, 20)
    """
    limit = limits.limit(NAMING[0])
    return max(2, math.ceil(1 / limit - 1e-9)) if limit else _USUAL_CROWD


def merged(new: Sequence[OptionResult], before: Sequence[OptionResult]) -> tuple[OptionResult, ...]:
    """Results with those from before that are of other steps and names."""
    steps, names = {r.option.steps for r in new}, {r.option.name for r in new}
    more = (r for r in before if r.option.steps not in steps and r.option.name not in names)
    return (*new, *more)


def _coarse(option: ReleaseOption) -> bool:
    return any(
        isinstance(step, Generalize)
        and isinstance(space := step.profile.space, Hexagons)
        and space.resolution <= _FINEST_HEXAGON
        for step in option.steps
    )

"""What is attacked, and of whom is it asked? A release, held against what it was made of.

Of a release in periods everybody's part in each period is asked for by itself: an outsider knows
points of one period, and looks for the record of that. Bringing a person's records together again
is another attack.

Source: docs/science.md, “An outsider who knows the truth”.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..anonymize.periods import into_periods
from ..attacks.homes import Homes, HomesAsked
from ..attacks.search import Published
from ..model.arrays import IntArray
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult
from ..model.released import Origin, ReleasedSet


@dataclass(frozen=True, eq=False)
class Attacked:
    """A release, and the fingerprints that its records were made of.

    Attributes
    ----------
    origin : Origin
    whole : FingerprintSet
        The original; with periods, its pieces.
    person : int64 ndarray (whole.n_users,)
        Row number in the original of each.
    period : int64 ndarray (whole.n_users,) or None
        Number of the period of each; None without periods.
    published : Published
    """

    origin: Origin
    whole: FingerprintSet
    person: IntArray
    period: IntArray | None
    published: Published

    @property
    def guessing(self) -> float:
        """Mean chance of naming a record by guessing, among those of its period where there are."""
        # Over people of a period p, of n_p in all: Σ_p n_p · (1/n_p) / Σ_p n_p.
        periods = 1 if self.origin.period is None else len(np.unique(self.origin.period))
        return periods / self.published.n_people


def attacked(original: FingerprintSet, released: ReleasedSet | GloveResult) -> Attacked:
    """A release with what it was made of, if it was made of these data.

    Raises
    ------
    ConfigError
        It does not know, or it was made of others.
    """
    return of_origin(_origin_of(original, released))


def of_origin(origin: Origin) -> Attacked:
    """A release by how it came about, with what it was made of."""
    original = origin.original
    if origin.period is None or origin.period_days is None:
        everybody = np.arange(original.n_users)
        published = Published.of(origin, origin.person, original.n_users)
        return Attacked(origin, original, everybody, None, published)
    cut = into_periods(original, origin.period_days, seed=0)
    width = 1 + int(max(cut.period.max(), origin.period.max()))
    key = cut.person * width + cut.period
    order = np.argsort(key)
    whose = order[np.searchsorted(key, origin.person * width + origin.period, sorter=order)]
    published = Published.of(origin, whose, cut.pieces.n_users)
    return Attacked(origin, cut.pieces, cut.person, cut.period, published)


def homes_asked(release: Attacked, homes: Homes, nights: int) -> HomesAsked | None:
    """Everybody in a release whose home can be asked for; None where there is nobody.

    Parameters
    ----------
    release : Attacked
    homes : Homes
        True ones, of the original.
    nights : int
        In which somebody was recorded, at least, for the home to be known.
    """
    inside = release.published.own >= 0
    rows = np.flatnonzero(inside & (homes.nights[release.person] >= nights))
    if len(rows) == 0:
        return None
    return HomesAsked(
        homes,
        nights,
        release.published.own[rows],
        release.person[rows],
        release.whole.weight[rows],
    )


def _origin_of(original: FingerprintSet, released: ReleasedSet | GloveResult) -> Origin:
    if isinstance(released, GloveResult):
        return Origin.of_glove(released, original)
    origin = getattr(released, "origin", None)
    if not isinstance(origin, Origin):
        raise ConfigError(
            "These data do not know what was done to them; give what release(), glove() or "
            "aligned() made, unchanged."
        )
    if origin.original is not original and origin.original.digest != original.digest:
        raise ConfigError(
            "This release was made of other data than those given as the original; give the "
            "fingerprints that it was made of."
        )
    return origin

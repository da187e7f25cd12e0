"""What does an adversary know? Some bins of some users.

The threat: someone who has met a person, read a post or followed a car knows p points of that
person's life, each a place and a time window as coarse as the release shows them, and looks for
the records in the release that fit. The adversary is taken to be right: every known bin is in the
target's trace. How known bins are *drawn* is :mod:`fpanon_core.measures.drawing`.

Source: de Montjoye et al. 2013, Methods; docs/science.md, “Adversary knowledge and unicity”.

What does an attacker know, and what does the stated method make of a true point?

The attacker knows a release's method and its parameters, never its draws. So a true point stands
beside the cell that the method carries it to, the noise it may have been moved by, and the chance
that it was exchanged for another.

Source: docs/science.md, “An attacker who knows the truth”.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .arrays import CELL, Cells, FloatArray, IntArray, offsets_of
from .checks import is_whole
from .configs import KnowledgeConfig
from .errors import ConfigError, InfeasibleError
from .fingerprints import FingerprintSet

Bin = tuple[float, float, float]

_CLOSE = 1e-6  # metres or minutes: what arithmetic in floating point may move a corner by


@dataclass(frozen=True, eq=False, repr=False)
class Knowledge(Cells):
    """Points known of each target. Arrays are read-only.

    Attributes
    ----------
    targets : int64 ndarray (n_targets,)
        Row numbers of the users the points are of, ascending. A fingerprint that stands for
        several users can occur several times, with points of its own each time.
    offsets : int64 ndarray (n_targets + 1,)
        Points of target i are rows ``offsets[i]:offsets[i+1]``, in the order they become known.
    x_m, y_m, dx_m, dy_m : float64 ndarray (n_points,)
        Lower corner and extent, metres.
    t_min, dt_min : float64 ndarray (n_points,)
        Start and length, minutes; all NaN when ``timeless``.
    too_few : int
        Targets with fewer than p bins (places, for ``top``), of whom all are known.
    timeless : bool
        Whether places are known without any time.
    config : KnowledgeConfig or None
        How it was drawn; None when the bins were named.
    digest : str
        Digest of the fingerprints the points were taken from.
    """

    targets: IntArray
    offsets: IntArray
    too_few: int
    timeless: bool
    config: KnowledgeConfig | None
    digest: str

    @classmethod
    def from_rows(
        cls,
        fs: FingerprintSet,
        targets: IntArray,
        offsets: IntArray,
        rows: IntArray,
        *,
        too_few: int = 0,
        timeless: bool = False,
        config: KnowledgeConfig | None = None,
        digest: str | None = None,
    ) -> Knowledge:
        """Points that are the given sample rows of ``fs``; its digest unless another is given."""
        unknown = np.full(len(rows), np.nan)
        return cls(
            targets=targets,
            offsets=offsets,
            x_m=fs.x_m[rows],
            y_m=fs.y_m[rows],
            t_min=unknown if timeless else fs.t_min[rows],
            dx_m=fs.dx_m[rows],
            dy_m=fs.dy_m[rows],
            dt_min=unknown if timeless else fs.dt_min[rows],
            too_few=too_few,
            timeless=timeless,
            config=config,
            digest=fs.digest if digest is None else digest,
        )

    @classmethod
    def from_bins(cls, fs: FingerprintSet, bins: Mapping[int, Iterable[Bin]]) -> Knowledge:
        """Knowledge of bins that are named, of users that are named.

        Parameters
        ----------
        fs : FingerprintSet
        bins : mapping of int to iterable of (x_m, y_m, t_min)
            Row number of each target, and the lower corners of the samples known, in metres and
            minutes. A bin named twice is known once.

        Raises
        ------
        ConfigError
            Nobody is named, a user is no row number, or a bin is not three finite numbers.
        InfeasibleError
            A user is not in the data, nothing is known of one, or a bin is not in that user's
            trace. Such a bin is refused and not passed over: this adversary knows only what is
            true (the target is in its own equivalence class), and a bin passed over
            in silence would make everyone look better hidden than they are. Name bins of the
            generalization in force.

        Examples
        --------
        >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 250, 40], [0, 0, 0], [0, 5, 9])
        >>> Knowledge.from_bins(fs, {0: [(200, 0, 5)], 1: [(0, 0, 9)]}).sizes.tolist()
        [1, 1]
        """
        if not isinstance(bins, Mapping) or len(bins) == 0:
            raise ConfigError("No bin is named; give {row number of a user: [(x_m, y_m, t_min)]}.")
        if not all(map(is_whole, bins)):
            raise ConfigError("Users are named by row number, an integer from 0.")
        targets = np.sort(fs.check_users([int(u) for u in bins]))
        known = [_rows_of_bins(fs, int(u), bins[int(u)]) for u in targets]
        missing = sum(m for _, m in known)
        if missing:
            total = sum(m + len(r) for r, m in known)
            raise InfeasibleError(
                f"{missing} of the {total} bins named are not in their user's trace; name bins by "
                "the lower corners of that user's samples in this very data set (see to_frame)."
            )
        offsets = offsets_of([len(r) for r, _ in known])
        rows = np.array([row for r, _ in known for row in r], np.int64)
        return cls.from_rows(fs, targets, offsets, rows)

    @property
    def by_count(self) -> bool:
        """Whether a bin is known the likelier, the more events are behind it."""
        return self.config is not None and self.config.strategy in ("random", "top")

    @property
    def n_targets(self) -> int:
        """How many targets."""
        return len(self.targets)

    @property
    def sizes(self) -> IntArray:
        """Points known of each target, shape (n_targets,)."""
        return np.diff(self.offsets)

    def __repr__(self) -> str:
        return f"Knowledge({self.n_targets} targets, {int(self.offsets[-1])} points)"


def _rows_of_bins(fs: FingerprintSet, user: int, bins: Iterable[Any]) -> tuple[list[int], int]:
    """Sample rows of the bins, without repetition, and how many bins are not in the trace."""
    try:
        corners = np.array([tuple(b) for b in bins], np.float64)
    except (TypeError, ValueError):
        corners = np.empty((1, 0))
    if len(corners) == 0:
        raise InfeasibleError("Of a user named, no bin is; name at least one, or leave it out.")
    if corners.ndim != 2 or corners.shape[1] != 3 or not np.isfinite(corners).all():
        raise ConfigError("A bin is three numbers (x_m, y_m, t_min), its sample's lower corner.")
    part = fs.rows_of(user)
    trace = np.column_stack([fs.x_m[part], fs.y_m[part], fs.t_min[part]])
    rows: dict[int, None] = {}
    missing = 0
    for corner in corners:
        at = np.flatnonzero((np.abs(trace - corner) <= _CLOSE).all(axis=1))
        missing += len(at) == 0
        # Cells of one fingerprint that share a corner but not an extent are all meant.
        rows.update(dict.fromkeys((part.start + at).tolist()))
    return list(rows), missing


Density = Literal["none", "planar_laplace", "laplace", "gaussian"]
DENSITIES: tuple[Density, ...] = ("none", "planar_laplace", "laplace", "gaussian")


@dataclass(frozen=True)
class Spread:
    """How far from the truth a published place, or time, may be.

    Attributes
    ----------
    density : {"none", "planar_laplace", "laplace", "gaussian"}
    scale : float
        As of :class:`AddNoise`, metres or minutes; 0 of none.
    """

    density: Density = "none"
    scale: float = 0.0

    @property
    def variance(self) -> float:
        """Along one axis: of planar Laplace noise 3 b², of Laplace noise 2 b²."""
        return {"planar_laplace": 3.0, "laplace": 2.0}.get(self.density, 1.0) * self.scale**2

    def and_then(self, other: Spread) -> Spread:
        """Of both, one after the other: the shape of the wider, the variance of the two together.

        Exact for Gaussian noise, close where one is much wider.

        Examples
        --------
        >>> Spread("gaussian", 3.0).and_then(Spread("gaussian", 4.0))
        Spread(density='gaussian', scale=5.0)
        """
        wide, narrow = (self, other) if self.variance >= other.variance else (other, self)
        if narrow.variance == 0:
            return wide
        return Spread(wide.density, wide.scale * (1 + narrow.variance / wide.variance) ** 0.5)


@dataclass(frozen=True)
class Mechanism:
    """The stated method, as far as it tells how a true point is published.

    Attributes
    ----------
    space, time : Spread
        Noise, and the attacker's own error.
    boxes : bool
        Whether what is published are boxes around several samples, of which a point may be in any;
        else a point is in the one bin that is its own.
    by_middle : bool
        Whether noise leads to the place whose middle is nearest, so that its density is taken
        there; else over the cell.
    share : float
        Of the people, those who were drawn into the release; 1 where nobody was drawn.
    timeless : bool
        Whether places are known without any time.
    by_count : bool
        Whether points are known in proportion to the events behind a sample; else all samples of a
        record are known alike.
    """

    space: Spread = Spread()
    time: Spread = Spread()
    boxes: bool = False
    by_middle: bool = False
    share: float = 1.0
    timeless: bool = False
    by_count: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class KnownPoints(Cells):
    """Points as the method carries them into the release. Arrays are read-only.

    A point whose cell is NaN is nowhere in what the method can publish.

    Attributes
    ----------
    offsets : int64 ndarray (n_targets + 1,)
        Points of target i are rows ``offsets[i]:offsets[i+1]``.
    x_m, y_m, t_min, dx_m, dy_m, dt_min : float64 ndarray (n_points,)
        The cell that noise and exchange start from, metres and minutes.
    same_place, same_time : float64 ndarray (n_points,)
        Chance that the point's place, or time, was exchanged for itself; 1 without exchange.
    place_share, time_share : float64 ndarray (n_points,)
        Of the places (times) it may have been exchanged for, the share that are the point's own.
    """

    offsets: IntArray
    same_place: FloatArray
    place_share: FloatArray
    same_time: FloatArray
    time_share: FloatArray

    @property
    def n_targets(self) -> int:
        """How many targets."""
        return len(self.offsets) - 1

    @classmethod
    def unexchanged(cls, offsets: IntArray, cells: dict[str, FloatArray]) -> KnownPoints:
        """Points of a method that exchanges nothing."""
        one = np.ones(int(offsets[-1]))
        return cls(
            offsets=offsets,
            same_place=one,
            place_share=one,
            same_time=one,
            time_share=one,
            **cells,
        )

    def chosen(self, rows: IntArray, sizes: IntArray) -> KnownPoints:
        """Some of the points as those of other targets, of which each has the next of ``sizes``."""
        names = (*CELL, "same_place", "place_share", "same_time", "time_share")
        return KnownPoints(
            offsets=offsets_of(sizes), **{name: getattr(self, name)[rows] for name in names}
        )

"""An attacker's knowledge: some bins of some users, and how a release method changes true points.

The threat is an attacker who has met a person, read a post or followed a car. The attacker knows p
points of that person's life, each a place and a time window as coarse as in the release. The
attacker searches the release for matching records. The attacker is assumed to be right: every known
bin is in the target's fingerprint. :mod:`fpanon_core.measures.drawing` describes how known bins are
*drawn*.

Source: de Montjoye et al. 2013, Methods; docs/science.md, “Adversary knowledge and unicity”.

The attacker also knows a release's method and its parameters, never its random draws.
:class:`KnownPoints` therefore holds the cell to which the method carries each true point, and the
probability that the point was exchanged for another. :class:`Mechanism` holds the noise.

Source: docs/science.md, “An attacker who knows the truth”.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .arrays import CELL, TIME, Cells, FloatArray, IntArray, offsets_of
from .checks import is_whole
from .configs import KnowledgeConfig
from .errors import ConfigError, InfeasibleError
from .fingerprints import FingerprintSet

Bin = tuple[float, float, float]

_CLOSE = 1e-6  # metres or minutes by which rounding may move a corner


@dataclass(frozen=True, eq=False, repr=False)
class Knowledge(Cells):
    """Known points of each target. Arrays are read-only.

    Attributes
    ----------
    targets : int64 ndarray (n_targets,)
        Row numbers of the users to whom the points belong, ascending. A fingerprint that stands for
        several users can occur several times, with different points each time.
    offsets : int64 ndarray (n_targets + 1,)
        Points of target i are rows ``offsets[i]:offsets[i+1]``, in the order in which they become
        known.
    x_m, y_m, dx_m, dy_m : float64 ndarray (n_points,)
        Lower corner and extent, metres.
    t_min, dt_min : float64 ndarray (n_points,)
        Start and length, minutes; all NaN when ``timeless``.
    too_few : int
        Number of targets with fewer than p bins (places, for ``top``); all their bins are known.
    timeless : bool
        Whether places are known without times.
    config : KnowledgeConfig or None
        Parameters with which the points were drawn; None if bins were given explicitly.
    digest : str
        Digest of the fingerprints from which the points were taken.
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
        """Make knowledge from sample rows of ``fs``, by default with the digest of ``fs``."""
        cells = {name: values[rows] for name, values in fs.arrays().items()}
        if timeless:
            cells |= dict.fromkeys(TIME, np.full(len(rows), np.nan))
        return cls(
            **cells,
            targets=targets,
            offsets=offsets,
            too_few=too_few,
            timeless=timeless,
            config=config,
            digest=fs.digest if digest is None else digest,
        )

    @classmethod
    def from_bins(cls, fs: FingerprintSet, bins: Mapping[int, Iterable[Bin]]) -> Knowledge:
        """Make knowledge from given bins of given users.

        Parameters
        ----------
        fs : FingerprintSet
        bins : mapping of int to iterable of (x_m, y_m, t_min)
            Row number of each target, and the lower corners of the known samples, in metres and
            minutes. A repeated bin counts once.

        Raises
        ------
        ConfigError
            No user is given, a user is not a row number, or a bin is not three finite numbers.
        InfeasibleError
            A user is not in the data, has no bin, or has a bin that is not in that user's
            fingerprint. A false bin is refused, not ignored. This attacker knows only true points,
            so targets are always in their own anonymity sets. Ignoring a bin would make everyone
            look better hidden than they are. Give bins of the generalization profile in force.

        Examples
        --------
        >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 250, 40], [0, 0, 0], [0, 5, 9])
        >>> Knowledge.from_bins(fs, {0: [(200, 0, 5)], 1: [(0, 0, 9)]}).sizes.tolist()
        [1, 1]
        """
        if not isinstance(bins, Mapping) or len(bins) == 0:
            raise ConfigError("There is no bin; give {row number of a user: [(x_m, y_m, t_min)]}.")
        if not all(map(is_whole, bins)):
            raise ConfigError("Users are given by row number, an integer from 0.")
        targets = np.sort(fs.check_users([int(u) for u in bins]))
        known = [_rows_of_bins(fs, int(u), bins[int(u)]) for u in targets]
        missing = sum(m for _, m in known)
        if missing:
            total = sum(m + len(r) for r, m in known)
            raise InfeasibleError(
                f"The users' trajectories lack {missing} of the {total} bins given. Give each bin "
                "by the lower corner of one of that user's samples in this data set (see to_frame)."
            )
        offsets = offsets_of([len(r) for r, _ in known])
        rows = np.array([row for r, _ in known for row in r], np.int64)
        return cls.from_rows(fs, targets, offsets, rows)

    @property
    def by_count(self) -> bool:
        """Whether a bin with more events is more likely to be known."""
        return self.config is not None and self.config.strategy in ("random", "top")

    @property
    def n_targets(self) -> int:
        """Number of targets."""
        return len(self.targets)

    @property
    def sizes(self) -> IntArray:
        """Number of known points of each target, shape (n_targets,)."""
        return np.diff(self.offsets)


def _rows_of_bins(fs: FingerprintSet, user: int, bins: Iterable[Any]) -> tuple[list[int], int]:
    """Return the distinct sample rows of the bins, and how many bins the fingerprint lacks."""
    try:
        corners = np.array([tuple(b) for b in bins], np.float64)
    except (TypeError, ValueError):
        corners = np.empty((1, 0))
    if len(corners) == 0:
        raise InfeasibleError("A user has no bin; give at least one, or leave the user out.")
    if corners.ndim != 2 or corners.shape[1] != 3 or not np.isfinite(corners).all():
        raise ConfigError("A bin is three numbers (x_m, y_m, t_min), its sample's lower corner.")
    part = fs.rows_of(user)
    trace = np.column_stack([fs.x_m[part], fs.y_m[part], fs.t_min[part]])
    rows: dict[int, None] = {}
    missing = 0
    for corner in corners:
        at = np.flatnonzero((np.abs(trace - corner) <= _CLOSE).all(axis=1))
        missing += len(at) == 0
        # All cells of one fingerprint with this corner count, whatever their extent.
        rows.update(dict.fromkeys((part.start + at).tolist()))
    return list(rows), missing


Density = Literal["none", "planar_laplace", "laplace", "gaussian"]
DENSITIES: tuple[Density, ...] = ("none", "planar_laplace", "laplace", "gaussian")


@dataclass(frozen=True)
class Spread:
    """Distribution of the distance between a published place, or time, and the true one.

    Attributes
    ----------
    density : {"none", "planar_laplace", "laplace", "gaussian"}
    scale : float
        Scale as in :class:`AddNoise`, metres or minutes; 0 without noise.
    """

    density: Density = "none"
    scale: float = 0.0

    @property
    def variance(self) -> float:
        """Variance of the distance along one axis, m² or min².

        For the scale b, the variance is 3 b² for planar Laplace noise, 2 b² for Laplace noise and
        b² for Gaussian noise; it is 0 without noise.
        """
        return {"planar_laplace": 3.0, "laplace": 2.0}.get(self.density, 1.0) * self.scale**2

    def and_then(self, other: Spread) -> Spread:
        """Combine two spreads into one with the shape of the wider and the sum of both variances.

        The result is exact for Gaussian noise, and close if one spread is much wider.

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
    """The part of the stated release method that determines how a true point is published.

    Attributes
    ----------
    space, time : Spread
        Noise of the method, combined with the attacker's own error.
    boxes : bool
        Whether published samples are boxes around several original samples, so that a point may be
        in any box. Otherwise a point is in its own bin.
    by_middle : bool
        Whether noise leads to the place with the nearest middle, so that the density of the noise
        is taken at that middle. Otherwise the density is taken over the cell.
    share : float
        Share of the people who were drawn into the release; 1 without sampling.
    timeless : bool
        Whether places are known without times.
    by_count : bool
        Whether the probability that a sample is known is proportional to its number of events.
        Otherwise all samples of a record are equally likely to be known.
    """

    space: Spread = Spread()
    time: Spread = Spread()
    boxes: bool = False
    by_middle: bool = False
    share: float = 1.0
    timeless: bool = False
    by_count: bool = False


_EXCHANGE = ("same_place", "place_share", "same_time", "time_share")


@dataclass(frozen=True, eq=False, repr=False)
class KnownPoints(Cells):
    """Known points as a method carries them into its release. Arrays are read-only.

    A NaN cell means that the method cannot publish the point anywhere.

    Attributes
    ----------
    offsets : int64 ndarray (n_targets + 1,)
        Points of target i are rows ``offsets[i]:offsets[i+1]``.
    x_m, y_m, t_min, dx_m, dy_m, dt_min : float64 ndarray (n_points,)
        Cell of the point before noise and exchange, metres and minutes.
    same_place, same_time : float64 ndarray (n_points,)
        Probability that the point's place, or time, was exchanged for itself; 1 without exchange.
    place_share, time_share : float64 ndarray (n_points,)
        Share of samples with the point's own place, or time, among the samples that it may be
        exchanged with.
    """

    offsets: IntArray
    same_place: FloatArray
    place_share: FloatArray
    same_time: FloatArray
    time_share: FloatArray

    @property
    def n_targets(self) -> int:
        """Number of targets."""
        return len(self.offsets) - 1

    @classmethod
    def unexchanged(cls, offsets: IntArray, cells: dict[str, FloatArray]) -> KnownPoints:
        """Make known points for a method that exchanges nothing."""
        one = np.ones(int(offsets[-1]))
        return cls(offsets=offsets, **dict.fromkeys(_EXCHANGE, one), **cells)

    def chosen(self, rows: IntArray, sizes: IntArray) -> KnownPoints:
        """Return the points of some rows, regrouped: target i has the next ``sizes[i]`` of them."""
        own = {name: getattr(self, name)[rows] for name in (*CELL, *_EXCHANGE)}
        return KnownPoints(offsets=offsets_of(sizes), **own)

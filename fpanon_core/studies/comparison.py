"""Comparison of uniform generalization and GLOVE at the same k.

Uniform generalization makes everyone's places and times equally coarse until at least k people
share each fingerprint. GLOVE merges the fingerprints of people who are near each other. One table
shows both methods with their accuracy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Unpack

import numpy as np
import pandas as pd

from ..anonymize.generalize import generalize
from ..anonymize.glove import glove
from ..measures.crowds import sharing
from ..model.arrays import IntArray
from ..model.configs import StretchConfig
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.profiles import GeneralizationProfile, Grid
from ..verification.anonymity import verify_k_anonymity
from . import hiding
from .estimates import Growth, costs
from .tabled import Tabled, Work, nth_of
from .under_profiles import laid

_SIDES_KM = (1, 2.5, 5, 10, 20, 40, 80, 160, 320, 1_000)
_WINDOWS_H = (0.5, 1, 2, 4, 8, 24, 48, 168, 336, 672)
LADDER = tuple(
    GeneralizationProfile(Grid(round(1_000 * km)), round(60 * hours))
    for km, hours in zip(_SIDES_KM, _WINDOWS_H, strict=True)
)
"""Profiles from fine to coarse; each at least doubles the one before in space and in time.

The last profile tried, after these, puts everything in one cell.
"""

_DAY_MIN, _KM = 1_440.0, 1_000.0

METHODS = ("uniform", "GLOVE", "GLOVE with suppression")
"""The compared methods of hiding everyone."""


@dataclass(frozen=True)
class Config:
    """Settings of the comparison.

    Attributes
    ----------
    ks : tuple of int
        Sizes of the k-anonymous groups. Those larger than the number of users are skipped, unless
        all are larger, which is an error.
    suppress_space_m, suppress_time_min : float or None
        Limits of GLOVE with suppression, as in :class:`.hiding.Config`. If both are None, that
        method is left out.
    stretch : StretchConfig
        Definition of the stretch effort that decides who is near.
    ladder : tuple of GeneralizationProfile
        Square grids, from fine to coarse.
    """

    ks: tuple[int, ...] = (2, 5, 10)
    suppress_space_m: float | None = 15_000.0
    suppress_time_min: float | None = 360.0
    stretch: StretchConfig = field(default_factory=StretchConfig)
    ladder: tuple[GeneralizationProfile, ...] = LADDER

    def __post_init__(self) -> None:
        if not self.ks or not self.ladder:
            raise ConfigError("Give at least one k and one profile to compare.")
        for k in self.ks:
            hiding.Config(k, self.suppress_space_m, self.suppress_time_min, stretch=self.stretch)


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """The methods of hiding everyone, each with its cost.

    Attributes
    ----------
    config : Config
    digest : str
        Digest of the data.
    comparison : DataFrame
        Table of :func:`study`.
    searched : tuple of GeneralizationProfile
        Profiles to try, from fine to coarse, until one hides everyone; the last puts everything in
        one cell.
    """

    config: Config
    digest: str
    comparison: pd.DataFrame
    searched: tuple[GeneralizationProfile, ...]

    MAY_LEAVE = frozenset({"comparison"})

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return ``comparison``: a row for each k and method."""
        return {"comparison": self.comparison}


# The study runs GLOVE several times in a row.
@costs(520, growth=Growth(powers=(1.25, 2.0)))
def study(fs: FingerprintSet, config: Config, **work: Unpack[Work]) -> Result:
    """Compare uniform generalization at each k with GLOVE, without and with suppression.

    The uniform profile is the first, from fine to coarse, that hides everyone. For a grid without
    an origin, one is chosen from the data. Profiles finer than the data are skipped. Sides and
    windows larger than those of the profile :func:`one_cell` are cut to its side and window. But a
    grid with a stated origin keeps its side. The profile of one cell comes last; under it, all
    fingerprints are the same.

    Returns
    -------
    Result
        Its table ``comparison`` has one row per k and ``method`` ("uniform", "GLOVE", "GLOVE with
        suppression"): ``k``, ``profile`` (in words; empty for GLOVE, which has none),
        ``space_size`` (side of the grid, metres), ``window_min``, ``origin_x_m`` and
        ``origin_y_m``, all NaN for GLOVE, ``share_hidden`` (share of the published users who have
        the same published fingerprint as at least k − 1 others; 0 where nobody is published),
        ``mean_space_m``, ``median_space_m``, ``mean_time_min``, ``median_time_min`` (spans of the
        published samples that hold the original ones; for a grid, its side and window),
        ``suppressed_share`` (of original samples), ``phantom_share``, ``verified``.

    Raises
    ------
    ConfigError, InfeasibleError
        As :func:`glove`; ConfigError also where no profile of the ladder is as coarse as the data,
        or a profile is not a square grid.
    """

    @cache  # the sizes of groups under a profile are the same for every k
    def sizes(profile: GeneralizationProfile) -> IntArray:
        return sharing(generalize(fs, profile))

    profiles = searched(fs, config.ladder)
    limits = config.suppress_space_m, config.suppress_time_min
    ways = [(METHODS[1], None, None), (METHODS[2], *limits)][: 1 if limits == (None, None) else 2]
    within = [k for k in config.ks if k <= int(fs.weight.sum())] or config.ks
    runs = [(k, *way) for k in within for way in ways]
    rows: list[dict[str, Any]] = []
    for number, (k, method, space_m, time_min) in enumerate(runs):
        if method == METHODS[1]:
            rows.append(_first_that_hides(fs, profiles, sizes, k))
        result = glove(
            fs,
            k,
            config=config.stretch,
            suppress_space_m=space_m,
            suppress_time_min=time_min,
            **nth_of(work, number, len(runs)),
        )
        figures = result.summary()
        hidden = identical_share(result.expanded(), k) if result.published.n_groups else 0.0
        rows.append(
            {
                "method": method,
                "k": k,
                # Users without a published record are not hidden in the release; they are gone.
                "share_hidden": hidden,
                **{name: figures[name] for name in _SPANS},
                "suppressed_share": result.suppressed_share,
                "phantom_share": result.phantom_share,
                "verified": verify_k_anonymity(fs, result, k).passed,
            }
        )
    table = pd.DataFrame(rows)
    table["profile"] = table["profile"].fillna("")
    return Result(config, fs.digest, table, profiles)


_SPANS = ("mean_space_m", "median_space_m", "mean_time_min", "median_time_min")


def searched(
    fs: FingerprintSet, ladder: Sequence[GeneralizationProfile]
) -> tuple[GeneralizationProfile, ...]:
    """Return the profiles to try, from fine to coarse: those that suit the data, then one cell.

    A side larger than the extent of the data has the same effect as the extent. A window longer
    than the time that the data cover has the same effect as that time. Such sides and windows are
    cut to those of the one cell, so that profiles do not look coarser than they are. A grid with a
    stated origin keeps its side.

    Raises
    ------
    ConfigError
        No profile of the ladder is as coarse as the data, or a profile is not a square grid.
    """
    finest_m, finest_min = fs.granularity_m, fs.granularity_min
    usable = [p for p in ladder if p.grid_m >= finest_m and p.minutes >= finest_min]
    if not usable:
        raise ConfigError("Every profile of the ladder is finer than the data; give coarser ones.")
    last = one_cell(fs)
    return tuple(dict.fromkeys([*(_cut(profile, last) for profile in usable), last]))


def _cut(profile: GeneralizationProfile, last: GeneralizationProfile) -> GeneralizationProfile:
    """Cut a profile to the size of the one cell; leave a grid with a given origin as it is.

    Such a grid may divide the data even if its cells are larger than the data; only its window is
    cut.
    """
    minutes = min(float(profile.minutes), float(last.minutes))
    if isinstance(profile.space, Grid) and profile.space.origin is not None:
        return GeneralizationProfile(profile.space, minutes)
    return GeneralizationProfile(Grid(min(profile.grid_m, last.grid_m)), minutes)


def one_cell(fs: FingerprintSet) -> GeneralizationProfile:
    """Return the profile whose one cell holds all data: their whole extent and their whole time.

    The side is rounded up to whole kilometres, or to whole raw cells if it is at most 1 km. The
    window is rounded up to whole days from local midnight of the first day.
    """
    extent = max(
        float((low + size).max() - low.min())
        for low, size in ((fs.x_m, fs.dx_m), (fs.y_m, fs.dy_m))
    )
    unit = _KM if extent > _KM else fs.granularity_m
    latest = max(float(fs.wall_minutes(t).max()) for t in (fs.t_min, fs.t_min + fs.dt_min))
    days = max(1, int(np.ceil(max(latest, fs.granularity_min) / _DAY_MIN)))
    return GeneralizationProfile(Grid(np.ceil(extent / unit - 1e-9) * unit), days * _DAY_MIN)


def _first_that_hides(
    fs: FingerprintSet,
    profiles: Sequence[GeneralizationProfile],
    sizes: Callable[[GeneralizationProfile], IntArray],
    k: int,
) -> dict[str, Any]:
    """Return the row of the first profile, from fine to coarse, that hides everyone.

    If there is none, return the row of the first profile that hides the most users.
    """
    share = -1.0
    for candidate in profiles:
        hidden = _share(fs, sizes(candidate), k)
        if hidden > share:
            share, profile = hidden, candidate
        if share == 1.0:
            break
    span, window = profile.grid_m, float(profile.minutes)
    return {
        "method": "uniform",
        "k": k,
        **profile.columns_laid(laid(fs, profile)),
        "share_hidden": share,
        **dict(zip(_SPANS, (span, span, window, window), strict=True)),
        "suppressed_share": 0.0,
        "phantom_share": 0.0,
        "verified": share == 1.0,
    }


def identical_share(fs: FingerprintSet, k: int) -> float:
    """Return the share of users who have exactly the same fingerprint as at least k − 1 others.

    Fingerprints are compared; no stretch effort is measured. The share equals that of users with a
    k-gap of 0, unless a weight of the stretch effort is 0. With such a weight, different
    fingerprints can have an effort of 0.
    """
    return _share(fs, sharing(fs), k)


def _share(fs: FingerprintSet, crowd: IntArray, k: int) -> float:
    return float(fs.weight[crowd >= k].sum() / fs.weight.sum())

"""Unicity by points, strategies and resolutions: how little an attacker needs to know.

Unicity, points needed and the scaling law: de Montjoye et al. 2013; the sparsity model: Noriega
Campero 2015.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated, TypeAlias, Unpack

import numpy as np
import pandas as pd

from ..measures.drawing import drawn
from ..measures.matching import sizes_of
from ..measures.unicity import (
    fit_scaling_law,
    interactions_per_month,
    points_needed,
    result_of,
)
from ..model.arrays import FloatArray
from ..model.checks import AT_LEAST_1, NOT_BELOW_0, Checked, one_of
from ..model.configs import STRATEGIES, KnowledgeConfig, Strategy, UnicityConfig
from ..model.errors import ConfigError, FpanonError, InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.profiles import GeneralizationProfile, Grid
from ..model.unicity import ScalingFit, UnicityResult
from .estimates import costs
from .tabled import Tabled, Work, nth_of, part_of, working
from .under_profiles import laid, shares, unicity_grid

WINDOWS_MIN = (1, 30, 60, 180, 480, 1_440)
"""Time windows of the usual grid, minutes."""

PROFILES = tuple(
    GeneralizationProfile(Grid(metres), minutes)
    for metres in (100, 500, 1_000, 2_500, 5_000, 10_000)
    for minutes in WINDOWS_MIN
)
"""The usual grid of resolutions; those finer than the data are skipped."""

GRID_POINTS = (2, 4, 6, 8)
"""Numbers of known points over a grid of resolutions."""

PRODUCT = "side times window (km · h)"
SIDE = "the side of the grid (km)"
WINDOW = "the time window (hours)"
AXES = (PRODUCT, SIDE, WINDOW)
"""Axes of a scaling law, with units; along the side or the window, the other is at its finest."""

Shares: TypeAlias = list[UnicityResult]
"""Unicity for each number of points in turn."""

_HOUR_MIN = 60.0
_CURVES_SHARE, _POINTS_SHARE = 0.3, 0.4  # of the progress, until the end of each
_CURVE_POINTS = 80


@dataclass(frozen=True)
class Config(Checked):
    """The attacker's knowledge, and the resolutions of the data.

    Attributes
    ----------
    users : int
        Number of targets, drawn at random if there are more people.
    seed : int
        Seed of all draws.
    strategies : tuple of str
        How the known points are chosen.
    points : tuple of int
        Numbers of known points for each strategy, ascending; those that exceed the length of every
        record are skipped.
    out_of : tuple of int
        Largest sizes of an anonymity set, in users, at which a target counts as singled out.
    profiles : tuple of GeneralizationProfile
        Profiles; those finer than the data are skipped. The laws use the square grids among them.
    grid_points : tuple of int
        Numbers of known points, drawn at random, at each resolution.
    heavy_per_month : float
        Number of interactions a month from which a person is a heavy user. The points needed are
        measured for heavy users, or for everyone if there are no heavy users.
    """

    users: int = 2_500
    seed: int = 0
    strategies: tuple[Strategy, ...] = ("random", "uniform", "top", "consecutive")
    points: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7, 8)
    out_of: Annotated[tuple[int, ...], AT_LEAST_1] = (1, 2, 5, 10)
    profiles: tuple[GeneralizationProfile, ...] = PROFILES
    grid_points: tuple[int, ...] = GRID_POINTS
    heavy_per_month: Annotated[float, NOT_BELOW_0] = 75.0

    def __post_init__(self) -> None:
        if not (self.strategies and self.points and self.out_of and self.grid_points):
            raise ConfigError("Give at least one strategy, one number of points and one out_of.")
        for strategy in self.strategies:
            one_of("A strategy", strategy, STRATEGIES)
        for number in (*self.points, *self.grid_points):
            KnowledgeConfig(number, "random", self.users, self.seed)
        super().__post_init__()


@dataclass(frozen=True, eq=False)
class Law:
    """Unicity along an axis of resolution at one p, and the scaling law fitted to it.

    Attributes
    ----------
    along : str
        One of :data:`AXES`.
    p : int
        Number of known points.
    resolution, unicity : float64 ndarray (n,)
        The measured values; the resolution is in the units of ``along``.
    fit : ScalingFit or None
        The fit; None where unicity is constant, so that there is no law, or where the points are
        too few.
    """

    along: str
    p: int
    resolution: FloatArray
    unicity: FloatArray
    fit: ScalingFit | None

    @property
    def holds(self) -> bool:
        """Whether there is a law: see :attr:`ScalingFit.holds`."""
        return self.fit is not None and self.fit.holds

    def curve(self) -> tuple[FloatArray, FloatArray]:
        """Return logarithmically spaced resolutions, and the law's unicity there, cut to [0, 1].

        Raises
        ------
        ConfigError
            There is no law.
        """
        if self.fit is None or not self.fit.holds:
            raise ConfigError("This curve follows no law; call curve() only where holds is true.")
        x = np.geomspace(self.resolution.min(), self.resolution.max(), _CURVE_POINTS)
        return x, np.clip(self.fit.predict(x), 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """Unicity of a data set for an attacker who knows p points, and its fitted laws.

    Attributes
    ----------
    config : Config
    digest : str
        Digest of the data.
    curves : dict of str to list of UnicityResult
        Unicity by strategy, for each p of ``config.points``; shorter where no record has that many
        points.
    points : DataFrame
        Table of :func:`fpanon_core.points_needed`, without row numbers.
    heavy : bool
        Whether ``points`` is about heavy users; it is about everyone if there are none.
    grid : DataFrame
        Table of :func:`fpanon_core.unicity_grid`.
    corners : DataFrame
        Table as in ``grid`` for the coarsest square grid at other origins, in the shortest windows
        of an hour or more and in the longest windows. The other origins are (0, 0), and those about
        half a side off the chosen origin, in x, in y and in both. Empty where there is no square
        grid.
    laws : tuple of Law
        Laws for each axis and p.
    """

    config: Config
    digest: str
    curves: dict[Strategy, Shares]
    points: pd.DataFrame
    heavy: bool
    grid: pd.DataFrame
    corners: pd.DataFrame
    laws: tuple[Law, ...]

    @property
    def needed(self) -> FloatArray:
        """Number of points after which each target became unique; without those that never did."""
        points = self.points["points"].to_numpy(dtype=float)
        return np.asarray(points[np.isfinite(points)])

    @property
    def median_needed(self) -> float:
        """Fewest points after which half of all targets are unique; NaN if that never happens.

        People who are never unique are counted, too. If five of ten people are never unique, the
        result is the largest number of points that any of the other five needs.
        """
        half = (len(self.points) + 1) // 2
        needed = np.sort(self.needed)
        return float(needed[half - 1]) if len(needed) >= half else np.nan

    def laws_along(self, axis: str) -> list[Law]:
        """Return the laws of one axis, in order of p."""
        return [law for law in self.laws if law.along == axis]

    MAY_LEAVE = frozenset({"unicity", "unicity_grid", "scaling_laws"})

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return measured shares, points needed, the grid and fitted forms.

        ``unicity``: a row per strategy, p and out_of; ``points_needed``: a row per target;
        ``unicity_grid``: a row per profile and p; ``scaling_laws``: a row per axis, p and form, and
        whether the law holds.
        """
        return {
            "unicity": pd.DataFrame(self._shares()),
            "points_needed": self.points,
            "unicity_grid": self.grid,
            "scaling_laws": self._forms(),
        }

    def _shares(self) -> Iterator[dict[str, object]]:
        for strategy, results in self.curves.items():
            for measured in results:
                for out_of in self.config.out_of:
                    row = {"strategy": strategy} | shares(measured.at(out_of))
                    del row["found"]
                    yield row

    def _forms(self) -> pd.DataFrame:
        names = ["alpha", "beta", "alpha_se", "beta_se", "r2"]
        rows = [
            (law.along, law.p, form, curve.formula, *attrgetter(*names)(curve), law.holds)
            for law in self.laws
            if law.fit
            for form, curve in law.fit.fits.items()
        ]
        return pd.DataFrame(rows, columns=["along", "p", "form", "formula", *names, "law_holds"])


@costs(275)
def study(fs: FingerprintSet, config: Config, **work: Unpack[Work]) -> Result:
    """Measure unicity by strategy, points and resolution, and the number of points needed.

    Raises
    ------
    ConfigError
        All profiles are finer than the data.
    """
    work = working(**work)
    drawing, many = part_of(work, 0.0, _CURVES_SHARE), len(config.strategies)
    curves = {
        strategy: _curve(fs, strategy, config, nth_of(drawing, number, many))
        for number, strategy in enumerate(config.strategies)
    }
    heavy = bool((interactions_per_month(fs) >= config.heavy_per_month).any())
    points = points_needed(
        fs,
        min_per_month=config.heavy_per_month if heavy else 0.0,
        seed=config.seed,
        **part_of(work, _CURVES_SHARE, _POINTS_SHARE),
    )
    profiles = suited(fs, config.profiles)
    both = unicity_grid(
        fs,
        [*profiles, *_elsewhere(fs, profiles)],
        config.grid_points,
        users=config.users,
        seed=config.seed,
        **part_of(work, _POINTS_SHARE, 1.0),
    )
    of_grid = len(profiles) * len(config.grid_points)
    grid, corners = both.iloc[:of_grid], both.iloc[of_grid:].reset_index(drop=True)
    names = {str(profile) for profile in profiles if isinstance(profile.space, Grid)}
    squares = grid[grid["profile"].isin(names)]
    ps = np.unique(squares["p"]).tolist()
    laws = tuple(_law(axis, p, squares[squares["p"] == p]) for axis in AXES for p in ps)
    return Result(
        config=config,
        digest=fs.digest,
        curves=curves,
        points=points.drop(columns="user"),
        heavy=heavy,
        grid=grid,
        corners=corners,
        laws=laws,
    )


def _elsewhere(
    fs: FingerprintSet, profiles: list[GeneralizationProfile]
) -> list[GeneralizationProfile]:
    """Return profiles of the coarsest square grid at origins other than the chosen one.

    The origin may matter little in long windows and much in windows of an hour, so both kinds of
    window are returned.
    """
    squares = [(p.space.metres, p.minutes) for p in profiles if isinstance(p.space, Grid)]
    if not squares:
        return []
    side = max(metres for metres, _ in squares)
    windows = sorted(minutes for metres, minutes in squares if metres == side)
    hourly = next((minutes for minutes in windows if minutes >= _HOUR_MIN), windows[-1])
    found = []
    for minutes in dict.fromkeys((hourly, windows[-1])):
        space = laid(fs, GeneralizationProfile(Grid(side), minutes)).space
        assert isinstance(space, Grid)
        assert space.origin is not None
        x, y = space.origin
        half = fs.granularity_m * (side // (2 * fs.granularity_m))  # raw cells stay whole
        others = [(x + half, y), (x, y + half), (x + half, y + half), (0.0, 0.0)]
        found += [
            GeneralizationProfile(Grid(side, origin), minutes)
            for origin in dict.fromkeys(others)
            if origin != space.origin
        ]
    return found


def suited(
    fs: FingerprintSet, profiles: tuple[GeneralizationProfile, ...]
) -> list[GeneralizationProfile]:
    """Return the profiles, without those finer than the data in time or, for squares, in space."""
    return [
        p
        for p in profiles
        if p.minutes >= fs.granularity_min
        and not (isinstance(p.space, Grid) and p.space.metres < fs.granularity_m)
    ]


def _curve(fs: FingerprintSet, strategy: Strategy, config: Config, work: Work) -> Shares:
    """Return unicity for each number of points that any record has, from a single search."""
    asked, known = [], []
    for p in config.points:
        each = UnicityConfig(p, strategy, config.users, config.seed)
        try:
            known.append(drawn(fs, each))
        except InfeasibleError:  # no record has that many
            break
        asked.append(each)
    if not known:
        return []
    sizes = sizes_of(fs, known, **work)
    return [result_of(fs, *found) for found in zip(known, sizes, asked, strict=True)]


def _law(axis: str, p: int, measured: pd.DataFrame) -> Law:
    fixed = {SIDE: "window_min", WINDOW: "space_size"}.get(axis)
    if fixed is not None:
        measured = measured[measured[fixed] == measured[fixed].min()]
    km, hours = measured["space_size"].to_numpy() / 1000.0, measured["window_min"].to_numpy() / 60.0
    x = np.asarray({PRODUCT: km * hours, SIDE: km, WINDOW: hours}[axis])
    eps = measured["value"].to_numpy(dtype=float)
    fit = None
    if np.ptp(eps) > 0:  # else it does not fall: there is nothing to fit
        with suppress(FpanonError):
            fit = fit_scaling_law(x, eps)
    return Law(axis, p, x, eps, fit)

"""What does the same anonymity cost, uniformly coarse or merged person by person?

Uniform generalization makes everyone's places and times equally coarse until k people share every
fingerprint; GLOVE merges those who are near. Both, with their accuracy, in one table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..anonymize.generalize import generalize
from ..anonymize.glove import glove
from ..engines.local import Engine
from ..engines.progress import Progress, nth_part
from ..model.configs import StretchConfig
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.profiles import GeneralizationProfile, Grid
from ..verification.anonymity import verify_k_anonymity
from . import hiding
from .tabled import Tabled

LADDER = tuple(
    GeneralizationProfile(Grid(metres), minutes)
    for metres, minutes in (
        (1_000, 30),
        (2_500, 60),
        (5_000, 120),
        (10_000, 240),
        (20_000, 480),
        (40_000, 1_440),
        (80_000, 2_880),
        (160_000, 10_080),
        (320_000, 20_160),
        (1_000_000, 40_320),
    )
)
"""Profiles from fine to coarse; each at least doubles the one before in space and in time."""

METHODS = ("uniform", "GLOVE", "GLOVE with suppression")
"""The ways of hiding everyone that are compared."""


@dataclass(frozen=True)
class Config:
    """What is compared.

    Attributes
    ----------
    ks : tuple of int
        Crowds; those of more than the data's users are passed over.
    suppress_space_m, suppress_time_min : float or None
        Limits of GLOVE with suppression, which is left out when both are None.
    stretch : StretchConfig
        Of the effort that says who is near.
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
    """Every way of hiding everyone with its cost.

    Attributes
    ----------
    config : Config
    digest : str
        Of the data compared on.
    comparison : DataFrame
        As of :func:`compare_releases`.
    """

    config: Config
    digest: str
    comparison: pd.DataFrame

    def tables(self) -> dict[str, pd.DataFrame]:
        """``comparison``: a row for each k and way."""
        return {"comparison": self.comparison}


def study(
    fs: FingerprintSet,
    config: Config,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Result:
    """Uniform generalization beside GLOVE, without and with suppression.

    Raises
    ------
    ConfigError, InfeasibleError
        As :func:`compare_releases`.
    """
    within = [k for k in config.ks if k <= int(fs.weight.sum())]
    table = compare_releases(
        fs, within or config.ks, ladder=config.ladder, suppress_space_m=config.suppress_space_m,
        suppress_time_min=config.suppress_time_min, config=config.stretch, engine=engine,
        progress=progress,
    )  # fmt: skip
    return Result(config, fs.digest, table)


def compare_releases(
    fs: FingerprintSet,
    ks: Sequence[int] = (2, 5, 10),
    *,
    ladder: Sequence[GeneralizationProfile] = LADDER,
    suppress_space_m: float | None = 15_000.0,
    suppress_time_min: float | None = 360.0,
    config: StretchConfig | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """For every k: the first profile that hides everyone, GLOVE, and GLOVE with suppression.

    Parameters
    ----------
    fs : FingerprintSet
    ks : sequence of int
    ladder : sequence of GeneralizationProfile
        Square grids, from fine to coarse. Where none hides everyone, the first of those that hide
        the most stands, with that share: a grid whose lines cross the data never becomes a single
        cell. Profiles finer than the data are passed over.
    suppress_space_m, suppress_time_min : float or None
        Thresholds of the third form; it is left out when both are None.
    config, engine, progress
        As of :func:`glove`.

    Returns
    -------
    DataFrame
        One row per k and ``method`` ("uniform", "GLOVE", "GLOVE with suppression"): ``k``,
        ``profile`` (in words; of GLOVE, which has none, empty), ``space_size`` (side of the grid,
        metres) and ``window_min``, both NaN of GLOVE, ``share_hidden`` (users with at least k − 1
        others of the same published fingerprint), ``mean_space_m``, ``median_space_m``,
        ``mean_time_min``, ``median_time_min`` (spans of the published samples that hold the
        original ones; of a grid, its side and window), ``suppressed_share`` (of original samples),
        ``phantom_share``, ``verified``.

    Raises
    ------
    ConfigError, InfeasibleError
        As :func:`glove`; ConfigError also where no profile of the ladder is as coarse as the data,
        or one is no square grid.
    """
    finest_m, finest_min = fs.granularity_m, fs.granularity_min
    usable = [p for p in ladder if p.grid_m >= finest_m and p.minutes >= finest_min]
    if not usable:
        raise ConfigError("Every profile of the ladder is finer than the data; give coarser ones.")
    thresholds = {"suppress_space_m": suppress_space_m, "suppress_time_min": suppress_time_min}
    forms: list[tuple[str, dict[str, float | None]]] = [("GLOVE", {})]
    if suppress_space_m is not None or suppress_time_min is not None:
        forms.append(("GLOVE with suppression", thresholds))
    runs = [(k, form) for k in ks for form in forms]
    rows: list[dict[str, Any]] = []
    for number, (k, (method, options)) in enumerate(runs):
        if method == "GLOVE":
            rows.append(_uniform(fs, k, usable))
        result = glove(
            fs, k, config=config, engine=engine, progress=nth_part(progress, number, len(runs)),
            suppress_space_m=options.get("suppress_space_m"),
            suppress_time_min=options.get("suppress_time_min"),
        )  # fmt: skip
        figures = result.summary()
        hidden = identical_share(result.expanded(), k) if result.published.n_groups else 0.0
        spans = {name: figures[name] for name in _SPANS}
        rows.append(
            {
                "method": method,
                "k": k,
                **_NO_PROFILE,
                # Users of whom nothing is published are not hidden in the release; they are gone.
                "share_hidden": hidden,
                **spans,
                "suppressed_share": result.suppressed_share,
                "phantom_share": result.phantom_share,
                "verified": verify_k_anonymity(fs, result, k).passed,
            }
        )
    return pd.DataFrame(rows)


_NO_PROFILE = {"profile": "", "space_size": np.nan, "window_min": np.nan}
_SPANS = ("mean_space_m", "median_space_m", "mean_time_min", "median_time_min")


def _uniform(fs: FingerprintSet, k: int, ladder: Sequence[GeneralizationProfile]) -> dict[str, Any]:
    """The first profile of the ladder that hides everyone among k, or as many as any of them."""
    share = -1.0
    for candidate in ladder:
        hidden = identical_share(generalize(fs, candidate), k)
        if hidden > share:
            share, profile = hidden, candidate
        if share == 1.0:
            break
    span, window = profile.grid_m, float(profile.minutes)
    return {
        "method": "uniform",
        "k": k,
        **profile.columns,
        "share_hidden": share,
        **dict(zip(_SPANS, (span, span, window, window), strict=True)),
        "suppressed_share": 0.0,
        "phantom_share": 0.0,
        "verified": share == 1.0,
    }


def identical_share(fs: FingerprintSet, k: int) -> float:
    """Share of users whose fingerprint at least k users have, exactly.

    The share whose k-gap is 0, found by comparing fingerprints instead of measuring efforts (unless
    a weight of the stretch effort is 0, when unlike fingerprints have an effort of 0, too).
    """
    cells = np.column_stack([fs.t_min, fs.x_m, fs.y_m, fs.dt_min, fs.dx_m, fs.dy_m])
    keys = [cells[fs.rows_of(u)].tobytes() for u in range(fs.n_users)]
    codes, _ = pd.factorize(np.array(keys, dtype=object))
    crowd = np.bincount(codes, fs.weight)
    return float(fs.weight[crowd[codes] >= k].sum() / fs.weight.sum())

"""What an outsider could tell: asked for once per data set, and made into curves and files."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fpanon_core.measures.scaling import ScalingFit, fit_scaling_law
from fpanon_core.measures.unicity import UnicityResult
from fpanon_core.model.errors import FpanonError
from fpanon_core.model.profiles import window_text
from pages.charts.unicity import Law, Rising

from . import settled, tasks
from .answers import Question
from .dataset import Dataset
from .tasks import Merged, Outsider

TARGETS = 2_500
AXES = {
    "side times window (km · h)": (None, None),
    "the side of the grid (km)": ("space_size", "window_min"),
    "the time window (hours)": ("window_min", "space_size"),
}


def points(data: Dataset, seed: int) -> Outsider | None:
    """What is known of outsiders who know points; asked for, with its progress, until it is there.

    Data of ordinary size are measured without being asked.
    """
    question = Question(
        "unicity",
        (data.digest, seed),
        "Drawing points and looking whom they fit",
        tasks.look_from_outside,
        (data.fs, TARGETS, seed),
    )
    found: Outsider | None = settled.settled(question, alone=settled.ordinary(data))
    return found


def merged(data: Dataset, size: int, seed: int) -> Merged | None:
    """The same of regions of about ``size`` antennas."""
    question = Question(
        "regions",
        (data.digest, size, seed),
        f"Merging about {size} antennas into one region",
        tasks.merge_antennas,
        (data.fs, size, TARGETS, seed),
    )
    found: Merged | None = settled.settled(question, alone=settled.ordinary(data))
    return found


def rising(name: str, results: list[UnicityResult]) -> Rising:
    """A series for the figure of ε against p."""
    return Rising(
        name,
        [r.config.p for r in results],
        [r.value for r in results],
        [r.low for r in results],
        [r.high for r in results],
    )


def heat(grid: pd.DataFrame, p: int) -> tuple[list[str], list[str], np.ndarray]:
    """Column labels, row labels and ε, rows being time windows."""
    table = grid[grid["p"] == p].pivot(index="window_min", columns="space_size", values="value")
    sides = [f"{m / 1000:g} km" if m >= 1000 else f"{m:g} m" for m in table.columns]
    windows = [window_text(m) for m in table.index]
    return sides, windows, table.to_numpy(dtype=float)


def laws(grid: pd.DataFrame, along: str) -> tuple[list[Law], dict[int, ScalingFit]]:
    """For each p the measured unicities along an axis, and the law fitted to them."""
    fixed_name = AXES[along][1]
    drawn: list[Law] = []
    fits: dict[int, ScalingFit] = {}
    for p, part in grid.groupby("p"):
        if fixed_name is not None:  # the other axis at its finest
            part = part[part[fixed_name] == part[fixed_name].min()]
        x = _resolution(part, along)
        eps = part["value"].to_numpy(dtype=float)
        if np.ptp(eps) == 0:  # it does not fall: nothing to fit
            continue
        try:
            fit = fit_scaling_law(x, eps)
        except FpanonError:
            continue
        fits[int(p)] = fit
        curve_x = np.geomspace(x.min(), x.max(), 80)
        drawn.append(Law(f"p = {p}", x, eps, curve_x, np.clip(fit.predict(curve_x), 0.0, 1.0)))
    return drawn, fits


def _resolution(part: pd.DataFrame, along: str) -> np.ndarray:
    km, hours = part["space_size"].to_numpy() / 1000.0, part["window_min"].to_numpy() / 60.0
    which = AXES[along][0]
    if which is None:
        return np.asarray(km * hours)
    return np.asarray(km if which == "space_size" else hours)


def curves_csv(result: Outsider) -> bytes:
    """Every measured share, for download."""
    rows = [
        {
            "strategy": strategy,
            "p": r.config.p,
            "out_of": out_of,
            "value": at.value,
            "low": at.low,
            "high": at.high,
            "targets": at.n_targets,
            "too_few": at.too_few,
        }
        for strategy, results in result.curves.items()
        for r in results
        for out_of in (1, 2, 5, 10)
        for at in [r.at(out_of)]
    ]
    return pd.DataFrame(rows).to_csv(index=False).encode()


def grid_csv(result: Outsider) -> bytes:
    """The grid, for download."""
    return result.grid.to_csv(index=False).encode()


def fits_csv(result: Outsider) -> bytes:
    """Every fitted form along every axis, for download."""
    rows = [
        {
            "along": along,
            "p": p,
            "form": form,
            "formula": curve.formula,
            "alpha": curve.alpha,
            "beta": curve.beta,
            "alpha_se": curve.alpha_se,
            "beta_se": curve.beta_se,
            "r2": curve.r2,
        }
        for along in AXES
        for p, fit in laws(result.grid, along)[1].items()
        for form, curve in fit.fits.items()
    ]
    columns = ["along", "p", "form", "formula", "alpha", "beta", "alpha_se", "beta_se", "r2"]
    return pd.DataFrame(rows, columns=columns).to_csv(index=False).encode()


def merged_csv(found: Merged) -> bytes:
    """The regions' sizes, and unicity with them for places, for download."""
    sizes = pd.DataFrame({"region": np.arange(len(found.sizes)), "antennas": found.sizes})
    return pd.concat([sizes, found.grid]).to_csv(index=False).encode()


def sparsity_csv(bins: np.ndarray, unique: np.ndarray) -> bytes:
    """The curve of the sparsity model, for download."""
    return pd.DataFrame({"bins": bins, "p_unique": unique}).to_csv(index=False).encode()


def points_csv(result: Outsider) -> bytes:
    """Points needed, under pseudonyms, for download."""
    return result.points.drop(columns="user").to_csv(index=False).encode()

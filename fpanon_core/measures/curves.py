"""Curves fitted to unicity: four forms ``ε = α − f(x; β)``.

Source: de Montjoye et al. 2013, table S1.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
from scipy.optimize import (  # type: ignore[import-untyped,unused-ignore]
    OptimizeWarning,
    curve_fit,
)

from ..model.arrays import FloatArray
from ..model.scaling import FORMS, CurveFit

_STARTS = 400  # values of β scanned
_TRIED = 4  # starts carried through to the end
_LARGEST_TERM = 1e6  # of f, times 1 + the largest ε


def fit_curve(form: str, x: FloatArray, eps: FloatArray) -> CurveFit:
    """Least squares by Levenberg–Marquardt, from the lowest points of a scan over β."""
    term, slope, size = FORMS[form]

    def curve(x: FloatArray, alpha: float, beta: float) -> FloatArray:
        return alpha - term(x, beta)

    def jacobian(x: FloatArray, alpha: float, beta: float) -> FloatArray:  # noqa: ARG001
        return np.column_stack([np.ones(len(x)), -slope(x, beta)])

    magnitudes = size(x) * np.logspace(-5, 1.5, _STARTS // 2)
    betas = np.concatenate([-magnitudes[::-1], [0.0], magnitudes])
    values = term(x, betas[:, None])
    alphas = (eps + values).mean(axis=1)
    squares = ((eps - alphas[:, None] + values) ** 2).sum(axis=1)
    # Where f is huge, ε drowns in α − f, and what is left over seems to be 0.
    limit = _LARGEST_TERM * (1 + float(np.abs(eps).max()))
    squares[np.abs(values).max(axis=1) > limit] = np.inf
    # Local minima of the scan: the lowest starts alone might all lie in one valley.
    padded = np.concatenate([[np.inf], squares, [np.inf]])
    low = np.isfinite(squares) & (squares <= padded[:-2]) & (squares <= padded[2:])
    valleys = np.flatnonzero(low)
    best: tuple[float, FloatArray, FloatArray] | None = None
    for start in valleys[np.argsort(squares[valleys], kind="stable")][:_TRIED]:
        first = (float(alphas[start]), float(betas[start]))
        # In a flat valley the curvature is 0 and there is no standard error, which is no fault.
        with warnings.catch_warnings(), np.errstate(over="ignore", invalid="ignore"):
            warnings.simplefilter("ignore", OptimizeWarning)
            try:
                found, spread = curve_fit(
                    curve, x, eps, first, jac=jacobian, method="lm",
                    ftol=1e-13, xtol=1e-13, maxfev=500,
                )  # fmt: skip
            except RuntimeError:  # not settled in time; the scan's own point stands
                found, spread = np.array(first), np.full((2, 2), np.inf)
        left = eps - curve(x, *found)
        sensible = np.abs(term(x, found[1])).max() <= limit
        if sensible and (best is None or float(left @ left) < best[0]):
            best = (float(left @ left), found, spread)
    if best is None:  # every search ran away; the scan's own lowest point stands
        lowest = int(squares.argmin())
        best = (0.0, np.array([alphas[lowest], betas[lowest]]), np.full((2, 2), np.inf))
    _, (alpha, beta), spread = best
    errors = np.sqrt(np.diag(spread))
    errors[~np.isfinite(errors)] = np.nan
    return CurveFit(
        form=form,
        alpha=float(alpha),
        beta=float(beta),
        alpha_se=float(errors[0]),
        beta_se=float(errors[1]),
        r2=pseudo_r2(eps, eps - curve(x, alpha, beta)),
    )


def pseudo_r2(values: FloatArray, left: FloatArray) -> float:
    """1 − SSE/SST, from values and what is left over of them; NaN where SST is 0."""
    away = values - values.mean()
    total = float(away @ away)
    # Equal values differ from their mean by rounding alone.
    if total <= len(values) * (1e-15 * float(np.abs(values).max(initial=0.0))) ** 2:
        return math.nan
    return 1.0 - float(left @ left) / total

"""Curves fitted to unicity: four forms ``ε = α − f(x; β)`` (science.md §6, CROWD table S1)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import (  # type: ignore[import-untyped,unused-ignore]
    OptimizeWarning,
    curve_fit,
)

FloatArray = npt.NDArray[np.float64]
Term = Callable[[FloatArray, FloatArray | float], FloatArray]

_STARTS = 400  # values of β scanned
_TRIED = 4  # starts carried through to the end
_LARGEST_EXPONENT = 50.0
_LARGEST_TERM = 1e6  # of f, times 1 + the largest ε


@dataclass(frozen=True)
class CurveFit:
    """One form fitted to unicity; NaN where the data do not determine a figure.

    Attributes
    ----------
    form : str
        ``"power"``: α − x^β; ``"exponential"``: α − exp(βx), whose β CROWD calls λ;
        ``"stretched"``: α − exp(x^β); ``"linear"``: α − βx.
    alpha, beta : float
    alpha_se, beta_se : float
        Standard errors, from the curvature at the least sum of squares; NaN where there is none,
        as in a form that the data do not bend.
    r2 : float
        Pseudo-R² = 1 − SSE/SST; NaN where all unicities are equal (SST = 0).
    """

    form: str
    alpha: float
    beta: float
    alpha_se: float
    beta_se: float
    r2: float

    @property
    def formula(self) -> str:
        """The form with its numbers."""
        b = f"{self.beta:.4g}"
        term = {
            "power": f"x^{b}",
            "exponential": f"exp({b}·x)",
            "stretched": f"exp(x^{b})",
            "linear": f"{b}·x",
        }[self.form]
        return f"ε = {self.alpha:.4g} − {term}"

    def predict(self, x: npt.ArrayLike) -> FloatArray:
        """ε at resolutions x."""
        fitted: FloatArray = self.alpha - FORMS[self.form][0](np.asarray(x, float), self.beta)
        return fitted


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


def _power(x: FloatArray, b: FloatArray | float) -> FloatArray:
    return _exp(b * np.log(x))


def _exponential(x: FloatArray, b: FloatArray | float) -> FloatArray:
    return _exp(b * x)


def _stretched(x: FloatArray, b: FloatArray | float) -> FloatArray:
    return _exp(_power(x, b))


def _linear(x: FloatArray, b: FloatArray | float) -> FloatArray:
    return np.asarray(b * x, np.float64)


def _exp(exponent: FloatArray) -> FloatArray:
    """Never overflows: far beyond any unicity a curve may as well stand still."""
    return np.exp(np.minimum(exponent, _LARGEST_EXPONENT))


# Each form's term f, its slope df/dβ, and the size of β at which f changes over the data.
FORMS: dict[str, tuple[Term, Term, Callable[[FloatArray], float]]] = {
    "power": (
        _power,
        lambda x, b: _power(x, b) * np.log(x),
        lambda x: 1 / float(np.abs(np.log(x)).max()),
    ),
    "exponential": (
        _exponential,
        lambda x, b: _exponential(x, b) * x,
        lambda x: 1 / float(x.max()),
    ),
    "stretched": (
        _stretched,
        lambda x, b: _stretched(x, b) * _power(x, b) * np.log(x),
        lambda x: 1 / float(np.abs(np.log(x)).max()),
    ),
    "linear": (_linear, lambda x, b: x + 0 * b, lambda x: 1 / float(x.max())),
}


def pseudo_r2(values: FloatArray, left: FloatArray) -> float:
    """1 − SSE/SST, from values and what is left over of them; NaN where SST is 0."""
    away = values - values.mean()
    total = float(away @ away)
    # Equal values differ from their mean by rounding alone.
    if total <= len(values) * (1e-15 * float(np.abs(values).max(initial=0.0))) ** 2:
        return math.nan
    return 1.0 - float(left @ left) / total

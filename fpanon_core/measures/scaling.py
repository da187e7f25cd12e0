"""How does unicity fall with resolution? The scaling law (science.md §6, CROWD fig. 4, table S1).

``ε = α − x^β`` with x the resolution along one axis (antennas or metres, hours), or the product of
two, held against three other forms by pseudo-R²; then β against p, the points known.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import (  # type: ignore[import-untyped,unused-ignore]
    OptimizeWarning,
    curve_fit,
)

from ..model.errors import ConfigError, InfeasibleError

FloatArray = npt.NDArray[np.float64]
# f and df/dβ of a form ε = α − f(x; β), and β to start from for a given x.
Term = Callable[[FloatArray, FloatArray | float], FloatArray]

_STARTS = 400
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
        Standard errors, from the curvature at the least sum of squares; NaN with two points only.
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
        fitted: FloatArray = self.alpha - _FORMS[self.form][0](np.asarray(x, float), self.beta)
        return fitted


@dataclass(frozen=True, eq=False)
class ScalingFit:
    """The scaling law ε = α − x^β, and the other forms beside it.

    Attributes
    ----------
    alpha, beta, alpha_se, beta_se, r2 : float
        Of ``α − x^β``; see :class:`CurveFit`.
    fits : mapping of str to CurveFit
        By name: power, exponential, stretched, linear.
    x, unicity : float64 ndarray (n,)
        What was fitted.
    """

    alpha: float
    beta: float
    alpha_se: float
    beta_se: float
    r2: float
    fits: Mapping[str, CurveFit]
    x: FloatArray
    unicity: FloatArray

    @property
    def formula(self) -> str:
        """The law with its numbers."""
        return self.fits["power"].formula

    def predict(self, x: npt.ArrayLike) -> FloatArray:
        """ε at resolutions x, by the law."""
        return self.fits["power"].predict(x)


@dataclass(frozen=True)
class LinearFit:
    """A straight line by least squares, ``β = intercept + slope·p``; CROWD: .157 − .007·p.

    Attributes
    ----------
    slope, intercept : float
    slope_se, intercept_se : float
        Standard errors; NaN with two points only.
    r2 : float
        NaN where all β are equal.
    """

    slope: float
    intercept: float
    slope_se: float
    intercept_se: float
    r2: float

    @property
    def formula(self) -> str:
        """The line with its numbers."""
        sign = "−" if self.slope < 0 else "+"
        return f"β = {self.intercept:.4g} {sign} {abs(self.slope):.4g}·p"


def fit_scaling_law(x: npt.ArrayLike, unicity: npt.ArrayLike) -> ScalingFit:
    """Fit ε = α − x^β, and the three forms CROWD compares it with.

    Parameters
    ----------
    x : array_like (n,)
        Resolution, above 0, in any one unit; the coefficients hold for that unit.
    unicity : array_like (n,)
        ε measured there.

    Returns
    -------
    ScalingFit

    Raises
    ------
    ConfigError
        Lengths differ, a value is not finite, or x is not above 0.
    InfeasibleError
        Fewer than three points, or fewer than two resolutions that differ.

    Notes
    -----
    Least squares by Levenberg–Marquardt. For a given β the best α is a mean, so the sum of squares
    is scanned over β first, and the search starts from its lowest points.

    Examples
    --------
    >>> x = np.array([1, 2, 4, 8, 16])
    >>> fit_scaling_law(x, 1.9 - x**0.1).formula
    'ε = 1.9 − x^0.1'
    """
    at, eps = (np.asarray(v, np.float64).ravel() for v in (x, unicity))
    if len(at) != len(eps):
        raise ConfigError(f"x has {len(at)} values and unicity {len(eps)}; give one for each.")
    if not (np.isfinite(at).all() and np.isfinite(eps).all() and (at > 0).all()):
        raise ConfigError("Resolutions must be numbers above 0, unicities numbers.")
    if len(at) < 3 or len(np.unique(at)) < 2:
        raise InfeasibleError(
            f"{len(at)} points at {len(np.unique(at))} resolutions; a curve needs at least 3 "
            "points, at 2 resolutions or more."
        )
    fits = {form: _fit(form, at, eps) for form in _FORMS}
    law = fits["power"]
    return ScalingFit(law.alpha, law.beta, law.alpha_se, law.beta_se, law.r2, fits, at, eps)


def fit_exponents(fits: Mapping[int, ScalingFit]) -> LinearFit:
    """β against p by least squares (CROWD fig. 4, right).

    Parameters
    ----------
    fits : mapping of int to ScalingFit
        The law fitted for each p.

    Returns
    -------
    LinearFit

    Raises
    ------
    InfeasibleError
        Fewer than two p, or a β is not a number.

    Examples
    --------
    >>> x = np.array([1, 2, 4, 8, 16])
    >>> laws = {p: fit_scaling_law(x, 1.9 - x ** (0.157 - 0.007 * p)) for p in (2, 4, 6)}
    >>> fit_exponents(laws).formula
    'β = 0.157 − 0.007·p'
    """
    p = np.array(list(fits), np.float64)
    beta = np.array([fit.beta for fit in fits.values()], np.float64)
    if len(p) < 2 or not np.isfinite(beta).all():
        raise InfeasibleError(
            f"{int(np.isfinite(beta).sum())} values of p with an exponent; a line needs at least 2."
        )
    away = p - p.mean()
    spread = float(away @ away)
    slope = float(away @ beta) / spread
    intercept = float(beta.mean() - slope * p.mean())
    left = beta - intercept - slope * p
    variance = float(left @ left) / (len(p) - 2) if len(p) > 2 else math.nan
    return LinearFit(
        slope=slope,
        intercept=intercept,
        slope_se=math.sqrt(variance / spread),
        intercept_se=math.sqrt(variance * (1 / len(p) + p.mean() ** 2 / spread)),
        r2=_pseudo_r2(beta, left),
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
_FORMS: dict[str, tuple[Term, Term, Callable[[FloatArray], float]]] = {
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


def _fit(form: str, x: FloatArray, eps: FloatArray) -> CurveFit:
    term, slope, size = _FORMS[form]

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
        r2=_pseudo_r2(eps, eps - curve(x, alpha, beta)),
    )


def _pseudo_r2(values: FloatArray, left: FloatArray) -> float:
    away = values - values.mean()
    total = float(away @ away)
    # Equal values differ from their mean by rounding alone.
    if total <= len(values) * (1e-15 * float(np.abs(values).max(initial=0.0))) ** 2:
        return math.nan
    return 1.0 - float(left @ left) / total

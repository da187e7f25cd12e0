"""Results of unicity, of its scaling with resolution, and of the sparsity model.

:class:`UnicityResult` is what :func:`fpanon_core.unicity` returns: the share of people singled out
by a few points. :class:`ScalingFit` is what :func:`fpanon_core.fit_scaling_law` returns: four forms
``ε = α − f(x; β)`` of unicity against resolution. :class:`LinearFit` is what
:func:`fpanon_core.fit_exponents` returns: a line through the exponents against p.
:class:`SparsityModel` is what :func:`fpanon_core.sparsity_model` returns: the uniqueness expected
by chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from .arrays import Closed, FloatArray, IntArray
from .configs import UnicityConfig
from .intervals import wilson_interval


@dataclass(frozen=True, eq=False)
class UnicityResult(Closed):
    """Unicity for one number p of known points, and the size of each target's anonymity set.

    E_i is the anonymity set of target i.

    Attributes
    ----------
    value : float
        Share of the targets with |E_i| ≤ ``config.out_of``, in [0, 1].
    low, high : float
        95% Wilson interval of the share.
    sizes : int64 ndarray (n_targets,)
        |E_i| in users.
    targets : int64 ndarray (n_targets,)
        Row numbers of the targets.
    n_found : int
        Number of targets with |E_i| ≤ ``config.out_of``.
    too_few : int
        Number of targets with fewer than p bins (places, for ``top``); all their bins are known.
    n_users : int
        Number of users searched; a guess is right with a chance of 1 over this number.
    config : UnicityConfig
    digest : str
    """

    value: float
    low: float
    high: float
    sizes: IntArray
    targets: IntArray
    n_found: int
    too_few: int
    n_users: int
    config: UnicityConfig
    digest: str

    @property
    def n_targets(self) -> int:
        """Number of targets."""
        return len(self.sizes)

    def at(self, out_of: int) -> UnicityResult:
        """Return the result of the same draws for another ``out_of``, without a new run.

        Raises
        ------
        ConfigError
            ``out_of`` is not an integer of 1 or more.
        """
        config = replace(self.config, out_of=out_of)
        found = int((self.sizes <= out_of).sum())
        low, high = wilson_interval(found, self.n_targets)
        return replace(
            self, value=found / self.n_targets, low=low, high=high, n_found=found, config=config
        )


Term = Callable[[FloatArray, FloatArray | float], FloatArray]

_LARGEST_EXPONENT = 50.0

LAW_R2 = 0.9
"""Least pseudo-R² of a law, our choice: at most a tenth of the variation stays unexplained."""

CLEARLY_R2 = 0.02
"""Difference in pseudo-R² above which another form fits clearly better than the law; our choice.

A law may leave five times this unexplained. All forms have two coefficients, so they can be
compared."""


@dataclass(frozen=True)
class CurveFit:
    """One form fitted to unicity; NaN where the data do not determine a figure.

    Attributes
    ----------
    form : str
        ``"power"``: α − x^β; ``"exponential"``: α − exp(βx), in which β is λ in de Montjoye et al.
        2013; ``"stretched"``: α − exp(x^β); ``"linear"``: α − βx.
    alpha, beta : float
    alpha_se, beta_se : float
        Standard errors, from the curvature at the least sum of squares; NaN without curvature,
        where that sum is flat.
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
        """Formula with the fitted numbers."""
        b = f"{self.beta:.4g}"
        term = {
            "power": f"x^{b}",
            "exponential": f"exp({b}·x)",
            "stretched": f"exp(x^{b})",
            "linear": f"{b}·x",
        }[self.form]
        return f"ε = {self.alpha:.4g} − {term}"

    def predict(self, x: npt.ArrayLike) -> FloatArray:
        """Return the fitted unicity at resolutions x."""
        return self.alpha - FORMS[self.form][0](np.asarray(x, float), self.beta)


@dataclass(frozen=True, eq=False)
class ScalingFit:
    """The scaling law ε = α − x^β, with the other forms for comparison.

    Attributes
    ----------
    alpha, beta, alpha_se, beta_se, r2 : float
        Figures of ``α − x^β``; see :class:`CurveFit`.
    fits : mapping of str to CurveFit
        Fits by form: power, exponential, stretched, linear.
    x, unicity : float64 ndarray (n,)
        Fitted data.
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
    def better(self) -> CurveFit | None:
        """The form that fits best, if it fits clearly better than the law; else None."""
        best = max(self.fits.values(), key=lambda fit: -1.0 if math.isnan(fit.r2) else fit.r2)
        return best if best.r2 > self.r2 + CLEARLY_R2 else None

    @property
    def holds(self) -> bool:
        """Whether ``α − x^β`` counts as a law: it fits, and no other form fits clearly better."""
        return self.r2 >= LAW_R2 and self.better is None

    @property
    def formula(self) -> str:
        """Formula of the law with the fitted numbers."""
        return self.fits["power"].formula

    def predict(self, x: npt.ArrayLike) -> FloatArray:
        """Return the unicity at resolutions x, by the law."""
        return self.fits["power"].predict(x)


@dataclass(frozen=True)
class LinearFit:
    """A straight line by least squares, ``β = intercept + slope·p``.

    The line in de Montjoye et al. 2013, fig. 4, is .157 − .007·p.

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
        """Formula of the line with the fitted numbers."""
        sign = "−" if self.slope < 0 else "+"
        return f"β = {self.intercept:.4g} {sign} {abs(self.slope):.4g}·p"


def _power(x: FloatArray, b: FloatArray | float) -> FloatArray:
    return _exp(b * np.log(x))


def _exponential(x: FloatArray, b: FloatArray | float) -> FloatArray:
    return _exp(b * x)


def _stretched(x: FloatArray, b: FloatArray | float) -> FloatArray:
    return _exp(_power(x, b))


def _linear(x: FloatArray, b: FloatArray | float) -> FloatArray:
    return np.asarray(b * x, np.float64)


def _exp(exponent: FloatArray) -> FloatArray:
    """Return the exponential, capped far beyond any unicity so that it never overflows."""
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


@dataclass(frozen=True, eq=False)
class SparsityModel:
    """Uniqueness expected by chance for n users in d bins; arrays if ``n_bins`` is an array.

    Attributes
    ----------
    p_unique : float or float64 ndarray
        P[a given user is unique] = (1 − q)^(n−1), where q is the probability that two users agree
        in all bins.
    p_anonymous : float or float64 ndarray
        P[everyone is 2-anonymous] = (1 − p_unique)^n, as if users were independent.
    n_users : int
    n_bins : int or ndarray
    density : float
        π, the probability that a user is present in a bin.
    """

    p_unique: float | FloatArray
    p_anonymous: float | FloatArray
    n_users: int
    n_bins: int | npt.NDArray[np.generic]
    density: float

"""How does unicity fall with resolution? The scaling law.

``ε = α − x^β`` with x the resolution along one axis (antennas or metres, hours), or the product of
two, held against three other forms by pseudo-R²; then β against p, the points known.

Source: de Montjoye et al. 2013, fig. 4 and table S1; docs/science.md, “The scaling law and the
sparsity model”.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ..model.errors import ConfigError, InfeasibleError
from ..model.scaling import FORMS, LinearFit, ScalingFit
from .curves import fit_curve, pseudo_r2


def fit_scaling_law(x: npt.ArrayLike, unicity: npt.ArrayLike) -> ScalingFit:
    """Fit ε = α − x^β, and the three forms it is compared with.

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
    fits = {form: fit_curve(form, at, eps) for form in FORMS}
    law = fits["power"]
    return ScalingFit(law.alpha, law.beta, law.alpha_se, law.beta_se, law.r2, fits, at, eps)


def fit_exponents(fits: Mapping[int, ScalingFit]) -> LinearFit:
    """β against p by least squares (de Montjoye et al. 2013, fig. 4, right).

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
        r2=pseudo_r2(beta, left),
    )

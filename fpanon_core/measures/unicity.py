"""Unicity: the share of users that a few points single out.

``ε_p`` is the share of users whose p known points fit no record but their own. The baseline is
guessing: 1 divided by the number of users.

Source: de Montjoye et al. 2013; docs/science.md, “Adversary knowledge and unicity”.

*Points needed* is the number of points that must be known to single out a user.

Source: de Montjoye et al. 2013, fig. 2C; docs/science.md, “Adversary knowledge and unicity”.

*The scaling law* states how unicity falls as places and times get coarser.

The law is ``ε = α − x^β``. Here x is the size of a place (antennas or metres), the length of a time
window (hours), or the product of both. The law is compared with three other forms by pseudo-R².
Then β is fitted against p, the number of known points.

Source: de Montjoye et al. 2013, fig. 4 and table S1; docs/science.md, “The scaling law and the
sparsity model”.

*Four curves* ``ε = α − f(x; β)``, which differ in f, are fitted to unicity.

Source: de Montjoye et al. 2013, table S1.

*The sparsity model* gives the uniqueness to be expected from sparsity alone.

In an n × d matrix of independent Bernoulli(π) entries, two rows agree with probability ``q = (π² +
(1 − π)²)^d``. A given row is unique with probability ``(1 − q)^(n−1)``.

Source: Noriega Campero 2015, eq. 3.1–3.4; docs/science.md, “The scaling law and the sparsity
model”.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import OptimizeWarning, curve_fit  # type: ignore[import-untyped,unused-ignore]

from ..engines.local import Engine
from ..engines.progress import Progress
from ..engines.work import working
from ..model.arrays import FloatArray, IntArray
from ..model.checks import number, share, whole
from ..model.configs import KnowledgeConfig, Strategy, UnicityConfig
from ..model.errors import ConfigError, InfeasibleError
from ..model.files import keyed
from ..model.fingerprints import FingerprintSet
from ..model.intervals import wilson_interval
from ..model.knowledge import Knowledge
from ..model.unicity import FORMS, CurveFit, LinearFit, ScalingFit, SparsityModel, UnicityResult
from .drawing import drawn
from .matching import anonymity_sets, first_unique


def unicity(
    fs: FingerprintSet,
    p: int = 4,
    *,
    out_of: int = 1,
    strategy: Strategy = "random",
    users: int = 2500,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress = None,
) -> UnicityResult:
    """Return the share of users that p points single out, or narrow down to ``out_of`` users.

    Parameters
    ----------
    fs : FingerprintSet
    p : int
        Number of known points of each target.
    out_of : int
        Largest anonymity set, in users, of a user who counts as singled out.
    strategy : {"random", "uniform", "top", "consecutive"}
        Choice of the points; see :func:`draw_knowledge`.
    users : int
        Number of targets drawn at random; all users if there are no more than this.
    seed : int
        The same seed draws the same users at every p and under every generalization.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on the engine.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    UnicityResult

    Raises
    ------
    ConfigError
        The strategy is unknown; p, ``out_of`` or ``users`` is not an integer of 1 or more; or
        ``seed`` is not an integer of 0 or more.
    InfeasibleError
        No record has p bins or, with ``top``, p places.

    Notes
    -----
    ``ε_p = |{i : |E_i| ≤ out_of}| / n``, where n is the number of targets and E_i the anonymity set
    of target i (de Montjoye et al. 2013, Methods). A fingerprint that stands for several people is
    drawn, and counted in E_i, as that many users.

    Examples
    --------
    Two of three people were always together.

    >>> fs = FingerprintSet.from_samples([1, 2, 3], [0, 0, 900], [0, 0, 0], [5, 5, 5])
    >>> result = unicity(fs, 1)
    >>> result.n_found, round(result.value, 3), result.at(2).value
    (1, 0.333, 1.0)
    """
    config = UnicityConfig(p, strategy, users, seed, out_of)
    knowledge = drawn(fs, config)
    sizes = anonymity_sets(fs, knowledge, engine=engine, progress=progress)
    return result_of(fs, knowledge, sizes, config)


def result_of(
    fs: FingerprintSet, knowledge: Knowledge, sizes: IntArray, config: UnicityConfig
) -> UnicityResult:
    """Return the unicity that follows from the sizes of the targets' anonymity sets."""
    found = int((sizes <= config.out_of).sum())
    low, high = wilson_interval(found, len(sizes))
    return UnicityResult(
        value=found / len(sizes),
        low=low,
        high=high,
        sizes=sizes,
        targets=knowledge.targets,
        n_found=found,
        too_few=knowledge.too_few,
        n_users=int(fs.weight.sum()),
        config=config,
        digest=knowledge.digest,
    )


MONTH_DAYS = 30.0
_DAY_MIN = 1440.0


def points_needed(
    fs: FingerprintSet,
    *,
    users: int = 1000,
    min_per_month: float = 75,
    strategy: Strategy = "random",
    out_of: int = 1,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress = None,
) -> pd.DataFrame:
    """Return how many points must be known to single out each heavy user.

    Parameters
    ----------
    fs : FingerprintSet
    users : int
        Number of heavy users drawn at random; all heavy users if there are no more than this.
    min_per_month : float
        Number of interactions (counts, not samples) in a month of 30 days that makes a user heavy.
        The length of the data is counted from the first to the last local calendar day with a
        sample, both included. The numbers of interactions are scaled from this length to 30 days.
        Interactions of a fingerprint that stands for several users are divided among them.
    strategy : {"random", "uniform", "top", "consecutive"}
        Order in which points become known; see :func:`draw_knowledge`.
    out_of : int
        Largest anonymity set, in users, of a user who counts as singled out.
    seed : int
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on the engine.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    DataFrame
        One row per target: ``user`` (row number), ``pseudonym``, ``per_month`` (interactions) and
        ``bins`` (in the record; places for ``top``). ``points`` is the number of points needed; NaN
        for users *never* singled out, even by all their bins. ``anonymity_set`` is |E| after the
        last point taken. ``attrs`` hold ``never`` (number of targets never singled out), ``heavy``
        (number of fingerprints of heavy users), ``config`` (strategy, users, seed, out_of,
        min_per_month) and ``digest``. All of these are plain values, which a Parquet file keeps.

    Raises
    ------
    ConfigError
        The strategy is unknown; ``users`` or ``out_of`` is not an integer of 1 or more; ``seed`` is
        not an integer of 0 or more; or ``min_per_month`` is not a number of 0 or more.
    InfeasibleError
        There are no heavy users.

    Examples
    --------
    Both users were at the first place; the second place singles one out.

    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 900, 0], [0, 0, 0], [0, 5, 0])
    >>> table = points_needed(fs, min_per_month=0, strategy="consecutive")
    >>> table.points.tolist(), table.attrs["never"]
    ([2.0, nan], 1)
    """
    config = KnowledgeConfig(int(fs.lengths.max()), strategy, users, seed)
    whole("out_of", out_of, 1)
    number("min_per_month", min_per_month, least=0.0)
    monthly = interactions_per_month(fs)
    heavy = np.flatnonzero(monthly >= min_per_month)
    if len(heavy) == 0:
        raise InfeasibleError(
            f"None of the {fs.n_users} people has {min_per_month:g} interactions in 30 days (the "
            f"busiest has {monthly.max():.1f}); lower min_per_month."
        )
    knowledge = drawn(fs, config, among=heavy, beyond=True)
    points, sizes = first_unique(fs, knowledge, out_of, **working(engine, progress))
    targets = knowledge.targets
    table = pd.DataFrame(
        {
            "user": targets,
            "pseudonym": np.array(fs.pseudonyms)[targets],
            "per_month": monthly[targets],
            "bins": knowledge.sizes,
            "points": np.where(points > 0, points, np.nan),
            "anonymity_set": sizes,
        }
    )
    asked: dict[str, str | float] = {
        "strategy": strategy,
        "users": config.users,
        "seed": config.seed,
    }
    asked |= {"out_of": int(out_of), "min_per_month": float(min_per_month)}
    people = {"never": int((points == 0).sum()), "heavy": len(heavy)}
    table.attrs = people | {"config": asked, "digest": keyed(fs.digest)}
    return table


def interactions_per_month(fs: FingerprintSet) -> FloatArray:
    """Return each fingerprint's number of events per person in 30 days, float64 (n_users,).

    The length of the data is as in :func:`points_needed`.
    """
    days = np.floor(fs.wall_minutes(np.array([fs.t_min.min(), fs.t_min.max()])) / _DAY_MIN)
    events = np.add.reduceat(fs.count, fs.offsets[:-1]) / fs.weight
    monthly: FloatArray = events * MONTH_DAYS / (days[1] - days[0] + 1)
    return monthly


def fit_scaling_law(x: npt.ArrayLike, unicity: npt.ArrayLike) -> ScalingFit:
    """Fit ε = α − x^β, and the three other forms it is compared with.

    Parameters
    ----------
    x : array_like (n,)
        Resolution, above 0, in any one unit; the coefficients hold for that unit.
    unicity : array_like (n,)
        ε measured at each resolution.

    Returns
    -------
    ScalingFit

    Raises
    ------
    ConfigError
        Lengths differ, a value is not finite, or a value of x is not above 0.
    InfeasibleError
        There are fewer than three points, or fewer than two different resolutions.

    Notes
    -----
    The fit is by least squares (Levenberg–Marquardt). For a given β, the best α is a mean. So the
    sum of squares is first scanned over β, and the search starts from its lowest local minima.

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
        raise ConfigError("Resolutions must be numbers above 0, and unicities must be numbers.")
    if len(at) < 3 or len(np.unique(at)) < 2:
        raise InfeasibleError(
            "A curve needs at least 3 points at 2 or more resolutions; points given: "
            f"{len(at)}, different resolutions: {len(np.unique(at))}."
        )
    fits = {form: fit_curve(form, at, eps) for form in FORMS}
    law = fits["power"]
    return ScalingFit(law.alpha, law.beta, law.alpha_se, law.beta_se, law.r2, fits, at, eps)


def fit_exponents(fits: Mapping[int, ScalingFit]) -> LinearFit:
    """Fit β against p by least squares (de Montjoye et al. 2013, fig. 4, right).

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
        There are fewer than two values of p, or a β is not finite.

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
            "A line needs at least 2 values of p, and a finite exponent β for each of them."
        )
    away = p - p.mean()
    spread = float(away @ away)
    slope = float(away @ beta) / spread
    intercept = float(beta.mean() - slope * p.mean())
    left = beta - intercept - slope * p
    variance = float(left @ left) / (len(p) - 2) if len(p) > 2 else math.nan
    slope_se = math.sqrt(variance / spread)
    intercept_se = math.sqrt(variance * (1 / len(p) + p.mean() ** 2 / spread))
    return LinearFit(slope, intercept, slope_se, intercept_se, pseudo_r2(beta, left))


_STARTS = 400  # values of β scanned
_TRIED = 4  # starts carried through to the end
_SEARCH = {"method": "lm", "ftol": 1e-13, "xtol": 1e-13, "maxfev": 500}
_LARGEST_TERM = 1e6  # of f, times 1 + the largest ε


def fit_curve(form: str, x: FloatArray, eps: FloatArray) -> CurveFit:
    """Fit a form by least squares (Levenberg–Marquardt) from the lowest minima of a scan over β."""
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
    # If f is huge, ε is lost in the rounding of α − f, and the residuals seem to be 0.
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
                found, spread = curve_fit(curve, x, eps, first, jac=jacobian, **_SEARCH)
            except RuntimeError:  # no convergence; the point of the scan is kept
                found, spread = np.array(first), np.full((2, 2), np.inf)
        left = eps - curve(x, *found)
        sensible = np.abs(term(x, found[1])).max() <= limit
        if sensible and (best is None or float(left @ left) < best[0]):
            best = (float(left @ left), found, spread)
    if best is None:  # every search diverged; the lowest point of the scan is kept
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
    """Return 1 − SSE/SST, from values and their residuals; NaN if SST is 0."""
    away = values - values.mean()
    total = float(away @ away)
    # Equal values differ from their mean by rounding alone.
    if total <= len(values) * (1e-15 * float(np.abs(values).max(initial=0.0))) ** 2:
        return math.nan
    return 1.0 - float(left @ left) / total


def sparsity_model(n_users: int, n_bins: npt.ArrayLike, density: float = 0.5) -> SparsityModel:
    """Return two chances by sparsity alone: that a user is unique, and that all are 2-anonymous.

    Parameters
    ----------
    n_users : int
        Number of users n, 1 or more.
    n_bins : int or array_like of int
        Number of bins d, 0 or more.
    density : float
        Probability π that a user is in a bin, in [0, 1].

    Returns
    -------
    SparsityModel

    Raises
    ------
    ConfigError
        ``n_users`` is not an integer of 1 or more; ``n_bins`` is empty or has a value that is not
        an integer of 0 or more; or ``density`` is not a number in [0, 1].

    Notes
    -----
    The chances are those of Noriega Campero 2015, eq. 3.1–3.4, computed in logarithms. Two users
    have the same record with probability q = (π² + (1 − π)²)^d, and a user is unique with
    probability (1 − q)^(n−1). For π = 0.5, q itself is below the smallest floating-point number
    from d = 1,075 on. Long before that, (1 − q)^(n−1) rounds to 1.

    Examples
    --------
    Among 1.6 million users, 16 bins single out hardly anyone, and 31 bins nearly everyone.

    >>> [round(float(v), 3) for v in sparsity_model(1_600_000, [16, 24, 31]).p_unique]
    [0.0, 0.909, 0.999]
    """
    whole("n_users", n_users, 1)
    bins = np.asarray(n_bins)
    if bins.size == 0 or not np.issubdtype(bins.dtype, np.integer) or bins.min() < 0:
        raise ConfigError("n_bins must be one or more integers of 0 or more.")
    share("density", density)
    # π² + (1−π)² = 1 − 2π(1−π); it is at least ½, so that the logarithm is finite.
    log_q = bins * math.log1p(-2 * density * (1 - density))
    # A lone user is unique whatever q: 0 · log 0 is 0 here.
    log_unique = (n_users - 1) * _log_of_rest(log_q) if n_users > 1 else np.zeros(bins.shape)
    unique = np.exp(log_unique)
    anonymous = np.exp(n_users * _log_of_rest(log_unique))
    scalar = bins.ndim == 0
    return SparsityModel(
        p_unique=float(unique) if scalar else unique,
        p_anonymous=float(anonymous) if scalar else anonymous,
        n_users=int(n_users),
        n_bins=int(bins) if scalar else bins,
        density=float(density),
    )


def _log_of_rest(log_p: npt.NDArray[np.float64]) -> FloatArray:
    """Return log(1 − e^log_p) without cancellation; −inf where p is 1."""
    log_p = np.asarray(log_p, np.float64)
    with np.errstate(divide="ignore"):  # log 0
        near_one, near_zero = np.log(-np.expm1(log_p)), np.log1p(-np.exp(log_p))
    return np.where(log_p > -math.log(2), near_one, near_zero)

"""The scaling law: known coefficients come back, and errors are what theory says."""

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpanon_core import ConfigError, InfeasibleError, fit_exponents, fit_scaling_law, sparsity_model
from tests.support.refusals import check_refused

X = np.array([1.0, 2, 3, 5, 8, 12, 15])
FORMS = {
    "power": lambda x, a, b: a - x**b,
    "exponential": lambda x, a, b: a - np.exp(b * x),
    "stretched": lambda x, a, b: a - np.exp(x**b),
    "linear": lambda x, a, b: a - b * x,
}


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(list(FORMS)),
    st.floats(0.5, 4.0),
    st.floats(0.02, 0.3),
    st.sampled_from([1.0, -1.0]),
    st.sampled_from([X, X * 24]),
)
def test_known_coefficients_come_back(form, alpha, beta, sign, x):
    beta *= sign / (x.max() if form in ("exponential", "linear") else 1.0)
    fit = fit_scaling_law(x, FORMS[form](x, alpha, beta)).fits[form]
    assert fit.alpha == pytest.approx(alpha, rel=1e-6, abs=1e-6)
    assert fit.beta == pytest.approx(beta, rel=1e-6)
    assert fit.r2 == pytest.approx(1.0)
    np.testing.assert_allclose(fit.predict(x), FORMS[form](x, alpha, beta), atol=1e-8)


def test_resolutions_of_any_unit():
    """The same curve with x in metres: a law of cells of 100 m … 20 km."""
    x = np.geomspace(100, 20_000, 9)
    fit = fit_scaling_law(x, 2.1 - x**0.04)
    assert (fit.alpha, fit.beta) == pytest.approx((2.1, 0.04), rel=1e-6)
    exponential = fit_scaling_law(x, 1.9 - np.exp(3e-5 * x)).fits["exponential"]
    assert (exponential.alpha, exponential.beta) == pytest.approx((1.9, 3e-5), rel=1e-6)


def test_the_law_that_made_the_data_fits_best_and_stands_on_top():
    fit = fit_scaling_law(X, 1.95 - X**0.13)
    assert max(fit.fits.values(), key=lambda f: f.r2).form == "power"
    assert (fit.alpha, fit.beta, fit.r2) == pytest.approx((1.95, 0.13, 1.0))
    assert fit.formula == "ε = 1.95 − x^0.13"
    assert fit.fits["linear"].formula.startswith("ε = 0.9")
    assert fit.predict([1.0, 4.0]) == pytest.approx([0.95, 1.95 - 4**0.13])


def test_line_by_hand():
    """x = 1, 2, 3, 4, ε = .9, .8, .5, .2: slope −1.2/5 = −.24, so β = .24, α = .6 + .6 = 1.2.

    Left over: −.06, .08, .02, −.04, so SSE = .012; SST = .09 + .04 + .01 + .16 = .3; R² = .96.
    Standard errors: s² = .012/2; β: √(s²/5) = .03464; α: √(s²·(1/4 + 2.5²/5)) = .09487.
    """
    line = fit_scaling_law([1, 2, 3, 4], [0.9, 0.8, 0.5, 0.2]).fits["linear"]
    found = (line.alpha, line.beta, line.r2, line.alpha_se, line.beta_se)
    assert found == pytest.approx((1.2, 0.24, 0.96, 0.09487, 0.03464), rel=1e-3)


def test_standard_errors_hold_the_truth_as_often_as_they_should():
    rng = np.random.default_rng(5)
    fits = [fit_scaling_law(X, 1.9 - X**0.1 + rng.normal(0, 0.01, len(X))) for _ in range(60)]
    assert 0.5 < np.mean([abs(f.beta - 0.1) < f.beta_se for f in fits]) < 0.85  # 64% for t, 5 df
    assert all(math.isfinite(f.alpha_se) for f in fits)


def test_equal_unicities_have_no_r2():
    fit = fit_scaling_law([1, 2, 4], [0.7, 0.7, 0.7])
    assert math.isnan(fit.r2)
    assert fit.predict([1, 3]) == pytest.approx([0.7, 0.7], abs=1e-6)


@pytest.mark.parametrize(
    ("x", "eps", "error", "words"),
    [
        ([1, 2], [0.5, 0.4], InfeasibleError, "given: 2, different resolutions: 2"),
        ([2, 2, 2], [0.5, 0.4, 0.3], InfeasibleError, "given: 3, different resolutions: 1"),
        ([], [], InfeasibleError, "given: 0, different resolutions: 0"),
        ([1, 2, 3], [0.5, 0.4], ConfigError, "x has 3 values and unicity 2"),
        ([0, 2, 3], [0.5, 0.4, 0.1], ConfigError, "above 0"),
        ([1, 2, 3], [0.5, np.nan, 0.1], ConfigError, "numbers"),
    ],
)
def test_what_cannot_be_fitted(x, eps, error, words):
    with pytest.raises(error, match=words):
        fit_scaling_law(x, eps)


def test_exponents_against_p():
    laws = {p: fit_scaling_law(X, 1.9 - X ** (0.157 - 0.007 * p)) for p in (2, 4, 6, 8)}
    line = fit_exponents(laws)
    assert (line.intercept, line.slope, line.r2) == pytest.approx((0.157, -0.007, 1.0), rel=1e-4)
    assert line.formula == "β = 0.157 − 0.007·p"
    two = fit_exponents({p: laws[p] for p in (2, 8)})
    assert two.slope == pytest.approx(-0.007, rel=1e-4)
    assert math.isnan(two.slope_se)
    with pytest.raises(InfeasibleError, match="at least 2"):
        fit_exponents({2: laws[2]})


# --- the sparsity model against the formula itself, exact fractions and the extremes -------------


def test_the_papers_check():
    """n = 1.6e6, π = ½: q = 2^−d; (1 − 2^−16)^1.6e6 ≈ e^−24.4; (1 − 2^−31)^1.6e6 ≈ 1 − 7.5e-4."""
    model = sparsity_model(1_600_000, np.array([16, 31, 40]))
    np.testing.assert_allclose(model.p_unique, [2.5e-11, 0.99926, 0.9999985], rtol=0.01)
    assert model.p_unique[0] == pytest.approx(math.exp(1_599_999 * math.log1p(-(2.0**-16))))


@pytest.mark.parametrize("n", [1, 2, 3, 7])
@pytest.mark.parametrize("d", [0, 1, 2, 5])
@pytest.mark.parametrize("density", [0.0, 0.25, 0.5, 1.0])
def test_exact_fractions(n, d, density):
    pi = Fraction(density)
    unique = (1 - (pi**2 + (1 - pi) ** 2) ** d) ** (n - 1)
    model = sparsity_model(n, d, density)
    assert isinstance(model.p_unique, float)
    assert model.p_unique == pytest.approx(float(unique), rel=1e-12, abs=1e-300)
    assert model.p_anonymous == pytest.approx(float((1 - unique) ** n), rel=1e-12, abs=1e-300)


def test_neither_underflows_nor_overflows():
    with np.errstate(all="raise", under="ignore"):
        for n in (1, 2, 10**9):
            for density in (0.0, 1e-9, 0.01, 0.5, 1.0):
                model = sparsity_model(n, np.array([0, 1, 30, 1_000, 10**6]), density)
                for p in (model.p_unique, model.p_anonymous):
                    assert ((p >= 0) & (p <= 1)).all()
                assert (np.diff(model.p_unique) >= 0).all()
    # d = 10^6 and π = 10^-9: log q = −2e-3, so q ≈ .998 and of 10 users a unique one has .002^9.
    tiny = sparsity_model(10, 10**6, 1e-9)
    assert tiny.p_unique == pytest.approx(-(math.expm1(-2e-3) ** 9), rel=1e-6)
    assert tiny.p_anonymous == pytest.approx(1.0)


def test_a_parameter_out_of_range():
    check_refused(partial(sparsity_model, n_bins=5), "NAME = ", n_users=[0])
    check_refused(partial(sparsity_model, 5), "NAME", n_bins=[-1, 1.5, []])
    check_refused(partial(sparsity_model, 5, 5), "NAME = ", density=[1.5, math.nan])

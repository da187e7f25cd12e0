"""The sparsity model against the formula itself, exact fractions and the extremes."""

import math
from fractions import Fraction

import numpy as np
import pytest

from fpanon_core import ConfigError, sparsity_model


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


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, 5), "n_users = 0"),
        ((5, -1), "n_bins"),
        ((5, 1.5), "n_bins"),
        ((5, []), "n_bins"),
        ((5, 5, 1.5), "density = 1.5"),
        ((5, 5, math.nan), "density = nan"),
    ],
)
def test_a_parameter_out_of_range(arguments, words):
    with pytest.raises(ConfigError, match=words):
        sparsity_model(*arguments)

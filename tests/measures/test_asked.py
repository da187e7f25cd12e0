"""Asked utility: means, experts and Student's interval by hand."""

import numpy as np
import pandas as pd
import pytest

from fpanon_core import ConfigError, asked_utility


@pytest.fixture
def answers():
    rows = [
        ("A", "transport", "fine", 9),
        ("B", "transport", "Fine", 6),
        ("C", "transport", "fine ", 6),
        ("A", "transport", "coarse", 2),
        ("A", "epidemics", "fine", 10),
        ("A", "epidemics", "low", 0),
        ("B", "epidemics", "low", 1),
    ]
    return pd.DataFrame(rows, columns=["expert", "domain", "option", "score"])


def test_by_hand(answers):
    """fine: .9, .6, .6: mean .7, s = √(.06/2) = .17321, t(2) = 4.3027: half .43027, cut at 1."""
    table = asked_utility(answers, "transport")
    assert table["option"].tolist() == ["fine", "coarse"]
    assert table["experts"].tolist() == [3, 1]
    assert table["mean"].tolist() == pytest.approx([0.7, 0.2])
    assert table["low"][0] == pytest.approx(0.7 - 0.43027, abs=1e-4)
    assert table["high"][0] == 1.0
    assert np.isnan(table["low"][1])
    assert np.isnan(table["high"][1])
    # 0 and .1: mean .05, half 12.706 · .05: cut at 0.
    low = asked_utility(answers, "Epidemics").set_index("option").loc["low"]
    assert (low["mean"], low["low"]) == (0.05, 0.0)
    assert low["high"] == pytest.approx(0.05 + 12.7062 * 0.05, abs=1e-4)


def test_an_unknown_domain_names_the_known(answers):
    with pytest.raises(ConfigError, match="transport"):
        asked_utility(answers, "tourism")

"""Numbers that the operator of a machine sets in environment variables."""

from __future__ import annotations

import pytest

from fpanon_core.model.budgets import number, whole_number
from fpanon_core.model.errors import ConfigError


def test_what_is_not_said_is_none() -> None:
    for environment in ({}, {"N": ""}, {"N": "  "}):
        assert number("N", environment) is None
        assert whole_number("N", environment) is None


def test_what_is_said() -> None:
    assert number("N", {"N": " 2.5 "}, most=2.5) == 2.5
    assert whole_number("N", {"N": "3"}) == 3


@pytest.mark.parametrize("said", ["0", "-1", "nan", "inf", "soon", "3.1"])
def test_what_cannot_be_meant_is_refused_by_name(said: str) -> None:
    with pytest.raises(ConfigError, match="variable N is"):
        number("N", {"N": said}, most=3)
    with pytest.raises(ConfigError, match="variable N is"):
        whole_number("N", {"N": said})

"""What the server's operator may set, and what is refused."""

from __future__ import annotations

import pytest

from fpanon_core.model.errors import ConfigError
from pages.server.environment import Allowances


def test_defaults() -> None:
    assert Allowances.of({}) == Allowances(15.0, 600.0, 2000.0)
    assert Allowances.of({"FPANON_GRACE_MIN": " "}).grace_s == 900


def test_set() -> None:
    said = {"FPANON_GRACE_MIN": "0.5", "FPANON_UPLOAD_MB_SESSION": "10", "FPANON_UPLOAD_MB": "20"}
    assert Allowances.of(said) == Allowances(0.5, 10.0, 20.0)


@pytest.mark.parametrize("said", ["0", "-1", "nan", "inf", "1e9", "soon", "1441"])
def test_what_cannot_be_meant_is_refused_by_name(said: str) -> None:
    with pytest.raises(ConfigError, match="FPANON_GRACE_MIN"):
        Allowances.of({"FPANON_GRACE_MIN": said})

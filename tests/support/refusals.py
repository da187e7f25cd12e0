"""Settings out of their range, each refused for itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from fpanon_core import ConfigError


def check_refused(
    call: Callable[..., Any], match: str | None = None, /, **wrong: Sequence[Any]
) -> None:
    """Whether every value of every name is refused, all else as it is usually."""
    for name, values in wrong.items():
        for value in values:
            with pytest.raises(ConfigError, match=match and match.replace("NAME", name)):
                pytest.fail(f"{name}={value!r} gave {call(**{name: value})!r}")

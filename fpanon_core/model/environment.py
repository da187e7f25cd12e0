"""What does the operator of this machine say? Numbers in environment variables."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping

from .errors import ConfigError


def number(
    variable: str, environment: Mapping[str, str] = os.environ, *, most: float = math.inf
) -> float | None:
    """The number above 0 that a variable says; None where it says nothing.

    Parameters
    ----------
    variable : str
    environment : mapping of str to str
    most : float
        The largest number that can be meant.

    Raises
    ------
    ConfigError
        It says something else.

    Examples
    --------
    >>> number("HOURS", {"HOURS": "0.5"}), number("HOURS", {"HOURS": " "})
    (0.5, None)
    """
    said = environment.get(variable, "").strip()
    if not said:
        return None
    try:
        value = float(said)
    except ValueError:
        value = math.nan
    if not (0 < value <= most and math.isfinite(value)):
        limit = f" and up to {most:g}" if math.isfinite(most) else ""
        raise ConfigError(
            f"The environment variable {variable} is {said!r}; it must be a number above 0{limit}. "
            "Correct it, or leave it out for the usual value."
        )
    return value


def whole_number(variable: str, environment: Mapping[str, str] = os.environ) -> int | None:
    """As :func:`number`, of integers.

    Examples
    --------
    >>> whole_number("LANES", {"LANES": "2"})
    2
    """
    value = number(variable, environment)
    if value is not None and not value.is_integer():
        raise ConfigError(
            f"The environment variable {variable} is {environment[variable]!r}; it must be an "
            "integer of 1 or more. Correct it, or leave it out for the usual value."
        )
    return None if value is None else int(value)

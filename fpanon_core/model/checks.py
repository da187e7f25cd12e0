"""Checks of parameters: whether each value is valid, with uniform messages.

A function that checks a number returns it as a plain ``int`` or ``float``. If a value is not valid,
a :class:`ConfigError` says what was given and what is accepted. :func:`is_whole` and
:func:`is_number` only return True or False. ``True`` and ``False`` do not count as numbers. A
dataclass of parameters derives from :class:`Checked`, and each of its fields declares the check of
its value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, partial
from types import NoneType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np

from .errors import ConfigError


def is_whole(value: Any) -> bool:
    """Return whether the value is of an integer type; ``True`` and ``False`` do not count."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Return whether the value is a finite number; ``True`` and ``False`` do not count."""
    real = isinstance(value, (int, float, np.integer, np.floating))
    try:
        return real and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # an integer too large for a float
        return False


def whole(name: str, value: Any, least: int, most: int | None = None, *, of: str = "") -> int:
    """Return the value if it is an integer of ``least`` or more, and at most ``most``.

    Parameters
    ----------
    name : str
        Name of the parameter in the message.
    value : Any
        Value to check.
    least, most : int
        Bounds, both included; no upper bound if ``most`` is None.
    of : str
        Unit of the count, such as ``"antennas"``, for the message.

    Raises
    ------
    ConfigError
        The value is not such an integer.

    Examples
    --------
    >>> whole("k", 3, 2)
    3
    >>> whole("k", 1, 2)
    Traceback (most recent call last):
    fpanon_core.model.errors.ConfigError: k = 1; it must be an integer of 2 or more.
    """
    if is_whole(value) and value >= least and (most is None or value <= most):
        return int(value)
    if of:
        kind = f"a whole number of {of}, "
        kind += f"at least {least}" if most is None else f"{least} to {most}"
    elif most is None:
        kind = f"an integer of {least} or more"
    else:
        kind = f"a whole number from {least} to {most}"
    raise ConfigError(f"{name} = {value!r}; it must be {kind}.")


def number(
    name: str,
    value: Any,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    above: float = -math.inf,
) -> float:
    """Return the value if it is finite, from ``least`` to ``most`` and greater than ``above``.

    Raises
    ------
    ConfigError
        The value is not such a number.

    Examples
    --------
    >>> number("noise_share", 1, least=0.0)
    1.0
    >>> number("epsilon", 0, above=0.0)
    Traceback (most recent call last):
    fpanon_core.model.errors.ConfigError: epsilon = 0; it must be a number above 0.
    """
    if is_number(value) and least <= value <= most and value > above:
        return float(value)
    bound = f" above {above:g}" if above > -math.inf else ""
    if most < math.inf:
        bound += f" from {least:g} to {most:g}" if least > -math.inf else f" of at most {most:g}"
    elif least > -math.inf:
        bound += f" of {least:g} or more"
    raise ConfigError(f"{name} = {value!r}; it must be a number{bound}.")


def positive(name: str, value: Any, *, of: str = "", otherwise: str = "") -> float:
    """Return the value if it is finite and above 0.

    Parameters
    ----------
    name : str
        Name of the parameter in the message.
    value : Any
        Value to check.
    of : str
        Unit, for the message, such as ``"metres"``.
    otherwise : str
        Another value that the caller accepts, such as ``"None for no limit"``.

    Raises
    ------
    ConfigError
        The value is not such a number.

    Examples
    --------
    >>> positive("margin_m", -2, of="metres")
    Traceback (most recent call last):
    fpanon_core.model.errors.ConfigError: margin_m = -2; it must be a positive number of metres.
    """
    if is_number(value) and value > 0:
        return float(value)
    kind = "a positive number" + (f" of {of}" if of else "")
    kind += f", or {otherwise}" if otherwise else ""
    raise ConfigError(f"{name} = {value!r}; it must be {kind}.")


def share(
    name: str, value: Any, *, above_0: bool = False, below_1: bool = False, such_as: str = ""
) -> float:
    """Return the value if it lies in [0, 1].

    Parameters
    ----------
    name : str
        Name of the parameter in the message.
    value : Any
        Value to check.
    above_0, below_1 : bool
        Whether 0, or 1, itself is excluded.
    such_as : str
        Example, for the message.

    Raises
    ------
    ConfigError
        The value is not a number in [0, 1], or is an excluded end.

    Examples
    --------
    >>> share("active_days_share", 1.0, below_1=True)
    Traceback (most recent call last):
    fpanon_core.model.errors.ConfigError: active_days_share = 1.0; it must lie in [0, 1).
    """
    inside = is_number(value) and 0 <= value <= 1
    if inside and not (above_0 and value == 0) and not (below_1 and value == 1):
        return float(value)
    span = f"{'(' if above_0 else '['}0, 1{')' if below_1 else ']'}"
    example = f", such as {such_as}" if such_as else ""
    raise ConfigError(f"{name} = {value!r}; it must lie in {span}{example}.")


def one_of(what: str, value: Any, known: Sequence[str]) -> Any:
    """Return a value that is in ``known``; refuse any other.

    Raises
    ------
    ConfigError
        The value is not one of the known values.
    """
    if value not in known:
        raise ConfigError(f"{what} is {value!r}; give one of {', '.join(known)}.")
    return value


Check = Callable[[str, Any], Any]
"""Function that takes the name and the value of a parameter, and returns the value to keep."""

AT_LEAST_0: Check = partial(whole, least=0)
AT_LEAST_1: Check = partial(whole, least=1)
NOT_BELOW_0: Check = partial(number, least=0.0)
ABOVE_0: Check = partial(number, above=0.0)


class Checked:
    """Base class of dataclasses whose fields declare checks, as ``Annotated[int, AT_LEAST_1]``.

    A value is kept as its check returns it. Each entry of a tuple is checked separately. None is
    kept where the field may be None.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Config(Checked):
    ...     days: Annotated[int | None, partial(whole, least=1)]
    >>> Config(None)
    Config(days=None)
    >>> Config(0)
    Traceback (most recent call last):
    fpanon_core.model.errors.ConfigError: days = 0; it must be an integer of 1 or more.
    """

    def __post_init__(self) -> None:
        of: type = type(self)
        for name, (kind, check) in _declared(of).items():
            value, kinds = getattr(self, name), (kind, *get_args(kind))
            if value is None and NoneType in kinds:
                continue
            if any(get_origin(each) is tuple for each in kinds):
                value = tuple(check(name, each) for each in value)
            else:
                value = check(name, value)
            object.__setattr__(self, name, value)


@cache
def _declared(kind: type) -> dict[str, tuple[Any, Check]]:
    """Return the type and the check of each field that declares one."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: get_args(h) for name, h in hints.items() if get_origin(h) is Annotated}

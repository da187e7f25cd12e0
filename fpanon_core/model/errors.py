"""Errors of fpanon, classified according to who can correct them.

Every message says what was found, what was expected and what to do. None quotes a user id, a place
or a row of the data, because messages reach logs and screens.
"""

from __future__ import annotations

import functools
import os
import traceback
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")


class FpanonError(Exception):
    """Base class of every error that fpanon raises on purpose."""

    @property
    def message(self) -> str:
        """Text of the error, worded for a call of the library.

        A :class:`fpanon_core.io.hints.Message` also has the words for screens and commands.
        """
        return self.args[0] if self.args else ""


class SchemaError(FpanonError):
    """The file or table cannot be read as mobility data; the data's owner can correct it."""


class ConfigError(FpanonError, ValueError):
    """A parameter is out of its range or contradicts another; the caller can correct it."""


class InfeasibleError(FpanonError, ValueError):
    """The data cannot provide what is requested, for example if k exceeds the number of users."""


class Cancelled(FpanonError):
    """Raised by a ``progress`` callback to stop a long computation; carries no result."""


class OutOfMemory(FpanonError):
    """Memory ran out: the file and the parameters are valid, but they need too much memory."""


class Unforeseen(SchemaError):
    """A file caused a fault in its reader that the program did not foresee.

    The message gives the fault's kind and place, never its text, which may quote the file. Readers
    raise no other exception for a fault of this kind. The tests of the readers count this exception
    as a failure.
    """


def memory_ended(fault: Exception) -> bool:
    """Return whether the exception means that memory ran out, perhaps for a new thread's stack."""
    return isinstance(fault, MemoryError) or (
        isinstance(fault, RuntimeError) and "start new thread" in str(fault)
    )


def only_ours(what: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Decorate a reader of external files so that it raises only :class:`FpanonError`.

    Parameters
    ----------
    what : str
        Name of what is read, for the message, such as "table".
    """

    def around(reader: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(reader)
        def guarded(*args: _P.args, **named: _P.kwargs) -> _R:
            try:
                return reader(*args, **named)
            except FpanonError:
                raise
            except Exception as fault:
                if memory_ended(fault):
                    raise OutOfMemory(
                        f"Reading the {what} needs more memory than is available. Give fewer "
                        "days or people, or fewer columns, or use a machine with more memory."
                    ) from None
                last = traceback.extract_tb(fault.__traceback__)[-1]
                place = f"{type(fault).__name__} at {os.path.basename(last.filename)}:{last.lineno}"
            # Outside the clause above: a fault chained to this one would quote the file.
            raise Unforeseen(
                f"The {what} holds something that fpanon did not foresee ({place}). Save it again, "
                "as plain CSV if need be; if this message appears again, report it."
            )

        return guarded

    return around

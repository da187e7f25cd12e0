"""What can go wrong, by who can put it right.

Every message says what was found, what was expected and what to do; none quotes a user id, a place
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
    """Base of every error that fpanon raises on purpose."""

    @property
    def message(self) -> str:
        """What it says, as it was made: where it names a way out, in words for every reader."""
        said: str = self.args[0] if self.args else ""
        return said


class SchemaError(FpanonError):
    """The file or table cannot be read as mobility data: the data's owner can mend it."""


class ConfigError(FpanonError, ValueError):
    """A parameter is out of its range or contradicts another: the caller can mend it."""


class InfeasibleError(FpanonError, ValueError):
    """The question has no answer on this data, such as k beyond the number of users."""


class Cancelled(FpanonError):
    """Raised by a ``progress`` callback to stop a long computation; carries no result."""


class OutOfMemory(FpanonError):
    """Memory ended: nothing is wrong with the file or the parameters, but they ask for too much."""


class Unforeseen(SchemaError):
    """A file that nobody thought of: the program met a fault in reading it.

    Says the fault's kind and place, never its words, which may quote the file. Whoever is told has
    no other exception to catch; to the tests of the readers it is a fault like any other.
    """


def memory_ended(fault: Exception) -> bool:
    """Whether this says that memory ended; Python says so of a thread's stack in other words."""
    return isinstance(fault, MemoryError) or (
        isinstance(fault, RuntimeError) and "start new thread" in str(fault)
    )


def only_ours(what: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """A reader of files that people bring, from which nothing but :class:`FpanonError` comes.

    Parameters
    ----------
    what : str
        Is read, for the message, such as "table".
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
                        f"Reading the {what} needs more memory than there is to spare. Give fewer "
                        "days or people, or fewer columns, or use a machine with more memory."
                    ) from None
                last = traceback.extract_tb(fault.__traceback__)[-1]
                place = f"{type(fault).__name__} at {os.path.basename(last.filename)}:{last.lineno}"
            # Out of the clause above: a fault that hangs on to this one would quote the file.
            raise Unforeseen(
                f"The {what} holds something that fpanon did not foresee ({place}). Save it again, "
                "as plain CSV if need be; and report this line if it comes back."
            )

        return guarded

    return around

"""What can go wrong, by who can put it right.

Every message says what was found, what was expected and what to do; none quotes a user id, a place
or a row of the data, because messages reach logs and screens.
"""


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

"""Messages whose remedy is worded for each reader.

A caller of a function passes arguments, a user of the command line gives options, and a user of the
screen fills in a form. A message is made once, with its remedies worded for all three.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_BEGINS, _OR = "\ue000", "\ue001"  # private-use characters: no text of ours has them


@dataclass(frozen=True)
class Way:
    """Part of a message with separate words for a call, a command and a form."""

    call: str
    command: str
    form: str

    def __str__(self) -> str:
        """Return the encoded words, for embedding in the text of a message."""
        stray = f"[{_BEGINS}{_OR}]"  # in a file's own names
        words = (re.sub(stray, "", each) for each in (self.call, self.command, self.form))
        return f"{_BEGINS}{_OR.join(words)}{_BEGINS}"


class Message(str):
    """Text that is worded for a function call and also has the words for other readers.

    Examples
    --------
    >>> said = Message(f"Say which column holds the time{such_as('time')}.")
    >>> print(said)
    Say which column holds the time, such as columns={'time': …}.
    >>> for_command_line(said), for_screen(said)
    ('Say which column holds the time, such as --time NAME.', 'Say which column holds the time.')
    """

    encoded: str

    def __new__(cls, *parts: str | Way) -> Message:
        """Join texts, remedies and other messages."""
        encoded = "".join(getattr(part, "encoded", str(part)) for part in parts)
        self = super().__new__(cls, _worded(encoded, 0))
        self.encoded = encoded
        return self

    def __getnewargs__(self) -> tuple[str]:  # so that other processes receive it complete
        return (self.encoded,)


def for_command_line(message: str) -> str:
    """Return the text with options in place of arguments; plain texts are unchanged."""
    return _worded(message.encoded, 1) if isinstance(message, Message) else message


def for_screen(message: str) -> str:
    """Return the text with references to the form below in place of arguments."""
    return _worded(message.encoded, 2) if isinstance(message, Message) else message


def sentences(parts: list[str]) -> Message:
    """Join sentences with spaces."""
    spaced = [piece for part in parts for piece in (" ", part)]
    return Message(*spaced[1:])


def such_as(*roles: str) -> Way:
    """Return the ending of a sentence that asks for the columns of these roles."""
    return _columns(", such as {}", roles)


def in_brackets(*roles: str) -> Way:
    """Return words in brackets that say how to state the columns of these roles."""
    return _columns(" ({})", roles)


def namely(*roles: str) -> Way:
    """Return the ending of a sentence that says how to state the columns of these roles."""
    return _columns(": {}", roles, " below")


def give(*roles: str, name: str = "…") -> Way:
    """Return "give …" with the columns of these roles; ``name`` is the column's name, if known."""
    below = "correct the columns below" if name == "…" else "choose it below"
    return _columns("give {}", roles, below, name)


def column_at(position: int, begins: str = "column") -> Way:
    """Return words for an unnamed column: its number, from 0 in calls and commands, else from 1."""
    said = f"{begins} {position}"
    return Way(said, said, f"{begins} {position + 1}")


WHOLE_FILE = Way(
    "; if the whole file is one person's, give columns={'user': None}",
    "",
    ", or that the whole file is one person's",
)
AS_LOCAL = Way(
    "give naive_timezone='offset'",
    "give --naive-timezone offset",
    "say so below: times without an offset are in the zone of the offset column",
)
AS_ANTENNAS = Way("as antennas=", "as --antennas", "as the table of antennas")


def _columns(words: str, roles: tuple[str, ...], form: str = "", name: str = "…") -> Way:
    """Return words around the columns of some roles, and the words for a form."""
    given, option = (name, "NAME") if name == "…" else (repr(name), name)
    call = ", ".join(f"'{role}': {given}" for role in roles)
    command = " ".join(f"--{role} {option}" for role in roles)
    return Way(words.format(f"columns={{{call}}}"), words.format(command), form)


def _worded(encoded: str, reader: int) -> str:
    """Return the text for a reader: 0 for a call, 1 for a command, 2 for a form."""
    words = f"([^{_BEGINS}{_OR}]*)"  # a file's own names may hold such characters, too
    way = f"{_BEGINS}{words}{_OR}{words}{_OR}{words}{_BEGINS}"
    return re.sub(way, rf"\{reader + 1}", encoded)

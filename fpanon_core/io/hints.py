"""The way out that a message names, put for its reader.

Messages of :mod:`fpanon_core.io` name it as a Python call would: ``columns={'time': …}``,
``antennas=``. Whoever reads them on a command line or on a screen has other handles.
"""

from __future__ import annotations

import re

_COLUMNS = r"columns=\{([^}]*)\}"
_WHOLE_FILE = "; if the whole file is one user's, columns={'user': None}"


def for_command_line(message: str) -> str:
    """With options in place of arguments.

    Examples
    --------
    >>> for_command_line("Say which column holds the time, such as columns={'time': …}.")
    'Say which column holds the time, such as --time NAME.'
    """
    message = message.replace(_WHOLE_FILE, "")
    message = re.sub(_COLUMNS, _options, message)
    return re.sub(r"\bantennas=", "--antennas", message)


def for_screen(message: str) -> str:
    """With a form below, in which roles are given to columns, in place of arguments.

    Examples
    --------
    >>> for_screen("Say which column holds the time, such as columns={'time': …}.")
    'Say which column holds the time.'
    """
    message = message.replace(_WHOLE_FILE, "")
    message = re.sub(rf",? such as {_COLUMNS}", "", message)
    message = re.sub(rf" \({_COLUMNS}\)", "", message)
    message = re.sub(rf"give {_COLUMNS}", "correct it below", message)
    message = re.sub(rf": {_COLUMNS}", " below", message)
    message = re.sub(_COLUMNS, "the form below", message)
    return re.sub(r"\bas antennas=", "as the table of antennas", message)


def _options(call: re.Match[str]) -> str:
    pairs = re.findall(r"'(\w+)': ([^,]+)", call.group(1))
    named = ((role, "NAME" if value == "…" else value.strip("'")) for role, value in pairs)
    return " ".join(f"--{role} {value}" for role, value in named)

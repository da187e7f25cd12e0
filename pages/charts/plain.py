"""Texts from outside, shown as they are: names of files and columns, messages that quote them.

The screen renders Markdown: a column named ``![](http://…)`` would be an image, fetched. Whatever
was not written in this program passes here on its way into a sentence, a label or a message; a test
follows such texts through every page (tests/pages/test_outside.py).
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

NAME_LENGTH: Final = 120
"""Characters of a name that are shown at most."""
MESSAGE_LENGTH: Final = 2_000
"""Characters of a message, which may quote several names."""

_JOINER: Final = "\u2060"  # no width, and no line ends there
# Marks of Markdown, of formulas, colours, characters by name.
_MARKS: Final = re.compile(r"([\\`*_{}\[\]<>~$|&^#])")
# What begins a list, a heading, a line across the page, where a text begins a line.
_BEGINNINGS: Final = re.compile(r"^([-+=:]|\d+[.)])")
# What is found after the marks are read, and therefore cannot be escaped: addresses, which become
# links; names of pictograms between colons; arrows and dashes made of several characters.
_FOUND_LATER: Final = (
    (re.compile(r":(?=//|[\w+/.-]*:|\w+@)"), f":{_JOINER}"),
    (re.compile(r"@(?=\S)"), f"@{_JOINER}"),
    (re.compile(r"\b(www)\.", re.IGNORECASE), rf"\1{_JOINER}."),
    (re.compile(r"(?<=[-<>=~])(?=[-<>=~])"), _JOINER),
)
# Not drawn, or turning round what is drawn after it: control and format characters, and the like.
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def plain(text: object, at_most: int = NAME_LENGTH) -> str:
    r"""A text from outside, as Markdown that shows just its characters, on one line.

    Parameters
    ----------
    text : object
        A name, or anything that ``str`` makes one of.
    at_most : int
        Characters that are shown; a longer text ends in "…".

    Returns
    -------
    str
        White space of any kind is one blank; characters that cannot be seen are U+FFFD.

    Examples
    --------
    >>> print(plain("![logo](x) *new*\nfile.csv"))
    !\[logo\](x) \*new\* file.csv
    """
    line = " ".join(str(text).split())
    shown = "".join("\ufffd" if unicodedata.category(c) in _UNSEEN else c for c in line)
    if len(shown) > at_most:
        shown = shown[: at_most - 1].rstrip() + "…"
    for found, instead in _FOUND_LATER:
        shown = found.sub(instead, shown)
    shown = _MARKS.sub(r"\\\1", shown)
    return _BEGINNINGS.sub(lambda m: f"{m[0][:-1]}\\{m[0][-1]}", shown)

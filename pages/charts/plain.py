"""Safe display of texts from outside: names of files and columns, and messages that quote them.

The screen renders Markdown: a column named ``![](http://…)`` would show an image from the network.
Every text that was not written in this program passes through here before it enters a sentence, a
label or a message. A test follows such texts through every page (tests/pages/test_outside.py).
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any, Final

import numpy as np

NAME_LENGTH: Final = 120
"""Largest number of characters shown of a name."""
MESSAGE_LENGTH: Final = 2_000
"""Largest number of characters shown of a message, which may quote several names."""

_JOINER: Final = "\u2060"  # no width, and no line ends there
# Marks of Markdown, of formulas, colours, characters by name.
_MARKS: Final = re.compile(r"([\\`*_{}\[\]<>~$|&^#])")
# What begins a list, a heading or a rule across the page, at the beginning of a line.
_BEGINNINGS: Final = re.compile(r"^([-+=:]|\d+[.)])")
# What is found after the marks are read, and therefore cannot be escaped: addresses, which become
# links; names of pictograms between colons; arrows and dashes made of several characters.
_FOUND_LATER: Final = (
    (re.compile(r":(?=//|[\w+/.-]*:|\w+@)"), f":{_JOINER}"),
    (re.compile(r"@(?=\S)"), f"@{_JOINER}"),
    (re.compile(r"\b(www)\.", re.IGNORECASE), rf"\1{_JOINER}."),
    (re.compile(r"(?<=[-<>=~])(?=[-<>=~])"), _JOINER),
)
# A command that a message names, to be copied whole: as code, nothing in it is changed. It has no
# character with a meaning there.
_COMMAND: Final = re.compile(r"\bfpanon [a-z]+(?: --?[a-z]+(?:-[a-z]+)*| [A-Z]+(?:_[A-Z]+)*\b)+")
# Invisible, or reversing the text that follows: control and format characters, and the like.
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def plain(text: object, at_most: int = NAME_LENGTH) -> str:
    r"""Return a text from outside as Markdown that shows just its characters, on one line.

    Parameters
    ----------
    text : object
        A name, or anything that ``str`` turns into one.
    at_most : int
        Largest number of characters shown; a longer text ends in "…".

    Returns
    -------
    str
        The text; each run of white space becomes one blank, and each invisible character U+FFFD.

    Examples
    --------
    >>> print(plain("![logo](x) *new*\nfile.csv"))
    !\[logo\](x) \*new\* file.csv
    """
    line = " ".join(str(text).split())
    shown = "".join("\ufffd" if unicodedata.category(c) in _UNSEEN else c for c in line)
    if len(shown) > at_most:
        shown = shown[: at_most - 1].rstrip() + "…"
    parts, begin = [], 0
    for command in _COMMAND.finditer(shown):
        parts += [_escaped(shown[begin : command.start()]), f"`{command[0]}`"]
        begin = command.end()
    shown = "".join([*parts, _escaped(shown[begin:])])
    return _BEGINNINGS.sub(lambda m: f"{m[0][:-1]}\\{m[0][-1]}", shown)


def _escaped(text: str) -> str:
    for found, instead in _FOUND_LATER:
        text = found.sub(instead, text)
    return _MARKS.sub(r"\\\1", text)


# Tags that the charts themselves write: breaks, styles of type, and plotly's text beside a tooltip.
_OUR_TAGS: Final = re.compile(r"</?(?:b|i|br|sub|sup|extra)/?>")


def untagged(part: Any) -> Any:
    """Return a figure's part with only the charts' own tags; the same object if it has no others.

    Plotly turns ``<a href>`` in any label into a link, and labels can contain names of columns.
    Arrays of numbers become lists.
    """
    if isinstance(part, str):
        return _without_tags(part) if "<" in part else part
    if isinstance(part, dict):
        changed = {key: untagged(value) for key, value in part.items()}
        return changed if any(changed[key] is not part[key] for key in part) else part
    if hasattr(part, "to_numpy"):  # of pandas
        part = part.to_numpy()
    if isinstance(part, np.ndarray) and part.dtype.kind not in "OU":
        return part.tolist()
    if isinstance(part, list | tuple | np.ndarray):
        several = [untagged(value) for value in part]
        same = all(new is old for new, old in zip(several, part, strict=True))
        return part if same else several
    return part


def _without_tags(text: str) -> str:
    out, end = [], 0
    for tag in _OUR_TAGS.finditer(text):
        out += [text[end : tag.start()].replace("<", "&lt;"), tag.group()]
        end = tag.end()
    made = "".join([*out, text[end:].replace("<", "&lt;")])
    return text if made == text else made

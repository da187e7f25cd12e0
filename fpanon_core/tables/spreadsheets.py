"""What would a spreadsheet run, if it opened our table? Such text is made text that it only shows.

A cell that begins with a sign of a formula is run by whoever double-clicks the file, and a formula
may fetch a page with other cells in its address, or start a programme. Ids, names of columns and
names of options come from files: they are marked with an apostrophe, and :func:`restored` takes it
off again. Numbers stay as they are.

Source: OWASP, "CSV Injection".
"""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

MARK = "'"

_SIGN = "=+\\-@＝＋－＠"  # the wide ones are run in Japanese and Chinese versions
_BREAK = ";,|\\t\\r\\n"  # what one or another country's spreadsheet takes for the end of a cell
# Passed over by some reader before the first character that counts: blanks, controls, quotes.
_PASSED = "\\x00-\\x08\\x0b\\x0c\\x0e-\\x20\\x7f-\\xa0\u2000-\u200f\u2028-\u202f\u2060\u3000\ufeff"
_QUOTES = "'\"`´‘’“”«»"
_BETWEEN = f"[{_BREAK}{_PASSED}{_QUOTES}]"

_NUMBER = re.compile(r" *[+-]?\.?[0-9]+(?:[.,:][0-9]+)*(?:[eE][+-]?[0-9]+)? *")
_FIRST = re.compile(f"{_BETWEEN}*[{_SIGN}]|{MARK}*[\\t\\r\\n]")
# One after the other, to the last: time grows with the length of a text, whatever is in it.
_PARTS = re.compile(f"({_BETWEEN}*+)([^{_BREAK}{_PASSED}{_QUOTES}]++|\\Z)")
_BREAKS = re.compile(f"[{_BREAK}]")
_SIGNED = re.compile(f"[{_SIGN}]")
# For arrow, of a whole column at once: every text that might be changed, and few others.
_SUSPECT = f"^{_BETWEEN}*[{_SIGN}]|^{MARK}*[\\t\\r\\n]|[{_BREAK}]{_BETWEEN}*[{_SIGN}]"


def defused(text: str) -> str:
    r"""A text that no spreadsheet runs: an apostrophe stands before what would be a formula.

    Also before one that begins in the middle of the text, where another country's spreadsheet
    begins a new cell. A number, of digits, one sign and separators, is left as it is.

    Examples
    --------
    >>> defused('=HYPERLINK("http://a.example")'), defused("-5.2"), defused("a;@b")
    ('\'=HYPERLINK("http://a.example")', '-5.2', "a;'@b")
    """
    if _NUMBER.fullmatch(text):
        return text
    inside = _PARTS.sub(_marked, text)
    return MARK + inside if _FIRST.match(inside) else inside


def restored(text: str) -> str:
    """The text that :func:`defused` was given.

    Examples
    --------
    >>> restored("'=1+1"), restored("a;'@b"), restored("'tis")
    ('=1+1', 'a;@b', "'tis")
    """
    if text.startswith(MARK) and _FIRST.match(text, 1):
        text = text[1:]
    return _PARTS.sub(_unmarked, text)


def defused_column(column: Any) -> Any:
    """A column of texts, an arrow array, each :func:`defused`; another column as it is."""
    if not pa.types.is_string(column.type) and not pa.types.is_large_string(column.type):
        return column
    suspect = pc.fill_null(pc.match_substring_regex(column, _SUSPECT), False)
    if isinstance(suspect, pa.ChunkedArray):
        suspect = suspect.combine_chunks()
    if not pc.any(suspect).as_py():
        return column
    texts = [defused(text) for text in column.filter(suspect).to_pylist()]
    return pc.replace_with_mask(column, suspect, pa.array(texts, column.type))


def _marked(part: re.Match[str]) -> str:
    between, word = part.groups()
    begins = _BREAKS.search(between) and _SIGNED.match(word)
    return f"{between}{MARK}{word}" if begins else part[0]


def _unmarked(part: re.Match[str]) -> str:
    between, word = part.groups()
    marked = between.endswith(MARK) and _BREAKS.search(between) and _SIGNED.match(word)
    return between[:-1] + word if marked else part[0]

"""Preparation of tables for export: pseudonyms, release marks and protection from formulas.

A file with figures about individual people is marked in its name and in its last column. Its
pseudonyms are drawn for this file alone, so that two files, or a file and a release, cannot be
linked by name. On screen, people are numbered in input order. That order must not reach a file,
because it would link people to the operator's list.

When a user opens a file, the spreadsheet runs each cell that begins with the sign of a formula. A
formula may fetch a page with other cells in its address, or start a program. Ids, names of columns
and names of options come from files. So an apostrophe is put before each possible formula in them,
and :func:`restored` removes it. Numbers stay unchanged (OWASP, "CSV Injection").
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..model.randomness import pseudonyms

MARK = "_not_for_release"
"""Suffix, before the file extension, of the name of every file that must stay with the data."""

COLUMN = "for_release"
"""Last column of a file not for release: "no" in every row, so a renamed file is still marked."""

MAY_LEAVE = "May be released: figures about everyone together."
GUARDED = (
    "Not for release: figures about individual people, or about a few people at one place or time. "
    "Protect such files as carefully as the data. Each file has pseudonyms drawn for that file "
    "alone, and lists people in random order. Nothing in any other file, in a release or on this "
    "screen links to these pseudonyms."
)

_PERSON = "pseudonym"
_ROW_NUMBERS = ("user", "sample", "row", "matched_row")


def file_name(name: str, may_leave: bool) -> str:
    """Return the name of a table's file.

    Examples
    --------
    >>> file_name("k_gaps", False), file_name("k_gap_summary", True)
    ('k_gaps_not_for_release.csv', 'k_gap_summary.csv')
    """
    return f"{name}{'' if may_leave else MARK}.csv"


def own_pseudonyms(n: int) -> list[str]:
    """Draw pseudonyms for ``n`` people from the operating system's randomness.

    Each begins with a letter that no number contains, so that no program reads a pseudonym as a
    number.

    Examples
    --------
    >>> {len(name) for name in own_pseudonyms(3)}, own_pseudonyms(0)
    ({17}, [])
    """
    return [f"p{name.lower()}" for name in pseudonyms(n)]


def guarded(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table that must stay with the data, prepared for a file.

    Parameters
    ----------
    table : DataFrame
        People are in columns named ``pseudonym`` or ``…_pseudonym``.

    Returns
    -------
    DataFrame
        Each person has one new pseudonym in all these columns, drawn afresh at each call. Rows are
        sorted by the first such column, which is a random order; rows of one person keep their
        order. Row numbers of people and samples are left out, because they follow the input. The
        last column states that the table is not for release.

    Examples
    --------
    >>> gaps = pd.DataFrame({"user": [0, 1], "pseudonym": ["u0001", "u0002"], "k_gap": [0.1, 0.2]})
    >>> made = guarded(gaps)
    >>> list(made), sorted(made.k_gap), "u0001" in set(made.pseudonym)
    (['pseudonym', 'k_gap', 'for_release'], [0.1, 0.2], False)
    """
    out = table.drop(columns=[name for name in _ROW_NUMBERS if name in table.columns])
    people = people_columns(out)
    if people:
        codes, known = pd.factorize(pd.concat([out[name] for name in people]))
        drawn = np.array([*own_pseudonyms(len(known)), None], dtype=object)  # −1: nobody
        for name, part in zip(people, np.split(codes, len(people)), strict=True):
            out[name] = drawn[part]
        out = out.sort_values(people[0], kind="stable", ignore_index=True)
    return out.assign(**{COLUMN: "no"})


def people_columns(table: pd.DataFrame) -> list[str]:
    """Return the names of the columns that hold pseudonyms of people."""
    return [str(n) for n in table.columns if n == _PERSON or str(n).endswith(f"_{_PERSON}")]


# --- formulas ------------------------------------------------------------------------------------

_APOSTROPHE = "'"

_SIGN = "=+\\-@＝＋－＠"  # the wide ones are run in Japanese and Chinese versions
_BREAK = ";,|\\t\\r\\n"  # what spreadsheets of some countries take as the end of a cell
# Skipped by some readers before the first character that counts: blanks, controls, quotes.
_PASSED = "\\x00-\\x08\\x0b\\x0c\\x0e-\\x20\\x7f-\\xa0\u2000-\u200f\u2028-\u202f\u2060\u3000\ufeff"
_QUOTES = "'\"`´‘’“”«»"
_BETWEEN = f"[{_BREAK}{_PASSED}{_QUOTES}]"

_NUMBER = re.compile(r" *[+-]?\.?[0-9]+(?:[.,:][0-9]+)*(?:[eE][+-]?[0-9]+)? *")
_FIRST = re.compile(f"{_BETWEEN}*[{_SIGN}]|{_APOSTROPHE}*[\\t\\r\\n]")
# Matches follow one another to the end: time is linear in the length of any text.
_PARTS = re.compile(f"({_BETWEEN}*+)([^{_BREAK}{_PASSED}{_QUOTES}]++|\\Z)")
_BREAKS = re.compile(f"[{_BREAK}]")
_SIGNED = re.compile(f"[{_SIGN}]")
# For Arrow, on a whole column at once: matches all texts that might change, and few others.
_SUSPECT = f"^{_BETWEEN}*[{_SIGN}]|^{_APOSTROPHE}*[\\t\\r\\n]|[{_BREAK}]{_BETWEEN}*[{_SIGN}]"


def defused(text: str) -> str:
    r"""Return a text that no spreadsheet runs, with an apostrophe before each possible formula.

    A formula in the middle of the text counts, too, if another country's spreadsheet begins a new
    cell there. A number stays unchanged; it may have separators, a sign and an exponent.

    Examples
    --------
    >>> defused('=HYPERLINK("http://a.example")'), defused("-5.2"), defused("a;@b")
    ('\'=HYPERLINK("http://a.example")', '-5.2', "a;'@b")
    """
    if _NUMBER.fullmatch(text):
        return text
    inside = _PARTS.sub(_marked, text)
    return _APOSTROPHE + inside if _FIRST.match(inside) else inside


def restored(text: str) -> str:
    """Return the text that :func:`defused` received.

    Examples
    --------
    >>> restored("'=1+1"), restored("a;'@b"), restored("'tis")
    ('=1+1', 'a;@b', "'tis")
    """
    if text.startswith(_APOSTROPHE) and _FIRST.match(text, 1):
        text = text[1:]
    return _PARTS.sub(_unmarked, text)


def defused_column(column: Any) -> Any:
    """Return an Arrow column with its texts :func:`defused`; return other types unchanged."""
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
    return f"{between}{_APOSTROPHE}{word}" if begins else part[0]


def _unmarked(part: re.Match[str]) -> str:
    between, word = part.groups()
    marked = between.endswith(_APOSTROPHE) and _BREAKS.search(between) and _SIGNED.match(word)
    return between[:-1] + word if marked else part[0]

"""What becomes of a table on its way into a file: whose names are in it, and may it leave?

A file of figures of single people says so itself, in its name and in its last column, and calls
people by pseudonyms of its own: drawn for this file alone, so that two files, or a file and a
release, cannot be put beside each other by name. On screen people are numbered as they come in the
input, and that order must not reach a file: it would be the list of subscribers.
"""

from __future__ import annotations

import base64
import secrets

import numpy as np
import pandas as pd

MARK = "_not_for_release"
"""Ends the name, before its ending, of every file that must stay with the data."""

COLUMN = "for_release"
"""The last column of such a file; it says "no" in every row, however the file is called later."""

MAY_LEAVE = "May leave: figures of everyone together."
GUARDED = (
    "Not for release: figures of single people, or of a few at one place or time. Keep such files "
    "as you keep the data. People have pseudonyms drawn for that one file, in an order drawn, "
    "too: no other file, no release and no name on this screen leads to them."
)

_PERSON = "pseudonym"
_ROW_NUMBERS = ("user", "sample", "row", "matched_row")
_BYTES = 10  # 16 letters of base 32 each, and 80 bits: two never meet


def file_name(name: str, may_leave: bool, ending: str = ".csv") -> str:
    """The name of a table's file.

    Examples
    --------
    >>> file_name("k_gaps", False), file_name("k_gap_summary", True)
    ('k_gaps_not_for_release.csv', 'k_gap_summary.csv')
    """
    return f"{name}{'' if may_leave else MARK}{ending}"


def own_pseudonyms(n: int) -> list[str]:
    """Pseudonyms for ``n`` people, drawn from the operating system's randomness.

    They begin with a letter that no number has, so that no programme takes one for a number.

    Examples
    --------
    >>> {len(name) for name in own_pseudonyms(3)}, own_pseudonyms(0)
    ({17}, [])
    """
    letters = base64.b32encode(secrets.token_bytes(_BYTES * n)).decode().lower()
    each = len(letters) // n if n else 1
    return [f"p{letters[at : at + each]}" for at in range(0, len(letters), each)]


def guarded(table: pd.DataFrame) -> pd.DataFrame:
    """A table that must stay with the data, as it goes into a file.

    Parameters
    ----------
    table : DataFrame
        People are in columns named ``pseudonym`` or ``…_pseudonym``.

    Returns
    -------
    DataFrame
        The people of all these columns under pseudonyms drawn anew at each call, one for each
        person; rows by those of the first such column, which is an order drawn at random, those of
        one person as they were. Row numbers of people and samples are left out: they follow the
        input. The last column says that the table is not for release.

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
    """The columns of a table that name people."""
    return [str(n) for n in table.columns if n == _PERSON or str(n).endswith(f"_{_PERSON}")]


def names_rows(table: pd.DataFrame) -> bool:
    """Whether a table has people, or row numbers of the data, and so may never leave."""
    return bool(people_columns(table)) or bool({*_ROW_NUMBERS} & {*table.columns})

"""What is listed of many parts: rows set aside, and the first ones as they were understood."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from ..model.arrays import FloatArray, IntArray
from . import report as why
from .fate import TIME_OR_PLACE, Fate
from .instants import instants_in
from .part_rows import PartRows
from .preview import ROWS, first_rows, with_users_and_fates

MOST_LISTED = 100_000
"""Rows set aside that the account lists; all are counted."""


def rejects(known: PartRows, notes: list[str]) -> pd.DataFrame:
    """The first rows that were set aside, with part and number; of malformed lines these."""
    rows: IntArray = np.empty(0, np.int64)
    for each in known.slices:
        if len(rows) >= MOST_LISTED:
            break
        rows = np.append(rows, each.start + np.flatnonzero(~known.fate.part(each).used))
    rows = rows[:MOST_LISTED]
    shown = [i for role in (*TIME_OR_PLACE, "user") for i in known.roles.where.get(role, ())]
    part, number = known.parts.places(rows)
    table = replace(known.parts.taken(rows, sorted(set(shown))), numbers=number)
    frame = Fate.of_codes(known.fate.codes[rows]).rejects(table, known.roles)
    frame.insert(0, "part", part)
    lines = [
        pd.DataFrame({"part": i + 1, "row": each.table.malformed_numbers()})
        for i, each in enumerate(known.parts.parts)
        if len(each.table.malformed)
    ]
    if lines:
        more = pd.concat(lines).assign(reason=why.MALFORMED)
        frame = pd.concat([frame, more]).sort_values(["part", "row"], kind="stable").fillna("")
    n = sum(known.fate.counts().values())
    if n > MOST_LISTED:
        notes.append(f"Of the {n:,} rows set aside, the first {MOST_LISTED:,} are listed.")
    return frame[:MOST_LISTED].reset_index(drop=True)


def first_rows_of(
    known: PartRows,
    zone: str,
    reader: str | FloatArray,
    remap: IntArray,
    pseudonyms: list[str],
    used: IntArray,
) -> pd.DataFrame:
    """The first rows as they were understood, for whoever wants to see that."""
    rows = slice(0, min(ROWS, known.parts.n_rows))
    at = np.arange(rows.stop)
    table = replace(known.parts.taken(at), numbers=known.parts.places(at)[1])
    parsed = known.parsed(rows)
    parsed.formats = known.formats
    fate = Fate.of_codes(known.fate.codes[rows])
    ok = parsed.ok & (known.fate.codes[rows] < 0)
    us, *_ = instants_in(parsed, ok, reader if isinstance(reader, str) else reader[rows])
    head = first_rows(table, known.roles, parsed, us, known.degrees(rows), zone)
    codes = remap[known.spill.read("code", rows)][used]
    return with_users_and_fates(head, codes, used, pseudonyms, fate)

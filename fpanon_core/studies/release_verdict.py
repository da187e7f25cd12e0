"""What do the bytes of a release, read back, amount to? The one place that asks the verifier."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from ..anonymize.verification import verify_k_anonymity
from ..io.published import read_published
from ..model.facts import Verdict
from ..model.records import Naming
from ..model.released import Origin


def verdict_on(data: Path, origin: Origin, naming: Naming) -> Verdict:
    """Read the data file back; compare it with what was made, and with what was promised.

    Parameters
    ----------
    data : Path
        The data file.
    origin : Origin
        What was made, and of what.
    naming : Naming
        The names it was written under.
    """
    table = read_published(data)
    counted = f"{origin.records.n_records:,} people, {origin.records.n_rows:,} rows"
    if not _as_made(table, origin, naming):
        text = f"NOT verified: what was read back is not what was made ({counted})."
        return Verdict(False, origin.k, text)
    if origin.hidden is None:
        text = (
            f"The file was read back and holds what was made ({counted}). No crowd is promised, "
            "and none was looked for."
        )
        return Verdict(True, None, text)
    hidden, seen = origin.hidden, origin.seen
    theirs = np.array(seen.pseudonyms, dtype=object)[hidden.group >= 0]
    own = dict(zip(naming.pseudonyms.tolist(), theirs.tolist(), strict=True))
    named = table.assign(pseudonym=table["pseudonym"].map(own).astype(object))
    found = verify_k_anonymity(seen, named, hidden.k, suppressed=hidden.suppressed)
    text = str(found)
    if seen is not origin.original:
        text += " Checked against the data as the steps before GLOVE left them."
    return Verdict(found.passed, hidden.k, text)


def _as_made(table: pd.DataFrame, origin: Origin, naming: Naming) -> bool:
    """Whether a table holds, row by row, what was to be written."""
    at = 0
    for piece in origin.records.frames(naming):
        part = table.iloc[at : at + len(piece)]
        at += len(piece)
        if len(part) != len(piece):
            return False
        for name in (n for n in piece.columns if n in table.columns):
            if not (part[name].to_numpy() == piece[name].to_numpy()).all():
                return False
    return at == len(table) and {"pseudonym", "x_min_m", "start", "end"} <= set(table.columns)

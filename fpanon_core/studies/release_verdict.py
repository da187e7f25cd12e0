"""What do the bytes of a release, read back, amount to? The one place that asks the verifier.

Where GLOVE was the last step, everybody's crowd is looked for. Against the original itself, where
every sample that leaves still holds the one it was made of; where samples were moved before, or
their cells do not hold the raw ones whole, against the data that GLOVE was given: they are what the
promise is about.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from ..engines.memory import give_back_after
from ..io.published import published_pieces, read_published
from ..model.facts import Verdict
from ..model.glove import Verification
from ..model.periods import PeriodSet
from ..model.records import Naming
from ..model.released import Origin
from ..verification.anonymity import verify_k_anonymity
from ..verification.release import verify_release


def verdict_on(
    folder: Path,
    data: Path,
    origin: Origin,
    naming: Naming,
    key: pd.DataFrame,
    left_out: pd.DataFrame | None,
    *,
    whole: bool,
) -> Verdict:
    """Read a release back; compare it with what was made, with the original and its promise.

    Parameters
    ----------
    folder : Path
        The release.
    data : Path
        Its data file.
    origin : Origin
        What was made, and of what.
    naming : Naming
        The names it was written under.
    key : DataFrame
        ``pseudonym``, ``user_id``.
    left_out : DataFrame or None
        What of the original does not leave; None where it cannot be traced.
    whole : bool
        Whether a group of k is held against the original itself.
    """
    if not _as_made(published_pieces(data), origin, naming):
        return Verdict(False, origin.k, "NOT verified: what was read back is not what was made.")
    give_back_after(origin.original.n_samples)
    whole = whole or origin.k is None
    found = verify_release(
        folder, origin.original, origin.k if whole else None, key=key, left_out=left_out
    )
    if whole or not found.passed or origin.hidden is None:
        return _verdict(found, origin.k)
    if isinstance(origin.seen, PeriodSet):  # whose pieces have names of their own
        inside = np.flatnonzero(origin.hidden.group >= 0)
        ids = origin.seen.pieces.user_ids[inside]
        key = pd.DataFrame({"pseudonym": naming.pseudonyms, "user_id": ids})
    found = verify_k_anonymity(
        origin.seen,
        read_published(data),
        origin.hidden.k,
        suppressed=origin.hidden.suppressed,
        key=key,
    )
    return _verdict(found, origin.k, " It was held against the data that GLOVE was given.")


def _verdict(found: Verification, k: int | None, more: str = "") -> Verdict:
    return Verdict(found.passed, k, f"{found}{more}")


def _as_made(pieces: Iterator[pd.DataFrame], origin: Origin, naming: Naming) -> bool:
    """Whether what is read back is, row by row, what was to be written."""
    waiting = pd.DataFrame()
    for piece in origin.records.frames(naming):
        while len(waiting) < len(piece):
            more = next(pieces, None)
            if more is None:
                return False
            waiting = pd.concat([waiting, more], ignore_index=True) if len(waiting) else more
        part = waiting.iloc[: len(piece)]
        waiting = waiting.iloc[len(piece) :]
        for name in (n for n in piece.columns if n in part.columns):
            if not np.asarray(part[name].array == piece[name].array, bool).all():
                return False  # of times, instants are compared, without an object for each
    return not len(waiting) and all(not len(more) for more in pieces)

"""How many published rows name a cell in which the person was never recorded?

A reader of a release takes a row for a statement about a person. Where cells were cut, moved or
exchanged, some rows are none: the person has no sample of their own in that cell. How many these
are is counted on what leaves, row by row, against the original; and so are the original samples
that lie in no published cell of their person.

Source: docs/science.md, “A release, as it leaves”.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kernels.release_presence import bounds, presence_of_records
from ..model.arrays import BoolArray, IntArray
from ..model.fingerprints import FingerprintSet
from ..model.ragged import rows_of, stretches
from ..model.records import Records

_STRETCH = 1_000_000  # samples
_SLACK = 1e-6  # of a metre, and of a minute: bounds written as text are no finer


@dataclass(frozen=True, eq=False)
class Presence:
    """What of a release is true of the person it is told of.

    Attributes
    ----------
    rows : int
        Published rows.
    phantoms : int
        Of these, those in whose cell the person has no original sample.
    covered : bool ndarray (n_samples,)
        Of each original sample, whether its lower corner lies in a cell published of its person.
    """

    rows: int
    phantoms: int
    covered: BoolArray

    @property
    def phantom_share(self) -> float:
        """Share of the rows that are phantoms; 0 of none."""
        return self.phantoms / self.rows if self.rows else 0.0


def presence(original: FingerprintSet, records: Records, person: IntArray) -> Presence:
    """Compare what leaves of each person with the person's own samples.

    Parameters
    ----------
    original : FingerprintSet
    records : Records
        What leaves.
    person : int64 ndarray (n_records,)
        Row number in the original of each record.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1], [0, 900], [0, 0], [5, 9])
    >>> moved = FingerprintSet.from_samples([1, 1], [0, 300], [0, 0], [5, 9])
    >>> found = presence(fs, Records.of_fingerprints(moved), np.array([0]))
    >>> found.phantom_share, found.covered.tolist()
    (0.5, [True, False])
    """
    covered = np.zeros(original.n_samples, bool)
    longest = float(original.dt_min.max())
    pairs = 0
    by_person = np.argsort(person, kind="stable")
    # Bounds of all samples at once would be larger than the data.
    for users in stretches(original.offsets, _STRETCH):
        rows = slice(int(original.offsets[users.start]), int(original.offsets[users.stop]))
        ends = np.searchsorted(person[by_person], (users.start, users.stop))
        some = by_person[ends[0] : ends[1]]
        lengths = records.lengths[some]
        held = rows_of(records.begins[some], lengths)
        pairs += presence_of_records(
            np.ascontiguousarray(person[some] - users.start, np.int64),
            original.offsets[users.start : users.stop + 1] - rows.start,
            bounds(*(part[rows] for part in original.arrays().values())),
            longest,
            np.cumsum(lengths) - lengths,
            np.ascontiguousarray(lengths),
            bounds(*(part[held] for part in records.cells.arrays().values())),
            _SLACK,
            covered[rows],
        )
    return Presence(records.n_rows, records.n_rows - int(pairs), covered)

"""Identical records, false presences and visited places.

*Identical records.* An attacker who knows a whole record is left with all people who have the same
record. An attacker who knows less is left with at least as many people. So the number of people who
share a record limits what any points drawn from the release can reveal. Nobody who shares a record
is unique, and the re-identification risk is at most one over the number of people who share the
record. Two people share a record if they were in the same bins. The number of events in each bin
does not matter, because the known points do not include that number.

Source: docs/science.md, “Techniques, utility and the front of release options”.

*False presences.* A reader of a release takes a row for a statement about a person. If cells were
cut, moved or exchanged, some rows may be false: the person has no sample of their own in the row's
cell. False presences are counted row by row in the release, against the original. Original samples
whose lower corner lies in no published cell of their person are also found.

Source: docs/science.md, “A release, as it leaves”.

*Visited places.* The places of a data set and their visits, for maps and summaries.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..kernels.release_presence import bounds, presence_of_records
from ..model.arrays import CELL, BoolArray, IntArray, distinct_rows, rows_of, stretches
from ..model.fingerprints import FingerprintSet
from ..model.published import Records


@dataclass(frozen=True)
class Crowds:
    """Numbers of people who share a record.

    Attributes
    ----------
    least : int
        Smallest number of people who share a record; 1 if there is a unique record.
    alone_share : float
        Share of people with a unique record: an upper bound of unicity.
    naming_most : float
        Mean over people of 1 / (number who share the record): an upper bound of k-disclosure.
    linkage_most : float
        The same mean over records (with periods, a person has several): an upper bound of the
        probability of picking the right record.
    """

    least: int
    alone_share: float
    naming_most: float
    linkage_most: float


def crowds(fs: FingerprintSet, person: IntArray | None = None) -> Crowds:
    """Count the people who share each record; fingerprints count for all people they stand for.

    Parameters
    ----------
    fs : FingerprintSet
    person : int64 ndarray (n_users,), optional
        Person of each fingerprint, if a person has several, such as one for each period. A person
        then counts with the record that the fewest people share. The person has a unique record if
        the record of any period is unique.

    Examples
    --------
    Two records are equal, and the third is unique: ``naming_most`` is the mean of 1/2, 1/2 and 1.

    >>> fs = FingerprintSet.from_samples([1, 2, 3], [0, 0, 900], [0] * 3, [5, 5, 5])
    >>> found = crowds(fs)
    >>> found.least, round(found.alone_share, 3), round(found.naming_most, 3)
    (1, 0.333, 0.667)
    """
    sizes, weight = sharing(fs), fs.weight
    linkage_most = math.fsum(weight / sizes) / int(weight.sum())
    if person is not None:
        order = np.lexsort((sizes, person))
        first = order[np.flatnonzero(np.diff(person[order], prepend=-1))]
        sizes, weight = sizes[first], weight[first]
    people = int(weight.sum())
    return Crowds(
        least=int(sizes.min()),
        alone_share=float(weight[sizes == 1].sum()) / people,
        # Exactly 1/5 if everybody is one of five: no rounding lifts it above a threshold of 20%.
        naming_most=math.fsum(weight / sizes) / people,
        linkage_most=linkage_most,
    )


def sharing(fs: FingerprintSet) -> IntArray:
    """Return, for each fingerprint, how many people have the same record, int64 (n_users,).

    The people that the fingerprint itself stands for are included.
    """
    record = alike(distinct_rows(*fs.arrays(CELL).values())[1], fs.offsets)
    people = np.bincount(record, weights=fs.weight).astype(np.int64)
    return people[record]


def alike(bins: npt.NDArray[np.integer], offsets: IntArray) -> IntArray:
    """Number records from 0; records with the same set of bins have the same number.

    Parameters
    ----------
    bins : integer ndarray (n_samples,)
        Number of each sample's bin.
    offsets : int64 ndarray (n_records + 1,)
        Samples of record r are rows ``offsets[r]:offsets[r+1]``.

    Examples
    --------
    >>> alike(np.array([4, 7, 7, 4, 4]), np.array([0, 2, 4, 5])).tolist()
    [0, 0, 1]
    """
    numbers: dict[bytes, int] = {}
    records = (np.unique(own).tobytes() for own in np.split(bins, offsets[1:-1]))
    found = [numbers.setdefault(record, len(numbers)) for record in records]
    return np.array(found, np.int64)


_STRETCH = 1_000_000  # samples
_SLACK = 1e-6  # of a metre, and of a minute: bounds written as text are no finer


@dataclass(frozen=True, eq=False)
class Presence:
    """Agreement of a release's rows with the samples of the people they describe.

    Attributes
    ----------
    rows : int
        Number of published rows.
    phantoms : int
        Number of false presences: rows in whose cell the person has no original sample.
    covered : bool ndarray (n_samples,)
        Whether the lower corner of each original sample lies in a cell published for its person.
    """

    rows: int
    phantoms: int
    covered: BoolArray

    @property
    def phantom_share(self) -> float:
        """Share of the rows that are false presences; 0 without rows."""
        return self.phantoms / self.rows if self.rows else 0.0


def presence(original: FingerprintSet, records: Records, person: IntArray) -> Presence:
    """Compare each person's published rows with the person's own samples.

    Parameters
    ----------
    original : FingerprintSet
    records : Records
        Records of the release.
    person : int64 ndarray (n_records,)
        For each record, the row number of its person in the original.

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


def visited_places(fs: FingerprintSet) -> pd.DataFrame:
    """Return a row for each distinct cell centre: ``x_m``, ``y_m``, ``samples``, ``users``.

    ``samples`` is the number of samples in cells with this centre, and ``users`` the number of
    fingerprints with such a sample.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 250, 40], [0, 0, 0], [0, 5, 9])
    >>> visited_places(fs).to_dict("list")
    {'x_m': [50.0, 250.0], 'y_m': [50.0, 50.0], 'samples': [2, 1], 'users': [2, 1]}
    """
    centre = pd.DataFrame({"x_m": fs.x_m + fs.dx_m / 2, "y_m": fs.y_m + fs.dy_m / 2})
    grouped = centre.assign(user=fs.sample_user).groupby(["x_m", "y_m"], sort=True)["user"]
    return grouped.agg(samples="size", users="nunique").reset_index()

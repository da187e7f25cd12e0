"""Among how many is everyone hidden whatever is known of them? Records that are the same.

Who knows the whole of a record is left with all who have the same one, and who knows less, with at
least as many. So the people who share a record bound what any points drawn from the release can
find: nobody who shares one is unique, and the chance of naming is at most one in so many. Two
people share a record when they were in the same bins; how often in each is not asked, for points
are known without it.

Source: docs/science.md, “Techniques, utility and the front of release options”.

How many published rows name a cell in which the person was never recorded?

A reader of a release takes a row for a statement about a person. Where cells were cut, moved or
exchanged, some rows are none: the person has no sample of their own in that cell. How many these
are is counted on what leaves, row by row, against the original; and so are the original samples
that lie in no published cell of their person.

Source: docs/science.md, “A release, as it leaves”.

Which places does a data set speak of, and how often? For maps and summaries.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..kernels.release_presence import bounds, presence_of_records
from ..model import projection
from ..model.arrays import CELL, BoolArray, FloatArray, IntArray, distinct_rows, rows_of, stretches
from ..model.fingerprints import FingerprintSet
from ..model.published import Records


@dataclass(frozen=True)
class Crowds:
    """How many people share a record.

    Attributes
    ----------
    least : int
        People who share the record that fewest do; 1 where somebody's is like nobody else's.
    alone_share : float
        Share of the people whose record is like nobody else's: unicity cannot be more.
    naming_most : float
        Mean over people of 1 / those who share the record: k-disclosure cannot be more.
    linkage_most : float
        The same over records, of which a person has several with periods: the chance of picking
        out the right one cannot be more.
    """

    least: int
    alone_share: float
    naming_most: float
    linkage_most: float


def crowds(fs: FingerprintSet, person: IntArray | None = None) -> Crowds:
    """How many people share each record; a fingerprint that stands for several counts as so many.

    Parameters
    ----------
    fs : FingerprintSet
    person : int64 ndarray (n_users,), optional
        Where several fingerprints are one person's, as with periods: whose each is. A person's
        record is then that which fewest share: alone is who is so in any period.

    Examples
    --------
    Two are alike, the third is alone: chances of 1/2, 1/2 and 1.

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
        # Exactly 1/5 where everybody is one of five: a limit of 20% is not broken by rounding.
        naming_most=math.fsum(weight / sizes) / people,
        linkage_most=linkage_most,
    )


def sharing(fs: FingerprintSet) -> IntArray:
    """People who share each fingerprint's record, shape (n_users,); they themselves are counted."""
    record = alike(distinct_rows(*fs.arrays(CELL).values())[1], fs.offsets)
    people = np.bincount(record, weights=fs.weight).astype(np.int64)
    shared: IntArray = people[record]
    return shared


def alike(bins: IntArray, offsets: IntArray) -> IntArray:
    """Numbers of records, from 0: the same for those that have the same set of bins.

    Parameters
    ----------
    bins : int64 ndarray (n_samples,)
        Number of each sample's bin.
    offsets : int64 ndarray (n_records + 1,)
        Samples of record r are rows ``offsets[r]:offsets[r+1]``.

    Examples
    --------
    >>> alike(np.array([4, 7, 7, 4, 4]), np.array([0, 2, 4, 5])).tolist()
    [0, 0, 1]
    """
    numbers: dict[bytes, int] = {}
    found = [
        numbers.setdefault(np.unique(own).tobytes(), len(numbers))
        for own in np.split(bins, offsets[1:-1])
    ]
    return np.array(found, np.int64)


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


def visited_places(fs: FingerprintSet) -> pd.DataFrame:
    """One row per distinct cell, by its centre: ``x_m``, ``y_m``, ``samples``, ``users``.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 250, 40], [0, 0, 0], [0, 5, 9])
    >>> visited_places(fs).to_dict("list")
    {'x_m': [50.0, 250.0], 'y_m': [50.0, 50.0], 'samples': [2, 1], 'users': [2, 1]}
    """
    centre = pd.DataFrame({"x_m": fs.x_m + fs.dx_m / 2, "y_m": fs.y_m + fs.dy_m / 2})
    grouped = centre.assign(user=fs.sample_user).groupby(["x_m", "y_m"], sort=True)["user"]
    return grouped.agg(samples="size", users="nunique").reset_index()


def visited_cells(fs: FingerprintSet, person: IntArray | None = None) -> pd.DataFrame:
    """One row per distinct place with its extent: ``x_m``, ``y_m``, ``dx_m``, ``dy_m``, ``users``.

    Users are subscribers: a fingerprint that stands for several counts as many; where several are
    one ``person``'s, they count once.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 250, 40], [0, 0, 0], [0, 5, 9])
    >>> visited_cells(fs)[["x_m", "dx_m", "users"]].values.tolist()
    [[0.0, 100.0, 2.0], [200.0, 100.0, 1.0]]
    """
    names = ["x_m", "y_m", "dx_m", "dy_m"]
    cells = pd.DataFrame({name: getattr(fs, name) for name in names} | {"user": fs.sample_user})
    whose = fs.sample_user if person is None else person[fs.sample_user]
    once = cells[~cells.assign(user=whose).duplicated()]
    weighted = once.assign(users=fs.weight[once["user"].to_numpy()])
    return weighted.groupby(names, sort=True)["users"].sum().reset_index()


def lon_lat(fs: FingerprintSet, x_m: FloatArray, y_m: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Longitudes and latitudes of projected positions; both empty when ``fs`` has no projection.

    Longitudes run on across the antimeridian, within 180° of the projection's centre, so that
    neighbours on a map stay neighbours.
    """
    return projection.lon_lat(fs.crs, x_m, y_m)

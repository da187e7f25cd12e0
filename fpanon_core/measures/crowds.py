"""Among how many is everyone hidden whatever is known of them? Records that are the same.

Who knows the whole of a record is left with all who have the same one, and who knows less, with at
least as many. So the people who share a record bound what any points drawn from the release can
find: nobody who shares one is unique, and the chance of naming is at most one in so many. Two
people share a record when they were in the same bins; how often in each is not asked, for points
are known without it.

Source: docs/science.md, “Techniques, utility and the front of release options”.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..model.arrays import IntArray
from ..model.cells import CELL
from ..model.distinct import distinct_rows
from ..model.fingerprints import FingerprintSet


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
        # Exactly 1/5 where everybody is one of five: a limit of 20 % is not broken by rounding.
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

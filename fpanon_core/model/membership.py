"""Who shares a record with whom in one release: of each record, whose it is and its group.

That is all it takes to cross two releases of the same people: no place and no time is kept.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .arrays import IntArray
from .closed import Closed
from .distinct import distinct_rows
from .errors import SchemaError

ALWAYS = (-(2**31), 2**31)
"""The days of a record that is not of one period: it may be held against any other."""
_BYTES = 16


@dataclass(frozen=True, eq=False, repr=False)
class Membership(Closed):
    """Whose each record of a release is, and which records are alike.

    Attributes
    ----------
    who : object ndarray (n_records,)
        What tells people apart, the same in every release: the id, as text, or what :meth:`keyed`
        makes of it. Not for release.
    group : int64 ndarray (n_records,)
        The group of each, of those who share a record; numbered from 0. Groups of different periods
        are different.
    begin_day, end_day : int64 ndarray (n_records,)
        The days that the record is of: numbers of days, the end not among them; :data:`ALWAYS`
        without periods.
    weight : int64 ndarray (n_records,)
        People that each stands for.
    name : str
        What was done, in words.
    k : int or None
        The crowd that the release promises; None where it promises none.
    digest : str
        Of the original's fingerprints, or of the data file that was read.
    pseudonym : object ndarray (n_records,) or None
        What the session calls each person; None where there is no session.
    """

    who: npt.NDArray[Any]
    group: IntArray
    begin_day: IntArray
    end_day: IntArray
    weight: IntArray
    name: str = ""
    k: int | None = None
    digest: str = ""
    pseudonym: npt.NDArray[Any] | None = None

    def __post_init__(self) -> None:
        lengths = {len(self.group), len(self.begin_day), len(self.end_day), len(self.weight)}
        if lengths != {len(self.who)}:
            raise SchemaError("Every record needs a person, a group, its days and a weight.")
        if len(self.who):
            numbered = distinct_rows(self.group, self.begin_day, self.end_day)[1]
            object.__setattr__(self, "group", numbered.astype(np.int64))
        self._close()

    def __repr__(self) -> str:
        return f"Membership({self.n_people} people in {self.n_groups} groups)"

    @classmethod
    def whole(cls, who: npt.NDArray[Any], group: IntArray, **more: Any) -> Membership:
        """Of a release without periods, where nothing else is said of people who count once."""
        n = len(who)
        first, last = (np.full(n, day, np.int64) for day in ALWAYS)
        return cls(who, np.asarray(group, np.int64), first, last, np.ones(n, np.int64), **more)

    @property
    def n_groups(self) -> int:
        """Number of groups, of all periods."""
        return int(self.group.max(initial=-1)) + 1

    @property
    def n_people(self) -> int:
        """Number of people; one that stands for several counts as one."""
        return len(set(self.who.tolist()))

    @property
    def size(self) -> IntArray:
        """People in the group of each record, shape (n_records,); they themselves are counted."""
        people = np.bincount(self.group, self.weight, self.n_groups).astype(np.int64)
        found: IntArray = people[self.group]
        return found

    def keyed(self, secret: bytes) -> Membership:
        """With nothing in it of any id: what tells people apart is a digest under a secret.

        Parameters
        ----------
        secret : bytes
            The same for all that are to be held against each other.

        Examples
        --------
        >>> made = Membership.whole(np.array(["a", "b"], dtype=object), np.array([0, 0]))
        >>> (made.keyed(b"1").who == made.keyed(b"1").who).tolist()
        [True, True]
        >>> "a" in made.keyed(b"1").who.tolist(), made.keyed(b"1").who[0] == made.keyed(b"2").who[0]
        (False, False)
        """
        digests = [
            hmac.new(secret, str(name).encode(), hashlib.sha256).digest()[:_BYTES]
            for name in self.who.tolist()
        ]
        who = np.empty(len(digests), dtype=object)
        who[:] = digests
        return replace(self, who=who, pseudonym=None)

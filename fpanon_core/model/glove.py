"""What GLOVE and its verification return: frozen, with all that made them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from .arrays import IntArray
from .configs import StretchConfig
from .fingerprints import FingerprintSet, pseudonyms_of
from .periods import days_text
from .published import GeneralizedFingerprintSet, Records
from .version import versions

Method = Literal["glove", "aligned"]

REASONS = (
    "space",
    "time",
    "space and time",
    "left over",
    "fewer than k",
    "hardest to hide",
    "period of fewer than k",
)
"""Why a sample is not published: with it, its group's cell would exceed the spatial limit, the
temporal one, or both; its user belonged to the last fewer than k, who were suppressed; or the cell,
or every part of it within the limits, would hold samples of fewer than k users (of an aligned
group: not of every member); or its user is one of those it costs most to hide, of whom a share was
to be left out; or fewer than k users have a sample in its period."""


@dataclass(frozen=True, eq=False, repr=False)
class GloveResult:
    """Everyone's group and what is published of it, by GLOVE or aligned.

    Attributes
    ----------
    group : int64 ndarray (n_users,)
        Group of each user, by row number; −1 = nothing is published of the user: suppressed, or
        with no sample left within the limits. Groups are numbered by their smallest row number.
    published : GeneralizedFingerprintSet
        One fingerprint per group.
    suppressed : DataFrame
        One row per original sample that is not published: ``user`` (row number), ``sample`` (row
        number of the sample within the original set's sample arrays), ``reason`` (of
        :data:`REASONS`).
    accuracy : DataFrame
        One row per original sample: ``user``, ``sample`` (row numbers), ``group``, ``space_m``
        (spatial span (dx + dy)/2 of the published sample that holds it, metres), ``time_min`` (its
        temporal span, minutes). NaN where suppressed. An original sample longer than the cell that
        holds its start reaches across several that touch: the widest, and their whole length.
    phantom_share : float
        Of all (member, published sample) pairs, those in which the member has no original sample.
    left_over : int64 ndarray
        Row numbers of the last users, fewer than k, whom nobody was left to be merged with: merged
        into the nearest group, or suppressed, as ``leftover`` says.
    left_out : int64 ndarray
        Row numbers, ascending, of the users whom it costs most to hide, who are not published: at
        most the share ``leave_out`` of all.
    k, leftover, suppress_space_m, suppress_time_min, leave_out, config
        As given.
    digest : str
        Digest of the original fingerprints.
    number, weight : int64 ndarray (n_users,)
        Of the original fingerprints: the numbers behind their pseudonyms, and how many users each
        stands for. Ids are not kept.
    method : "glove" or "aligned"
        By which it was made: :func:`fpanon_core.glove` or :func:`fpanon_core.aligned`.
    period_days : int or None
        Days in a period, of a result of a :class:`PeriodSet`; None of whole fingerprints. All that
        is said here of users is then said of pieces, one for each person and period.
    person, period : int64 ndarray (n_users,) or None
        Of each piece: row number of its person in the original, and number of its period.
    whole_digest : str
        Digest of the original before it was cut into periods; empty of whole fingerprints.
    shards : int
        Into how many parts the people were cut, each hidden for itself (in periods: at most). Each
        has left-over users of its own where these are merged.
    versions : dict
        Of fpanon and what it computes with.
    """

    group: IntArray
    published: GeneralizedFingerprintSet
    suppressed: pd.DataFrame
    accuracy: pd.DataFrame
    phantom_share: float
    left_over: IntArray
    k: int
    leftover: str
    suppress_space_m: float | None
    suppress_time_min: float | None
    config: StretchConfig
    digest: str
    number: IntArray
    weight: IntArray
    method: Method = "glove"
    leave_out: float = 0.0
    left_out: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    period_days: int | None = None
    person: IntArray | None = None
    period: IntArray | None = None
    whole_digest: str = ""
    shards: int = 1
    versions: dict[str, str] = field(default_factory=versions)

    def __repr__(self) -> str:
        return (
            f"GloveResult({self.n_users} people in {self.published.n_groups} groups, k = {self.k}, "
            f"{len(self.suppressed)} samples suppressed)"
        )

    @property
    def n_users(self) -> int:
        """Number of original fingerprints."""
        return len(self.group)

    @property
    def people(self) -> IntArray:
        """Row number in the original of the person behind each original fingerprint, or piece."""
        return np.arange(self.n_users) if self.person is None else self.person

    @cached_property
    def group_period(self) -> IntArray | None:
        """Period of each group; None of whole fingerprints."""
        if self.period is None:
            return None
        found = np.zeros(self.published.n_groups, np.int64)
        inside = self.group >= 0
        found[self.group[inside]] = self.period[inside]
        return found

    @cached_property
    def pseudonyms(self) -> list[str]:
        """What screens show for each user, as of the original fingerprints; never in a release."""
        return pseudonyms_of(self.number)

    def members(self, group: int) -> IntArray:
        """Row numbers of the users of a group, ascending."""
        return self._by_group[self._starts[group] : self._starts[group + 1]]

    @cached_property
    def _by_group(self) -> IntArray:
        order = np.argsort(self.group, kind="stable")
        return order[np.count_nonzero(self.group < 0) :]

    @cached_property
    def _starts(self) -> IntArray:
        inside = self.group[self.group >= 0]
        return np.concatenate(
            [[0], np.cumsum(np.bincount(inside, minlength=self.published.n_groups))]
        )

    def expanded(self) -> FingerprintSet:
        """The published data set as a reader gets it: one fingerprint for every published user.

        In order of row number; those in no group are missing. A fingerprint that stood for several
        users gives as many. Every user's k-gap here is 0.
        """
        inside = self.group >= 0
        return self.published.fingerprints(np.repeat(self.group[inside], self.weight[inside]))

    # --- tables --------------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """What is released: one row per user and published sample, under names drawn for it.

        Columns: ``pseudonym``, ``group``, ``x_min_m``, ``x_max_m``, ``y_min_m``, ``y_max_m``
        (metres on the projection), ``lat_min``, ``lat_max``, ``lon_min``, ``lon_max`` (degrees;
        NaN without a projection), ``start``, ``end`` (in the display time zone; minutes without a
        clock). Samples hold from start up to, but not including, end. No user id. Pseudonyms, the
        numbers of the groups and the order of the people are drawn anew from the operating system
        in every call, so that no two tables are alike; each one's rows are in order of time.
        """
        return pd.concat(list(self.frames()), ignore_index=True)

    def frames(self) -> Iterator[pd.DataFrame]:
        """:meth:`to_frame` in pieces of about 250,000 rows, under names of their own."""
        return self.records.frames()

    @property
    def records(self) -> Records:
        """What leaves: one record for every user in a group, by row number."""
        return Records.of_groups(self.published, self.group[self.group >= 0])

    # --- figures -------------------------------------------------------------------------------

    @property
    def suppressed_share(self) -> float:
        """Share of the original samples that are not published."""
        return len(self.suppressed) / len(self.accuracy)

    def summary(self) -> dict[str, Any]:
        """The figures to show beside each other, as plain numbers.

        Spans are over the original samples that are published; ``share_2km`` and ``share_2h`` are
        the shares of these within 2 km and within 2 hours. ``users`` and ``users_suppressed`` are
        people, the latter those of whom nothing is published in any period; ``pieces`` and
        ``periods``, of which there are None without periods, are those of the original, and
        ``pieces_suppressed`` the pieces of which nothing is published. ``users_left_over`` counts
        each period's.
        """
        space = self.accuracy["space_m"].dropna()
        time = self.accuracy["time_min"].dropna()
        members = np.bincount(self.group[self.group >= 0], self.weight[self.group >= 0])
        none = len(space) == 0
        people = self.people
        inside = self.group >= 0
        return {
            "users": len(np.unique(people)),
            "k": self.k,
            "groups": self.published.n_groups,
            "smallest_group": int(members.min()) if len(members) else 0,
            "largest_group": int(members.max()) if len(members) else 0,
            "users_suppressed": len(np.unique(people)) - len(np.unique(people[inside])),
            "users_left_over": len(self.left_over),
            "users_left_out": len(self.left_out),
            "samples": len(self.accuracy),
            "suppressed_share": self.suppressed_share,
            "phantom_share": self.phantom_share,
            "mean_space_m": np.nan if none else float(space.mean()),
            "median_space_m": np.nan if none else float(space.median()),
            "mean_time_min": np.nan if none else float(time.mean()),
            "median_time_min": np.nan if none else float(time.median()),
            "share_2km": np.nan if none else float((space <= 2_000).mean()),
            "share_2h": np.nan if none else float((time <= 120).mean()),
            "period_days": self.period_days,
            "periods": None if self.period is None else len(np.unique(self.period)),
            "pieces": None if self.period is None else self.n_users,
            "pieces_suppressed": None if self.period is None else int(np.count_nonzero(~inside)),
        }


VIOLATION_COLUMNS = ("kind", "group", "user", "sample", "text")


@dataclass(frozen=True, eq=False)
class Verification:
    """The verdict on a release: whether all that GLOVE promises holds.

    Attributes
    ----------
    violations : DataFrame
        One row per fault: ``kind`` (a short word), ``group``, ``user``, ``sample`` (numbers; −1 =
        does not apply), ``text`` (a sentence that names no person). Of each kind at most
        :attr:`most` are listed; ``counts`` has them all.
    counts : dict
        Number of faults by kind; empty when there are none.
    k : int
        0 where no crowd is promised, and records were not held against the original.
    users, groups, samples : int
        How many original users, published groups and original samples were checked.
    note : str
        What was not checked, and why; empty if all was.
    period_days : int or None
        Days in a period, where people are hidden in each period for itself.
    """

    violations: pd.DataFrame
    counts: dict[str, int]
    k: int
    users: int
    groups: int
    samples: int
    note: str = ""
    period_days: int | None = None

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.counts

    @property
    def period(self) -> str:
        """The length of a period in words; empty without periods."""
        return "" if self.period_days is None else days_text(self.period_days)

    def __str__(self) -> str:
        people = "1 person" if self.users == 1 else f"{self.users:,} people"
        groups = "1 group" if self.groups == 1 else f"{self.groups:,} groups"
        checked = f"{people}, {groups}, {self.samples:,} original samples checked"
        if self.note:
            checked = f"{people}, {groups}; {self.note}"
        if self.passed and self.k == 0:
            return f"In order: files, figures and names; no crowd is promised ({checked})."
        if self.passed:
            within = "" if self.period_days is None else f"in each period of {self.period}, "
            return f"Verified: {within}everyone published is one of at least {self.k} ({checked})."
        found = ", ".join(f"{n:,} × {kind}" for kind, n in self.counts.items())
        if self.k == 0:
            return f"NOT in order: {found} ({checked})."
        return f"NOT verified for k = {self.k}: {found} ({checked})."

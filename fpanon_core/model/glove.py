"""Results of GLOVE and of its verification, frozen, with all parameters that produced them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from .arrays import Brief, IntArray, offsets_of
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
"""Reasons why a sample is not published. ``"space"``, ``"time"``, ``"space and time"``: with the
sample, the group's cell would exceed the limit on its side, the limit on its length, or both.
``"left over"``: the user was one of the last users, fewer than k, who were suppressed.
``"fewer than k"``: the cell, or each part of it within the limits, would hold samples of fewer
than k users; in an aligned group, it would not hold a sample of every member.
``"hardest to hide"``: the user is one of the share left out as costliest to hide.
``"period of fewer than k"``: fewer than k users have a sample in the period."""


@dataclass(frozen=True, eq=False, repr=False)
class GloveResult(Brief):
    """Groups of all users and their published fingerprints, from GLOVE or from aligned groups.

    Attributes
    ----------
    group : int64 ndarray (n_users,)
        Group of each user, by row number. −1 for a user without a published sample: suppressed, or
        with no sample left within the limits. Groups are numbered by their smallest row number.
    published : GeneralizedFingerprintSet
        One fingerprint per group.
    suppressed : DataFrame
        One row per original sample that is not published: ``user`` (row number), ``sample`` (row
        number of the sample within the original set's sample arrays), ``reason`` (one
        of :data:`REASONS`).
    accuracy : DataFrame
        One row per original sample: ``user``, ``sample`` (row numbers), ``group``, ``space_m``
        (spatial span (dx + dy)/2 of the published sample that holds it, metres), ``time_min`` (its
        temporal span, minutes). NaN where suppressed. For an original sample that extends over
        several adjacent cells, the figures are the largest spatial span and the total length of
        these cells.
    phantom_share : float
        Share of the pairs of a member and a published sample that are false presences: the
        published sample holds no original sample of the member.
    left_over : int64 ndarray
        Row numbers of the last users, fewer than k, who cannot form a group of their own. They are
        merged into the nearest group or suppressed, according to ``leftover``.
    left_out : int64 ndarray
        Row numbers, ascending, of the users left out as costliest to hide: at most the share
        ``leave_out`` of all users.
    k, leftover, suppress_space_m, suppress_time_min, leave_out, config
        Parameters as given.
    digest : str
        Digest of the original fingerprints.
    number, weight : int64 ndarray (n_users,)
        Attributes of the original fingerprints: the numbers behind their pseudonyms, and the number
        of users each stands for. Ids are not kept.
    method : "glove" or "aligned"
        Function that made the result: :func:`fpanon_core.glove` or :func:`fpanon_core.aligned`.
    period_days : int or None
        Days in a period, if the data were a :class:`PeriodSet`; None for whole fingerprints. With
        periods, every attribute here about users is about pieces, one for each person and period.
    person, period : int64 ndarray (n_users,) or None
        For each piece, the row number of its person in the original, and the number of its period.
    whole_digest : str
        Digest of the original before it was cut into periods; empty for whole fingerprints.
    shards : int
        Number of parts into which the people were divided, each of which was hidden separately;
        with periods, the largest such number. If left-over users are merged, each part has its own
        left-over users.
    versions : dict
        Versions of fpanon and of the packages that it computes with.
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

    @property
    def n_users(self) -> int:
        """Number of original fingerprints."""
        return len(self.group)

    @property
    def people(self) -> IntArray:
        """Row number in the original of the person behind each fingerprint or piece."""
        return np.arange(self.n_users) if self.person is None else self.person

    @cached_property
    def group_period(self) -> IntArray | None:
        """Period of each group; None for whole fingerprints."""
        if self.period is None:
            return None
        found = np.zeros(self.published.n_groups, np.int64)
        inside = self.group >= 0
        found[self.group[inside]] = self.period[inside]
        return found

    @cached_property
    def pseudonyms(self) -> list[str]:
        """Name of each user on screens, as in the original fingerprints; never in a release."""
        return pseudonyms_of(self.number)

    def members(self, group: int) -> IntArray:
        """Return the row numbers of the users of a group, ascending."""
        return self._by_group[self._starts[group] : self._starts[group + 1]]

    @cached_property
    def _by_group(self) -> IntArray:
        order = np.argsort(self.group, kind="stable")
        return order[np.count_nonzero(self.group < 0) :]

    @cached_property
    def _starts(self) -> IntArray:
        inside = self.group[self.group >= 0]
        return offsets_of(np.bincount(inside, minlength=self.published.n_groups))

    def expanded(self) -> FingerprintSet:
        """Return the published data set as a recipient sees it: a fingerprint per published user.

        Fingerprints are in order of row number; users in no group are missing. A fingerprint that
        stood for several users appears once for each. Every user's k-gap here is 0.
        """
        inside = self.group >= 0
        return self.published.fingerprints(np.repeat(self.group[inside], self.weight[inside]))

    # --- tables --------------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return the table to release: a row per user and published sample, under fresh names.

        Columns: ``pseudonym``, ``group``, ``x_min_m``, ``x_max_m``, ``y_min_m``, ``y_max_m``
        (metres on the projection), ``lat_min``, ``lat_max``, ``lon_min``, ``lon_max`` (degrees; NaN
        without a projection), ``start``, ``end`` (in the display time zone; minutes without a
        clock). A sample lasts from start up to, but not including, end. There is no user id.
        Pseudonyms, group numbers and the order of the people are drawn again in every call, from
        the operating system's randomness, so no two tables are alike. Each user's rows are in order
        of time.
        """
        return pd.concat(list(self.frames()), ignore_index=True)

    def frames(self) -> Iterator[pd.DataFrame]:
        """Iterate over :meth:`to_frame` in pieces of about 250,000 rows, under fresh names."""
        return self.records.frames()

    @property
    def records(self) -> Records:
        """Records to release: one for every user in a group, by row number."""
        return Records.of_groups(self.published, self.group[self.group >= 0])

    # --- figures -------------------------------------------------------------------------------

    @property
    def suppressed_share(self) -> float:
        """Share of the original samples that are not published."""
        return len(self.suppressed) / len(self.accuracy)

    def summary(self) -> dict[str, Any]:
        """Return the figures to show side by side, as plain numbers.

        Spans are over the published original samples; ``share_2km`` and ``share_2h`` are the shares
        of spans up to 2 km and up to 2 hours. ``users`` counts people, a merged fingerprint as one;
        ``users_suppressed`` counts those without any published sample in any period. ``pieces`` and
        ``periods`` are the numbers in the original, and ``pieces_suppressed`` counts the pieces
        without a published sample; all three are None without periods. With periods,
        ``users_left_over`` and ``users_left_out`` count pieces, over all periods together.
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
    """Verdict on whether a release keeps its promises.

    Attributes
    ----------
    violations : DataFrame
        One row per fault: ``kind`` (a short word), ``group``, ``user``, ``sample`` (numbers; −1
        where not applicable), ``text`` (a sentence that names no person). At most 1,000 faults of
        each kind are listed; ``counts`` counts them all.
    counts : dict
        Number of faults by kind; empty when there are none.
    k : int
        Group size checked. 0 if the release promises no k-anonymous group; its records are then not
        compared with the original.
    users, groups, samples : int
        Numbers of original users, published groups and original samples checked.
    note : str
        What was not checked, and why; empty if everything was.
    period_days : int or None
        Days in a period, if people are hidden in each period separately.
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
        """Whether no fault was found."""
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
            return f"The files, figures and names are in order; no group is promised ({checked})."
        if self.passed:
            where = "in the release"
            if self.period_days is not None:
                where = f"published in each period of {self.period}"
            group = f"everyone {where} is in a group of at least {self.k}"
            return f"Verified: {group} ({checked})."
        found = ", ".join(f"{n:,} × {kind}" for kind, n in self.counts.items())
        if self.k == 0:
            return f"NOT in order. Faults found, by check: {found} ({checked})."
        return f"NOT verified for k = {self.k}. Faults found, by check: {found} ({checked})."

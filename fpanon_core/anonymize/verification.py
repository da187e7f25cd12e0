"""Does a release keep what GLOVE promises? Checked anew, from the data alone.

Shares no code with GLOVE: it takes the original fingerprints and what is published, and looks at
everything the section lists under "What must always hold". It runs on a result, and just as well on
a table that somebody brings back (:func:`fpanon_core.read_published`), in which every user's copy
is looked at by itself.

An original sample must lie inside a published sample of its user. Where cells were cut in time
within an original sample (which happens to samples longer than the data's granularity), it must lie
inside the published samples it reaches across, without a gap.

Positions and times may differ by a millionth of a metre, or minute: what is written as text to that
accuracy must verify.

Source: docs/science.md, “Hiding everyone: GLOVE”.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..kernels.verify_cover import uncovered_samples
from ..model.arrays import BoolArray, FloatArray, IntArray
from ..model.checks import whole
from ..model.errors import SchemaError
from ..model.fingerprints import FingerprintSet
from ..model.glove import VIOLATION_COLUMNS, GloveResult, Verification
from ..model.projection import degrees_of
from ..model.published import GeneralizedFingerprintSet

_SLACK = 1e-6
_SLACK_DEG = 2e-7
_MOST = 1_000  # violations listed of each kind
_BOUNDS = ("x_min_m", "x_max_m", "y_min_m", "y_max_m")
_DEGREES = ("lat_min", "lat_max", "lon_min", "lon_max")
_NEEDED = ("pseudonym", "group", *_BOUNDS, "start", "end")


def verify_k_anonymity(
    original: FingerprintSet | GeneralizedFingerprintSet,
    result: GloveResult | pd.DataFrame,
    k: int,
    *,
    suppressed: pd.DataFrame | None = None,
) -> Verification:
    """Check a release against the original data.

    Parameters
    ----------
    original : FingerprintSet or GeneralizedFingerprintSet
    result : GloveResult or DataFrame
        A result, or its table (:meth:`GloveResult.to_frame`), for example read back from a file.
    k : int
        The crowd that is promised.
    suppressed : DataFrame, optional
        With a table: the samples stated as suppressed; ``sample`` (row number in the original set)
        and ``pseudonym`` or ``user``. A result brings its own.

    Returns
    -------
    Verification

    Raises
    ------
    ConfigError
        If k is not an integer of 2 or more.
    SchemaError
        If a column is missing from a table.

    Examples
    --------
    >>> from fpanon_core import glove
    >>> fs = FingerprintSet.from_samples([1, 2, 3], [0, 300, 0], [0, 0, 0], [0, 3, 483])
    >>> result = glove(fs, 2)
    >>> verify_k_anonymity(fs, result, 2).passed, verify_k_anonymity(fs, result, 4).passed
    (True, False)
    """
    whole("k", k, 2)
    if isinstance(original, GeneralizedFingerprintSet):
        original = original.fingerprints()
    check = _Check(original, int(k))
    if isinstance(result, GloveResult):
        release = _of_result(result, check)
        suppressed = result.suppressed
    else:
        release = _of_table(result, original, check)
    if release is not None:
        gone = _suppressed(suppressed, original, check)
        check.users(release, gone)
        check.cells(release)
        check.groups(release)
        check.crowds(release)
        check.coverage(release, gone)
    return check.verdict()


@dataclass
class _Release:
    """Published cells, and which rows of them are each original user's copy."""

    cells: FloatArray  # x0, x1, y0, y1, t0, t1
    group: IntArray  # (n_users,) −1 = not published
    first: IntArray  # (n_users,)
    last: IntArray


# --- what was published --------------------------------------------------------------------------


def _of_result(result: GloveResult, check: _Check) -> _Release | None:
    p = result.published
    group = np.asarray(result.group, np.int64)
    if len(group) != check.original.n_users:
        check.fault(
            "missing user",
            f"The result has {len(group)} users, the original {check.original.n_users}.",
        )
        return None
    if len(group) and not (group.min() >= -1 and group.max() < p.n_groups):
        check.fault("unknown group", "A user is in a group of which nothing is published.")
        return None
    members = np.zeros(p.n_groups, np.int64)
    np.add.at(members, group[group >= 0], check.original.weight[group >= 0])
    for g in np.flatnonzero(members != p.n_users):
        check.fault(
            "group size",
            f"Group {g} is said to have {p.n_users[g]} users and has {members[g]}.",
            group=int(g),
        )
    cells = np.column_stack(
        [p.x_m, p.x_m + p.dx_m, p.y_m, p.y_m + p.dy_m, p.t_min, p.t_min + p.dt_min]
    )
    offsets = np.asarray(p.offsets)
    inside = group >= 0
    first = np.where(inside, offsets[:-1][group] if p.n_groups else 0, 0)
    last = np.where(inside, offsets[1:][group] if p.n_groups else 0, 0)
    return _Release(cells, group, first, last)


def _of_table(table: pd.DataFrame, original: FingerprintSet, check: _Check) -> _Release | None:
    missing = [name for name in _NEEDED if name not in table.columns]
    if missing:
        raise SchemaError(
            f"The table lacks {', '.join(missing)}; give one as written by the export."
        )
    row_of = pd.Series(np.arange(original.n_users), index=original.pseudonyms)
    user = row_of.reindex(table["pseudonym"].astype(str)).to_numpy(np.float64)
    strangers = int(np.isnan(user).sum())
    if strangers:
        check.fault("unknown user", f"{strangers} rows have a pseudonym that the original has not.")
        table, user = table[~np.isnan(user)], user[~np.isnan(user)]
    bounds = [table[name].to_numpy(np.float64) for name in _BOUNDS]
    times = [_minutes(table[name], original) for name in ("start", "end")]
    cells = np.column_stack([*bounds, *times])
    check.degrees(table, cells, original)
    codes = user.astype(np.int64)
    order = np.lexsort((cells[:, 4], codes))
    codes, cells = codes[order], np.ascontiguousarray(cells[order])
    labels = table["group"].to_numpy(np.int64)[order]
    edges = np.searchsorted(codes, np.arange(original.n_users + 1))
    first, last = edges[:-1], edges[1:]
    group = np.full(original.n_users, -1, np.int64)
    published = np.flatnonzero(last > first)
    group[published] = labels[first[published]]
    for u in np.unique(codes[labels != group[codes]]):
        check.fault("several groups", "A user is in more than one group.", user=int(u))
    return _Release(cells, group, first, last)


def _minutes(times: pd.Series[Any], original: FingerprintSet) -> FloatArray:
    if original.clock is None:
        return times.to_numpy(np.float64)
    if not isinstance(times.dtype, pd.DatetimeTZDtype):
        raise SchemaError("start and end must be times with their zone; read the file again.")
    instants = times.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy().astype("M8[us]")
    epoch = np.datetime64(original.clock.epoch.replace(tzinfo=None), "us")
    minutes: FloatArray = (instants - epoch).astype(np.int64) / 60e6
    return minutes


def _suppressed(stated: pd.DataFrame | None, original: FingerprintSet, check: _Check) -> BoolArray:
    """Mask of the original samples that are stated as suppressed."""
    gone = np.zeros(original.n_samples, bool)
    if stated is None or len(stated) == 0:
        return gone
    rows = stated["sample"].to_numpy(np.int64)
    known = (rows >= 0) & (rows < original.n_samples)
    if "user" in stated.columns:
        whose = stated["user"].to_numpy(np.int64)
    else:
        row_of = pd.Series(np.arange(original.n_users), index=original.pseudonyms)
        whose = row_of.reindex(stated["pseudonym"].astype(str)).fillna(-1).to_numpy(np.int64)
    known[known] = original.sample_user[rows[known]] == whose[known]
    if not known.all():
        check.fault(
            "unknown suppressed sample",
            f"{int((~known).sum())} samples stated as suppressed are not in the original, or "
            "another user's.",
        )
    gone[rows[known]] = True
    return gone


# --- what must always hold -----------------------------------------------------------------------


class _Check:
    """The checks, and the faults they find."""

    def __init__(self, original: FingerprintSet, k: int) -> None:
        self.original = original
        self.k = k
        self.n_groups = 0
        self._faults: list[tuple[str, int, int, int, str]] = []
        self._counts: dict[str, int] = {}

    def fault(
        self, kind: str, text: str, *, group: int = -1, user: int = -1, sample: int = -1
    ) -> None:
        self._counts[kind] = self._counts.get(kind, 0) + 1
        if self._counts[kind] <= _MOST:
            self._faults.append((kind, group, user, sample, text))

    def verdict(self) -> Verification:
        return Verification(
            violations=pd.DataFrame(self._faults, columns=list(VIOLATION_COLUMNS)),
            counts=dict(self._counts),
            k=self.k,
            users=self.original.n_users,
            groups=self.n_groups,
            samples=self.original.n_samples,
        )

    def users(self, release: _Release, gone: BoolArray) -> None:
        """Every user is in one group, or wholly suppressed."""
        kept = np.bincount(self.original.sample_user[~gone], minlength=self.original.n_users)
        for u in np.flatnonzero((release.group < 0) & (kept > 0)):
            self.fault(
                "missing user",
                f"A user is not published, and {kept[u]} of the user's samples are not listed as "
                "suppressed.",
                user=int(u),
            )

    def cells(self, release: _Release) -> None:
        """No two samples of a published fingerprint overlap in time; no extent is negative."""
        cells = release.cells
        published = release.group >= 0
        starts, who = np.unique(release.first[published], return_index=True)
        users = np.flatnonzero(published)[who]
        for u, first, last in zip(users, starts, release.last[users], strict=True):
            mine = cells[first:last]
            name = {"group": int(release.group[u]), "user": int(u)}
            if len(mine) == 0:
                self.fault("empty fingerprint", "A published fingerprint has no samples.", **name)
                continue
            if not np.isfinite(mine).all():
                self.fault("not a number", "A published bound is not a number.", **name)
                continue
            if (mine[:, 1::2] < mine[:, ::2]).any():
                self.fault("negative extent", "A published sample ends before it begins.", **name)
            if len(mine) > 1:
                if (mine[1:, 4] < mine[:-1, 4]).any():
                    mine = mine[np.argsort(mine[:, 4], kind="stable")]
                if (mine[1:, 4] < np.maximum.accumulate(mine[:-1, 5]) - _SLACK).any():
                    self.fault(
                        "overlap", "Two published samples of a fingerprint overlap in time.", **name
                    )

    def groups(self, release: _Release) -> None:
        """Every group has at least k users, all of whom are published alike."""
        group = release.group
        order = np.argsort(group, kind="stable")
        order = order[np.count_nonzero(group < 0) :]
        labels, begin = np.unique(group[order], return_index=True)
        self.n_groups = len(labels)
        for g, members in zip(labels, np.split(order, begin)[1:], strict=True):
            size = int(self.original.weight[members].sum())
            if size < self.k:
                self.fault(
                    "group size", f"Group {g} has {size} users, fewer than {self.k}.", group=int(g)
                )
            model = release.cells[release.first[members[0]] : release.last[members[0]]]
            for u in members[1:]:
                if release.first[u] == release.first[members[0]]:
                    continue  # the very same rows
                mine = release.cells[release.first[u] : release.last[u]]
                if mine.shape != model.shape or not np.array_equal(mine, model):
                    self.fault(
                        "unlike copies",
                        f"A member of group {g} is published otherwise than its first member.",
                        group=int(g),
                        user=int(u),
                    )

    def crowds(self, release: _Release) -> None:
        """Everyone's k-gap is 0: at least k users have the same published fingerprint.

        Found from the fingerprints themselves, whatever the groups are called.
        """
        digests: dict[int, bytes] = {}
        crowd: dict[bytes, int] = {}
        published = np.flatnonzero(release.group >= 0)
        for u in published:
            first = int(release.first[u])
            if first not in digests:
                rows = np.ascontiguousarray(release.cells[first : release.last[u]])
                digests[first] = hashlib.blake2b(rows.data, digest_size=16).digest()
            key = digests[first]
            crowd[key] = crowd.get(key, 0) + int(self.original.weight[u])
        for u in published:
            size = crowd[digests[int(release.first[u])]]
            if size < self.k:
                self.fault(
                    "k-gap",
                    f"Only {size} users have the same published fingerprint; the {self.k}-gap is "
                    "not 0.",
                    group=int(release.group[u]),
                    user=int(u),
                )

    def coverage(self, release: _Release, gone: BoolArray) -> None:
        """Every original sample that is not listed as suppressed lies inside a published one."""
        fs = self.original
        samples = np.column_stack(
            [fs.x_m, fs.x_m + fs.dx_m, fs.y_m, fs.y_m + fs.dy_m, fs.t_min, fs.t_min + fs.dt_min]
        )
        missing = uncovered_samples(
            fs.offsets, samples, release.first, release.last, release.cells, _SLACK
        )
        # Those of users who are not published were counted user by user.
        missing &= ~gone & (release.group >= 0)[fs.sample_user]
        for s in np.flatnonzero(missing):
            u = int(fs.sample_user[s])
            self.fault(
                "uncovered sample",
                "An original sample lies outside what is published of its user, and is not listed "
                "as suppressed.",
                group=int(release.group[u]),
                user=u,
                sample=int(s),
            )

    def degrees(self, table: pd.DataFrame, cells: FloatArray, original: FingerprintSet) -> None:
        """Latitudes and longitudes, where given, say the same as the metres."""
        if original.crs is None or not set(_DEGREES) <= set(table.columns):
            return
        places, which = np.unique(cells[:, :4], axis=0, return_inverse=True)
        expected = degrees_of(original.crs, *places.T).to_numpy()[which.reshape(-1)]
        stated = table[list(_DEGREES)].to_numpy(np.float64)
        wrong = ~(np.abs(stated - expected) <= _SLACK_DEG).all(axis=1)
        if wrong.any():
            self.fault(
                "degrees",
                f"In {int(wrong.sum())} rows the latitudes and longitudes are not those of the "
                "metres.",
            )

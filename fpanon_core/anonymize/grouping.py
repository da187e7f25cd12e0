"""Greedy order of GLOVE's merges, found exactly and without a matrix of efforts.

GLOVE repeatedly merges the pair with the smallest fingerprint stretch effort. A matrix of efforts
would give this pair at once, but does not fit in memory. Instead, every member of the pool has a
list and a bound. The list holds the nearest members that the member's last search found. The bound
says that no unlisted member has a smaller effort. The method is exact for these reasons:

- The pool only shrinks, except for merged groups that enter it. A group is searched against the
  whole pool as it enters. So of any two members, the one searched later was compared with the
  other, and is *responsible* for the pair. The pair is in its list or beyond its bound.
- A member's *key* is the effort to the first listed member still in the pool. If no listed member
  is left, the list is *used up* and the key is the bound. No key is above the effort of any pair
  that the member is responsible for. So if the smallest of all keys belongs to a pair, no pair has
  a smaller effort. If the smallest key belongs to a used-up list, only the owner of this list is
  searched again.
- If efforts are equal, a used-up list comes before pairs, because it may hide a pair of smaller
  indices. Pairs come in the order of their indices. Lists are in order of effort, then index, so
  the first entry of a list is the smallest pair of its owner.

Several searches run at once. Owners of used-up lists are searched in batches, smallest keys first.
A list stays correct as the pool shrinks, so an early search only costs time. New groups are
searched in batches too. The next few pairs are taken *as if* no new group came between them. Their
groups are all merged and searched, and then entered one by one. If a new group does come between
them, the rest of the batch is put back; its merges and searches are kept for later. The order of
merges is the same as if they were done one by one, on any number of threads.

Source: docs/science.md, “Hiding everyone: GLOVE”.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..engines.local import Engine, fill
from ..engines.progress import Progress, part, tell
from ..kernels.glove_merge import merge_cells, reshape
from ..kernels.stretch import Scale
from ..measures.kgap import k_gap
from ..measures.packing import scale_of
from ..model.arrays import FloatArray, IntArray
from ..model.configs import StretchConfig
from ..model.fingerprints import FingerprintSet
from .pool import Pool

Key = tuple[float, int, int, int, int]  # effort, smaller and larger index, owner, partner

_MANY_FIRST = 10  # length of everyone's first list, found by the search for all at once
_MANY = 6  # length of a later list
_REFRESHED = 32  # used-up lists searched at once
_AHEAD = 10  # merges tried at once
_LISTS_SHARE = 0.4  # share of the progress that the first lists take


@dataclass
class Group:
    """A finished group.

    Attributes
    ----------
    members : list of int
        Row numbers, ascending.
    cells : float64 ndarray (n_cells, 6)
        x, y, t, dx, dy, dt in order of time. No two cells overlap in time, except in a left-over
        group of one fingerprint, whose cells are its samples.
    weight : float
        Number of users that its members stand for.
    left_over : bool
        Whether the group has fewer than k users because nobody is left to merge it with.
    """

    members: list[int]
    cells: FloatArray
    weight: float
    left_over: bool = False


@dataclass
class _List:
    """Nearest members found by a member's last search, and the bound on efforts to others."""

    near: list[int]
    effort: list[float]
    beyond: float
    beyond_index: int = -1  # unlisted members of effort ``beyond`` have larger indices
    head: int = 0


@dataclass
class _Planned:
    """A pair to be merged, and the merged group if it goes back into the pool."""

    key: Key
    u: int
    v: int
    merged: int = -1
    listed: _List | None = None
    floor: npt.NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 0), np.float32))
    cells: FloatArray = field(default_factory=lambda: np.empty((0, 6)))
    seen: int = 0  # groups that had entered the pool when this group was searched


class Greedy:
    """State of one run of GLOVE's merges."""

    def __init__(
        self, fs: FingerprintSet, k: int, config: StretchConfig, engine: Engine, progress: Progress
    ) -> None:
        self.k = k
        self.engine = engine
        self.progress = progress
        self.scale: Scale = scale_of(config)
        self.users = fs.n_users
        start = np.flatnonzero(fs.weight < k)
        self.pool = Pool(fs, config, start, k, engine)
        self.members = {u: [u] for u in range(fs.n_users)}
        self.lists: dict[int, _List] = {}
        self.pairs: list[Key] = []  # heap: keys that are pairs
        self.used_up: list[tuple[float, int]] = []  # heap: (beyond, owner)
        self.planned: set[int] = set()
        self.kept: dict[tuple[int, int], _Planned] = {}  # merged and searched, then put back
        self.entered: list[int] = []  # groups that entered the pool, in order
        self.touched: list[int] = []
        self.finished: list[tuple[int, int]] = []
        self.alone = np.flatnonzero(fs.weight >= k).tolist()
        self.left = len(start)
        self._first_lists(fs, start, config)

    def _first_lists(self, fs: FingerprintSet, start: IntArray, config: StretchConfig) -> None:
        if len(start) < 2:
            return
        many = min(_MANY_FIRST, len(start) - 1)
        if self.pool.n_points:
            progress = part(self.progress, 0.0, _LISTS_SHARE)
            pool = fs if len(start) == fs.n_users else fs.subset(start)
            gaps = k_gap(pool, many + 1, config=config, engine=self.engine, progress=progress)
            found = zip(start[gaps.neighbours].tolist(), gaps.stretch.tolist(), strict=True)
            for u, (near, effort) in zip(start.tolist(), found, strict=True):
                self._list(u, near, effort, many)
            return
        for first in range(0, len(start), 256):
            block = start[first : first + 256].tolist()
            for u, (ids, efforts, _) in zip(block, self.pool.search(block, many), strict=True):
                self._list(u, ids.tolist(), efforts.tolist(), many)
            tell(self.progress, _LISTS_SHARE * min(1.0, (first + 256) / len(start)))

    # --- keys ----------------------------------------------------------------------------------

    def _list(self, u: int, near: list[int], effort: list[float], many: int) -> None:
        self.lists[u] = self._listed(near, effort, many)
        self._push(u)

    def _listed(self, near: list[int], effort: list[float], many: int) -> _List:
        if len(near) < many:  # every member is listed
            return _List(near, effort, np.inf)
        return _List(near, effort, effort[-1], self.pool.index(near[-1]))

    def _key(self, u: int) -> Key | None:
        """Return the first pair of u's list; None if the list is used up."""
        listed = self.lists[u]
        alive = self.pool.alive
        while listed.head < len(listed.near) and not alive[listed.near[listed.head]]:
            listed.head += 1
        for at in range(listed.head, len(listed.near)):
            v = listed.near[at]
            if alive[v] and v not in self.planned:
                i, j = self.pool.index(u), self.pool.index(v)
                return (listed.effort[at], min(i, j), max(i, j), u, v)
        return None

    def _push(self, u: int) -> None:
        key = self._key(u)
        if key is not None:
            heapq.heappush(self.pairs, key)
        elif self.lists[u].beyond < np.inf:
            heapq.heappush(self.used_up, (self.lists[u].beyond, u))

    def _free(self, u: int) -> bool:
        return bool(self.pool.alive[u]) and u not in self.planned

    def _top(self) -> Key | None:
        """Return the smallest pair; None if there is none, or if a used-up list comes first."""
        while self.pairs:
            while self.used_up and not self._free(self.used_up[0][1]):
                heapq.heappop(self.used_up)
            key = self.pairs[0]
            u = key[3]
            free = self._free(u)
            if free and self.used_up and self.used_up[0][0] <= key[0]:
                return None
            if free and self._key(u) == key:
                return key
            heapq.heappop(self.pairs)
            if free:
                self.touched.append(u)
                self._push(u)
        return None

    # --- the loop ------------------------------------------------------------------------------

    def groups(self) -> list[Group]:
        """Return GLOVE's groups in order of smallest row number; a left-over group comes last."""
        while True:
            plan = self._plan()
            if plan:
                self._carry_out(plan)
            elif self.used_up:
                self._refresh()
            else:
                break
            done = 1.0 - self.left / self.users
            tell(self.progress, _LISTS_SHARE + (0.95 - _LISTS_SHARE) * done)
        return self._made()

    def _plan(self) -> list[_Planned]:
        """Return the next pairs, as if no group made from them came between them."""
        plan: list[_Planned] = []
        joining = 0
        self.touched.clear()
        while joining < _AHEAD and (key := self._top()) is not None:
            u, v = key[3:]
            if self.pool.weight(u) + self.pool.weight(v) >= self.k:
                if not joining:  # no new group can come between, so this is done at once
                    self._finish(u, v)
                    continue
            else:
                joining += 1
            plan.append(_Planned(key, u, v))
            self.planned |= {u, v}
        return plan

    def _refresh(self) -> None:
        batch = self._next_used_up(_REFRESHED)
        many = min(_MANY, self.left - 1)
        if not batch or many < 1:
            return
        for u, (near, effort, _) in zip(batch, self.pool.search(batch, many), strict=True):
            self._list(u, near.tolist(), effort.tolist(), many)

    def _next_used_up(self, most: int) -> list[int]:
        """Pop the owners of the used-up lists with the smallest keys."""
        batch: list[int] = []
        while self.used_up and len(batch) < most:
            _, u = heapq.heappop(self.used_up)
            if self._free(u) and u not in batch:
                batch.append(u)
        return batch

    def _finish(self, u: int, v: int) -> None:
        self.finished.append((u, v))
        self.pool.leave(u)
        self.pool.leave(v)
        self.left -= 2

    def _carry_out(self, plan: list[_Planned]) -> None:
        pool = self.pool
        joining = [p for p in plan if pool.weight(p.u) + pool.weight(p.v) < self.k]
        for p in joining:
            kept = self.kept.pop((p.u, p.v), None)
            if kept is not None:
                p.cells, p.listed, p.floor, p.seen = kept.cells, kept.listed, kept.floor, kept.seen
            else:
                p.cells = self._merge(p.u, p.v)
            index = min(pool.index(p.u), pool.index(p.v))
            p.merged = pool.add(p.cells, pool.weight(p.u) + pool.weight(p.v), index)
            if kept is not None:
                pool.describe(p.merged)
        new = [p for p in joining if p.listed is None]
        many = min(_MANY, self.left - 2)
        used_up: list[int] = []
        if many >= 1 and new:
            # The next used-up lists are searched too, so that no core is idle.
            used_up = self._next_used_up(max(0, _AHEAD - len(new)))
            parents = [(p.u, p.v) for p in new]
            found = pool.search([*(p.merged for p in new), *used_up], many, parents)
            for p, (near, effort, floor) in zip(new, found, strict=False):
                p.listed = self._listed(near.tolist(), effort.tolist(), many)
                p.floor, p.seen = floor, len(self.entered)
        elif new:  # the last two: no partner will be left for the group
            for p in new:
                p.listed = _List([], [], np.inf)
        self.planned.clear()
        for u, (near, effort, _) in zip(used_up, found[len(new) :] if used_up else (), strict=True):
            self._list(u, near.tolist(), effort.tolist(), many)
        entered: list[_Planned] = []
        for number, p in enumerate(plan):
            if any(self._comes_before(q.merged, p.key) for q in entered):
                self._put_back(plan[number:])
                return
            if p.merged < 0:
                self._finish(p.u, p.v)
                continue
            assert p.listed is not None
            self.lists[p.merged] = p.listed
            if len(p.floor):
                pool.enter(p.merged, p.floor, p.u)
            pool.alive[p.merged] = True
            pool.leave(p.u)
            pool.leave(p.v)
            self.members[p.merged] = self.members[p.u] + self.members[p.v]
            self.left -= 1
            for other in self.entered[p.seen :]:
                if pool.alive[other]:
                    self._also(p, other)
            entered.append(p)
            self.entered.append(p.merged)
            self._push(p.merged)

    def _comes_before(self, u: int, key: Key) -> bool:
        """Return whether a group that just entered has, or may have, a pair before this key."""
        if not self.pool.alive[u]:
            return False
        mine = self._key(u)
        if mine is None:
            return self.lists[u].beyond <= key[0]
        return mine < key

    def _also(self, p: _Planned, other: int) -> None:
        """Add a group to the list of a planned pair that was searched before the group entered."""
        listed = p.listed
        assert listed is not None
        effort = self.pool.effort(p.merged, other)
        index = self.pool.index(other)
        if (effort, index) > (listed.beyond, listed.beyond_index):
            return  # an unlisted member may come first
        at = 0
        while at < len(listed.near) and (
            (listed.effort[at], self.pool.index(listed.near[at])) < (effort, index)
        ):
            at += 1
        listed.near.insert(at, other)
        listed.effort.insert(at, effort)

    def _put_back(self, plan: list[_Planned]) -> None:
        added = [p for p in plan if p.merged >= 0]
        if added:
            self.pool.forget_from(min(p.merged for p in added))
        alive = self.pool.alive
        self.kept = {pair: p for pair, p in self.kept.items() if alive[pair[0]] and alive[pair[1]]}
        self.kept.update({(p.u, p.v): p for p in added if len(p.floor)})
        # Keys were advanced while the pairs that are now put back counted as removed.
        for u in {*self.touched, *(w for p in plan for w in (p.u, p.v))}:
            if self.pool.alive[u]:
                self._push(u)

    def _merge(self, u: int, v: int) -> FloatArray:
        pool = self.pool
        if pool.index(v) < pool.index(u):
            u, v = v, u
        return merged(pool.cells(u), pool.cells(v), pool.weight(u), pool.weight(v), self.scale)

    def _made(self) -> list[Group]:
        """Return the finished groups with their cells, which are merged only at this point."""
        pool = self.pool
        done: list[Group] = []

        def make(begin: int, end: int) -> None:
            for u, v in self.finished[begin:end]:
                members = sorted(self.members[u] + self.members[v])
                done.append(Group(members, self._merge(u, v), pool.weight(u) + pool.weight(v)))

        fill(self.engine, len(self.finished), 64, make, progress=part(self.progress, 0.95, 1.0))
        for u in self.alone:
            done.append(Group([u], reshape(pool.cells(u)), pool.weight(u)))
        done.sort(key=lambda g: g.members[0])
        for u in np.flatnonzero(pool.alive[: pool.n]).tolist():
            last = Group(sorted(self.members[u]), pool.cells(u), pool.weight(u), left_over=True)
            done.append(last)
        return done


def merged(a: FloatArray, b: FloatArray, na: float, nb: float, scale: Scale) -> FloatArray:
    """Return the merged cells of two fingerprints that stand for ``na`` and ``nb`` users.

    Cells are rows of x, y, t, dx, dy, dt. ``a`` is the fingerprint with the smaller row number.
    """
    if len(b) > len(a):
        a, b, na, nb = b, a, nb, na
    cells: FloatArray = merge_cells(np.ascontiguousarray(a), np.ascontiguousarray(b), na, nb, scale)
    return cells

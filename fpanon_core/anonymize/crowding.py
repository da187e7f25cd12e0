"""Who hides with whom when groups are published aligned.

Groups of k … 2k − 1 people whose aligned blocks lose little in all. No exact answer is known that
could be had in time; what is done:

1. *Candidates.* Of everybody's nearest by stretch effort those are kept with whom alone, as a
   pair, the loss per sample is smallest.
2. *Growth.* From the sparsest person on, who is hardest to hide, each group is grown by the
   candidate that adds the least loss, until it has k people. Whoever finds nobody is tried again
   among all that are left.
3. *Exchanges.* A *step* puts somebody into the group of a candidate, in place of one of its
   members. Steps are priced one by one, first with blocks that begin where blocks begin already,
   the cheapest then exactly; rings of steps, in which everybody put out is put in elsewhere, are
   made where they gain, those that gain most first. A group takes part in one a round; then the
   steps into the groups that changed are priced again.
4. *The tail.* Where a share may be left out, the groups that lose most beyond the mean are
   dissolved before the exchanges. Rings may then begin with somebody who is left out, and end with
   somebody who will be.

Rounds end when no ring gains, or after so many. Everything is decided in a fixed order, whatever
the number of threads. Memory grows with people times candidates.

Source: docs/science.md, “Hiding everyone in step: aligned publishing”.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..engines.local import Engine
from ..engines.progress import Progress, part
from ..kernels.aligned_blocks import Boxes, bench_for, loss_of, pair_losses
from ..kernels.aligned_groups import OUT, Groups, Steps, carry_out, find_rings, grow
from ..kernels.aligned_steps import Cuts, gains_by_leaving, list_pairs, offer, price, sharpen, weigh
from ..measures.kgap import k_gap
from ..model.arrays import FloatArray, IntArray
from ..model.configs import StretchConfig
from ..model.fingerprints import FingerprintSet

Effort = Literal["default", "thorough"]

_BLOCK = 64
_NEAREST_SHARE, _GROWN_SHARE = 0.25, 0.35  # of the progress


@dataclass(frozen=True)
class Search:
    """How hard to look.

    Attributes
    ----------
    nearest : int
        With how many everybody is paired.
    growth, candidates : int
        How many of them, the best, are tried when groups are grown, and in exchanges.
    rounds : int
        Of exchanges, at most.
    steps, exact : int
        How many steps of everybody are kept, the cheapest, and of how many the cost is exact.
    longest_ring, most_steps : int
        Of rings of steps: people in one, and steps tried for one.
    cuts : int
        Where blocks may begin when steps are priced first, in each group.
    slack : float
        Steps are kept whose first price is so many times what it may be.
    once_more : bool
        Whether, when nothing gains any more, everybody's steps are priced anew: some were dear for
        who then was in a group that gained less by being left.
    """

    nearest: int
    growth: int
    candidates: int
    rounds: int
    steps: int
    exact: int
    longest_ring: int
    most_steps: int
    cuts: int
    slack: float
    once_more: bool


def search_of(effort: Effort, k: int) -> Search:
    """How hard to look for groups of k.

    Beyond pairs, whose losses are known from the candidates, a candidate costs about k² times as
    much: in each of k places, a group k times as long.
    """
    if effort == "thorough":
        many = 240 if k == 2 else max(640 // k, k)
        return Search(240, max(16, k), many, 120, 96, 32, 5, 50_000, 256, 1.6, True)
    many = 60 if k == 2 else max(150 // k, k)
    return Search(60, max(12, k), many, 20, 48, 8, 4, 10_000, 128, 1.3, False)


EFFORTS: tuple[Effort, ...] = ("default", "thorough")


def boxes_of(fs: FingerprintSet) -> Boxes:
    """The samples as the kernels take them."""
    return Boxes(
        np.array(fs.offsets),
        np.array(fs.x_m),
        fs.x_m + fs.dx_m,
        np.array(fs.y_m),
        fs.y_m + fs.dy_m,
        np.array(fs.t_min),
        fs.t_min + fs.dt_min,
    )


def by_space_and_time(config: StretchConfig) -> tuple[float, float]:
    """What a metre of side and a minute of span cost."""
    return config.w_space / config.max_space_m, config.w_time / config.max_time_min


def crowded(
    fs: FingerprintSet,
    k: int,
    config: StretchConfig,
    effort: Effort,
    merge: bool,
    room: int,
    engine: Engine,
    progress: Progress | None,
) -> tuple[list[IntArray], IntArray, IntArray]:
    """Groups, as row numbers; the last users; and those whom it costs most to hide.

    The last are of weight less than k, and none if they are merged; those left out because they are
    hard to hide of a weight of at most ``room``.
    """
    return _Crowding(fs, k, config, search_of(effort, k), room, engine).run(merge, progress)


class _Crowding:
    """One search: what its steps share."""

    def __init__(
        self,
        fs: FingerprintSet,
        k: int,
        config: StretchConfig,
        search: Search,
        room: int,
        engine: Engine,
    ) -> None:
        n = fs.n_users
        self.fs, self.k, self.config, self.search, self.engine = fs, k, config, search, engine
        self.boxes = boxes_of(fs)
        self.price = by_space_and_time(config)
        self.weight = fs.weight.astype(np.float64)
        self.widest = 2 * k - 1
        # No group has more samples than the widest of the longest fingerprints.
        self.most = int(np.sort(fs.lengths)[-self.widest - 1 :].sum())
        most_groups = n if (fs.weight > 1).any() else n // k
        self.groups = Groups(
            np.full(n, -1, np.int64),
            np.full((most_groups, self.widest), -1, np.int64),
            np.zeros(most_groups, np.int64),
            np.zeros(most_groups),
            np.zeros(most_groups),
            np.zeros((most_groups, self.widest)),
            np.full(most_groups, -1, np.int64),
        )
        self.made = 0
        self.may_leave_out = room > 0
        self.room = np.array([float(room)])  # for users who are left out
        self.worth = np.zeros(n)  # of publishing each: what that may cost

    def run(
        self, merge: bool, progress: Progress | None
    ) -> tuple[list[IntArray], IntArray, IntArray]:
        near, alike = self.candidates(
            np.arange(self.fs.n_users), self.search.candidates, part(progress, 0.0, _NEAREST_SHARE)
        )
        self.grow(near[:, : self.search.growth], part(progress, _NEAREST_SHARE, _GROWN_SHARE))
        left = np.flatnonzero(self.groups.of < 0)
        if merge:
            self.add(left)
            left = left[:0]
        self._keep(np.arange(self.made))
        if self.room[0]:
            self.leave_out()
        self.better(near, alike, part(progress, _GROWN_SHARE, 1.0))
        members = [
            np.sort(row[:size])
            for row, size in zip(self.groups.members, self.groups.size, strict=True)
        ]
        members.sort(key=lambda rows: int(rows[0]))
        return members, left, np.flatnonzero(self.groups.of == OUT)

    def _keep(self, which: IntArray) -> None:
        """Only these groups remain, numbered anew."""
        groups, number = self.groups, np.full(self.made + 1, -1, np.int64)
        number[which] = np.arange(len(which))
        of = np.where(groups.of < 0, groups.of, number[groups.of])
        self.groups = Groups(
            of,
            groups.members[which],
            groups.size[which],
            groups.weight[which],
            groups.loss[which],
            groups.without[which],
            groups.changed[which],
        )
        self.made = len(which)
        self.cuts = Cuts(np.zeros(self.made, np.int64), np.empty((self.made, self.search.cuts)))

    def leave_out(self) -> None:
        """Leave out the groups that lose most beyond the mean, as many as there is room for."""
        groups, lengths = self.groups, self.fs.lengths
        self._weigh(np.arange(self.made))
        samples = np.bincount(groups.of[groups.of >= 0], lengths[groups.of >= 0], self.made)
        total, held = groups.loss.sum(), samples.sum()
        stays = np.ones(self.made, bool)
        for g in np.argsort(-(groups.loss - total / held * samples), kind="stable"):
            excess = groups.loss[g] * held - total * samples[g]
            if groups.weight[g] > self.room[0] or excess <= 1e-9 * total * samples[g]:
                continue
            stays[g] = False
            total, held = total - groups.loss[g], held - samples[g]
            self.room[0] -= groups.weight[g]
            groups.of[groups.members[g, : groups.size[g]]] = OUT
        self._keep(np.flatnonzero(stays))

    def candidates(
        self, users: IntArray, many: int, progress: Progress | None
    ) -> tuple[IntArray, FloatArray]:
        """Of each of ``users`` the others among them to try, best first, and the loss with each.

        −1 = none.
        """
        near = np.full((self.fs.n_users, many), -1, np.int64)
        alike = np.full(near.shape, np.inf)
        kept = min(many, len(users) - 1)
        if kept < 1:
            return near, alike
        some = self.fs if len(users) == self.fs.n_users else self.fs.subset(users)
        among = min(max(self.search.nearest, kept), len(users) - 1)
        gaps = k_gap(
            some,
            among + 1,
            config=self.config.of_effort,
            engine=self.engine,
            progress=part(progress, 0.0, 0.7),
        )
        others = users[gaps.neighbours]
        loss = np.empty(others.shape)
        most = int(np.sort(self.fs.lengths)[-2:].sum())

        def block(first: int) -> float:
            rows = slice(first, first + _BLOCK)
            pair_losses(self.boxes, users[rows], others[rows], *self.price, most, loss[rows])
            return float(len(users[rows]))

        starts = range(0, len(users), _BLOCK)
        self.engine.run(block, starts, len(users), part(progress, 0.7, 1.0))
        lengths = self.fs.lengths
        each = loss / (lengths[users][:, None] + lengths[others])
        order = np.argsort(each, axis=1, kind="stable")[:, :kept]
        near[users, :kept] = np.take_along_axis(others, order, axis=1)
        alike[users, :kept] = np.take_along_axis(loss, order, axis=1)
        return near, alike

    def grow(self, near: IntArray, progress: Progress | None) -> None:
        """Groups of everybody but the last, of weight less than k."""
        left = np.arange(self.fs.n_users)
        while self.weight[left].sum() >= self.k:
            if progress is not None:
                progress(1.0 - len(left) / self.fs.n_users)
            if len(left) < self.fs.n_users:
                near, _ = self.candidates(left, near.shape[1], None)
            seeds = left[np.argsort(self.fs.lengths[left], kind="stable")]
            for first in range(0, len(seeds), _BLOCK):
                self.made = grow(
                    self.boxes,
                    near,
                    seeds[first : first + _BLOCK],
                    self.weight,
                    float(self.k),
                    *self.price,
                    self.most,
                    self.groups,
                    self.made,
                )
                if progress is not None:
                    progress(1.0 - len(left) / self.fs.n_users * (1 - first / len(seeds)))
            left = np.flatnonzero(self.groups.of < 0)

    def add(self, left: IntArray) -> None:
        """Each of the last users joins the group to which that adds the least loss."""
        groups, bench = self.groups, bench_for(self.most, self.widest)
        for user in left:
            best, into = np.inf, -1
            for g in range(self.made):
                size = groups.size[g]
                if size == self.widest:
                    continue
                members = np.append(groups.members[g, :size], user)
                alone = loss_of(self.boxes, members, size, *self.price, np.inf, bench)
                loss = loss_of(self.boxes, members, size + 1, *self.price, best + alone, bench)
                if loss - alone < best:
                    best, into = loss - alone, g
            groups.members[into, groups.size[into]] = user
            groups.size[into] += 1
            groups.weight[into] += self.weight[user]
            groups.of[user] = into

    def better(self, near: IntArray, alike: FloatArray, progress: Progress | None) -> None:
        """Exchanges, while the loss falls."""
        groups, n, search = self.groups, self.fs.n_users, self.search
        steps = Steps(
            np.zeros(n, np.int64),
            np.zeros((n, search.steps), np.int32),
            np.zeros((n, search.steps), np.int32),
            np.zeros((n, search.steps)),
            np.zeros((n, search.steps), np.bool_),
            np.full(n, -1, np.int64),
        )
        gain = np.zeros(n)
        ring = np.full((n, search.longest_ring), -1, np.int64)
        changed = np.arange(self.made)
        anew = True
        for turn in range(search.rounds):
            told = part(progress, turn / search.rounds, (turn + 1) / search.rounds)
            self._weigh(changed)
            if self.may_leave_out:
                inside = groups.of >= 0
                each = groups.loss.sum() / self.fs.lengths[inside].sum()
                self.worth = self.fs.lengths * each
            self._price(near, alike, -1 if anew else turn - 1, steps, told)

            def found(first: int) -> float:
                users = np.arange(first, min(first + _BLOCK, n))
                find_rings(
                    users,
                    self.weight,
                    float(self.k),
                    search.most_steps,
                    self.worth,
                    self.room,
                    groups,
                    steps,
                    gain,
                    ring,
                )
                return float(len(users))

            self.engine.run(found, range(0, n, _BLOCK), n)
            order = np.argsort(-gain, kind="stable")
            made = carry_out(
                order[gain[order] > 0], self.weight, turn, self.room, groups, steps, gain, ring
            )
            if not made and (anew or not search.once_more):
                return
            anew = not made
            changed = np.flatnonzero(groups.changed == turn)

    def _price(
        self,
        near: IntArray,
        alike: FloatArray,
        since: int,
        steps: Steps,
        progress: Progress | None,
    ) -> None:
        """Set everybody's steps: into groups changed since, and all of those who moved."""
        groups, n = self.groups, self.fs.n_users
        saved = np.empty(n)
        gains_by_leaving(groups, self.worth, saved)
        pairs = list_pairs(near, since, groups, steps)
        pair = np.argsort(pairs.group, kind="stable")
        first = np.searchsorted(pairs.group[pair], np.arange(self.made + 1))

        def priced(begin: int) -> float:
            which = np.arange(begin, min(begin + _BLOCK, self.made))
            price(
                self.boxes,
                near,
                alike,
                which,
                pair,
                first,
                pairs,
                self.weight,
                saved,
                float(self.k),
                *self.price,
                self.most,
                self.search.slack,
                self.cuts,
                groups,
            )
            return float(len(which))

        def offered(begin: int) -> float:
            users = np.arange(begin, min(begin + _BLOCK, n))
            offer(users, pairs, since, self.worth, saved, groups, steps)
            sharpen(self.boxes, users, self.search.exact, *self.price, self.most, groups, steps)
            return float(len(users))

        self.engine.run(priced, range(0, self.made, _BLOCK), max(1, self.made), progress)
        self.engine.run(offered, range(0, n, _BLOCK), n)

    def _weigh(self, which: IntArray) -> None:
        def block(first: int) -> float:
            some = which[first : first + _BLOCK]
            weigh(self.boxes, some, *self.price, self.most, self.groups, self.cuts)
            return 1.0

        self.engine.run(block, range(0, len(which), _BLOCK), max(1, len(which)))


def losses_of(
    fs: FingerprintSet, groups: list[IntArray], config: StretchConfig, engine: Engine
) -> FloatArray:
    """The loss of each group, by the weights of ``config``."""
    boxes, (by_space, by_time) = boxes_of(fs), by_space_and_time(config)
    out = np.empty(len(groups))

    def block(first: int) -> float:
        for g in range(first, min(first + _BLOCK, len(groups))):
            members = groups[g]
            bench = bench_for(int(fs.lengths[members].sum()), len(members))
            out[g] = loss_of(boxes, members, len(members), by_space, by_time, np.inf, bench)
        return 1.0

    engine.run(block, range(0, len(groups), _BLOCK), max(1, len(groups)))
    return out

"""Choice of the groups for aligned publishing.

The search looks for groups of k … 2k − 1 people whose aligned blocks have a small total loss. No
exact method is known that is fast enough. The search has four parts:

1. *Candidates.* The search takes the users nearest to each user by stretch effort. Of these users,
   it keeps those with the smallest loss per sample in a pair with that user.
2. *Growth.* Groups start from the people with the fewest samples, who are hardest to hide. Each
   group grows by the candidate that adds the least loss, until it has k people. If a person has no
   free candidate, new candidates are found among all people who are still without a group.
3. *Exchanges.* A *step* puts a person into the group of a candidate, with or without replacing a
   member. A step is first priced with blocks that begin only where the group's blocks begin now, or
   would begin without one member. The cheapest steps are then priced exactly, except with the quick
   effort, or for k of 20 or more with the default effort. In a ring of steps, everybody who leaves
   a group enters another one. Rings that lower the loss are carried out, the rings with the largest
   gain first. A group takes part in at most one ring per round. Without exact prices, the search
   for rings is repeated among the groups that took part in no ring. Then the steps into the groups
   that changed are priced again.
4. *People left out.* If a share may be left out, some groups are dissolved before the exchanges:
   those whose loss most exceeds the mean loss of as many samples. A ring may then begin with a
   person who is left out, and end with a person who becomes left out.

Rounds end when no ring lowers the loss, or after a maximum number. All decisions are made in a
fixed order, on any number of threads. Memory grows with the number of people times the number of
candidates.

Source: docs/science.md, “Hiding everyone in step: aligned publishing”.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..engines.local import Engine, fill
from ..engines.progress import Progress, part, tell
from ..kernels.aligned_blocks import Boxes, bench_for, loss_of, pair_losses
from ..kernels.aligned_groups import (
    OUT,
    Groups,
    People,
    Rings,
    Steps,
    bound_rings,
    carry_out,
    find_rings,
    grow,
    no_steps,
)
from ..kernels.aligned_steps import Cuts, gains_by_leaving, list_pairs, offer, price, sharpen, weigh
from ..measures.kgap import k_gap
from ..model.arrays import FloatArray, IntArray
from ..model.configs import StretchConfig
from ..model.fingerprints import FingerprintSet
from ..model.options import Effort
from .hiding import CANDIDATES, Settings

_BLOCK = 64
_LARGE = 20  # smallest k without exact costs; see tests/benchmarks/RESULTS.md
_NEAREST_SHARE, _GROWN_SHARE = 0.25, 0.35  # of the progress


@dataclass(frozen=True)
class Search:
    """Parameters of a search for groups.

    Attributes
    ----------
    nearest : int
        Number of other users that each user is paired with.
    growth, candidates : int
        Numbers of each user's best candidates that are tried when groups are grown, and in
        exchanges.
    rounds : int
        Maximum number of rounds of exchanges.
    steps, exact : int
        Number of cheapest steps kept for each user, and number of these steps that are priced
        exactly. With 0 exact prices, each round repeats the search until no ring gains.
    longest_ring, most_steps : int
        Maximum number of people in a ring, and of steps tried to find one.
    cuts : int
        Maximum number of starts of blocks in each group when steps are first priced.
    slack : float
        Steps are kept if their first price is below this multiple of what the user's own group
        gains from losing that user.
    once_more : bool
        Whether all steps are priced again once no ring lowers the loss any more. A step may have
        been dropped as too costly while its user's own group gained less from losing that user.
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
    """Return the parameters of the search for groups of k.

    Losses of pairs are known from the search for candidates. In larger groups, trying a candidate
    takes about k² times as long: it is tried in each of k places, in a group with about k times as
    many samples. Therefore fewer candidates are tried in exchanges. With the default effort and k
    of 20 or more, no price is exact, because more rings are a better use of the time.
    """
    if effort == "thorough":
        many = 240 if k == 2 else max(640 // k, k)
        return Search(240, max(16, k), many, 120, 96, 32, 5, 50_000, 256, 1.6, True)
    if effort == "quick":
        return Search(60, 8, 8, 8, 24, 0, 4, 3_000, 64, 1.1, False)
    many = 60 if k == 2 else max(150 // k, k)
    exact, most_steps = (8, 10_000) if k < _LARGE else (0, 3_000)
    return Search(60, max(12, k), many, 20, 48, exact, 4, most_steps, 128, 1.3, False)


def boxes_of(fs: FingerprintSet, config: StretchConfig) -> Boxes:
    """Return the bounds of the samples, and the costs of a cell per metre and per minute."""
    return Boxes(
        np.array(fs.offsets),
        np.array(fs.x_m),
        fs.x_m + fs.dx_m,
        np.array(fs.y_m),
        fs.y_m + fs.dy_m,
        np.array(fs.t_min),
        fs.t_min + fs.dt_min,
        int(fs.lengths.max()),
        config.w_space / config.max_space_m,
        config.w_time / config.max_time_min,
    )


class Crowding:
    """State of one search for groups."""

    def __init__(self, fs: FingerprintSet, settings: Settings, engine: Engine) -> None:
        n, k, room = fs.n_users, settings.k, settings.room(fs)
        self.fs, self.k, self.config, self.engine = fs, k, settings.config, engine
        self.search = search_of(settings.effort, k)
        self.boxes = boxes_of(fs, self.config)
        weight, may = fs.weight.astype(np.float64), np.array([float(room)])
        self.people = People(float(k), weight, np.zeros(n), np.empty(n), may)
        self.widest = 2 * k - 1
        most = n if (fs.weight > 1).any() else n // k
        self.groups = Groups(
            np.full(n, -1, np.int64),
            np.full((most, self.widest), -1, np.int64),
            np.zeros(most, np.int64),
            np.zeros(most),
            np.zeros(most),
            np.zeros((most, self.widest)),
            np.full(most, -1, np.int64),
        )
        self.made = 0
        self.may_leave_out, self.merge = room > 0, settings.leftover == "merge"

    def run(self, progress: Progress) -> tuple[list[IntArray], IntArray, IntArray]:
        """Return the groups (row numbers), the last users, and the users left out as hard to hide.

        The last users have a total weight below k; none are returned if they are merged.
        """
        near, alike = self.candidates(
            np.arange(self.fs.n_users), self.search.candidates, part(progress, 0.0, _NEAREST_SHARE)
        )
        self.grow(near[:, : self.search.growth], part(progress, _NEAREST_SHARE, _GROWN_SHARE))
        left = np.flatnonzero(self.groups.of < 0)
        if self.merge:
            self.add(left)
            left = left[:0]
        self._keep(np.arange(self.made))
        if self.people.room[0]:
            self.leave_out()
        self.better(near, alike, part(progress, _GROWN_SHARE, 1.0))
        rows = zip(self.groups.members, self.groups.size, strict=True)
        members = [np.sort(row[:size]) for row, size in rows]
        members.sort(key=lambda rows: int(rows[0]))
        return members, left, np.flatnonzero(self.groups.of == OUT)

    def _keep(self, which: IntArray) -> None:
        """Keep only the groups ``which``, and renumber them."""
        groups, number = self.groups, np.full(self.made + 1, -1, np.int64)
        number[which] = np.arange(len(which))
        of = np.where(groups.of < 0, groups.of, number[groups.of])
        kept: list[Any] = [values[which] for values in groups[1:]]
        self.groups = Groups(of, *kept)
        self.made = len(which)
        self.cuts = Cuts(np.zeros(self.made, np.int64), np.empty((self.made, self.search.cuts)))

    def leave_out(self) -> None:
        """Leave out the groups with the largest excess loss, as far as the allowance permits.

        A group's excess is its loss beyond the average loss of the same number of samples.
        """
        groups, lengths = self.groups, self.fs.lengths
        self._weigh(np.arange(self.made))
        samples = np.bincount(groups.of[groups.of >= 0], lengths[groups.of >= 0], self.made)
        total, held = groups.loss.sum(), samples.sum()
        stays = np.ones(self.made, bool)
        for g in np.argsort(-(groups.loss - total / held * samples), kind="stable"):
            excess = groups.loss[g] * held - total * samples[g]
            if groups.weight[g] > self.people.room[0] or excess <= 1e-9 * total * samples[g]:
                continue
            stays[g] = False
            total, held = total - groups.loss[g], held - samples[g]
            self.people.room[0] -= groups.weight[g]
            groups.of[groups.members[g, : groups.size[g]]] = OUT
        self._keep(np.flatnonzero(stays))

    def candidates(
        self, users: IntArray, many: int, progress: Progress
    ) -> tuple[IntArray, FloatArray]:
        """Return each user's candidates among ``users``, best first, and the loss of each pair.

        A missing candidate is −1.
        """
        near = np.full((self.fs.n_users, many), -1, np.int64)
        alike = np.full(near.shape, np.inf)
        kept = min(many, len(users) - 1)
        if kept < 1:
            return near, alike
        among = min(max(self.search.nearest, kept), len(users) - 1)
        found = partial(self._best_of, users, among, progress)
        key, whole = (self.fs.digest, self.config, among), len(users) == self.fs.n_users
        others, loss = CANDIDATES.made(key, found) if whole else found()
        near[users, :kept], alike[users, :kept] = others[:, :kept], loss[:, :kept]
        return near, alike

    def _best_of(
        self, users: IntArray, among: int, progress: Progress
    ) -> tuple[IntArray, FloatArray]:
        """Return each user's ``among`` nearest other ``users``, best first, and each pair's loss.

        The best users have the smallest loss per sample.
        """
        some = self.fs if len(users) == self.fs.n_users else self.fs.subset(users)
        config, told = self.config.of_effort, part(progress, 0.0, 0.7)
        gaps = k_gap(some, among + 1, config=config, engine=self.engine, progress=told)
        others = users[gaps.neighbours]
        given = self.boxes, users, others, (loss := np.empty(others.shape))
        told = part(progress, 0.7, 1.0)
        fill(self.engine, len(users), _BLOCK, pair_losses, *given, progress=told)
        lengths = self.fs.lengths
        each = loss / (lengths[users][:, None] + lengths[others])
        order = np.argsort(each, axis=1, kind="stable")
        return np.take_along_axis(others, order, axis=1), np.take_along_axis(loss, order, axis=1)

    def grow(self, near: IntArray, progress: Progress) -> None:
        """Put everybody into groups except the last users, whose total weight is below k."""
        left, many = np.arange(self.fs.n_users), max(near.shape[1], self.k)
        while self.people.weight[left].sum() >= self.k:
            tell(progress, 1.0 - len(left) / self.fs.n_users)
            seeds = left[np.argsort(self.fs.lengths[left], kind="stable")]
            for first in range(0, len(seeds), _BLOCK):
                some = seeds[first : first + _BLOCK]
                self.made = grow(self.boxes, near, some, self.people, self.groups, self.made)
                tell(progress, 1.0 - len(left) / self.fs.n_users * (1 - first / len(seeds)))
            left = np.flatnonzero(self.groups.of < 0)
            # With k candidates, the first seed always gets a group, so the loop ends.
            near, _ = self.candidates(left, many, None)

    def add(self, left: IntArray) -> None:
        """Add each of the last users to the group whose loss rises least."""
        groups, bench = self.groups, bench_for(self.boxes, self.widest)
        for user in left:
            best, into = np.inf, -1
            for g in range(self.made):
                size = groups.size[g]
                if size == self.widest:
                    continue
                members = np.append(groups.members[g, :size], user)
                alone = loss_of(self.boxes, members, size, np.inf, bench)
                loss = loss_of(self.boxes, members, size + 1, best + alone, bench)
                if loss - alone < best:
                    best, into = loss - alone, g
            groups.members[into, groups.size[into]] = user
            groups.size[into] += 1
            groups.weight[into] += self.people.weight[user]
            groups.of[user] = into

    def better(self, near: IntArray, alike: FloatArray, progress: Progress) -> None:
        """Exchange users while the loss falls."""
        groups, n, search = self.groups, self.fs.n_users, self.search
        steps = no_steps(n, search.steps)
        longest = np.full((n, search.longest_ring), -1, np.int64)
        rings = Rings(np.zeros(n), longest, np.empty(n + 1), np.empty(1))
        changed = np.arange(self.made)
        anew = True
        for turn in range(search.rounds):
            told = part(progress, turn / search.rounds, (turn + 1) / search.rounds)
            self._weigh(changed)
            if self.may_leave_out:
                inside = groups.of >= 0
                each = groups.loss.sum() / self.fs.lengths[inside].sum()
                self.people.worth[:] = self.fs.lengths * each
            self._price(near, alike, -1 if anew else turn - 1, steps, told)
            made = self._exchange(turn, steps, rings)
            if not made and (anew or not search.once_more):
                return
            anew = not made
            changed = np.flatnonzero(groups.changed == turn)

    def _exchange(self, turn: int, steps: Steps, rings: Rings) -> int:
        """Carry out the rings that lower the loss; return their number."""
        made, state = 0, (self.people, self.groups, steps, rings)
        bound_rings(steps, rings)
        n, most = self.fs.n_users, self.search.most_steps
        while True:
            fill(self.engine, n, _BLOCK, find_rings, turn, most, *state)
            order = np.argsort(-rings.gain, kind="stable")
            order = order[rings.gain[order] > 0]
            more = carry_out(order, turn, *state)
            made += more
            if self.search.exact or not more:
                return made

    def _price(
        self, near: IntArray, alike: FloatArray, since: int, steps: Steps, progress: Progress
    ) -> None:
        """Price steps into groups changed since a given round, and all steps of users who moved."""
        engine, boxes, groups, n = self.engine, self.boxes, self.groups, self.fs.n_users
        gains_by_leaving(self.people, groups)
        pairs = list_pairs(near, since, groups, steps)
        given = boxes, near, alike, pairs, self.search.slack, self.people, self.cuts, groups
        fill(engine, self.made, _BLOCK, price, *given, progress=progress)
        fill(engine, n, _BLOCK, offer, pairs, since, self.people, groups, steps)
        fill(engine, n, _BLOCK, sharpen, boxes, self.search.exact, groups, steps)

    def _weigh(self, which: IntArray) -> None:
        fill(self.engine, len(which), _BLOCK, weigh, self.boxes, which, self.groups, self.cuts)

"""Attacks on synthetic people: membership inference and home inference.

*Membership*: the attacker knows a person's whole trajectory and half of the data. The attacker sees
synthetic people made from the other half, with or without the person. Three scores use the
synthetic people: correlation and likelihood ratio of places by hour, and the similarity of the
nearest record. A fourth score uses the noisy statistics behind the synthetic people, weighted by
their noise.

*Home*: the same attack as on tables of presence, with the homes of the model. These are the homes
that very many synthetic people would show.

Source: docs/science.md, “An attacker who knows the truth”.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from ..aggregates import attack as tables
from ..aggregates.contributions import table_frame
from ..aggregates.smoothing import seeded
from ..attacks.aggregation import cells_of, minutes_after, place_of
from ..engines.local import fill
from ..engines.work import Work, working
from ..kernels.table_sums import UNIT
from ..model.arrays import FloatArray, IntArray
from ..model.checks import whole
from ..model.count_tables import TableFrame
from ..model.fingerprints import FingerprintSet
from ..model.options import Synthesize
from ..model.synthetic_people import NoisyStatistics
from .fitted import homes_by_place
from .generation import Lives, lives_of
from .statistics import HOURS, Ground, coarsened, exact_statistics, noisy_statistics

ATTACKERS = ("statistics", "correlation", "likelihood_ratio", "nearest_record")
"""Names of the attackers, in the order of their scores."""

_MOST_PEOPLE = 2_000  # beyond this, a sample is drawn: fewer people are easier to detect


def attack_synthetic(
    fs: FingerprintSet,
    option: Synthesize,
    *,
    targets: int = 200,
    seed: int = 0,
    people_too: bool = True,
    **work: Unpack[Work],
) -> tables.TablesAttacked:
    """Attack synthetic people made from half of the data: membership and homes.

    If the data have more than 2,000 people, 2,000 of them, drawn at random, take the data's place.

    Parameters
    ----------
    fs : FingerprintSet
    option : Synthesize
    targets : int
        Number of people to attack, at most everybody in the half used; one in ten is among the
        people with the most samples.
    seed : int
        Seed of the halves, the targets, the noise and the synthetic people: for a study, never for
        a publication.
    people_too : bool
        Whether to generate people, twice for each target, for the attackers who see no statistics.
    engine : LocalEngine, optional
        All local cores if None; the result is the same on every engine.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    TablesAttacked

    Raises
    ------
    ConfigError
        ``targets`` or ``seed`` is out of its range, or the data lack what the frame needs.
    InfeasibleError
        There are fewer than 20 people.
    """
    rng = np.random.default_rng(whole("seed", seed, 0))
    if fs.n_users > _MOST_PEOPLE:
        fs = fs.subset(np.sort(rng.permutation(fs.n_users)[:_MOST_PEOPLE]))
    option = replace(option, people=None)  # the attacker reads shares, whatever the scale
    ground = Ground.of(table_frame(fs, option.frame))
    half, others, asked = tables.drawn_halves(fs, targets, rng)
    every = exact_statistics(fs.subset(half), ground)
    seen = _Records.of(fs, ground)
    reference = seen.by_hour(others)
    known = exact_statistics(fs.subset(others), ground)
    known = {name: cells * len(half) // len(others) for name, cells in known.items()}
    homes = tables.HomeAttack(fs, ground.frame, asked, rng)
    scores = np.zeros((len(asked), 2, 4 if people_too else 1))
    found = np.zeros((len(asked), 2, len(tables.WITHIN_M)))

    def attacked(row: int, _: int) -> None:
        user = int(asked[row])
        own = exact_statistics(fs.subset([user]), ground)
        mine = seen.by_hour(np.array([user]))
        for world, less in enumerate((0, 1)):  # with and without the person, with equal noise
            left = {name: cells - less * own[name] for name, cells in every.items()}
            noisy = noisy_statistics(left, ground, option.epsilon, seeded(seed, user))
            scores[row, world, 0] = _ratio(noisy, own, known)
            found[row, world] = homes.found(user, homes_by_place(noisy, ground))
            if people_too:
                made = _Records.made(lives_of(noisy, ground, option, seed=user), ground)
                scores[row, world, 1:3] = tables.membership_scores(
                    mine, made.by_hour(), reference, 0.0
                )
                scores[row, world, 3] = made.likeness(*seen.places(user)).max()

    do = working(**work)
    fill(do["engine"], len(asked), 1, attacked, progress=do["progress"])
    return tables.TablesAttacked(
        tables.membership_of(scores, option.epsilon, ATTACKERS[: scores.shape[2]]),
        tables.homes_found(found, homes, asked, option.epsilon),
    )


def _ratio(
    noisy: NoisyStatistics, own: Mapping[str, IntArray], known: Mapping[str, IntArray]
) -> float:
    """Return the log-likelihood ratio for a person's presence in the statistics.

    The ratio takes the noise and chance into account.
    """
    total, classes = 0.0, len(noisy.tables["rings"])
    mine, others = (coarsened(each, noisy.leaf, classes) for each in (own, known))
    for name, table in noisy.tables.items():
        cells = np.flatnonzero(mine[name])
        adds, expected = (each[name].ravel()[cells] / UNIT for each in (mine, others))
        off = table.ravel()[cells] - expected
        spread = noisy.variance(name) + 2 * expected
        total += float((adds * (2 * off - adds) / (2 * spread)).sum())
    return total


@dataclass(frozen=True, eq=False)
class _Records:
    """Places and hours of people's events in the frame."""

    ground: Ground
    offsets: IntArray
    place: IntArray
    hour: IntArray
    events: FloatArray

    @classmethod
    def of(cls, fs: FingerprintSet, ground: Ground) -> _Records:
        place, wall_min = located(fs, ground.frame)
        hour = (wall_min % 1440 // 60).astype(np.int64)
        return cls(ground, fs.offsets, place, hour, fs.count.astype(np.float64))

    @classmethod
    def made(cls, lives: Lives, ground: Ground) -> _Records:
        hour = (lives.wall_min % 1440 // 60).astype(np.int64)
        place = lives.place.astype(np.int64)
        return cls(ground, lives.offsets, place, hour, np.ones(len(place)))

    def rows(self, users: IntArray) -> IntArray:
        ends = zip(self.offsets[users], self.offsets[users + 1], strict=True)
        return np.concatenate([np.arange(begin, end) for begin, end in ends])

    def by_hour(self, users: IntArray | None = None) -> FloatArray:
        """Return the number of events by zone and hour, as a flat array."""
        rows = np.arange(len(self.place)) if users is None else self.rows(users)
        rows = rows[self.place[rows] >= 0]
        cell = self.ground.zone[self.place[rows]].astype(np.int64) * HOURS + self.hour[rows]
        return _sums(cell, self.events[rows], self.ground.n_zones * HOURS)

    def places(self, user: int) -> tuple[IntArray, FloatArray]:
        """Return the places of a person and the number of events at each."""
        rows = self.rows(np.array([user]))
        rows = rows[self.place[rows] >= 0]
        place, which = np.unique(self.place[rows], return_inverse=True)
        return place, _sums(which, self.events[rows], len(place))

    def likeness(self, place: IntArray, events: FloatArray) -> FloatArray:
        """Return the cosine similarity between each record's events by place and one person's."""
        weight = np.zeros(len(self.ground.zone))
        weight[place] = events / max(float(np.linalg.norm(events)), 1e-12)
        user = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        dot = np.bincount(user, weight[self.place], len(self.offsets) - 1)
        key = user * len(self.ground.zone) + self.place
        cells, many = np.unique(key, return_counts=True)
        squares = np.bincount(cells // len(self.ground.zone), many**2.0, len(self.offsets) - 1)
        return dot / np.sqrt(squares)


def located(fs: FingerprintSet, frame: TableFrame) -> tuple[IntArray, FloatArray]:
    """Return each sample's place in the frame (−1 outside its places or days) and local minute."""
    (cell, corners), counts = cells_of(fs), frame.counts
    t_min = fs.t_min + minutes_after(fs, counts)
    wall_min = t_min if counts.clock is None else counts.clock.wall_minutes(t_min)
    inside = (wall_min >= 0) & (wall_min < 1440 * counts.days)
    return np.where(inside, place_of(corners, counts, fs.crs)[cell], -1), wall_min


def _sums(cell: IntArray, amounts: FloatArray, size: int) -> FloatArray:
    return np.asarray(np.bincount(cell, amounts, size).astype(np.float64))

"""Attacks on tables: membership inference and home inference.

*Membership* (Homer et al. 2008; for location aggregates Pyrgelis et al. 2018): the attacker knows a
person's whole trajectory, and half of the data as a sample of similar people. The attacker sees
tables of the other half, with or without the person. There are two scores. One is the correlation
of the person's contribution with the published excess over the sample's table; the other is the
likelihood ratio. (A third score, the nearest record, applies to synthetic people only.)

*Home*: the attacker knows up to four points of the person, and guesses places that are near these
points and have many people at night. The baseline is the success of the same attacker on tables
without the person.

Source: docs/science.md, “An attacker who knows the truth”.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
import pandas as pd

from ..attacks.homes import true_homes
from ..engines.local import Engine, LocalEngine, fill
from ..engines.work import Work, working
from ..model.arrays import FloatArray, IntArray
from ..model.checks import whole
from ..model.count_tables import PresenceTable, TableFrame
from ..model.errors import InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.linkage import MembershipResult
from ..model.options import Tables
from .contributions import Contribution, each_summed, table_frame
from .smoothing import drawn_once, seeded
from .tables import TABLES, Counting, Exact, exact_sums
from .usefulness import places_of

WITHIN_M = (500.0, 1_000.0, 2_000.0)
_REACHES_M = (1_000.0, 3_000.0, 10_000.0)
LEAST_PEOPLE = 20
"""Smallest number of people whose data can be attacked; half of them are in the publication."""
_OUTLIERS = 10  # one target in this many is among the most recorded people
_POINTS = 4
_CELLS_AT_ONCE = 20_000_000  # in all workers together
_NIGHT_BEGINS_H, _NIGHT_ENDS_H = 22, 6


@dataclass(frozen=True, eq=False)
class TablesAttacked:
    """Results of membership and home inference on tables.

    Attributes
    ----------
    membership : MembershipResult
    homes : DataFrame
        ``within_m``, the distance in metres that counts as found; ``found``, the share of targets
        whose home is found; ``guessing``, the share that the same attacker finds from tables
        without the target; ``low`` and ``high``, which are ``guessing`` plus the ends of the 95%
        interval of ``found`` − ``guessing``; ``bound``, e^ε times ``guessing``, at most 1;
        ``asked``, the number of targets. Empty if the tables have no presence, or no target has a
        night on record.
    """

    membership: MembershipResult
    homes: pd.DataFrame


def attack_tables(
    fs: FingerprintSet, option: Tables, *, targets: int = 200, seed: int = 0, **work: Unpack[Work]
) -> TablesAttacked:
    """Infer membership and homes from the tables of one half of the people.

    Parameters
    ----------
    fs : FingerprintSet
    option : Tables
    targets : int
        Number of people to attack in the half whose tables are made; all of them if the half is
        smaller. One target in ten is among the people with the most samples.
    seed : int
        Seed of the halves, the targets and the noise: for a study, never for a publication.
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
        ``targets`` is not an integer of 1 or more, the seed is not an integer of 0 or more, or the
        frame does not fit the data.
    InfeasibleError
        There are fewer than 20 people, or too many cells.
    """
    rng = np.random.default_rng(whole("seed", seed, 0))
    where = table_frame(fs, option.frame)
    half, others, asked = drawn_halves(fs, targets, rng)
    each = replace(option, epsilon=option.epsilon_each)
    tables = [row for row in TABLES if row[0] in option.CONTENTS]
    own = {
        name: each_summed(*counting(where, each), fs.subset(asked), where)
        for name, counting, _ in tables
    }
    rest, engine = np.setdiff1d(half, asked), working(**work)["engine"]
    sums, mean = {}, {}
    for name, counting, _ in tables:
        before = _summed_of(rest, fs, counting, where, each, engine)
        sums[name] = _joined(before, own[name], 1.0)
        mean[name] = _summed_of(others, fs, counting, where, each, engine).cells
    # Variance of the noise on a cell; the unit is one person's contribution.
    variance = 0.0 if each.epsilon is None else 2.0 / each.epsilon**2
    homes = HomeAttack(fs, where, asked, rng) if "presence" in option.CONTENTS else None
    scores, found = np.zeros((len(asked), 2, 2)), np.zeros((len(asked), 2, len(WITHIN_M)))

    def attacked(row: int, _end: int) -> None:
        user = int(asked[row])
        noises = drawn_once(seeded(seed, user))
        for world, less in enumerate((0.0, 1.0)):  # with and without the person, with equal noise
            noise = next(noises)
            for name, _, protect in tables:
                mine = own[name][row]
                left = _joined(sums[name], [mine], -less)
                table = protect(left, where, each, noise)
                published = _raveled(table)
                scores[row, world] += _scores(*mine[:2], published, mean[name], variance)
                if homes is not None and isinstance(table, PresenceTable):
                    found[row, world] = homes.found(user, _at_night(table))

    cells = sum(counting(where, each)[1] for _, counting, _ in tables)
    fill(engine_for(cells, engine), len(asked), 1, attacked, progress=work.get("progress"))
    return TablesAttacked(
        membership_of(scores, option.epsilon), homes_found(found, homes, asked, option.epsilon)
    )


def engine_for(cells: int, engine: Engine | None) -> LocalEngine:
    """Return an engine whose workers can each hold tables of ``cells`` cells in memory at once."""
    workers = (engine or LocalEngine()).workers
    return LocalEngine(min(workers, max(1, _CELLS_AT_ONCE // cells)))


def _summed_of(
    people: IntArray,
    fs: FingerprintSet,
    counting: Counting,
    where: TableFrame,
    option: Tables,
    engine: Engine,
) -> Exact:
    """Return the summed contributions of the people with these row numbers; zeros for no people."""
    if not len(people):
        return Exact(np.zeros(counting(where, option)[1]))
    return exact_sums(counting, fs.subset(people), where, option, engine=engine)


def _joined(sums: Exact, people: Iterable[Contribution], times: float) -> Exact:
    """Return the sums plus the contributions of some people, multiplied by ``times``.

    A target's contribution is counted once, then added here, and later subtracted. Counting it
    again could draw other trips, if the person has more trips than are counted.
    """
    cells, total = sums.cells.copy(), sums.total
    for some, amounts, more in people:
        cells[some] += times * amounts
        total += times * more
    return Exact(cells, total)


def drawn_halves(
    fs: FingerprintSet, targets: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray, IntArray]:
    """Draw half of the people, then targets from this half; return both halves and the targets.

    All three are row numbers; the half with the targets comes first. One target in ten is among the
    people with the most samples. Fewer than 20 people are refused.
    """
    if fs.n_users < LEAST_PEOPLE:
        raise InfeasibleError(
            f"An attack needs at least {LEAST_PEOPLE} people; the data have {fs.n_users}."
        )
    drawn = rng.permutation(fs.n_users)
    half, others = np.sort(drawn[: fs.n_users // 2]), np.sort(drawn[fs.n_users // 2 :])
    many = min(whole("targets", targets, 1), len(half))
    heavy = half[np.argsort(-fs.lengths[half], kind="stable")[: many // _OUTLIERS]]
    rest = np.setdiff1d(half, heavy)
    asked = np.concatenate([heavy, rng.choice(rest, many - len(heavy), replace=False)])
    return half, others, asked


def _raveled(table: object) -> FloatArray:
    values = table.values  # type: ignore[attr-defined]
    if isinstance(values, np.ndarray):
        return np.nan_to_num(values).ravel()
    dense: FloatArray = np.zeros(math.prod(values.shape))
    dense[np.ravel_multi_index(values.coords, values.shape)] = values.data
    return dense


def membership_scores(
    own: FloatArray, published: FloatArray, others: FloatArray, variance: float
) -> FloatArray:
    """Return the correlation and the logarithm of the likelihood ratio for one person.

    The published table is first scaled to the sum of the sample's table.

    Parameters
    ----------
    own, published, others : float64 ndarray (n_cells,)
        The person's contribution; the published table; the table of the attacker's sample.
    variance : float
        Variance of the noise on a cell, as a multiple of the square of the person's largest cell.

    Returns
    -------
    float64 ndarray (2,)
        Zeros if the person contributes nothing, or if one of the two tables is empty.
    """
    cells = np.flatnonzero(own)
    return _scores(cells, own[cells], published, others, variance)


def _scores(
    cells: IntArray, mine: FloatArray, published: FloatArray, others: FloatArray, variance: float
) -> FloatArray:
    """Return :func:`membership_scores` of a person who contributes ``mine`` to ``cells``."""
    if not len(cells) or published.sum() <= 0 or others.sum() <= 0:
        return np.zeros(2)
    mass = float(others.sum())
    seen, expected = published[cells] * (mass / published.sum()), others[cells]
    off = seen - expected
    size = float(np.linalg.norm(mine)) * (float(np.linalg.norm(off)) or 1.0)
    unit = mass / max(float(np.count_nonzero(others)), 1.0)
    spread = expected * mine.max() + mine.max() ** 2 * (variance + 1e-3) + 1e-9 * unit
    ratio = float((mine * (2 * off - mine) / (2 * spread)).sum())
    return np.array([float(mine @ off) / size, ratio])


# --- membership ----------------------------------------------------------------------------------


OF_TABLES = ("correlation", "likelihood_ratio")
"""Names of the attackers on tables, in the order of their scores."""


def membership_of(
    scores: FloatArray, epsilon: float | None, attackers: Sequence[str] = OF_TABLES
) -> MembershipResult:
    """Return the result of the strongest attacker.

    Decision thresholds are learnt on one half of the targets and evaluated on the other.

    Parameters
    ----------
    scores : float64 ndarray (n_targets, 2, n_attackers)
        Scores with the target in the data, and without.
    epsilon : float or None
        ε of the data attacked; None without noise.
    attackers : sequence of str
        Names of the attackers.
    """
    rows = []
    for at, name in enumerate(attackers):
        hits = np.zeros((len(scores), 2))
        for fold in (0, 1):
            learn = np.arange(len(scores)) % 2 == fold
            threshold = _best_threshold(scores[learn, 0, at], scores[learn, 1, at])
            hits[~learn] = scores[~learn, :, at] > threshold
        true, false = hits.mean(axis=0)
        rows.append((name, *_difference(hits), true, false))
    columns = ["attacker", "advantage", "low", "high", "true_positives", "false_positives"]
    table = pd.DataFrame(rows, columns=columns)
    best, advantage, low, high, _, _ = rows[int(np.argmax(table["high"]))]
    bound = 1.0 if epsilon is None else math.tanh(epsilon / 2)
    return MembershipResult(advantage, low, high, bound, best, len(scores), table)


def _difference(hits: FloatArray) -> tuple[float, float, float]:
    """Return the mean difference between the two columns of hits, and its 95% interval.

    The columns are for data with and without the target.
    """
    off = hits[:, 0] - hits[:, 1]
    mean = float(off.mean())
    half = max(1.96 * float(off.std()) / math.sqrt(len(off)), 3 / len(off))  # the rule of three
    return mean, max(-1.0, mean - half), min(1.0, mean + half)


def _best_threshold(inside: FloatArray, outside: FloatArray) -> float:
    """Return the threshold that maximizes the shares of ``inside`` minus ``outside`` above it."""
    every = np.unique(np.concatenate([inside, outside]))
    advantage = (inside[:, None] > every).mean(axis=0) - (outside[:, None] > every).mean(axis=0)
    return float(every[int(np.argmax(advantage))])


# --- homes ---------------------------------------------------------------------------------------


class HomeAttack:
    """Attacker who guesses a person's home from a publication and up to four known points."""

    def __init__(
        self, fs: FingerprintSet, where: TableFrame, asked: IntArray, rng: np.random.Generator
    ) -> None:
        self.homes = true_homes(fs)
        places = places_of(where, fs.crs)
        self._x, self._y = places.x_m + places.dx_m / 2, places.y_m + places.dy_m / 2
        self._known: dict[int, tuple[FloatArray, FloatArray]] = {}
        for user in asked[np.isfinite(self.homes.x_m[asked])].tolist():
            rows = np.arange(fs.offsets[user], fs.offsets[user + 1])
            some = rng.choice(rows, min(_POINTS, len(rows)), False)
            self._known[user] = (
                fs.x_m[some] + fs.dx_m[some] / 2,
                fs.y_m[some] + fs.dy_m[some] / 2,
            )

    def found(self, user: int, at_night: FloatArray) -> FloatArray:
        """Return whether the best guess is within each distance of the home; NaN for unknown homes.

        Parameters
        ----------
        user : int
            Row number, in the data, of a person who is among ``asked``.
        at_night : float64 ndarray (n_places,)
            People at each place at night, as estimated from the publication.

        Returns
        -------
        float64 ndarray (3,)
            1 or 0 for each distance in :data:`WITHIN_M`.
        """
        home = self.homes.x_m[user], self.homes.y_m[user]
        if not math.isfinite(home[0]):
            return np.full(len(WITHIN_M), np.nan)
        x, y = self._known[user]
        apart = np.hypot(self._x[:, None] - x, self._y[:, None] - y).min(axis=1)
        weight = at_night + 1e-12
        off = [
            math.hypot(self._x[at] - home[0], self._y[at] - home[1])
            for at in (int(np.argmax(weight * np.exp(-apart / reach))) for reach in _REACHES_M)
        ]
        hits: FloatArray = np.array([[each <= r for r in WITHIN_M] for each in off], float)
        best: FloatArray = hits.max(axis=0)
        return best


def _at_night(table: PresenceTable) -> FloatArray:
    """Return the number of people at each place, summed over the night's bands and types of day."""
    bands, where = table.values.shape[2], table.frame
    hour = np.arange(bands) * 24 / bands
    night = (hour >= _NIGHT_BEGINS_H) | (hour < _NIGHT_ENDS_H)
    people = np.nansum(table.values[:, :, night], axis=(1, 2))
    shared: FloatArray = people[where.area] * where.share
    return shared


def homes_found(
    found: FloatArray, homes: HomeAttack | None, asked: IntArray, epsilon: float | None
) -> pd.DataFrame:
    """Return the shares of homes found with and without the targets' data.

    ``found`` (n_targets, 2, 3) is 1 where a home is found, and 0 otherwise. The second axis is for
    data with the target, then without; the third is for the distances of :data:`WITHIN_M`.
    ``asked`` has the targets' row numbers. The result has the columns of
    :attr:`TablesAttacked.homes`.
    """
    columns = ["within_m", "found", "guessing", "low", "high", "bound", "asked"]
    known = np.zeros(len(asked), bool) if homes is None else np.isfinite(homes.homes.x_m[asked])
    rows: list[tuple[float, ...]] = []
    if not known.any():
        return pd.DataFrame(rows, columns=columns)
    for at, within in enumerate(WITHIN_M):
        share, guess = found[known, :, at].mean(axis=0).tolist()
        _, low, high = _difference(found[known, :, at])
        bound = 1.0 if epsilon is None else min(1.0, math.exp(epsilon) * guess)
        ends = max(0.0, guess + low), min(1.0, guess + high)
        rows.append((within, share, guess, *ends, bound, int(known.sum())))
    return pd.DataFrame(rows, columns=columns)

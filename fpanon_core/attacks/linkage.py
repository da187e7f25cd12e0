"""Whose record do known points lead to? Two attackers score every published record.

The threat: an attacker knows where a person was, and when, has the release and its description,
and looks for the record that the stated method is likeliest to have made of such a person. The best
sample takes, for each point, the record's likeliest sample; Bayes takes the mean over its samples,
so that of two records that fit the shorter one leads.

Source: docs/science.md, “An outsider who knows the truth”.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..engines.local import Engine, stretches
from ..engines.progress import Progress
from ..kernels.linkage_places import best_samples
from ..kernels.linkage_scores import leading_records, rank_targets
from ..model.arrays import BoolArray, FloatArray, IntArray, SmallInts
from ..model.cells import CELL
from ..model.linkage import ATTACKERS
from ..model.mechanism import KnownPoints, Mechanism
from .search import Published, Search

_TARGETS_A_BLOCK = 16
_LEADING = 1_024
_LEAST = 1e-6


@dataclass(frozen=True, eq=False)
class Ranks:
    """Where the own records of targets stand for one attacker; arrays of (n_targets,).

    Attributes
    ----------
    better, level : float64 ndarray
        People whose record fits better, and as well; the own is among the latter.
    posterior : float64 ndarray
        Of the own record, as of any person who shares it.
    taken : bool ndarray
        Whether the attacker takes the best record for the target's.
    fitting : float64 ndarray
        People whose record has every point.
    fits : bool ndarray
        Whether the own record has.
    """

    better: FloatArray
    level: FloatArray
    posterior: FloatArray
    taken: BoolArray
    fitting: FloatArray
    fits: BoolArray

    @property
    def first(self) -> FloatArray:
        """The chance that each own record is the one picked; records that are level share it."""
        chance: FloatArray = np.where(self.better == 0, 1 / np.maximum(self.level, 1), 0.0)
        return chance


def ranks(
    published: Published, points: KnownPoints, mechanism: Mechanism, own: IntArray, *,
    engine: Engine, progress: Progress | None = None,
) -> dict[str, Ranks]:  # fmt: skip
    """Score all records for each target, and find its own among them, by attacker.

    Parameters
    ----------
    published : Published
    points : KnownPoints
    mechanism : Mechanism
    own : int64 ndarray (n_targets,)
        Record of each target, −1 for none.
    """
    search = Search.of(published, points, mechanism)
    people = published.n_people
    odds = people * (1 - mechanism.share) / mechanism.share
    out = np.zeros((points.n_targets, len(ATTACKERS), 6))

    blocks = stretches(len(out), _TARGETS_A_BLOCK, engine)

    def take(nth: int, found: FloatArray) -> None:
        out[slice(*blocks[nth])] = found

    given = search, points.offsets, own, odds, published.weight
    engine.map(_ranked, blocks, given, take, progress=progress)
    return {name: _ranks_of(out[:, number].T) for number, name in enumerate(ATTACKERS)}


def _ranks_of(columns: FloatArray) -> Ranks:
    better, level, posterior, taken, fitting, fits = columns
    return Ranks(better, level, posterior, taken > 0, fitting, fits > 0)


def _ranked(
    block: tuple[int, int], search: Search, offsets: IntArray, own: IntArray, odds: float,
    weight: IntArray,
) -> FloatArray:  # fmt: skip
    out = np.zeros((len(offsets) - 1, len(ATTACKERS), 6))
    rank_targets(*block, offsets, search.points, own, search.shelf, search.way, search.even,
                 odds, weight, out)  # fmt: skip
    return out[slice(*block)]


@dataclass(frozen=True, eq=False)
class Suspects:
    """The records that an attacker gives most weight to.

    Attributes
    ----------
    record : int32 ndarray (n_targets, most)
    share : float64 ndarray (n_targets, most)
        Of the posterior, for all people whose record it is.
    count : int64 ndarray (n_targets,)
        How many of them are meant.
    rest : float64 ndarray (n_targets,)
        What is left for all records that no point is near.
    """

    record: SmallInts
    share: FloatArray
    count: IntArray
    rest: FloatArray


def suspects(
    published: Published, points: KnownPoints, mechanism: Mechanism, attacker: str, *,
    engine: Engine, progress: Progress | None = None,
) -> Suspects:  # fmt: skip
    """The attacker's posterior over the records, of each target, as far as it matters."""
    search = Search.of(published, points, mechanism)
    n, most = points.n_targets, min(_LEADING, len(published.weight))
    out = _nobody(n, most)
    blocks = stretches(n, _TARGETS_A_BLOCK, engine)

    def take(nth: int, found: Suspects) -> None:
        some = slice(*blocks[nth])
        out.record[some], out.share[some] = found.record, found.share
        out.count[some], out.rest[some] = found.count, found.rest

    given = search, points.offsets, published.weight, ATTACKERS.index(attacker), most
    engine.map(_leading, blocks, given, take, progress=progress)
    return out


def _nobody(n: int, most: int) -> Suspects:
    return Suspects(
        np.zeros((n, most), np.int32), np.zeros((n, most)), np.zeros(n, np.int64), np.zeros(n)
    )


def _leading(
    block: tuple[int, int], search: Search, offsets: IntArray, weight: IntArray, attacker: int,
    most: int,
) -> Suspects:  # fmt: skip
    out, some = _nobody(len(offsets) - 1, most), slice(*block)
    leading_records(*block, offsets, search.points, search.shelf, search.way, weight, attacker,
                    _LEAST, out.record, out.share, out.count, out.rest)  # fmt: skip
    return Suspects(out.record[some], out.share[some], out.count[some], out.rest[some])


def best_placed(
    published: Published, points: KnownPoints, mechanism: Mechanism, records: IntArray
) -> IntArray:
    """The sample of each record that the method is likeliest to have made of each point.

    Returns
    -------
    int64 ndarray (n_records, n_points)
        Row numbers of the published samples; −1 where no sample is above the floor. Ties: the
        first.
    """
    search = Search.of(published, points, mechanism)
    cells = np.column_stack([published.cells[name] for name in CELL])
    out = np.full((len(records), len(search.points)), -1, np.int64)
    best_samples(records, published.offsets, cells, search.points, search.way, out)
    return out

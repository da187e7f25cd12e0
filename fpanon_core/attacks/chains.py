"""Which records of all periods are one person's? Followed from period to period.

A chain holds what its records said so far, all together; each period's records are matched with the
chains there are, also with those that an earlier period had no record for. Whatever no chain takes
begins one.

Source: docs/science.md, “Whose records belong together”.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..engines.progress import Progress, nth_part
from ..model.arrays import FloatArray, IntArray
from ..model.ragged import offsets_of, rows_of
from .assignment import Flows
from .relinking import Traces

Attacker = Callable[[Traces, Traces, Progress | None], Flows]
"""Links groups of one period to those of a later one."""


def salt_of(step: int) -> bytes:
    """What the digests of a period's records are salted with."""
    return step.to_bytes(8, "little")


def chained(
    periods: list[Traces], attacker: Attacker, rng: np.random.Generator, first: Flows,
    progress: Progress | None = None,
) -> list[IntArray]:  # fmt: skip
    """Follow records over all periods.

    Parameters
    ----------
    periods : list of Traces
        The records of each period, two periods or more.
    attacker : callable
        Links the groups of chains to those of records.
    rng : Generator
        Draws which of several that are alike are meant.
    first : Flows
        Links of the first two periods, grouped with the salts of their positions.

    Returns
    -------
    list of int64 ndarray
        For each period the chain of each person's record; those of record r follow those of r − 1,
        as many as its weight says.
    """
    found = [np.arange(periods[0].n_people)]
    n_chains = len(found[0])
    said = [_said(periods[0], found[0])]
    ends = np.repeat(periods[0].ends, periods[0].weight, axis=0)
    for step, records in enumerate(periods[1:], 1):
        told = nth_part(progress, step - 1, len(periods) - 1)
        chain, place, mass = (np.concatenate(column) for column in zip(*said, strict=True))
        so_far = Traces.of(chain, place, mass, np.ones(n_chains, np.int64), ends)
        of, chains = so_far.grouped(salt_of(step - 1))
        to, groups = records.grouped(salt_of(step))
        flows = first
        if step > 1:
            flows = attacker(chains, groups, told)
        taken = np.full(records.n_people, -1, np.int64)
        whose, copy = _drawn(flows, of, np.repeat(to, records.weight), rng)
        taken[copy] = whose
        new = np.flatnonzero(taken < 0)
        taken[new] = n_chains + np.arange(len(new))
        n_chains += len(new)
        ends = np.concatenate([ends, np.empty((len(new), ends.shape[1]))])
        ends[taken] = np.repeat(records.ends, records.weight, axis=0)
        found.append(taken)
        said.append(_said(records, taken))
    if progress is not None:
        progress(1.0)
    return found


def by_chance(sizes: list[int], rng: np.random.Generator) -> list[IntArray]:
    """As :func:`chained`, where records and chains are matched at random."""
    found, n_chains = [np.arange(sizes[0])], sizes[0]
    for size in sizes[1:]:
        many = min(size, n_chains)
        taken = np.full(size, -1, np.int64)
        taken[rng.permutation(size)[:many]] = rng.permutation(n_chains)[:many]
        taken[taken < 0] = n_chains + np.arange(size - many)
        n_chains += size - many
        found.append(taken)
    return found


def _said(records: Traces, chain: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Chain, bin and mass of all samples of all people's records."""
    record = np.repeat(np.arange(len(records.weight)), records.weight)
    lengths = np.diff(records.offsets)[record]
    rows = rows_of(records.offsets[:-1][record], lengths)
    return np.repeat(chain, lengths), records.bin[rows], records.mass[rows]


def _drawn(
    flows: Flows, of: IntArray, to: IntArray, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Whom the flows between groups link, drawn among the members of each group."""
    first, second, many = flows
    ends = []
    for member, group in ((of, first), (to, second)):
        shuffled = rng.permutation(len(member))
        shuffled = shuffled[np.argsort(member[shuffled], kind="stable")]
        begin = offsets_of(np.bincount(member))[:-1]
        order = np.argsort(group, kind="stable")
        before = np.cumsum(many[order]) - many[order]  # of all flows, then of the group's
        _, at, which = np.unique(group[order], return_index=True, return_inverse=True)
        start = np.empty(len(group), np.int64)
        start[order] = begin[group[order]] + before - before[at][which]
        ends.append(shuffled[rows_of(start, many)])
    return ends[0], ends[1]

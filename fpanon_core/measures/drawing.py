"""Draws of the points that an attacker knows.

Draws run in one thread, so the same seed gives the same draws on every engine. The targets do not
depend on p or on the strategy. With ``random``, ``uniform`` and ``top``, the points for a smaller p
are the first points for a larger p. So values for different p, or for the profiles of a grid, are
comparable.

Source: de Montjoye et al. 2013, Methods; docs/science.md, “Adversary knowledge and unicity”.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..model.arrays import IntArray, offsets_of, rows_of
from ..model.configs import KnowledgeConfig, Strategy
from ..model.errors import InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.knowledge import Knowledge

# Sample rows, and for each target, its number of drawn points and of all bins (or places).
Drawn = tuple[IntArray, IntArray, IntArray]

_SAMPLES_AT_ONCE = 1 << 22


def draw_knowledge(
    fs: FingerprintSet, p: int, *, strategy: Strategy = "random", users: int = 2500, seed: int = 0
) -> Knowledge:
    """Draw p points of the trajectory of each target, as an attacker might know them.

    ``random`` draws one bin after another from the remaining bins, with probability proportional to
    their counts. Points are thus drawn from the *interactions* (de Montjoye et al. 2013, Methods).
    Each bin gets an independent exponential time with its count as rate; the bins with the p
    smallest times are taken in order (Efraimidis & Spirakis 2006). ``uniform`` uses equal rates.
    ``top`` takes the places with the most events, at any time; of equals, the one with the smaller
    x, then y, comes first (Top-K of Xu et al. 2017). ``consecutive`` takes p samples that follow
    one another, from a start drawn uniformly (Cont-K of Xu et al. 2017).

    Parameters
    ----------
    fs : FingerprintSet
    p : int
        Number of points of each target. A target with fewer bins contributes all of its bins;
        ``too_few`` counts these targets.
    strategy : {"random", "uniform", "top", "consecutive"}
    users : int
        Number of targets, drawn at random among the people. A fingerprint that stands for several
        people is more likely to be a target, in proportion to their number. Everybody is a target
        if there are no more people than ``users``.
    seed : int
        Seed of all draws, 0 or more.

    Returns
    -------
    Knowledge

    Raises
    ------
    ConfigError
        The strategy is unknown, p or ``users`` is not an integer of 1 or more, or ``seed`` is not
        an integer of 0 or more.
    InfeasibleError
        No record has p bins or, with ``top``, p places.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1, 1, 2], [0, 0, 300, 0], [0] * 4, [0, 9, 9, 4])
    >>> draw_knowledge(fs, 1, strategy="top").x_m.tolist()
    [0.0, 0.0]
    """
    return drawn(fs, KnowledgeConfig(p, strategy, users, seed))


def drawn(
    fs: FingerprintSet,
    config: KnowledgeConfig,
    *,
    among: IntArray | None = None,
    beyond: bool = False,
    digest: str | None = None,
) -> Knowledge:
    """Draw knowledge; if ``among`` is given, only the people in these rows can be targets.

    If given, ``digest`` replaces the digest of ``fs`` in the result. With ``beyond``, p may exceed
    the number of bins, or places, of every record.

    Raises
    ------
    InfeasibleError
        ``beyond`` is not set, and no record has p bins or, with ``top``, p places.
    """
    longest = int(fs.lengths.max())
    if not beyond and config.p > longest:
        raise _too_many(config, longest, "point")
    who, what = (np.random.default_rng(s) for s in np.random.SeedSequence(config.seed).spawn(2))
    targets = _draw_targets(fs, config.users, who, among)
    parts = [_draw_rows(fs, block, config, what) for block in _blocks(fs, targets)]
    rows, sizes, had = (np.concatenate(part) for part in zip(*parts, strict=True))
    if not beyond and config.strategy == "top" and config.p > had.max():
        # All drawn targets have too few places; everyone is checked to see whether all people do.
        blocks = _blocks(fs, np.arange(fs.n_users))
        longest = max(int(np.bincount(_places(fs, *_samples_of(fs, b))[1]).max()) for b in blocks)
        if config.p > longest:
            raise _too_many(config, longest, "place")
    return Knowledge.from_rows(
        fs,
        targets,
        offsets_of(sizes),
        rows,
        too_few=int((had < config.p).sum()),
        timeless=config.strategy == "top",
        config=config,
        digest=digest,
    )


def _too_many(config: KnowledgeConfig, longest: int, noun: str) -> InfeasibleError:
    return InfeasibleError(
        f"No trajectory has {config.p} {noun}{'s' * (config.p > 1)}: the longest has {longest}. "
        f"Choose p ≤ {longest} or a finer generalization."
    )


def _draw_targets(
    fs: FingerprintSet, users: int, rng: np.random.Generator, among: IntArray | None
) -> IntArray:
    """Return the row numbers, ascending, of people drawn without replacement."""
    rows = np.arange(fs.n_users) if among is None else among
    upto = np.cumsum(fs.weight[rows])
    everybody = int(upto[-1])
    if users >= everybody:
        return np.repeat(rows, fs.weight[rows])
    chosen = np.sort(rng.choice(everybody, users, replace=False, shuffle=False))
    return rows[np.searchsorted(upto, chosen, side="right")]


def _blocks(fs: FingerprintSet, targets: IntArray) -> Iterator[IntArray]:
    """Yield the targets in parts small enough for memory, in order."""
    piece = np.cumsum(fs.lengths[targets]) // _SAMPLES_AT_ONCE
    yield from np.split(targets, np.flatnonzero(np.diff(piece)) + 1)


def _draw_rows(
    fs: FingerprintSet, targets: IntArray, config: KnowledgeConfig, rng: np.random.Generator
) -> Drawn:
    """Return sample rows in drawing order, and each target's numbers of drawn and of all points."""
    if config.strategy == "consecutive":
        return _consecutive(fs.offsets[targets], fs.lengths[targets], config.p, rng)
    rows, owner = _samples_of(fs, targets)
    if config.strategy == "top":
        rows, owner, order = _places(fs, rows, owner)
    else:
        times = rng.exponential(size=len(rows))
        if config.strategy == "random":
            with np.errstate(divide="ignore"):  # a sample without events is drawn last
                times /= fs.count[rows]
        order = np.lexsort((times, owner))
    had = np.bincount(owner, minlength=len(targets))
    owner = owner[order]
    rank = np.arange(len(owner)) - (np.cumsum(had) - had)[owner]
    return rows[order[rank < config.p]], np.minimum(had, config.p), had


def _samples_of(fs: FingerprintSet, targets: IntArray) -> tuple[IntArray, IntArray]:
    """Return every sample row of the targets, and the position of its target."""
    lengths = fs.lengths[targets]
    owner = np.repeat(np.arange(len(targets)), lengths)
    return rows_of(fs.offsets[targets], lengths), owner


def _places(fs: FingerprintSet, rows: IntArray, owner: IntArray) -> tuple[IntArray, ...]:
    """Return one sample row for each place of each target, its target, and the places' order.

    The order is by target, then by descending number of events.
    """
    keys = [fs.dy_m[rows], fs.dx_m[rows], fs.y_m[rows], fs.x_m[rows], owner]
    order = np.lexsort(keys)
    new = np.ones(len(order), bool)
    new[1:] = np.logical_or.reduce([k[order][1:] != k[order][:-1] for k in keys])
    first = np.flatnonzero(new)
    visits = np.add.reduceat(fs.count[rows][order], first)
    owner = owner[order[first]]
    # Stable: places equally often visited stay in the order of their coordinates.
    return rows[order[first]], owner, np.lexsort((-visits, owner))


def _consecutive(offsets: IntArray, lengths: IntArray, p: int, rng: np.random.Generator) -> Drawn:
    starts = np.maximum(lengths - p + 1, 1)
    begin = np.floor(rng.random(len(lengths)) * starts).astype(np.int64)
    sizes = np.minimum(lengths, p)
    return rows_of(offsets + begin, sizes), sizes, lengths

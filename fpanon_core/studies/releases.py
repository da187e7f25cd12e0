"""What would be published? Releases, each made once and kept a while for whoever asks again.

Weighing an option, and looking at its places and at how far people in it are from hiding, are two
questions about one release; options that begin with the same steps share what those make. So what a
process has made lately is kept in it, by the data's digest, the steps and the seed. The original's
side of utility and people's true homes are kept likewise: options asked one by one cost no more
than together.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from ..anonymize.applied import records_of
from ..anonymize.chain import Chained
from ..attacks.homes import Homes, true_homes
from ..engines.local import Engine
from ..engines.progress import Progress, nth_part, tell
from ..measures.utility import Reference
from ..model.fingerprints import FingerprintSet
from ..model.options import Generalize, Step
from ..model.periods import PeriodSet
from ..model.profiles import Areas, Grid
from ..model.profiles import Origin as Corner
from ..model.released import Origin

T = TypeVar("T")
Steps = tuple[Step, ...]

MOST_KEPT = 16
"""Releases a process keeps."""
MOST_SAMPLES = 4_000_000
"""Samples of all releases a process keeps: about 260 MB. A larger release is not kept."""
_MOST_REFERENCES = 2


@dataclass(frozen=True, eq=False)
class Release:
    """What a chain of techniques makes of the data.

    Attributes
    ----------
    chain : Chained
    seed : int
        Of its draws.
    """

    chain: Chained
    seed: int

    @property
    def fs(self) -> FingerprintSet:
        """As it would be published."""
        return self.chain.fs

    @property
    def kept_share(self) -> float:
        """Share of samples that suppression left in, of those it was given; 1 without."""
        return self.chain.kept_share

    @property
    def origin(self) -> Corner | None:
        """A corner of the square grid that places were last generalized to; None without one."""
        laid = [step.profile for step in self.chain.steps if isinstance(step, Generalize)]
        if not laid or not isinstance(laid[-1].space, Grid):
            return None
        return laid[-1].origin

    @property
    def periods(self) -> PeriodSet | None:
        """The same fingerprints as pieces of people, where the data are in periods."""
        made = self.chain.made
        return made if isinstance(made, PeriodSet) else None

    @property
    def people(self) -> int:
        """Subscribers who are published."""
        if self.periods is None:
            return int(self.fs.weight.sum())
        # Of GLOVE each record leaves by itself: people weigh what they do in the original.
        return int(self.chain.original.weight[np.unique(self.chain.person)].sum())

    @property
    def made(self) -> Origin:
        """How it came about: what an attacker is held against."""
        return self.chain.origin(self.seed)

    @property
    def n_samples(self) -> int:
        """Samples that are kept with it: its own, and those that its last step was given."""
        seen = self.chain.seen
        before = 0 if seen is self.chain.original else records_of(seen).n_samples
        return self.fs.n_samples + before


class Shelf(Generic[T]):
    """Things made lately, by what they were made of; those used longest ago make room.

    Parameters
    ----------
    most : int
        How many are kept.
    most_size : int
        Of all that are kept, together.
    size : callable
        Of one of them.
    """

    def __init__(self, most: int, most_size: int, size: Callable[[T], int]) -> None:
        self._most, self._most_size, self._size = most, most_size, size
        self._kept: OrderedDict[Hashable, T] = OrderedDict()
        self._change = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def size(self) -> int:
        """Of all that are kept, together."""
        return sum(map(self._size, self._kept.values()))

    def get(self, key: Hashable) -> T | None:
        """What was made of that, if it is still kept."""
        with self._change:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: Hashable, made: T) -> None:
        """Keep it, unless it alone is too large."""
        if self._size(made) > self._most_size:
            return
        with self._change:
            self._kept.pop(key, None)
            self._kept[key] = made
            while len(self._kept) > self._most or self.size > self._most_size:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        """Keep nothing."""
        with self._change:
            self._kept.clear()


_RELEASES: Shelf[Release] = Shelf(MOST_KEPT, MOST_SAMPLES, lambda release: release.n_samples)
_REFERENCES: Shelf[Reference] = Shelf(_MOST_REFERENCES, _MOST_REFERENCES, lambda _: 1)
_HOMES: Shelf[Homes] = Shelf(_MOST_REFERENCES, _MOST_REFERENCES, lambda _: 1)


def released(
    fs: FingerprintSet,
    steps: Steps,
    seed: int,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Release:
    """What the steps make of the data with a seed, for a study; made once, never published.

    Parameters
    ----------
    fs : FingerprintSet
    steps : tuple of techniques
    seed : int
        Each step draws from a seed made of this one and its position.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`; the steps that are done are kept.

    Raises
    ------
    ConfigError, InfeasibleError
        As :func:`fpanon_core.release`.
    """
    found, done = Release(Chained.begun(fs), seed), 0
    for length in range(len(steps), 0, -1):
        if (before := _RELEASES.get((fs.digest, steps[:length], seed))) is not None:
            found, done = before, length
            break
    for position in range(done, len(steps)):
        told = nth_part(progress, position, len(steps))
        chain = found.chain.then(steps[position], seed, engine=engine, progress=told)
        found = Release(chain, seed)
        _RELEASES.put((fs.digest, steps[: position + 1], seed), found)
    tell(progress, 1.0)
    return found


def reference(fs: FingerprintSet, areas: Areas = None) -> Reference:
    """The original's side of every comparison of utility, made once."""
    known = _REFERENCES.get((fs.digest, areas))
    if known is None:
        known = Reference.of(fs, areas=areas)
        _REFERENCES.put((fs.digest, areas), known)
    return known


def homes(fs: FingerprintSet) -> Homes:
    """Where people live by the original, found out once."""
    known = _HOMES.get(fs.digest)
    if known is None:
        known = true_homes(fs)
        _HOMES.put(fs.digest, known)
    return known


def forget() -> None:
    """Keep nothing of what was made so far, as where memory is short."""
    _HOMES.clear()
    _RELEASES.clear()
    _REFERENCES.clear()

"""Releases for studies, each made once and kept for a while.

Several studies look at one release: its risk and utility, its places, and the 2-gaps of its people.
Options that begin with the same steps share the results of these steps. So a process keeps what it
made recently, under the data's digest, the steps and the seed. It also keeps what utility needs
from the original, and people's true homes. As a result, options measured one by one cost no more
than options measured together.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar, Unpack

from ..anonymize.applied import records_of
from ..anonymize.chain import Chained
from ..attacks.homes import Homes, true_homes
from ..engines.progress import tell
from ..measures.utility import Reference
from ..model.fingerprints import FingerprintSet
from ..model.options import Step
from ..model.profiles import Areas
from .tabled import Work, nth_of

T = TypeVar("T")
Steps = tuple[Step, ...]

MOST_KEPT = 16
"""Largest number of releases that a process keeps."""
MOST_SAMPLES = 4_000_000
"""Largest number of samples in all kept releases together: about 260 MB."""
_MOST_REFERENCES = 2


class Shelf(Generic[T]):
    """Cache of recent results by their inputs; the least recently used are dropped first.

    Parameters
    ----------
    most : int
        Largest number of results kept.
    most_size : int
        Largest total size of all results kept.
    size : callable
        Function that returns the size of one result.
    """

    def __init__(self, most: int, most_size: int, size: Callable[[T], int]) -> None:
        self._most, self._most_size, self._size = most, most_size, size
        self._kept: OrderedDict[Hashable, T] = OrderedDict()
        self._change = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def size(self) -> int:
        """Total size of all results kept."""
        return sum(map(self._size, self._kept.values()))

    def get(self, key: Hashable) -> T | None:
        """Return the result for a key; None if it is not kept."""
        with self._change:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: Hashable, made: T) -> None:
        """Keep a result, unless it alone is too large."""
        if self._size(made) > self._most_size:
            return
        with self._change:
            self._kept.pop(key, None)
            self._kept[key] = made
            while len(self._kept) > self._most or self.size > self._most_size:
                self._kept.popitem(last=False)

    def made(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the result for a key: the kept one, or else a new one, which is kept."""
        known = self.get(key)
        if known is None:
            known = make()
            self.put(key, known)
        return known

    def clear(self) -> None:
        """Drop all results."""
        with self._change:
            self._kept.clear()


def n_samples(release: Chained) -> int:
    """Return the number of samples that a release keeps in memory: its own, and its step's input.

    Input that is the original itself is not counted.
    """
    own = [release.made] if release.seen is release.original else [release.made, release.seen]
    return sum(records_of(each).n_samples for each in own)


_RELEASES: Shelf[Chained] = Shelf(MOST_KEPT, MOST_SAMPLES, n_samples)
_REFERENCES: Shelf[Reference] = Shelf(_MOST_REFERENCES, _MOST_REFERENCES, lambda _: 1)
_HOMES: Shelf[Homes] = Shelf(_MOST_REFERENCES, _MOST_REFERENCES, lambda _: 1)


def released(fs: FingerprintSet, steps: Steps, seed: int, **work: Unpack[Work]) -> Chained:
    """Apply the steps to the data with a seed, for a study; the result is never published.

    The results of all steps are kept for a while, unless they are too large (:data:`MOST_SAMPLES`).

    Parameters
    ----------
    fs : FingerprintSet
    steps : tuple of techniques
    seed : int
        Seed; each step draws from a seed made from this seed and the step's position.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`; the steps that are done are kept.

    Raises
    ------
    ConfigError, InfeasibleError
        As :func:`fpanon_core.release`.
    """
    found, done = Chained.begun(fs, seed), 0
    for length in range(len(steps), 0, -1):
        if (before := _RELEASES.get((fs.digest, steps[:length], seed))) is not None:
            found, done = before, length
            break
    for position in range(done, len(steps)):
        now = nth_of(work, position, len(steps))
        found = found.then(steps[position], **now)
        _RELEASES.put((fs.digest, steps[: position + 1], seed), found)
    tell(work.get("progress"), 1.0)
    return found


def reference(fs: FingerprintSet, areas: Areas = None) -> Reference:
    """Return what comparisons of utility need from the original; it is computed once and kept."""
    return _REFERENCES.made((fs.digest, areas), lambda: Reference.of(fs, areas=areas))


def homes(fs: FingerprintSet) -> Homes:
    """Return people's homes according to the original; they are computed once and kept."""
    return _HOMES.made(fs.digest, lambda: true_homes(fs))


def forget() -> None:
    """Drop everything kept so far, for instance where memory is short."""
    _HOMES.clear()
    _RELEASES.clear()
    _REFERENCES.clear()

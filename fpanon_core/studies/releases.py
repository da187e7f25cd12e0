"""Releases for studies, each made once and kept for a while.

Several studies look at one release: its risk and utility, its places, and the 2-gaps of its people.
Options that begin with the same steps share the results of these steps. So a process keeps what it
made recently, under the data's digest, the steps and the seed. It also keeps what utility needs
from the original, and people's true homes. As a result, options measured one by one cost no more
than options measured together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import numpy as np

from ..anonymize.applied import records_of
from ..anonymize.chain import Chained
from ..anonymize.crowding import CANDIDATES
from ..attacks.homes import Homes, true_homes
from ..engines.progress import tell
from ..measures.utility import Reference
from ..model.fingerprints import FingerprintSet
from ..model.options import Generalize, Step
from ..model.periods import PeriodSet
from ..model.profiles import Areas, Grid
from ..model.profiles import Origin as Corner
from ..model.released import Origin
from ..model.shelf import Shelf
from .tabled import Work, nth_of

Steps = tuple[Step, ...]

MOST_KEPT = 16
"""Largest number of releases that a process keeps."""
MOST_SAMPLES = 4_000_000
"""Largest number of samples in all kept releases together: about 260 MB."""
_MOST_REFERENCES = 2


@dataclass(frozen=True, eq=False)
class Release:
    """Result of applying a chain of techniques to the data.

    Attributes
    ----------
    chain : Chained
    seed : int
        Seed of the draws.
    """

    chain: Chained
    seed: int

    @property
    def fs(self) -> FingerprintSet:
        """The fingerprints as they would be published."""
        return self.chain.fs

    @property
    def kept_share(self) -> float:
        """Share of its input samples that suppression kept; 1 without suppression."""
        return self.chain.kept_share

    @property
    def origin(self) -> Corner | None:
        """Corner (x_m, y_m) of the square grid of the last generalization; None without a grid."""
        laid = [step.profile for step in self.chain.steps if isinstance(step, Generalize)]
        if not laid or not isinstance(laid[-1].space, Grid):
            return None
        return laid[-1].origin

    @property
    def periods(self) -> PeriodSet | None:
        """The published pieces of people, where the data are in periods; None without periods."""
        made = self.chain.made
        return made if isinstance(made, PeriodSet) else None

    @property
    def people(self) -> int:
        """Number of people who are published."""
        if self.periods is None:
            return int(self.fs.weight.sum())
        # GLOVE publishes each record separately: people have their weights of the original.
        return int(self.chain.original.weight[np.unique(self.chain.person)].sum())

    @property
    def made(self) -> Origin:
        """Origin of the release: the data and steps that made it, which an attack needs."""
        return self.chain.origin(self.seed)

    @property
    def n_samples(self) -> int:
        """Number of samples that a release keeps in memory: its own, and its last step's input.

        Input that is the original itself is not counted.
        """
        seen = self.chain.seen
        before = 0 if seen is self.chain.original else records_of(seen).n_samples
        return self.fs.n_samples + before


_RELEASES: Shelf[Release] = Shelf(MOST_KEPT, MOST_SAMPLES, lambda release: release.n_samples)
_REFERENCES: Shelf[Reference] = Shelf(_MOST_REFERENCES, _MOST_REFERENCES, lambda _: 1)
_HOMES: Shelf[Homes] = Shelf(_MOST_REFERENCES, _MOST_REFERENCES, lambda _: 1)


def released(fs: FingerprintSet, steps: Steps, seed: int, **work: Unpack[Work]) -> Release:
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
    found, done = Release(Chained.begun(fs), seed), 0
    for length in range(len(steps), 0, -1):
        if (before := _RELEASES.get((fs.digest, steps[:length], seed))) is not None:
            found, done = before, length
            break
    for position in range(done, len(steps)):
        now = nth_of(work, position, len(steps))
        found = Release(found.chain.then(steps[position], seed, **now), seed)
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
    CANDIDATES.clear()
    _HOMES.clear()
    _RELEASES.clear()
    _REFERENCES.clear()

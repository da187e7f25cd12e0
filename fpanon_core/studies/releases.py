"""Releases for studies, each made once and kept for a while.

Several studies look at one release: its risk and utility, and its people.
Options that begin with the same steps share the results of these steps. So a process keeps what it
made recently, under the data's digest, the steps and the seed. It also keeps what utility needs
from the original, and people's true homes. As a result, options measured one by one cost no more
than options measured together.
"""

from __future__ import annotations

from typing import Unpack

from ..anonymize.applied import records_of
from ..anonymize.chain import Chained
from ..anonymize.hiding import CANDIDATES
from ..attacks.homes import Homes, true_homes
from ..engines.progress import tell
from ..measures.utility import Reference
from ..model.fingerprints import FingerprintSet
from ..model.options import Step
from ..model.profiles import Areas
from ..model.shelf import Shelf
from .tabled import Work, nth_of

Steps = tuple[Step, ...]

MOST_KEPT = 16
"""Largest number of releases that a process keeps."""
MOST_SAMPLES = 4_000_000
"""Largest number of samples in all kept releases together: about 260 MB."""
_MOST_REFERENCES = 2


def n_samples(release: Chained) -> int:
    """Return the number of samples that a release and its last step's input keep in memory.

    An input that is the original itself is not counted.
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
    CANDIDATES.clear()
    _HOMES.clear()
    _RELEASES.clear()
    _REFERENCES.clear()

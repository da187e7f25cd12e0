"""Application of a release option to the data: its techniques, one after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..engines.local import Engine
from ..engines.progress import Progress, nth_part, tell
from ..model.arrays import IntArray
from ..model.checks import whole
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult
from ..model.options import Generalize, Periods, ReleaseOption, Step, as_option
from ..model.periods import PeriodSet
from ..model.released import Origin, ReleasedSet
from .applied import apply, records_of
from .generalize import resolve


def release(
    fs: FingerprintSet,
    option: Any,
    *,
    seed: int | None = None,
    engine: Engine | None = None,
    progress: Progress = None,
) -> ReleasedSet:
    """Return the data as a release option would publish them.

    Parameters
    ----------
    fs : FingerprintSet
        Data to release; the set itself stays as it is.
    option : ReleaseOption, or what :func:`as_option` takes
    seed : int or None
        Use None for anything published. Noise, exchanges and draws of people then come from the
        operating system's randomness, and nobody can repeat them. A seed is for studies only:
        anyone with the program can repeat the draws and subtract the noise. Each step has its own
        seed, derived from this seed and the step's position. Options that begin with the same steps
        therefore agree up to the first step that differs.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on the engine.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    ReleasedSet
        A FingerprintSet that :func:`fpanon_core.publish` takes. With GLOVE or aligned publishing,
        the set has one fingerprint for every published user, as a recipient sees it. The set then
        has no antenna table, because its cells do not follow the table's regions.

    Raises
    ------
    ConfigError
        The option or the seed is invalid, or the option makes tables or synthetic people. It is
        also raised if a step, such as a grid laid over regions, cannot be applied to the result of
        the steps before it.
    InfeasibleError
        Nothing would be left, or k exceeds the number of users.

    Examples
    --------
    >>> from fpanon_core import GeneralizationProfile, Grid, SuppressRare
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 700, 300], [0] * 3, [5, 70, 8])
    >>> release(fs, [GeneralizationProfile(Grid(1000), 60), SuppressRare(2)]).t_min.tolist()
    [0.0, 0.0]
    """
    return ReleasedSet.of(made_by(fs, as_option(option), seed, engine=engine, progress=progress))


def made_by(
    fs: FingerprintSet,
    option: ReleaseOption,
    seed: int | None,
    *,
    engine: Engine | None = None,
    progress: Progress = None,
) -> Origin:
    """Apply a release option, and return the result with the data and steps behind it.

    The returned option states the origin of each square grid, whether given or chosen.
    """
    done = Chained.begun(fs, seed)
    for position, step in enumerate(option.steps):
        stretch = nth_part(progress, position, len(option.steps))
        done = done.then(step, engine=engine, progress=stretch)
    tell(progress, 1.0)
    return done.origin(None if option.name == option.text else option.name)


@dataclass(frozen=True, eq=False)
class Chained:
    """State of a chain of techniques after some of its steps.

    Attributes
    ----------
    original : FingerprintSet
    made, seen : FingerprintSet or PeriodSet
        Output and input of the last step.
    person : int64 ndarray
        Row number, in the original, of each fingerprint that the last step returned.
    records : int64 ndarray
        Row number, in the original, of each record to be released; after GLOVE or aligned
        publishing, of each fingerprint that this step received and published.
    seed : int or None
        Seed of all steps; None for draws from the operating system.
    steps : tuple of techniques
        Steps taken; they state the origin of each square grid.
    hidden : GloveResult or None
        Result of GLOVE or of aligned publishing, if that was the last step.
    samples_left_out : int
    kept_share : float
        Share of the input samples that suppression kept; 1 without suppression.
    """

    original: FingerprintSet
    made: FingerprintSet | PeriodSet
    seen: FingerprintSet | PeriodSet
    person: IntArray
    records: IntArray
    seed: int | None
    steps: tuple[Step, ...] = ()
    hidden: GloveResult | None = None
    samples_left_out: int = 0
    kept_share: float = 1.0

    @classmethod
    def begun(cls, fs: FingerprintSet, seed: int | None) -> Chained:
        """Return the state before any step."""
        everybody = np.arange(fs.n_users)
        return cls(fs, fs, fs, everybody, everybody, seed)

    @property
    def fs(self) -> FingerprintSet:
        """The data as they would be published, record by record."""
        return records_of(self.made)

    @property
    def periods(self) -> PeriodSet | None:
        """The pieces of people's fingerprints; None if the data are not in periods."""
        return self.made if isinstance(self.made, PeriodSet) else None

    def then(
        self, step: Step, *, engine: Engine | None = None, progress: Progress = None
    ) -> Chained:
        """Return the state after one more step."""
        position = len(self.steps)
        if isinstance(step, Generalize):
            step = Generalize(resolve(self.fs, step.profile))
        own_seed = seed_at(self.seed, step, position)
        done = apply(self.made, step, own_seed, engine=engine, progress=progress)
        whose, hidden = self.person, done.hidden
        if isinstance(step, Periods):
            assert done.periods is not None
            person = records = whose[done.periods.person]
        elif hidden is None:
            person = records = whose[_rows_in(self.fs, done.fs)]
        else:
            inside = np.flatnonzero(hidden.group >= 0)
            person = whose[np.repeat(inside, hidden.weight[inside])]
            records = whose[inside]
        return replace(
            self,
            made=done.fs if done.periods is None else done.periods,
            seen=self.made,
            person=person,
            records=records,
            steps=(*self.steps, step),
            hidden=hidden,
            samples_left_out=self.samples_left_out + done.samples_left_out,
            kept_share=self.kept_share * (1 - done.suppressed_share),
        )

    def origin(self, name: str | None = None) -> Origin:
        """Return the result with the data and steps behind it, and with the seed of all steps."""
        made, hidden = self.periods, self.hidden
        period = days = None
        if made is not None:
            days = made.days
            if hidden is None or hidden.period is None:
                period = made.period
            else:
                period = hidden.period[hidden.group >= 0]
        return Origin(
            ReleaseOption(name, self.steps),
            self.original,
            self.fs,
            self.records,
            self.seen,
            hidden,
            self.samples_left_out,
            period,
            days,
            self.seed,
        )


def _rows_in(fs: FingerprintSet, made: FingerprintSet) -> IntArray:
    """Return each fingerprint's row number before a step, found by its unchanged running number."""
    order = np.argsort(fs.number, kind="stable")
    return order[np.searchsorted(fs.number, made.number, sorter=order)]


def seed_at(seed: int | None, step: Step, position: int) -> int | None:
    """Return the seed that a chain gives to its step at ``position``, counted from 0.

    Without a seed, the result is None, except for generalization: which antennas form one place is
    not secret. Generalization then gets its seed as if the chain's seed were 0, and the published
    clusters are the measured clusters. Clusters of two releases are equal, too, and do not cut each
    other into finer ones.
    """
    if seed is None and not isinstance(step, Generalize):
        return None
    known = 0 if seed is None else whole("seed", seed, 0)
    return int(np.random.SeedSequence((known, position)).generate_state(1)[0])

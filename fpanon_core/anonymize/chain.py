"""What does a release option make of the data? Its techniques, one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engines.local import Engine
from ..engines.progress import Progress, nth_part
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
    progress: Progress | None = None,
) -> ReleasedSet:
    """The data as a release option would publish them.

    Parameters
    ----------
    fs : FingerprintSet
        Is not changed.
    option : ReleaseOption, or what :func:`as_option` takes
    seed : int or None
        None, for whatever is published: noise, exchanges and draws of people come from the
        operating system's randomness, and nobody can make them again. A seed is for studies: each
        step draws from one of its own, made of this one and the step's position, so that options
        that begin with the same steps agree up to where they differ; whoever has the programme can
        draw the same, and take the noise off.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    ReleasedSet
        A FingerprintSet that :func:`fpanon_core.publish` takes. Of GLOVE, one fingerprint for every
        published user, as a reader gets it; without the antenna table, whose regions its cells no
        longer keep to.

    Raises
    ------
    ConfigError
        A step cannot be applied to what the steps before it left, such as a grid over regions.
    InfeasibleError
        Nothing would be left, or k exceeds the users.

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
    progress: Progress | None = None,
) -> Origin:
    """What :func:`release` makes, and what it was made of.

    Its option says of each square grid where it begins, chosen or not.
    """
    done = Chained.begun(fs)
    for position, step in enumerate(option.steps):
        stretch = nth_part(progress, position, len(option.steps))
        done = done.then(step, seed, engine=engine, progress=stretch)
    if progress is not None:
        progress(1.0)
    return done.origin(seed, None if option.name == option.text else option.name)


@dataclass(frozen=True, eq=False)
class Chained:
    """How far a chain of techniques has come, for whoever takes the next step, or stops here.

    Attributes
    ----------
    original : FingerprintSet
    made, seen : FingerprintSet or PeriodSet
        What the last step gave, and what it was given.
    person : int64 ndarray
        Row number in the original of each fingerprint that the last step gave.
    records : int64 ndarray
        The same of each record that would leave: of GLOVE one for each fingerprint it was given.
    steps : tuple of techniques
        Those taken; of each square grid they say where it begins.
    hidden : GloveResult or None
        Of GLOVE, where it was the last step.
    samples_left_out : int
    kept_share : float
        Share of samples that suppression left in, of those it was given; 1 without suppression.
    """

    original: FingerprintSet
    made: FingerprintSet | PeriodSet
    seen: FingerprintSet | PeriodSet
    person: IntArray
    records: IntArray
    steps: tuple[Step, ...] = ()
    hidden: GloveResult | None = None
    samples_left_out: int = 0
    kept_share: float = 1.0

    @classmethod
    def begun(cls, fs: FingerprintSet) -> Chained:
        """Before any step."""
        everybody = np.arange(fs.n_users)
        return cls(fs, fs, fs, everybody, everybody)

    @property
    def fs(self) -> FingerprintSet:
        """As it would be published, record by record."""
        return records_of(self.made)

    def then(
        self,
        step: Step,
        seed: int | None,
        *,
        engine: Engine | None = None,
        progress: Progress | None = None,
    ) -> Chained:
        """One step further."""
        position = len(self.steps)
        if isinstance(step, Generalize):
            step = Generalize(resolve(self.fs, step.profile))
        done = apply(
            self.made, step, seed_at(seed, step, position), engine=engine, progress=progress
        )
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
        return Chained(
            self.original,
            done.fs if done.periods is None else done.periods,
            self.made,
            person,
            records,
            (*self.steps, step),
            hidden,
            self.samples_left_out + done.samples_left_out,
            self.kept_share * (1 - done.suppressed_share),
        )

    def origin(self, seed: int | None, name: str | None = None) -> Origin:
        """What was made, and of what, with the seed that all steps were taken with."""
        made, hidden = self.made, self.hidden
        period = days = None
        if isinstance(made, PeriodSet):
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
            seed,
        )


def _rows_in(fs: FingerprintSet, made: FingerprintSet) -> IntArray:
    """Row number before of each fingerprint after a step, by the running numbers both keep."""
    order = np.argsort(fs.number, kind="stable")
    return order[np.searchsorted(fs.number, made.number, sorter=order)]


def step_seed(seed: int | None, position: int) -> int | None:
    """Seed of the step at a position, counted from 0; None, which is none, for None."""
    if seed is None:
        return None
    sequence = np.random.SeedSequence((whole("seed", seed, 0), position))
    return int(sequence.generate_state(1)[0])


def seed_at(seed: int | None, step: Step, position: int) -> int | None:
    """Seed that a chain gives its step at a position.

    Which antennas are one place is no secret. Always those that were measured, clusters of two
    releases do not cut each other into finer ones.
    """
    drawn = 0 if seed is None and isinstance(step, Generalize) else seed
    return step_seed(drawn, position)

"""What a release option made, and what it was made of: all that publishing needs to know."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .arrays import IntArray
from .errors import ConfigError, InfeasibleError
from .fingerprints import FingerprintSet
from .glove import GloveResult
from .options import AddNoise, Aligned, Glove, Periods, Permute, ReleaseOption
from .periods import PeriodSet
from .published import Records

NOT_PUBLISHED = "person left out"
NOT_COVERED = "left out"


@dataclass(frozen=True, eq=False)
class Origin:
    """How a release came about. Never part of it: it holds the original data.

    Attributes
    ----------
    option : ReleaseOption
        What was done.
    original : FingerprintSet
        The data before.
    after : FingerprintSet or None
        The data after; None where ``hidden`` says them, which is far less than a row for everybody.
    person : int64 ndarray (n_records,)
        Row number in the original of each record that leaves; with periods several records are one
        person's.
    seen : FingerprintSet or PeriodSet
        The data that the last step was given.
    hidden : GloveResult or None
        Of GLOVE, where it was the last step.
    samples_left_out : int
        Samples that the steps left out, each counted in the data that its step was given.
    period : int64 ndarray (n_records,) or None
        Number of the period of each record; None without periods.
    period_days : int or None
        Days in a period.
    seed : int or None
        Of the draws, in a study; None where they came from the operating system. Which antennas
        made one cluster follows from it, which is no secret of a release: its cells show it.
    """

    option: ReleaseOption
    original: FingerprintSet
    after: FingerprintSet | None
    person: IntArray
    seen: FingerprintSet | PeriodSet
    hidden: GloveResult | None = None
    samples_left_out: int = 0
    period: IntArray | None = None
    period_days: int | None = None
    seed: int | None = None

    @classmethod
    def of_glove(cls, hidden: GloveResult, original: FingerprintSet) -> Origin:
        """Of a result that :func:`fpanon_core.glove` gave for these data.

        Raises
        ------
        ConfigError
            It is a result for other data.
        InfeasibleError
            Nothing of it is published.
        """
        cut = hidden.period_days is not None
        if (hidden.whole_digest if cut else hidden.digest) != original.digest:
            raise ConfigError(
                "This result was made of other data than those given as the original; give the "
                "fingerprints that were hidden."
            )
        if not (hidden.group >= 0).any():
            raise InfeasibleError(
                "Nothing of this release is published: every sample exceeds the limits; raise them."
            )
        inside = hidden.group >= 0
        return cls(
            option_of(hidden),
            original,
            None,
            hidden.people[inside],
            original,
            hidden,
            len(hidden.suppressed),
            None if hidden.period is None else hidden.period[inside],
            hidden.period_days,
        )

    @property
    def direct(self) -> bool:
        """Whether the last step was given the original, or its unchanged pieces."""
        seen = self.seen
        if isinstance(seen, PeriodSet):
            return seen.sample is not None and seen.digest == self.original.digest
        return seen is self.original

    @property
    def k(self) -> int | None:
        """The crowd that is promised; None where none is."""
        return None if self.hidden is None else self.hidden.k

    @cached_property
    def released(self) -> FingerprintSet:
        """The data after; of GLOVE, as a reader gets them."""
        if self.after is not None:
            return self.after
        assert self.hidden is not None
        return self.hidden.expanded()

    @property
    def records(self) -> Records:
        """What leaves, record by record."""
        made = self.hidden
        return Records.of_fingerprints(self.released) if made is None else made.records

    @property
    def moved(self) -> bool:
        """Whether samples were moved at random, so that they are no longer where they were."""
        return any(isinstance(step, AddNoise | Permute) for step in self.option.steps)

    @property
    def people_left_out(self) -> int:
        """How many people of the original have no record."""
        return self.original.n_users - len(np.unique(self.person))


def option_of(hidden: GloveResult) -> ReleaseOption:
    """The release option that makes such a result."""
    kind = Aligned if hidden.method == "aligned" else Glove
    step = kind(hidden.k, hidden.suppress_space_m, hidden.suppress_time_min, hidden.leave_out)
    before = () if hidden.period_days is None else (Periods(hidden.period_days),)
    return ReleaseOption(steps=(*before, step))


@dataclass(frozen=True, eq=False, repr=False)
class ReleasedSet(FingerprintSet):
    """Fingerprints as :func:`fpanon_core.release` made them, with what publishing needs to know.

    Whatever is made of them afterwards, such as a :meth:`subset`, is no longer what the option
    made: it has no origin, and cannot be published.

    Attributes
    ----------
    origin : Origin or None
    """

    # No argument: dataclasses.replace gives changed data without it.
    origin: Origin | None = field(init=False, default=None)

    @classmethod
    def of(cls, origin: Origin) -> ReleasedSet:
        """The released data of an origin."""
        fs = origin.released
        made = cls(**{name: getattr(fs, name) for name in FingerprintSet.__dataclass_fields__})
        object.__setattr__(made, "origin", origin)
        return made

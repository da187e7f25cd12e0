"""Released data with their origin, which holds everything that is needed to publish them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .arrays import IntArray
from .errors import ConfigError, InfeasibleError
from .fingerprints import FingerprintSet
from .glove import GloveResult
from .options import Aligned, Glove, Periods, ReleaseOption
from .periods import PeriodSet
from .published import Records

NOT_PUBLISHED = "person left out"
NOT_COVERED = "left out"


@dataclass(frozen=True, eq=False)
class Origin:
    """Data and steps behind a release, including the original data; never published.

    Attributes
    ----------
    option : ReleaseOption
        Release option that was applied.
    original : FingerprintSet
        Data before the option was applied.
    after : FingerprintSet or None
        Data after the option. None where ``hidden`` holds them instead, in far less memory than
        a fingerprint for everybody would take.
    person : int64 ndarray (n_records,)
        Row number, in the original, of the person of each released record. With periods, a person
        has several records.
    seen : FingerprintSet or PeriodSet
        Input of the last step.
    hidden : GloveResult or None
        Result of GLOVE, where it was the last step.
    samples_left_out : int
        Number of samples left out: for each step, the samples of its own input that it left out,
        added up over the steps.
    period : int64 ndarray (n_records,) or None
        Number of the period of each record; None without periods.
    period_days : int or None
        Days in a period.
    seed : int or None
        Seed of the draws, in a study; None where they came from the operating system. The seed
        determines which antennas form a cluster. The clusters are no secret: the cells of the
        release show them.
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
        """Make the origin of a result that ``glove`` or ``aligned`` made from ``original``.

        Raises
        ------
        ConfigError
            The result belongs to other data.
        InfeasibleError
            The result publishes nothing.
        """
        cut = hidden.period_days is not None
        if (hidden.whole_digest if cut else hidden.digest) != original.digest:
            raise ConfigError(
                "This result was made from other data than the given original; give the "
                "fingerprints that were hidden."
            )
        if not (hidden.group >= 0).any():
            raise InfeasibleError(
                "Nothing in this result can be published: every sample was left out. Raise the "
                "limits, choose a smaller k, or make longer periods."
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
        """Whether the input of the last step was the original, or its unchanged pieces."""
        seen = self.seen
        if isinstance(seen, PeriodSet):
            return seen.sample is not None and seen.digest == self.original.digest
        return seen is self.original

    @property
    def k(self) -> int | None:
        """Promised group size; None where none is promised."""
        return None if self.hidden is None else self.hidden.k

    @cached_property
    def released(self) -> FingerprintSet:
        """Data after the option; with GLOVE, as a recipient sees them."""
        if self.after is not None:
            return self.after
        assert self.hidden is not None
        return self.hidden.expanded()

    @property
    def records(self) -> Records:
        """Records to release."""
        made = self.hidden
        return Records.of_fingerprints(self.released) if made is None else made.records

    @property
    def people_left_out(self) -> int:
        """Number of people in the original who have no released record."""
        return self.original.n_users - len(np.unique(self.person))


def option_of(hidden: GloveResult) -> ReleaseOption:
    """Return the release option that produces this result of hiding people."""
    kind = Aligned if hidden.method == "aligned" else Glove
    step = kind(hidden.k, hidden.suppress_space_m, hidden.suppress_time_min, hidden.leave_out)
    before = () if hidden.period_days is None else (Periods(hidden.period_days),)
    return ReleaseOption(steps=(*before, step))


@dataclass(frozen=True, eq=False, repr=False)
class ReleasedSet(FingerprintSet):
    """Fingerprints made by :func:`fpanon_core.release`, with all that is needed to publish them.

    A derived set, such as a :meth:`subset`, is no longer the result of a release option: it
    has no origin, and cannot be published.

    Attributes
    ----------
    origin : Origin or None
    """

    # Not an argument, so data changed by dataclasses.replace have no origin.
    origin: Origin | None = field(init=False, default=None)

    @classmethod
    def of(cls, origin: Origin) -> ReleasedSet:
        """Return the released data of an origin."""
        fs = origin.released
        made = cls(**{name: getattr(fs, name) for name in FingerprintSet.__dataclass_fields__})
        object.__setattr__(made, "origin", origin)
        return made


AnyRelease = ReleasedSet | GloveResult
"""Result of ``glove`` or ``aligned``, or of ``release`` for an option that publishes records."""

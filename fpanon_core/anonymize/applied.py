"""What does one technique make of the data? Whichever it is, of whole people or of periods."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..engines.local import Engine
from ..engines.progress import Progress
from ..model.errors import InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult
from ..model.options import (
    AddNoise,
    Aligned,
    Generalize,
    Glove,
    Periods,
    Permute,
    SampleUsers,
    Step,
    SuppressRare,
)
from ..model.periods import PeriodSet
from .aligned import aligned
from .generalize import generalize
from .glove import glove
from .noise import add_noise
from .periods import into_periods
from .permutation import permute
from .rare import suppress_rare
from .sampling import sample_users


class Applied(NamedTuple):
    """What one technique made.

    Attributes
    ----------
    fs : FingerprintSet
        Record by record.
    suppressed_share : float
        Of the samples it was given, the share that it suppressed.
    samples_left_out : int
        Of the samples it was given, those it left out, with their people or without.
    hidden : GloveResult or None
        Of GLOVE.
    periods : PeriodSet or None
        The same fingerprints as pieces of people, where the data are in periods.
    """

    fs: FingerprintSet
    suppressed_share: float = 0.0
    samples_left_out: int = 0
    hidden: GloveResult | None = None
    periods: PeriodSet | None = None


def apply(
    given: FingerprintSet | PeriodSet,
    step: Step,
    seed: int | None,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Applied:
    """What one technique gives; drawn from the operating system where the seed is None."""
    if progress is not None:
        progress(0.0)
    if isinstance(given, PeriodSet):
        done = _applied(given if isinstance(step, Glove) else given.pieces, step, seed, engine,
                        progress)  # fmt: skip
        if done.hidden is None:
            return done._replace(periods=given.changed(done.fs))
        return done._replace(periods=_pieces_of(done, given))
    return _applied(given, step, seed, engine, progress)


def records_of(made: FingerprintSet | PeriodSet) -> FingerprintSet:
    """What would be published, record by record: of data in periods, the pieces."""
    return made.pieces if isinstance(made, PeriodSet) else made


def _pieces_of(done: Applied, given: PeriodSet) -> PeriodSet:
    """The records of people hidden in each period."""
    assert done.hidden is not None
    inside = np.flatnonzero(done.hidden.group >= 0)
    rows = np.repeat(inside, done.hidden.weight[inside])
    return replace(
        given, pieces=done.fs, person=given.person[rows], period=given.period[rows], sample=None
    )


def _applied(
    given: FingerprintSet | PeriodSet,
    step: Step,
    seed: int | None,
    engine: Engine | None,
    progress: Progress | None,
) -> Applied:
    fs = records_of(given)
    match step:
        case Generalize(profile):
            return Applied(generalize(fs, profile, seed=seed or 0))
        case Periods(days):
            cut = into_periods(fs, days, seed=seed)
            return Applied(cut.pieces, periods=cut)
        case SampleUsers(share):
            some = sample_users(fs, share, seed=seed)
            return Applied(some, 0.0, fs.n_samples - some.n_samples)
        case AddNoise(space_m, time_min, space, time):
            noisy = add_noise(
                fs, space_m=space_m, time_min=time_min, space=space, time=time, seed=seed
            )
            return Applied(noisy)
        case Permute(what, window_min, region_m):
            return Applied(permute(fs, what, window_min=window_min, region_m=region_m, seed=seed))
        case SuppressRare(min_users):
            kept = suppress_rare(fs, min_users, seed=seed)
            gone = fs.n_samples - kept.n_samples
            return Applied(kept, 1 - kept.n_samples / fs.n_samples, gone)
        case Glove(k, space_limit, time_limit, share):
            hidden = glove(
                given, k, suppress_space_m=space_limit, suppress_time_min=time_limit,
                leave_out=share, engine=engine, progress=progress,
            ) if not isinstance(step, Aligned) else aligned(
                given, k, max_side_m=space_limit, max_span_min=time_limit, leave_out=share,
                engine=engine, progress=progress,
            )  # fmt: skip
            if not (hidden.group >= 0).any():
                raise InfeasibleError(
                    f"{step} would publish nothing: every sample exceeds the limits; raise them."
                )
            return Applied(
                hidden.expanded(), hidden.suppressed_share, len(hidden.suppressed), hidden
            )

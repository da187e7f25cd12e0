"""What does a release option make of the data? Its techniques, one after the other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..engines.local import Engine
from ..engines.progress import Progress, nth_part
from ..model.arrays import IntArray
from ..model.checks import whole
from ..model.errors import InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult
from ..model.options import ReleaseOption, as_option
from ..model.periods import PeriodSet
from ..model.released import Origin, ReleasedSet
from ..model.techniques import (
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
from .aligned import aligned
from .generalize import generalize
from .glove import glove
from .noise import add_noise
from .origins import resolve
from .periods import into_periods
from .permutation import permute
from .rare import suppress_rare
from .sampling import sample_users


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
    >>> from fpanon_core import GeneralizationProfile, Grid
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
    made: FingerprintSet | PeriodSet = fs
    seen: FingerprintSet | PeriodSet = fs
    hidden, left_out = None, 0
    laid: list[Step] = []
    person = whose = np.arange(fs.n_users)
    for position, step in enumerate(option.steps):
        stretch = nth_part(progress, position, len(option.steps))
        seen, whose = made, person
        if isinstance(step, Generalize):
            step = Generalize(resolve(records_of(seen), step.profile))
        laid.append(step)
        done = apply(seen, step, seed_at(seed, step, position), engine=engine, progress=stretch)
        made, hidden = done.fs if done.periods is None else done.periods, done.hidden
        left_out += done.samples_left_out
        if isinstance(step, Periods):
            assert done.periods is not None
            person = whose[done.periods.person]
        elif hidden is None:
            person = whose[_rows_in(records_of(seen), done.fs)]
        else:
            inside = np.flatnonzero(hidden.group >= 0)
            person = whose[np.repeat(inside, hidden.weight[inside])]
    if progress is not None:
        progress(1.0)
    records = person if hidden is None else whose[hidden.group >= 0]
    option = ReleaseOption(None if option.name == option.text else option.name, laid)
    period = days = None
    if isinstance(made, PeriodSet):
        days = made.days
        if hidden is None or hidden.period is None:
            period = made.period
        else:
            period = hidden.period[hidden.group >= 0]
        made = made.pieces
    return Origin(option, fs, made, records, seen, hidden, left_out, period, days, seed)


def records_of(made: FingerprintSet | PeriodSet) -> FingerprintSet:
    """What would be published, record by record: of data in periods, the pieces."""
    return made.pieces if isinstance(made, PeriodSet) else made


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

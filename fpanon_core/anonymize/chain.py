"""What does a release option make of the data? Its techniques, one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engines.local import Engine
from ..engines.progress import Progress, nth_part
from ..model.checks import whole
from ..model.errors import InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.options import as_option
from ..model.techniques import AddNoise, Generalize, Glove, Permute, SampleUsers, Step, SuppressRare
from .generalize import generalize
from .glove import glove
from .noise import add_noise
from .permutation import permute
from .rare import suppress_rare
from .sampling import sample_users


def release(
    fs: FingerprintSet,
    option: Any,
    *,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> FingerprintSet:
    """The data as a release option would publish them.

    Parameters
    ----------
    fs : FingerprintSet
        Is not changed.
    option : ReleaseOption, or what :func:`as_option` takes
    seed : int
        Each step draws from a seed of its own, made of this one and the step's position; so options
        that begin with the same steps agree up to where they differ.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    FingerprintSet
        Of GLOVE, one fingerprint for every published user, as a reader gets it; without the antenna
        table, whose regions its cells no longer keep to.

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
    steps = as_option(option).steps
    for position, step in enumerate(steps):
        stretch = nth_part(progress, position, len(steps))
        fs, _ = apply(fs, step, step_seed(seed, position), engine=engine, progress=stretch)
    if progress is not None:
        progress(1.0)
    return fs


def step_seed(seed: int, position: int) -> int:
    """Seed of the step at a position, counted from 0."""
    sequence = np.random.SeedSequence((whole("seed", seed, 0), position))
    return int(sequence.generate_state(1)[0])


def apply(
    fs: FingerprintSet,
    step: Step,
    seed: int,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> tuple[FingerprintSet, float]:
    """What one technique gives, and the share of the samples that it suppressed."""
    if progress is not None:
        progress(0.0)
    match step:
        case Generalize(profile):
            return generalize(fs, profile, seed=seed), 0.0
        case SampleUsers(share):
            return sample_users(fs, share, seed=seed), 0.0
        case AddNoise(space_m, time_min, space, time):
            noisy = add_noise(
                fs, space_m=space_m, time_min=time_min, space=space, time=time, seed=seed
            )
            return noisy, 0.0
        case Permute(what, window_min, region_m):
            return permute(fs, what, window_min=window_min, region_m=region_m, seed=seed), 0.0
        case SuppressRare(min_users):
            kept = suppress_rare(fs, min_users, seed=seed)
            return kept, 1 - kept.n_samples / fs.n_samples
        case Glove(k, space_limit, time_limit):
            hidden = glove(
                fs, k, suppress_space_m=space_limit, suppress_time_min=time_limit,
                engine=engine, progress=progress,
            )  # fmt: skip
            if not (hidden.group >= 0).any():
                raise InfeasibleError(
                    f"{step} would publish nothing: every sample exceeds the limits; raise them."
                )
            return hidden.expanded(), hidden.suppressed_share

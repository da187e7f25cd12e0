"""What do the data look like under a generalization profile, and under one after the other?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..anonymize.generalize import check_coarser, generalize
from ..engines.progress import Progress, nth_part, part
from ..model.fingerprints import FingerprintSet
from ..model.profiles import GeneralizationProfile, Grid

_GENERALIZING_SHARE = 0.6  # of a profile's progress


def as_read(fs: FingerprintSet) -> GeneralizationProfile:
    """The profile that leaves the data as they were read."""
    return GeneralizationProfile(Grid(fs.granularity_m), fs.granularity_min)


def generalized(fs: FingerprintSet, profile: GeneralizationProfile) -> FingerprintSet:
    """The fingerprints under a profile; themselves where it is no coarser than they are."""
    as_fine = isinstance(profile.space, Grid) and profile.grid_m <= fs.granularity_m
    if as_fine and profile.minutes <= fs.granularity_min:
        return fs
    return generalize(fs, profile)


def check_profiles(fs: FingerprintSet, profiles: Sequence[GeneralizationProfile]) -> None:
    """Every profile is at least as coarse as the data, or ConfigError.

    :func:`generalized` takes the data as they are for one that is finer in both, as a list of usual
    profiles serves data of any granularity; who asks for it by name may want to know.
    """
    for profile in profiles:
        check_coarser(fs, profile)


def under_profiles(
    fs: FingerprintSet,
    profiles: Sequence[GeneralizationProfile],
    *,
    seed: int,
    progress: Progress | None,
) -> Iterator[tuple[GeneralizationProfile, FingerprintSet, Progress | None]]:
    """Each profile, the data under it, and the progress of measuring them."""
    for number, profile in enumerate(profiles):
        stretch = nth_part(progress, number, len(profiles))
        if stretch is not None:
            stretch(0.0)
        yield profile, generalize(fs, profile, seed=seed), part(stretch, _GENERALIZING_SHARE, 1.0)

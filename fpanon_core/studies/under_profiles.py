"""What do the data look like under a generalization profile, and under one after the other?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pandas as pd

from ..anonymize.generalize import check_coarser, generalize, resolve
from ..engines.progress import Progress, nth_part, part
from ..model.fingerprints import FingerprintSet
from ..model.profiles import GeneralizationProfile, Grid, corners_text

_GENERALIZING_SHARE = 0.6  # of a profile's progress


def as_read(fs: FingerprintSet) -> GeneralizationProfile:
    """The profile that leaves the data as they were read."""
    return GeneralizationProfile(Grid(fs.granularity_m), fs.granularity_min)


def generalized(fs: FingerprintSet, profile: GeneralizationProfile) -> FingerprintSet:
    """The fingerprints under a profile; themselves where it is no coarser than they are."""
    space = profile.space
    as_fine = isinstance(space, Grid) and space.origin is None and space.metres <= fs.granularity_m
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


def laid(fs: FingerprintSet, profile: GeneralizationProfile) -> GeneralizationProfile:
    """The profile with the origin that its grid has over these data; chosen once, and kept."""
    return resolve(fs, profile)


class UnderProfile(NamedTuple):
    """Data under one of several profiles.

    Attributes
    ----------
    profile, laid : GeneralizationProfile
        As it was asked for, and with the origin that its grid has over the data.
    seen : FingerprintSet
        The data under it.
    progress : callable of one float in [0, 1], or None
        Of measuring them.
    """

    profile: GeneralizationProfile
    laid: GeneralizationProfile
    seen: FingerprintSet
    progress: Progress | None

    @property
    def columns(self) -> dict[str, object]:
        """What tells which profile a row is of, its origin with it."""
        return self.profile.columns_laid(self.laid)


def corners(table: pd.DataFrame) -> str:
    """Where the grids of a table's rows begin, in words; empty where none is of a grid.

    Parameters
    ----------
    table : DataFrame
        With the columns of ``GeneralizationProfile.columns``.
    """
    rows = table[["space_size", "origin_x_m", "origin_y_m"]].dropna().drop_duplicates()
    return corners_text(Grid(side, (x, y)) for side, x, y in rows.itertuples(index=False))


def under_profiles(
    fs: FingerprintSet,
    profiles: Sequence[GeneralizationProfile],
    *,
    seed: int,
    progress: Progress | None,
) -> Iterator[UnderProfile]:
    """The data under each profile in turn."""
    for number, profile in enumerate(profiles):
        stretch = nth_part(progress, number, len(profiles))
        if stretch is not None:
            stretch(0.0)
        check_coarser(fs, profile)  # before its origin is looked for
        over = laid(fs, profile)
        seen = generalize(fs, over, seed=seed)
        yield UnderProfile(profile, over, seen, part(stretch, _GENERALIZING_SHARE, 1.0))

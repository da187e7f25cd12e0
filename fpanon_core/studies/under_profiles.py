"""What do the data look like under a generalization profile?"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ..anonymize.generalize import check_coarser, generalize, resolve
from ..model.fingerprints import FingerprintSet
from ..model.profiles import GeneralizationProfile, Grid, corners_text


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


def corners(table: pd.DataFrame) -> str:
    """Where the grids of a table's rows begin, in words; empty where none is of a grid.

    Parameters
    ----------
    table : DataFrame
        With the columns of ``GeneralizationProfile.columns``.
    """
    rows = table[["space_size", "origin_x_m", "origin_y_m"]].dropna().drop_duplicates()
    return corners_text(Grid(side, (x, y)) for side, x, y in rows.itertuples(index=False))

"""The same data under one generalization profile after the other, for the grids of measures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..engines.local import Progress
from ..measures.matching import part
from ..model.fingerprints import FingerprintSet
from ..model.profiles import GeneralizationProfile, Space
from .generalize import generalize

_GENERALIZING_SHARE = 0.6  # of a profile's progress


def under_profiles(
    fs: FingerprintSet,
    profiles: Sequence[GeneralizationProfile],
    *,
    seed: int,
    progress: Progress | None,
) -> Iterator[tuple[GeneralizationProfile, FingerprintSet, Progress | None]]:
    """Each profile, the data under it, and the progress of measuring them."""
    for number, profile in enumerate(profiles):
        stretch = part(progress, number / len(profiles), (number + 1) / len(profiles))
        if stretch is not None:
            stretch(0.0)
        yield profile, generalize(fs, profile, seed=seed), part(stretch, _GENERALIZING_SHARE, 1.0)


def names_of(profile: GeneralizationProfile) -> dict[str, object]:
    """The columns of a grid that say which profile a row is of."""
    return {
        "profile": str(profile),
        "space_size": _size(profile.space),
        "window_min": float(profile.minutes),
    }


def _size(space: Space) -> float:
    """The number by which spaces of a kind are finer or coarser."""
    return float(getattr(space, "metres", getattr(space, "size", np.nan)))

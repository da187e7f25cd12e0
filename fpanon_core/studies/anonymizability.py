"""Anonymizability: k-gaps and their components, by profile, for several k.

A k-gap says how far a person's samples must be stretched in space and time to coincide with those
of the k − 1 nearest other people.
Source: Gramaglia & Fiore 2015, eq. 5 and section 4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..engines.local import Engine
from ..measures.components import components_by_k, matched_samples
from ..measures.kgap import k_gap
from ..model import checks
from ..model.arrays import FloatArray
from ..model.configs import StretchConfig
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.kgap import KGapResult, StretchComponents
from ..model.profiles import GeneralizationProfile
from .estimates import Growth, carried_on, costs, timed
from .tabled import Tabled, Work, nth_of, part_of
from .under_profiles import as_read, generalized, laid

_GAPS_SHARE = 0.7  # of the progress under a profile; the components take the rest


@dataclass(frozen=True)
class Config:
    """Settings of the measurement of k-gaps.

    Attributes
    ----------
    profiles : tuple of GeneralizationProfile
        Profiles under which everyone is measured; if there are none, the data are measured as read.
    ks : tuple of int
        Sizes of the group to hide in, each 2 or more; kept in ascending order, without repeats.
    stretch : StretchConfig
        Definition of the stretch effort.
    """

    profiles: tuple[GeneralizationProfile, ...] = ()
    ks: tuple[int, ...] = (2,)
    stretch: StretchConfig = field(default_factory=StretchConfig)

    def __post_init__(self) -> None:
        ks = tuple(sorted({checks.whole("k", k, 2) for k in self.ks}))
        if not ks:
            raise ConfigError("No k is asked for; give at least one.")
        object.__setattr__(self, "ks", ks)
        object.__setattr__(self, "profiles", tuple(self.profiles))


_CAPPED = 0.05  # of the matched samples


def lower_bound(*beyond: FloatArray) -> bool:
    """Return whether mean moves are lower bounds, because many matched samples reach a cap.

    Each array holds every user's share of matched samples at or beyond the cap in space, or in
    time.
    """
    return any(np.isfinite(each).all() and float(np.mean(each)) >= _CAPPED for each in beyond)


@dataclass(frozen=True, eq=False)
class Parts:
    """Components of each user's k-gap for one k, arrays (n_users,); see ``StretchComponents``."""

    space_m: FloatArray
    time_min: FloatArray
    beyond_space: FloatArray
    beyond_time: FloatArray
    temporal_share: FloatArray
    gini_space: FloatArray
    gini_time: FloatArray
    gini_total: FloatArray
    tail_space: FloatArray
    tail_time: FloatArray
    tail_total: FloatArray

    @classmethod
    def of(cls, components: StretchComponents) -> Parts:
        """Keep the arrays of the components, without the data that they were computed from."""
        return cls(**{name: getattr(components, name) for name in cls.__dataclass_fields__})


_SHAPE = [name for name in Parts.__dataclass_fields__ if name.startswith(("gini_", "tail_"))]


@dataclass(frozen=True, eq=False)
class Measured:
    """The k-gaps of everyone under one profile.

    Attributes
    ----------
    profile, laid : GeneralizationProfile
        The profile as requested, and the same profile with the origin of its grid, which is chosen
        from the data unless it is stated.
    gaps : KGapResult
        Gaps at the largest k that was run; gaps at a smaller k are derived from them.
    parts : dict of int to Parts
        Components for each k that was asked for, ascending.
    """

    profile: GeneralizationProfile
    laid: GeneralizationProfile
    gaps: KGapResult
    parts: dict[int, Parts]

    @property
    def columns(self) -> dict[str, object]:
        """Columns that identify the profile of a row, with the origin of its grid."""
        return self.profile.columns_laid(self.laid)


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """The anonymizability of everyone.

    Attributes
    ----------
    config : Config
    digest : str
        Digest of the fingerprints as given, before any profile.
    pseudonyms : str ndarray (n_users,)
    measured : tuple of Measured
        One for each profile.
    """

    config: Config
    digest: str
    pseudonyms: npt.NDArray[np.str_]
    measured: tuple[Measured, ...]

    MAY_LEAVE = frozenset({"k_gap_summary"})

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return ``k_gaps`` per user, profile and k, and ``k_gap_summary`` per profile and k.

        Distances and times are means over a user's matched samples, each capped at ``max_space_m``
        or ``max_time_min``. ``share_beyond_…`` is the share of the matched samples whose distance
        or time reaches this cap. ``share_at_0`` is the share of the users whose k-gap is
        0: the k-anonymous ones, unless space or time has no weight.
        """
        each = [
            (m, k, m.gaps.at(k), m.parts[k])
            for m in self.measured
            for k in self.config.ks
            if k in m.parts
        ]
        return {
            "k_gaps": pd.concat([self._by_user(*of_one) for of_one in each], ignore_index=True),
            "k_gap_summary": pd.DataFrame([_summary(*of_one) for of_one in each]),
        }

    def _by_user(self, measured: Measured, k: int, gaps: KGapResult, parts: Parts) -> pd.DataFrame:
        stretch = gaps.config
        return pd.DataFrame(
            {
                "pseudonym": self.pseudonyms[gaps.users],
                **measured.columns,
                "k": k,
                "k_gap": gaps.values,
                "mean_capped_distance_m": parts.space_m,
                "mean_capped_time_min": parts.time_min,
                "share_beyond_distance": parts.beyond_space,
                "share_beyond_time": parts.beyond_time,
                "temporal_share": parts.temporal_share,
                **{name: getattr(parts, name) for name in _SHAPE},
                **_effort(stretch),
            }
        )


# The number of pairs grows with the square of the number of people. But the more people there are,
# the nearer the nearest one is, and the more pairs are left out: for 8,000 to 300,000 generated
# people, the time grows with the power 1.6.
_GROWTH = Growth((400, 1_200, 4_800), (1.5, 2.0), warming=30, alone_s=math.inf)


def _seconds(fs: FingerprintSet, config: Config, engine: Engine, _: bool) -> float:
    """Estimate the seconds that the k-gaps take at the largest k, under all profiles together."""
    crowd = min(config.ks[-1], _GROWTH.people[0])

    def measured(users: FingerprintSet) -> float:
        k = min(crowd, users.n_users)
        return timed(lambda: k_gap(users, k, config=config.stretch, engine=engine))

    profiles = config.profiles or (as_read(fs),)
    return sum(carried_on(generalized(fs, profile), measured, _GROWTH) for profile in profiles)


@costs(360, seconds=_seconds)
def study(
    fs: FingerprintSet,
    config: Config,
    earlier: Result | None = None,
    **work: Unpack[Work],
) -> Result:
    """Measure k-gaps once under each profile, at the largest k, and their components for each k.

    Parameters
    ----------
    fs : FingerprintSet
    config : Config
    earlier : Result, optional
        An earlier result on the same data and stretch effort. A profile is not run again if this
        result has it at the same or a larger k.
    engine, progress
        As in :func:`fpanon_core.k_gap`.

    Raises
    ------
    ConfigError, InfeasibleError
        As :func:`fpanon_core.generalize` and :func:`fpanon_core.k_gap`.
    """
    profiles, most = config.profiles or (as_read(fs),), config.ks[-1]
    known = {} if earlier is None else {m.profile: m.gaps for m in earlier.measured}
    measured = []
    for i, profile in enumerate(profiles):
        now, seen = nth_of(work, i, len(profiles)), generalized(fs, profile)
        gaps = known.get(profile)
        if gaps is None or gaps.k < most:
            gaps = k_gap(seen, most, config=config.stretch, **part_of(now, 0.0, _GAPS_SHARE))
        by_k = components_by_k(seen, gaps, config.ks, **part_of(now, _GAPS_SHARE, 1.0))
        parts = {k: Parts.of(each) for k, each in by_k.items()}
        measured.append(Measured(profile, laid(fs, profile), gaps, parts))
    return Result(config, fs.digest, np.array(fs.pseudonyms), tuple(measured))


def extended(before: Result | None, later: Result) -> Result:
    """Merge two results on the same data, profiles and stretch effort; keep every k of both.

    Without an earlier result, return the later one.

    Raises
    ------
    ConfigError
        The two differ in data, profiles or stretch effort.
    """
    if before is None:
        return later
    of_what = [(r.digest, r.config.profiles, r.config.stretch) for r in (before, later)]
    if of_what[0] != of_what[1]:
        raise ConfigError("The results differ in data or settings; give two that differ only in k.")
    both = [
        replace(a if a.gaps.k >= b.gaps.k else b, parts=dict(sorted((a.parts | b.parts).items())))
        for a, b in zip(before.measured, later.measured, strict=True)
    ]
    config = replace(later.config, ks=(*before.config.ks, *later.config.ks))
    return replace(later, config=config, measured=tuple(both))


def together(results: Sequence[Result], ks: tuple[int, ...]) -> Result:
    """Merge results for the same data, with the same stretch effort, into one for ``ks``.

    Each result has one or more profiles. A profile has no components for a k that its own result
    lacks.
    """
    measured = tuple(m for result in results for m in result.measured)
    config = Config(tuple(m.profile for m in measured), ks, results[0].config.stretch)
    return replace(results[0], config=config, measured=measured)


@dataclass(frozen=True, eq=False)
class Neighbour:
    """Another user, the stretch effort to that user, and the matched samples.

    Attributes
    ----------
    user : int
        Row number.
    stretch : float
        Fingerprint stretch effort, in [0, 1].
    matches : DataFrame
        Matched samples, as :func:`fpanon_core.matched_samples` returns them.
    """

    user: int
    stretch: float
    matches: pd.DataFrame


def neighbours_of(fs: FingerprintSet, gaps: KGapResult, user: int) -> list[Neighbour]:
    """Return the users to whom a user's gap is measured, nearest first.

    Parameters
    ----------
    fs : FingerprintSet
        The data under the profile that was measured, as :func:`.under_profiles.generalized` returns
        them.
    gaps : KGapResult
        The gaps at the k of interest.
    user : int
        Row number of a user who was measured.
    """
    row = int(np.flatnonzero(gaps.users == user)[0])
    near = zip(gaps.neighbours[row].tolist(), gaps.stretch[row].tolist(), strict=True)
    return [Neighbour(b, stretch, matched_samples(fs, user, b, gaps.config)) for b, stretch in near]


def _summary(measured: Measured, k: int, gaps: KGapResult, parts: Parts) -> dict[str, object]:
    quantiles = np.percentile(gaps.values, [25, 50, 75, 90]).tolist()
    return {
        **measured.columns,
        "k": k,
        "users": len(gaps.users),
        "share_at_0": float(np.mean(gaps.values == 0)),
        **dict(zip(("p25", "median", "p75", "p90"), quantiles, strict=True)),
        "mean_capped_distance_m": float(parts.space_m.mean()),
        "mean_capped_time_min": float(parts.time_min.mean()),
        "median_capped_distance_m": float(np.median(parts.space_m)),
        "median_capped_time_min": float(np.median(parts.time_min)),
        "share_beyond_distance": float(parts.beyond_space.mean()),
        "share_beyond_time": float(parts.beyond_time.mean()),
        **_effort(gaps.config),
    }


def _effort(stretch: StretchConfig) -> dict[str, float]:
    """Return the columns that state the weight of space and the caps on distance and time."""
    return {
        "w_space": stretch.w_space,
        "max_space_m": stretch.max_space_m,
        "max_time_min": stretch.max_time_min,
    }

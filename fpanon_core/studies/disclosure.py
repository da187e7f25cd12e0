"""Disclosure: what an attacker learns about people, under several profiles.

The study measures unicity, k-, EM- and KL-disclosure under each profile, and whether the measures
agree on which profile is riskier. It also shows where, when and about which people an attacker
learns most (Noriega Campero 2015, chapter 4).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Unpack

import numpy as np
import pandas as pd

from ..measures.components import gini, lorenz
from ..measures.pareto import ordinal_agreement
from ..model.arrays import FloatArray
from ..model.configs import KnowledgeConfig
from ..model.disclosure import MEASURES, SUMS, DisclosureResult
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.limits import POINTS, SEED, TARGETS
from ..model.profiles import GeneralizationProfile, Grid
from ..model.projection import lon_lat
from .estimates import costs
from .tabled import Tabled, Work
from .under_profiles import disclosures, laid

_SIDES_M: tuple[float, ...] = (100, 500, 1_000, 2_500, 5_000, 10_000, 20_000, 50_000, 100_000)
_WINDOWS_MIN: tuple[float, ...] = (60, 360, 720, 1_440)  # Noriega Campero 2015, table 4.2
_AGREEMENT = ("a", "b", "tau", "pairs", "concordant", "discordant", "tied", "discordant_pairs")


@dataclass(frozen=True)
class Config:
    """The attacker's knowledge, and the profiles under which disclosure is measured.

    Attributes
    ----------
    knowledge : KnowledgeConfig
    profiles : tuple of GeneralizationProfile
        Profiles to measure; if empty, those that suit the data (:func:`suited_profiles`).
    unicity_p : tuple of int
        Numbers of known points for unicity, which is measured in addition to disclosure. If empty:
        the p of the knowledge, one fewer (unless that is 0) and one more.

    Raises
    ------
    ConfigError
        A number is out of its range, or a profile is not a :class:`GeneralizationProfile`.
    """

    knowledge: KnowledgeConfig = field(default_factory=KnowledgeConfig)
    profiles: tuple[GeneralizationProfile, ...] = ()
    unicity_p: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for p in (self.knowledge.p, *self.unicity_p):
            POINTS.check("p", p)
        TARGETS.check("users", self.knowledge.users)
        SEED.check("seed", self.knowledge.seed)
        if not all(isinstance(profile, GeneralizationProfile) for profile in self.profiles):
            raise ConfigError("Give each profile as GeneralizationProfile(space, minutes).")

    @property
    def points(self) -> tuple[int, ...]:
        """Numbers of known points for unicity."""
        p = self.knowledge.p
        return self.unicity_p or tuple(range(max(1, p - 1), p + 2))

    def profiles_for(self, fs: FingerprintSet) -> tuple[GeneralizationProfile, ...]:
        """Return the profiles to measure."""
        return self.profiles or suited_profiles(fs)


@dataclass(frozen=True, eq=False)
class Leak:
    """What an attacker learns under one profile: where, when, and about which people.

    Attributes
    ----------
    profile, laid : GeneralizationProfile
        The profile as requested, and the same profile with the origin of its grid, which is chosen
        from the data unless it is stated.
    measures : dict of str to (value, low, high)
        ``unicity``, ``k``, ``em``, ``kl`` and the sums ``em_sum``, ``kl_sum``, with 95% intervals.
    bins : int
        Number of distinct bins, d.
    too_few : int
        Number of targets with fewer than p bins (places, for ``top``); all their bins are known.
    places : DataFrame
        Table of ``DisclosureResult.by_place``, with the corners ``west``, ``south``, ``east``,
        ``north`` in degrees; without them where the data have no projection.
    week : DataFrame
        Table of ``DisclosureResult.by_hour_of_week``.
    people : DataFrame
        Columns ``pseudonym``, ``anonymity_set``, ``em``, ``kl``; one row per target.
    lorenz : dict of str to (share of people, share of all disclosure)
        Lorenz curves of ``em`` and ``kl``.
    gini : dict of str to float
        Gini coefficients of ``em`` and ``kl``.
    """

    profile: GeneralizationProfile
    laid: GeneralizationProfile
    measures: dict[str, tuple[float, float, float]]
    bins: int
    too_few: int
    places: pd.DataFrame
    week: pd.DataFrame
    people: pd.DataFrame
    lorenz: dict[str, tuple[FloatArray, FloatArray]]
    gini: dict[str, float]

    @classmethod
    def of(
        cls,
        profile: GeneralizationProfile,
        laid: GeneralizationProfile,
        found: DisclosureResult,
        seen: FingerprintSet,
    ) -> Leak:
        """Build the figures of one profile from the whole result and the data under the profile."""
        people = pd.DataFrame(
            {
                "pseudonym": np.array(seen.pseudonyms)[found.targets],
                "anonymity_set": found.sizes,
                "em": found.em_user,
                "kl": found.kl_user,
            }
        )
        return cls(
            profile=profile,
            laid=laid,
            measures={m: (found.measure(m), *found.interval(m)) for m in (*MEASURES, *SUMS)},
            bins=found.n_bins,
            too_few=found.too_few,
            places=_with_corners(found.by_place(), seen),
            week=found.by_hour_of_week(seen.clock),
            people=people,
            lorenz={m: lorenz(people[m]) for m in ("em", "kl")},
            gini={m: gini(people[m]) for m in ("em", "kl")},
        )


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """What an attacker learns under several profiles.

    Attributes
    ----------
    config : Config
    digest : str
        Digest of the data before generalizing.
    grid : DataFrame
        Table of :func:`fpanon_core.disclosure_grid`.
    agreement : DataFrame
        Table of :func:`fpanon_core.ordinal_agreement`; empty if there is only one profile.
    leaks : dict of str to Leak
        Leaks by the name of the profile.
    n_users : int
        Number of people; guessing picks the right one with a probability of 1 / ``n_users``.
    """

    config: Config
    digest: str
    grid: pd.DataFrame
    agreement: pd.DataFrame
    leaks: dict[str, Leak]
    n_users: int

    MAY_LEAVE = frozenset({"disclosure", "agreement"})

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the grid, the agreement, and the tables and Lorenz curves of all profiles.

        - ``disclosure``: table of :func:`fpanon_core.disclosure_grid`;
        - ``agreement``: table of :func:`fpanon_core.ordinal_agreement`, with the discordant pairs
          in words; without rows if there is only one profile;
        - ``places``, ``hours``, ``users``: ``places``, ``week`` and ``people`` of each
          :class:`Leak`, after the columns that identify the profile of a row;
        - ``lorenz``: after the same columns, ``measure`` (em, kl), ``share_of_users``,
          ``share_of_total``.
        """
        leaks = self.leaks.values()
        return {
            "disclosure": self.grid,
            "agreement": self.agreement.assign(
                discordant_pairs=[
                    "; ".join(f"{a} / {b}" for a, b in pairs)
                    for pairs in self.agreement["discordant_pairs"]
                ]
            ),
            "places": _stacked((leak, leak.places) for leak in leaks),
            "hours": _stacked((leak, leak.week) for leak in leaks),
            "users": _stacked((leak, leak.people) for leak in leaks),
            "lorenz": _stacked(
                (
                    leak,
                    pd.DataFrame({"measure": m, "share_of_users": users, "share_of_total": total}),
                )
                for leak in leaks
                for m, (users, total) in leak.lorenz.items()
            ),
        }


@costs(350)
def study(fs: FingerprintSet, config: Config, **work: Unpack[Work]) -> Result:
    """Measure disclosure under every profile, and whether the measures rank the profiles alike.

    Parameters
    ----------
    fs : FingerprintSet
    config : Config
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Raises
    ------
    ConfigError
        A profile is finer than the data, or names regions that the data lack.
    """
    profiles, points = config.profiles_for(fs), config.points
    rows, leaks = [], {}
    measured = disclosures(fs, profiles, config.knowledge, points, **work)
    for profile, (row, found, seen) in zip(profiles, measured, strict=True):
        rows.append(row)
        leaks[str(profile)] = Leak.of(profile, laid(fs, profile), found, seen)
    grid = pd.DataFrame(rows)
    values = grid.set_index("profile")[[*(f"unicity_p{p}" for p in points), "k", "em", "kl"]]
    one = pd.DataFrame(columns=list(_AGREEMENT))
    return Result(
        config=config,
        digest=fs.digest,
        grid=grid,
        agreement=ordinal_agreement(values) if len(values) > 1 else one,
        leaks=leaks,
        n_users=int(fs.weight.sum()),
    )


def suited_profiles(fs: FingerprintSet) -> tuple[GeneralizationProfile, ...]:
    """Return up to two grids with up to four windows each, after Noriega Campero 2015.

    The grids replace the districts and municipalities of the paper. The coarse side is at most a
    quarter of the extent of most samples, the fine side at most a fifth of the coarse side. Where
    no such side is as coarse as the data, the finest possible side is taken.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 2], [0, 90_000], [0, 0], [0, 0])
    >>> [str(profile) for profile in suited_profiles(fs)][::4]
    ['2.5 km · 1 h', '20 km · 1 h']
    """
    extent = max(float(np.ptp(np.quantile(v, [0.01, 0.99]))) for v in (fs.x_m, fs.y_m))
    sides = [s for s in _SIDES_M if s >= fs.granularity_m] or [fs.granularity_m]
    coarse = max((s for s in sides if s <= extent / 4), default=sides[0])
    fine = max((s for s in sides if s <= coarse / 5), default=sides[0])
    windows = [m for m in _WINDOWS_MIN if m >= fs.granularity_min] or [fs.granularity_min]
    return tuple(
        GeneralizationProfile(Grid(side), minutes)
        for side in sorted({fine, coarse})
        for minutes in windows
    )


def _with_corners(places: pd.DataFrame, seen: FingerprintSet) -> pd.DataFrame:
    (west, south), (east, north) = (
        lon_lat(
            seen.crs,
            (places.x_m + far * places.dx_m).to_numpy(),
            (places.y_m + far * places.dy_m).to_numpy(),
        )
        for far in (0, 1)
    )
    if len(west) == 0:
        return places
    return places.assign(west=west, south=south, east=east, north=north)


def _stacked(parts: Iterable[tuple[Leak, pd.DataFrame]]) -> pd.DataFrame:
    """Stack tables, each after the columns that identify its profile."""
    named = []
    for leak, table in parts:
        profile = leak.profile.columns_laid(leak.laid)
        which = pd.DataFrame([profile] * len(table), index=table.index)
        named.append(pd.concat([which, table], axis=1))
    return pd.concat(named, ignore_index=True)

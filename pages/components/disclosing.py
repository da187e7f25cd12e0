"""What the child process does for the Disclosure view; like :mod:`.tasks`, without Streamlit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fpanon_core.anonymize.disclosure_grid import disclosures
from fpanon_core.measures.agreement import ordinal_agreement
from fpanon_core.measures.disclosure import disclosure
from fpanon_core.measures.places import lon_lat
from fpanon_core.measures.spread import gini, lorenz
from fpanon_core.measures.table_4_1 import KNOWN, N_BINS, table_4_1
from fpanon_core.model.configs import KnowledgeConfig
from fpanon_core.model.disclosure import MEASURES, DisclosureResult
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.knowledge import Knowledge
from fpanon_core.model.profiles import GeneralizationProfile

Progress = Callable[[float], None]
FloatArray = np.ndarray


@dataclass(frozen=True, eq=False)
class Leak:
    """What an outsider learns under one profile: where, when, of whom.

    Attributes
    ----------
    result : dict of str to (value, low, high)
        ``unicity``, ``k``, ``em``, ``kl``, with 95 % intervals.
    bins : int
        Distinct bins, d.
    places : DataFrame
        As of ``DisclosureResult.by_place``, with the corners ``west``, ``south``, ``east``,
        ``north`` in degrees; without them where the data carry no projection.
    week : DataFrame
        As of ``DisclosureResult.by_hour_of_week``.
    people : DataFrame
        Of each target ``pseudonym``, ``anonymity_set``, ``em``, ``kl``.
    lorenz : dict of str to (share of people, share of all disclosure)
        Of ``em`` and ``kl``.
    gini : dict of str to float
    """

    result: dict[str, tuple[float, float, float]]
    bins: int
    places: pd.DataFrame
    week: pd.DataFrame
    people: pd.DataFrame
    lorenz: dict[str, tuple[FloatArray, FloatArray]]
    gini: dict[str, float]


@dataclass(frozen=True, eq=False)
class Learnt:
    """What an outsider learns under several profiles.

    Attributes
    ----------
    grid : DataFrame
        As of ``disclosure_grid``.
    unicity_p : tuple of int
        The p of its unicities.
    agreement : DataFrame
        As of ``ordinal_agreement``; empty where there is one profile.
    leaks : dict of str to Leak
        By profile.
    n_users : int
        Guessing finds one in as many.
    """

    grid: pd.DataFrame
    unicity_p: tuple[int, ...]
    agreement: pd.DataFrame
    leaks: dict[str, Leak]
    n_users: int


def learn(
    fs: FingerprintSet,
    profiles: tuple[GeneralizationProfile, ...],
    config: KnowledgeConfig,
    *,
    progress: Progress,
) -> Learnt:
    """Disclosure under every profile, and whether the measures agree on them."""
    around = tuple(range(max(1, config.p - 1), config.p + 2))
    rows, leaks = [], {}
    measured = disclosures(fs, profiles, config, unicity_p=around, progress=progress)
    for row, result, seen in measured:
        rows.append(row)
        leaks[str(row["profile"])] = _leak(result, seen)
    grid = pd.DataFrame(rows)
    names = [*(f"unicity_p{p}" for p in around), "k", "em", "kl"]
    values = grid.set_index("profile")[names]
    agreement = ordinal_agreement(values) if len(grid) > 1 else pd.DataFrame()
    return Learnt(grid, around, agreement, leaks, int(fs.weight.sum()))


def _leak(result: DisclosureResult, seen: FingerprintSet) -> Leak:
    places = result.by_place()
    corners = [
        lon_lat(seen, places.x_m + far * places.dx_m, places.y_m + far * places.dy_m)
        for far in (0, 1)
    ]
    if len(corners[0][0]):
        (west, south), (east, north) = corners
        places = places.assign(west=west, south=south, east=east, north=north)
    people = pd.DataFrame(
        {
            "pseudonym": np.array(seen.pseudonyms)[result.targets],
            "anonymity_set": result.sizes,
            "em": result.em_user,
            "kl": result.kl_user,
        }
    )
    return Leak(
        result={m: (result.measure(m), *result.interval(m)) for m in MEASURES},
        bins=result.n_bins,
        places=places,
        week=result.by_hour_of_week(seen.clock),
        people=people,
        lorenz={m: lorenz(people[m]) for m in ("em", "kl")},
        gini={m: gini(people[m]) for m in ("em", "kl")},
    )


@dataclass(frozen=True, eq=False)
class Worked:
    """TRADE's table 4.1: the whole result, and of its user 2 (row 1) alone."""

    result: DisclosureResult
    second: DisclosureResult


def work_example(*, progress: Progress) -> Worked:
    """The measures of the worked example."""
    progress(0.0)
    fs, knowledge = table_4_1()
    second = Knowledge.from_bins(fs, {1: [(0.0, 0.0, float(bin_)) for bin_ in KNOWN[1]]})
    return Worked(disclosure(fs, knowledge, n_bins=N_BINS), disclosure(fs, second, n_bins=N_BINS))

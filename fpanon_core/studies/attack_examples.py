"""Whom to follow for a demonstration? People in whom a release makes a difference, or none.

Source: docs/science.md, “An outsider who knows the truth”.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from ..anonymize.carrying import carried, noise_in_space
from ..anonymize.chain import release as made_by
from ..attacks.homes import HomesAsked, NightPlaces, fullest_circle, most_nights, true_homes
from ..attacks.search import Published, ranks
from ..engines.local import Engine
from ..model.arrays import BoolArray, FloatArray, IntArray, offsets_of, rows_of
from ..model.linkage import LinkConfig
from ..model.options import ReleaseOption
from .linkage import Attacked, attacked, homes_asked, targets_of

Kind = Literal["hidden", "found", "home", "accused"]

_LOOKED_AT = 200  # targets, drawn


@dataclass(frozen=True)
class Example:
    """Somebody to follow.

    Attributes
    ----------
    kind : {"hidden", "found", "home", "accused"}
        By the points known of this person, the record is picked out in the data as they are and
        not in the release (it is named with a chance of less than a half); in both; the right
        record, one person's or a group's, leads alone in the release, and says where the home is
        (of those who are named with a chance of less than a half, if there are any); the person is
        not in the release, and somebody else's record is taken.
    user : int
        Row number in the original.
    pseudonym : str
        Of the session.
    period : int or None
        Number of the period of the record asked for; None without periods.
    """

    kind: Kind
    user: int
    pseudonym: str
    period: int | None = None


def examples(
    release: Attacked,
    config: LinkConfig,
    table: pd.DataFrame,
    within_m: Sequence[float],
    nights: int,
    *,
    engine: Engine,
) -> tuple[Example, ...]:
    """One person of each kind, where there is one among 200 targets drawn by the seed.

    Parameters
    ----------
    release : Attacked
    config : LinkConfig
    table : DataFrame
        Of these targets, as :attr:`fpanon_core.LinkResult.per_target`.
    within_m : sequence of float
        Of these distances the middle one is that within which a home counts as found.
    nights : int
    engine : LocalEngine
    """
    rng = np.random.default_rng(np.random.SeedSequence((config.seed, 4)))
    some = rng.permutation(len(table))[:_LOOKED_AT]
    few = table.iloc[some]
    before = _found_before(release, config, some, engine) > 0.5
    first = few["first"].to_numpy()
    at_home = _at_home(release, few, nights, middle(within_m), engine)
    kinds: dict[Kind, BoolArray] = {
        "hidden": before & (first < 0.5),
        "found": before & (first > 0.5),
        "home": at_home & (first < 0.5) if (at_home & (first < 0.5)).any() else at_home,
        "accused": few["accused"].to_numpy() == 1,
    }
    return tuple(
        Example(
            kind,
            int(row["user"]),
            str(row["pseudonym"]),
            None if release.period is None else int(row["period"]),
        )
        for kind, fits in kinds.items()
        for _, row in few[fits].head(1).iterrows()
    )


def middle(within_m: Sequence[float]) -> float:
    """The middle one of some distances."""
    return sorted(within_m)[len(within_m) // 2]


def _found_before(
    release: Attacked, config: LinkConfig, some: IntArray, engine: Engine
) -> FloatArray:
    """The chance that the record in the data as they are is picked out by the very same points."""
    original = release.origin.original
    raw = attacked(original, made_by(original, ReleaseOption()))
    known = targets_of(release, config)
    cells = carried(
        raw.origin, known, blur_m=config.blur_m, blur_min=config.blur_min, seed=config.seed
    )
    rows = rows_of(known.offsets[some], known.sizes[some])
    own = raw.published.own[release.person[known.targets[some]]]
    found = ranks(
        raw.published,
        cells.points.chosen(rows, known.sizes[some]),
        cells.mechanism,
        own,
        engine=engine,
    )
    chance: FloatArray = np.max([each.first for each in found.values()], axis=0)
    return chance


def _at_home(
    release: Attacked, table: pd.DataFrame, nights: int, within_m: float, engine: Engine
) -> BoolArray:
    """Of whom the right record is the one that leads, and says where the home is."""
    homes = homes_of(release, nights)
    if homes is None:
        return np.zeros(len(table), bool)
    own = release.published.own[_rows_of(release, table)]
    record = np.maximum(own, 0)  # of nobody any
    alone = (table["better"] == 0) & (table["level"] == release.published.weight[record])
    user, true = table["user"].to_numpy(), homes.homes
    guess = guesses_of(release, homes, record, engine)
    off = np.hypot(guess[:, 0] - true.x_m[user], guess[:, 1] - true.y_m[user])
    more = (guess[:, 0] != homes.known.x_m) | (guess[:, 1] != homes.known.y_m)
    found = more & (true.nights[user] >= nights) & (off <= within_m)
    leading: BoolArray = found & alone.to_numpy() & (own >= 0)
    return leading


def _rows_of(release: Attacked, table: pd.DataFrame) -> IntArray:
    """Of targets the fingerprints that were asked for."""
    user: IntArray = table["user"].to_numpy()
    if release.period is None:
        return user
    width = 1 + int(release.period.max())
    key = release.person * width + release.period
    order = np.argsort(key)
    wanted = user * width + table["period"].to_numpy()
    rows: IntArray = order[np.searchsorted(key, wanted, sorter=order)]
    return rows


def homes_of(release: Attacked, nights: int) -> HomesAsked | None:
    """The homes of people in the release; None where nobody's is known."""
    return homes_asked(release, true_homes(release.origin.original), nights)


def guesses_of(
    release: Attacked, homes: HomesAsked, records: IntArray, engine: Engine
) -> FloatArray:
    """What some records say of their people's homes, (n_records, 2), metres.

    By the place with most nights; after noise by the fullest circle. Such a guess is of the record,
    the same for whomever it is taken.
    """
    if len(records) == 0:
        return np.empty((0, 2))
    origin, some = release.origin, _only(release.published, records)
    noise = noise_in_space(origin.option)
    if noise.variance > 0:
        said = fullest_circle(origin.original, some, noise, engine=engine)
    else:
        said = most_nights(NightPlaces.of(origin.original, some))
    return said.unless_vague(homes.known)


def _only(published: Published, records: IntArray) -> Published:
    """Some of the records."""
    sizes = np.diff(published.offsets)[records]
    rows = rows_of(published.offsets[records], sizes)
    return Published(
        {name: values[rows] for name, values in published.cells.items()},
        published.count[rows],
        offsets_of(sizes),
        published.weight[records],
        np.empty(0, np.int64),
    )

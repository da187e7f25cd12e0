"""What do two releases of the same people leave of their crowds?

Asked of results at hand, of files with their keys, or of one of each: before a second release
leaves, by the dashboard and the command ``cross``.

See docs/science.md, “Two releases of the same people”.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from ..engines.progress import Progress
from ..measures import crossing as measure
from ..model.composition import Crossing
from ..model.errors import FpanonError
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult
from ..model.published import Membership
from ..model.released import ReleasedSet
from .memberships import Place, membership
from .tabled import Tabled


def cross_releases(
    first: ReleasedSet | GloveResult | Place | bytes,
    second: ReleasedSet | GloveResult | Place | bytes,
    *,
    first_key: Place | bytes | None = None,
    second_key: Place | bytes | None = None,
    original: FingerprintSet | None = None,
) -> Crossing:
    """Who is alone, or in how small a crowd, in the crossing of two releases' groups.

    Two releases that each keep everybody in a crowd of k may single people out together: of two
    groups of a person, one in each, often nobody else is in both. The crowd that is left is the
    people common to both groups.

    Parameters
    ----------
    first, second : ReleasedSet, GloveResult, path or bytes
        What :func:`release`, :func:`glove` or :func:`aligned` returned; or a folder or zip as
        :func:`publish` wrote it, or the zip's bytes.
    first_key, second_key : path or bytes, optional
        Of files: the key that was written with them. People are the same where their ids are.
    original : FingerprintSet, optional
        Of a GloveResult: what was hidden, where nobody in this process holds it any more.

    Returns
    -------
    Crossing
        The crowds of the crossing beside those of each release alone, over the people in both.

    Raises
    ------
    ConfigError
        A key, or the original, is missing or another one's.
    SchemaError
        Files are not there, damaged, or not as they were written.
    InfeasibleError
        Nobody is in both.

    Notes
    -----
    Assumes an outsider who can tell in which group somebody is in each release, as a few true
    points of the person may do. It assumes nothing of the places: whether such an outsider exists
    is for :func:`link` to say. Who shares a group in both shares all that both releases say, so
    that no outsider, whatever is known, can tell these people apart by the two releases; with
    periods, by what these say of one period. ``followed`` is for whoever knows groups in all.

    Source: docs/science.md, “Two releases of the same people”; Ganta, Kasiviswanathan & Smith 2008.

    Examples
    --------
    Four people on a line. By places of 2 km they are two pairs, and by the same places with
    another corner, too; but other pairs, so that the first and the last are alone in the crossing.

    >>> from fpanon_core import GeneralizationProfile, Grid, release
    >>> x_m = [0, 1000, 2000, 3000]
    >>> fs = FingerprintSet.from_samples(["a", "b", "c", "d"], x_m, [0] * 4, [5] * 4)
    >>> ways = [GeneralizationProfile(Grid(2000, (x, 0)), 60) for x in (0, 1000)]
    >>> found = cross_releases(*(release(fs, way) for way in ways))
    >>> found.per_person[["first", "second", "together"]].values.tolist()
    [[2, 1, 1], [2, 2, 1], [2, 2, 1], [2, 1, 1]]
    >>> found.together.alone, found.newly_alone
    (4, 2)
    """
    return measure.crossing(
        membership(first, key=first_key, original=original),
        membership(second, key=second_key, original=original),
    )


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """A crossing as tables.

    Attributes
    ----------
    crossing : Crossing
    """

    crossing: Crossing

    MAY_LEAVE = frozenset({"crossing", "crossing_sizes", "crossing_periods"})

    def tables(self) -> dict[str, pd.DataFrame]:
        """``crossing``: the figures; ``crossing_sizes``, ``crossing_periods``, ``crossing_people``.

        The last has a row for each person, and is not for release.
        """
        found = self.crossing
        return {
            "crossing": found.to_frame(),
            "crossing_sizes": found.sizes,
            "crossing_periods": found.periods,
            "crossing_people": found.per_person,
        }


def crossed(made: Membership, before: Sequence[Membership]) -> Crossing:
    """A release held against those that left before, all of them together: they come first.

    Parameters
    ----------
    made : Membership
    before : sequence of Membership
        At least one.

    Raises
    ------
    InfeasibleError
        Nobody is in both.
    """
    return measure.crossing(measure.together(before), made)


@dataclass(frozen=True)
class Config:
    """Which files are to be read.

    Attributes
    ----------
    release, key : str
        Digests of the two files, which tell them from others.
    """

    release: str
    key: str


@dataclass(frozen=True, eq=False)
class Older:
    """A release of earlier, as its files say; or why they cannot be used.

    Attributes
    ----------
    found : Membership or None
    refused : str
    """

    found: Membership | None
    refused: str = ""


def study(
    config: Config,  # noqa: ARG001
    release: bytes = b"",
    key: bytes = b"",
    *,
    progress: Progress | None = None,
) -> Older:
    """Who is who in a release that was written earlier; in the child, for it is a file of anybody.

    Parameters
    ----------
    config : Config
    release, key : bytes
        The zip and the key that was written with it.
    """
    if progress is not None:
        progress(0.0)
    try:
        return Older(membership(release, key=key))
    except FpanonError as refusal:
        return Older(None, refusal.message)

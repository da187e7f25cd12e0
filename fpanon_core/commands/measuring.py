"""Options of the commands that measure: stretch effort, profiles, what is known of whom, cores."""

from __future__ import annotations

from itertools import product
from typing import Annotated

import typer

from ..model.configs import StretchConfig
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.profiles import GeneralizationProfile, Grid

WSpace = Annotated[float, typer.Option(help="Weight of space.")]
WTime = Annotated[
    float | None, typer.Option(help="Weight of time; what space leaves of 1 if not given.")
]
MaxSpaceM = Annotated[float, typer.Option(help="Stretch in space that counts as complete, metres.")]
MaxTimeMin = Annotated[
    float, typer.Option(help="Stretch in time that counts as complete, minutes.")
]
Profiles = Annotated[
    list[str] | None,
    typer.Option(
        "--profile",
        help="Generalize first, to a grid of METRES and windows of MINUTES, as in 2500:60; lists, "
        "as in 500,1000,2000:60,120, mean every combination; may be given several times. The data "
        "as read if not given.",
        metavar="METRES:MINUTES",
    ),
]
StrategyName = Annotated[
    str,
    typer.Option(
        "--strategy",
        help="Which points are known: drawn among the interactions, uniformly among the samples, "
        "the most visited places without time, or samples in a row.",
        metavar="random|uniform|top|consecutive",
    ),
]
Users = Annotated[
    int, typer.Option("--users", help="People drawn to estimate it on; all if there are fewer.")
]
Seed = Annotated[int, typer.Option("--seed", help="Of the draws; the same gives the same.")]
Workers = Annotated[int | None, typer.Option(help="Processor cores to use; all if not given.")]


def stretch(
    w_space: float, w_time: float | None, max_space_m: float, max_time_min: float
) -> StretchConfig:
    """The stretch effort of the options."""
    return StretchConfig(
        w_space, 1 - w_space if w_time is None else w_time, max_space_m, max_time_min
    )


def profiles_of(texts: list[str] | None) -> list[GeneralizationProfile]:
    """From ``["2500:60"]``, or ``["500,1000:60,120"]`` for every combination; none of none."""
    return [each for text in texts or [] for each in _profiles(text)]


def as_read(fs: FingerprintSet) -> GeneralizationProfile:
    """The profile that leaves the data as they were read."""
    return GeneralizationProfile(Grid(fs.granularity_m), fs.granularity_min)


def _profiles(text: str) -> list[GeneralizationProfile]:
    try:
        spaces, windows = ([float(n) for n in part.split(",")] for part in text.split(":"))
    except ValueError:
        raise ConfigError(
            f"--profile {text!r} is not metres:minutes; give for example --profile 2500:60 or "
            "--profile 500,1000:60,120."
        ) from None
    return [GeneralizationProfile(Grid(m), minutes) for m, minutes in product(spaces, windows)]

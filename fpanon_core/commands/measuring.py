"""Options of the commands that measure: stretch effort, profiles, what is known of whom, cores.

Before a long run: what it is likely to take, and that nothing is begun that cannot fit.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import product
from typing import Annotated, Any

import typer

from ..engines.cluster import DaskEngine
from ..engines.local import Engine, LocalEngine
from ..model.configs import StretchConfig
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.profiles import GeneralizationProfile, parse_profile
from ..studies.foretold import foretell, refuse_what_does_not_fit

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
        "as in 500,1000,2000:60,120, mean every combination; may be given several times. Also in "
        "words, as in '2.5 km · 1 h'; h8:60 for hexagons of H3 resolution 8, a7:60 for clusters of "
        "about 7 antennas, @district:60 for regions of the antenna table. A grid is laid so that "
        "people share their cells with many; 2500e0n0:60 lays it from 0 m east and north of the "
        "projection's centre. The data as read if not given.",
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
Seed = Annotated[int, typer.Option("--seed", help="Of a study's draws; the same gives the same.")]
Workers = Annotated[int | None, typer.Option(help="Processor cores to use; all if not given.")]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        help="Compute on a Dask cluster, whose workers then hold the data: the address of its "
        "scheduler, as in tls://host:8786.",
        metavar="ADDRESS",
    ),
]


def engine_of(workers: int | None, scheduler: str | None) -> Engine:
    """Where the options have the work done.

    Raises
    ------
    ConfigError
        Both are given, or one is not what it should be.
    InfeasibleError
        No scheduler answers.
    """
    if scheduler is None:
        return LocalEngine(workers)
    if workers is not None:
        raise ConfigError(
            "--workers is of this machine's cores, --scheduler of a cluster's; give one of them."
        )
    return DaskEngine(scheduler)


def stretch(
    w_space: float, w_time: float | None, max_space_m: float, max_time_min: float
) -> StretchConfig:
    """The stretch effort of the options."""
    return StretchConfig(
        w_space, 1 - w_space if w_time is None else w_time, max_space_m, max_time_min
    )


def profiles_of(texts: list[str] | None) -> list[GeneralizationProfile]:
    """What the options ``--profile`` ask for, in their order; none of none.

    Examples
    --------
    >>> [each.code for each in profiles_of(["500,h8:60,120", "a7x60", "2500e0n0:60"])]
    ['500x60', '500x120', 'h8x60', 'h8x120', 'a7x60', '2500e0n0x60']
    """
    return [parse_profile(each) for text in texts or [] for each in _combinations(text)]


def _combinations(text: str) -> list[str]:
    """Of lists such as ``"500,1000:60,120"`` every combination; any other text alone."""
    spaces, colon, windows = text.partition(":")
    if not colon or "," not in text:
        return [text]
    pairs = product(spaces.split(","), windows.split(","))
    return [f"{space.strip()}:{window.strip()}" for space, window in pairs]


_MANY_USERS = 5_000  # below, a run is over sooner than anybody has read how long it takes


def foretold(study: Callable[..., Any], fs: FingerprintSet, config: Any, engine: Engine) -> None:
    """Say on a terminal what a run takes; on this machine, refuse what would not fit.

    Raises
    ------
    InfeasibleError
        It needs more memory than a computation may take here, by an estimate.
    """
    if not isinstance(engine, LocalEngine):
        return  # the data go to the workers
    refuse_what_does_not_fit(study, fs, config, engine=engine)
    if fs.n_users >= _MANY_USERS and sys.stderr.isatty():
        told = str(foretell(study, fs, config, engine=engine))
        typer.echo(f"{told[:1].upper()}{told[1:]}.", err=True)

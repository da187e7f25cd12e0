"""Before a long run: what it is likely to take, and that nothing is begun that cannot fit."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import typer

from ..engines.local import Engine, LocalEngine
from ..model.fingerprints import FingerprintSet
from ..studies.foretold import foretell, refuse_what_does_not_fit

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

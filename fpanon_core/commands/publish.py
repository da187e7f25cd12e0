"""``publish``: one release option, made and written as it is to leave."""

from __future__ import annotations

from typing import cast

import typer

from ..io.publishing import FORMATS, Format
from ..model.checks import one_of
from ..model.errors import ConfigError
from ..studies.production import drawn
from ..studies.publishing import publish as write
from . import leaving
from . import measuring as m
from . import named_option as o
from . import reading as r
from .terminal import progress_line


@r.reading_options
def publish(
    wanted: r.Request,
    option: o.Named,
    out: leaving.Out = None,
    options_file: o.OptionsFile = None,
    key: leaving.Key = None,
    left_out: leaving.LeftOut = None,
    data_format: leaving.DataFormat = "csv",
    workers: m.Workers = None,
    scheduler: m.Scheduler = None,
) -> None:
    """Make a release option's release, and write it as it is to leave.

    Noise, exchanges and draws of people come from the operating system's randomness: there is no
    seed, and another time it is another release.
    """
    one_of("--format", data_format, FORMATS)
    if out is None:
        raise ConfigError("Say with --out where the release goes: a .zip, or a new folder.")
    leaving.check_places(out, key, left_out)
    own = o.options_in(options_file)
    engine = m.engine_of(workers, scheduler)
    fs, report = wanted.read()
    chosen = o.named(option, own, fs)
    with progress_line("release") as progress:
        released = drawn(fs, chosen, engine=engine, progress=progress)
    path = write(released, out, key=key, left_out=left_out, format=cast(Format, data_format))
    typer.echo(wanted.account(fs, report))
    typer.echo(f"{chosen.text}: {released.n_users:,} people, {released.n_samples:,} samples.")
    typer.echo(leaving.told(path, key, left_out))

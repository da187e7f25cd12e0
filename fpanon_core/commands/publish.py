"""``publish``: one release option, made and written as it is to leave."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, cast

import typer

from ..engines.local import LocalEngine
from ..io.publishing import FORMATS, Format
from ..model.checks import one_of
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.options import ReleaseOption, as_option, name_key
from ..model.profiles import parse_profile
from ..studies.presets import PRESETS
from ..studies.production import drawn
from ..studies.publishing import publish as write
from ..tables.writing import read_json
from . import leaving
from . import measuring as m
from . import reading as r
from .terminal import progress_line


@r.reading_options
def publish(
    wanted: r.Request,
    option: Annotated[
        str,
        typer.Option(
            "--option",
            help="Which one: its name in --options or in the table of the command options, or a "
            "profile such as '2.5 km · 1 h'.",
        ),
    ],
    out: leaving.Out = None,
    options_file: Annotated[
        Path | None,
        typer.Option("--options", help="JSON file with a list of release options of your own."),
    ] = None,
    key: leaving.Key = None,
    left_out: leaving.LeftOut = None,
    data_format: leaving.DataFormat = "csv",
    workers: m.Workers = None,
) -> None:
    """Make a release option's release, and write it as it is to leave.

    Noise, exchanges and draws of people come from the operating system's randomness: there is no
    seed, and another time it is another release.
    """
    one_of("--format", data_format, FORMATS)
    if out is None:
        raise ConfigError("Say with --out where the release goes: a .zip, or a new folder.")
    leaving.check_places(out, key, left_out)
    own = [] if options_file is None else _options_in(options_file)
    engine = LocalEngine(workers)
    fs, report = wanted.read()
    chosen = _chosen(option, own, fs)
    with progress_line("release") as progress:
        released = drawn(fs, chosen, engine=engine, progress=progress)
    path = write(released, out, key=key, left_out=left_out, format=cast(Format, data_format))
    typer.echo(wanted.account(fs, report))
    typer.echo(f"{chosen.text}: {released.n_users:,} people, {released.n_samples:,} samples.")
    typer.echo(leaving.told(path, key, left_out))


def _options_in(path: Path) -> list[ReleaseOption]:
    plain = read_json(path)
    if not isinstance(plain, list) or not plain:
        raise ConfigError(
            'The file of options is no list; write [{"name": …, "steps": [{"technique": …}]}].'
        )
    return [as_option(each) for each in plain]


def _chosen(name: str, own: list[ReleaseOption], fs: FingerprintSet) -> ReleaseOption:
    """The option of that name, of the file's or a preset's; or of the profile it says."""
    known = [*own, *(each for preset in PRESETS.values() for each in preset(fs))]
    for each in known:
        if name_key(each.name) == name_key(name):
            return each
    try:
        return as_option(parse_profile(name))
    except ConfigError:
        raise ConfigError(
            f"There is no option {name!r}; give its name as the command options lists it, or a "
            "profile such as '2.5 km · 1 h'."
        ) from None

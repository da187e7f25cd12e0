"""Which release option is meant? By its name, in a file or a preset, or by the profile it says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.options import ReleaseOption, as_option, name_key
from ..model.profiles import parse_profile
from ..studies.presets import PRESETS
from ..tables.writing import read_json

Named = Annotated[
    str,
    typer.Option(
        "--option",
        help="Which one: its name in --options or in the table of the command options, or a "
        "profile such as '2.5 km · 1 h'.",
    ),
]
OptionsFile = Annotated[
    Path | None,
    typer.Option("--options", help="JSON file with a list of release options of your own."),
]


def options_in(path: Path | None) -> list[ReleaseOption]:
    """The options of a file; none without one.

    Raises
    ------
    ConfigError, SchemaError
        It holds none.
    """
    if path is None:
        return []
    plain = read_json(path)
    if not isinstance(plain, list) or not plain:
        raise ConfigError(
            'The file of options is no list; write [{"name": …, "steps": [{"technique": …}]}].'
        )
    return [as_option(each) for each in plain]


def named(name: str, own: list[ReleaseOption], fs: FingerprintSet) -> ReleaseOption:
    """The option of that name, of the file's or a preset's; or of the profile it says.

    Raises
    ------
    ConfigError
        There is none.
    """
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

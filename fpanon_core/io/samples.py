"""What can be tried without data of one's own? The data sets shipped in ``sample_data/``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from ..model.errors import ConfigError
from ..model.version import SHIPPED

_FOLDER = SHIPPED / "sample_data"
_TABLE = Path(__file__).with_suffix(".toml")

SYNTHETIC_QUESTIONNAIRE = _FOLDER / "questionnaire_synthetic.csv"
"""Invented answers on the published options for the synthetic sample; they prove nothing."""


@dataclass(frozen=True)
class Sample:
    """A shipped data set.

    Attributes
    ----------
    key : str
        Short name, for URLs and the command line.
    title : str
        Name on screen; says "synthetic" where it is.
    path, antennas_path : Path
        The records, and the table of their antennas.
    timezone : str
        Display time zone, IANA name.
    synthetic : bool
        Whether the people are invented.
    description : str
        What it is, where it is from and on what terms: to be shown wherever the data are.
    """

    key: str
    title: str
    path: Path
    antennas_path: Path
    timezone: str
    synthetic: bool
    description: str


SAMPLES = tuple(
    Sample(key, **told | {name: _FOLDER / told[name] for name in ("path", "antennas_path")})
    for key, told in tomllib.loads(_TABLE.read_text(encoding="utf-8")).items()
)


def sample(key: str) -> Sample:
    """The sample data set of that key.

    Raises
    ------
    ConfigError
        If there is none.
    """
    for known in SAMPLES:
        if known.key == key:
            return known
    raise ConfigError(
        f"There is no sample {key!r}; choose one of {', '.join(s.key for s in SAMPLES)}."
    )

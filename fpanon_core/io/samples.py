"""Data sets shipped in ``sample_data/``, for users without data of their own."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from ..model.errors import ConfigError
from ..model.version import SHIPPED

_FOLDER = SHIPPED / "sample_data"
_TABLE = Path(__file__).with_suffix(".toml")
_SHOWN = 0.85  # of the antennas, from west to east

SYNTHETIC_QUESTIONNAIRE = _FOLDER / "questionnaire_synthetic.csv"
"""Invented answers on the published options for the invented sample; they prove nothing."""


@dataclass(frozen=True)
class Sample:
    """Shipped data set.

    Attributes
    ----------
    key : str
        Short name, for URLs and the command line.
    title : str
        Name on screen; includes "invented" for invented data.
    path, antennas_path : Path
        Files of the records, and of the table of their antennas.
    timezone : str
        Display time zone, IANA name.
    synthetic : bool
        Whether the people are invented.
    description : str
        Content, source and terms of use, to be shown wherever the data are.
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
    """Return the sample data set with this key.

    Raises
    ------
    ConfigError
        There is no such sample.
    """
    for known in SAMPLES:
        if known.key == key:
            return known
    raise ConfigError(
        f"There is no sample {key!r}; choose one of {', '.join(s.key for s in SAMPLES)}."
    )


@cache
def dots(sample: Sample, wide: int, high: int) -> str:
    """Return an SVG path with a dot for each antenna near the middle of a data set, north up.

    ``wide`` and ``high`` are the size of the drawing, in the units of the path.
    """
    table = pd.read_csv(sample.antennas_path)
    middle = table[["lon", "lat"]].median()
    east = (table["lon"] - middle["lon"]) * np.cos(np.radians(middle["lat"]))
    north = table["lat"] - middle["lat"]
    scale = wide / 2 / float(east.abs().quantile(_SHOWN))
    x, y = wide / 2 + scale * east, high / 2 - scale * north
    return "".join(
        f"M{at[0]:.1f} {at[1]:.1f}h0"
        for at in zip(x, y, strict=True)
        if 2 < at[0] < wide - 2 and 2 < at[1] < high - 2
    )

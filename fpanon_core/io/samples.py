"""What can be tried without data of one's own? The data sets shipped in ``sample_data/``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..model.errors import ConfigError
from ..model.version import SHIPPED
from ..synthetic.region import REGION_TIMEZONE

_FOLDER = SHIPPED / "sample_data"

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


SAMPLES: tuple[Sample, ...] = (
    Sample(
        key="sf_cabs",
        title="San Francisco taxis, one day",
        path=_FOLDER / "sf_cabs_20080608_cdr.csv.gz",
        antennas_path=_FOLDER / "sf_antennas_opencellid.csv",
        timezone="America/Los_Angeles",
        synthetic=False,
        description=(
            "Real movement of 496 taxis over 24 hours in June 2008, brought into the shape of call "
            "records by us: a random eighth of the GPS fixes, each moved to the nearest antenna "
            "within 1.5 km. Taxis: Cabspotting (Piorkowski, Sarafijanovic-Djukic and Grossglauser, "
            "2009), CC BY 4.0 as redistributed in MobiDataLab's mdl-anonymizer. Antennas: "
            "OpenCellID, CC BY-SA 4.0."
        ),
    ),
    Sample(
        key="synthetic",
        title="Synthetic: 2,000 invented people, two weeks",
        path=_FOLDER / "synthetic_2000.csv.gz",
        antennas_path=_FOLDER / "synthetic_2000_antennas.csv",
        timezone=REGION_TIMEZONE,
        synthetic=True,
        description=(
            "Synthetic call records of 2,000 invented people in an invented region, laid on an "
            "uninhabited plain of the Sahara so that no real place is meant. Homes, workplaces, "
            "exploration and preferential return after Song et al. (2010). It shows how the tools "
            "behave and proves nothing about people. Made by this program's own generator; free of "
            "rights (CC0)."
        ),
    ),
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

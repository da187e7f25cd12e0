"""``counts``: plain, suppressed or private counts of people by place and slot, for publication."""

from __future__ import annotations

import datetime as dt
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from ..io.antennas import read_antennas
from ..io.positions import middle_of
from ..io.turns import AS_THEY_ARE
from ..model.checks import one_of
from ..model.counts_frame import FrameConfig, StatedArea, StatedPeriod
from ..model.errors import ConfigError
from ..model.options import Unit
from ..studies import counts_release
from ..studies.counts_release import Form
from ..studies.recovery import CUSTOMARY_LIMIT
from .from_config import Fields, asked, command
from .run import Request, Run, progress_line, said

_UNITS: dict[str, Unit] = {"person": "user", "slot": "user-slot"}
_FORMATS = ("csv", "parquet")
_RUN: Fields = dict.fromkeys(("workers", "scheduler", "out", "tables"))


def read_date(text: str | None) -> dt.date | None:
    """Return the date that a text states, None for None; raise ConfigError if it is no date."""
    try:
        return None if text is None else dt.date.fromisoformat(text)
    except ValueError:
        raise ConfigError(f"--from {text!r} is not a date; write it like 2024-03-04.") from None


_ASKED: Fields = {
    "first_day": asked("--from", metavar="YYYY-MM-DD", kind=str | None, read=read_date),
    "places": asked(metavar="antennas|grid"),
    "area": asked(metavar="SOUTH,WEST,NORTH,EAST", kind=str | None, read=StatedArea.read),
    "suppress_below": asked(help=f"Leave counts below this blank; {CUSTOMARY_LIMIT} is customary."),
    "private": asked(metavar="EPS"),
    "unit": asked(metavar="person|slot"),
}


@dataclass(frozen=True)
class Wish:
    """Places, days and protection of the counts.

    Attributes
    ----------
    first_day : date or None
        First day of the counts, local date.
    days : int or None
        Number of days.
    slot_min : float
        Length of a slot, minutes; it must divide a day.
    places : str or None
        Count at the antennas of the antenna table, or in squares over --area; antennas if there is
        no --area.
    area : StatedArea or None
        Southern, western, northern and eastern bounds in degrees, or in metres with an m after
        each. Records outside are not counted.
    side_m : float
        Side of a square of the grid, metres.
    recorded_only : bool
        Count people only in slots in which they have a sample; otherwise gaps are filled in. Always
        true with --unit slot.
    suppress_below : int or None
        Leave counts below this blank.
    private : float or None
        Make differentially private counts with this ε.
    unit : str
        Records that ε protects: all of a person's records, or those in one slot.
    """

    first_day: dt.date | None = None
    days: int | None = None
    slot_min: float = 30.0
    places: str | None = None
    area: StatedArea | None = None
    side_m: float = 1_000.0
    recorded_only: bool = False
    suppress_below: int | None = None
    private: float | None = None
    unit: str = "person"


@command
def counts(
    out: Path,
    wish: Annotated[Wish, _ASKED],
    run: Annotated[Run, _RUN],
    table_format: Annotated[str, asked("--format", metavar="csv|parquet")] = "csv",
) -> None:
    """Make counts by place and time slot for publication, over stated places and days.

    Parameters
    ----------
    out : Path
        Zip file to write, with counts, places, README and description.
    table_format : str
        Format of the counts in the zip.
    """
    config = _config(wish, run.wanted)
    if table_format not in _FORMATS:
        raise ConfigError(f"--format {table_format!r}; give one of {', '.join(_FORMATS)}.")
    if out.suffix.lower() != ".zip":
        raise ConfigError(f"The output's name ends in {out.suffix!r}; end it in .zip.")
    if out.is_dir() or not out.absolute().parent.is_dir():
        raise ConfigError("The output's folder does not exist, or the name is that of a folder.")
    run.read(centre=stated_centre(run.wanted, config.frame) if wish.private is not None else None)
    with progress_line("counts") as progress:
        made = counts_release.study(run.fs, config, progress=progress)
    counts_release.write_package(made, out, table_format)
    run.written.append(f"{counts_release.TITLES[config.form]} written to {out}.")
    epsilons = "" if made.guarantee is None else counts_release.epsilons(made.guarantee)
    told = said("counts", made=made, customary=CUSTOMARY_LIMIT, epsilons=epsilons)
    run.end(_figures(made), *told)


def _config(wish: Wish, wanted: Request) -> counts_release.Config:
    private, below = wish.private, wish.suppress_below
    if wish.unit not in _UNITS:
        raise ConfigError(f"--unit {wish.unit!r}; give one of {', '.join(_UNITS)}.")
    if private is not None and below is not None:
        raise ConfigError("Give either --private or --suppress-below, not both.")
    if wish.unit == "slot" and private is None:
        raise ConfigError("--unit is for private counts only; give --private with an ε.")
    if wish.days is None:
        raise ConfigError("State the period: --from with the first day, and --days.")
    if wish.places is not None:
        one_of("--places", wish.places, ("antennas", "grid"))
    if private is not None:
        check_private(wanted)
    period = StatedPeriod(wish.first_day, wish.days, wish.slot_min, wanted.timezone)
    places: Any = wish.places or ("antennas" if wish.area is None else "grid")
    form: Form = "plain" if below is None else "suppressed"
    return counts_release.Config(
        FrameConfig(period, places, wish.area, wish.side_m),
        form if private is None else "private",
        filled_in=not wish.recorded_only and wish.unit != "slot",
        below=CUSTOMARY_LIMIT if below is None else below,
        epsilon=1.0 if private is None else private,
        unit=_UNITS[wish.unit],
    )


def check_private(wanted: Request) -> None:
    """Raise ConfigError if the records decide a setting that must be stated for privacy."""
    if wanted.timezone is None:
        raise ConfigError(
            "State the time zone of a private release with --timezone: if guessed, the zone is "
            "taken from the records."
        )
    if wanted.screening.by_span:
        raise ConfigError(
            "--screen civ and sen go by the days of all records, so one more person can change "
            "who is kept. For a private release, screen only by a minimum number of samples."
        )


def stated_centre(wanted: Request, frame: FrameConfig) -> tuple[float, float] | None:
    """Return the projection centre of a private release from stated values, never from records.

    The centre is (latitude, longitude) in degrees: the middle of the stated area or, without an
    area, of the antenna table. It is None if the area is in metres or there is neither.

    Raises
    ------
    ConfigError
        ``--positions`` would let the events decide how the antennas' positions are read.
    """
    area = frame.area
    if area is not None:
        return area.middle if area.unit == "degrees" else None
    table = wanted.antenna_table()
    if table is not None and wanted.positions not in (None, AS_THEY_ARE):
        raise ConfigError(
            "For private releases at the antennas, correct the positions in the files themselves: "
            "with --positions, the events decide how the antennas' positions are read."
        )
    return None if table is None else middle_of(read_antennas(table))


def _figures(made: counts_release.Result) -> dict[str, Any]:
    guarantee = made.guarantee
    return {
        "form": made.config.form,
        "places": made.frame.n_places,
        "slots": made.frame.n_slots,
        "people": made.people,
        "left_out": asdict(made.left_out),
        "counts": made.published,
        "of_one_person": made.of_one,
        "blank": made.blank,
        "privacy": None
        if guarantee is None
        else asdict(guarantee)
        | {"epsilon_all": guarantee.epsilon_all, "epsilon_slot": guarantee.epsilon_slot},
    }

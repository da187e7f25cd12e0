"""``counts``: people by place and time slot, to be published; plain, suppressed or private."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from ..io.antennas import read_antennas
from ..io.positions import middle_of
from ..io.turns import AS_THEY_ARE
from ..model.configs import Screening
from ..model.counts_frame import PLACES, FrameConfig, StatedArea, StatedPeriod
from ..model.errors import ConfigError
from ..model.options import Unit
from ..studies import counts_release, counts_words
from ..studies.counts_release import Form
from ..studies.recovery import CUSTOMARY_LIMIT
from . import reading as r
from .terminal import progress_line

_UNITS: dict[str, Unit] = {"person": "user", "slot": "user-slot"}
_FORMATS = ("csv", "parquet")


@r.reading_options
def counts(
    wanted: r.Request,
    out: Annotated[
        Path, typer.Option("--out", help="The zip to write: counts, places, README, description.")
    ],
    first_day: Annotated[
        str | None,
        typer.Option("--from", help="First day of the counts, local date.", metavar="YYYY-MM-DD"),
    ] = None,
    days: Annotated[int | None, typer.Option("--days", help="Number of days.")] = None,
    slot_min: Annotated[
        float, typer.Option("--slot-min", help="Length of a slot, minutes; must divide a day.")
    ] = 30.0,
    places: Annotated[
        str | None,
        typer.Option(
            "--places",
            help="Count at the antennas of the antenna table, or in squares over --area; antennas "
            "if there is no --area.",
            metavar="antennas|grid",
        ),
    ] = None,
    area: Annotated[
        str | None,
        typer.Option(
            "--area",
            help="Southern, western, northern and eastern bound in degrees; in metres with an m "
            "after each. Records outside are not counted.",
            metavar="SOUTH,WEST,NORTH,EAST",
        ),
    ] = None,
    side_m: Annotated[
        float, typer.Option("--side-m", help="Side of a square of the grid, metres.")
    ] = 1_000.0,
    recorded_only: Annotated[
        bool,
        typer.Option(
            "--recorded-only",
            help="Count people only in slots with a sample of theirs; otherwise gaps are filled "
            "in. Always so with --unit slot.",
        ),
    ] = False,
    suppress_below: Annotated[
        int | None,
        typer.Option(
            "--suppress-below",
            help=f"Leave counts below this blank; {CUSTOMARY_LIMIT} is customary.",
        ),
    ] = None,
    private: Annotated[
        float | None,
        typer.Option("--private", help="Differentially private counts with this ε.", metavar="EPS"),
    ] = None,
    unit: Annotated[
        str,
        typer.Option(
            "--unit",
            help="What ε protects: all of a person's records, or those in one slot.",
            metavar="person|slot",
        ),
    ] = "person",
    table_format: Annotated[
        str, typer.Option("--format", help="Of the counts in the zip.", metavar="csv|parquet")
    ] = "csv",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what was made as JSON, for machines.")
    ] = False,
) -> None:
    """Make counts by place and time slot to be published, over stated places and days."""
    config = _config(
        wanted,
        first_day,
        days,
        slot_min,
        places,
        area,
        side_m,
        recorded_only,
        suppress_below,
        private,
        unit,
    )
    if table_format not in _FORMATS:
        raise ConfigError(f"--format {table_format!r}; give one of {', '.join(_FORMATS)}.")
    if out.suffix.lower() != ".zip":
        raise ConfigError(f"The output's name ends in {out.suffix!r}; end it in .zip.")
    if out.is_dir() or not out.absolute().parent.is_dir():
        raise ConfigError("The output's folder does not exist, or the name is a folder's own.")
    fs, report = wanted.read(_centre(wanted, config) if private is not None else None)
    with progress_line("counts") as progress:
        made = counts_release.study(fs, config, progress=progress)
    counts_release.write_package(made, out, table_format)
    if as_json:
        typer.echo(json.dumps(_plain(made), indent=2, allow_nan=False))
        return
    typer.echo(wanted.account(fs, report))
    typer.echo(_told(made))
    typer.echo(f"{counts_words.TITLES[config.form]} written to {out}.")


def _config(
    wanted: r.Request,
    first_day: str | None,
    days: int | None,
    slot_min: float,
    places: str | None,
    area: str | None,
    side_m: float,
    recorded_only: bool,
    suppress_below: int | None,
    private: float | None,
    unit: str,
) -> counts_release.Config:
    if unit not in _UNITS:
        raise ConfigError(f"--unit {unit!r}; give one of {', '.join(_UNITS)}.")
    if private is not None and suppress_below is not None:
        raise ConfigError("Give --private or --suppress-below, one of the two.")
    if unit == "slot" and private is None:
        raise ConfigError("--unit is of private counts; give --private with an ε.")
    if days is None:
        raise ConfigError("State the period: --from with the first day, and --days.")
    if places is not None and places not in PLACES:
        raise ConfigError(f"--places {places!r}; give one of {', '.join(PLACES)}.")
    if private is not None and wanted.timezone is None:
        raise ConfigError(
            "State the time zone of private counts with --timezone: guessed, it is taken from the "
            "records."
        )
    if private is not None and Screening.of(_rule(wanted.screen)).by_span:
        raise ConfigError(
            "--screen civ and sen go by the days of all records, so that one person more can "
            "decide who is kept; of private counts screen by a least number of samples only."
        )
    chosen = places or ("antennas" if area is None else "grid")
    frame = FrameConfig(
        StatedPeriod(_date(first_day), days, slot_min, wanted.timezone),
        "grid" if chosen == "grid" else "antennas",
        None if area is None else _area(area),
        side_m,
    )
    form: Form = "plain"
    if private is not None:
        form = "private"
    elif suppress_below is not None:
        form = "suppressed"
    return counts_release.Config(
        frame,
        form,
        filled_in=not recorded_only and unit != "slot",
        below=CUSTOMARY_LIMIT if suppress_below is None else suppress_below,
        epsilon=1.0 if private is None else private,
        unit=_UNITS[unit],
    )


def _rule(screen: str | None) -> Any:
    return int(screen) if screen is not None and screen.isdecimal() else screen or None


def _centre(wanted: r.Request, config: counts_release.Config) -> tuple[float, float] | None:
    """Of the projection of private counts: of what is stated alone, whatever the records."""
    area = config.frame.area
    if area is not None:
        return area.middle if area.unit == "degrees" else None
    table = wanted.antenna_table()
    if table is not None and wanted.positions not in (None, AS_THEY_ARE):
        raise ConfigError(
            "For private counts at the antennas, correct the positions in the files themselves: "
            "with --positions the events decide how those of the antennas are read."
        )
    return None if table is None else middle_of(read_antennas(table))


def _date(text: str | None) -> dt.date | None:
    try:
        return None if text is None else dt.date.fromisoformat(text)
    except ValueError:
        raise ConfigError(f"--from {text!r} is no date; write it like 2024-03-04.") from None


def _area(text: str) -> StatedArea:
    parts = [part.strip() for part in text.split(",")]
    metres = all(part.endswith("m") for part in parts)
    try:
        south, west, north, east = (float(part.rstrip("m") if metres else part) for part in parts)
    except ValueError:
        raise ConfigError(
            f"--area {text!r}; give four numbers of degrees such as 14.6,-17.6,14.9,-17.2, or of "
            "metres such as 0m,0m,5000m,5000m."
        ) from None
    return StatedArea(south, west, north, east, "metres" if metres else "degrees")


def _told(made: counts_release.Result) -> str:
    """What only the maker may know, and what ε means."""
    out, frame = made.left_out, made.frame
    lines = [
        f"{frame.n_places:,} places, {frame.n_slots:,} slots of {frame.slot_min:g} min; "
        f"{made.people:,} people counted"
        + (", gaps filled in." if made.counts.filled_in else " where they have a sample."),
        f"Left out by the frame: {out.outside_area:,} samples outside the area, "
        f"{out.outside_period:,} outside the period, {out.people:,} people without any inside.",
    ]
    if made.config.form == "plain":
        lines.append(
            f"Nothing protects these counts: {made.of_one:,} of the {made.published:,} in the zip "
            f"are of one person alone, and say where that person was. --suppress-below "
            f"{CUSTOMARY_LIMIT} leaves small ones blank; --private has a promise."
        )
    if made.config.form == "suppressed":
        lines.append(
            f"{made.blank:,} counts left blank, {made.blank_share:.1%} of all people counted. In "
            f"{made.subtractable:,} of {frame.n_slots:,} slots, who knows the total learns by "
            f"subtraction that fewer than {made.config.below} are in the blanks: publish no totals."
        )
    if made.guarantee is not None:
        lines.append(counts_words.epsilons(made.guarantee))
        lines.append("These exact numbers are not in the zip; do not publish them.")
    return "\n".join(lines)


def _plain(made: counts_release.Result) -> dict[str, Any]:
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

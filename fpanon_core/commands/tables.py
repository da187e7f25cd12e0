"""``tables``, ``synthesize``, ``ledger``: releases without records, and their ε."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ..io.antennas import read_antennas
from ..io.ledger import Ledger, spent_at
from ..io.positions import middle_of
from ..io.publishing import check_target
from ..io.turns import AS_THEY_ARE
from ..model.checks import one_of
from ..model.counts_frame import PLACES, FrameConfig, StatedArea, StatedPeriod
from ..model.errors import ConfigError, InfeasibleError
from ..model.limits import COUNTS_DAYS, COUNTS_SIDE_M
from ..model.options import Flows, Presence, Synthesize, Tables
from ..model.periods import UNSTATED_CENTRE, decided_by_records
from ..studies import synthetic_package
from ..studies.count_tables import (
    describe_recovery,
    proposal_for,
    recovery_of,
    release,
    verify_release,
)
from ..studies.framing import frame_for
from ..studies.report_words import describe_elsewhere
from ..studies.table_package import package, write_package
from .from_config import Fields, asked, command
from .run import Request, Run

_RUN: Fields = dict.fromkeys(("workers", "scheduler", "out", "tables"))
FORMAT = asked("--format", metavar="csv|parquet")


def _date(text: str | None) -> dt.date | None:
    try:
        return None if text is None else dt.date.fromisoformat(text)
    except ValueError:
        raise ConfigError(f"--from {text!r} is not a date; write it like 2024-03-04.") from None


_STATED: Fields = {
    "first_day": asked("--from", metavar="YYYY-MM-DD", kind=str | None, read=_date),
    "places": asked(metavar="|".join(PLACES)),
    "area": asked(metavar="SOUTH,WEST,NORTH,EAST", kind=str | None, read=StatedArea.read),
}


@dataclass(frozen=True)
class Stated:
    """Public places and days, as stated on the command line.

    Attributes
    ----------
    first_day : date or None
        First day, local date.
    days : int or None
        Number of days.
    places : str or None
        Areas of antennas, or squares or H3 hexagons over --area. If not given, squares if there is
        an --area, otherwise antennas.
    area : StatedArea or None
        Southern, western, northern and eastern bounds in degrees, or in metres with an m after
        each. Records outside are not counted.
    side_m : float
        Side of a square, metres.
    resolution : int
        Resolution of the hexagons, 0 to 15.
    residents : str or None
        Column of the antenna table with public numbers of residents, such as census numbers. The
        estimates of private tables and synthetic people start from these numbers. Never use numbers
        counted in the data.
    """

    first_day: dt.date | None = None
    days: int | None = None
    places: str | None = None
    area: StatedArea | None = None
    side_m: float = 1_000.0
    resolution: int = 8
    residents: str | None = None

    def frame(self, timezone: str | None) -> FrameConfig:
        """Return the stated frame; raise ConfigError if days are missing, or out of range."""
        if self.days is None:
            raise ConfigError("State the period: --from with the first day, and --days.")
        days = COUNTS_DAYS.check("--days", self.days)
        period = StatedPeriod(self.first_day, days, 60.0, timezone)
        places: Any = self.places or ("antennas" if self.area is None else "grid")
        areas = self.area, COUNTS_SIDE_M.check("--side-m", self.side_m), self.resolution
        return FrameConfig(period, places, *areas, residents=self.residents)


def check_private(wanted: Request) -> None:
    """Raise ConfigError if the records decide a setting that must be stated for privacy."""
    if wanted.timezone is None:
        raise ConfigError(
            "State the time zone of a private release with --timezone: a guessed zone would "
            "be taken from the records."
        )
    if wanted.screening.by_span:
        raise ConfigError(
            "--screen civ and --screen sen depend on the days of all records, so one more person "
            "can change who is kept. For a private release, use --screen people, or give --screen "
            "a minimum number of samples."
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
            "For private releases over areas of antennas, correct the positions in the files "
            "themselves: with --positions, the events decide how the antennas' positions are read."
        )
    return None if table is None else middle_of(read_antennas(table))


# --- tables, synthesize --------------------------------------------------------------------------

_CONTENTS = {"presence": Presence, "flows": Flows, "both": Tables}
_ASKED: Fields = {"what": asked(metavar="|".join(_CONTENTS)), "epsilon": asked(metavar="EPS")}
_UNCHARGED = "No ledger records this ε. Give --ledger to add up the ε of all releases."
_PRINTED = "Do not publish what is printed here: ε does not cover the exact numbers of the data."


@dataclass(frozen=True)
class Wish:
    """Tables to publish, and their protection.

    Attributes
    ----------
    what : str
        Presence (people by area and hours), flows (trips between areas), or both.
    antennas_an_area : int
        Approximate number of neighbouring antennas in one area.
    column : str or None
        Column of the antenna table that names the areas.
    bands : int
        Number of bands of hours in a day; it divides 24.
    threshold : int or None
        Leave counts below this number blank; 15 is customary.
    epsilon : float or None
        Make differentially private tables with this ε for everything about one person.
    trips_per_day : int
        Largest number of trips that count for one person in private flows, as a mean over the days.
    people : int or None
        A stated number of people, for which the areas of antennas and the bands of hours are
        chosen. A typical count is then off by at most a fifth, if possible.
    """

    what: str = "both"
    antennas_an_area: int = 1
    column: str | None = None
    bands: int = 24
    threshold: int | None = None
    epsilon: float | None = None
    trips_per_day: int = 2
    people: int | None = None

    def option(self, frame: FrameConfig) -> Tables:
        """Return the stated release option; raise ConfigError if ``what`` has an unknown value."""
        one_of("--what", self.what, tuple(_CONTENTS))
        areas = replace(frame, antennas_an_area=self.antennas_an_area, column=self.column)
        protection = self.threshold, self.epsilon
        return _CONTENTS[self.what](areas, self.bands, *protection, self.trips_per_day)


@dataclass(frozen=True)
class Book:
    """The ledger in which the ε of a release is entered as spent.

    Attributes
    ----------
    ledger : Path or None
        File next to the data set; ε is entered there as spent before anything is drawn.
    budget : float or None
        Largest ε that this ledger may hold; the ledger keeps it with each release.
    reason : str or None
        Reason for exceeding the budget; the ledger keeps it with the release.
    """

    ledger: Path | None = None
    budget: float | None = None
    reason: str | None = None

    def charge(self, option: Tables | Synthesize) -> list[str]:
        """Enter an option's ε as spent, before its noise is drawn; return lines for the terminal.

        Without a ledger, nothing is entered. The only line is then a warning; for an option without
        ε, there is no line.
        """
        if self.ledger is None:
            return [] if option.epsilon is None else [_UNCHARGED]
        book = Ledger(self.ledger, budget=self.budget)
        book.spend(option, reason=self.reason)
        left = "" if book.left is None else f", {book.left:g} left of {book.budget:g}"
        others = describe_elsewhere(spent_at(self.ledger))
        return [f"Ledger: ε = {book.spent:g} spent{left}. {others}"]


@command
def tables(
    out: Path,
    stated: Annotated[Stated, _STATED],
    wish: Annotated[Wish, _ASKED],
    run: Annotated[Run, _RUN],
    book: Book,
    table_format: Annotated[str, FORMAT] = "csv",
) -> None:
    """Publish how many people are where and when, and their trips, in place of records.

    Parameters
    ----------
    out : Path
        Package to write: a .zip, or a new folder.
    table_format : str
        Format of the tables.
    """
    option = wish.option(stated.frame(run.wanted.timezone))
    if option.epsilon is None and book.ledger is not None:
        raise ConfigError(
            "A ledger is charged for private tables only; give --epsilon, or leave --ledger out."
        )
    if wish.people is not None and (option.frame.places != "antennas" or wish.column):
        raise ConfigError("--people applies only to areas of antennas; leave it out.")
    _read(option, out, run, table_format)
    lines = []
    if wish.people is not None:
        wise = proposal_for(run.fs, wish.people, option.epsilon_each or 1.0)
        many = math.ceil(len(run.fs.antennas or ()) / wise.areas)
        frame = replace(option.frame, antennas_an_area=many)
        option = replace(option, frame=frame, bands=wise.bands)
        lines.append(
            f"For {wish.people:,} people: {wise.areas} areas, {wise.bands} bands a day; a typical "
            f"count is off by about {wise.share:.0%} at best."
        )
    lines += book.charge(option)
    released = run.ask("tables", release, option)
    path = _write(package(released, table_format), option, out, run)
    if option.epsilon is None:
        give = "give" if option.threshold is None else "can give"
        lines.append(f"Two such tables that differ by one person {give} that person away.")
    figures = {"option": str(option), "areas": released.frame.n_areas, "path": path}
    linked = run.ask("linking counts", recovery_of, released)
    if linked is not None:
        lines.append(describe_recovery(linked, option))
        figures["recovery"] = linked.table
    run.end(figures, *lines)


@command
def synthesize(
    out: Path,
    epsilon: Annotated[float, asked("--epsilon", metavar="EPS")],
    stated: Annotated[Stated, _STATED],
    run: Annotated[Run, _RUN],
    book: Book,
    people: int | None = None,
    table_format: Annotated[str, FORMAT] = "csv",
) -> None:
    """Publish synthetic people, made with differential privacy from statistics of the data.

    Parameters
    ----------
    out : Path
        Package to write: a .zip, or a new folder.
    epsilon : float
        ε for everything about one person; smaller values protect more.
    people : int or None
        Number of synthetic people. If not given, a noisy count of the real people.
    table_format : str
        Format of the records.
    """
    option = Synthesize(stated.frame(run.wanted.timezone), epsilon, people)
    _read(option, out, run, table_format)
    lines = book.charge(option)
    released = run.ask("synthetic people", release, option)
    path = _write(synthetic_package.package(released, table_format), option, out, run)
    lines += synthetic_package.describe_warnings(option, released.n_noisy, released.frame.n_areas)
    packed = synthetic_package.people_packed(released)
    records = int(released.offsets[packed])
    figures = {"option": str(option), "people": packed, "records": records, "path": path}
    real = f"{released.n_noisy:,} real ones, by a noisy count."
    run.end(figures, f"{packed:,} synthetic people stand for {real}", *lines)


def _read(option: Tables | Synthesize, out: Path, run: Run, table_format: str) -> None:
    """Read the data as the option needs them, and check everything before ε is spent."""
    if table_format not in ("csv", "parquet"):
        raise ConfigError(f"--format {table_format!r} is unknown; give csv or parquet.")
    check_target(out)  # before anything is charged
    centre = None
    if option.epsilon is not None:
        check_private(run.wanted)
        centre = stated_centre(run.wanted, option.frame)
    run.read(centre=centre)
    frame_for(run.fs, option.frame)  # a frame that does not fit costs nothing either
    if option.epsilon is not None and (fault := decided_by_records(run.fs)):
        instead = " State the area in degrees." if fault == UNSTATED_CENTRE else ""
        raise ConfigError(fault + instead)  # nothing is charged for it


def _write(archive: bytes, option: Tables | Synthesize, out: Path, run: Run) -> str:
    """Verify the bytes of a package and write them; return the path of the package."""
    found = verify_release(archive, run.fs, None)
    if not found.passed:
        raise InfeasibleError(f"The package did not pass its verification. {found}")
    path = write_package(archive, out)
    run.written.append(f"{option}: written to {path}, and verified from its bytes.")
    if option.epsilon is not None:
        run.written.append(_PRINTED)
    return str(path)


@command
def ledger(
    ledger: Annotated[Path, asked(argument=True)], as_json: Annotated[bool, asked("--json")] = False
) -> None:
    """Show the ε that a ledger holds, the ε that is left, and what other ledgers hold.

    Parameters
    ----------
    ledger : Path
        Ledger file.
    as_json : bool
        Print the entries as JSON, for machines.
    """
    if not ledger.exists():
        raise ConfigError("There is no ledger at that path.")
    book = Ledger(ledger)
    lines = book.to_frame()
    if as_json:
        typer.echo(lines.to_json(orient="records", indent=1))
        return
    typer.echo(lines.to_string(index=False))
    budget = "no budget stated" if book.budget is None else f"{book.left:g} left of {book.budget:g}"
    typer.echo(f"ε = {book.spent:g} spent; {budget}. {describe_elsewhere(spent_at(ledger))}")

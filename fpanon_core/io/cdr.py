"""From a file of events, or many, to fingerprints: the one door through which data come in."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ..model.errors import ConfigError, SchemaError, only_ours
from ..model.fingerprints import FingerprintSet
from ..model.mapped import moved
from ..tables.parts import Parts
from ..tables.sources import read_source
from ..tables.table import SourceTable
from ..tables.writing import staged
from .antennas import read_antennas
from .hints import AS_ANTENNAS, Message
from .reading import How, Reading
from .regions import NamedRegions, read_regions
from .report import IngestReport
from .roles import find_roles
from .search import Roles


@only_ours("table of events")
def read_cdr(
    source: Any,
    *,
    columns: Mapping[str, Any] | None = None,
    antennas: Any = None,
    timezone: str | None = None,
    granularity_m: float = 100.0,
    granularity_min: float = 1.0,
    screen: Any = None,
    naive_timezone: str | None = None,
    positions: str | None = None,
    centre: tuple[float, float] | None = None,
    regions: Any = None,
    region_name: str | None = None,
    progress: Callable[[float], object] | None = None,
) -> tuple[FingerprintSet, IngestReport]:
    """Read events (user, time, place) and make everyone's fingerprint.

    Parameters
    ----------
    source : path, file object or DataFrame
        Delimited text (comma, semicolon, tab, bar, space; UTF-8, Latin-1 or UTF-16; with or without
        header), plain, gz or a zip of one file; Parquet; XLSX; JSON that is a table (an array of
        records, one record a line, GeoJSON points). The kind is told from the content. A DataFrame
        is not modified.
    columns : mapping, optional
        Role (user, time, lat, lon, antenna, offset) -> column name or position from 0; what is left
        out is found out and reported. A tuple joins columns: ``{"time": ("date", "clock")}``. None
        says there is none: ``{"user": None}`` reads the whole file as one user's, ``{"lat": None,
        "lon": None}`` takes positions from the antennas instead.
    antennas : path, file object or DataFrame, optional
        Antenna, lat, lon: see :func:`read_antennas`. Places events that have no degrees, and is
        kept with the fingerprints for antenna clusters and regions.
    timezone : str, optional
        IANA name of the display time zone; guessed from the middle of the data when None.
    granularity_m, granularity_min : float
        Extent of a sample, metres and minutes.
    screen : optional
        Which users are kept: ``"civ"``, ``"sen"``, a least number of samples, or a Screening.
        Epoch, projection and pseudonyms do not depend on it.
    naive_timezone : str, optional
        Zone of clock times that carry no offset: an IANA name, or ``"offset"`` when they are local
        times of the offset column. By default the display time zone; or, where there is an offset
        column, UTC, as in Foursquare's files ("UTC time", and the minutes to add for local time),
        unless the time column is called local. Times with an offset, and epochs, are instants
        already: the offset column is then reported and not used.
    positions : str, optional
        How the two numbers of a position are read: ``"as-they-are"``, ``"exchanged"`` (the latitude
        is in the column of longitudes), ``"lon-turned"`` and ``"lat-turned"`` (all longitudes are
        west, all latitudes south, though written without sign), ``"both-turned"``, and
        ``"exchanged-lon-turned"`` and so on. None reads them as they are, too, and looks whether
        that makes sense: ``report.doubts`` then says what does not, and what would. ``"ask"``
        raises a doubt instead of reading on.
    centre : (float, float), optional
        Latitude and longitude of the projection's centre, degrees (WGS 84; six digits count). The
        middle of the data when None, by which every record has a say in where all are snapped: for
        differentially private counts it must be stated, and not be taken from the records.
    regions : path, file object or bytes, optional
        GeoJSON of named areas such as districts. Each antenna gets the one it stands in, as the
        column ``region``; see :func:`.regions.read_regions`.
    region_name : str, optional
        The property that names the regions; found out if not given.
    progress : callable, optional
        Told the share done, in [0, 1]; may raise :class:`fpanon_core.Cancelled`.

    Returns
    -------
    (FingerprintSet, IngestReport)
        ``report.rows_read == report.rows_used + sum(report.set_aside.values())``.

    Raises
    ------
    SchemaError
        The source cannot be read as events, or none of its rows can be used. A
        :class:`~fpanon_core.io.doubts.DoubtfulPositions` where that is because latitude and
        longitude seem to be exchanged, or where ``positions="ask"`` and there is a doubt.
    ConfigError
        A parameter is wrong; ``centre`` is not a latitude and a longitude.

    Examples
    --------
    >>> times = ["2024-03-04T08:00Z", "2024-03-04T09:10Z"]
    >>> events = pd.DataFrame({"user": ["a", "b"], "time": times,
    ...                        "lat": [14.71, 14.69], "lon": [-17.45, -17.44]})
    >>> fs, report = read_cdr(events)
    >>> fs.n_users, report.rows_used, report.timezone, report.timezone_guessed
    (2, 2, 'Africa/Dakar', True)
    """
    given = timezone, granularity_m, granularity_min, screen, naive_timezone
    how = How(*given, positions, centre, _regions(regions, region_name, antennas), progress)
    how.tell(0.0)
    sites = None if antennas is None else read_antennas(antennas)
    return Reading(*_first_readable(read_source(source), columns, sites), how, sites).run()


@only_ours("parts of a table of events")
def read_parts(
    source: Any,
    into: str | os.PathLike[str],
    *,
    columns: Mapping[str, Any] | None = None,
    antennas: Any = None,
    regions: Any = None,
    region_name: str | None = None,
    private: str | os.PathLike[str] | None = None,
    **how: Any,
) -> tuple[FingerprintSet, IngestReport]:
    """Read events in parts that need not fit into memory, and keep the fingerprints in a folder.

    Parameters
    ----------
    source : path, str or sequence of paths
        A folder with Parquet or text parts (and all below it, but for links), a glob, or files.
        Their rows follow one another in the order of the parts' names; in a sequence, in its own.
    into : path
        A folder that is not there yet, for :meth:`FingerprintSet.load`; its owner's alone.
    columns, antennas, regions, region_name, how
        As in :func:`fpanon_core.read_cdr`, and all that may be given there.
    private : path, optional
        Where to make the private folder for what is spilled: about 70 bytes a row, and what text
        parts come to as Parquet. The system's folder for temporary files when None.

    Returns
    -------
    (FingerprintSet, IngestReport)
        The same set, by its digest, as :func:`fpanon_core.read_cdr` makes of the rows as one table;
        its columns are mapped. In ``report.rejects`` each row has its ``part``, from 1, and its
        number in it; at most 100,000 are listed.

    Raises
    ------
    SchemaError
        As :func:`fpanon_core.read_cdr`; or a part cannot be read, or has other columns than the
        first: the part is named.
    ConfigError
        A parameter is wrong, or the folder is there already or cannot be written.

    Examples
    --------
    >>> events = pd.DataFrame({"user": ["a", "b"], "lat": [14.71, 14.69], "lon": [-17.45, -17.44],
    ...                        "time": ["2024-03-04T08:00Z", "2024-03-04T09:10Z"]})
    >>> with tempfile.TemporaryDirectory() as place:
    ...     events[:1].to_csv(place + "/1.csv"), events[1:].to_csv(place + "/2.csv")
    ...     fs, report = read_parts(place + "/*.csv", place + "/made")
    (None, None)
    >>> fs.n_users, report.rows_used
    (2, 2)
    """
    named = _regions(regions, region_name, antennas)
    target, read = Path(into), How(**how, regions=named)
    if target.exists() or not target.parent.is_dir():
        raise ConfigError(
            "The folder for the fingerprints must not be there yet, and the one around it must; "
            "give another name."
        )
    place = Path(private) if private is not None else Path(tempfile.gettempdir())
    with staged(place) as own, staged(target.parent) as made:
        sites = None if antennas is None else read_antennas(antennas)
        parts = Parts(source, own)
        _, roles = _first_readable([parts.sample()], columns, sites)
        fs, report = Reading(parts, roles, read, sites, own).run(made)
        assert fs.folder is not None
        os.rename(fs.folder, target)
    return moved(fs, target), report


def _regions(regions: Any, name: str | None, antennas: Any) -> NamedRegions | None:
    if regions is None:
        if name is not None:
            raise ConfigError("A property names the regions of a file; give the regions, too.")
        return None
    if antennas is None:
        raise ConfigError(
            Message(
                "Each antenna gets the region it stands in, so regions need the antennas. Give "
                f"these, too, {AS_ANTENNAS}."
            )
        )
    return read_regions(regions, name)


def _first_readable(
    tables: list[SourceTable], columns: Mapping[str, Any] | None, sites: pd.DataFrame | None
) -> tuple[SourceTable, Roles]:
    """The first table whose roles can be found; the first one's fault if there is none."""
    ids = frozenset() if sites is None else frozenset(sites["antenna"])
    faults: list[SchemaError | ConfigError] = []
    for table in tables:
        try:
            return table, find_roles(table, columns, ids)
        except (SchemaError, ConfigError) as fault:
            faults.append(fault)
    raise faults[0]

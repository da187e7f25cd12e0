"""Reading of events from one or many files into fingerprints; all events are read here."""

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
from .geojson import NamedRegions, read_regions
from .hints import AS_ANTENNAS, Message
from .reading import How, Reading
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
    """Read events (user, time, place) and make every user's fingerprint.

    Parameters
    ----------
    source : path, file object or DataFrame
        Delimited text (comma, semicolon, tab, bar, space; UTF-8, Latin-1 or UTF-16; with or without
        a header), Parquet, XLSX, or tabular JSON (an array of records, one record per line, GeoJSON
        points). The file may be compressed as gz, or be a zip of one file. The kind is detected
        from the content. A DataFrame is not modified.
    columns : mapping, optional
        Role (user, time, lat, lon, antenna, offset) -> column name or position from 0; omitted
        roles are detected and reported. A tuple joins columns: ``{"time": ("date", "clock")}``.
        None says that there is no column: ``{"user": None}`` reads the whole file as one user's,
        and ``{"lat": None, "lon": None}`` takes positions from the antennas instead.
    antennas : path, file object or DataFrame, optional
        Table of antennas with their positions: see :func:`read_antennas`. It gives positions to
        events without degrees, and is kept with the fingerprints for antenna clusters and regions.
    timezone : str, optional
        IANA name of the display time zone; guessed from the middle of the data when None.
    granularity_m, granularity_min : float
        Extent of a sample, in metres and minutes.
    screen : optional
        Users to keep: ``"civ"``, ``"sen"``, ``"people"``, a minimum number of samples, or a
        Screening. Epoch, projection and pseudonyms do not depend on it.
    naive_timezone : str, optional
        Zone of clock times without an offset: an IANA name, or ``"offset"`` if the offset column
        states the offset of each time. The default is the display time zone. With an offset column
        that is given or found by its name, the default is UTC, or ``"offset"`` if the time column
        is called local. Foursquare's files, with "UTC time" and the minutes to add for local time,
        are thus read as UTC. Times with an offset, and epochs, are already instants; the offset
        column is then reported and not used.
    positions : str, optional
        How the two numbers of a position are read. ``"as-they-are"`` changes nothing;
        ``"exchanged"`` takes the latitude from the column of longitudes, and vice versa.
        ``"lon-turned"`` reads all longitudes as west, and ``"lat-turned"`` all latitudes as south,
        though they have no sign. ``"both-turned"`` does both; ``"exchanged-lon-turned"`` and so on
        also exchange the columns. None reads positions as they are, and checks whether that is
        plausible. ``report.doubts`` then says what is doubtful, and what would be plausible. With
        ``"ask"``, doubtful positions raise an error instead.
    centre : (float, float), optional
        Latitude and longitude of the projection's centre, degrees (WGS 84), to six significant
        digits. The middle of the data if None; any record may then affect how all positions are
        snapped. For differentially private releases, the centre must be stated, and must not come
        from the records.
    regions : path, file object or bytes, optional
        GeoJSON of named areas such as districts. Each antenna gets the name of its area in the
        column ``region``; see :func:`.geojson.read_regions`.
    region_name : str, optional
        Property that names the regions; detected if not given.
    progress : callable, optional
        Called with the completed share, in [0, 1]; may raise :class:`fpanon_core.Cancelled`.

    Returns
    -------
    (FingerprintSet, IngestReport)
        ``report.rows_read == report.rows_used + sum(report.set_aside.values())``.

    Raises
    ------
    SchemaError
        The source cannot be read as events, or none of its rows can be used. It is a
        :class:`~fpanon_core.io.doubts.DoubtfulPositions` if the positions are doubtful and either
        no row can be used or ``positions`` is ``"ask"``.
    ConfigError
        A parameter is wrong, such as a ``centre`` that is not a latitude and a longitude.

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
    """Read events in parts that need not fit into memory, and store the fingerprints in a folder.

    Parameters
    ----------
    source : path, str or sequence of paths
        A folder with Parquet or text parts (including subfolders, but not links), a glob, or files.
        Parts follow one another in the order of their names, or in the order of the sequence.
    into : path
        Folder to make, from which :meth:`FingerprintSet.load` reads; only its owner may read it.
    columns, antennas, regions, region_name, how
        As in :func:`fpanon_core.read_cdr`; ``how`` stands for all its other parameters.
    private : path, optional
        Folder in which to make the private folder for temporary data. These take about 70 bytes a
        row, plus the size of text parts as Parquet. If None, it is the system's folder for
        temporary files.

    Returns
    -------
    (FingerprintSet, IngestReport)
        The same set, by its digest, as :func:`fpanon_core.read_cdr` makes from the same rows in one
        table; its columns are memory-mapped. In ``report.rejects`` each row has its ``part``, from
        1, and its number in the part; at most 100,000 are listed.

    Raises
    ------
    SchemaError
        As for :func:`fpanon_core.read_cdr`. It is also raised if a part cannot be read, or if its
        columns differ from the first part's; the message then names the part.
    ConfigError
        A parameter is wrong, or the folder exists already or cannot be written.

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
            "The folder for the fingerprints must be a new one inside an existing folder; "
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
            raise ConfigError(
                "The property with the regions' names is given without the regions; give both."
            )
        return None
    if antennas is None:
        raise ConfigError(
            Message(
                "Each antenna gets the region in which it stands, so regions need antennas. Give "
                f"the antennas, too, {AS_ANTENNAS}."
            )
        )
    return read_regions(regions, name)


def _first_readable(
    tables: list[SourceTable], columns: Mapping[str, Any] | None, sites: pd.DataFrame | None
) -> tuple[SourceTable, Roles]:
    """Return the first table whose roles can be found, with its roles.

    If there is none, raise the first table's fault.
    """
    ids = frozenset() if sites is None else frozenset(sites["antenna"])
    faults: list[SchemaError | ConfigError] = []
    for table in tables:
        try:
            return table, find_roles(table, columns, ids)
        except (SchemaError, ConfigError) as fault:
            faults.append(fault)
    raise faults[0]

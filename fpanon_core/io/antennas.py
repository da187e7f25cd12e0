"""Reading of antenna tables, and matching of the antennas that events name.

A table has an id and a position per row, with any column names. The layout of OpenCellID (radio,
mcc, net, area, cell, unit, lon, lat, …) is read with or without its header. Columns beyond id and
position, such as a district, are kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..model.antennas import Antennas
from ..model.arrays import FloatArray
from ..model.errors import ConfigError, SchemaError, only_ours
from ..model.projection import project
from ..tables.names import rank
from ..tables.sources import read_source
from ..tables.table import SourceTable, missing_in, numbers_of, text_of
from .geojson import NamedRegions, in_regions
from .positions import Centre, position_faults
from .search import cell_parts, is_opencellid
from .turns import Turn

OPENCELLID = (
    *("radio", "mcc", "net", "area", "cell", "unit", "lon", "lat", "range", "samples"),
    *("changeable", "created", "updated", "averageSignal"),
)


@only_ours("antenna table")
def read_antennas(source: Any) -> pd.DataFrame:
    """Read a table of antennas.

    Parameters
    ----------
    source : path, file object or DataFrame
        As for :func:`fpanon_core.read_cdr`.

    Returns
    -------
    DataFrame
        ``antenna`` (text, distinct), ``lat``, ``lon`` (degrees), then the other columns. Columns of
        numbers or truth values keep their type; the others become text.
        ``.attrs["notes"]`` states what was found and how many rows were left out. In the layout of
        OpenCellID the id is ``mcc-net-area-cell``.

    Raises
    ------
    SchemaError
        The table cannot be read, no column holds ids or positions, or no row has both.
    ConfigError
        The source is of an unsupported type.

    Examples
    --------
    >>> towers = pd.DataFrame({"site": ["A", "B"], "y": [14.7, 14.8], "x": [-17.4, -17.3]})
    >>> read_antennas(towers)["antenna"].tolist()
    ['A', 'B']
    """
    try:
        return _antennas(read_source(source)[0])
    except (ConfigError, SchemaError) as fault:
        kind = ConfigError if isinstance(fault, ConfigError) else SchemaError
        raise kind(f"Antenna table: {fault}") from None


def antennas_of(
    table: pd.DataFrame,
    centre: Centre,
    granularity_m: float,
    regions: NamedRegions | None,
    notes: list[str],
) -> Antennas:
    """Project antennas with the data's projection, and turn their columns into text.

    Antennas that the projection cannot show are left out. With regions, each antenna also gets the
    name of its region. Findings are added to ``notes``.
    """
    degrees = table["lat"].to_numpy(np.float64), table["lon"].to_numpy(np.float64)
    x_m, y_m = project(*degrees, centre.crs)
    on_map = ~np.isnan(x_m)
    columns = {}
    for name in table.columns.drop(["antenna", "lat", "lon"]):
        texts = text_of(pa.chunked_array([pa.array(table[name], from_pandas=True)]))
        # By code, so that antennas of one region share one text in memory.
        codes, values = pd.factorize(texts.to_pandas().astype(object))
        missing = missing_in(pa.chunked_array([pa.array(values, pa.string())]))
        columns[str(name)] = np.where(missing, "", values)[codes][on_map]
    lat, lon = (values[on_map] for values in degrees)
    outlines: dict[str, str] = {}
    if regions is not None:
        columns, outlines = in_regions(lat, lon, columns, regions, notes)
    at = x_m[on_map], y_m[on_map]
    return Antennas(*at, float(granularity_m), columns, lon, lat, outlines)


def turned_sites(sites: pd.DataFrame, turn: Turn) -> pd.DataFrame:
    """Return the antennas with positions read as ``turn`` says; leave out impossible positions."""
    if not turn.changes:
        return sites
    lat, lon = turn.apply(sites["lat"].to_numpy(), sites["lon"].to_numpy())
    can = (np.abs(lat) <= 90) & (np.abs(lon) <= 180)
    turned: pd.DataFrame = sites.assign(lat=lat, lon=lon)[can].reset_index(drop=True)
    turned.attrs = sites.attrs
    return turned


def nearer_sites(sites: pd.DataFrame, turn: Turn, centre: Centre, notes: list[str]) -> pd.DataFrame:
    """Return the antennas, turned by ``turn`` if their middle is then nearer to the events."""
    other = turned_sites(sites, turn)
    if other is sites or other.empty:
        return sites

    def apart(table: pd.DataFrame) -> float:
        middle = table[["lat", "lon"]].median()
        return abs(float(middle["lat"]) - centre.lat) + abs(float(middle["lon"]) - centre.lon)

    if apart(other) >= apart(sites):
        return sites
    notes.append("The positions of the antennas are read in the same way as those of the events.")
    return other


def _antennas(table: SourceTable) -> pd.DataFrame:
    labels = [str(label) for label in table.labels]
    if is_opencellid(table):
        labels = list(OPENCELLID)
    lat, lon, guessed = _degrees(table, labels)
    notes = list(table.notes)
    if guessed:
        notes.append(
            f"In the antenna table, {table.told(lat)} and {table.told(lon)} are read as latitude "
            "and longitude because of their content; this is a guess."
        )
    parts, used = cell_parts(labels), {lat, lon}
    if parts:
        notes.append("The antennas' ids have the form mcc-net-area-cell (OpenCellID).")
    else:
        used.add(at := _id_column(table, labels, used))
    texts = [text_of(table.columns[i]).to_pandas().astype(str) for i in parts or [at]]
    frame = pd.DataFrame({"antenna": _joined(texts).to_numpy(dtype=object)})
    frame["lat"], frame["lon"] = numbers_of(table.columns[lat]), numbers_of(table.columns[lon])
    for i, label in enumerate(labels):
        if i not in used:
            frame[f"{label}_{i}" if label in frame.columns else label] = _kept(table.columns[i])
    frame = _usable(frame, len(table.malformed), notes)
    frame.attrs = {"notes": notes, "parts": bool(parts)}
    return frame


def _joined(parts: Sequence[Any]) -> Any:
    return parts[0].str.cat(parts[1:], sep="-")


def _kept(column: pa.ChunkedArray) -> npt.NDArray[Any]:
    """Return a column as text; a column of numbers or booleans keeps its type."""
    kind = column.type
    plain = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
    values: npt.NDArray[Any] = (column if plain else text_of(column)).to_pandas().to_numpy()
    return values


def _usable(frame: pd.DataFrame, malformed: int, notes: list[str]) -> pd.DataFrame:
    """Return the distinct antennas with a position; add a note on how many rows were left out."""
    lat, lon = frame["lat"].to_numpy(), frame["lon"].to_numpy()
    bad = np.logical_or.reduce(list(position_faults(lat, lon).values()))
    bad |= missing_in(pa.chunked_array([pa.array(frame["antenna"].tolist(), pa.string())]))
    if malformed or bad.any():
        # The row, not its id: in a wrong file, that may be a person's.
        begins = "" if malformed else f", the first at row {int(bad.argmax()) + 1:,}"
        swapped = (np.abs(lat[bad]) > 90) & (np.abs(lat[bad]) <= 180) & (np.abs(lon[bad]) <= 90)
        notes.append(
            "Rows of the antenna table left out for lack of an id or a possible position: "
            f"{malformed + int(bad.sum()):,}{begins}"
            + f". In {swapped.sum():,}, latitude and longitude seem exchanged" * bool(swapped.any())
            + "."
        )
    frame = frame[~bad]
    again = frame["antenna"].duplicated()
    if again.any():
        first = frame[~again].set_index("antenna")[["lat", "lon"]]
        places = first.loc[frame["antenna"]].to_numpy()
        moved = int((places != frame[["lat", "lon"]].to_numpy()).any(axis=1).sum())
        notes.append(
            f"Rows of the antenna table that repeat an id: {int(again.sum()):,} (at another "
            f"position: {moved:,}). The first row of each id counts."
        )
    frame = frame[~again].reset_index(drop=True)
    if frame.empty:
        raise SchemaError("no antenna has an id and a possible position in degrees.")
    return frame


# --- columns -----------------------------------------------------------------------------------


def _degrees(table: SourceTable, labels: list[str]) -> tuple[int, int, bool]:
    """Return the columns of latitude and longitude, and whether their order is a guess."""
    lat, lon = (_ranked_first(labels, role, range(len(labels))) for role in ("lat", "lon"))
    if lat is not None and lon is not None:
        return lat, lon, False
    fractions = []
    for i, column in enumerate(table.columns):
        values = numbers_of(column)
        values = values[~np.isnan(values)]
        if len(values) and (np.abs(values) <= 180).mean() > 0.8 and (values % 1 != 0).any():
            fractions.append((i, float((np.abs(values) > 90).mean())))
    for (i, beyond_i), (j, beyond_j) in pairwise(fractions):
        if j == i + 1:
            return (j, i, False) if beyond_i > beyond_j else (i, j, beyond_j == 0)
    raise SchemaError(
        f"no columns for latitude and longitude in degrees. Columns: {table.names()}. Name the "
        "two columns lat and lon."
    )


def _id_column(table: SourceTable, labels: list[str], taken: set[int]) -> int:
    free = [i for i in range(len(labels)) if i not in taken]
    if (named := _ranked_first(labels, "antenna", free)) is not None:
        return named
    for i in free:
        texts = text_of(table.columns[i])
        if pc.count_distinct(texts).as_py() == len(texts):
            return i
    raise SchemaError(
        f"no column holds the antennas' ids. Columns: {table.names()}. Name the column of ids "
        "antenna."
    )


def _ranked_first(labels: list[str], role: str, among: Iterable[int]) -> int | None:
    """Return the column whose name fits the role best; None if none fits."""
    score, best = min(((rank(labels[i], role), i) for i in among), default=(math.inf, 0))
    return best if score < math.inf else None


# --- joining -----------------------------------------------------------------------------------


def spellings(antennas: pd.DataFrame) -> dict[str, pd.Series]:
    """Return all antennas' ids in each spelling that events may use, keyed by the spelling's name.

    The spellings are the whole id and, for OpenCellID, shorter and longer forms and the cell alone.
    """
    ways = {"antenna": antennas["antenna"].astype(str)}
    at = cell_parts(list(antennas.columns)) if antennas.attrs.get("parts") else None
    if at is not None:
        mcc, net, area, cell = (
            text_of(pa.chunked_array([pa.array(antennas.iloc[:, i])])).to_pandas().astype(str)
            for i in at
        )
        forms = {
            "mccnet-area-cell": (mcc + net, area, cell),
            "mcc-net-cell": (mcc, net, cell),
            "net-area-cell": (net, area, cell),
            "area-cell": (area, cell),
            "cell": (cell,),
        }
        if "radio" in antennas.columns:
            forms["radio-mcc-net-area-cell"] = antennas["radio"].astype(str), mcc, net, area, cell
        ways |= {name: _joined(parts) for name, parts in forms.items()}
    return ways


def locate(ids: list[str], antennas: pd.DataFrame) -> tuple[FloatArray, FloatArray, list[str]]:
    """Return the latitudes and longitudes of distinct antenna ids (NaN if unknown), and notes.

    Ids are compared exactly. If fewer than half are found, they are also compared without regard to
    case, kind of separator, leading zeros or a trailing ``.0``. The spelling that finds the most
    ids is used. An id that several antennas at different positions share counts as unknown.
    """
    best = np.full(len(ids), -1, np.int64)
    best_name = "antenna"
    for loosely in (False, True):
        asked = pd.Index([_loose(i) for i in ids] if loosely else ids, dtype=object)
        for name, keys in spellings(antennas).items():
            keys = keys.map(_loose) if loosely else keys
            at = _rows_of(asked, keys, antennas)
            if (at >= 0).sum() > (best >= 0).sum():
                best, best_name = at, name + (", loosely spelled" if loosely else "")
        if len(ids) and (best >= 0).mean() >= 0.5:
            break
    notes = []
    if best_name != "antenna":
        notes.append(f"The events' antenna ids are matched in this form: {best_name}.")
    lat, lon = antennas["lat"].to_numpy(np.float64), antennas["lon"].to_numpy(np.float64)
    known = best >= 0
    return np.where(known, lat[best], np.nan), np.where(known, lon[best], np.nan), notes


def _rows_of(asked: pd.Index, keys: pd.Series, antennas: pd.DataFrame) -> npt.NDArray[np.int64]:
    """Return each id's row in the antenna table; −1 if it has no row, or several positions."""
    places = antennas[["lat", "lon"]].assign(key=keys.to_numpy(dtype=object))
    sites = places.reset_index(drop=True).drop_duplicates()
    sites = sites[~sites["key"].duplicated(keep=False)]
    at = pd.Index(sites["key"], dtype=object).get_indexer(asked)
    rows: npt.NDArray[np.int64] = np.append(sites.index.to_numpy(np.int64), -1)[at]
    return rows


def _loose(text: str) -> str:
    """Return an id in lower case, with ``-`` as separator, and no leading zeros or final ``.0``."""
    text = text.strip().casefold().removesuffix(".0")
    for mark in "_:/.,| ":
        text = text.replace(mark, "-")
    return "-".join(part.lstrip("0") or "0" for part in text.split("-") if part)

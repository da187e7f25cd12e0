"""How do tables leave? One package that its reader understands without us, and can be checked.

In it: ``presence`` and ``flows`` (CSV or Parquet), ``areas.geojson``, ``datapackage.json`` and a
README of one page. The verifier reads tables and option back, makes the whole package again from
them and from the public frame, and compares every byte; exact counts it counts again.

Source: docs/science.md, “Tables: presence and flows”.
"""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..aggregates.areas import geojson_of
from ..aggregates.contributions import table_frame
from ..io.publishing import PackedTable, package_bytes
from ..model.count_tables import DAY_TYPES, CountTables, TableFrame
from ..model.errors import ConfigError, SchemaError
from ..model.files import file_opened, folder_opened
from ..model.fingerprints import FingerprintSet
from ..model.glove import Verification
from ..model.options import Tables, step_from_dict, step_to_dict
from ..tables.writing import write_bytes
from ..verification.faults import Faults

KIND = "tables"
_DIGITS = 3  # of published people and trips
_MOST_BYTES = 1 << 30
_DESCRIPTION = "datapackage.json"
_DAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def package(tables: CountTables, ending: str = "csv") -> bytes:
    """The zip; equal tables give equal bytes.

    Parameters
    ----------
    tables : CountTables
    ending : {"csv", "parquet"}
        Of the tables.

    Raises
    ------
    ConfigError
        The tables claim an ε that promises nothing.
    """
    if tables.option.epsilon is not None and tables.fault:
        raise ConfigError(f"These tables cannot leave as private ones. {tables.fault}")
    return _packed(tables.option, tables.frame, frames_of(tables), errors_of(tables), ending)


def readme_of(archive: bytes) -> str:
    """The page in a package."""
    return _members(archive)["README.md"].decode("utf-8")


def frames_of(tables: CountTables) -> dict[str, pd.DataFrame]:
    """The tables as they are published, by name; people and trips to three decimals."""
    found = {}
    if tables.presence is not None:
        found["presence"] = tables.presence.to_frame().round({"people": _DIGITS})
    if tables.flows is not None:
        found["flows"] = tables.flows.to_frame().round({"trips": _DIGITS})
    return found


def errors_of(tables: CountTables) -> dict[str, Any]:
    """The expected error of a cell, to three digits: of private tables from noisy sums alone."""
    found: dict[str, Any] = {}
    if tables.presence is not None:
        found["people"] = float(f"{tables.presence.error:.3g}")
    if tables.flows is not None:
        found["trips"] = [float(f"{error:.3g}") for error in tables.flows.error]
    return found


def publish_tables(tables: CountTables, path: str | os.PathLike[str], format: str = "csv") -> Path:
    """Write the package as a zip, or as a new or empty folder."""
    content, target = package(tables, format), Path(path)
    if target.suffix.lower() == ".zip":
        write_bytes(content, target)
        return target
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ConfigError("The folder to publish to exists and is not empty; name another.")
    target.mkdir(mode=0o700, exist_ok=True)
    for name, member in _members(content).items():
        write_bytes(member, target / name)
    return target


# --- read back -----------------------------------------------------------------------------------


def described_tables(source: str | os.PathLike[str] | bytes) -> dict[str, Any] | None:
    """What a package says of itself to machines, if it is one of tables; else None."""
    try:
        facts = json.loads(_members_of(source)[_DESCRIPTION])["fpanon"]
    except (OSError, KeyError, TypeError, ValueError, SchemaError, zipfile.BadZipFile):
        return None
    return facts if isinstance(facts, dict) and facts.get("kind") == KIND else None


def verify_tables(source: str | os.PathLike[str] | bytes, original: FingerprintSet) -> Verification:
    """Check the bytes of a package of tables: frame, schema, protection, every byte rebuilt.

    Parameters
    ----------
    source : path or bytes
    original : FingerprintSet
        Exact counts are counted again; of private ones nobody can, as the noise is kept nowhere.

    Raises
    ------
    SchemaError
        There is no package of tables.
    """
    facts = described_tables(source)
    if facts is None:
        raise SchemaError("There is no release of tables at that place.")
    faults, members = Faults(original, 0), _members_of(source)
    try:
        option = step_from_dict(facts["option"])
        if not isinstance(option, Tables):
            raise ConfigError("The package names no tables.")
        frame = table_frame(original, option.frame)
        ending = "parquet" if any(name.endswith(".parquet") for name in members) else "csv"
        names = np.array(frame.names, object)
        found = {name: _read(members[f"{name}.{ending}"], ending) for name in option.CONTENTS}
        _check_cells(found, option, names, faults)
        if option.epsilon is None and not faults.verdict().counts:
            _count_again(found, option, frame, original, faults)
        due = _packed(option, frame, found, facts["error"], ending)
        whole = source if isinstance(source, bytes) else _zip_at(source)
        if whole is not None and whole != due:
            faults.add("package", "The zip is not what its tables and its option make.")
        for name in sorted(set(members) ^ set(_members(due))):
            faults.add("member", f"{name!r} should not be there, or is missing.")
        for name, content in _members(due).items():
            if name in members and members[name] != content:
                faults.add("member", f"{name} is not what the tables and the option make.")
    except (ConfigError, SchemaError) as fault:
        faults.add("package", str(fault))
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        faults.add("package", "A file of the package is missing or damaged.")
    return faults.verdict()


def _check_cells(
    found: dict[str, pd.DataFrame], option: Tables, names: Any, faults: Faults
) -> None:
    """Whether each table has the rows of its frame and nothing below its threshold."""
    if "presence" in found:
        due = pd.MultiIndex.from_product(
            [names, DAY_TYPES, np.arange(option.bands) * (24 / option.bands)]
        )
        rows = pd.MultiIndex.from_frame(found["presence"][["area", "day", "from_hour"]])
        if not rows.equals(due):
            faults.add("rows", "The rows of presence are not the areas, days and bands stated.")
    if "flows" in found:
        table = found["flows"]
        known = table["origin"].isin(names) & table["destination"].isin(names)
        known &= table["day"].isin(DAY_TYPES) & (table["origin"] != table["destination"])
        ordered = table[["origin", "destination", "day"]]
        if not known.all() or ordered.duplicated().any():
            faults.add("rows", "The rows of flows are not pairs of the areas stated.")
    for values in (table.iloc[:, -1].to_numpy(float) for table in found.values()):
        least = option.threshold or 0
        if np.isinf(values).any() or (values[~np.isnan(values)] < least - 1e-9).any():
            faults.add("cells", f"A cell is below {least}.")
        if option.threshold is None and np.isnan(values).any():
            faults.add("cells", "A cell is blank although no threshold is stated.")


def _count_again(
    found: dict[str, pd.DataFrame],
    option: Tables,
    frame: TableFrame,
    original: FingerprintSet,
    faults: Faults,
) -> None:
    """Whether exact counts, blank or not below a threshold, are those of the original."""
    from ..aggregates.tables import count_tables  # the same sums, made once more from the original

    due = frames_of(count_tables(original, option, frame))
    for name, table in found.items():
        other = due[name]
        keys = list(table.columns[:-1])
        both = table.merge(other, on=keys, how="outer", suffixes=("", "_due"))
        value = table.columns[-1]
        if not np.allclose(
            both[value].astype(float), both[f"{value}_due"], atol=2e-3, equal_nan=True
        ):
            faults.add("counts", f"A count of {name} is not that of the original.")


def _zip_at(source: str | os.PathLike[str]) -> bytes | None:
    return Path(source).read_bytes() if os.path.isfile(source) else None


def _members_of(source: str | os.PathLike[str] | bytes) -> dict[str, bytes]:
    if isinstance(source, bytes):
        return _members(source)
    path = Path(source)
    if not path.is_dir():
        descriptor = file_opened(path)
        with open(descriptor, "rb") as file:
            return _members(file.read(_MOST_BYTES))
    with folder_opened(path) as folder:
        found = {}
        for name in sorted(os.listdir(folder)):
            with open(file_opened(name, folder), "rb") as file:
                found[name] = file.read(_MOST_BYTES)
    return found


def _members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        if sum(each.file_size for each in packed.infolist()) > _MOST_BYTES:
            raise SchemaError("The package is too large to be one of tables.")
        return {name: packed.read(name) for name in packed.namelist()}


def _read(content: bytes, ending: str) -> pd.DataFrame:
    if ending == "parquet":
        return pd.read_parquet(io.BytesIO(content))
    texts = {"area": str, "origin": str, "destination": str, "day": str}
    return pd.read_csv(io.BytesIO(content), dtype=texts, keep_default_na=False, na_values=[""])


# --- the page ------------------------------------------------------------------------------------


def _packed(
    option: Tables,
    frame: TableFrame,
    frames: dict[str, pd.DataFrame],
    error: dict[str, Any],
    ending: str,
) -> bytes:
    tables = [
        PackedTable(name, _TITLES[name], table, [_FIELDS[column] for column in table.columns])
        for name, table in frames.items()
    ]
    about = {"kind": KIND, "option": step_to_dict(option), "areas": frame.n_areas, "error": error}
    about |= {"day_types": [int(days) for days in frame.days]}
    clock = frame.counts.clock
    about |= {"timezone": None if clock is None else clock.timezone}
    shapes = json.dumps(geojson_of(frame), ensure_ascii=False, separators=(",", ":")).encode()
    return package_bytes(
        tables,
        name="tables",
        title=" and ".join(_TITLES[name] for name in frames).capitalize(),
        readme=readme(option, frame, error),
        about=about,
        ending=ending,
        more={"areas.geojson": shapes + b"\n"},
    )


def readme(option: Tables, frame: TableFrame, error: dict[str, Any]) -> Sequence[str]:
    """The paragraphs of the README; nothing in them is taken from the records."""
    parts = [
        "These tables describe everybody in the data together. They hold no record of any person.",
        "## What a cell means",
    ]
    if "presence" in option.CONTENTS:
        hours = 24 // option.bands
        length = f"{hours} hour{'s' * (hours > 1)}"
        parts.append(
            f"`people` in presence: how many people had records in the area during the {length} "
            "from `from_hour`, on a mean weekday or weekend day. Somebody with records in two "
            "areas counts half in each. People without a record in those hours are not counted."
        )
    if "flows" in option.CONTENTS:
        parts.append(
            "`trips` in flows: how often people went from one area to the next in which they have "
            "records, on a mean day. Pairs that are not listed have no trips, or too few to show."
        )
    parts += ["## Areas and days", _areas_text(frame), "## What protects people"]
    parts += [_protection(option, frame), "## How exact it is", _exactness(option, frame, error)]
    parts += ["## What not to conclude", _limits(option)]
    return parts


def _areas_text(frame: TableFrame) -> str:
    counts, days = frame.counts, frame.days
    first = counts.first_day
    begin = (
        "the first day"
        if first is None
        else f"{_DAY_NAMES[first.weekday()]} {first.day} {first:%B %Y}"
    )
    zone = "" if counts.clock is None else f" Hours are local time in {counts.clock.timezone}."
    return (
        f"{frame.n_areas:,} areas (`areas.geojson`) and {counts.days} days from {begin}: {days[0]} "
        f"weekdays and {days[1]} weekend days.{zone} Areas and days were stated beforehand. "
        "No record decided them."
    )


def _protection(option: Tables, frame: TableFrame) -> str:
    if option.epsilon is not None:
        times = math.exp(option.epsilon)
        trips = option.trips_per_day * frame.counts.days
        of_trips = (
            f" At most {trips:,} trips of one person count." if "flows" in option.CONTENTS else ""
        )
        return (
            f"Differential privacy with ε = {option.epsilon:g} for everything about one person. "
            f"Whatever is published is at most {times:.2g} times as likely as if that person had "
            "not been in the data. What one person can add was bounded, and each sum got discrete "
            f"Laplace noise (OpenDP).{of_trips} Everything after that used the noisy sums and the "
            "public areas only. The ε of several releases about the same people add up."
        )
    if option.threshold is not None:
        return (
            f"Counts below {option.threshold} are blank or not listed, and no totals are given. "
            "This protects against a look at the table, not against a comparison: two such tables "
            "that differ in one person can reveal that person."
        )
    return "Nothing. A count of one person says where that person was."


def _exactness(option: Tables, frame: TableFrame, error: dict[str, Any]) -> str:
    if option.epsilon is None:
        return "Counts that are shown are exact."
    said = []
    if "people" in error:
        said.append(f"people per cell by at most {error['people']:g}")
    if "trips" in error:
        by_day = [
            f"{each:g} on a {kind} day" if kind == "weekend" else f"{each:g} on a {kind}"
            for kind, each in zip(DAY_TYPES, error["trips"], strict=True)
            if frame.days[DAY_TYPES.index(kind)]
        ]
        said.append(f"trips between two areas by at most {' and '.join(by_day)}")
    return (
        f"Noise moves {', '.join(said)}, on average. Smoothing takes most of it off: sums over "
        "many cells are much more exact than single small cells."
    )


def _limits(option: Tables) -> str:
    said = [
        "The tables are of people with records, not of the population.",
        "At antennas, an area is where the antenna serves, not where a person stood.",
    ]
    if option.epsilon is not None:
        said.append("A small cell may be noise: do not read single small cells as facts.")
    if option.threshold is not None:
        said.append("A blank is not zero. Do not publish a second table of the same days.")
    return " ".join(said)


def _field(name: str, kind: str, description: str, unit: str = "") -> dict[str, str]:
    found = {"name": name, "type": kind, "title": name.replace("_", " ").capitalize()}
    return {**found, "description": description, **({"unit": unit} if unit else {})}


_TITLES = {
    "presence": "People by area, type of day and hours",
    "flows": "Trips from area to area by type of day",
}
_FIELDS = {
    "area": _field("area", "string", "Name of the area in areas.geojson."),
    "day": _field("day", "string", "weekday (Monday to Friday) or weekend."),
    "from_hour": _field("from_hour", "number", "Hour at which the band begins, local time.", "h"),
    "people": _field("people", "number", "People on a mean day of that type.", "people"),
    "origin": _field("origin", "string", "Name of the area in which the trip begins."),
    "destination": _field("destination", "string", "Name of the area in which it ends."),
    "trips": _field("trips", "number", "Trips on a mean day of that type.", "trips/day"),
}

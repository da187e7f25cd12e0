"""Package of tables that explains itself to its reader and can be verified.

It holds ``presence`` and ``flows`` (CSV or Parquet), ``areas.geojson``, ``datapackage.json`` and a
README of one page. The verifier reads the tables and the option back, makes the whole package again
from them and from the public frame, and compares every byte. It also recounts exact counts.

Source: docs/science.md, “Tables: presence and flows”.
"""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from ..aggregates.contributions import table_frame
from ..aggregates.tables import count_tables
from ..io.publishing import check_target
from ..model.count_tables import (
    DAY_TYPES,
    PUBLISHED_DIGITS,
    CountTables,
    TableFrame,
    has_one_profile,
    hides_days,
    hides_hours,
)
from ..model.errors import ConfigError, SchemaError
from ..model.files import Place, file_opened, folder_opened
from ..model.fingerprints import FingerprintSet
from ..model.glove import Verification
from ..model.options import Tables, step_from_dict, step_to_dict
from ..tables.writing import write_bytes
from ..verification.faults import Faults
from .packages import packed, paragraphs, table_read, zone_of

KINDS = ("tables", "synthetic people")
"""Kinds of packages without records, as named in their machine-readable description."""

KIND = KINDS[0]
_MOST_BYTES, _MOST_DESCRIBED = 1 << 30, 1 << 20
_COLUMNS = {
    "presence": ("area", "day", "from_hour", "people"),
    "flows": ("origin", "destination", "day", "trips"),
}
_DESCRIPTION = "datapackage.json"


def package(tables: CountTables, ending: str = "csv") -> bytes:
    """Return the zip of the tables; equal tables always give the same bytes.

    Parameters
    ----------
    tables : CountTables
    ending : {"csv", "parquet"}
        File format of the tables.

    Raises
    ------
    ConfigError
        The stated ε of the tables would promise nothing.
    """
    if tables.option.epsilon is not None and tables.fault:
        raise ConfigError(f"These tables cannot be released as private ones. {tables.fault}")
    return _packed(tables.option, tables.frame, frames_of(tables), errors_of(tables), ending)


def readme_of(archive: bytes) -> str:
    """Return the README in a package."""
    return members_of(archive)["README.md"].decode("utf-8")


def frames_of(tables: CountTables) -> dict[str, pd.DataFrame]:
    """Return the published tables by name, with people and trips to three decimals."""
    found = {}
    if tables.presence is not None:
        found["presence"] = tables.presence.to_frame().round({"people": PUBLISHED_DIGITS})
    if tables.flows is not None:
        found["flows"] = tables.flows.to_frame().round({"trips": PUBLISHED_DIGITS})
    return found


def errors_of(tables: CountTables) -> dict[str, Any]:
    """Return, by name, the expected errors due to noise, to three digits; 0 without noise.

    ``people`` is the error of a cell of presence, and ``scale`` the relative error of the factor
    common to all cells of presence. ``trips`` holds the error of a cell of flows for each type of
    day, in trips a day. For private tables, all errors follow from noisy sums alone.
    """
    found: dict[str, Any] = {}
    if tables.presence is not None:
        found["people"] = _three(tables.presence.error)
        found["scale"] = _three(tables.presence.scale_error)
    if tables.flows is not None:
        found["trips"] = [_three(error) for error in tables.flows.error]
    return found


def _three(error: float) -> float:
    return float(f"{error:.3g}")


def write_package(content: bytes, path: Place) -> Path:
    """Write a package as a zip, or into a new or empty folder; return the path.

    Raises
    ------
    ConfigError
        As :func:`fpanon_core.io.publishing.check_target`.
    """
    target = check_target(path)
    if target.suffix.lower() == ".zip":
        write_bytes(content, target)
        return target
    target.mkdir(mode=0o700, exist_ok=True)
    for name, member in members_of(content).items():
        write_bytes(member, target / name)
    return target


# --- read back -----------------------------------------------------------------------------------


def described(source: Place | bytes) -> dict[str, Any]:
    """Return the machine-readable description of a package without records; {} if there is none."""
    try:
        facts = json.loads(members_of(source, only=_DESCRIPTION)[_DESCRIPTION])["fpanon"]
    except (SchemaError, KeyError, TypeError, ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) and facts.get("kind") in KINDS else {}


def verify_tables(source: Place | bytes, original: FingerprintSet) -> Verification:
    """Check a package's tables, frame and protection, rebuild it, and return the verdict.

    Every byte is compared with the rebuilt package.

    Parameters
    ----------
    source : path or bytes
    original : FingerprintSet
        The original data. Exact counts are counted again from them; private counts cannot be, as
        the noise is not kept.

    Raises
    ------
    SchemaError
        There is no package of tables.
    """
    return verified(source, original, KIND, _rebuilt)


Rebuilt = Callable[[dict[str, Any], dict[str, bytes], FingerprintSet, Faults], bytes]
"""Function that checks a package's description and members against the data, and repacks it."""


def verified(
    source: Place | bytes, original: FingerprintSet, kind: str, rebuilt: Rebuilt
) -> Verification:
    """Rebuild a package from its checked content, compare every byte, and return the verdict.

    Raises
    ------
    SchemaError
        There is no package of that kind.
    """
    facts = described(source)
    if facts.get("kind") != kind:
        raise SchemaError(f"There is no release of {kind} at that place.")
    faults, members = Faults(original, 0), members_of(source)
    try:
        _compare_bytes(source, members, rebuilt(facts, members, original, faults), faults)
    except (ConfigError, SchemaError) as fault:
        faults.add("package", str(fault))
    except (KeyError, TypeError, ValueError, OverflowError, OSError, RecursionError):
        faults.add("package", "A file of the package is missing or damaged.")
    return faults.verdict()


def _rebuilt(
    facts: dict[str, Any], members: dict[str, bytes], original: FingerprintSet, faults: Faults
) -> bytes:
    option = step_from_dict(facts["option"])
    if not isinstance(option, Tables):
        raise ConfigError("The package describes no tables.")
    frame = table_frame(original, option.frame)
    names = np.array(frame.names, object)
    read = {name: table_read(members, name) for name in option.CONTENTS}
    found = {name: table for name, (table, _) in read.items()}
    (ending,) = {ending for _, ending in read.values()}
    for name, table in found.items():
        _check_table(name, table, option, names, faults)
    if option.epsilon is None and not faults.verdict().counts:
        _count_again(found, option, frame, original, faults)
    return _packed(option, frame, found, _stated_errors(facts["error"]), ending)


def _compare_bytes(
    source: Place | bytes, members: dict[str, bytes], due: bytes, faults: Faults
) -> None:
    """Check that a package is, byte for byte, what its data and its option make."""
    if not isinstance(source, bytes):
        source = b"" if os.path.isdir(source) else _file(source)
    if source not in (b"", due):
        faults.add("package", "The zip is not what its data and its option produce.")
    for name in sorted(set(members) ^ set(members_of(due))):
        faults.add("member", f"{name!r} should not be there, or is missing.")
    for name, content in members_of(due).items():
        if name in members and members[name] != content:
            faults.add("member", f"{name} is not the file that the data and the option produce.")


def _stated_errors(stated: Any) -> dict[str, Any]:
    """Return the stated errors; raise SchemaError unless all are numbers under known names."""
    known = {name: stated[name] for name in ("people", "scale", "trips") if name in stated}
    numbers = [known[name] for name in ("people", "scale") if name in known]
    numbers += known.get("trips", [])
    if len(known) < len(stated) or len(known.get("trips", DAY_TYPES)) != len(DAY_TYPES):
        raise SchemaError(
            "The description states errors under unknown names, or lacks the error of trips for a "
            "type of day."
        )
    if not all(type(each) is float and 0 <= each < math.inf for each in numbers):
        raise SchemaError("The description states an error that is not a number.")
    if any(_three(each) != each for each in numbers):
        raise SchemaError("The description states an error with too many digits.")
    return known


def _check_table(
    name: str, table: pd.DataFrame, option: Tables, names: Any, faults: Faults
) -> None:
    """Check that a table has the columns, rows, order and digits that the frame prescribes."""
    *keys, value = _COLUMNS[name]
    if list(table.columns) != [*keys, value]:
        raise SchemaError(f"The columns of {name} are not {', '.join(_COLUMNS[name])}.")
    if name == "presence":
        hours = np.arange(option.bands) * (24 / option.bands)
        due = pd.MultiIndex.from_product([names, DAY_TYPES, hours])
        if not pd.MultiIndex.from_frame(table[keys]).equals(due):
            faults.add(
                "rows", "The rows of presence do not match the stated areas, days and bands."
            )
    else:
        known = (names, names, DAY_TYPES)
        at = [pd.Index(of).get_indexer(table[key]) for key, of in zip(keys, known, strict=True)]
        cell = (at[0] * len(names) + at[1]) * len(DAY_TYPES) + at[2]
        if min(each.min(initial=0) for each in at) < 0 or (at[0] == at[1]).any():
            faults.add("rows", "The rows of flows are not pairs of the areas stated.")
        elif (np.diff(cell) <= 0).any():
            faults.add("rows", "The rows of flows are not in the order of the areas.")
    values = table[value].to_numpy(float)
    shown, least = values[~np.isnan(values)], option.threshold or 0
    if np.isinf(shown).any() or (shown < least - 1e-9).any():
        faults.add("cells", f"A cell is infinite or below {least}.")
    if len(shown) < len(values) and (option.threshold is None or name == "flows"):
        faults.add("cells", "A cell is blank, but no threshold allows blank cells here.")
    if (np.round(shown, PUBLISHED_DIGITS) != shown).any():
        faults.add("cells", f"A cell has more than {PUBLISHED_DIGITS} decimals.")


def _count_again(
    found: dict[str, pd.DataFrame],
    option: Tables,
    frame: TableFrame,
    original: FingerprintSet,
    faults: Faults,
) -> None:
    """Check that exact counts, whether blank or shown, equal the counts in the original."""
    due = frames_of(count_tables(original, option, frame))
    for name, table in found.items():
        *keys, value = table.columns
        both = table.merge(due[name], on=keys, how="outer", suffixes=("", "_due"))
        counted, again = both[value].astype(float), both[f"{value}_due"]
        if not np.allclose(counted, again, atol=2e-3, equal_nan=True):
            faults.add("counts", f"A count of {name} differs from the original.")


def _file(name: Place, folder: int | None = None) -> bytes:
    with open(file_opened(name, folder), "rb") as file:
        return file.read(_MOST_BYTES)


def members_of(source: Place | bytes, only: str | None = None) -> dict[str, bytes]:
    """Return the members of a package by name; raise SchemaError if it is missing or damaged."""
    try:
        if isinstance(source, bytes):
            return _members(io.BytesIO(source), only)
        if os.path.isdir(source):
            with folder_opened(source) as folder:
                names = os.listdir(folder) if only is None else [only]
                return {name: _file(name, folder) for name in sorted(names)}
        with open(file_opened(source), "rb") as file:
            return _members(file, only)
    except (OSError, EOFError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error):
        raise SchemaError("The package cannot be read.") from None


def _members(content: BinaryIO, only: str | None = None) -> dict[str, bytes]:
    with zipfile.ZipFile(content) as packed:
        entries = [each for each in packed.infolist() if only in (None, each.filename)]
        most = _MOST_BYTES if only is None else _MOST_DESCRIBED
        if sum(each.file_size for each in entries) > most:
            raise SchemaError("The package is too large to be read.")
        return {each.filename: packed.read(each) for each in entries}


# --- the page ------------------------------------------------------------------------------------


def _packed(
    option: Tables,
    frame: TableFrame,
    frames: dict[str, pd.DataFrame],
    error: dict[str, Any],
    ending: str,
) -> bytes:
    about = {"kind": KIND, "option": step_to_dict(option), "areas": frame.n_areas, "error": error}
    about |= {"day_types": [int(days) for days in frame.days], "timezone": zone_of(frame)}
    return packed(
        _TITLES,
        frames,
        frame,
        ending,
        name="tables",
        title=" and ".join(_TITLES[name] for name in frames).capitalize(),
        readme=readme(option, frame, error, _hidden(option, frame, frames)),
        about=about,
    )


def _hidden(option: Tables, frame: TableFrame, frames: dict[str, pd.DataFrame]) -> dict[str, Any]:
    """Return which differences noise hides, and the types of day without a listed trip."""
    found: dict[str, Any] = {}
    if "presence" in frames:
        people = frames["presence"]["people"].to_numpy(float)
        values = people.reshape(frame.n_areas, len(DAY_TYPES), -1)
        found["hours_hidden"] = hides_hours(values, frame, option)
        found["days_hidden"] = hides_days(values, frame, option)
        found["one_profile"] = has_one_profile(values, frame, option)
    if "flows" in frames and (option.epsilon, option.threshold) != (None, None):
        listed = set(frames["flows"]["day"])
        days = zip(DAY_TYPES, frame.days, strict=True)
        found["without_trips"] = [kind for kind, many in days if many and kind not in listed]
    return found


def readme(
    option: Tables, frame: TableFrame, error: dict[str, Any], hidden: dict[str, Any]
) -> Sequence[str]:
    """Return the paragraphs of the README; nothing in them is taken from the records.

    ``hidden`` states what the tables do not show (:func:`_hidden`).
    """
    by_day = [
        f"{each:g} on a {kind} day" if kind == "weekend" else f"{each:g} on a {kind}"
        for kind, each, days in zip(DAY_TYPES, error.get("trips", ()), frame.days, strict=False)
        if days
    ]
    said = {"option": option, "frame": frame, "error": error, "by_day": by_day}
    return paragraphs("tables", **said, hidden=hidden)


_TITLES = {
    "presence": "People by area, type of day and hours",
    "flows": "Trips from area to area by type of day",
}

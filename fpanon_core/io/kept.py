"""The account of a reading beside the fingerprints that it made, in their folder.

Without the rows set aside and the first rows: these are rows of the source.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, fields
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import pandas as pd

from ..model.configs import Screening
from ..model.errors import SchemaError
from ..model.fingerprints import FingerprintSet
from ..model.mapped import opened_in
from .report import REASONS, IngestReport
from .turns import TURNS

_NAME = "account.json"
_LEFT_OUT = ("rejects", "first_rows", "samples_per_user", "doubts")
_OF_THE_SET = ("n_users", "n_samples", "granularity_m", "granularity_min", "crs")
_TUPLES = ("available", "notes")


def keep_account(report: IngestReport, folder: Path) -> None:
    """Write the account into a folder of fingerprints."""
    plain = {f.name: getattr(report, f.name) for f in fields(report) if f.name not in _LEFT_OUT}
    plain["notes"] = [str(note) for note in report.notes]
    plain["screening"] = asdict(report.screening)
    opened = os.open(folder / _NAME, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(opened, "w", encoding="utf-8") as file:
        file.write(json.dumps(plain))


def kept_account(folder: int, fs: FingerprintSet) -> IngestReport:
    """The account that was kept beside the fingerprints ``fs``, in the open folder.

    Raises
    ------
    SchemaError
        There is none, or it is not of these.
    """
    try:
        with open(opened_in(folder, _NAME), encoding="utf-8") as file:
            plain = json.loads(file.read())
        plain |= {name: tuple(plain[name]) for name in _TUPLES}
        plain["screening"] = Screening(**plain["screening"])
        report = IngestReport(
            **plain,
            rejects=pd.DataFrame({"row": [], "reason": []}),
            samples_per_user=fs.lengths,
        )
        kinds = get_type_hints(IngestReport)
        fits = (
            all(_is(value, kinds[name]) for name, value in plain.items())
            and all(getattr(report, name) == getattr(fs, name) for name in _OF_THE_SET)
            and report.rows_read == report.rows_used + report.rows_set_aside
            and report.rows_used >= report.n_samples
            and min(report.set_aside.values(), default=0) >= 0
            and report.set_aside.keys() <= REASONS.keys()
            and report.columns.keys() <= report.found.keys()
            and report.positions in TURNS
        )
        if not fits:
            raise ValueError
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise SchemaError(
            "The folder has no account of how its fingerprints were read, or not of these; read "
            "the data again."
        ) from None
    return report


def _is(value: Any, kind: Any) -> bool:
    """Whether a value is of the kind that a field of the report declares."""
    of, inner = get_origin(kind), get_args(kind)
    if of is UnionType:
        return any(_is(value, each) for each in inner)
    if of is dict:
        return isinstance(value, dict) and all(_is(each, inner[1]) for each in value.values())
    if of is tuple:
        return all(_is(each, inner[0]) for each in value)
    if kind is Any:  # of a column: its name, or its number
        return isinstance(value, (str, int))
    return type(value) is kind or (kind is float and type(value) is int)

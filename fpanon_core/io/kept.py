"""The account of a reading beside the fingerprints that it made, in their folder.

Without the rows set aside and the first rows: these are rows of the source.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, fields
from pathlib import Path

import pandas as pd

from ..model.configs import Screening
from ..model.errors import SchemaError
from ..model.fingerprints import FingerprintSet
from .report import IngestReport

_NAME = "account.json"
_LEFT_OUT = ("rejects", "first_rows", "samples_per_user", "doubts")
_TUPLES = ("available", "notes")


def keep_account(report: IngestReport, folder: Path) -> None:
    """Write the account into a folder of fingerprints."""
    plain = {f.name: getattr(report, f.name) for f in fields(report) if f.name not in _LEFT_OUT}
    plain["notes"] = [str(note) for note in report.notes]
    plain["screening"] = asdict(report.screening)
    opened = os.open(folder / _NAME, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(opened, "w", encoding="utf-8") as file:
        file.write(json.dumps(plain))


def kept_account(folder: Path, fs: FingerprintSet) -> IngestReport:
    """The account that was kept beside the fingerprints ``fs``.

    Raises
    ------
    SchemaError
        There is none, or it is not of these.
    """
    try:
        plain = json.loads((folder / _NAME).read_text("utf-8"))
        plain |= {name: tuple(plain[name]) for name in _TUPLES}
        report = IngestReport(
            **plain | {"screening": Screening(**plain["screening"])},
            rejects=pd.DataFrame({"row": [], "reason": []}),
            samples_per_user=fs.lengths,
        )
        if (report.n_users, report.n_samples) != (fs.n_users, fs.n_samples):
            raise ValueError
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise SchemaError(
            "The folder has no account of how its fingerprints were read, or not of these; read "
            "the data again."
        ) from None
    return report

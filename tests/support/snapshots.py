"""What pages and commands say, as reviewed text: a file for each, under ``tests/snapshots``.

``make snapshots`` writes them anew; the change is then read, sentence by sentence, in the diff.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

FOLDER = Path(__file__).parents[1] / "snapshots"


def check_snapshot(name: str, parts: Mapping[str, str | Iterable[str]]) -> None:
    """Whether each part, a text or its sentences, says what the file says of it."""
    told = "\n".join(f"## {title}\n\n{_lines(text)}\n" for title, text in parts.items())
    path = FOLDER / f"{name}.txt"
    if os.environ.get("SNAPSHOTS") == "write":
        path.write_text(told, encoding="utf-8")
    assert told == path.read_text(encoding="utf-8"), "as meant? Then `make snapshots`"


def rows_of(table: pd.DataFrame) -> list[str]:
    """A table for a part, row by row."""
    return table.to_csv(sep="|", float_format="%.6g").splitlines()


def _lines(text: str | Iterable[str]) -> str:
    sentences = [text] if isinstance(text, str) else text
    return "\n".join(each.rstrip() for each in sentences if each.strip()) or "(nothing)"

"""Which files on the server may be opened? Those in one folder that its operator has named.

Files too large to upload are picked from a list; a path is never typed. Links that lead out of the
folder are not followed.
"""

from __future__ import annotations

from pathlib import Path

from ..model.errors import SchemaError

SUFFIXES = (
    *(".csv", ".tsv", ".txt", ".gz", ".zip", ".parquet", ".xlsx"),
    *(".json", ".jsonl", ".ndjson", ".geojson"),
)


def data_files(folder: Path) -> list[str]:
    """Names, relative to the folder, of the readable data files in it and below, sorted."""
    root = folder.resolve()
    if not root.is_dir():
        return []
    return sorted(
        path.relative_to(root).as_posix()
        for path in root.rglob("*")
        if path.name.endswith(SUFFIXES) and path.is_file() and _inside(path, root)
    )


def file_in(folder: Path, name: str) -> Path:
    """The file of that name in the folder.

    Raises
    ------
    SchemaError
        If there is no such file, or the name or a link leads out of the folder.
    """
    root = folder.resolve()
    path = root / name
    if not (_inside(path, root) and path.is_file()):
        raise SchemaError(
            "This file is not, or no longer, in the server's data folder; choose one from the list."
        )
    return path.resolve()


def _inside(path: Path, root: Path) -> bool:
    return path.resolve().is_relative_to(root)

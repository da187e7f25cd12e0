"""Only files of the named folder can be opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from fpanon_core.model.errors import SchemaError
from fpanon_core.tables.folder import data_files, file_in


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "shared"
    (inside / "deep").mkdir(parents=True)
    for path in ("shared/a.csv", "shared/deep/b.parquet", "shared/notes.md", "secret.csv"):
        (tmp_path / path).write_text("x")
    (inside / "link.csv").symlink_to(tmp_path / "secret.csv")
    (inside / "up").symlink_to(tmp_path, target_is_directory=True)
    return inside


def test_lists_data_files_below_the_folder_and_no_link_out_of_it(folder: Path) -> None:
    assert data_files(folder) == ["a.csv", "deep/b.parquet"]
    assert data_files(folder / "absent") == []


@pytest.mark.parametrize(
    "name", ["../secret.csv", "link.csv", "up/secret.csv", "/etc/passwd", "absent.csv", "deep"]
)
def test_a_name_that_leads_out_or_nowhere_is_refused(folder: Path, name: str) -> None:
    with pytest.raises(SchemaError, match="server's data folder"):
        file_in(folder, name)


def test_a_listed_file_is_found(folder: Path) -> None:
    assert file_in(folder, "deep/b.parquet").read_text() == "x"

"""Only files of the named folder can be opened."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from fpanon_core.model.errors import SchemaError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.mapped import load_opened
from fpanon_core.tables.folder import data_files, file_in, kept_folders, kept_in


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "shared"
    (inside / "deep").mkdir(parents=True)
    for path in ("shared/a.csv", "shared/deep/b.parquet", "shared/notes.md", "secret.csv"):
        (tmp_path / path).write_text("x")
    (inside / "link.csv").symlink_to(tmp_path / "secret.csv")
    (inside / "within.csv").symlink_to(inside / "a.csv")
    (inside / "up").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(inside / "pipe.csv")
    return inside


def test_lists_data_files_below_the_folder_and_no_link(folder: Path) -> None:
    assert data_files(folder) == ["a.csv", "deep/b.parquet"]
    assert data_files(folder / "absent") == []


@pytest.mark.parametrize(
    "name",
    [
        *("../secret.csv", "link.csv", "within.csv", "up/secret.csv", "/etc/passwd", "absent.csv"),
        *("deep", "deep/../a.csv", "a.csv\0", "", ".", "a.csv/b", "pipe.csv", "x" * 5_000),
    ],
    ids=lambda name: repr(name[:20]),
)
def test_a_name_that_leads_out_or_nowhere_is_refused(folder: Path, name: str) -> None:
    with pytest.raises(SchemaError, match="server's data folder"):
        file_in(folder, name)


def test_a_listed_file_is_found_and_read_in_another_process(folder: Path) -> None:
    chosen = pickle.loads(pickle.dumps(file_in(folder, "deep/b.parquet")))
    assert chosen.read(10) == b"x"
    assert "b.parquet" not in repr(chosen)  # as a log would show it
    with pytest.raises(SchemaError, match="larger than"):
        chosen.read(0)


def test_the_operators_folder_may_be_a_link_itself(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "data").symlink_to(folder)
    assert file_in(tmp_path / "data", "a.csv").read(10) == b"x"


def test_what_is_exchanged_after_it_was_chosen_is_not_followed(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "b.csv").write_text("x")
    names = ("a.csv", "b.csv", "deep/b.parquet")
    chosen = {name: file_in(folder, name) for name in names}
    (folder / "other.csv").write_text("of somebody else")
    (folder / "other.csv").rename(folder / "b.csv")
    (folder / "a.csv").rename(tmp_path / "same.csv")
    (folder / "a.csv").symlink_to(tmp_path / "same.csv")  # to the very file: a link all the same
    (folder / "deep").rename(tmp_path / "elsewhere")
    (folder / "deep").symlink_to(tmp_path / "elsewhere")  # a folder on the way
    for each in chosen.values():
        with pytest.raises(SchemaError, match="no longer"):
            each.read(100)


@pytest.fixture
def kept(folder: Path, tmp_path: Path) -> Path:
    fs = FingerprintSet.from_samples([1, 2], [0, 0], [0, 0], [0, 5])
    fs.save(folder / "deep" / "kept")
    fs.save(tmp_path / "elsewhere")
    (folder / "away").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    return folder


def test_folders_of_fingerprints_are_listed_and_not_what_is_in_them(kept: Path) -> None:
    assert kept_folders(kept) == ["deep/kept"]
    assert kept_folders(kept / "deep" / "kept") == []
    assert data_files(kept) == ["a.csv", "deep/b.parquet"]
    chosen = pickle.loads(pickle.dumps(kept_in(kept, "deep/kept")))
    with chosen.opened() as here:
        assert load_opened(FingerprintSet, chosen.path, here).n_users == 2


@pytest.mark.parametrize(
    "name",
    ["../elsewhere", "away", "up/elsewhere", "deep", "a.csv", "", ".", "deep/kept\0", "none"],
    ids=repr,
)
def test_no_other_folder_is_opened(kept: Path, name: str) -> None:
    with pytest.raises(SchemaError, match="server's data folder"):
        kept_in(kept, name)


def test_a_folder_put_in_the_place_of_the_one_chosen_is_refused(kept: Path, tmp_path: Path) -> None:
    chosen, place = kept_in(kept, "deep/kept"), kept / "deep" / "kept"

    def check_refused() -> None:
        with pytest.raises(SchemaError, match="no longer"), chosen.opened():
            pass

    place.rename(tmp_path / "moved")
    check_refused()
    place.symlink_to(tmp_path / "moved", target_is_directory=True)
    check_refused()
    place.unlink()
    FingerprintSet.from_samples([1], [0], [0], [0]).save(place)
    check_refused()

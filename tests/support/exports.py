"""Tables in files: the same as the studies', but for people's names, their order and the mark."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd

from fpanon_core.studies.tabled import Tabled
from fpanon_core.tables.leaving import people_columns
from fpanon_core.tables.writing import table_bytes

SUFFIX, MARK = "_not_for_release", "for_release"
ROW_NUMBERS = ("user", "sample", "row", "matched_row")


def file_name(result: Tabled, table: str) -> str:
    """The name of a table's file, written out."""
    return f"{table}.csv" if result.may_leave(table) else f"{table}{SUFFIX}.csv"


def check_table(content: bytes, result: Tabled, table: str) -> None:
    """The file holds the table: byte for byte if it may leave, else but for names and order."""
    ours = table_bytes([result.tables()[table]], "t.csv")
    if result.may_leave(table):
        assert content == ours, f"{table}: byte for byte"
    else:
        assert same_but_for_names(read(content), read(ours)), table


def same_but_for_names(written: pd.DataFrame, ours: pd.DataFrame) -> bool:
    """Whether a file that is not for release holds our table, under names of its own.

    Nothing else may differ: for each of our people there is one in the file with the same rows in
    the same order. People with the same rows are interchangeable.
    """
    assert list(written)[-1] == MARK, "the last column says that it is not for release"
    assert (written[MARK] == "no").all()
    written = written.drop(columns=MARK)
    assert not {*ROW_NUMBERS} & {*written}, "row numbers follow the input"
    ours = ours.drop(columns=[name for name in ROW_NUMBERS if name in ours])
    assert list(written) == list(ours), "the same columns in the same order"
    if "pseudonym" not in ours:
        pd.testing.assert_frame_equal(written, ours)
        return True
    assert not {*written["pseudonym"]} & {*ours["pseudonym"]}, "the session's names are in no file"
    return people(written) == people(ours)


def people(table: pd.DataFrame) -> Counter[Any]:
    """The rows of each person, without the name, and how many people have such."""
    rest = [name for name in table if name != "pseudonym"]
    return Counter(
        tuple(map(tuple, part[rest].astype(str).to_numpy().tolist()))
        for _, part in table.groupby("pseudonym", sort=False)
    )


def read(content: bytes) -> pd.DataFrame:
    """A table as it stands in its file."""
    return pd.read_csv(io.BytesIO(content))


def check_folder(folder: Path, *results: Tabled) -> None:
    """Every table of every result is a file in the folder, and the list says which may leave."""
    expected = {file_name(r, name): (r, name) for r in results for name in r.tables()}
    assert {path.name for path in folder.iterdir()} == {*expected, "FILES.csv"}
    listed = pd.read_csv(folder / "FILES.csv").set_index("file")
    assert sorted(listed.index) == sorted(expected)
    for file, (result, name) in expected.items():
        check_table((folder / file).read_bytes(), result, name)
        assert listed.loc[file, "may_leave"] == ("yes" if result.may_leave(name) else "no")
        assert ("Not for release" in listed.loc[file, "why"]) == (SUFFIX in file)


def names_rows(table: pd.DataFrame) -> bool:
    """Whether a table names people or rows of the data, and so must never leave."""
    return bool(people_columns(table)) or bool({*ROW_NUMBERS} & {*table})

"""Columns as NumPy files: what is written is what NumPy reads, and nothing else is read."""

import ast
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from fpanon_core.model.mapped import ColumnFile, blocks_of, mapped_rows, rows_in

KINDS = st.sampled_from(["<i8", "<f8", "<i4", "<u8", "<f4", "<u2", "|i1", "|u1", "|b1"])


@given(
    arrays.arrays(KINDS, st.integers(0, 40), elements={"allow_nan": False}),
    st.integers(0, 40),
    st.integers(0, 40),
)
def test_rows_are_those_that_numpy_reads(tmp_path_factory, values, begin, end):
    begin, end = sorted((min(begin, len(values)), min(end, len(values))))
    path = tmp_path_factory.mktemp("column") / "a.npy"
    file = ColumnFile(path, values.dtype)
    file.append(values[:begin])
    file.append(values[begin:])
    file.close()
    for other in (path, path.with_name("b.npy")):  # and those of a file that NumPy wrote
        if other != path:
            np.save(other, values)
        np.testing.assert_array_equal(np.load(other), values)
        for found in (rows_in(other), mapped_rows(other)):
            np.testing.assert_array_equal(found, values)
            assert found.dtype == values.dtype
        np.testing.assert_array_equal(rows_in(other, slice(begin, end)), values[begin:end])
        assert b"".join(blocks_of(other)) == values.tobytes()


def test_no_head_is_parsed_as_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads that do so at once may disturb each other in Python 3.11."""
    np.save(tmp_path / "a.npy", np.arange(9))

    def parsed(*_: object, **__: object) -> None:
        raise SystemError("AST constructor recursion depth mismatch")

    monkeypatch.setattr(ast, "parse", parsed)
    monkeypatch.setattr(ast, "literal_eval", parsed)
    assert rows_in(tmp_path / "a.npy", slice(2, 4)).tolist() == [2, 3]
    assert mapped_rows(tmp_path / "a.npy").tolist() == list(range(9))
    with pytest.raises(SystemError):
        np.load(tmp_path / "a.npy")


@pytest.mark.parametrize(
    "values",
    [
        *(np.zeros((2, 2)), np.array(3.0), np.array(["a"]), np.array([None], object)),
        *(np.zeros(2, kind) for kind in ("<c16", "<M8[us]", [("a", "<i8")], ">i8")),
    ],
    ids=["rows and columns", "a number", "texts", "objects", "complex", "times", "rows", "other"],
)
def test_what_is_no_column_of_numbers_is_refused(tmp_path: Path, values: np.ndarray) -> None:
    np.save(tmp_path / "a.npy", values)
    for read in (rows_in, mapped_rows, lambda path: list(blocks_of(path))):
        with pytest.raises(ValueError, match="not a NumPy file with one column of numbers"):
            read(tmp_path / "a.npy")


@pytest.mark.parametrize("size", [0, 5, 9, 40, 127])
def test_a_file_cut_short_is_refused(tmp_path: Path, size: int) -> None:
    np.save(tmp_path / "a.npy", np.arange(9))
    (tmp_path / "a.npy").write_bytes((tmp_path / "a.npy").read_bytes()[:size])
    for read in (rows_in, mapped_rows):
        with pytest.raises(ValueError, match="not a NumPy file"):
            read(tmp_path / "a.npy")
    np.save(tmp_path / "a.npy", np.arange(9))
    os.truncate(tmp_path / "a.npy", 128 + 8 * 8)  # the column, not the head
    with pytest.raises(ValueError, match="greater than file size"):
        mapped_rows(tmp_path / "a.npy")

"""Text tables: encoding, delimiter and header are detected from the file's content."""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv as pacsv

from ..model.budgets import check_columns
from ..model.errors import SchemaError
from .names import is_known_name
from .table import SourceTable
from .times import parse_times

_DELIMITERS = ("\t", ";", "|", ",", " ")
_HEAD_BYTES = 1 << 18
_HEAD_LINES = 200
_NO_ROWS = "The file has a header but no rows; give one row per event."
_BLOCK = 4 << 20
_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?")


def read_delimited(data: bytes) -> SourceTable:
    """Return the table in the bytes of a text file, with every field as text.

    Each line after the header, if there is one, is a row; blank lines are not read. A field may be
    quoted, but may not contain a line break; otherwise one stray quote would silently swallow the
    rest of the file. Lines with more or fewer fields than the rest, and lines with an unclosed
    quote, are malformed.

    Raises
    ------
    SchemaError
        The file is empty, is not text, cannot be cut into lines and fields, or has only one column,
        too many columns or no valid row.
    """
    data, encoding = as_utf8(data)
    if b"\n" not in data and b"\r" in data:
        data = data.replace(b"\r", b"\n")
    head = data[:_HEAD_BYTES]
    if len(data) > _HEAD_BYTES:
        head = head[: head.rfind(b"\n") + 1] or head
    lines = [line.rstrip("\r") for line in head.decode("utf-8", "replace").split("\n")]
    lines = [line for line in lines if line.strip()][:_HEAD_LINES]
    if not lines:
        raise SchemaError("The file is empty; give a table with one row per event.")
    notes: tuple[str, ...] = ()
    squeezed = [re.sub(" {2,}", " ", line.strip()) for line in lines]
    delimiter, width = _dialect(lines)
    if width < 2:
        delimiter, width = _dialect(squeezed)
    if delimiter == " " and any("  " in line or line != line.strip(" ") for line in lines):
        data = re.sub(rb"(?m)^ +| +(?=\r?$)", b"", re.sub(rb" {2,}", b" ", data))
        lines = squeezed
        delimiter, width = _dialect(lines)
        notes += ("Consecutive spaces are read as one separator.",)
    if width < 2:
        raise SchemaError(
            "The file has only one column, or no separator that fpanon knows (comma, semicolon, "
            "tab, bar, space); give a table with columns for person, time and position."
        )
    check_columns(width)
    rows = [_fields(line, delimiter) for line in lines]
    header = has_header(rows)
    labels: tuple[str | int, ...] = tuple(range(width))
    skip = 0
    if header:
        labels, remark = _labels(rows, width)
        notes += remark
        skip = _end_of_first_line(data)
    table = _parse(data, skip, labels, delimiter)
    return table.with_note(*notes, encoding=encoding, header=header)


# --- encoding ----------------------------------------------------------------------------------


def as_utf8(data: bytes) -> tuple[bytes, str]:
    """Return the text as UTF-8 without a byte order mark, and its original encoding.

    Raises
    ------
    SchemaError
        The data are not text, or are damaged UTF-16.
    """
    for mark, name in ((codecs.BOM_UTF16_LE, "UTF-16"), (codecs.BOM_UTF16_BE, "UTF-16")):
        if data.startswith(mark):
            return _recoded(data, "utf-16"), name
    if data.startswith(codecs.BOM_UTF8):
        data = data[3:]
    head = np.frombuffer(data[:4096], np.uint8)
    if len(head) >= 4 and (zeros := head == 0).mean() > 0.3:
        little = zeros[1::2].mean() > zeros[::2].mean()
        return _recoded(data, "utf-16-le" if little else "utf-16-be"), "UTF-16"
    head = np.frombuffer(data[: 1 << 16], np.uint8)
    controls = (head < 32) & ~np.isin(head, (9, 10, 12, 13, 26)) | (head == 127)
    if controls.any():
        raise SchemaError(
            "The file is neither text nor of another kind that fpanon can read; give CSV (plain, "
            "gz or zip), Parquet, XLSX or JSON records."
        )
    if data.isascii():
        return data, "UTF-8"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1").encode("utf-8"), "Latin-1"
    return data, "UTF-8"


def _recoded(data: bytes, encoding: str) -> bytes:
    try:
        return data.decode(encoding).encode("utf-8")
    except UnicodeError:
        raise SchemaError(
            "The file looks like UTF-16 text but is damaged; save it again as UTF-8."
        ) from None


# --- delimiter and header ----------------------------------------------------------------------


def _fields(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def _dialect(lines: list[str]) -> tuple[str, int]:
    """Return the first delimiter that most lines agree on, and the number of fields it gives."""
    for first_agrees in (True, False):
        for delimiter in _DELIMITERS:
            counts = [len(_fields(line, delimiter)) for line in lines]
            width, votes = Counter(counts[1:] or counts).most_common(1)[0]
            if width < 2 or votes <= 0.5 * max(len(counts) - 1, 1):
                continue
            if not first_agrees or counts[0] == width:
                return delimiter, width
    return "", 1


def has_header(rows: list[list[str]]) -> bool:
    """Return whether the first row is a header.

    A row that counts 0, 1, 2 …, or holds at least two known names, is a header. Any other header
    holds no number or time. It also has one known name, or a column in which most rows below hold a
    number or time.
    """
    first = [field.strip() for field in rows[0]]
    if first == [str(i) for i in range(len(first))]:
        return True  # a DataFrame without names writes 0, 1, 2 …
    known = sum(is_known_name(name) for name in first)
    if known > 1:
        return True
    if not any(first) or any(map(_is_value, first)):
        return False
    if known:
        return True
    body = rows[1:50]
    return any(
        sum(_is_value(row[i].strip()) for row in body if i < len(row)) > 0.5 * len(body)
        for i in range(len(first))
    )


def _is_value(text: str) -> bool:
    if _NUMBER.fullmatch(text):
        return True
    return bool(re.search(r"\d", text)) and bool(parse_times(pa.chunked_array([[text]])).ok[0])


def _labels(rows: list[list[str]], width: int) -> tuple[tuple[str | int, ...], tuple[str, ...]]:
    """Return the names of ``width`` columns, and notes.

    The header may have more or fewer names than there are columns.
    """
    names = [name.strip().removeprefix("#").strip() for name in rows[0]]
    notes: tuple[str, ...] = ()
    if len(names) == width - 1 and any(row[-1].strip() for row in rows[1:] if len(row) == width):
        names = ["", *names]  # as R writes row names
        notes = (
            "The header has one name fewer than the rows have fields; the first field has no name.",
        )
    names = (names + [""] * width)[:width]
    return tuple(name or f"column {i + 1}" for i, name in enumerate(names)), notes


def _end_of_first_line(data: bytes) -> int:
    """Return where the line after the header begins; blank lines may precede the header."""
    start = len(data) - len(data.lstrip(b"\r\n \t"))
    end = data.find(b"\n", start)
    return len(data) if end < 0 else end + 1


# --- rows --------------------------------------------------------------------------------------


def _parse(data: bytes, skip: int, labels: tuple[str | int, ...], delimiter: str) -> SourceTable:
    names = [f"c{i}" for i in range(len(labels))]
    body = _rows_in(data, skip, delimiter)
    wrong: list[int | None] = []

    def note_wrong(row: pacsv.InvalidRow) -> str:
        wrong.append(row.number)
        return "skip"

    def read(threads: bool) -> pa.Table:
        wrong.clear()
        return pacsv.read_csv(
            pa.BufferReader(body),
            # Arrow's own allocator takes several times longer over memory it has not yet used.
            memory_pool=pa.system_memory_pool(),
            read_options=pacsv.ReadOptions(
                column_names=names, block_size=_BLOCK, use_threads=threads
            ),
            parse_options=pacsv.ParseOptions(
                delimiter=delimiter, ignore_empty_lines=True, invalid_row_handler=note_wrong
            ),
            convert_options=pacsv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )

    try:
        table = read(threads=True)
        if wrong:  # only a single thread knows the row numbers
            table = read(threads=False)
    except pa.ArrowInvalid as fault:
        if "Empty CSV" in str(fault):
            raise SchemaError(_NO_ROWS) from None
        raise SchemaError(
            "The file cannot be cut into lines and fields. Does a line lack its end, or is one "
            "longer than 4 MB? Save it again as CSV with one event per line."
        ) from None
    malformed = np.array(wrong, np.int64) - 1
    n = table.num_rows + len(malformed)
    if n == 0:
        raise SchemaError(_NO_ROWS)
    if table.num_rows == 0:
        raise SchemaError(
            f"None of the {n:,} rows has the {len(labels)} fields of the first lines; check the "
            "separator."
        )
    numbers = None
    if _lines_in(data, skip) != n:  # some lines are blank
        numbers = _line_numbers(data, skip, n)
    return SourceTable(
        labels,
        tuple(table.columns),
        "delimited text",
        delimiter=delimiter,
        first_row=1 + data.count(b"\n", 0, skip),
        malformed=malformed,
        numbers=numbers,
    )


def _lines_in(data: bytes, skip: int) -> int:
    raw = np.frombuffer(data, np.uint8)[skip:]
    pieces = range(0, len(raw), 1 << 20)  # as bytes.count, but several times faster
    breaks = sum(int(np.count_nonzero(raw[i : i + (1 << 20)] == 10)) for i in pieces)
    return breaks + (not data.endswith(b"\n"))


def _line_bounds(data: bytes, skip: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return start and end (before the line break) of every line from ``skip`` on."""
    raw = np.frombuffer(data, np.uint8)[skip:]
    ends = np.flatnonzero(raw == 10) + skip
    if not len(ends) or ends[-1] != len(data) - 1:
        ends = np.append(ends, len(data))
    return np.concatenate([[skip], ends[:-1] + 1]), ends


def _line_numbers(data: bytes, skip: int, n: int) -> npt.NDArray[np.int64] | None:
    """Return the line number, from 1, of each of ``n`` rows; blank lines hold no row.

    The result is None if the lines do not hold ``n`` rows.
    """
    starts, ends = _line_bounds(data, skip)
    raw = np.frombuffer(data + b"\n", np.uint8)
    blank = (ends == starts) | ((ends == starts + 1) & (raw[starts] == 13))
    lines = np.flatnonzero(~blank) + 1 + data.count(b"\n", 0, skip)
    return lines if len(lines) == n else None


def _rows_in(data: bytes, skip: int, delimiter: str) -> pa.Buffer:
    """Return the rows; a line with a quote that is never closed becomes a lone NUL field.

    No valid row has such a field. Only a quote at the start of a field counts.
    """
    body = pa.py_buffer(data).slice(skip)
    if b'"' not in data:
        return body
    starts, ends = _line_bounds(data, skip)
    quotes = np.flatnonzero(np.frombuffer(data, np.uint8)[skip:] == ord('"')) + skip
    line = np.searchsorted(ends, quotes)
    odd = np.flatnonzero(np.bincount(line, minlength=len(ends)) % 2)
    closed, parts, at = _closed_line(delimiter), [], skip
    for start, end in zip(starts[odd].tolist(), ends[odd].tolist(), strict=True):
        if not closed.fullmatch(data[start:end].rstrip(b"\r")):
            parts += [data[at:start], b"\x00"]
            at = end
    return pa.py_buffer(b"".join([*parts, data[at:]])) if parts else body


def _closed_line(delimiter: str) -> re.Pattern[bytes]:
    """Return the pattern of a line in which every quoted field is closed.

    Within a quoted field, a quote is doubled. The pattern never backtracks, so its time is linear
    in the line's length.
    """
    mark = re.escape(delimiter).encode()
    field = rb'(?>"(?:[^"]++|"")*+"[^%b]*+|[^"%b][^%b]*+|)' % (mark, mark, mark)
    return re.compile(rb"%b(?:%b%b)*+" % (field, mark, field), re.DOTALL)

"""Reading of the sheets of an XLSX workbook within their budget, the largest accepted size.

Only cells, and what gives them meaning, are read: shared texts, the formats that mark dates, and
the year in which day numbers begin. Styles, charts, links and pivot tables are not read, and a
sheet named twice is read once. Any of these can be small and yet take hours to read. Missing rows
are not filled in. Texts of cells are checked against the budget as they are read, because thousands
of cells may share one text of megabytes.

Before any parser trusts the workbook, its XML is checked. A workbook is XML in a zip file, and its
claims may be false. One cell in the last of 16,384 columns makes its row that wide, and a row may
be numbered 10¹¹. So all of the XML is scanned once without keeping anything. It is refused if rows,
columns, cells or elements exceed the budget, or if parsing a part would take time quadratic in its
length.
"""

from __future__ import annotations

import io
import posixpath
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any
from xml.parsers import expat

from openpyxl.cell.text import Text
from openpyxl.reader.strings import read_string_table
from openpyxl.styles.numbers import builtin_format_code, is_date_format, is_timedelta_format
from openpyxl.utils.cell import coordinate_to_tuple
from openpyxl.utils.datetime import CALENDAR_MAC_1904, WINDOWS_EPOCH, from_excel, from_ISO8601
from openpyxl.utils.exceptions import CellCoordinatesException
from openpyxl.workbook.properties import WorkbookProperties
from openpyxl.xml.constants import REL_NS, SHEET_MAIN_NS
from openpyxl.xml.functions import fromstring, iterparse

from ..model.budgets import MAX_SHEET_ROWS, Budget, check_columns
from ..model.errors import FpanonError, SchemaError

Row = tuple[int, tuple[Any, ...]]
"""Number of a row in the sheet, and its fields."""
WORKBOOK = "xl/workbook.xml"
MAX_BOOK_COLUMNS = 2_000
"""Largest number of columns of all sheets together; inspecting a column takes milliseconds."""
_PARTS = "xl/_rels/workbook.xml.rels"
_MAIN = f"{{{SHEET_MAIN_NS}}}"
_ROW, _CELL, _VALUE, _INLINE = (f"{_MAIN}{name}" for name in ("row", "c", "v", "is"))
_ID = f"{{{REL_NS}}}id"
_DAMAGED = "The XLSX file is damaged; save it again as XLSX or CSV."


def read_sheets(archive: zipfile.ZipFile, budget: Budget) -> list[list[Row]]:
    """Return the non-empty rows of every sheet.

    Raises
    ------
    SchemaError
        The workbook is damaged, exceeds the budget, or has too many columns.
    """
    try:
        check_xml(archive, budget)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about parts not read; a warning may quote a cell
            book = _Book(archive, budget)
            return [book.rows_of(part) for part in book.sheets]
    except (FpanonError, MemoryError):
        raise
    except Exception:  # openpyxl lets through whatever its parsers raise on a damaged file
        raise SchemaError(_DAMAGED) from None


class _Book:
    """Shared parts of a workbook's sheets, and the running totals of text and columns."""

    def __init__(self, archive: zipfile.ZipFile, budget: Budget) -> None:
        self._archive, self._budget = archive, budget
        self._text = self._columns = 0
        root = fromstring(archive.read(WORKBOOK))
        about = root.find(f"{_MAIN}workbookPr")
        # Days are counted from 1904 in workbooks of old Macintoshes.
        from_1904 = about is not None and WorkbookProperties.from_tree(about).date1904
        self._epoch = CALENDAR_MAC_1904 if from_1904 else WINDOWS_EPOCH
        parts = {part.get("Id"): part for part in fromstring(archive.read(_PARTS))}
        members = frozenset(archive.namelist())

        def part(kind: str) -> bytes | None:
            """Return the content of the only part of this kind, or None if there is none."""
            own = (_place(p) for p in parts.values() if p.get("Type", "").endswith(f"/{kind}"))
            place = next((place for place in own if place in members), None)
            return archive.read(place) if place else None

        texts = part("sharedStrings")
        self._strings: list[str] = [] if texts is None else read_string_table(io.BytesIO(texts))
        self._dates, self._durations = _date_styles(part("styles"))
        named = root.iterfind(f"{_MAIN}sheets/{_MAIN}sheet")
        sheets = [parts[each] for sheet in named if (each := sheet.get(_ID))]
        places = [_place(each) for each in sheets if "chartsheet" not in each.get("Type", "")]
        self.sheets = [place for place in dict.fromkeys(places) if place in members]
        """Parts that hold sheets, in order, each once."""

    def rows_of(self, part: str) -> list[Row]:
        """Return the non-empty rows of a sheet."""
        rows: list[Row] = []
        widest = 0
        with self._archive.open(part) as stream:
            for number, cells in self._parsed(stream):
                fields: list[Any] = [None] * max(cells, default=0)
                widest = max(widest, len(fields))
                for column, value in cells.items():
                    fields[column - 1] = value
                    if isinstance(value, str):  # cells may share a text, columns hold copies
                        self._text += len(value) if value.isascii() else 3 * len(value)
                        self._budget.check_bytes(self._text)
                if any(field is not None and field != "" for field in fields):
                    rows.append((number, tuple(fields)))
        self._columns += widest
        if self._columns > MAX_BOOK_COLUMNS:
            raise SchemaError(
                f"The sheets of the XLSX file have more than {MAX_BOOK_COLUMNS:,} columns "
                "together; save the sheet with the events on its own, or as CSV."
            )
        return rows

    def _parsed(self, stream: IO[bytes]) -> Iterator[tuple[int, dict[int, Any]]]:
        """Yield the number of each row, and its cells by column number, from 1."""
        number = 0
        within = False
        for event, element in iterparse(stream, ("start", "end")):
            if element.tag == _ROW:
                within = event == "start"
                if not within:
                    told = element.get("r")
                    # Some programs write it as 1.0.
                    number = number + 1 if told is None else int(float(told))
                    yield number, self._cells(element)
            if event == "end" and not within:
                element.clear()

    def _cells(self, row: Any) -> dict[int, Any]:
        cells: dict[int, Any] = {}
        column = 0
        for cell in row.iterfind(_CELL):
            place = cell.get("r")
            column = coordinate_to_tuple(place)[1] if place else column + 1
            cells[column] = self._value(cell)
        return cells

    def _value(self, cell: Any) -> Any:
        """Return the value of a cell; for a formula, its result when the workbook was saved."""
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            inside = cell.find(_INLINE)
            return None if inside is None else Text.from_tree(inside).content
        value = cell.findtext(_VALUE)
        if not value:
            return None
        match kind:
            case "n":
                return self._number(value, int(cell.get("s") or 0))
            case "s":
                return self._strings[int(value)]
            case "b":
                return bool(int(value))
            case "d":
                return from_ISO8601(value)
        return value

    def _number(self, text: str, style: int) -> Any:
        value = float(text) if set(text) & set(".eE") else int(text)
        if style not in self._dates:
            return value
        try:
            return from_excel(value, self._epoch, timedelta=style in self._durations)
        except (OverflowError, ValueError):
            return "#VALUE!"  # as a spreadsheet shows a day before its first, or past its last


def _date_styles(xml: bytes | None) -> tuple[set[int], set[int]]:
    """Return the numbers of the styles for dates or times, and of the styles for durations."""
    if xml is None:
        return set(), set()
    root = fromstring(xml)
    formats = root.iterfind(f"{_MAIN}numFmts/{_MAIN}numFmt")
    own = {int(each.get("numFmtId")): each.get("formatCode") for each in formats}
    styles = [int(each.get("numFmtId", 0)) for each in root.iterfind(f"{_MAIN}cellXfs/{_MAIN}xf")]
    codes = [own.get(each, builtin_format_code(each)) for each in styles]
    dates = {code for code in set(codes) if is_date_format(code)}
    durations = {code for code in set(codes) if is_timedelta_format(code)}
    at = list(enumerate(codes))
    return {i for i, code in at if code in dates}, {i for i, code in at if code in durations}


def _place(part: Any) -> str:
    """Return the name that a part of the workbook has in the archive."""
    target: str = part.get("Target", "")
    return target[1:] if target.startswith("/") else posixpath.normpath(f"xl/{target}")


MAX_FORMAT_CHARACTERS = 255
"""Largest length of a number format, as in Excel; the check for dates takes quadratic time."""
MAX_NUMBER_FORMATS = 4_000
"""Largest number of number formats in a workbook; Excel has room for 250."""
_BLOCK = 1 << 16


def check_xml(archive: zipfile.ZipFile, budget: Budget) -> None:
    """Check all the XML of a workbook.

    Raises
    ------
    SchemaError
        The XML is beyond the budget, or holds content that no valid workbook has.
    """
    count = _Count(budget)
    for info in archive.infolist():
        with suppress(expat.ExpatError), archive.open(info) as stream:
            count.walk(stream)  # pictures are not XML; no later parser reads what is not XML


class _Count:
    """Running counts of a workbook's XML; cells include the empty cells that pad a row."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.cells = self.elements = self.number_formats = 0

    def walk(self, stream: Any) -> None:
        """Count the elements of one member of the archive."""
        self.row = self.column = self.width = 0
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = self._begins
        parser.EndElementHandler = self._ends
        parser.EntityDeclHandler = _no_entities
        while block := stream.read(_BLOCK):
            parser.Parse(block)
        parser.Parse(b"", True)

    def _begins(self, name: str, found: dict[str, str]) -> None:
        self.elements += 1
        # A cell is an element, its value another, and a text that several cells share a third.
        if not self.elements % 10_000:
            self.budget.check_cells(self.elements // 4)
        match name.rpartition(" ")[2]:
            case "row":
                self.row = int(float(found.get("r", self.row + 1)))
                self.column = self.width = 0
                if self.row > MAX_SHEET_ROWS:
                    raise SchemaError(
                        f"A sheet of the XLSX file has a row beyond the {MAX_SHEET_ROWS:,}th, "
                        "which no sheet can have; save it again as XLSX or CSV."
                    )
            case "c":
                place = found.get("r")
                self.column = self.column + 1 if place is None else _column_of(place)
                check_columns(self.column)
                self.width = max(self.width, self.column)
            case "numFmt":
                self.number_formats += 1
                length = len(found.get("formatCode", ""))
                if length > MAX_FORMAT_CHARACTERS or self.number_formats > MAX_NUMBER_FORMATS:
                    raise SchemaError(
                        f"The XLSX file has a number format of more than {MAX_FORMAT_CHARACTERS} "
                        f"characters, or more than {MAX_NUMBER_FORMATS:,} formats, which no "
                        "workbook can have; save it again as XLSX or CSV."
                    )

    def _ends(self, name: str) -> None:
        if name.rpartition(" ")[2] == "row":
            self.cells += self.width
            self.budget.check_cells(self.cells)


def _column_of(place: str) -> int:
    """Return the column, from 1, of a cell such as ``"AB12"``."""
    column = 0
    for letter in place.strip("$").rstrip("0123456789").rstrip("$").upper():
        if not "A" <= letter <= "Z":
            raise CellCoordinatesException("no cell")
        column = column * 26 + ord(letter) - 64
    return column


def _no_entities(*_: Any) -> None:
    raise SchemaError("The XLSX file defines XML entities; save it again as XLSX or CSV.")

"""The sheets of an XLSX workbook, read within their budget.

A workbook is XML in a zip file, and what it claims need not be there: one cell in the last of
16,384 columns makes its row that wide, a row numbered 10¹¹ as many rows before it. So all of its
XML is walked through once, without keeping anything, and refused where rows, columns, cells or
elements are beyond the budget, before a program that believes it is let at it.
"""

from __future__ import annotations

import io
import warnings
import zipfile
from typing import Any
from xml.parsers import expat

import openpyxl
from openpyxl.utils.exceptions import CellCoordinatesException

from ..model.budgets import MAX_SHEET_ROWS, Budget, check_columns
from ..model.errors import FpanonError, SchemaError

Row = tuple[int, tuple[Any, ...]]
"""Its number in the sheet, and its fields."""
WORKBOOK = "xl/workbook.xml"
_DAMAGED = "The XLSX file is damaged; save it again, or as CSV."
_BLOCK = 1 << 16


def read_sheets(data: bytes, archive: zipfile.ZipFile, budget: Budget) -> list[list[Row]]:
    """The rows of every sheet that are not empty.

    Raises
    ------
    SchemaError
        Damaged, or beyond the budget.
    """
    try:
        _check(archive, budget)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what is not read anyway; it may quote a cell
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            return [_rows_of(sheet) for sheet in book.worksheets]
    except (FpanonError, MemoryError):
        raise
    except Exception:  # openpyxl lets through whatever its parsers raise on a damaged file
        raise SchemaError(_DAMAGED) from None


def _rows_of(sheet: Any) -> list[Row]:
    if hasattr(sheet, "reset_dimensions"):
        sheet.reset_dimensions()  # the size a sheet claims may be wrong, or absurd
    return [
        (number, row)
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1)
        if any(cell is not None and cell != "" for cell in row)
    ]


def _check(archive: zipfile.ZipFile, budget: Budget) -> None:
    """Walk through all the XML; SchemaError where it is beyond the budget."""
    count = _Count(budget)
    for info in archive.infolist():
        try:
            with archive.open(info) as stream:
                count.walk(stream)
        except expat.ExpatError:  # a picture; or XML that nobody else can read farther, either
            continue


class _Count:
    """What a workbook's XML comes to so far: fields, with those that are filled in beside them."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.cells = self.elements = 0
        self.row = self.column = self.width = 0

    def walk(self, stream: Any) -> None:
        """Count a member."""
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
        # A cell is an element, its value another, and a text that several share a third.
        if not self.elements % 10_000:
            self.budget.check_cells(self.elements // 4)
        name = name.rpartition(" ")[2]
        if name == "row":
            self._row(found.get("r"))
        elif name == "c":
            self._cell(found.get("r"))

    def _ends(self, name: str) -> None:
        if name.rpartition(" ")[2] == "row":
            self.cells += self.width
            self.budget.check_cells(self.cells)

    def _row(self, number: str | None) -> None:
        self.row = self.row + 1 if number is None else int(float(number))
        self.column = self.width = 0
        if self.row > MAX_SHEET_ROWS:
            raise SchemaError(
                f"A sheet of the XLSX file has a row beyond the {MAX_SHEET_ROWS:,}th, which no "
                "sheet can have; save it again, or as CSV."
            )

    def _cell(self, place: str | None) -> None:
        self.column = self.column + 1 if place is None else _column_of(place)
        check_columns(self.column)
        self.width = max(self.width, self.column)


def _column_of(place: str) -> int:
    """The column of a cell such as ``"AB12"``, from 1."""
    column = 0
    for letter in place.strip("$").rstrip("0123456789").rstrip("$").upper():
        if not "A" <= letter <= "Z":
            raise CellCoordinatesException("no cell")
        column = column * 26 + ord(letter) - 64
    return column


def _no_entities(*_: Any) -> None:
    raise SchemaError("The XLSX file defines entities of its own; save it again, or as CSV.")

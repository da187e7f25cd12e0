"""What does the XML of an XLSX workbook come to, before a program that believes it is let at it?

A workbook is XML in a zip file, and what it claims need not be there: one cell in the last of
16,384 columns makes its row that wide, and a row may be numbered 10¹¹. So all of its XML is walked
through once, without keeping anything, and refused where rows, columns, cells or elements are
beyond the budget, or where it holds what takes the square of its length to understand.
"""

from __future__ import annotations

import zipfile
from typing import Any
from xml.parsers import expat

from openpyxl.utils.exceptions import CellCoordinatesException

from ..model.budgets import MAX_SHEET_ROWS, Budget, check_columns
from ..model.errors import SchemaError

MAX_FORMAT_CHARACTERS = 255
"""Of a number format: Excel's own limit. To find out whether it is of dates takes the square."""
MAX_NUMBER_FORMATS = 4_000
"""Of a workbook; Excel has room for 250."""
_BLOCK = 1 << 16


def check_xml(archive: zipfile.ZipFile, budget: Budget) -> None:
    """Walk through all the XML of a workbook.

    Raises
    ------
    SchemaError
        It is beyond the budget, or holds what no workbook does.
    """
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
        self.cells = self.elements = self.number_formats = 0
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
        match name.rpartition(" ")[2]:
            case "row":
                self._row(found.get("r"))
            case "c":
                self._cell(found.get("r"))
            case "numFmt":
                self._number_format(found.get("formatCode", ""))

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

    def _number_format(self, code: str) -> None:
        self.number_formats += 1
        if len(code) > MAX_FORMAT_CHARACTERS or self.number_formats > MAX_NUMBER_FORMATS:
            raise SchemaError(
                f"The XLSX file has a number format of more than {MAX_FORMAT_CHARACTERS} "
                f"characters, or more than {MAX_NUMBER_FORMATS:,} of them, which no workbook can "
                "have; save it again, or as CSV."
            )


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

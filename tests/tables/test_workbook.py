"""Workbooks: read as openpyxl reads them, but only their cells, in time that their size bounds."""

import cProfile
import datetime
import io
import zipfile

import openpyxl
import pytest

from fpanon_core.model.budgets import Budget
from fpanon_core.model.errors import SchemaError
from fpanon_core.tables import workbook
from fpanon_core.tables.sources import read_source
from fpanon_core.tables.workbook import read_sheets

_NS = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


SHEET, PARTS = "xl/worksheets/sheet1.xml", "xl/_rels/workbook.xml.rels"


def changed(content, members):
    """A workbook in which these members were put in, or made by a function of their text."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(out, "w", 8) as archive:
        bodies = {info.filename: source.read(info).decode() for info in source.infolist()}
        for name, made in members.items():
            bodies[name] = made if isinstance(made, str) else made(bodies[name])
        for name, body in bodies.items():
            archive.writestr(name, body)
    return out.getvalue()


def plain(sheets=1):
    book = openpyxl.Workbook()
    for _ in range(sheets - 1):
        book.create_sheet()
    for sheet in book:
        sheet["A1"] = "a"
    return saved(book)


def saved(book):
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def rows(xml, beside=""):
    """A workbook of one sheet of these rows."""
    return changed(
        plain(), {SHEET: f"<worksheet {_NS}><sheetData>{xml}</sheetData>{beside}</worksheet>"}
    )


def with_shared(content, *texts):
    """A workbook whose cells of type "s" refer to these texts, as Excel writes all of them."""
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"
    part = f'<Relationship Id="rIdS" Type="{kind}" Target="sharedStrings.xml"/>'
    items = "".join(f"<si><t>{text}</t></si>" for text in texts)
    end = "</Relationships>"
    return changed(
        content,
        {
            PARTS: lambda body: body.replace(end, part + end),
            "xl/sharedStrings.xml": f"<sst {_NS}>{items}</sst>",
        },
    )


def with_styles(content, styles):
    return changed(content, {"xl/styles.xml": f"<styleSheet {_NS}>{styles}</styleSheet>"})


def read(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return read_sheets(archive, Budget(len(content)))


# --- as openpyxl reads them ----------------------------------------------------------------------


def many_kinds():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["user", "time", None, "é", 1, 1.5, True, "=1+1"])
    sheet.append([None, datetime.datetime(2024, 3, 4, 10, 5, 7), datetime.time(10, 5)])
    sheet.append([datetime.date(2024, 3, 4), datetime.timedelta(hours=30), 1e308, -0.0, "0042"])
    sheet.append([])
    sheet["C9"] = 45_355.25
    sheet["C9"].number_format = 'dd/mm/yy "at" hh:mm'
    sheet["D9"] = 0.5
    sheet["D9"].number_format = "[Red]0.0"
    sheet["E9"] = 1.5
    sheet["E9"].number_format = "[h]:mm"
    other = book.create_sheet("two")
    other["B2"] = "shared"
    other["B3"] = "shared"
    return book


@pytest.mark.parametrize("first_year", [1900, 1904])
def test_cells_are_what_openpyxl_makes_of_them(first_year):
    book = many_kinds()
    if first_year == 1904:
        book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    content = saved(book)
    expected = [
        {(cell.row, cell.column): cell.value for row in sheet for cell in row if cell.value != ""}
        for sheet in openpyxl.load_workbook(io.BytesIO(content), data_only=True)
    ]
    found = [
        {(n, i): value for n, fields in sheet for i, value in enumerate(fields, 1)}
        for sheet in read(content)
    ]
    for sheet in (*expected, *found):
        for place in [place for place, value in sheet.items() if value is None]:
            del sheet[place]
    assert found == expected
    assert found[0][9, 3] == datetime.datetime(2024, 3, 4, 6) or first_year == 1904


def test_shared_texts_are_those_that_cells_refer_to():
    cells = "".join(f'<c t="s"><v>{i}</v></c>' for i in (1, 0, 1))
    assert read(with_shared(rows(f"<row>{cells}</row>"), "a", "é")) == [[(1, ("é", "a", "é"))]]


def test_rows_are_none_lost_whatever_their_numbers():
    found = read(
        rows(
            '<row r="5"><c><v>1</v></c></row><row r="5"><c r="B5"><v>2</v></c></row>'
            '<row r="2"><c><v>3</v></c></row><row><c><v>4</v></c></row>'
        )
    )
    assert found == [[(5, (1,)), (5, (None, 2)), (2, (3,)), (3, (4,))]]


def test_only_cells_in_rows_of_a_sheet_are_read_and_that_once():
    """What is beside them, nobody reads here; openpyxl does, and some of it takes it for ever."""
    beside = '<conditionalFormatting sqref="0 of 1"/><mergeCells><mergeCell ref="?"/></mergeCells>'
    content = rows('<row><x r="XFD1"><v>1</v></x><c><v>2</v></c></row>', beside)

    def often(text):
        begin, end = text.index("<sheet "), text.index("</sheets>")
        return text[:begin] + text[begin:end] * 500 + text[end:]

    assert read(changed(content, {"xl/workbook.xml": often})) == [[(1, (2,))]]


# --- small files that mean harm ------------------------------------------------------------------


def test_a_text_that_cells_share_counts_for_each():
    """200 kB of text, in 1,000 cells: 200 MB of a column."""
    cell = '<row><c t="s"><v>0</v></c></row>'
    content = with_shared(rows(cell * 1_000), "A" * 200_000)
    assert len(content) < 20_000
    with pytest.raises(SchemaError, match="unpacks to more"):
        read_source(io.BytesIO(content))


def test_rows_that_are_not_there_are_not_filled_in():
    last = '<row r="1"><c><v>1</v></c></row><row r="1048576"><c><v>2</v></c></row>'
    profile = cProfile.Profile()
    assert profile.runcall(read, rows(last)) == [[(1, (1,)), (1_048_576, (2,))]]
    assert sum(each.callcount for each in profile.getstats()) < 20_000  # as on every machine


@pytest.mark.parametrize(
    "formats",
    [
        f'<numFmt numFmtId="200" formatCode="{"[" * 256}"/>',
        '<numFmt numFmtId="200" formatCode="0"/>' * 4_001,
    ],
    ids=["long", "many"],
)
def test_number_formats_that_no_workbook_has_are_refused(formats):
    with pytest.raises(SchemaError, match="number format"):
        read(with_styles(plain(), f"<numFmts>{formats}</numFmts>"))


def test_a_format_is_understood_once_however_many_styles_have_it(monkeypatch):
    looked_at = []
    monkeypatch.setattr(workbook, "is_date_format", lambda code: looked_at.append(code))
    code = '<numFmts><numFmt numFmtId="200" formatCode="0.0"/></numFmts>'
    xf = '<xf numFmtId="200"/>'
    read(with_styles(plain(), f"{code}<cellXfs>{xf * 1_000}</cellXfs>"))
    assert looked_at == ["0.0"]


def test_sheets_of_many_columns_are_refused_together():
    wide = f"<row>{'<c><v>1</v></c>' * 900}</row>"
    sheet = f"<worksheet {_NS}><sheetData>{wide}</sheetData></worksheet>"
    names = (SHEET, SHEET.replace("1", "2"), SHEET.replace("1", "3"))
    content = changed(plain(sheets=3), dict.fromkeys(names, sheet))
    with pytest.raises(SchemaError, match="2,000 columns together"):
        read(content)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ('t="b"><v>1</v>', True),
        ('t="e"><v>#N/A</v>', "#N/A"),
        ('t="str"><f>A2</f><v>b</v>', "b"),
        ('t="d"><v>2024-03-04T10:05:00</v>', datetime.datetime(2024, 3, 4, 10, 5)),
        ('t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r></is>', "ab"),
        ("><v>1E3</v>", 1000.0),
    ],
)
def test_kinds_of_cells_are_understood_as_openpyxl_does(cell, value):
    content = rows(f'<row r="1"><c r="A1" {cell}</c></row>')
    assert read(content) == [[(1, (value,))]]
    assert openpyxl.load_workbook(io.BytesIO(content), data_only=True).active["A1"].value == value


def test_a_day_that_no_calendar_has_is_shown_as_a_spreadsheet_shows_it():
    day = '<cellXfs><xf numFmtId="14"/></cellXfs>'
    content = with_styles(rows("<row><c><v>1e12</v></c></row>"), day)
    assert read(content) == [[(1, ("#VALUE!",))]]

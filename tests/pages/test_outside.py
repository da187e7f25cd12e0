"""Texts from outside are shown as they are, wherever Markdown is rendered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from pages.charts.plain import MESSAGE_LENGTH, NAME_LENGTH, plain, untagged
from pages.charts.style import unchecked
from tests.support import images
from tests.support.outside import Program
from tests.support.views import go, idle, press, until

# --- outside --------------------------------------------------------------------------------------

ROOT = Path(__file__).resolve().parents[2]
JOINER = "\u2060"
LINK = '<a href="http://elsewhere.example">region</a>'


def test_no_text_from_outside_is_rendered_unless_made_plain():
    assert Program.of_folder(ROOT, "pages").leaks() == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "Use: fpanon ingest FOLDER --keep NEW_FOLDER on the command line; ",
            "Use: `fpanon ingest FOLDER --keep NEW_FOLDER` on the command line;",
        ),
        ("fpanon hide -k A", "`fpanon hide -k A`"),
        ("fpanon is full --", f"fpanon is full -{JOINER}-"),
        ("fpanon a --b`c *d*", "`fpanon a --b`\\`c \\*d\\*"),
        ("fpanon a --b --![](http://x) B", "`fpanon a --b` --!\\[\\](http:\u2060//x) B"),
    ],
)
def test_a_command_can_be_copied_as_it_is_shown(text, shown):
    """Without what keeps two hyphens from becoming a dash; and nothing else comes in with it."""
    assert plain(text).replace(f"-{JOINER}-!", "--!") == shown


# --- that the test above sees it --


LEAKING = {
    "a message": "st.error(job.error.message)",
    "an error": "try:\n    read()\nexcept FpanonError as error:\n    st.error(str(error))",
    "in an f-string": 'st.caption(f"{source.label} is open")',
    "with its width": 'st.caption(f"{source.label:>20}")',
    "through variables": 'name = file.name\nshown = name.upper()\nst.markdown("**" + shown)',
    "as a label": "st.button(sample.title)",
    "in a tooltip": 'st.metric("Users", 3, help=source.label)',
    "in the text of a bar": "st.progress(0.5, text=job.label)",
    "in a list": "st.tabs([option.name for option in options])",
    "in a loop": "for note in report.notes:\n    st.caption(note)",
    "joined": 'st.caption(", ".join(report.columns))',
    "of two": 'for i, name in enumerate(table.names):\n    st.caption(f"{i}: {name}")',
    "gathered": "said = []\nsaid.append(file.name)\nst.caption(said[0])",
    "typed": 'why = st.text_area("Why")\nst.caption(why)',
    "chosen": 'name = st.selectbox("Option", table.names)\nst.caption(name)',
    "by a function": "def told(a):\n    return f'At {a.profile}'\nst.caption(told(found))",
    "to a function": "def say(text):\n    st.caption(text)\nsay(file.name)",
    "to a function, by name": "def say(*, text):\n    st.caption(text)\nsay(text=file.name)",
    "to a function, among others": "def say(*all):\n    st.caption(all[0])\nsay('a', file.name)",
    "to and fro": "def b(text):\n    return 'At ' + text\nst.caption(b(file.name))",
    "to a button that calls back": "guard.button(file.name, act)",
    "by a key": "st.caption(row['profile'])",
    "as the case may be": "st.caption(file.name if file else '')",
}


CLEAN = {
    "made plain": 'st.caption(f"{plain(source.label)} is open")',
    "a number": 'st.caption(f"{report.found:,} rows, {job.fraction:.0%}")',
    "of our own": 'st.caption("No data set is open.")',
    "not rendered": "st.selectbox('Column', report.columns)\nst.dataframe(table.names)",
    "how many": 'st.caption(f"{len(report.notes)} notes")',
    "a comparison": 'st.caption("yes" if file.name == "a.csv" else "no")',
}


@pytest.mark.parametrize("case", [*LEAKING, *CLEAN])
def test_a_leak_is_found_and_what_is_clean_is_let_be(case):
    source = (LEAKING | CLEAN)[case]
    assert bool(Program({"pages.a.view": source}).leaks()) == (case in LEAKING)


def test_from_module_to_module():
    story = "def told(found):\n    return f'At {found.profile}'"
    for view in (
        "from pages.a import story\nst.caption(story.told(found))",
        "from pages.a.story import told\nst.caption(told(found))",
        "from . import story\nst.caption(story.told(found))",
    ):
        assert Program({"pages.a.story": story, "pages.a.view": view}).leaks()


# --- what is made of a text --


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("records.csv", "records.csv"),
        ("100 m · 1 min", "100 m · 1 min"),
        ("![](http://a/n.png)", rf"!\[\](http:{JOINER}//a/n.png)"),
        ("[a](b)", r"\[a\](b)"),
        ("<img src=a>", r"\<img src=a\>"),
        ("`code` *b* _i_ ~s~", r"\`code\` \*b\* \_i\_ \~s\~"),
        ("$x^2$", r"\$x\^2\$"),
        (":red[a]", r"\:red\[a\]"),
        (":material/home:", rf"\:{JOINER}material/home:"),
        (":streamlit:", rf"\:{JOINER}streamlit:"),
        ("www.example.org", f"www{JOINER}.example.org"),
        ("a@example.org", f"a@{JOINER}example.org"),
        ("# a", r"\# a"),
        ("- a", r"\- a"),
        ("12. a", r"12\. a"),
        ("3) a", r"3\) a"),
        ("a -> b", f"a -{JOINER}\\> b"),
        ("&amp;", r"\&amp;"),
        ("a\n# b\n\n| c |\t", r"a \# b \| c \|"),
        ("gpj\u202ecsv\u200b\x00\x1b", "gpj\ufffdcsv\ufffd\ufffd\ufffd"),
        ("", ""),
        (3, "3"),
    ],
)
def test_it_is_escaped(text, shown):
    assert plain(text) == shown


def test_long_ones_are_cut():
    assert plain("a" * NAME_LENGTH) == "a" * NAME_LENGTH
    assert plain("a" * (NAME_LENGTH + 1)) == "a" * (NAME_LENGTH - 1) + "…"
    assert len(plain("a" * 9_999, MESSAGE_LENGTH)) == MESSAGE_LENGTH
    # Cut before it is escaped: no mark is left without its escape.
    assert plain("*" * 9_999).count("\\") == NAME_LENGTH - 1


# --- in figures, plotly makes links of tags --


@pytest.mark.parametrize("labels", [partial(np.array, dtype=object), pd.Index, pd.Series, list])
def test_no_label_of_a_figure_is_a_link(labels: Callable[[list[str]], Any]) -> None:
    bars = {"x": labels([LINK, "b"]), "y": [1, 2], "name": LINK, "text": [LINK, "3 < 4"]}
    layout = {"title": {"text": f"<b>{LINK}</b><br>"}, "annotations": [{"text": LINK}]}
    figure = unchecked([{"type": "bar"} | bars], layout)
    shown = figure.to_json()
    assert "<a" not in shown.replace("\\u003c", "<")
    assert "&lt;a href=" in shown.replace("\\u003c", "<")
    title = figure.layout.title.text
    assert title.startswith("<b>&lt;a")
    assert title.endswith("&lt;/a></b><br>")


@pytest.mark.parametrize("text", ["a<br>b", "%{y:.0%}<extra></extra>", "x<sub>1</sub>", "plain"])
def test_what_the_charts_write_stays_and_the_figure_is_the_same(text: str) -> None:
    traces = [{"x": [0.0, 1.0], "y": [2, 3], "hovertemplate": text}]
    assert untagged(traces) is traces


def test_all_figures_are_made_in_one_place() -> None:
    pages = Path(__file__).parents[2] / "pages"
    made = re.compile(r"go\.Figure\(|make_subplots|\.add_trace")
    found = [path.name for path in pages.rglob("*.py") if made.search(path.read_text("utf-8"))]
    assert found == ["style.py"]


# --- outside names --------------------------------------------------------------------------------

NAME = images.image("http://127.0.0.1:9/n.png")
SHOWN = r"!\[x\](http:"
# What is drawn as it is, never as Markdown: tables, figures, lists that drop down, chosen files.
AS_IT_IS = {"arrow_data_frame", "plotly_chart", "deck_gl_json_chart", "file_uploader", "text_input"}
LISTS = {"selectbox", "multiselect"}
PAGES = (
    *("overview", "anonymizability", "hiding", "unicity"),
    *("disclosure", "options", "attack", "aggregates"),
)


def rendered(at: AppTest) -> list[str]:
    """Each text that the browser is to render."""
    return [
        text
        for root in (at.main, at.sidebar)
        for element in _all(root)
        if element.type not in AS_IT_IS
        for field, text in _texts(element.proto)
        if element.type not in LISTS or field in ("label", "help")
    ]


def _all(block: Any) -> Iterator[Any]:
    for child in block.children.values():
        yield child
        yield from _all(child) if hasattr(child, "children") else ()


def _texts(message: Any) -> Iterator[tuple[str, str]]:
    for field, value in message.ListFields() if isinstance(message, Message) else ():
        if field.name in ("id", "element_id"):
            continue
        for each in value if field.is_repeated else [value]:
            if isinstance(each, str):
                yield field.name, each
            else:
                yield from _texts(each)


def check(at: AppTest) -> int:
    """No image is in it; how many texts hold the name."""
    texts = rendered(at)
    assert [text for text in texts if NAME in text] == []
    return sum(SHOWN in text for text in texts)


def open_it(at: AppTest) -> None:
    go(at, "data")
    at.file_uploader(key="data_file").upload(f"{NAME}.csv", images.events(NAME)).run()
    at.file_uploader(key="data_antennas").upload(f"{NAME}.csv", images.antennas(NAME)).run()
    press(at, "data_read")


def test_on_every_page(app: AppTest) -> None:
    open_it(app)
    press(app, "data_list_columns")
    assert check(app) >= 2  # the file's, and those of the columns
    for page in PAGES:
        go(app, page)
        if page == "anonymizability":
            app.multiselect(key="anon_profiles").set_value([f"regions by {NAME} · 1 h"])
            app.button(key="anon_measure").click()
        until(app.run(), idle).run()
        assert check(app) >= 1  # in the sidebar, where there is nothing else


def test_an_option_and_a_file_that_cannot_be_read_are_named_so(app: AppTest) -> None:
    go(app, "data")
    app.file_uploader(key="data_file").upload(f"{NAME}.csv", images.unreadable(NAME)).run()
    press(app, "data_read", lambda at: at.error)
    assert SHOWN in app.error[0].value
    check(app)
    open_it(app)
    go(app, "options")
    app.pills(key="options_presets").set_value(["As it is"]).run()
    app.selectbox(key="options_profile").set_value(f"regions by {NAME} · 1 h")
    app.number_input(key="options_rare").set_value(12)  # there is nothing left then
    app.text_input(key="options_name").set_value(NAME)
    press(app, "options_add", lambda at: at.warning)
    assert SHOWN in app.warning[0].value
    check(app)

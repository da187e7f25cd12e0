"""A file in which every name is an image: each page shows the names, and no image."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from tests.support import images
from tests.support.views import go, idle, until

NAME = images.image("http://127.0.0.1:9/n.png")
SHOWN = r"!\[x\](http:"
# What is drawn as it is, never as Markdown: tables, figures, lists that drop down, chosen files.
AS_IT_IS = {"arrow_data_frame", "plotly_chart", "deck_gl_json_chart", "file_uploader", "text_input"}
LISTS = {"selectbox", "multiselect"}
PAGES = (
    "overview",
    "anonymizability",
    "hiding",
    "unicity",
    "disclosure",
    "options",
    "attack",
    "aggregates",
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
    at.button(key="data_read").click().run()
    until(at, idle).run()


def test_on_every_page(app: AppTest) -> None:
    open_it(app)
    app.button(key="data_list_columns").click().run()
    until(app, idle).run()
    assert check(app) >= 2  # the file's, and those of the columns
    for page in PAGES:
        go(app, page)
        if page == "anonymizability":
            app.multiselect(key="anon_profiles").set_value([f"regions by {NAME} · 1 h"])
            app.button(key="anon_measure").click()
        until(app.run(), idle).run()
        assert check(app) >= 1  # in the sidebar, where there is nothing else


def test_an_option_is_named_so(app: AppTest) -> None:
    open_it(app)
    go(app, "options")
    app.pills(key="options_presets").set_value(["As it is"]).run()
    app.selectbox(key="options_places").set_value(NAME)
    app.number_input(key="options_rare").set_value(12)  # there is nothing left then
    app.text_input(key="options_name").set_value(NAME)
    app.button(key="options_add").click().run()
    until(app, lambda at: at.warning)
    assert SHOWN in app.warning[0].value
    check(app)


def test_what_is_said_of_a_file_that_cannot_be_read(app: AppTest) -> None:
    go(app, "data")
    app.file_uploader(key="data_file").upload(f"{NAME}.csv", images.unreadable(NAME)).run()
    app.button(key="data_read").click().run()
    until(app, lambda at: at.error)
    assert SHOWN in app.error[0].value
    check(app)

"""Faults are told by kind and place, on screen and in the log, whatever raises them."""

from __future__ import annotations

import ast
import io
import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit import config
from streamlit.testing.v1 import AppTest

from pages.server import faults

ROOT = Path(__file__).resolve().parents[2]
SECRET = "subscriber-4711-at-home"
PAGES = sorted((ROOT / "pages").rglob("*.py"))
CALLBACKS = {"on_click", "on_change", "on_select", "on_submit", "on_dismiss"}


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """What all logs say, with the net in place that the server spreads when it starts."""
    before, hook = logging.getLogRecordFactory(), threading.excepthook
    config.set_option("logger.enableRich", True)  # as somebody's own settings may have it
    faults.keep_out_of_logs()
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    loggers = [logging.getLogger(), logging.getLogger("streamlit.error_util")]
    for logger in loggers:
        logger.addHandler(handler)
    yield stream
    for logger in loggers:
        logger.removeHandler(handler)
    logging.setLogRecordFactory(before)
    threading.excepthook = hook


def shown(app: AppTest) -> str:
    return " ".join(str(element.value) for element in [*app.error, *app.exception])


def a_callback_fails() -> None:
    import streamlit as st

    from pages.shell.guard import act, guarded

    def break_down(what: str) -> None:
        raise ValueError(f"could not parse {what}")

    with guarded():
        st.button("go", key="go", on_click=act(break_down), args=("subscriber-4711-at-home",))
        st.write("the rest")


def test_a_fault_in_a_callback_is_told_on_the_page_without_data(logged: io.StringIO) -> None:
    app = AppTest.from_function(a_callback_fails).run()
    assert not app.error
    app.button(key="go").click().run()
    assert not app.exception
    assert "ValueError at" in shown(app)
    assert SECRET not in shown(app)
    assert app.markdown[0].value == "the rest"
    assert "ValueError at" in logged.getvalue()
    assert SECRET not in logged.getvalue()
    app.run()
    assert not app.error  # told once


def a_fragment_fails() -> None:
    import streamlit as st

    from pages.shell.guard import fragment

    @fragment()
    def part() -> None:
        st.write("begun")
        raise ValueError("could not parse subscriber-4711-at-home")

    part()
    st.write("the rest")


def test_a_fault_in_a_fragment_is_told_in_its_place_without_data(logged: io.StringIO) -> None:
    app = AppTest.from_function(a_fragment_fails).run()
    assert not app.exception
    assert "ValueError at" in shown(app)
    assert SECRET not in shown(app) + logged.getvalue()
    assert [m.value for m in app.markdown] == ["begun", "the rest"]


def nothing_catches() -> None:
    from streamlit.error_util import handle_user_script_exception

    from pages.server import faults

    try:
        raise ValueError("could not parse subscriber-4711-at-home")
    except ValueError as fault:
        # As Streamlit does with what a script raises.
        handle_user_script_exception(fault, faults.on_script_error)


def test_what_nothing_catches_is_told_without_data_too(
    logged: io.StringIO, capfd: pytest.CaptureFixture[str]
) -> None:
    app = AppTest.from_function(nothing_catches).run()
    assert not app.exception
    assert "ValueError at" in shown(app)
    said = shown(app) + logged.getvalue() + "".join(capfd.readouterr())
    assert "Uncaught app execution: ValueError at" in said
    assert SECRET not in said


@pytest.mark.usefixtures("logged")
def test_the_server_has_the_net() -> None:
    import app
    from pages.server import guards

    assert guards.faults is faults
    assert app.app._on_script_error is faults.on_script_error


def test_no_log_holds_what_a_fault_says(logged: io.StringIO) -> None:
    log = logging.getLogger("anybody")
    try:
        raise ValueError(SECRET)
    except ValueError as fault:
        log.exception("failed in %s", "task")
        log.error("because of %s", fault)
        log.error("because", exc_info=fault)
    assert SECRET not in logged.getvalue()
    assert "failed in task: ValueError at test_guard.py:" in logged.getvalue()
    assert "because of ValueError at test_guard.py:" in logged.getvalue()


def test_a_thread_that_fails_prints_no_data(
    logged: io.StringIO, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise ValueError(SECRET)

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    assert "ValueError at test_guard.py:" in logged.getvalue()
    assert SECRET not in logged.getvalue() + "".join(capfd.readouterr())


@pytest.mark.parametrize("path", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_callbacks_and_fragments_go_through_the_guard(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.keyword) and node.arg in CALLBACKS:
            value = node.value
            of_guard = isinstance(value, ast.Call) and ast.unparse(value.func) == "act"
            fixed = isinstance(value, ast.Constant) and value.value in ("ignore", "rerun")
            assert of_guard or fixed or path.name == "guard.py", (
                f"line {value.lineno}: {node.arg}=act(…), or a fault in it is logged with its data"
            )
        if isinstance(node, ast.Attribute) and node.attr == "fragment":
            assert path.name == "guard.py", f"line {node.lineno}: take guard.fragment"

"""The server's event loop is not held up by what Streamlit does after each run of a page."""

import gc
import subprocess
import sys
from pathlib import Path

import pytest
from streamlit import config
from streamlit.runtime.app_session import AppSession

from pages.server import guards

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("kind", "watched"), [("none", False), ("auto", True)])
def test_a_session_that_comes_back_is_watched_where_the_configuration_has_it_so_alone(
    monkeypatch, kind, watched
):
    found, session = [], object()
    monkeypatch.setattr(guards, "_watch", found.append)
    guards.set_up_process()
    monkeypatch.setattr(config, "get_option", lambda name: {"server.fileWatcherType": kind}[name])
    AppSession.register_file_watchers(session)
    assert found == [session] * watched


def test_the_configuration_has_it_that_nothing_is_watched():
    assert 'fileWatcherType = "none"' in (ROOT / ".streamlit/config.toml").read_text("utf-8")


def test_all_modules_but_the_views_are_loaded_and_set_apart():
    # In a process of its own: what is set apart is never collected again.
    script = (
        "import gc, sys\n"
        "from pages.server import guards\n"
        "guards.load()\n"
        "names = list(guards.modules())\n"
        "assert len(names) > 50 and all(name in sys.modules for name in names)\n"
        "assert not any(name.endswith('.view') for name in sys.modules if 'pages' in name)\n"
        "print(gc.get_freeze_count(), len(gc.get_objects()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    frozen, left = map(int, done.stdout.split())
    assert frozen > 100_000 > 20 * left


def test_nothing_is_set_apart_here():
    assert gc.get_freeze_count() == 0

"""The list of commands: all of them, in a line each, without loading any."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from fpanon_core.__main__ import app
from fpanon_core.commands import group as commands_group
from fpanon_core.commands.group import COMMANDS

FOLDER = Path(commands_group.__file__).parent
SLOW = {"numba", "numpy", "pandas", "pyarrow", "pyproj", "scipy", "sklearn", "streamlit"}


def test_every_command_is_listed():
    """A command is a function that is marked as one; the dashboard loads nothing for it."""
    marked = {
        (node.name, path.stem)
        for path in FOLDER.glob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
        and "command" in [getattr(mark, "id", "") for mark in node.decorator_list]
    }
    listed = {(name, module) for name, (module, _) in COMMANDS.items()}
    assert listed - marked == {("dashboard", "group")}
    assert not marked - listed
    group = get_command(app)
    assert list(group.commands) == list(COMMANDS)
    assert len(group.commands) == len(COMMANDS)
    assert [group.commands[name].name for name in COMMANDS] == list(COMMANDS)


@pytest.mark.parametrize(("asked", "code"), [(["--help"], 0), ([], 2)])
def test_list_is_in_whole_sentences(asked, code):
    shown = CliRunner().invoke(app, asked)
    assert shown.exit_code == code
    for name, (_, sentence) in COMMANDS.items():
        assert f"  {name}  " in shown.output
        assert f"  {sentence}\n" in shown.output


@pytest.mark.parametrize("asked", ["--help", "--version", "dashboard --help"])
def test_nothing_slow_is_loaded_for(asked):
    program = (
        "import sys\nfrom fpanon_core.__main__ import app\n"
        f"app({asked.split()!r}, standalone_mode=False)\n"
        "print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=FOLDER.parents[1]
    )
    loaded = set(run.stderr.split())
    assert "fpanon_core" in loaded, run.stderr
    assert not loaded & SLOW


def test_mistyped_command():
    result = CliRunner().invoke(app, ["mesure"])
    assert result.exit_code == 2
    assert "No such command 'mesure'. Did you mean 'measure'?" in result.output

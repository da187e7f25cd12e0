"""Can every command in the documents be given as it stands there? Parsed, not run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml
from distributed.cli import dask_scheduler, dask_worker
from typer.main import get_command

from fpanon_core.__main__ import app
from fpanon_core.io.publishing import check_target

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", flags=re.M | re.S)
DASK = {"scheduler": dask_scheduler.main, "worker": dask_worker.main}
RELEASING = {"hide", "glove", "publish"}


def commands():
    """Each line of a shell block that calls us or Dask, its continuation lines joined."""
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for kind, block in BLOCK.findall(path.read_text(encoding="utf-8")):
            if kind != "sh":
                continue
            for line in block.replace("\\\n", " ").splitlines():
                if found := re.match(r"\s*(?:srun \S+ )?((?:fpanon|dask) [a-z].*)", line):
                    yield path.name, found[1]
    for name, service in yaml.safe_load((ROOT / "compose.yaml").read_text())["services"].items():
        if "command" in service:
            yield f"compose {name}", shlex.join(service["command"])


COMMANDS = list(commands())


@pytest.fixture(autouse=True)
def somewhere(tmp_path, monkeypatch):
    """With what the commands are told to read."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "line", [line for _, line in COMMANDS], ids=[f"{where}: {line}" for where, line in COMMANDS]
)
def test_it_is_understood(line):
    parse(line)


def parse(line):
    program, name, *rest = shlex.split(line.removesuffix("&"), comments=True)
    if program == "dask":
        DASK[name].make_context(name, rest)
        return
    command = get_command(app).commands[name]
    context = command.make_context(name, rest)
    if name in RELEASING:
        check_target(context.params["out"])


def test_some_are_found():
    assert {where for where, _ in COMMANDS} >= {"README.md", "reference.md", "scale.md"}
    assert sum(line.startswith("dask") for _, line in COMMANDS) >= 4

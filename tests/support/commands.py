"""Commands given as on a command line, and what they print."""

from __future__ import annotations

import json
import shlex
from typing import Any

from typer.testing import CliRunner

from fpanon_core.__main__ import app


def run(*args: object) -> Any:
    """A command; the first text, and options in one text, are taken apart as a shell would."""
    words: list[str] = []
    for i, each in enumerate(args):
        apart = isinstance(each, str) and (i == 0 or each.startswith("-"))
        words += shlex.split(str(each)) if apart else [str(each)]
    result = CliRunner().invoke(app, words)
    assert "Traceback" not in result.output
    return result


def said_by(*args: object) -> str:
    """What a command prints that succeeds."""
    result = run(*args)
    assert result.exit_code == 0, result.output
    return str(result.stdout)


def refused(*args: object) -> str:
    """What a command says that refuses, in one line of words, and on standard error alone."""
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    return " ".join(result.stderr.replace("│", " ").split())


def figures_of(*args: object) -> Any:
    """What it prints with --json."""
    return json.loads(said_by(*args, "--json"))

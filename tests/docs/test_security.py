"""Each promise of SECURITY.md names the tests that hold it, and those are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def promises(text: str) -> list[list[str]]:
    """The rows of the tables whose second column says what holds the first."""
    rows, head = [], ""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line[:1] == "|" else []
        if cells and not head:
            head = cells[-1]
        elif cells and head == "held by" and set(line) - set("|-: "):
            rows.append(cells)
        elif not cells:
            head = ""
    return rows


def functions(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8") if path.is_file() else "")
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def faults(text: str, root: Path = ROOT) -> list[str]:
    """Promises that nothing holds, and tests that are named and not there."""
    found = [promise for promise, held in promises(text) if not NAMED.search(held)]
    named = NAMED.findall(text)
    there = {file: functions(root / file) for file in {file for file, _ in named}}
    found += [f"{file}::{name}" for file, name in named if name not in there[file]]
    return found


def test_every_promise_is_held_by_tests_that_are_there() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert len(promises(text)) > 30
    assert faults(text) == []

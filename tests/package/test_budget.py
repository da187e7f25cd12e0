"""The house keeps small: each room has a budget of files and of lines of code.

A line of code is one that is neither blank nor a comment nor part of a docstring. A change that
needs more than the budget says in its message what it removed instead.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Room: files, lines of code. A room grows only where others lose more.
BUDGET = {
    "fpanon_core": (2, 46),
    "fpanon_core/aggregates": (8, 938),
    "fpanon_core/anonymize": (14, 2_332),
    "fpanon_core/attacks": (10, 1_915),
    "fpanon_core/commands": (12, 1_873),
    "fpanon_core/engines": (10, 1_324),
    "fpanon_core/io": (22, 3_576),
    "fpanon_core/kernels": (28, 5_385),
    "fpanon_core/measures": (13, 1_957),
    "fpanon_core/model": (39, 4_839),
    "fpanon_core/studies": (51, 8_803),
    "fpanon_core/synthesis": (5, 517),
    "fpanon_core/synthetic": (3, 226),
    "fpanon_core/tables": (14, 2_091),
    "fpanon_core/verification": (10, 2_059),
    "pages/aggregates": (3, 522),
    "pages/anonymizability": (6, 995),
    "pages/attack": (5, 924),
    "pages/charts": (14, 2_424),
    "pages/data": (4, 707),
    "pages/disclosure": (3, 469),
    "pages/hiding": (5, 854),
    "pages/method": (2, 54),
    "pages/options": (6, 1_232),
    "pages/overview": (5, 628),
    "pages/present": (5, 710),
    "pages/report": (3, 257),
    "pages/server": (9, 1_082),
    "pages/shell": (24, 3_167),
    "pages/tables": (4, 571),
    "pages/unicity": (3, 383),
    "tests": (289, 35_050),
}


def code_of(text: str) -> set[int]:
    """The numbers of the lines of code of a module."""
    rows = text.split("\n")
    bare = {number: row.strip() for number, row in enumerate(rows, 1)}
    lines = {number for number, row in bare.items() if row and row[0] != "#"}
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                docstrings.update(range(first.lineno, (first.end_lineno or 0) + 1))
        elif isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno:
            # All of a text between three quotes; between others, comments are comments.
            begin = rows[node.lineno - 1].encode()[node.col_offset :].lstrip(b"rbfRBF")
            if begin[:3] in (b'"""', b"'''"):
                lines.update(range(node.lineno, (node.end_lineno or 0) + 1))
    return lines - docstrings


def code_lines(text: str) -> int:
    """How many they are.

    Examples
    --------
    >>> code_lines('"Of it."\\n\\n# Why.\\nx = [\\n    1,  # one\\n]\\n')
    3
    """
    return len(code_of(text))


@cache
def measured() -> dict[str, tuple[int, int]]:
    """Files and lines of code of every room."""
    found: dict[str, tuple[int, int]] = {}
    for top in ("fpanon_core", "pages", "tests"):
        for path in (ROOT / top).rglob("*.py"):
            parts = path.relative_to(ROOT).parts
            room = "tests" if top == "tests" else "/".join(parts[:2]) if len(parts) > 2 else top
            files, lines = found.get(room, (0, 0))
            found[room] = files + 1, lines + code_lines(path.read_text(encoding="utf-8"))
    return dict(sorted(found.items()))


@pytest.mark.parametrize("room", BUDGET)
def test_room_keeps_to_its_budget(room: str) -> None:
    files, lines = measured()[room]
    most_files, most_lines = BUDGET[room]
    assert files <= most_files, f"{room}: {files} files, {most_files} allowed"
    assert lines <= most_lines, f"{room}: {lines} lines of code, {most_lines} allowed"


def test_every_room_has_a_budget() -> None:
    """A new one gets its own, taken from another."""
    assert measured().keys() == BUDGET.keys()

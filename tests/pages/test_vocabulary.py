"""One word for one thing: no text of a page says it by a word that is not ours."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from fpanon_core.model.definitions import definitions

ROOT = Path(__file__).parents[2]
NOT_OURS = re.compile(
    r"\b(users?|subscribers?|outsiders?|crowds?|phantom|whoever|foretold|beforehand|whereabouts"
    r"|equivalence class(es)?|chance of naming)\b|(\d|^) %",
    re.IGNORECASE,
)
CODE = re.compile(
    r"``.*?``|:\w+:`.*?`|`[^`]*`|“.*?”|\*Unique in the Crowd\*|^ *(>>>|\.\.\. ).*$|^ *\w+ : .*$",
    re.MULTILINE | re.DOTALL,
)
IN_CODE = {"user", "users", "subscriber", "subscribers", "equivalence class"}
# Names of reasons and faults, by which programs know them.
NAMED = {"no user", "missing user", "unknown user", "phantom share"}
KEY = re.compile(r"'\w+'")
# Of the machine's user accounts, and of addresses; the arguments of objects in code are of a user.
MAY = re.compile(r"pages/server|io/(audit|ledger)|model/(fingerprints|knowledge)")


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Every text of several words in a module, without docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    said = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in said else ""
        if isinstance(text, str) and " " in text.strip():
            yield node.lineno, text


def found(where: str) -> list[str]:
    """The words that are not ours below a folder."""
    return [
        f"{path.relative_to(ROOT)}:{line}: {match.group()}"
        for path in sorted((ROOT / where).rglob("*.py"))
        if not MAY.search(path.as_posix())
        for line, text in texts(path)
        if text not in NAMED
        for match in NOT_OURS.finditer(KEY.sub("", text))
    ]


@pytest.mark.parametrize("where", ["pages", "fpanon_core"])
def test_no_text_has_a_word_that_is_not_ours(where: str) -> None:
    assert found(where) == []
    said = {name: each.tooltip for name, each in definitions().items()}
    assert len(said) > 40
    assert not [name for name, text in said.items() if NOT_OURS.search(text)]


def documented(path: Path) -> Iterator[tuple[int, str]]:
    """Every docstring of a module, without code, names in backquotes and quoted titles."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node) or ""
            yield getattr(node, "lineno", 1), CODE.sub("", text)


@pytest.mark.parametrize("where", ["pages", "fpanon_core"])
def test_no_docstring_has_one(where: str) -> None:
    """A user is one in code, and a subscriber one of the people that a fingerprint stands for."""
    assert [
        f"{path.relative_to(ROOT)}:{line}: {match.group()}"
        for path in sorted((ROOT / where).rglob("*.py"))
        for line, text in documented(path)
        for match in NOT_OURS.finditer(text)
        if match.group().lower() not in IN_CODE
    ] == []

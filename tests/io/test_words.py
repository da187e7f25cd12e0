"""What the dashboard may say of a file names no argument of a call: held over the source itself.

Every text in the rooms that read files is looked at as a form's reader meets it: of a way out in
three wordings (`Way`) only the last.
"""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "fpanon_core"
FILES = [path for room in ("io", "tables") for path in sorted((ROOT / room).glob("*.py"))]
ARGUMENT = re.compile(
    r"""\b\w+=(?=['"{…]|$)      # naive_timezone='offset', columns={, antennas=
    | \b[a-z]+(_[a-z]+)+\b      # naive_timezone, reset_index
    | \w\[                      # columns['user']
    | --[a-z]                   # an option of the command line
    | \bDataFrame\b | \bmapping\b | \bargument\b""",
    re.VERBOSE,
)
OF_CALLS = {
    # said of what only a call can give: a DataFrame, a mapping, a source of a wrong type
    "The DataFrame is empty; give one row per event.",
    "The DataFrame's index is not read; reset_index() makes it a column.",
    "columns must be a mapping such as {'user': 'msisdn', 'time': 0}.",
    "timezone = 'offset'; only naive_timezone can be 'offset'.",
    "A source of type {} cannot be read; give a path, an open file or a DataFrame.",
    "Unknown role {} in columns; the roles are {}.",
}


def said(tree):
    """Every text of a module that may be part of a sentence; f-strings with {} for values."""
    skip = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            skip.add(body[0].value)
        # a text under a constant is its documentation
        if isinstance(body, list):
            skip |= {s.value for s in body if isinstance(s, ast.Expr)}
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Way":
            skip |= {inner for part in node.args[:2] for inner in ast.walk(part)}
        if isinstance(node, ast.JoinedStr):
            skip |= set(node.values)
    for node in ast.walk(tree):
        if node in skip:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = [p.value if isinstance(p, ast.Constant) else "{}" for p in node.values]
            yield "".join(str(p) for p in parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def sentences(path):
    return [t for t in said(ast.parse(path.read_text(encoding="utf-8"))) if is_worded(t)]


def is_worded(text):
    """Whether it is words rather than a key, a pattern or a list of names."""
    if re.search(r"\\|\(\?|\^|_\w+\s+\w+_", text) or "\n" in text:
        return False
    return len(re.findall(r"[A-Za-z]+", text)) >= 3 and " " in text


def test_no_argument_is_named_on_a_screen():
    found = [(path.name, text) for path in FILES for text in sentences(path)]
    assert {text for _, text in found} >= OF_CALLS  # the scan sees them; none is excused in vain
    assert not [one for one in found if ARGUMENT.search(one[1]) and one[1] not in OF_CALLS]

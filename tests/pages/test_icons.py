"""One set of icons, shipped: a picture of the machine's own fonts may be an empty box."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py"))]
# The tab's own is drawn by the browser.
ICON = re.compile(r"""\bicon\s*=\s*["']([^"']+)["']""")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_icons_are_of_the_set_that_is_shipped(path: Path) -> None:
    found = ICON.findall(path.read_text(encoding="utf-8"))
    assert [icon for icon in found if not re.fullmatch(r":material/[a-z_]+:", icon)] == []


def test_there_are_some() -> None:
    assert sum(len(ICON.findall(path.read_text(encoding="utf-8"))) for path in FILES) >= 10

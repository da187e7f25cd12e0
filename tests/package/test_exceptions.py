"""Where the check for weaknesses is told to look away, the line says of what, and why."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXPLAINED = re.compile(r"# nosec B\d{3} # \w.{14,}$")


def unexplained(text: str) -> list[str]:
    """The lines that do not."""
    return [
        line
        for line in text.splitlines()
        if re.search(r"#\s*nosec", line) and not EXPLAINED.search(line)
    ]


def test_every_exception_is_explained() -> None:
    files = [*(ROOT / "fpanon_core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    texts = [path.read_text(encoding="utf-8") for path in [*files, ROOT / "app.py"]]
    assert any("nosec" in text for text in texts)
    assert [line for text in texts for line in unexplained(text)] == []

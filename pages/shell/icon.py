"""The dashboard's icon, as the browser's tab shows it."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path


def icon() -> str:
    """The icon within its own address: every run gives a file a new one, and ends the old."""
    content = Path(__file__).with_name("icon.png").read_bytes()
    return f"data:image/png;base64,{b64encode(content).decode()}"

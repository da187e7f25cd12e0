"""Words and numbers on a terminal: progress, tables, lists of numbers among the options."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import typer

from ..model.errors import ConfigError

_REDRAW_S = 0.2


@contextmanager
def progress_line(what: str) -> Iterator[Callable[[float], None] | None]:
    """A callback that redraws one line of standard error; None where that is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    drawn = 0.0

    def show(share: float) -> None:
        nonlocal drawn
        now = time.monotonic()
        if now - drawn >= _REDRAW_S:
            drawn = now
            typer.echo(f"\r{what}: {share:4.0%}", nl=False, err=True)

    try:
        yield show
    finally:
        typer.echo("\r" + " " * (len(what) + 8) + "\r", nl=False, err=True)


def table_text(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns of words, the first to the left, the others to the right."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    return "\n".join(
        "  ".join(
            word.ljust(width) if i == 0 else word.rjust(width)
            for i, (word, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (head, *rows)
    )


def whole_numbers(text: str, option: str) -> list[int]:
    """Distinct whole numbers from ``"2,5,10"``, ascending."""
    try:
        numbers = sorted({int(part) for part in text.split(",")})
    except ValueError:
        raise ConfigError(
            f"{option} {text!r} is no list of whole numbers; give for example {option} 2,5,10."
        ) from None
    return numbers

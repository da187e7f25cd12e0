"""How far is a long call? Told to a callable that may stop it; and split among its steps."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float], None]
"""Takes the share done, in [0, 1]; may raise :class:`fpanon_core.Cancelled` to stop the work."""


def part(progress: Progress | None, begin: float, end: float) -> Progress | None:
    """Progress of a stretch of the work, as progress of the whole.

    Examples
    --------
    >>> told = []
    >>> second_half = part(told.append, 0.5, 1.0)
    >>> second_half(0.5)
    >>> told
    [0.75]
    """
    if progress is None:
        return None
    return lambda share: progress(begin + (end - begin) * share)


def nth_part(progress: Progress | None, number: int, count: int) -> Progress | None:
    """Progress of step ``number``, from 0, of ``count`` that take about as long as each other.

    Examples
    --------
    >>> told = []
    >>> nth_part(told.append, 3, 4)(0.0)
    >>> told
    [0.75]
    """
    return part(progress, number / count, (number + 1) / count)


def tell(progress: Progress | None, share: float) -> None:
    """Tell how much is done, where anybody listens."""
    if progress is not None:
        progress(share)

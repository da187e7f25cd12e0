"""Progress of long calls, reported to a callable that may stop them, and split among steps."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float], None] | None
"""Callable that takes the share done, in [0, 1], and may raise Cancelled; None if nobody asks."""


def part(progress: Progress, begin: float, end: float) -> Progress:
    """Return a callable that reports the progress of a part as progress of the whole work.

    The part extends from the share ``begin`` to the share ``end`` of the whole. The result is None
    if ``progress`` is None.

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


def nth_part(progress: Progress, number: int, count: int) -> Progress:
    """Return a callable for the progress of step ``number`` (from 0) of ``count`` similar steps.

    The result is None if ``progress`` is None.

    Examples
    --------
    >>> told = []
    >>> nth_part(told.append, 3, 4)(0.0)
    >>> told
    [0.75]
    """
    return part(progress, number / count, (number + 1) / count)


def tell(progress: Progress, share: float) -> None:
    """Report the share done, if there is a progress callable."""
    if progress is not None:
        progress(share)

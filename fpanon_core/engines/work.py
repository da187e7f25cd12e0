"""The keywords of long calls, engine and progress, as one thing that is passed on and divided."""

from __future__ import annotations

from typing import TypedDict

from .local import Engine, LocalEngine
from .progress import Progress, part


class Work(TypedDict, total=False):
    """The two keywords that each long call takes and passes on: ``engine`` and ``progress``.

    Attributes
    ----------
    engine : LocalEngine
        All local cores when not given or None. No result depends on it.
    progress : callable of one float in [0, 1] or None
        May raise :class:`Cancelled`.
    """

    engine: Engine
    progress: Progress | None


def working(engine: Engine | None = None, progress: Progress | None = None) -> Work:
    """Return ``engine`` and ``progress`` as keywords; all local cores if no engine is given."""
    return Work(engine=engine or LocalEngine(), progress=progress)


def part_of(work: Work, begin: float, end: float) -> Work:
    """Return the keywords of a part of the work, whose progress counts towards the whole.

    Examples
    --------
    >>> told = []
    >>> part_of(working(progress=told.append), 0.5, 1.0)["progress"](0.5)
    >>> told
    [0.75]
    """
    return {**work, "progress": part(work.get("progress"), begin, end)}


def nth_of(work: Work, number: int, count: int) -> Work:
    """Return the keywords of step ``number``, from 0, of ``count`` steps of about equal length."""
    return part_of(work, number / count, (number + 1) / count)

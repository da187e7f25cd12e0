"""What all studies share: the keywords for their work, and results that are shown as tables."""

from __future__ import annotations

from typing import ClassVar, TypedDict

import pandas as pd

from ..engines.local import Engine, LocalEngine
from ..engines.progress import Progress, part
from ..model.errors import ConfigError
from ..tables import leaving


class Work(TypedDict, total=False):
    """The two keywords that each study takes and passes on: ``engine`` and ``progress``.

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


class Tabled:
    """Base of a study's result, whose numbers are available as tables.

    Attributes
    ----------
    MAY_LEAVE : frozenset of str
        Names of the tables with figures about everyone together. All other tables stay with the
        data: they hold figures about individual people, or counts of few people at one place or
        time.
    """

    MAY_LEAVE: ClassVar[frozenset[str]] = frozenset()

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return every table by the name of its file (without ending), the main one first."""
        raise NotImplementedError

    def to_frame(self, name: str | None = None) -> pd.DataFrame:
        """Return the table of that name; the main one if ``name`` is None.

        People have the pseudonyms of the session, which follow the order of the input; use
        :meth:`for_file` for a file.

        Raises
        ------
        ConfigError
            There is no table of that name.
        """
        tables = self.tables()
        if name is None:
            return next(iter(tables.values()))
        if name not in tables:
            raise ConfigError(f"There is no table {name!r}; there are {', '.join(tables)}.")
        return tables[name]

    def may_leave(self, name: str) -> bool:
        """Return whether the table of that name holds nothing about one person or a few people."""
        return name in self.MAY_LEAVE

    def for_file(self, name: str | None = None) -> pd.DataFrame:
        """Return the table for a file, protected by :func:`.leaving.guarded` unless it may leave.

        A protected table has new pseudonyms, no row numbers, and a column that says that the table
        is not for release.

        Raises
        ------
        ConfigError
            There is no table of that name.
        """
        name = next(iter(self.tables())) if name is None else name
        table = self.to_frame(name)
        return table if self.may_leave(name) else leaving.guarded(table)

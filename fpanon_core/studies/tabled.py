"""What all studies share: the keywords for their work, and results that are shown as tables."""

from __future__ import annotations

from typing import ClassVar

import pandas as pd

from ..engines.work import Work, nth_of, part_of, working
from ..model.errors import ConfigError
from ..tables import leaving

__all__ = ["Tabled", "Work", "nth_of", "part_of", "working"]


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

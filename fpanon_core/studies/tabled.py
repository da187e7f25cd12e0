"""Base of all results of studies: every result can be shown as tables."""

from __future__ import annotations

from typing import ClassVar

import pandas as pd

from ..model.errors import ConfigError
from ..tables import leaving


class Tabled:
    """Base of a study's result, whose numbers are available as tables.

    Attributes
    ----------
    MAY_LEAVE : frozenset of str
        Names of the tables of figures of everyone together. All others stay with the data: figures
        of single people, and counts of few at one place or time.
    """

    MAY_LEAVE: ClassVar[frozenset[str]] = frozenset()

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return every table by the name of its file (without ending), the main one first."""
        raise NotImplementedError

    def to_frame(self, name: str | None = None) -> pd.DataFrame:
        """Return the table of that name, the main one for None.

        People have the pseudonyms of the session, which follow the input; use :meth:`for_file` for
        a file.

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
        """Return whether the table of that name holds nothing of single people, nor of a few."""
        return name in self.MAY_LEAVE

    def for_file(self, name: str | None = None) -> pd.DataFrame:
        """Return the table for a file: passed through :func:`.leaving.guarded` unless it may leave.

        Raises
        ------
        ConfigError
            There is no table of that name.
        """
        name = next(iter(self.tables())) if name is None else name
        table = self.to_frame(name)
        return table if self.may_leave(name) else leaving.guarded(table)

"""What every study's result can do: show itself as tables, the same to everyone who asks."""

from __future__ import annotations

from typing import ClassVar

import pandas as pd

from ..model.errors import ConfigError
from ..tables import leaving


class Tabled:
    """Base of a study's result, whose numbers anybody may have as tables.

    Attributes
    ----------
    MAY_LEAVE : frozenset of str
        The tables of figures of everyone together. All others stay with the data: figures of
        single people, and counts of few at one place or time.
    """

    MAY_LEAVE: ClassVar[frozenset[str]] = frozenset()

    def tables(self) -> dict[str, pd.DataFrame]:
        """Every table by the name of its file (without ending), the main one first."""
        raise NotImplementedError

    def to_frame(self, name: str | None = None) -> pd.DataFrame:
        """The table of that name, the main one for None.

        People go by the pseudonyms of the session, which follow the input: for a file take
        :meth:`for_file`.

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
        """Whether the table of that name holds nothing of single people, nor of a few."""
        return name in self.MAY_LEAVE

    def for_file(self, name: str | None = None) -> pd.DataFrame:
        """The table as it goes into a file: :func:`.leaving.guarded` unless it may leave.

        Raises
        ------
        ConfigError
            There is no table of that name.
        """
        name = next(iter(self.tables())) if name is None else name
        table = self.to_frame(name)
        return table if self.may_leave(name) else leaving.guarded(table)

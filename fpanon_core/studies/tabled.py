"""What every study's result can do: show itself as tables, the same to everyone who asks."""

from __future__ import annotations

import pandas as pd

from ..model.errors import ConfigError


class Tabled:
    """Base of a study's result, whose numbers anybody may have as tables."""

    def tables(self) -> dict[str, pd.DataFrame]:
        """Every table by the name of its file (without ending), the main one first."""
        raise NotImplementedError

    def to_frame(self, name: str | None = None) -> pd.DataFrame:
        """The table of that name, the main one for None.

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

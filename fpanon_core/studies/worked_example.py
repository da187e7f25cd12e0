"""How do the measures of disclosure work? Four users and five bins, worked to the end.

The example of Noriega Campero 2015, table 4.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from ..engines.local import Engine
from ..engines.progress import Progress, tell
from ..measures.disclosure import disclosure
from ..measures.pareto import KNOWN, N_BINS, PRESENCE, table_4_1
from ..model.disclosure import DisclosureResult
from ..model.knowledge import Knowledge
from .tabled import Tabled

SECOND = 1
"""Row of the user that Noriega Campero works by hand."""


@dataclass(frozen=True)
class Config:
    """There is nothing to set."""


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """The measures of the example.

    Attributes
    ----------
    config : Config
    digest : str
        Of the example's fingerprints.
    presence, known : tuple of tuple of int
        Bins, from 1, in which each user was, and those that an attacker knows of it.
    n_bins : int
        Nobody was in the last.
    everybody, second : DisclosureResult
        Of all users, and of row :data:`SECOND` alone.
    """

    config: Config
    digest: str
    presence: tuple[tuple[int, ...], ...]
    known: tuple[tuple[int, ...], ...]
    n_bins: int
    everybody: DisclosureResult
    second: DisclosureResult

    def fitting(self, user: int) -> list[int]:
        """Rows of the users who were in all bins known of one."""
        known = set(self.known[user])
        return [u for u, own in enumerate(self.presence) if known <= set(own)]

    def tables(self) -> dict[str, pd.DataFrame]:
        """``worked_example``: of each user ``user`` (from 1), ``anonymity_set``, ``em``, ``kl``."""
        found = self.everybody
        return {
            "worked_example": pd.DataFrame(
                {
                    "user": found.targets + 1,
                    "anonymity_set": found.sizes,
                    "em": found.em_user,
                    "kl": found.kl_user,
                }
            )
        }


def study(
    config: Config, *, engine: Engine | None = None, progress: Progress | None = None
) -> Result:
    """The measures of the worked example.

    Examples
    --------
    >>> study(Config()).everybody.sizes.tolist()
    [3, 2, 3, 1]
    """
    tell(progress, 0.0)
    fs, knowledge = table_4_1()
    second = Knowledge.from_bins(fs, {SECOND: [(0.0, 0.0, float(bin_)) for bin_ in KNOWN[SECOND]]})
    return Result(
        config=config,
        digest=fs.digest,
        presence=PRESENCE,
        known=KNOWN,
        n_bins=N_BINS,
        everybody=disclosure(fs, knowledge, n_bins=N_BINS, engine=engine),
        second=disclosure(fs, second, n_bins=N_BINS, engine=engine),
    )

"""Worked example of the measures of disclosure: four users and five bins.

It is the example of Noriega Campero 2015, table 4.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import pandas as pd

from ..engines.progress import tell
from ..measures.disclosure import disclosure
from ..measures.pareto import KNOWN, N_BINS, PRESENCE, table_4_1
from ..model.disclosure import DisclosureResult
from ..model.knowledge import Knowledge
from .tabled import Tabled, Work

SECOND = 1
"""Row of the user whose measures Noriega Campero computes by hand."""


@dataclass(frozen=True)
class Config:
    """Empty settings: there is nothing to set."""


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """The measures of the example.

    Attributes
    ----------
    config : Config
    digest : str
        Digest of the example's fingerprints.
    presence, known : tuple of tuple of int
        Numbers, from 1, of the bins in which each user was, and of those that an attacker knows.
    n_bins : int
        Number of bins; nobody was in the last.
    everybody, second : DisclosureResult
        Results for all users, and for row :data:`SECOND` alone.
    """

    config: Config
    digest: str
    presence: tuple[tuple[int, ...], ...]
    known: tuple[tuple[int, ...], ...]
    n_bins: int
    everybody: DisclosureResult
    second: DisclosureResult

    def fitting(self, user: int) -> list[int]:
        """Return the rows of the users who were in all the bins that are known for one user."""
        known = set(self.known[user])
        return [u for u, own in enumerate(self.presence) if known <= set(own)]

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the table ``worked_example``, with a row per user.

        Its columns are ``user`` (numbered from 1), ``anonymity_set``, ``em`` and ``kl``.
        """
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


def study(config: Config, **work: Unpack[Work]) -> Result:
    """Compute the measures of the worked example.

    Examples
    --------
    >>> study(Config()).everybody.sizes.tolist()
    [3, 2, 3, 1]
    """
    tell(work.get("progress"), 0.0)
    engine = work.get("engine")
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

"""How many are unique, given a few points? The answer, as :func:`fpanon_core.unicity` gives it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .arrays import IntArray
from .closed import Closed
from .configs import UnicityConfig
from .intervals import wilson_interval


@dataclass(frozen=True, eq=False)
class UnicityResult(Closed):
    """Unicity at one p, with what it was estimated from.

    Attributes
    ----------
    value : float
        Share of the targets with |E_i| ≤ ``config.out_of``, in [0, 1].
    low, high : float
        95 % Wilson interval of the share.
    sizes : int64 ndarray (n_targets,)
        |E_i| in users.
    targets : int64 ndarray (n_targets,)
        Row numbers.
    n_found : int
        Targets with |E_i| ≤ ``config.out_of``.
    too_few : int
        Targets with fewer than p bins, all of which were known.
    n_users : int
        Users searched; guessing finds one in as many.
    config : UnicityConfig
    digest : str
    """

    value: float
    low: float
    high: float
    sizes: IntArray
    targets: IntArray
    n_found: int
    too_few: int
    n_users: int
    config: UnicityConfig
    digest: str

    def __post_init__(self) -> None:
        self._close()

    @property
    def n_targets(self) -> int:
        """How many targets."""
        return len(self.sizes)

    def at(self, out_of: int) -> UnicityResult:
        """The same draws judged by another ``out_of``, without a new run.

        Raises
        ------
        ConfigError
            If it is not an integer of 1 or more.
        """
        config = replace(self.config, out_of=out_of)
        found = int((self.sizes <= out_of).sum())
        low, high = wilson_interval(found, self.n_targets)
        return replace(
            self, value=found / self.n_targets, low=low, high=high, n_found=found, config=config
        )

"""How many are unique, given a few points? Unicity (science.md §6, CROWD).

``ε_p`` is the share of users whose p known points fit no trace but their own. The baseline to
hold it against is what guessing gives: one in the number of users.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..engines.local import Engine, Progress
from ..model.closed import Closed
from ..model.configs import Strategy, UnicityConfig
from ..model.fingerprints import FingerprintSet
from ..model.knowledge import Knowledge
from .drawing import drawn
from .matching import anonymity_sets

IntArray = npt.NDArray[np.int64]

_Z = 1.959963984540054  # the normal distribution's 97.5 % point


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


def unicity(
    fs: FingerprintSet,
    p: int = 4,
    *,
    out_of: int = 1,
    strategy: Strategy = "random",
    users: int = 2500,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> UnicityResult:
    """Share of users that p points single out, or narrow down to ``out_of``.

    Parameters
    ----------
    fs : FingerprintSet
    p : int
        Points known of each target.
    out_of : int
        Largest anonymity set, in users, that counts as found.
    strategy : {"random", "uniform", "top", "consecutive"}
        Which points; see :func:`draw_knowledge`.
    users : int
        Targets drawn at random; everybody where there are no more.
    seed : int
        The same seed draws the same users at every p and under every generalization.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    UnicityResult

    Raises
    ------
    ConfigError
        A parameter is out of its range.
    InfeasibleError
        p exceeds every trace.

    Notes
    -----
    ``ε_p = |{i : |E_i| ≤ out_of}| / n`` (CROWD Methods). Users are subscribers: fingerprints that
    stand for several are drawn, and counted in E_i, as so many.

    Examples
    --------
    Two of three people were always together.

    >>> fs = FingerprintSet.from_samples([1, 2, 3], [0, 0, 900], [0, 0, 0], [5, 5, 5])
    >>> result = unicity(fs, 1)
    >>> result.n_found, round(result.value, 3), result.at(2).value
    (1, 0.333, 1.0)
    """
    config = UnicityConfig(p, strategy, users, seed, out_of)
    knowledge = drawn(fs, config)
    sizes = anonymity_sets(fs, knowledge, engine=engine, progress=progress)
    return result_of(fs, knowledge, sizes, config)


def result_of(
    fs: FingerprintSet, knowledge: Knowledge, sizes: IntArray, config: UnicityConfig
) -> UnicityResult:
    """The result that anonymity sets amount to."""
    found = int((sizes <= config.out_of).sum())
    low, high = wilson_interval(found, len(sizes))
    return UnicityResult(
        value=found / len(sizes),
        low=low,
        high=high,
        sizes=sizes,
        targets=knowledge.targets,
        n_found=found,
        too_few=knowledge.too_few,
        n_users=int(fs.weight.sum()),
        config=config,
        digest=knowledge.digest,
    )


def wilson_interval(found: int, of: int) -> tuple[float, float]:
    """95 % Wilson score interval of a share.

    Examples
    --------
    >>> [round(end, 4) for end in wilson_interval(0, 10)]
    [0.0, 0.2775]
    """
    share, spread = found / of, _Z**2 / of
    middle = (share + spread / 2) / (1 + spread)
    half = _Z / (1 + spread) * math.sqrt((share * (1 - share) + spread / 4) / of)
    # At the ends the interval's end is exactly 0 or 1; rounding must not cross them.
    low = 0.0 if found == 0 else max(0.0, middle - half)
    high = 1.0 if found == of else min(1.0, middle + half)
    return low, high

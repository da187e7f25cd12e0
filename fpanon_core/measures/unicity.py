"""How many are unique, given a few points? Unicity.

``ε_p`` is the share of users whose p known points fit no trace but their own. The baseline to
hold it against is what guessing gives: one in the number of users.

Source: de Montjoye et al. 2013; docs/science.md, “Adversary knowledge and unicity”.
"""

from __future__ import annotations

from ..engines.local import Engine
from ..engines.progress import Progress
from ..model.arrays import IntArray
from ..model.configs import Strategy, UnicityConfig
from ..model.fingerprints import FingerprintSet
from ..model.intervals import wilson_interval
from ..model.knowledge import Knowledge
from ..model.unicity import UnicityResult
from .drawing import drawn
from .matching import anonymity_sets


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
    ``ε_p = |{i : |E_i| ≤ out_of}| / n`` (de Montjoye et al. 2013, Methods). Users are subscribers:
    fingerprints that stand for several are drawn, and counted in E_i, as so many.

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

"""Which release gives most for the risk it runs? Every option's risk and utility (science.md §9).

Risk is measured on what would be released, with knowledge drawn *from it*: the outsider knows p
points of a person just as they are published. That is the cautious reading. Of a release with noise
or exchanged positions a real acquaintance knows true points, which need not fit; of a sample of the
users, only those in it are targets, so that the risk is theirs and not lessened by the chance of
not being in it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..engines.local import Engine, LocalEngine, Progress
from ..measures.disclosure import disclosure
from ..measures.drawing import drawn
from ..measures.matching import part
from ..measures.reference import Reference
from ..measures.utility import measured
from ..model.configs import KnowledgeConfig, Strategy
from ..model.disclosure import MEASURES
from ..model.errors import Cancelled, ConfigError, FpanonError
from ..model.fingerprints import FingerprintSet
from ..model.options import ReleaseOption, as_option
from ..model.techniques import Step
from .chain import apply, step_seed
from .option_result import CUSTOM, Interval, OptionResult, utility_choice
from .table import OptionsTable

RiskFunction = Callable[[FingerprintSet], float]
UtilityFunction = Callable[[FingerprintSet, FingerprintSet], float]

_RELEASING_SHARE, _RISK_SHARE = 0.4, 0.9  # of an option's progress
_Prefix = tuple[Step, ...]


def explore_options(
    fs: FingerprintSet,
    options: Iterable[Any],
    *,
    risk: str | RiskFunction = "unicity",
    utility: Any = "transport",
    p: int = 4,
    strategy: Strategy = "random",
    users: int = 2500,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
    previous: OptionsTable | None = None,
    on_option: Callable[[OptionResult], None] | None = None,
) -> OptionsTable:
    """Release the data under every option, and measure each one's risk and utility.

    Parameters
    ----------
    fs : FingerprintSet
    options : iterable, or mapping of name to option
        Of what :func:`as_option` takes.
    risk : {"unicity", "k", "em", "kl"} or callable of the released FingerprintSet
        All four are computed, from one search, and kept; this one makes the front.
        ``"k_disclosure"`` is ``"k"``.
    utility : str, mapping, Asked, ("asked", frame, domain), or callable of (original, released)
        A named weighting or weights of the computed components; the experts' answers, found by the
        option's name; or a function of one's own.
    p, strategy, users, seed
        The outsider's knowledge, as :func:`draw_knowledge`; where a release leaves a trace fewer
        than p bins, all are known. The seed is that of the techniques, too.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`, which comes through.
    previous : OptionsTable, optional
        Options that were measured there, on the same data with the same knowledge and seed, are
        taken from it; those that failed are tried again. Not with functions of one's own, which
        nobody can compare.
    on_option : callable of one OptionResult, optional
        Called as each is ready, for instance to save it.

    Returns
    -------
    OptionsTable
        An option that fails (an :class:`FpanonError`, or memory runs out) has its ``fault`` said,
        and costs the others nothing.

    Raises
    ------
    ConfigError
        A parameter is out of its range, a measure unknown, or there is no option.

    Examples
    --------
    >>> from fpanon_core import GeneralizationProfile, Grid
    >>> x, t = [0, 9000, 300, 800], [60, 600, 65, 70]
    >>> fs = FingerprintSet.from_samples([1, 1, 2, 3], x, [0] * 4, t)
    >>> table = explore_options(fs, [[], GeneralizationProfile(Grid(5000), 480)], p=1)
    >>> table.front.tolist(), table.risk.round(2).tolist()
    ([True, True], [1.0, 0.33])
    """
    asked = _distinct(options)
    config = KnowledgeConfig(p, strategy, users, seed)
    choice = utility_choice(utility)
    table = OptionsTable((), _risk_name(risk), choice, config, fs.digest)
    results = []
    for result in explored(
        fs, asked, risk=risk, utility=utility, p=p, strategy=strategy, users=users, seed=seed,
        engine=engine, progress=progress, previous=previous,
    ):  # fmt: skip
        results.append(result)
        if on_option is not None:
            on_option(result)
    return replace(table, results=tuple(results))


def explored(
    fs: FingerprintSet,
    options: Iterable[Any],
    *,
    risk: str | RiskFunction = "unicity",
    utility: Any = "transport",
    p: int = 4,
    strategy: Strategy = "random",
    users: int = 2500,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
    previous: OptionsTable | None = None,
) -> Iterator[OptionResult]:
    """As :func:`explore_options`, one result after the other, as each is ready."""
    asked = _distinct(options)
    config = KnowledgeConfig(p, strategy, users, seed)
    _risk_name(risk)
    choice = utility_choice(utility)
    own_risk = risk if callable(risk) else None
    own_utility = utility if choice.label == CUSTOM else None
    known: dict[_Prefix, OptionResult] = {}
    if previous is not None and own_risk is None and own_utility is None:
        known = previous.reusable(fs.digest, config)
    work = _Work(fs, config, own_risk, own_utility, engine or LocalEngine())
    work.expect(option.steps for option in asked if option.steps not in known)
    for number, option in enumerate(asked):
        stretch = part(progress, number / len(asked), (number + 1) / len(asked))
        if stretch is not None:
            stretch(0.0)
        if option.steps in known:
            yield replace(known[option.steps], option=option)
        else:
            yield work.result(option, stretch)
    if progress is not None:
        progress(1.0)


class _Work:
    """One exploration: the original's side, and what several options begin with."""

    def __init__(
        self,
        fs: FingerprintSet,
        config: KnowledgeConfig,
        own_risk: RiskFunction | None,
        own_utility: UtilityFunction | None,
        engine: Engine,
    ) -> None:
        self._fs, self._config, self._engine = fs, config, engine
        self._own_risk, self._own_utility = own_risk, own_utility
        self._reference: Reference | None = None
        self._wanted: dict[_Prefix, int] = {}
        self._kept: dict[_Prefix, tuple[FingerprintSet, float]] = {}

    def expect(self, chains: Iterable[_Prefix]) -> None:
        """Count how many chains begin with each prefix: what nobody else wants is not kept."""
        for chain in chains:
            for length in range(1, len(chain) + 1):
                self._wanted[chain[:length]] = self._wanted.get(chain[:length], 0) + 1

    def result(self, option: ReleaseOption, progress: Progress | None) -> OptionResult:
        """Risk and utility of one option, or why there are none."""
        started = time.perf_counter()
        try:
            done = self._measured(option, progress)
        except Cancelled:
            raise
        except FpanonError as fault:
            done = OptionResult(option, fault=str(fault))
        except MemoryError:
            done = OptionResult(option, fault="Memory ran out; use fewer users, or a coarser one.")
        finally:
            self._release_prefixes(option.steps)
        return replace(done, seconds=time.perf_counter() - started)

    def _measured(self, option: ReleaseOption, progress: Progress | None) -> OptionResult:
        released, suppressed = self._released(option.steps, part(progress, 0.0, _RELEASING_SHARE))
        knowledge = drawn(released, self._config, beyond=True)
        found = disclosure(
            released, knowledge, engine=self._engine,
            progress=part(progress, _RELEASING_SHARE, _RISK_SHARE),
        )  # fmt: skip
        risks: dict[str, Interval] = {
            str(name): (found.measure(name), *found.interval(name)) for name in MEASURES
        }
        if self._own_risk is not None:
            risks[CUSTOM] = (float(self._own_risk(released)), np.nan, np.nan)
        if self._reference is None:
            self._reference = Reference.of(self._fs)
        components = measured(self._reference, released)
        if self._own_utility is not None:
            components[CUSTOM] = float(self._own_utility(self._fs, released))
        if progress is not None:
            progress(1.0)
        return OptionResult(
            option=option,
            risks=risks,
            components=components,
            n_users=int(released.weight.sum()),
            n_samples=released.n_samples,
            users_share=float(released.weight.sum() / self._fs.weight.sum()),
            suppressed_share=suppressed,
            too_few=knowledge.too_few,
            n_targets=knowledge.n_targets,
        )

    def _released(self, steps: _Prefix, progress: Progress | None) -> tuple[FingerprintSet, float]:
        """The release and the share of samples suppressed, from the longest prefix there is."""
        begin = max((n for n in range(len(steps) + 1) if steps[:n] in self._kept), default=0)
        fs, kept = self._kept.get(steps[:begin], (self._fs, 1.0))
        for n in range(begin, len(steps)):
            stretch = part(progress, n / len(steps), (n + 1) / len(steps))
            fs, lost = apply(fs, steps[n], step_seed(self._config.seed, n), engine=self._engine,
                             progress=stretch)  # fmt: skip
            kept *= 1 - lost
            if self._wanted.get(steps[: n + 1], 0) > 1:
                self._kept[steps[: n + 1]] = fs, kept
        return fs, 1 - kept

    def _release_prefixes(self, steps: _Prefix) -> None:
        for n in range(1, len(steps) + 1):
            prefix = steps[:n]
            self._wanted[prefix] = self._wanted.get(prefix, 1) - 1
            if self._wanted[prefix] <= 0:
                self._kept.pop(prefix, None)


def _distinct(options: Iterable[Any]) -> list[ReleaseOption]:
    options = options.items() if isinstance(options, Mapping) else options
    asked = [as_option(option) for option in options]
    if not asked:
        raise ConfigError("There is no option to explore; give at least one.")
    names = [option.name for option in asked]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigError(f"Two options are named {twice[0]!r}; give each a name of its own.")
    return asked


def _risk_name(risk: Any) -> str:
    if callable(risk):
        return CUSTOM
    risk = "k" if risk == "k_disclosure" else risk
    if risk not in MEASURES:
        raise ConfigError(f"Unknown measure of risk {risk!r}; give one of {', '.join(MEASURES)}.")
    return str(risk)

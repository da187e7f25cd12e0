"""Comparison of release options: the risk and utility of each.

Risk is measured on what would be released, with p points that an attacker knows about a person.
Noise and exchange move points, and groups of k publish them in larger cells. The points are
therefore taken both as published and as they truly were. The risk by one kind of points does not
bound the risk by the other kind. So the re-identification risk is that of the strongest attacker
of a set (:mod:`.reidentification`). If the release is a sample of the people, only people in the
sample are targets. The risk is that of these people; the chance of not being in the sample does not
lessen the risk.

The bins of options differ in size. So EM and KL are compared by their sums over all bins, never by
the means, which are lowest for the raw data.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Unpack

import numpy as np

from ..anonymize.chain import Chained
from ..engines.local import Engine
from ..engines.progress import Progress, tell
from ..measures.crowds import Crowds, crowds
from ..measures.disclosure import disclosure
from ..measures.drawing import drawn
from ..measures.utility import measured
from ..model.configs import KnowledgeConfig, Strategy
from ..model.disclosure import RISKS, DisclosureResult
from ..model.errors import Cancelled, ConfigError, FpanonError
from ..model.fingerprints import FingerprintSet
from ..model.limits import OPTION_POINTS, SEED, TARGETS
from ..model.options import Generalize, ReleaseOption, as_option
from ..model.profiles import Areas, Grid
from ..model.profiles import Origin as Corner
from .count_tables import tables_result
from .estimates import costs
from .option_result import Interval, OptionResult, utility_choice
from .options_table import OptionsTable
from .reidentification import PeriodRisk, outsider_risk, risk_in
from .release_facts import sizes
from .releases import Steps, forget, reference, released
from .tabled import Work, nth_of, part_of, working

_RELEASING_SHARE, _PUBLISHED_SHARE, _RISK_SHARE = 0.3, 0.5, 0.95  # of an option's progress


@dataclass(frozen=True)
class Config:
    """The options to compare, and the attacker's knowledge.

    The measure of risk and the utility are not part of the settings: all are computed, and
    :meth:`OptionsTable.with_choice` chooses among them.

    Attributes
    ----------
    options : tuple of ReleaseOption
        Options with distinct names; they usually include the data as they are.
    knowledge : KnowledgeConfig
        The attacker's knowledge; its seed is also that of the techniques for records.
    areas : float, Hexagons, Regions or None
        Areas in which density and flows are compared; None for the usual squares.

    Raises
    ------
    ConfigError
        A number is out of its range, there is no option, or two have the same name.
    """

    options: tuple[ReleaseOption, ...] = (ReleaseOption(),)
    knowledge: KnowledgeConfig = field(default_factory=KnowledgeConfig)
    areas: Areas = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", tuple(_distinct(self.options)))
        OPTION_POINTS.check("p", self.knowledge.p)
        TARGETS.check("users", self.knowledge.users)
        SEED.check("seed", self.knowledge.seed)


def _bytes_a_sample(_: FingerprintSet, config: Config | None, __: Engine | None) -> float:
    """Return the bytes for each sample: the data, and one kept release for each option.

    Without a configuration, a usual number of options is assumed.
    """
    return 150.0 + 60.0 * (16 if config is None else len(config.options))


@costs(_bytes_a_sample)
def study(
    fs: FingerprintSet,
    config: Config,
    previous: OptionsTable | None = None,
    on_option: Callable[[OptionResult], None] | None = None,
    **work: Unpack[Work],
) -> OptionsTable:
    """Measure every option's risk by all measures, and the components of its utility.

    The :class:`OptionsTable` shows unicity and the utility for transport until another choice is
    made. The parameters are those of :func:`explore_options`.
    """
    return explore_options(
        fs,
        config.options,
        **asdict(config.knowledge),
        areas=config.areas,
        previous=previous,
        on_option=on_option,
        **work,
    )


def explore_options(
    fs: FingerprintSet,
    options: Iterable[Any],
    *,
    risk: str = "unicity",
    utility: Any = "transport",
    p: int = 4,
    strategy: Strategy = "random",
    users: int = 2500,
    seed: int = 0,
    areas: Areas = None,
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
        Anything that :func:`as_option` takes.
    risk : {"unicity", "outsider", "linkage", "k", "home", "em", "kl"}
        Measure of risk that defines the front; all are computed and kept (RISKS of
        model/disclosure). EM and KL are the sums over all bins.
    utility : str, mapping, Asked, or ("asked", frame, domain)
        A named weighting or weights of the computed components; or the experts' answers, found by
        the option's name.
    p, strategy, users, seed
        The attacker's knowledge of the release and of the original, as for :func:`draw_knowledge`;
        where a record has fewer than p bins, all are known. The seed is also that of the techniques
        for records.
    areas : float, Hexagons or Regions, optional
        Areas in which density and flows are compared, as for :func:`utility`.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`, which is passed on.
    previous : OptionsTable, optional
        Results to reuse for options measured on the same data with the same knowledge and seed;
        failed options are tried again. Ignored if ``areas`` is given.
    on_option : callable of one OptionResult, optional
        Called when each result is ready, for instance to save it.

    Returns
    -------
    OptionsTable
        Its front uses the intervals of risk. One option dominates another if its utility is no
        lower, and the upper end of its risk is no higher than the other's lower end. At least
        one comparison must be strict. If one option would dominate by the estimates but not by the
        intervals, the two options are level. An option that fails (with an :class:`FpanonError`, or
        when memory runs out) has a ``fault``, and does not affect the others. Recent releases are
        kept in the process, within bounds (:mod:`fpanon_core.studies.releases`), and not made
        again.

    Raises
    ------
    ConfigError
        A parameter is out of its range, a measure is unknown, there is no option, or two options
        have the same name.

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
    table = OptionsTable((), "unicity", utility_choice(utility), config, fs.digest)
    known: dict[Steps, OptionResult] = {}
    if previous is not None and areas is None:
        known = previous.reusable(fs.digest, config)
    table, work, results = table.with_choice(risk), working(engine, progress), []
    for number, option in enumerate(asked):
        now = nth_of(work, number, len(asked))
        tell(now["progress"], 0.0)
        if option.steps in known:
            results.append(replace(known[option.steps], option=option))
        else:
            results.append(_result(fs, option, config, areas, now))
        if on_option is not None:
            on_option(results[-1])
    tell(progress, 1.0)
    return replace(table, results=tuple(results))


def _result(
    fs: FingerprintSet, option: ReleaseOption, knowledge: KnowledgeConfig, areas: Areas, work: Work
) -> OptionResult:
    """Return the risk and utility of one option, or the reason why there are none."""
    started = time.perf_counter()
    try:
        done = _measured(fs, option, knowledge, areas, work)
    except Cancelled:
        raise
    except FpanonError as fault:
        done = OptionResult(option, fault=str(fault))
    except MemoryError:
        forget()
        done = OptionResult(option, fault="Memory ran out; use fewer people, or a coarser option.")
    return replace(done, seconds=time.perf_counter() - started)


def _measured(
    fs: FingerprintSet, option: ReleaseOption, knowledge: KnowledgeConfig, areas: Areas, work: Work
) -> OptionResult:
    if option.recordless is not None:
        return tables_result(fs, option, knowledge.seed, areas, **work)
    release = released(fs, option.steps, knowledge.seed, **part_of(work, 0.0, _RELEASING_SHARE))
    seen = release.fs
    found = _found(release, knowledge, part_of(work, _RELEASING_SHARE, _PUBLISHED_SHARE))
    alike = crowds(seen, None if release.periods is None else release.periods.person)
    by_truth = outsider_risk(
        release, knowledge, alike, part_of(work, _PUBLISHED_SHARE, _RISK_SHARE)
    )
    risks = risks_of(found, alike) | by_truth.risks
    people = _people(release)
    compared = reference(fs, areas)
    components, corners = measured(compared, seen, None if release.periods is None else people)
    tell(work["progress"], 1.0)
    return OptionResult(
        option=option,
        components=components,
        corners=dict(corners),
        areas=str(compared.ground),
        n_users=people,
        n_samples=seen.n_samples,
        users_share=float(people / fs.weight.sum()),
        suppressed_share=1 - release.kept_share,
        crowd_least=alike.least,
        alone_share=alike.alone_share,
        naming_most=alike.naming_most,
        too_few=found.too_few,
        n_targets=found.n_targets,
        origin=_corner(release),
        size=sizes(release.origin()),
        **vars(by_truth) | {"risks": risks, "guessing": by_truth.guessing | compared.even},
    )


def _found(
    release: Chained, knowledge: KnowledgeConfig, work: Work
) -> DisclosureResult | PeriodRisk:
    """Measure what an attacker finds with known points of the release itself."""
    if release.periods is not None:
        return risk_in(release.periods, knowledge, work)
    return disclosure(release.fs, drawn(release.fs, knowledge, beyond=True), **work)


def _people(release: Chained) -> int:
    """Return the number of people whose records would be published."""
    if release.periods is None:
        return int(release.fs.weight.sum())
    # GLOVE publishes each record separately, so people's weights are those of the original.
    return int(release.original.weight[np.unique(release.person)].sum())


def _corner(release: Chained) -> Corner | None:
    """Return the corner of the square grid of the last generalization; None without a grid."""
    laid = [step.profile for step in release.steps if isinstance(step, Generalize)]
    return laid[-1].origin if laid and isinstance(laid[-1].space, Grid) else None


def risks_of(found: DisclosureResult | PeriodRisk, alike: Crowds) -> dict[str, Interval]:
    """Return each measure of risk that uses points drawn from the release, with its interval.

    Points drawn from a record fit everyone who shares the record. This bounds unicity and
    k-disclosure, and their intervals are cut at the bound.
    """
    possible = {"unicity": alike.alone_share, "k": alike.naming_most}
    risks: dict[str, Interval] = {}
    for name, risk in RISKS.items():
        if risk.measure is not None:
            value, (low, high) = found.measure(risk.measure), found.interval(risk.measure)
            # By chance, the share of unique records may be larger among those drawn than in all.
            risks[name] = value, low, max(value, min(high, possible.get(name, high)))
    return risks


def _distinct(options: Iterable[Any]) -> list[ReleaseOption]:
    options = options.items() if isinstance(options, Mapping) else options
    asked = [as_option(option) for option in options]
    if not asked:
        raise ConfigError("There is no option to explore; give at least one.")
    names = [option.name for option in asked]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigError(f"Two options are named {twice[0]!r}; give each a different name.")
    return asked

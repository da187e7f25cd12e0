"""Search over all kinds of release for one that serves a purpose within a recipient's thresholds.

Each kind of records has lines of options; from one option to the next, utility and risk rise. A
line is bisected until the last option within the thresholds and the first outside are neighbours.
For tables and synthetic people, ε is halved as long as the release serves the purpose. Options that
can neither serve the purpose best nor be recommended are skipped. Hiding in groups is first tried
on a quarter of the people, then with a quick search for groups; both results bound what the full
run can keep.

Source: docs/science.md, “Purpose, recipient and advice”.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..engines.local import Engine
from ..engines.progress import Progress, tell
from ..model.checks import positive
from ..model.configs import KnowledgeConfig
from ..model.counts_frame import FrameConfig
from ..model.errors import Cancelled
from ..model.fingerprints import FingerprintSet
from ..model.limits import K
from ..model.options import (
    Aligned,
    Flows,
    Generalize,
    Glove,
    Periods,
    Presence,
    ReleaseOption,
    SampleUsers,
    Step,
    SuppressRare,
    Synthesize,
    Tables,
)
from ..model.profiles import AntennaClusters, GeneralizationProfile, Grid, Regions, Space
from ..model.purpose import Purpose, Recipient, as_purpose
from ..model.utility import weighting
from .framing import stated_of_data
from .judgement import (
    NEED,
    Limits,
    best_option,
    kind_of,
    most_useful,
    needs_lost,
    serves,
    some_alone,
    within_limits,
)
from .option_result import OptionResult, UtilityChoice
from .options import explore_options
from .options_table import OptionsTable
from .presets import (
    MOST_AREAS,
    about_people,
    crowd,
    named_columns,
    place_frame_of,
    table_frame_of,
    width_height,
)
from .releases import reference

SECONDS = 300.0
"""Longest time that a search takes, seconds, unless another time is stated."""
SKIPPED = "The search skipped options that cannot be recommended"
"""Why the options of :attr:`SearchedTable.skipped` were not tried."""
KNOWLEDGE = KnowledgeConfig(strategy="uniform")
"""The attacker's knowledge: four of a person's samples, each equally likely.

The rarer places of a person, which single people out, may therefore be known too. An attacker whose
points are drawn in proportion to interactions finds fewer people.
"""

_EPSILON, _LEAST_EPSILON, _THRESHOLD = 1.0, 0.125, 15
_BANDS = 12  # of the finer of the two frames that are tried
_SIDES_M = tuple(m * 10.0**e for e in (2, 3, 4, 5) for m in (1, 1.5, 2, 3, 5, 7))
_SIZES = (1, 2, 3, 5, 8, 12, 20, 35, 60, 100, 200)  # antennas per area
_WINDOWS_MIN = (60.0, 360.0, 1_440.0)
_CROWDS = (2.0, 1.5, 1.0)  # times the smallest k that the threshold allows
_LARGER = (20, 10)  # also tried where the threshold allows a small k
_DAY_MIN, _TAIL = 1_440.0, 0.05
_MARGIN, _WIDE_MARGIN = 0.02, 0.06  # by which utility may rise; wide with groups and rare bins
_BOUNDED = ("density", "flows")
_MOST_RISE, _SAMPLED_RISE = 0.1, 0.15  # of these components
_LARGE = 10  # smallest k for which a quick search for groups takes far less time
_QUARTER = SampleUsers(0.25)
_LEAST_GROUPS = 5  # of k people each, in a quarter of the people

Known = Mapping[tuple[Step, ...], OptionResult]


@dataclass(frozen=True, eq=False)
class SearchedTable(OptionsTable):
    """Table of the options that a search has tried, with its recommendation.

    Attributes
    ----------
    limits : Limits
        The thresholds of the search.
    untried : tuple of ReleaseOption
        The options to try next; empty where the search is complete.
    skipped : tuple of ReleaseOption
        The options that were not tried: none of them can be recommended, and none that serves the
        purpose can be the most useful.
    """

    limits: Limits = field(default_factory=Limits)
    untried: tuple[ReleaseOption, ...] = ()
    skipped: tuple[ReleaseOption, ...] = ()

    @property
    def best(self) -> OptionResult | None:
        """The most useful option tried within the thresholds; None if there is none."""
        row = most_useful(self, within_limits(self, self.limits))
        return None if row is None else self.results[row]

    @property
    def least_revealing(self) -> OptionResult | None:
        """The least revealing option within the thresholds and near the best utility, or None.

        It is recommended if it serves the purpose (:attr:`serves`).
        """
        good = within_limits(self, self.limits)
        row = best_option(self, self.limits) if good else None
        return None if row is None else self.results[row]

    @property
    def serves(self) -> bool:
        """Whether an option within the thresholds serves the purpose."""
        return bool(serves(self, within_limits(self, self.limits)))


def find_release(
    fs: FingerprintSet,
    purpose: Purpose | str,
    recipient: Recipient | str,
    *,
    seconds: float = SECONDS,
    frame: FrameConfig | None = None,
    thresholds: Mapping[str, float | None] | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> SearchedTable:
    """Search all kinds of release for one that serves a purpose within a recipient's thresholds.

    Parameters
    ----------
    fs : FingerprintSet
    purpose : Purpose or str
        A name of PURPOSES, or your own purpose.
    recipient : Recipient or str
        The recipient, on whom the threshold for re-identification depends.
    seconds : float
        Time for the search. An option still running at the end is stopped, and named in
        ``untried``.
    frame : FrameConfig, optional
        Stated areas and days of tables and synthetic people. If None, they are taken from the data,
        which suits a study; a published release states its own.
    thresholds : mapping of str to float or None, optional
        Thresholds in place of the usual ones, by measure; they override the recipient's.
    engine : LocalEngine, optional
        All local cores when None.
    progress : callable of one float in [0, 1], optional
        Share of the time; may raise :class:`Cancelled`.

    Returns
    -------
    SearchedTable
        All options that were tried. ``least_revealing`` is recommended if ``serves`` is true;
        ``best`` is the most useful option tried within the thresholds.

    Raises
    ------
    ConfigError
        The purpose, the recipient, a threshold or ``seconds`` is invalid, or the data lack the
        areas of the purpose.
    """
    purpose = as_purpose(purpose)
    recipient = Recipient(recipient) if isinstance(recipient, str) else recipient
    limits = Limits({"outsider": recipient.threshold, **(thresholds or {})})
    reference(fs, purpose.areas)  # raises at once if the data lack these areas
    until = time.monotonic() + positive("seconds", seconds)
    search = Search(fs, limits, UtilityChoice(purpose.name, weighting(purpose.weights)), frame)

    def late(_: float = 0.0) -> None:
        left = until - time.monotonic()
        if left <= 0:
            raise Cancelled
        tell(progress, 1 - left / seconds)

    how = {**vars(KNOWLEDGE), "areas": purpose.areas, "engine": engine, "progress": late}
    known: dict[tuple[Step, ...], OptionResult] = {}
    try:
        while wanted := search.wanted(known):
            for option in wanted:
                if not search.useless(option, known):  # an earlier one may rule it out
                    known[option.steps] = explore_options(fs, [option], **how).results[0]
    except Cancelled:
        if time.monotonic() < until:
            raise
    tell(progress, 1.0)
    return SearchedTable(
        tuple(known.values()),
        "outsider",
        search.choice,
        KNOWLEDGE,
        fs.digest,
        limits=limits,
        untried=tuple(search.left(known)),
        skipped=tuple(search.skipped(known)),
    )


class Search:
    """Search that chooses the next options to try from the results so far, but holds no results.

    Parameters
    ----------
    fs : FingerprintSet
    limits : Limits
    choice : UtilityChoice
        The purpose.
    frame : FrameConfig, optional
        As in :func:`find_release`.
    """

    def __init__(
        self,
        fs: FingerprintSet,
        limits: Limits,
        choice: UtilityChoice,
        frame: FrameConfig | None = None,
    ) -> None:
        self.limits, self.choice = limits, choice
        self._digest = fs.digest
        self._begun = _without_records(fs, choice, frame)
        self._lines: list[Line] = []
        self._finer: dict[tuple[Step, ...], list[tuple[Step, ...]]] = {}
        self._safest: list[ReleaseOption] = []
        for coarser in _coarser(fs, limits):
            self._safest.append(coarser[-1][1][0])
            self._note([line for line, _ in coarser])
            for line, suppressed in coarser:
                for one, other in zip(line, suppressed, strict=True):
                    self._finer[other.steps] = self._finer[one.steps]
                self._lines += [line, suppressed]
        self._slow: list[Line] = []
        for hidden in _hidden(fs, limits):
            self._note(hidden)
            self._slow += hidden
        self._trials = {o.steps: _trials(o.steps, fs.n_users) for o in itertools.chain(*self._slow)}
        for steps, trials in self._trials.items():
            finer = self._finer[steps]
            finer += [trial for each in finer for trial in self._trials[each]]
            self._finer |= dict.fromkeys(trials, finer)

    def _note(self, lines: list[Line]) -> None:
        """Store, for each option, the options that are at least as fine.

        These are at the same position or later, in the same line or an earlier one. The finest
        lines come first.
        """
        for n, line in enumerate(lines):
            for at, option in enumerate(line):
                # Regions of one column need not lie within those of another.
                step = option.steps[0]
                regions = isinstance(step, Generalize) and isinstance(step.profile.space, Regions)
                end = at + 1 if regions else len(line)
                finer = [each.steps for other in lines[: n + 1] for each in other[at:end]]
                self._finer[option.steps] = finer

    def wanted(self, known: Known) -> list[ReleaseOption]:
        """Return the options to try next; none where the search is complete.

        Options without records come first: they take little time, and reveal least. Options that
        hide people in groups come last, each after the trials that bound it.

        Parameters
        ----------
        known : mapping of steps to OptionResult
        """
        first = self._without(known) or [o for o in self._safest if o.steps not in known]
        first = first or self._further(self._lines, known)
        slow = [] if first else self._further(self._slow, known)
        # Only density and flows of a quarter bound those of all, and only once an option serves.
        bounds = self._standing(known).least > -math.inf and {*_BOUNDED} & {*self.choice.weighty}
        left = [
            [t for t in self._trials[o.steps] if t not in known and (bounds or _QUARTER not in t)]
            for o in slow
        ]
        trials = [ReleaseOption(steps=each[0]) for each in left if each]
        return first or trials or slow[:1]

    def left(self, known: Known) -> list[ReleaseOption]:
        """Return untried options without records, and the next one of every incomplete line.

        Parameters
        ----------
        known : mapping of steps to OptionResult
        """
        return self._without(known) + self._further([*self._lines, *self._slow], known)

    def skipped(self, known: Known) -> list[ReleaseOption]:
        """Return the options that can neither serve the purpose best nor be recommended.

        Parameters
        ----------
        known : mapping of steps to OptionResult
        """
        every, stands = [*self._lines, *self._slow], self._standing(known)
        return [o for line in every for o in self._between(line, known) if self._useless(o, stands)]

    def useless(self, option: ReleaseOption, known: Known) -> bool:
        """Return whether, by the results so far, an option can be neither best nor recommended.

        Parameters
        ----------
        option : ReleaseOption
        known : mapping of steps to OptionResult
        """
        return self._useless(option, self._standing(known))

    def _without(self, known: Known) -> list[ReleaseOption]:
        return [o for o in self._begun if o.steps not in known] or self._smaller(known)

    def _further(self, lines: Iterable[Line], known: Known) -> list[ReleaseOption]:
        stands = self._standing(known)
        return [o for line in lines if (o := self._next(line, known, stands)) is not None]

    def _next(self, line: Line, known: Known, stands: Standing) -> ReleaseOption | None:
        """Return an option between the last within the thresholds and the first outside."""
        between = [o for o in self._between(line, known) if not self._useless(o, stands)]
        if not between:
            return None
        # The smallest groups come first: the threshold sets their size, so most are within.
        fewest = len(between) == len(line) and kind_of(line[0]) == "hidden records"
        return between[-1 if fewest else len(between) // 2]

    def _between(self, line: Line, known: Known) -> list[ReleaseOption]:
        low, high = -1, len(line)
        for at, option in enumerate(line):
            result = known.get(option.steps)
            if result is not None and self._within(result):
                low = max(low, at)
            elif result is not None:
                high = min(high, at)
        return [option for option in line[low + 1 : high] if option.steps not in known]

    def _standing(self, known: Known) -> Standing:
        """Return what the results so far say about options that are still to be tried."""
        results = list(known.values())
        table = OptionsTable(tuple(results), "outsider", self.choice, KNOWLEDGE, self._digest)
        within = [i for i, result in enumerate(results) if self._within(result)]
        # Only those that stay in the running, whatever else is found.
        kept = [i for i in within if not some_alone(results[i]) and not needs_lost(table, i)]
        useful = {i: float(table.utility[i]) for i in serves(table, kept)}
        least = [NEED * max(useful.values(), default=-math.inf)]
        least += [u for i, u in useful.items() if results[i].option.recordless is not None]
        kinds = {kind_of(results[i].option) for i in within}
        if all(option.steps in known for option in self._safest):
            kinds.add("coarser records")
        return Standing(max(least), kinds, known)

    def _useless(self, option: ReleaseOption, stands: Standing) -> bool:
        """Return whether an option can neither serve the purpose best nor be recommended.

        The result of a finer option bounds the option's utility and its components. An option with
        less than 80% of the best utility does not serve, nor does one that keeps too little of what
        the purpose needs. An option with records is not recommended if it is less useful than one
        without records. Even so, the search looks for an option of each kind that is within the
        thresholds and, where nothing serves, for the most useful option of all.
        """
        if kind_of(option) not in stands.kinds or self.choice.weights is None:
            return False
        finer = (stands.known.get(steps) for steps in self._finer.get(option.steps, ()))
        return any(
            most_worth(option, result, self.choice.weights) < stands.least
            or (stands.least > -math.inf and cannot_serve(result, self.choice))
            for result in finer
            if result is not None and result.fault is None
        )

    def _within(self, result: OptionResult) -> bool:
        return result.fault is None and not self.limits.broken(result)

    def _smaller(self, known: Known) -> list[ReleaseOption]:
        """Return an option of each kind without records, at half of an ε that was tried.

        That ε is the smallest one that serves; if no option of the kind is within the
        thresholds, it is the smallest of all. If the halved option no longer serves, the kind is
        complete: the purpose does not allow so much noise.
        """
        results = [r for r in known.values() if r.option.epsilon is not None and not r.fault]
        table = OptionsTable(tuple(results), "membership", self.choice, KNOWLEDGE, self._digest)
        found = []
        for kind in ("tables", "synthetic people"):
            mine = [i for i, r in enumerate(results) if kind_of(r.option) == kind]
            inside = [i for i in mine if self._within(results[i])]
            rows = serves(table, inside) if inside else mine
            tried = [(results[i].option.epsilon or 0, -table.utility[i], i) for i in rows]
            for epsilon, _, i in sorted(tried)[:1]:
                step = results[i].option.recordless
                if step is not None and epsilon / 2 >= _LEAST_EPSILON:
                    found.append(ReleaseOption(steps=[replace(step, epsilon=epsilon / 2)]))
        return [option for option in found if option.steps not in known]


Line = tuple[ReleaseOption, ...]
"""Options of one kind; utility and risk rise from each to the next."""


class Standing(NamedTuple):
    """What the results so far say about options that are still to be tried.

    Attributes
    ----------
    least : float
        Utility below which an option with records is not recommended; −∞ if no option serves.
    kinds : set of str
        Kinds with an option within the thresholds. Coarser records are among them, too, once their
        safest options have been tried.
    known : mapping of steps to OptionResult
    """

    least: float
    kinds: set[str]
    known: Known


def most_worth(option: ReleaseOption, finer: OptionResult, weights: Mapping[str, float]) -> float:
    """Return the largest utility that an option may have, from the result of a finer option.

    On two samples and on generated people, for all purposes, coarser records and larger groups
    raised utility by at most half of the margin added here. The usual search for groups, compared
    with the quick one, raised utility by at most two thirds of the margin. Longer periods show more
    of how far people move and among how many places, so these components may rise to 1. Flows rose
    by at most 0.05, and mostly fell: longer records of groups are coarser (four data sets, k = 5 to
    20). From a quarter of the people to all, any component may rise to 1.
    """
    steps, others = option.steps, finer.option.steps
    worth = _MARGIN if all(isinstance(step, Generalize) for step in steps) else _WIDE_MARGIN
    alike, sampled = _periods(steps) == _periods(others), _QUARTER in others
    for name, weight in weights.items():
        value = finer.components.get(name, math.nan)
        rises = sampled or (name in ("mobility", "visits") and not alike)
        worth += weight * (1.0 if rises or math.isnan(value) else value)
    return worth


def cannot_serve(finer: OptionResult, choice: UtilityChoice) -> bool:
    """Return whether an option keeps too little of density or flows, judging by a finer one.

    From a finer option to a coarser one, these components rose by at most 0.057 (docs/science.md,
    “What is skipped”); 0.1 is allowed. From a quarter of the people to all, they rose by at most
    0.074; 0.15 is allowed.
    """
    rise = _SAMPLED_RISE if _QUARTER in finer.option.steps else _MOST_RISE
    return any(
        finer.components.get(name, math.nan) + rise < finer.needed(name)
        for name in _BOUNDED
        if name in choice.weighty
    )


def _periods(steps: Iterable[Step]) -> list[Step]:
    return [step for step in steps if isinstance(step, Periods)]


def _trials(steps: tuple[Step, ...], n_users: int) -> list[tuple[Step, ...]]:
    """Return what to try before an option that hides people in groups, the fastest first.

    The trials are a quick search for aligned groups, if k is large, and before it a trial on a
    quarter of the people, if a quarter is enough for some groups.
    """
    *before, last = steps
    assert isinstance(last, Glove)
    trials: list[tuple[Step, ...]] = []
    if isinstance(last, Aligned) and last.k >= _LARGE:
        trials = [steps := (*before, replace(last, effort="quick"))]
    if n_users * _QUARTER.share >= _LEAST_GROUPS * last.k:
        trials.insert(0, (_QUARTER, *steps))
    return trials


def _without_records(
    fs: FingerprintSet, choice: UtilityChoice, frame: FrameConfig | None
) -> list[ReleaseOption]:
    """Return private tables over two frames, tables with a threshold, and synthetic people."""
    flows, density = map((choice.weights or {}).get, ("flows", "density"))
    kind = Presence if not flows else Tables if density else Flows
    people = about_people(fs)
    frames = _frames(fs, people, _EPSILON / len(kind.CONTENTS), frame)
    steps: list[Step] = [kind(where, bands, None, _EPSILON) for where, bands in frames]
    where, bands = frames[0]
    steps.append(kind(where, bands, _THRESHOLD))
    if frame is None:
        places = place_frame_of(fs, people)
    else:
        places = replace(frame, antennas_an_area=1, column=None)
    every = dict.fromkeys([*steps, Synthesize(places, _EPSILON)])
    return [ReleaseOption(steps=[step]) for step in every]


def _frames(
    fs: FingerprintSet, people: int, epsilon: float, frame: FrameConfig | None
) -> list[tuple[FrameConfig, int]]:
    """Return the frame proposed for the expected error, and one with as many areas as allowed."""
    wise, bands = table_frame_of(fs, people, epsilon)
    if frame is not None:
        areas = wise.antennas_an_area if frame.places == "antennas" and not frame.column else 1
        coarse = replace(frame, antennas_an_area=max(areas, frame.antennas_an_area))
        return list(dict.fromkeys([(coarse, bands), (frame, _BANDS)]))
    antennas = 0 if fs.antennas is None else len(fs.antennas)
    if antennas:
        finer = stated_of_data(fs, antennas_an_area=-(-antennas // MOST_AREAS))
    else:
        finer = place_frame_of(fs, 2 * MOST_AREAS)
    return list(dict.fromkeys([(wise, bands), (finer, _BANDS)]))


def _coarser(fs: FingerprintSet, limits: Limits) -> Iterator[list[tuple[Line, Line]]]:
    """Yield lines of options that generalize, the coarsest places first, for each kind of places.

    Each time window, the shortest first, gives two lines: one that only generalizes, and one that
    also suppresses rare bins.
    """
    least = crowd(limits)
    for spaces in _spaces(fs):
        found = []
        for minutes in _WINDOWS_MIN:
            if minutes < fs.granularity_min:
                continue
            steps = [[Generalize(GeneralizationProfile(space, minutes))] for space in spaces]
            rare = tuple(ReleaseOption(steps=[*each, SuppressRare(least)]) for each in steps)
            found.append((tuple(ReleaseOption(steps=each) for each in steps), rare))
        if found:
            yield found


def _spaces(fs: FingerprintSet) -> list[list[Space]]:
    """Return lists of coarser places, each from the coarsest to the finest."""
    found: list[list[Space]] = []
    if fs.antennas is not None and len(fs.antennas):
        sizes = [size for size in _SIZES if size < len(fs.antennas)]
        found.append([AntennaClusters(size) for size in reversed(sizes)])
        if columns := named_columns(fs):
            found.append([Regions(name) for name in reversed(columns)])
    else:
        extent = max(*width_height(fs), fs.granularity_m)
        sides = [m for m in _SIDES_M if fs.granularity_m <= m <= extent] or [fs.granularity_m]
        found.append([Grid(side) for side in reversed(sides)])
    return [spaces for spaces in found if spaces]


def _hidden(fs: FingerprintSet, limits: Limits) -> list[list[Line]]:
    """Return the line of GLOVE, and the lines of aligned options; none if no k is possible.

    In each line, the largest groups come first. The aligned options are for days, weeks and whole
    records.
    """
    ks, lasts = _group_sizes(fs, limits), float((fs.t_min + fs.dt_min).max())
    if not ks:
        return []
    day, week = [Periods(1)], [Periods(7)]
    aligned = [
        tuple(ReleaseOption(steps=[*before, Aligned(k, leave_out=share)]) for k in ks)
        for before, share in ((day, _TAIL), (day, 0.0), (week, 0.0), ([], 0.0))
        if lasts > sum(step.days for step in before) * _DAY_MIN
    ]
    return [[tuple(ReleaseOption(steps=[Glove(k)]) for k in ks)], aligned]


def _group_sizes(fs: FingerprintSet, limits: Limits) -> list[int]:
    """Return the k to try, the largest first.

    They are 1, 1.5 and 2 times the k that the threshold for re-identification needs, and larger k
    that also hide homes.
    """
    sizes = [round(times * crowd(limits)) for times in _CROWDS]
    larger = [k for k in _LARGER if k > sizes[0]]
    return [k for k in dict.fromkeys([*larger, *sizes]) if k in K and k <= fs.n_users]

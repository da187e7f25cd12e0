"""Judgement of release options: by a threshold for each measure, and by unique records.

A verdict rests on all measures with a threshold. An option is within the thresholds when no
measure's interval reaches above its threshold. A measure that is not known counts as possibly
above.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..model.disclosure import ALONE, NAMING, OF_TABLES, RISKS
from ..model.errors import ConfigError
from ..model.options import Glove, ReleaseOption, Tables
from ..model.purpose import Recipient
from .option_result import Interval, OptionResult
from .options_table import OptionsTable

KINDS = ("tables", "synthetic people", "hidden records", "coarser records")
"""Kinds of release; the one that reveals least about individual people comes first."""

NEED = 0.8
"""Least utility of a recommended option, as a share of the best utility; see :func:`serves`."""

JUDGED = (NAMING[0], *(name for name in RISKS if name not in NAMING), ALONE)
"""Measures by which options are judged.

The first stands for all chances of re-identification; unique records have unicity's threshold.
"""


@dataclass(frozen=True)
class Limits:
    """Thresholds: the largest risk that an option may have, by measure.

    Attributes
    ----------
    of : mapping of str to float or None
        Threshold by name of the measure (:func:`limit_key`); None for no threshold. A measure that
        is not named has its usual threshold (:data:`fpanon_core.model.disclosure.RISKS`); EM and KL
        have none.

    Raises
    ------
    ConfigError
        A measure is unknown, a threshold is not a number or out of its range, or two measures that
        share a threshold get different ones.

    Examples
    --------
    >>> Limits({"home": 0.1}).limit("home"), Limits({"outsider": None}).limit("linkage")
    (0.1, None)
    >>> Limits().limit("alone"), Limits().limit("em")
    (0.05, None)
    """

    of: Mapping[str, float | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        told: dict[str, float | None] = {
            limit_key(name): RISKS[limit_key(name)].limit for name in JUDGED
        }
        given: dict[str, float | None] = {}
        for name, limit in self.of.items():
            key = limit_key(name)
            if key not in told:
                raise ConfigError(
                    f"There is no threshold for {name!r}; give one for any of {', '.join(told)}."
                )
            checked = _checked(name, limit)
            if given.setdefault(key, checked) != checked:
                raise ConfigError(
                    f"Measures that share the threshold for {key} are given different thresholds; "
                    "give one."
                )
        told |= given
        object.__setattr__(self, "of", told)

    def limit(self, risk: str) -> float | None:
        """Return the threshold of a measure or of the share of unique records; None without one."""
        return self.of[limit_key(risk)]

    def allowed(self, result: OptionResult, risk: str) -> float | None:
        """Return the largest risk within the threshold; None without a threshold.

        For homes, what guessing finds is added to the threshold.
        """
        limit = self.limit(risk)
        return None if limit is None else result.allowed(risk, limit)

    @property
    def judged(self) -> tuple[str, ...]:
        """All measures with a threshold."""
        return tuple(risk for risk in JUDGED if self.limit(risk) is not None)

    def over(self, result: OptionResult, risk: str) -> bool:
        """Return whether the upper end of a risk's interval is above the threshold, or unknown."""
        most = self.allowed(result, risk) if asked_of(result, risk) else None
        return most is not None and not interval(result, risk)[2] <= most

    def surely_over(self, result: OptionResult, risk: str) -> bool:
        """Return whether even the lower end of a risk's interval is above the threshold."""
        most = self.allowed(result, risk) if asked_of(result, risk) else None
        return most is not None and interval(result, risk)[1] > most

    def times(self, result: OptionResult, risk: str) -> float:
        """Return the upper end of a risk as a multiple of its threshold; NaN where it is not known.

        The multiple is 0 without a threshold, and where the measure does not apply. It is infinite
        for any risk above a threshold of 0.
        """
        most, high = self.allowed(result, risk), interval(result, risk)[2]
        if most is None or not asked_of(result, risk):
            return 0.0
        if math.isnan(most) or math.isnan(high):
            return math.nan
        return high / most if most else math.inf if high else 0.0

    def broken(self, result: OptionResult) -> tuple[str, ...]:
        """Return the measures whose thresholds an option exceeds, or may exceed."""
        return tuple(risk for risk in self.judged if self.over(result, risk))


def asked_of(result: OptionResult, risk: str) -> bool:
    """Return whether a measure applies to an option; tables and records have different ones."""
    if result.option.recordless is None:
        return risk != "membership"
    return risk in OF_TABLES and risk not in result.unasked


def usual_limits(recipient: Recipient | None) -> Limits:
    """Return the usual thresholds; that of re-identification is the recipient's, if any."""
    return Limits() if recipient is None else Limits({"outsider": recipient.threshold})


def limit_key(risk: str) -> str:
    """Return the name of the measure whose threshold applies to this one.

    Examples
    --------
    >>> limit_key("linkage"), limit_key("alone"), limit_key("em")
    ('outsider', 'unicity', 'em')
    """
    return NAMING[0] if risk in NAMING else "unicity" if risk == ALONE else risk


def interval(result: OptionResult, risk: str) -> Interval:
    """Return an option's risk and its 95% interval, which has no width for unique records."""
    if risk == ALONE:
        share = 0.0 if result.crowd_least > 1 else result.alone_share
        return share, share, share
    return result.risk(risk)


def some_alone(result: OptionResult) -> bool:
    """Return whether any record is unique, or may be.

    If the number of unique records is not known, some record may be unique.
    """
    return result.crowd_least < 2 and result.alone_share != 0


def beyond(result: OptionResult, limits: Limits) -> float:
    """Return the largest upper end of a risk, as a multiple of its threshold; NaN if unknown."""
    every = [limits.times(result, risk) for risk in limits.judged]
    return math.nan if any(map(math.isnan, every)) else max(every, default=0.0)


def kind_of(option: ReleaseOption) -> str:
    """Return the kind of a release option, one of :data:`KINDS`.

    Examples
    --------
    >>> kind_of(ReleaseOption(steps=[Glove(2)])), kind_of(ReleaseOption())
    ('hidden records', 'coarser records')
    """
    if option.recordless is not None:
        return KINDS[0] if option.tables is not None else KINDS[1]
    return KINDS[2] if any(isinstance(step, Glove) for step in option.steps) else KINDS[3]


def revealing(result: OptionResult) -> tuple[float, ...]:
    """Return the key that sorts options, the least revealing first.

    Options are sorted by kind first, and those with an ε by their ε, the smallest first. Tables
    with a threshold for counts and without ε promise nothing: they come after synthetic people. Of
    options with records, those without unique records come first; both groups are sorted by
    re-identification risk. Exact tables, which leave nothing blank either, come last of all.
    """
    step, rank = result.option.recordless, float(KINDS.index(kind_of(result.option)))
    if step is None:
        risk = result.risk(NAMING[0])[0]
        return rank, float(some_alone(result)), math.inf if math.isnan(risk) else risk
    if step.epsilon is not None:
        return rank, 0.0, step.epsilon
    bare = isinstance(step, Tables) and step.threshold is None
    return float(len(KINDS) if bare else KINDS.index("synthetic people")), math.inf, 0.0


def best_option(table: OptionsTable, limits: Limits) -> int | None:
    """Return the row of the best option, or None if there is none.

    Of the options within all thresholds, the best is the least revealing one that serves the
    purpose (:func:`serves`); among equally revealing ones, it is the most useful. Where none
    serves, the best is the least revealing of those with nearly the best utility; pages name it,
    but do not recommend it. Where none is within all thresholds, the best is the nearest: the one
    whose worst measure is the smallest multiple of its threshold. Without any threshold, no option
    is best. The unchanged data are never best.
    """
    good = within_limits(table, limits)
    if good:
        serving = serves(table, good) or _nearly(table, _nobody_alone(table, good))
        known = table.utility
        return min(serving, key=lambda i: (*revealing(table.results[i]), -known[i]), default=None)
    return nearest(table, options_tried(table), limits) if limits.judged else None


def nearest(table: OptionsTable, rows: Iterable[int], limits: Limits) -> int | None:
    """Return the row whose worst measure is the smallest multiple of its threshold, or None.

    Among equals, it is the least revealing: with a threshold of 0, many may be infinitely far.
    """
    far = {i: beyond(table.results[i], limits) for i in rows}
    known = [i for i in far if not math.isnan(far[i])]
    return min(known, key=lambda i: (far[i], *revealing(table.results[i])), default=None)


def serves(table: OptionsTable, rows: Iterable[int]) -> list[int]:
    """Return the rows that keep what the purpose needs most, and come near the best utility.

    An option that keeps too little of a component with a large weight does not serve: good
    resolution does not make up for lost flows. Nor does an option with unique records serve, where
    others have none. An option must reach a share :data:`NEED` of the best utility that is left.
    """
    kept = [i for i in _nobody_alone(table, rows) if not needs_lost(table, i)]
    return _nearly(table, kept)


def needed(table: OptionsTable, rows: Iterable[int]) -> float | None:
    """Return the utility needed to serve the purpose: a share :data:`NEED` of the best that serves.

    ``rows`` are within all thresholds. Return None where none of them serves the purpose.
    """
    best = most_useful(table, serves(table, rows))
    return None if best is None else NEED * float(table.utility[best])


def _nearly(table: OptionsTable, rows: Iterable[int]) -> list[int]:
    """Return the rows whose utility is at least a share :data:`NEED` of the best among these."""
    every = list(rows)
    most = most_useful(table, every)
    least = math.inf if most is None else NEED * float(table.utility[most])
    return [i for i in every if table.utility[i] >= least]


def _nobody_alone(table: OptionsTable, rows: Iterable[int]) -> list[int]:
    """Return the rows without unique records; all rows if every row has some."""
    every = list(rows)
    return [i for i in every if not some_alone(table.results[i])] or every


def needs_lost(table: OptionsTable, row: int) -> list[str]:
    """Return the components of large weight that an option keeps too little of, if they apply.

    "hours" is added where the purpose needs differences between hours and the option shows none.
    """
    return table.choice.too_little(table.results[row])


def options_tried(table: OptionsTable) -> list[int]:
    """Return the rows of the options that could be made, except the data as they are."""
    return [i for i, r in enumerate(table.results) if r.option.steps and r.fault is None]


def within_limits(table: OptionsTable, limits: Limits) -> list[int]:
    """Return the rows of options tried that break no threshold; [] if there is no threshold."""
    if not limits.judged:
        return []
    return [i for i in options_tried(table) if not limits.broken(table.results[i])]


def most_useful(table: OptionsTable, rows: Iterable[int]) -> int | None:
    """Return the most useful of the given rows; None where no utility is known."""
    known = [i for i in rows if math.isfinite(table.utility[i])]
    return max(known, key=lambda i: float(table.utility[i]), default=None)


def _checked(name: str, limit: Any) -> float | None:
    """Check a threshold, and return it as a float; None for no threshold or infinity."""
    most = RISKS[limit_key(name)].most
    if limit is None:
        return None
    if isinstance(limit, bool) or not isinstance(limit, (int, float)) or math.isnan(limit):
        raise ConfigError(f"The threshold for {name} is {limit!r}; give a number.")
    if limit == math.inf:
        return None
    if not 0 <= limit <= most:
        span = "from 0 to 1, such as 0.1 for 10%" if most == 1 else "of 0 or more"
        raise ConfigError(f"The threshold for {name} is {limit:g}; give a number {span}.")
    return float(limit)

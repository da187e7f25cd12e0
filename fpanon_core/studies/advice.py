"""What would have to change for a more useful release? And what does each kind of release give?

Nothing here proposes to loosen a threshold; it says what each threshold costs.

Source: docs/science.md, “Purpose, recipient and advice”.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from ..model.disclosure import ALONE, RISKS
from ..model.options import Tables
from ..model.release_page import duration, length
from . import report_words as w
from .judgement import (
    KINDS,
    Limits,
    best_option,
    beyond,
    interval,
    kind_of,
    limit_key,
    most_useful,
    options_tried,
    serves,
    within_limits,
)
from .option_result import OptionResult
from .options_table import OptionsTable
from .release_facts import size
from .search import SearchedTable

ADVICE = ("threshold", "would have to be", "option", "utility", "areas", "windows")
"""Columns of :func:`advise`."""

_GAIN = 0.02  # less utility than this is no reason to look at another threshold
_DIGITS = 3


@dataclass(frozen=True)
class Rung:
    """A kind of release, on the ladder from the least revealing to the most.

    Attributes
    ----------
    kind : str
        Of :data:`.judgement.KINDS`.
    row : int or None
        Of the option that speaks for it: the recommended one, else the most useful within the
        limits, else the nearest to them; None where none was made.
    within : bool
        Whether that option is within all limits.
    serves : bool
        Whether it also reaches the utility needed.
    """

    kind: str
    row: int | None
    within: bool
    serves: bool


def ladder(table: OptionsTable, limits: Limits) -> list[Rung]:
    """The kinds of release, the least revealing first, each with one option.

    Parameters
    ----------
    table : OptionsTable
    limits : Limits
    """
    good, best = within_limits(table, limits), best_option(table, limits)
    serving = serves(table, good)
    rungs = []
    for kind in KINDS:
        mine = [i for i in options_tried(table) if kind_of(table.options[i]) == kind]
        inside = [i for i in mine if i in good]
        row = best if best in inside else most_useful(table, inside)
        if row is None:
            far = {i: beyond(table.results[i], limits) for i in mine}
            known = [i for i in mine if math.isfinite(far[i])]
            row = min(known, key=far.__getitem__, default=None)
        rungs.append(Rung(kind, row, row in good, row in serving))
    return rungs


def advise(
    table: OptionsTable,
    *,
    thresholds: Limits | Mapping[str, float | None] | None = None,
) -> pd.DataFrame:
    """What each threshold would have to be for the next more useful option to pass.

    All other thresholds stay as they are. What is more useful than what passes now by at least
    0.02 counts.

    Parameters
    ----------
    table : OptionsTable
    thresholds : Limits or mapping of str to float or None, optional
        By measure. Those of the search that made the table, else the usual ones, for None.

    Returns
    -------
    DataFrame
        One row per threshold that alone stands against a more useful option, the most useful
        first: ``threshold``, ``would have to be`` (rounded up, so that the option passes), the
        ``option`` by name, its ``utility``, its ``areas`` and time ``windows`` in words.

    Raises
    ------
    ConfigError
        A threshold is none.
    """
    limits = _limits(table, thresholds)
    most = most_useful(table, within_limits(table, limits))
    least = 0.0 if most is None else float(table.utility[most]) + _GAIN
    found: dict[str, tuple[float, int]] = {}
    for i in options_tried(table):
        result = table.results[i]
        against = {limit_key(risk) for risk in limits.broken(result)}
        if len(against) != 1 or not table.utility[i] >= least:
            continue
        (name,) = against
        needed = _needed(result, name)
        better = (needed, -float(table.utility[i]))
        if needed <= RISKS[name].most and better < _place(table, found.get(name)):
            found[name] = needed, i
    rows = [
        (name, needed, table.options[i].name, float(table.utility[i]), *coarse(table.results[i]))
        for name, (needed, i) in found.items()
    ]
    advice = pd.DataFrame(rows, columns=list(ADVICE))
    return advice.sort_values("utility", ascending=False, ignore_index=True, kind="stable")


def describe_advice(advice: pd.DataFrame) -> list[str]:
    """A sentence for each row of :func:`advise`.

    Examples
    --------
    >>> row = ("outsider", 0.09, "4 km · 2 h", 0.314, "4 km", "2 hours")
    >>> describe_advice(pd.DataFrame([row], columns=list(ADVICE)))
    ['If the threshold of re-identification risk were 9 %, “4 km · 2 h” would pass: utility 0.31.']
    """
    said = []
    for name, needed, option, useful, *_ in advice.itertuples(index=False):
        threshold = w.limit(Limits({name: needed}), name)
        said.append(
            f"If the threshold of {w.MEASURES[name].name} were {threshold}, “{w.shown(option)}” "
            f"would pass: utility {useful:.2f}."
        )
    return said


def _place(table: OptionsTable, known: tuple[float, int] | None) -> tuple[float, float]:
    return (math.inf, 0.0) if known is None else (known[0], -float(table.utility[known[1]]))


def _limits(table: OptionsTable, thresholds: Limits | Mapping[str, float | None] | None) -> Limits:
    if isinstance(thresholds, Limits):
        return thresholds
    if thresholds is not None:
        return Limits(thresholds)
    return table.limits if isinstance(table, SearchedTable) else Limits()


def _needed(result: OptionResult, name: str) -> float:
    """The least threshold, in thousandths, that an option stays within; NaN where not known."""
    risks = [risk for risk in (*RISKS, ALONE) if limit_key(risk) == name]
    beside = RISKS[name].beside_guessing
    guess = result.guessing.get(name, math.nan) if beside else 0.0
    highs = [interval(result, risk)[2] - guess for risk in risks]
    most = max((high for high in highs if not math.isnan(high)), default=math.nan)
    return math.nan if math.isnan(most) else math.ceil(most * 10**_DIGITS - 1e-9) / 10**_DIGITS


def coarse(result: OptionResult) -> tuple[str, str]:
    """How large the areas and time windows of what is published are, in words; or empty."""
    step = result.option.recordless
    if step is not None:
        frame = step.frame
        where = {
            "grid": f"squares of {length(frame.side_m)}",
            "hexagons": f"hexagons of resolution {frame.resolution}",
            "antennas": frame.column or _antennas(frame.antennas_an_area),
        }[frame.places]
        if not isinstance(step, Tables):
            return where, "minutes"
        return where, duration(1_440 / step.bands) if "presence" in step.CONTENTS else "days"
    here = size(result)
    if here is None:
        return "", ""
    return length(here.side_m), duration(here.span_min)


def _antennas(many: int) -> str:
    return "single antennas" if many == 1 else f"about {many} antennas"

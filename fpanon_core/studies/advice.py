"""Advice: what each threshold costs in utility, and the best option of each kind of release.

The module states what a looser threshold would allow, and never recommends one.

Source: docs/science.md, “Purpose, recipient and advice”.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from ..model.disclosure import RISKS
from ..model.options import Tables
from ..model.profiles import AntennaClusters
from ..model.release_page import duration, length
from . import judgement
from . import report_words as w
from .judgement import Limits, interval, kind_of, limit_key, options_tried, serves
from .option_result import OptionResult
from .options_table import OptionsTable
from .release_facts import size
from .search import SearchedTable

ADVICE = ("threshold", "would have to be", "option", "utility", "areas", "windows")
"""Columns of the table of :func:`advise`."""

LADDER = ("Kind of release", "Option", "Areas", "Windows", "Risk", "Utility", "Verdict")
"""Columns of the table of :func:`ladder_table`."""

UNCOVERED = (
    "The promise of ε does not cover a choice based on these figures: they come from the records. "
    "To keep the promise, state areas and days from public facts or earlier data, and choose ε "
    "before looking. Then make the release once."
)

_GAIN = 0.02  # a smaller gain in utility is no reason to consider another threshold
_THOUSANDTHS = 1_000


@dataclass(frozen=True)
class Rung:
    """A kind of release, and one option of this kind.

    Attributes
    ----------
    kind : str
        One of :data:`.judgement.KINDS`.
    row : int or None
        Row of the option. It is the best option of all (:func:`.judgement.best_option`) if the best
        is of this kind and within the thresholds. Otherwise, it is the most useful option of this
        kind within the thresholds or, if there is none, the one nearest to the thresholds. None if
        no option of this kind could be made, or if each has an unknown risk for which there is a
        threshold.
    within : bool
        Whether that option is within all thresholds.
    serves : bool
        Whether that option also serves the purpose (:func:`.judgement.serves`).
    """

    kind: str
    row: int | None
    within: bool
    serves: bool


def ladder(table: OptionsTable, limits: Limits) -> list[Rung]:
    """Return the kinds of release, the least revealing first, each with at most one option.

    Parameters
    ----------
    table : OptionsTable
    limits : Limits
    """
    good, best = judgement.within_limits(table, limits), judgement.best_option(table, limits)
    serving = serves(table, good)
    rungs = []
    for kind in judgement.KINDS:
        mine = [i for i in options_tried(table) if kind_of(table.options[i]) == kind]
        inside = [i for i in mine if i in good]
        row = best if best in inside else judgement.most_useful(table, inside)
        if row is None:
            row = judgement.nearest(table, mine, limits)
        rungs.append(Rung(kind, row, row in good, row in serving))
    return rungs


def ladder_table(table: OptionsTable, limits: Limits) -> pd.DataFrame:
    """Return a table in words with one row per kind of release, the least revealing first."""
    rows = []
    for rung in ladder(table, limits):
        if rung.row is None:
            tried = any(kind_of(option) == rung.kind and option.steps for option in table.options)
            none = "none could be judged" if tried else "not tried"
            rows.append((rung.kind.capitalize(), none, *5 * ("",)))
            continue
        result = table.results[rung.row]
        told = "serves the purpose" if rung.serves else "within the thresholds, less useful"
        if rung.serves and w.little_use(result):
            told = "serves, perhaps of little use"
        if rung.within and not rung.serves and judgement.some_alone(result):
            told = "within the thresholds, unique records"
        if not limits.judged:
            told = "no threshold is set"
        elif not rung.within:
            broken = limits.broken(result)
            sure = [risk for risk in broken if limits.surely_over(result, risk)]
            parts = {"over": sure, "may be over": [risk for risk in broken if risk not in sure]}
            told = "; ".join(
                f"{how}: {', '.join(w.MEASURES[risk].short for risk in risks)}"
                for how, risks in parts.items()
                if risks
            )
        elif not rung.serves and (lost := judgement.needs_lost(table, rung.row)):
            told = f"within the thresholds, but too little of {w.components(lost)}"
        useful = w.describe_utility(table.choice, result)
        if result.option.recordless is not None and result.option.epsilon is None:
            told += "; no noise protects"
        name = w.shown(result.option.name)
        risk = "outsider" if result.option.recordless is None else "membership"
        found = f"{w.MEASURES[risk].short} {w.value(result.risk(risk)[0], risk)}"
        if (most := limits.allowed(result, risk)) is not None:
            found += f" (threshold {100 * most:.3g}%)"
        rows.append((rung.kind.capitalize(), name, *_coarse(result), found, useful, told))
    return pd.DataFrame(rows, columns=list(LADDER))


def describe_promise(result: OptionResult) -> str:
    """Say what the ε of a recommended option does not cover; return "" for one without ε."""
    return "" if result.option.epsilon is None else UNCOVERED


def advise(
    table: OptionsTable, *, thresholds: Limits | Mapping[str, float | None] | None = None
) -> pd.DataFrame:
    """Return how far each threshold would have to rise for a more useful option to pass.

    All other thresholds stay as they are. An option counts if its utility is at least 0.02 above
    that of every option that passes now.

    Parameters
    ----------
    table : OptionsTable
    thresholds : Limits or mapping of str to float or None, optional
        Thresholds by measure. If None, those of the search that made the table; for a table that
        was not made by a search, the usual ones.

    Returns
    -------
    DataFrame
        One row per threshold that is the only one to exclude a more useful option, the most useful
        option first. Columns: ``threshold``, ``would have to be`` (rounded up, so that the option
        passes), the ``option`` by name, its ``utility``, its ``areas`` and time ``windows`` in
        words.

    Raises
    ------
    ConfigError
        As :class:`.judgement.Limits`.
    """
    if thresholds is None:
        thresholds = table.limits if isinstance(table, SearchedTable) else Limits()
    limits = thresholds if isinstance(thresholds, Limits) else Limits(thresholds)
    most = judgement.most_useful(table, judgement.within_limits(table, limits))
    least = 0.0 if most is None else float(table.utility[most]) + _GAIN
    found: dict[str, tuple[float, float, int]] = {}
    for i in options_tried(table):
        result = table.results[i]
        against = {limit_key(risk) for risk in limits.broken(result)}
        if len(against) != 1 or not table.utility[i] >= least:
            continue
        (name,) = against
        needed = _needed(result, name)
        better = (needed, -float(table.utility[i]), i)
        if needed <= RISKS[name].most and better < found.get(name, (math.inf,)):
            found[name] = better
    rows = [
        (name, needed, table.options[i].name, float(table.utility[i]), *_coarse(table.results[i]))
        for name, (needed, _, i) in found.items()
    ]
    advice = pd.DataFrame(rows, columns=list(ADVICE))
    return advice.sort_values("utility", ascending=False, ignore_index=True, kind="stable")


def describe_advice(advice: pd.DataFrame) -> list[str]:
    """Return a sentence for each row of :func:`advise`.

    Examples
    --------
    >>> row = ("outsider", 0.09, "4 km · 2 h", 0.314, "4 km", "2 hours")
    >>> describe_advice(pd.DataFrame([row], columns=list(ADVICE)))
    ['If the threshold for re-identification risk were 9%, “4 km · 2 h” would pass, with a utility \
of 0.31.']
    """
    said = []
    for name, needed, option, useful, *_ in advice.itertuples(index=False):
        threshold = w.limit(Limits({name: needed}), name)
        said.append(
            f"If the threshold for {w.MEASURES[name].name} were {threshold}, “{w.shown(option)}” "
            f"would pass, with a utility of {useful:.2f}."
        )
    return said


def _needed(result: OptionResult, name: str) -> float:
    """Return the lowest threshold at which an option passes; NaN where its risk is not known.

    The threshold is rounded up to whole thousandths.
    """
    risks = [r for r in judgement.JUDGED if limit_key(r) == name and judgement.asked_of(result, r)]
    guess = result.guessing.get(name, math.nan) if RISKS[name].beside_guessing else 0.0
    highs = [interval(result, risk)[2] - guess for risk in risks]
    if any(map(math.isnan, highs)):
        return math.nan
    return math.ceil(max(highs) * _THOUSANDTHS - 1e-9) / _THOUSANDTHS


def _coarse(result: OptionResult) -> tuple[str, str]:
    """Return the sizes of the published areas and time windows, in words; ("", "") if not known."""
    step = result.option.recordless
    if step is not None:
        frame = step.frame
        where = {
            "grid": f"squares of {length(frame.side_m)}",
            "hexagons": f"hexagons of resolution {frame.resolution}",
            "antennas": frame.column or str(AntennaClusters(frame.antennas_an_area)),
        }[frame.places]
        # Within the hour, the times of synthetic people are drawn at random, not learnt.
        bands = step.bands if isinstance(step, Tables) else 24
        return where, "days" if result.hourless else duration(1_440 / bands)
    here = size(result)
    if here is None:
        return "", ""
    return length(here.side_m), duration(here.span_min)

"""Tables of the options for the screen: one with the main figures, and one with all figures."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from fpanon_core.io.hints import for_screen
from fpanon_core.studies.judgement import asked_of, interval
from fpanon_core.studies.options_table import OptionsTable
from fpanon_core.studies.presets import PublishedUnicity
from fpanon_core.studies.report_words import COMPONENTS, component, utility
from fpanon_core.studies.report_words import MEASURES as NAMES
from pages.charts import words
from pages.charts.pareto import Dot
from pages.options.story import MEASURES, Criteria, alone_text, risk_cell, risk_text, title

BESIDE = {"outsider": "Re-identified", "home": "Home"}
"""Measures in the table of main figures, by name, with the titles of their columns.

If another measure is chosen, it takes the place of the first."""
COLUMNS_TOLD = (
    "Fails: the threshold, or the number of thresholds, that the option exceeds or may exceed, "
    "judged by the upper end of the interval. Re-identified: the share of people whom the "
    "strongest attacker picks. Home: the share of homes found to within 1 km, with guessing in "
    "brackets. Guessing names one home for everybody; for options without records, it is the same "
    "attack on data without the person. Unique: people with a unique record. “All figures of each "
    "option” has the intervals, the thresholds that each option exceeds, and all other figures."
)


def shown(table: OptionsTable, found: Sequence[Dot], criteria: Criteria) -> pd.DataFrame:
    """Return a table of the main figures, one row per option, narrow enough to see at once.

    An option within the threshold of one measure may be far above the threshold of another. So
    every row shows the main measures of risk, and how many thresholds the option exceeds or may
    exceed. The recommended option comes first, then those within the thresholds, the most useful
    first.
    """
    rows = []
    beside, limits = dict(BESIDE), criteria.limits
    if criteria.risk not in beside:  # the re-identification risk gives way to it
        beside = {criteria.risk: title(criteria.risk), **beside}
        del beside["outsider"]
    for dot, result in zip(found, table.results, strict=True):
        row: dict[str, object] = {"No.": dot.number, "Option": result.option.name}
        if limits.judged:
            asked = sum(asked_of(result, risk) for risk in limits.judged)
            row["Fails"] = _over(limits.broken(result), asked)
        for risk, head in beside.items():
            row[head] = risk_text(interval(result, risk)[0], risk)
            if risk == "home" and "home" in result.guessing:
                row[head] = f"{row[head]} ({risk_text(result.guessing['home'], risk)})"
        row["Unique"] = alone_text(result)
        row["Utility"] = round(dot.utility, 6)  # rounded once, for the screen, as in sentences
        rows.append(row)
    # Options that may be chosen come first, the most useful on top.
    ranks = [(not d.best, d.unsafe, -np.nan_to_num(d.utility, nan=-1.0), d.number) for d in found]
    return pd.DataFrame([rows[i] for i in sorted(range(len(rows)), key=ranks.__getitem__)])


def _over(risks: Sequence[str], judged: int) -> str:
    """Return how many thresholds are exceeded or, if only one is, the first word of its name."""
    if len(risks) == 1:
        return NAMES[risks[0]].short.split()[0]
    return f"{len(risks)} of {judged}" if risks else "none"


def whole(table: OptionsTable, found: Sequence[Dot], criteria: Criteria) -> pd.DataFrame:
    """Return a table with one row per option and all its figures."""
    rows = []
    limits = criteria.limits
    for dot, result in zip(found, table.results, strict=True):
        i = dot.number - 1
        sure = limits.surely_over(result, criteria.risk)
        row: dict[str, object] = {
            "No.": dot.number,
            "Option": result.option.name,
            "What is done": result.option.text,
        }
        if criteria.limit is not None:
            row["Within the threshold"] = ("no" if sure else "perhaps not") if dot.unsafe else "yes"
        row |= {
            "Over the threshold of": ", ".join(NAMES[r].name for r in limits.broken(result)),
            **{title(risk): risk_cell(result, risk) for risk in MEASURES},
            "Unique records": alone_text(result),
            "Share a record": f"{result.crowd_least:,} or more",
            "Beaten by none": _place(table, i),
            "Beaten by": ", ".join(str(j + 1) for j in table.dominated_by[i]),
            "Level with": ", ".join(str(j + 1) for j in table.level_with[i]),
            **{head: component(result.components[n]) for n, (head, _) in COMPONENTS.items()},
            "Utility (range)": utility(table.choice, result),
            "People": f"{result.n_users:,}",
            "Samples": f"{result.n_samples:,}",
            "Samples left out": words.percent(result.suppressed_share),
            f"Fewer than {table.config.p} points": f"{result.too_few:,} of {result.n_targets:,}",
        }
        if result.unasked:
            row["Not known, and why"] = " ".join(for_screen(why) for why in result.unasked.values())
        rows.append(row)
    return pd.DataFrame(rows)


def published(figures: Sequence[PublishedUnicity]) -> pd.DataFrame:
    """Return published shares of unique people as a table, with places down and windows across."""
    frame = pd.DataFrame(
        [(f.region, words.duration(f.window_min), f.text) for f in figures],
        columns=["Places", "Window", "Unicity"],
    )
    wide = frame.pivot(index="Places", columns="Window", values="Unicity")
    return wide.loc[frame["Places"].unique(), frame["Window"].unique()]


def _place(table: OptionsTable, i: int) -> str:
    """Say whether an option is on the front: "yes", "no", "level" or "not scored"."""
    if not math.isfinite(table.utility[i]):
        return "not scored"
    if not table.front[i]:
        return "no"
    return "yes" if table.estimated_front[i] else "level"

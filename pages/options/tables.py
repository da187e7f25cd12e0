"""The options in tables for the screen: first what an officer asks first, then everything."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from fpanon_core.io.hints import for_screen
from fpanon_core.model.arrays import IntArray
from fpanon_core.model.disclosure import ALONE, PLAIN
from fpanon_core.studies.judgement import interval
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.options_table import OptionsTable
from fpanon_core.studies.presets import PublishedUnicity
from fpanon_core.studies.report_words import component, describe_sum, utility
from pages.charts import words
from pages.charts.pareto import Dot
from pages.options.criteria import COMPONENTS, RISKS, Criteria
from pages.options.numbers import alone_text, risk_text
from pages.options.verdict import over_limits, surely_over


def shown(table: OptionsTable, found: Sequence[Dot], criteria: Criteria) -> pd.DataFrame:
    """One row per option: what an officer asks first, narrow enough to be seen at once.

    Within the limit of one measure an option may be far over that of another: so what finds people
    stands in every row, and how many limits it breaks.
    """
    rows = []
    beside = dict(BESIDE)
    if criteria.risk not in beside:  # the chances of naming whose larger it is stay
        beside = {criteria.risk: RISKS[criteria.risk], **beside}
        del beside["outsider"]
    for dot, result in zip(found, table.results, strict=True):
        i = dot.number - 1
        row: dict[str, object] = {"No.": dot.number, "Option": result.option.name}
        if limits := len(criteria.limited):
            row["Over limits"] = f"{len(over_limits(result, criteria)) or 'none'} of {limits}"
        row["Alone"] = alone_text(result)
        for risk, title in beside.items():
            row[title] = risk_text(interval(result, risk)[0], risk)
            if risk == "home" and "home" in result.guessing:
                row[title] = f"{row[title]} ({risk_text(result.guessing['home'], risk)})"
        row["Utility"] = round(dot.utility, 6)  # rounded once, for the screen, as in sentences
        row["On the front"] = place(table, i)
        rows.append(row)
    return pd.DataFrame(rows)


BESIDE = {
    "outsider": "Re-identified",
    "linkage": "Linkage",
    "k": "k-disclosure",
    "home": "Home (guessing)",
}
"""Measures that stand in every row of the first table, with the heads of their columns."""


def whole(table: OptionsTable, found: Sequence[Dot], criteria: Criteria) -> pd.DataFrame:
    """One row per option, with all else that is known of it."""
    rows = []
    recipes = any(option.name != option.text for option in table.options)
    suppressing = any(result.suppressed_share > 0 for result in table.results)
    for dot, result in zip(found, table.results, strict=True):
        i = dot.number - 1
        row: dict[str, object] = {"No.": dot.number, "Option": result.option.name}
        if recipes:
            row["What is done"] = result.option.text
        row |= {
            RISKS[criteria.risk]: risk_text(dot.risk, criteria.risk),
            "95 % interval": f"{risk_text(dot.low, criteria.risk)} – "
            f"{risk_text(dot.high, criteria.risk)}",
        }
        if criteria.limit is not None:
            row["Within the limit"] = _within(result, criteria, dot)
        row["Over the limit of"] = ", ".join(_short(r) for r in over_limits(result, criteria))
        row |= {
            title: risk_text(interval(result, risk)[0], risk)
            for risk, title in RISKS.items()
            if risk != criteria.risk
        }
        row |= {
            "Homes by guessing": risk_text(result.guessing.get("home"), "home"),
            "Share a record": f"{result.crowd_least:,} or more",
            "Dominated by": _numbers(table.dominated_by[i]),
            "Level with": _numbers(table.level_with[i]),
        }
        if suppressing:
            row["Samples left out"] = words.percent(result.suppressed_share)
        row |= {
            title.capitalize(): component(result.components[n]) for n, title in COMPONENTS.items()
        }
        row |= {
            "Utility (range)": utility(table.choice, result),
            "Users": result.n_users,
            "Samples": result.n_samples,
            f"Fewer than {table.config.p} points": f"{result.too_few:,} of {result.n_targets:,}",
        }
        if result.unasked:
            row["Not known, and why"] = " ".join(for_screen(why) for why in result.unasked.values())
        rows.append(row)
    return pd.DataFrame(rows)


def compared(table: OptionsTable, rows: Sequence[int]) -> pd.DataFrame:
    """A column for each pinned option, a row for each number."""
    columns = {}
    for i in rows:
        result = table.results[i]
        column = {
            "What is done": result.option.text,
            "Users": f"{result.n_users:,}",
            "Samples": f"{result.n_samples:,}",
            "Samples left out": words.percent(result.suppressed_share),
            "Alone with their record": alone_text(result),
            "Share a record, at least": f"{result.crowd_least:,}",
        }
        for name, title in RISKS.items():
            value, low, high = result.risk(name)
            guessed = result.guessing.get(name)
            column[title] = (
                f"{risk_text(value, name)} ({risk_text(low, name)} – {risk_text(high, name)})"
                + ("" if guessed is None else f", guessing {risk_text(guessed, name)}")
                + ("" if name not in PLAIN else f", {describe_sum(value, name, result.option)}")
                if math.isfinite(value)
                else "not known"
            )
        for name, title in COMPONENTS.items():
            column[f"Utility: {title}"] = component(result.components[name])
        column["Utility, weighted"] = utility(table.choice, result)
        column["On the front"] = place(table, i)
        columns[result.option.name] = column
    return pd.DataFrame(columns)


def published(figures: Sequence[PublishedUnicity]) -> pd.DataFrame:
    """Places by time windows, as Noriega Campero 2015 has them."""
    frame = pd.DataFrame(
        [(f.region, words.duration(f.window_min), f.text) for f in figures],
        columns=["Places", "Window", "Unicity"],
    )
    wide = frame.pivot(index="Places", columns="Window", values="Unicity")
    return wide.loc[frame["Places"].unique(), frame["Window"].unique()]


def _within(result: OptionResult, criteria: Criteria, dot: Dot) -> str:
    if not dot.unsafe:
        return "yes"
    return "no" if surely_over(result, criteria.risk, criteria) else "perhaps not"


def place(table: OptionsTable, i: int) -> str:
    """Whether an option is on the front."""
    if not math.isfinite(table.utility[i]):
        return "not scored"
    if not table.front[i]:
        return "no"
    return "yes" if table.estimated_front[i] else "level"


def _numbers(rows: IntArray) -> str:
    return ", ".join(str(j + 1) for j in rows.tolist())


def _short(risk: str) -> str:
    """A measure in a table's cell."""
    return {ALONE: "people alone", "outsider": "re-identification risk", "home": "homes"}.get(
        risk, RISKS.get(risk, risk).removesuffix("-disclosure")
    )


COLUMNS_TOLD = (
    "Over limits: surely or perhaps, by the upper ends of the intervals. Alone: people whose "
    "record is like nobody else's. Re-identified: by the strongest attacker. "
    "Home: found within 1 km, and what guessing finds. Intervals, which limits, all else: below."
)

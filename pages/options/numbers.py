"""Risks and shares as this page writes them: in a sentence, a cell, or for the mouse."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fpanon_core.model.disclosure import RISKS as USUAL
from fpanon_core.studies.judgement import interval
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.options_table import OptionsTable
from fpanon_core.studies.report_words import describe_sum, homes_asked
from pages.charts import words
from pages.options.criteria import SHARES


def risk_text(value: float | None, risk: str) -> str:
    """A risk by a measure, as it is shown."""
    if value is None or value != value:
        return "–"
    return words.percent(value) if risk in SHARES else f"{value:.3g}"


def limit_text(limit: float | None, risk: str) -> str:
    """A limit by a measure, as it is shown."""
    if limit is None:
        return "no limit"
    if risk in USUAL and USUAL[risk].beside_guessing:
        return f"{100 * limit:g} % more than guessing"
    return f"{100 * limit:g} %" if risk in SHARES else f"{limit:g}"


def estimate(table: OptionsTable, i: int, risk: str) -> str:
    """An option's risk by a measure, with the upper end where that says more."""
    if risk in USUAL and USUAL[risk].beside_guessing:
        return beside_guessing(table.results[i], risk)
    value, _, high = interval(table.results[i], risk)
    if not math.isfinite(value):
        return "not known"
    shown, upper = risk_text(value, risk), risk_text(high, risk)
    unit = {"em": " bins", "kl": " nats"}.get(risk, "")
    beside = "" if shown == upper else f"up to {upper}"
    plain = describe_sum(value, risk, table.options[i])
    inside = "; ".join(filter(None, (beside, plain)))
    return f"{shown}{unit} ({inside})" if inside else f"{shown}{unit}"


def beside_guessing(result: OptionResult, risk: str) -> str:
    """Such as "62 % (up to 64 %; guessing 2.5 %)"; of homes, also of how many they are asked."""
    value, _, high = interval(result, risk)
    if not math.isfinite(value):
        return "not known"
    shown, upper = risk_text(value, risk), risk_text(high, risk)
    upper = "" if shown == upper else f"up to {upper}; "
    if risk == "home" and (asked := homes_asked(result)):
        upper = f"of {asked}; {upper}"
    return f"{shown} ({upper}guessing {risk_text(result.guessing.get(risk), risk)})"


def alone_text(result: OptionResult) -> str:
    """How many people, and of all: "22 (22 %)"."""
    if not result.alone:
        return "0"
    return f"{result.alone:,} ({words.percent(result.alone_share, result.n_users)})"


def listed(names: Sequence[str]) -> str:
    """Such as "a, b and c"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def some(names: Sequence[str]) -> str:
    """The first two, quoted, and how many more there are."""
    shown = ", ".join(f"“{name}”" for name in names[:2])
    return shown + (f" and {len(names) - 2} more" if len(names) > 2 else "")


def first_up(text: str) -> str:
    """As a sentence begins."""
    return text[0].upper() + text[1:]

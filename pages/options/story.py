"""What the front says, in dots, words and tables."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

import pandas as pd

from fpanon_core.io.hints import for_screen
from fpanon_core.model.arrays import FloatArray
from fpanon_core.model.configs import KnowledgeConfig
from fpanon_core.model.options import ReleaseOption
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.options_table import OptionsTable
from fpanon_core.studies.presets import PublishedUnicity
from pages.charts import words
from pages.charts.pareto import Dot
from pages.options.criteria import COMPONENTS, RISKS, Criteria


def dots(table: OptionsTable, criteria: Criteria, pinned: Sequence[str]) -> list[Dot]:
    """The options as the figure draws them, numbered from 1."""
    found = []
    for i, result in enumerate(table.results):
        name = result.option.name
        by = [table.results[j].option.name for j in table.dominated_by[i].tolist()]
        told = "on the front" if table.front[i] else f"dominated by {_some(by)}"
        told = told if math.isfinite(table.utility[i]) else "nobody scored it"
        unsafe = criteria.limit is not None and bool(table.risk[i] > criteria.limit)
        found.append(
            Dot(i + 1, name, float(table.risk[i]), float(table.risk_low[i]),
                float(table.risk_high[i]), float(table.utility[i]), bool(table.front[i]), unsafe,
                told + (", above the limit" if unsafe else ""), name in pinned)
        )  # fmt: skip
    return found


def told(table: OptionsTable, found: Sequence[Dot], criteria: Criteria) -> list[str]:
    """What this means: the front, what is safe, and one dominated option explained."""
    found = [dot for dot in found if math.isfinite(dot.utility)]
    if not found:
        return ["Nobody scored any of the options that are explored so far."]
    front = [d for d in found if d.front]
    told = [
        f"{len(front)} of {words.count(len(found), 'option')} "
        f"{'is' if len(front) == 1 else 'are'} on the front: whoever wants less risk than one of "
        "them must give up utility."
    ]
    if criteria.limit is not None:
        safe = [d for d in front if not d.unsafe]
        if safe:
            best = max(safe, key=lambda d: d.utility)
            told.append(
                f"Within the limit, “{words.plain(best.name)}” is the most useful: risk "
                f"{risk_text(best.risk, criteria)}, {criteria.utility_told} {best.utility:.2f}."
            )
        else:
            told.append("No option is within the limit: generalize more, or hide people by GLOVE.")
    if criteria.risk in ("em", "kl"):
        told.append(
            "EM and KL are means over all bins of the release: finer data have many more bins, "
            "almost all of them empty for everybody, and so score lower though people are easier "
            "to find. Compare forms of like resolution by them, and look at unicity, too."
        )
    worse = [d for d in found if not d.front]
    if worse:
        told.append(_explained(table, {d.number: d for d in found}, worse, criteria))
    else:
        told.append("No option is dominated.")
    return told


def _explained(
    table: OptionsTable, found: dict[int, Dot], worse: Sequence[Dot], criteria: Criteria
) -> str:
    """The dominated option that loses the most utility to another, in words."""

    def loss(dot: Dot) -> float:
        better = table.utility[table.dominated_by[dot.number - 1]]
        return float(better.max()) - dot.utility

    one = max(worse, key=loss)
    better = max(
        (found[j + 1] for j in table.dominated_by[one.number - 1]), key=lambda d: d.utility
    )
    mine, less = (risk_text(dot.risk, criteria) for dot in (one, better))
    same_risk = better.risk == one.risk
    risk = f"the same risk ({mine})" if same_risk else f"less risk ({less} against {mine})"
    gain = (
        f"the same utility ({one.utility:.2f})"
        if better.utility == one.utility
        else f"more utility ({better.utility:.2f} against {one.utility:.2f})"
    )
    return (
        f"{len(worse)} {'is' if len(worse) == 1 else 'are'} dominated: “{words.plain(one.name)}”, "
        f"for one, by “{words.plain(better.name)}”, which has {risk} and {gain}."
    )


def shown(table: OptionsTable, found: Sequence[Dot], criteria: Criteria) -> pd.DataFrame:
    """One row per option, for the screen."""
    rows = []
    for dot, result in zip(found, table.results, strict=True):
        by = [str(j + 1) for j in table.dominated_by[dot.number - 1].tolist()]
        row = {
            "No.": dot.number,
            "Option": dot.name,
            "On the front": "yes" if dot.front else "no" if by else "not scored",
            "Dominated by": ", ".join(by),
            RISKS[criteria.risk]: risk_text(dot.risk, criteria),
            "95 % interval": f"{risk_text(dot.low, criteria)} – {risk_text(dot.high, criteria)}",
            "Utility": round(dot.utility, 3),
        }
        if criteria.limit is not None:
            row["Within the limit"] = "no" if dot.unsafe else "yes"
        row |= {
            title.capitalize(): round(result.components[n], 3) for n, title in COMPONENTS.items()
        }
        row |= {"Users": result.n_users, "Samples": result.n_samples}
        rows.append(row)
    return pd.DataFrame(rows)


def outsider_told(known: KnowledgeConfig) -> str:
    """What the outsider is assumed to know of a release."""
    return (
        f"For every option, {known.users:,} of its users at most are drawn, and {known.p} random "
        "points of each, as they are published: the outsider knows what the release shows. That is "
        "the cautious reading where noise or exchange has made the release untrue. A risk "
        "is of those who are in the release; a sample of users lowers nobody's risk who is in it."
    )


def fault_told(result: OptionResult) -> str:
    """Why an option has no figures."""
    assert result.fault is not None
    name = words.plain(result.option.name)
    return f"**{name}** could not be made: {for_screen(result.fault)}"


def chosen_told(name: str, why: str, dot: Dot | None, criteria: Criteria) -> str:
    """The choice that stands; ``dot`` is what it is in the figure, if it is there."""
    told = f"**Chosen: {words.plain(name)}.** " + (words.plain(why) or "No reason is given yet.")
    if dot is not None and dot.unsafe:
        limit = risk_text(criteria.limit, criteria)
        return f"{told}  \nIts risk is above the limit of {limit}."
    if dot is not None and not dot.front:
        return f"{told}  \nIt is {words.plain(dot.told)}."
    return told


def gaps_told(name: str, gaps: FloatArray) -> str:
    """How many of a release hide already, in a sentence."""
    alike = int((gaps == 0).sum())
    return (
        f"In “{words.plain(name)}”, {words.share(alike, len(gaps))} "
        f"{'has' if alike <= 1 else 'have'} a record that somebody else has, too."
    )


def compared(table: OptionsTable, rows: Sequence[int]) -> pd.DataFrame:
    """A column for each pinned option, a row for each number."""
    columns = {}
    for i in rows:
        result = table.results[i]
        column = {"Users": f"{result.n_users:,}", "Samples": f"{result.n_samples:,}"}
        for name, title in RISKS.items():
            value, low, high = result.risks[name]
            column[title] = (
                f"{words.percent(value)} ({words.percent(low)} – {words.percent(high)})"
                if name == "unicity"
                else f"{value:.3g} ({low:.3g} – {high:.3g})"
            )
        for name, title in COMPONENTS.items():
            column[f"Utility: {title}"] = f"{result.components[name]:.2f}"
        column["Utility, weighted"] = f"{table.utility[i]:.2f}"
        column["On the front"] = "yes" if table.front[i] else "no"
        columns[result.option.name] = column
    return pd.DataFrame(columns)


def published(figures: Sequence[PublishedUnicity]) -> pd.DataFrame:
    """Places by time windows, as Noriega Campero 2015 has them."""
    frame = pd.DataFrame([(f.region, words.duration(f.window_min), f.text) for f in figures],
                         columns=["Places", "Window", "Unicity"])  # fmt: skip
    wide = frame.pivot(index="Places", columns="Window", values="Unicity")
    return wide.loc[frame["Places"].unique(), frame["Window"].unique()]


def recipe(options: Sequence[ReleaseOption]) -> bytes:
    """The options as the command line reads them."""
    return json.dumps([option.to_dict() for option in options], indent=2).encode()


def risk_text(value: float | None, criteria: Criteria) -> str:
    """A risk, or its limit, as it is shown."""
    if value is None or value != value:
        return "–"
    return words.percent(value) if criteria.percent else f"{value:.3g}"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(f"“{name}”" for name in names[:2])
    return shown + (f" and {len(names) - 2} more" if len(names) > 2 else "")

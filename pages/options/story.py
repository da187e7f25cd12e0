"""What the front says, in dots, words and tables."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

import pandas as pd

from fpanon_core.io.hints import for_screen
from fpanon_core.model.arrays import FloatArray, IntArray
from fpanon_core.model.configs import KnowledgeConfig, Strategy
from fpanon_core.model.options import ReleaseOption
from fpanon_core.model.risk import ALONE
from fpanon_core.model.techniques import Periods
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.options_table import OptionsTable
from fpanon_core.studies.presets import PublishedUnicity
from pages.charts import words
from pages.charts.pareto import Dot
from pages.charts.plain import MESSAGE_LENGTH, plain
from pages.options.criteria import COMPONENTS, RISKS, SPOKEN, Criteria, interval

_DRAWN: dict[Strategy, str] = {
    "uniform": ", any of the person's rows alike",
    "random": ", drawn from the interactions, so that busy places and times are likelier; the "
    "lesser ones, which tell people apart, are known less often than in a draw of all rows alike",
    "top": ", the most visited places, without times",
    "consecutive": ", which follow one another",
}


def dots(table: OptionsTable, criteria: Criteria, pinned: Sequence[str]) -> list[Dot]:
    """The options as the figure draws them, numbered from 1."""
    unsafe = _unsafe(table, criteria.limit)
    found = []
    for i, result in enumerate(table.results):
        behind = bool(table.front[i] and not table.estimated_front[i])
        told = [
            "on the front" if table.front[i] else f"dominated by {_some(_names(table, i))}",
            _level_told(table, i),
            _limit_told(result, criteria) if unsafe[i] else "",
        ]
        if not math.isfinite(table.utility[i]):
            told = ["nobody scored it"]
        found.append(
            Dot(i + 1, result.option.told, float(table.risk[i]), float(table.risk_low[i]),
                float(table.risk_high[i]), float(table.utility[i]), bool(table.front[i]),
                bool(unsafe[i]), f"{', '.join(filter(None, told))}<br>{naming_told(result)}",
                result.option.name in pinned, behind)
        )  # fmt: skip
    return found


def _unsafe(table: OptionsTable, limit: float | None) -> list[bool]:
    return [bool(above) for above in table.unsafe(math.inf if limit is None else limit)]


def _limit_told(result: OptionResult, criteria: Criteria) -> str:
    """Whether a risk that is not surely within the limit is surely above it."""
    sure = surely_over(result, criteria.risk, criteria)
    return "is above the limit" if sure else "may be above the limit"


def _names(table: OptionsTable, i: int) -> list[str]:
    return [table.options[j].name for j in table.dominated_by[i].tolist()]


def _level_told(table: OptionsTable, i: int) -> str:
    level = [table.options[j].name for j in table.level_with[i].tolist()]
    return f"level with {_some(level)}" if level else ""


def naming_told(result: OptionResult) -> str:
    """The chance of naming somebody, and how many share a record, in a line."""
    value, _, high = result.risks["k"]
    told = f"chance of naming {value:.3g} on average"
    if result.crowd_least > 1:
        return f"{told}, at most 1/{result.crowd_least:,}: so many share each record"
    return f"{told} (95 %: up to {high:.3g})"


def told(table: OptionsTable, found: Sequence[Dot], criteria: Criteria) -> list[str]:
    """What this means: the front, what is within the limits, and one dominated option explained."""
    scored = [dot for dot in found if math.isfinite(dot.utility)]
    if not scored:
        return ["Nobody scored any of the options that are explored so far."]
    front = [d for d in scored if d.front]
    told = verdict(table, criteria)
    told += turned(table, criteria)
    told.append(
        f"\n\n{len(front)} of {words.count(len(scored), 'option')} "
        f"{'is' if len(front) == 1 else 'are'} on the front: no other is surely better in both."
    )
    if behind := sum(d.behind for d in front):
        told.append(
            f"{behind} of them {'is' if behind == 1 else 'are'} level with another: which of the "
            "two has less risk, the 95 % intervals leave open."
        )
    worse = [d for d in scored if not d.front]
    told.append(
        _explained(table, {d.number: d for d in scored}, worse, criteria)
        if worse
        else "No option is dominated."
    )
    return told


# --- the verdict, never by one measure alone ---


def verdict(table: OptionsTable, criteria: Criteria) -> list[str]:
    """The most useful option within the limit, what other measures say of it, and within all."""
    if criteria.limit is None:
        return []
    name, limit = SPOKEN[criteria.risk], limit_text(criteria.limit, criteria.risk)
    best = _most_useful(table, [criteria.risk], criteria)
    if best is None:
        return [
            f"By {name} no option is within the limit of {limit}: generalize more, or hide more "
            "people together."
        ]
    option = table.options[best]
    told = [
        f"By {name} alone, “{plain(option.told)}” is the most useful within the limit of "
        f"{limit}: {name} {_estimate(table, best, criteria.risk)}, {criteria.utility_told} "
        f"{table.utility[best]:.2f}."
    ]
    told += alone_told(table.results[best]) + shared_told(table.results[best])
    others = [risk for risk in criteria.limited if risk != criteria.risk]
    over = [r for r in others if over_limit(table.results[best], r, criteria)]
    if over:
        listed = "; by ".join(
            f"{SPOKEN[r]} {_estimate(table, best, r)}, limit {limit_text(criteria.limit_of(r), r)}"
            for r in over
        )
        told.append(f"But other measures put it over their limits: by {listed}.")
    every = [criteria.risk, *others]
    if not others:
        return told
    all_of = f"all {len(every)} limits"
    within = _most_useful(table, every, criteria)
    if within is None:
        told.append(f"No option is within {all_of}.")
    elif within == best:
        told.append(f"It is within {all_of}.")
    else:
        told.append(
            f"Within {all_of}, “{plain(table.options[within].told)}” is the most useful: "
            f"{criteria.utility_told} {table.utility[within]:.2f}."
        )
        told += alone_told(table.results[within], again=bool(alone_told(table.results[best])))
    return told


def _most_useful(table: OptionsTable, risks: Sequence[str], criteria: Criteria) -> int | None:
    """Row of the option with the most utility of those within the limits of some measures."""
    within = [
        i
        for i, result in enumerate(table.results)
        if math.isfinite(table.utility[i])
        and not any(over_limit(result, risk, criteria) for risk in risks)
    ]
    return max(within, key=lambda i: float(table.utility[i]), default=None)


def over_limit(result: OptionResult, risk: str, criteria: Criteria) -> bool:
    """Whether an option's risk may be above the limit, by the upper end; what is unknown may."""
    limit = criteria.limit_of(risk)
    return limit is not None and not interval(result, risk)[2] <= limit


def surely_over(result: OptionResult, risk: str, criteria: Criteria) -> bool:
    """Whether it is above the limit even by the lower end of its interval."""
    limit = criteria.limit_of(risk)
    return limit is not None and interval(result, risk)[1] > limit


def broken(result: OptionResult, criteria: Criteria) -> list[str]:
    """What an option is over the limit of, or may be."""
    return [SPOKEN[risk] for risk in (*RISKS, ALONE) if over_limit(result, risk, criteria)]


def alone_told(result: OptionResult, *, again: bool = False) -> list[str]:
    """How many people have a record that nobody else has: what no measure of few points says.

    ``again``: what that means has just been said of another option.
    """
    if result.crowd_least > 1 or not result.alone:
        return []
    many = f"{words.share(result.alone, result.n_users)} {'has' if result.alone == 1 else 'have'}"
    many = many[0].upper() + many[1:]
    if again:
        return [f"**{many} a record of their own** in that one."]
    return [
        f"**{many} a record of their own in it**, like nobody else's: whoever knows enough of such "
        "a person finds it all. The measures are of a few known points."
    ]


def shared_told(result: OptionResult) -> list[str]:
    """What no measure of finding says where people share a record."""
    if result.crowd_least < 2:
        return []
    many, value = result.crowd_least, result.risks["k"][0]
    return [
        f"Nobody in it is unique, because at least {many:,} people share each record. That is no "
        f"risk of 0: whoever knows points of a person names the right record with a chance of "
        f"{value:.3g} on average, at most 1 in {many:,}, and learns everything that is published "
        "of the group all the same."
    ]


def moved_told(options: Sequence[ReleaseOption]) -> list[str]:
    """What the figures of options with noise or exchange, or in periods, are of."""
    cut = [
        f"“{plain(option.told)}”"
        for option in options
        if any(isinstance(step, Periods) for step in option.steps)
    ]
    told = []
    if cut:
        told.append(
            f"In {_listed(cut)} a person has another pseudonym in each period. All points that the "
            "outsider knows are of one record, each person's longest, which is sought among those "
            "of its period. That habits may show which records are one person's is not measured "
            "here."
        )
    moved = [f"“{plain(option.told)}”" for option in options if option.moved]
    if not moved:
        return told
    return [
        *told,
        f"In {_listed(moved)} points are moved by noise or exchange. The risk is of an outsider "
        "who knows points as they are published; one who knows where somebody truly was may find "
        "fewer or more. That is not measured here.",
    ]


def turned(table: OptionsTable, criteria: Criteria) -> list[str]:
    """Where another measure ranks two options the other way round, an example; else nothing."""
    for risk in ("k", "unicity", "kl", "em"):
        if risk == criteria.risk:
            continue
        by = table.with_choice(risk)
        for i, better in enumerate(table.dominated_by):
            for j in better.tolist():
                if by.risk_high[i] < by.risk_low[j]:
                    one, other = (plain(table.options[at].told) for at in (i, j))
                    return [
                        f"The ranking turns with the measure: by {SPOKEN[criteria.risk]} “{other}” "
                        f"dominates “{one}”; by {SPOKEN[risk]} it is the riskier of the two "
                        f"({_estimate(table, j, risk)} against {_estimate(table, i, risk)})."
                    ]
    return []


def _estimate(table: OptionsTable, i: int, risk: str) -> str:
    """An option's risk by a measure, with the upper end where that says more."""
    value, _, high = interval(table.results[i], risk)
    shown, upper = risk_text(value, risk), risk_text(high, risk)
    unit = {"em": " bins", "kl": " nats"}.get(risk, "")
    return f"{shown}{unit}" if shown == upper else f"{shown}{unit} (up to {upper})"


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
    mine, less = (risk_text(dot.risk, criteria.risk) for dot in (one, better))
    name = SPOKEN[criteria.risk]
    same_risk = better.risk == one.risk
    risk = f"the same {name} ({mine})" if same_risk else f"less {name} ({less} against {mine})"
    gain = (
        f"the same utility ({one.utility:.2f})"
        if better.utility == one.utility
        else f"more utility ({better.utility:.2f} against {one.utility:.2f})"
    )
    return (
        f"{len(worse)} {'is' if len(worse) == 1 else 'are'} dominated: “{plain(one.name)}”, "
        f"for one, by “{plain(better.name)}”, which has {risk} and {gain}. That is by {name} "
        "alone."
    )


# --- tables ---


def shown(table: OptionsTable, found: Sequence[Dot], criteria: Criteria) -> pd.DataFrame:
    """One row per option, for the screen."""
    rows = []
    recipes = any(option.name != option.text for option in table.options)
    suppressing = any(result.suppressed_share > 0 for result in table.results)
    for dot, result in zip(found, table.results, strict=True):
        i = dot.number - 1
        row: dict[str, object] = {"No.": dot.number, "Option": result.option.name}
        if recipes:
            row["What is done"] = result.option.text
        row |= {
            "On the front": _place(table, i),
            RISKS[criteria.risk]: risk_text(dot.risk, criteria.risk),
            "95 % interval": f"{risk_text(dot.low, criteria.risk)} – "
            f"{risk_text(dot.high, criteria.risk)}",
        }
        if criteria.limit is not None:
            row["Within the limit"] = _within(result, criteria, dot)
        # Beside it: within the limit of one measure an option may be far over that of another.
        row |= {
            "Over the limit of": ", ".join(broken(result, criteria)),
            "Utility": round(dot.utility, 3),
            "Alone with their record": _alone(result),
            "Chance of naming": f"{result.risks['k'][0]:.3g}",
            "Share a record": f"{result.crowd_least:,} or more",
        }
        row["Dominated by"] = _numbers(table.dominated_by[i])
        row["Level with"] = _numbers(table.level_with[i])
        if suppressing:
            row["Samples left out"] = words.percent(result.suppressed_share)
        row |= {
            title.capitalize(): round(result.components[n], 3) for n, title in COMPONENTS.items()
        }
        row |= {
            "Users": result.n_users,
            "Samples": result.n_samples,
            f"Fewer than {table.config.p} points": f"{result.too_few:,} of {result.n_targets:,}",
        }
        rows.append(row)
    return pd.DataFrame(rows)


def _alone(result: OptionResult) -> str:
    """How many people, and of all: "22 (22 %)"."""
    if not result.alone:
        return "0"
    return f"{result.alone:,} ({words.percent(result.alone_share, result.n_users)})"


def _within(result: OptionResult, criteria: Criteria, dot: Dot) -> str:
    if not dot.unsafe:
        return "yes"
    return "no" if surely_over(result, criteria.risk, criteria) else "perhaps not"


def _place(table: OptionsTable, i: int) -> str:
    if not math.isfinite(table.utility[i]):
        return "not scored"
    if not table.front[i]:
        return "no"
    return "yes" if table.estimated_front[i] else "level"


def _numbers(rows: IntArray) -> str:
    return ", ".join(str(j + 1) for j in rows.tolist())


def outsider_told(known: KnowledgeConfig) -> str:
    """What the outsider is assumed to know of a release."""
    return (
        f"For every option, {known.users:,} of its users at most are drawn, and {known.p} points "
        f"of each, as they are published{_DRAWN[known.strategy]}; who has fewer than {known.p} has "
        "all of them known, and the table says how many these are. Where noise or exchange moves "
        "points, the outsider knows the moved ones, not the true ones: with the true ones fewer or "
        "more people may be found, which is not measured here. A risk is of those who are in the "
        "release; a sample of users lowers nobody's risk who is in it."
    )


def fault_told(result: OptionResult) -> str:
    """Why an option has no figures."""
    assert result.fault is not None
    name = plain(result.option.name)
    return f"**{name}** could not be made: {plain(for_screen(result.fault), MESSAGE_LENGTH)}"


def chosen_told(
    result: OptionResult, why: str, table: OptionsTable, criteria: Criteria
) -> tuple[str, bool]:
    """The choice that stands, and whether nothing speaks against it."""
    name, reason = plain(result.option.told), plain(why, MESSAGE_LENGTH)
    lines = [f"**Chosen: {name}.** {reason or 'No reason is given yet.'}"]
    lines += alone_told(result)
    over = broken(result, criteria)
    sure = [SPOKEN[r] for r in (*RISKS, ALONE) if surely_over(result, r, criteria)]
    if sure:
        lines.append(f"It is above the limit of {_listed(sure)}.")
    if open_ := [name for name in over if name not in sure]:
        lines.append(f"Its risk may be above the limit of {_listed(open_)}.")
    dominating = next(
        (
            _names(table, i)
            for i, option in enumerate(table.options)
            if option.steps == result.option.steps
        ),
        [],
    )
    if dominating:
        lines.append(f"By {SPOKEN[criteria.risk]} it is dominated by {plain(_some(dominating))}.")
    lines += shared_told(result) + moved_told([result.option])
    return "  \n".join(lines), not over and not dominating


def gaps_told(name: str, gaps: FloatArray) -> str:
    """How many of a release do not hide yet, in a sentence."""
    alone = int((gaps > 0).sum())
    return (
        f"In “{plain(name)}”, {words.share(alone, len(gaps))} "
        f"{'has' if alone <= 1 else 'have'} a record that nobody else has."
    )


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
            "Alone with their record": _alone(result),
            "Share a record, at least": f"{result.crowd_least:,}",
        }
        for name, title in RISKS.items():
            value, low, high = result.risks[name]
            column[title] = " ".join(
                (risk_text(value, name), f"({risk_text(low, name)} – {risk_text(high, name)})")
            )
        for name, title in COMPONENTS.items():
            column[f"Utility: {title}"] = f"{result.components[name]:.2f}"
        column["Utility, weighted"] = f"{table.utility[i]:.2f}"
        column["On the front"] = _place(table, i)
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


def risk_text(value: float | None, risk: str) -> str:
    """A risk by a measure, as it is shown."""
    if value is None or value != value:
        return "–"
    return words.percent(value) if risk in ("unicity", ALONE) else f"{value:.3g}"


def limit_text(limit: float | None, risk: str) -> str:
    """A limit by a measure, as it is shown."""
    if limit is None:
        return "no limit"
    return f"{100 * limit:g} %" if risk in ("unicity", ALONE) else f"{limit:g}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(f"“{name}”" for name in names[:2])
    return shown + (f" and {len(names) - 2} more" if len(names) > 2 else "")

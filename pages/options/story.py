"""Criteria for the options, and the front's dots and sentences."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from fpanon_core.io.hints import for_screen
from fpanon_core.model.arrays import IntArray
from fpanon_core.model.configs import KnowledgeConfig, Strategy
from fpanon_core.model.disclosure import NAMING
from fpanon_core.model.options import Periods, ReleaseOption
from fpanon_core.studies import report_words as w
from fpanon_core.studies.advice import ladder
from fpanon_core.studies.exploration import Exploration
from fpanon_core.studies.judgement import (
    NEED,
    Limits,
    best_option,
    most_useful,
    needs_lost,
    serves,
    some_alone,
    within_limits,
)
from fpanon_core.studies.option_result import LOST, OptionResult, UtilityChoice
from fpanon_core.studies.options_table import OptionsTable
from fpanon_core.studies.presets import crowd
from fpanon_core.studies.report_verdict import (
    best_named,
    describe_alone,
    describe_best,
    describe_exceeded,
    describe_found,
    describe_least,
    describe_passed_over,
    describe_tried,
    within,
)
from pages.charts import words
from pages.charts.pareto import Dot
from pages.charts.plain import MESSAGE_LENGTH, plain
from pages.shell import definitions

MEASURES = {
    "outsider": definitions.OUTSIDER,
    "linkage": definitions.LINKAGE,
    "k": definitions.K_DISCLOSURE,
    "home": definitions.HOME_FOUND,
    "unicity": definitions.UNICITY,
    "em": definitions.EM_DISCLOSURE,
    "kl": definitions.KL_DISCLOSURE,
}
"""The measures of risk that the figure can show, with their descriptions."""
CHOOSE = "Choose below."
NO_RECORDS = " No option with real people's records does both."
ROOTS = "Risks are on a square-root scale, so that small risks have room."
SERVES = (
    f"To serve the purpose, an option must keep at least {NEED:.0%} of the best utility. It must "
    f"also keep {LOST:.0%} or more of each thing that the purpose needs most. Of density and "
    "flows, only what exceeds equal shares for all areas counts."
)
FAILS = "Triangles mark options that fail a threshold: see *Fails* in the table."
_ONE_LINE = 0.005  # thresholds that differ by less have one line
_DRAWN: dict[Strategy, str] = {
    "uniform": "Each sample of a person is equally likely to be drawn.",
    "random": "The points are drawn from the person's events, so busy places and times are "
    "likelier. Quiet places and times, which tell people apart, are known less often than if each "
    "sample were equally likely.",
    "top": "The points are the most visited places, without times.",
    "consecutive": "The points follow one another.",
}


def spoken(risk: str) -> str:
    """Return a measure's name as it is written within a sentence."""
    return plain(w.MEASURES[risk].name)


def title(risk: str) -> str:
    """Return a measure's name as it is written above a column or in a list."""
    name = spoken(risk)
    return name if name.startswith("k-") else w.first_up(name)


@dataclass(frozen=True)
class Criteria:
    """Criteria by which the options are judged.

    Attributes
    ----------
    risk : str
        Key of :data:`MEASURES`: the measure of the figure and of the front.
    limits : Limits
        The thresholds in force, of all measures together.
    utility : UtilityChoice
        The utility of the options: how it is computed, or who was asked.
    utility_title : str
        Title of the figure's axis of utility.
    utility_told : str
        The utility's name within a sentence, such as "utility for transport".
    """

    risk: str
    limits: Limits
    utility: UtilityChoice
    utility_title: str
    utility_told: str

    @property
    def limit(self) -> float | None:
        """Return the threshold of the chosen measure; None if it has none."""
        return self.limits.limit(self.risk)

    @property
    def percent(self) -> bool:
        """Return whether the chosen measure of risk is shown in percent."""
        return w.MEASURES[self.risk].unit == "%"

    def risk_title(self, p: int) -> str:
        """Return the title of the axis of risk, for an attacker who knows p points."""
        unit = "" if self.percent else f" ({w.MEASURES[self.risk].unit})"
        known = "" if self.risk == "home" else f", {words.count(p, 'known point')}"
        return f"{title(self.risk)}{unit}{known}"


# --- the figure ---


def dots(
    table: OptionsTable, criteria: Criteria, pinned: Sequence[str], chosen: str = ""
) -> list[Dot]:
    """Return a dot for each option, numbered from 1.

    ``pinned`` holds names of options to compare; ``chosen`` is the chosen option's name.
    """
    limit = math.inf if criteria.limit is None else criteria.limit
    unsafe = table.unsafe(limit).tolist()
    front, estimated = table.front.tolist(), table.estimated_front.tolist()
    serving = serves(table, within_limits(table, criteria.limits))
    best = best_option(table, criteria.limits) if serving else None
    labels = {rung.row: rung.kind for rung in ladder(table, criteria.limits)}
    return [
        Dot(
            i + 1,
            result.option.told,
            float(table.risk[i]),
            float(table.risk_low[i]),
            float(table.risk_high[i]),
            float(table.utility[i]),
            front[i],
            unsafe[i] or bool(criteria.limits.broken(result)),
            "<br>".join(_hover(table, i, criteria, unsafe=unsafe[i])),
            result.option.name in pinned,
            front[i] and not estimated[i],
            labels.get(i) or _failing(table, i, criteria),
            result.option.name == chosen,
            i == best,
            i in serving,
            _epsilon(result, criteria.risk),
        )
        for i, result in enumerate(table.results)
    ]


def _failing(table: OptionsTable, row: int, criteria: Criteria) -> str:
    """Say in what an option without records falls short; the figure has no line for it."""
    result = table.results[row]
    if _epsilon(result, criteria.risk) is None:
        return ""
    if failed := [w.MEASURES[risk].short for risk in criteria.limits.broken(result)]:
        return f"fails: {', '.join(failed)}"
    lost = needs_lost(table, row)
    return f"too little: {w.components(lost)}" if lost else ""


def _epsilon(result: OptionResult, risk: str) -> float | None:
    """Return ε of an option without the record that a risk needs (infinite without ε), or None."""
    if result.option.recordless is None or risk not in result.unasked:
        return None
    return math.inf if result.option.epsilon is None else result.option.epsilon


def _hover(table: OptionsTable, i: int, criteria: Criteria, *, unsafe: bool) -> list[str]:
    """Return the tooltip's lines: an option's position, utility and attack results."""
    result = table.results[i]
    if not math.isfinite(table.utility[i]):
        stands = ["nobody scored it"]
    elif not math.isfinite(table.risk[i]):
        stands = [f"{spoken(criteria.risk)} is not known"]
    else:
        sure = criteria.limits.surely_over(result, criteria.risk)
        level, better = _named(table, table.level_with[i]), _named(table, table.dominated_by[i])
        stands = ["beaten by none" if table.front[i] else f"beaten by {better}"]
        stands += [f"level with {level}"] if level else []
        stands += [f"{'' if sure else 'perhaps '}above the threshold"] if unsafe else []
    shared = f"at least {result.crowd_least:,} people share each record"
    return [
        ", ".join(stands),
        f"utility {w.utility(table.choice, result)}",
        *(f"{spoken(risk)}: {w.estimate(result, risk)}" for risk in (*NAMING[1:], "home")),
        *([shared] if result.crowd_least > 1 else []),
    ]


def _named(table: OptionsTable, rows: IntArray) -> str:
    """Return the first two of the options, quoted, and how many more there are."""
    names = [f"“{table.options[j].name}”" for j in rows.tolist()]
    return ", ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "")


def drawn_limit(table: OptionsTable, criteria: Criteria) -> float | None:
    """Return the threshold to draw as a line; None if there is none or it differs among options."""
    if criteria.limit is None:
        return None
    allowed = table.allowed(criteria.limit)
    allowed = allowed[allowed == allowed]
    if not len(allowed) or allowed.max() - allowed.min() > _ONE_LINE:
        return None
    return float(allowed.min())


# --- the verdict ---


def conclusion(
    table: OptionsTable, found: Sequence[Dot], criteria: Criteria, so_far: str = ""
) -> list[str]:
    """Return the verdict on the options as sentences, or why there is none.

    ``so_far`` is " so far" while options are left to try.
    """
    scored = [dot for dot in found if math.isfinite(dot.utility)]
    if not scored:
        return ["Nobody scored any of the options explored so far."]
    if not any(math.isfinite(dot.risk) for dot in scored):
        return [f"{title(criteria.risk)} is not known for any of these options."]
    tried = Exploration(table, limits=criteria.limits)
    head, named, told = describe_tried(tried).head, best_named(tried, so_far), describe_best(tried)
    row = best_option(table, criteria.limits)
    if row is not None and serves(table, within(tried)):
        why = describe_least(table, within(tried), row)
        some = [table.options[i].recordless for i in serves(table, within(tried))]
        others = any(option.steps and option.recordless is None for option in table.options)
        none = NO_RECORDS if others and all(some) else ""
        finding = f":material/star: **{plain(named, MESSAGE_LENGTH)}** {head}{none}{why} {CHOOSE}"
        told = (SERVES if len(within(tried)) > 1 else "", *told)
    else:  # the head says in what way the named option comes first
        finding = plain(f"{head} {named}".strip(), MESSAGE_LENGTH)
    if criteria.risk in NAMING and criteria.limit and not within(tried):
        told += (f"The threshold requires groups of {crowd(criteria.limits):,} or more.",)
    if criteria.percent:
        told += (ROOTS,)
    if criteria.utility.weights is None:
        told += (f"Options are ranked by {criteria.utility_told}.",)
    return [finding, *(plain(text, MESSAGE_LENGTH) for text in told if text)]


def describe_more_useful(table: OptionsTable, criteria: Criteria) -> str:
    """Say why more useful options are not recommended; return "" if none is more useful.

    Two options are considered: the most useful within the thresholds, and the most useful of those
    that also serve the purpose.
    """
    tried = Exploration(table, limits=criteria.limits)
    best, good = best_option(table, criteria.limits), within(tried)
    if best is None:
        return ""
    others = dict.fromkeys(most_useful(table, rows) for rows in (serves(table, good), good))
    told = [
        sentence
        for other in others
        if other is not None and table.utility[other] > table.utility[best]
        for sentence in describe_passed_over(tried, other, best)
    ]
    return plain(" ".join(told), MESSAGE_LENGTH)


def further(table: OptionsTable, found: Sequence[Dot], criteria: Criteria) -> list[str]:
    """Describe the front, an option that another beats, and what the figures cover."""
    scored = [d for d in found if math.isfinite(d.utility) and math.isfinite(d.risk)]
    if not scored:
        return describe_moved_points(table.options)
    front = [d for d in scored if d.front]
    told = turned(table, criteria)
    if len(front) == len(scored) > 1:
        told.append(
            "By the 95% intervals, no option is surely worse than another in both risk and utility."
        )
    elif len(scored) > 1:
        told.append(
            f"{len(front)} of the {len(scored)} options {words.verb(len(front))} on the Pareto "
            "front (the dotted line). No option is certain to beat an option on the front."
        )
    if behind := sum(d.behind for d in front):
        told.append(
            f"{behind} of these options {words.verb(behind)} level with another: the 95% "
            "intervals leave open which of the two has less risk."
        )
    worse = [d for d in scored if not d.front]
    told.append(_explained(table, worse, criteria) if worse else "No option beats another.")
    return told + describe_moved_points(table.options)


def _explained(table: OptionsTable, worse: Sequence[Dot], criteria: Criteria) -> str:
    """Say how many options are beaten, with the example that differs most in utility."""
    utility = table.utility
    pairs = [
        (row, max(table.dominated_by[row].tolist(), key=lambda j: float(utility[j])))
        for row in (dot.number - 1 for dot in worse)
    ]
    one, better = max(pairs, key=lambda pair: float(utility[pair[1]] - utility[pair[0]]))
    risks = [
        "no record"
        if _epsilon(table.results[at], criteria.risk) is not None
        else risk_text(table.risk[at], criteria.risk)
        for at in (better, one)
    ]
    useful = [f"{utility[at]:.2f}" for at in (better, one)]
    name = spoken(criteria.risk)
    less = "the same" if table.risk[better] == table.risk[one] else "a lower"
    more = "the same" if utility[better] == utility[one] else "more"
    return (
        f"{len(worse)} of these options {words.verb(len(worse))} beaten by another (dominated). "
        f"For example, “{plain(table.options[better].told)}” beats "
        f"“{plain(table.options[one].told)}”. The better option has {less} {name} "
        f"({' against '.join(dict.fromkeys(risks))}) and {more} utility "
        f"({' against '.join(dict.fromkeys(useful))}). Of all risks, only {name} counts here."
    )


def turned(table: OptionsTable, criteria: Criteria) -> list[str]:
    """Return an example of two options that another measure ranks in the opposite order, if any."""
    for risk in ("outsider", "linkage", "k", "home", "unicity", "kl", "em"):
        if risk == criteria.risk:
            continue
        by = table.with_choice(risk)
        for i, better in enumerate(table.dominated_by):
            for j in better.tolist():
                guessed = table.results[j].guessing.get(risk, 0.0)  # risks below it rank nothing
                if max(by.risk_high[i], guessed) < by.risk_low[j]:
                    one, other = (plain(table.options[at].told) for at in (i, j))
                    worse, best = (w.estimate(table.results[at], risk) for at in (j, i))
                    return [
                        f"The ranking depends on the measure. By {spoken(criteria.risk)}, "
                        f"“{other}” beats “{one}”. By {spoken(risk)}, “{other}” is the riskier of "
                        f"the two ({worse} against {best})."
                    ]
    return []


def describe_moved_points(options: Sequence[ReleaseOption]) -> list[str]:
    """Say what the figures cover for options with noise, with exchange or in periods."""
    cut = [o.told for o in options if any(isinstance(step, Periods) for step in o.steps)]
    moved = [option.told for option in options if option.moved]
    told = []
    if cut:
        told.append(
            f"In {_some_of(cut)}, a person has a different pseudonym in each period. Points as "
            "published come from each person's longest record; the attacker seeks that record "
            "among those of its period. True points come from one period, and each record is "
            "attacked separately. The page *Attack the release* measures whether habits show which "
            "records are one person's."
        )
    if moved:
        told.append(
            f"In {_some_of(moved)}, noise or exchange moves points. Unicity and k-, EM- and "
            "KL-disclosure assume an attacker who knows points as they are published. The "
            "linkage attack covers an attacker who knows true points."
        )
    return told


def _some_of(names: Sequence[str]) -> str:
    """Return a few names; for many, an example and their number."""
    quoted = [f"“{plain(name)}”" for name in names]
    return w.listed(quoted) if len(names) < 3 else f"{len(names)} options, such as {quoted[0]}"


# --- what is beside the figure ---


def describe_not_drawn(table: OptionsTable, criteria: Criteria) -> str:
    """Explain any triangles, a threshold without a line, and options without a dot."""
    broken = [criteria.limits.broken(result) for result in table.results]
    line = drawn_limit(table, criteria) is not None
    told = [FAILS] * (line and any(b and criteria.risk not in b for b in broken))
    if criteria.limit is not None and not line:
        told.append(
            "No line is drawn for the threshold: it depends on what guessing finds, which differs "
            "between options. Triangles mark options that fail a threshold."
        )
    name = spoken(criteria.risk)
    risks = zip(table.options, table.risk, strict=True)
    if unknown := [f"“{plain(o.name)}”" for o, risk in risks if not math.isfinite(risk)]:
        told.append(f"No dot is drawn where {name} is not known: {w.listed(unknown)}.")
    return " ".join(told)


def describe_attacker(known: KnowledgeConfig) -> str:
    """Say what the attacker is assumed to know about a release."""
    points = words.count(known.p, "point")
    return (
        f"For each option, we draw at most {known.users:,} people and {points} of each person. "
        f"{_DRAWN[known.strategy]} If a person has fewer than {points}, the attacker knows all "
        f"of them. The table counts the published records with fewer than {points}. For unicity "
        "and for k-, EM- and KL-disclosure, the known points are as published; after noise or "
        "exchange, they are the moved points. For linkage, the known points are true: exactly as "
        "in the data that were read. The attacker knows the method and its parameters, never its "
        "draws. The re-identification risk comes from the strongest of three attackers. For "
        "home inference, the attacker has the person's record, or the group's, and may know "
        "where all other people live. Risks are for the people in the release: drawing a sample of "
        "people does not lower the risk to those drawn."
    )


def describe_comparison(table: OptionsTable) -> str:
    """Say by which areas utility compares places, and that detail within an area does not count.

    Return "" if utility compares no areas.
    """
    told = w.areas(table)
    return told and f"{told} What happens within one area does not count."


def describe_faults(results: Sequence[OptionResult]) -> str:
    """Say which options have no figures, in a paragraph for each reason; return "" if none."""
    reasons: dict[str, list[str]] = {}
    for result in results:
        if result.fault:
            why = plain(for_screen(result.fault), MESSAGE_LENGTH)
            reasons.setdefault(why, []).append(plain(result.option.name))
    more = {why: f" and {len(them) - 1} more" * (len(them) > 1) for why, them in reasons.items()}
    return "\n\n".join(
        f"**{names[0]}**{more[why]} could not be made: {why}" for why, names in reasons.items()
    )


# --- the choice ---

REFUSED_BEFORE = (
    "The decision was to release nothing. To decide otherwise, press *Keep this choice*; the "
    "report states the latest decision kept."
)


def describe_refusal(why: str) -> str:
    """Say that nothing is released, and why."""
    return f"Decided: **nothing is released.** {plain(why, MESSAGE_LENGTH)} The report says so."


def describe_chosen(
    result: OptionResult, why: str, table: OptionsTable, criteria: Criteria
) -> tuple[str, list[str], bool]:
    """Return a text on the chosen option, sentences with its figures, and whether all is well.

    All is well if the option stays within the thresholds, no other option beats it, and it leaves
    nobody a unique record.
    """
    over = describe_exceeded(result, criteria.limits)
    better = next(
        (
            _named(table, table.dominated_by[i])
            for i, option in enumerate(table.options)
            if option.steps == result.option.steps and option.recordless is None
        ),
        "",
    )
    name, said = spoken(criteria.risk), plain(why, MESSAGE_LENGTH).rstrip(" .")
    lines = [
        f"Your reason: “{said}”." if said else "No reason is given yet.",
        w.describe_over(criteria.limits, result),
        "Some people have a unique record." if some_alone(result) else describe_alone(result),
        plain(f"By {name}, this option is beaten by {better}.", MESSAGE_LENGTH) if better else "",
    ]
    text = " ".join([f"**Chosen: {plain(result.option.told)}.**", *filter(None, lines)])
    figures = [
        describe_found(result, table.config.p, criteria.limits),
        describe_alone(result) if some_alone(result) else "",
        w.describe_use(result),
        *over,
    ]
    told = [plain(each, MESSAGE_LENGTH) for each in figures if each]
    return (
        text,
        [*told, *describe_moved_points([result.option])],
        not (over or better or some_alone(result)),
    )


def recipe(options: Sequence[ReleaseOption]) -> bytes:
    """Return the options as JSON, which the command line can read."""
    return json.dumps([option.to_dict() for option in options], indent=2).encode()


# --- numbers in a cell ---


def risk_text(value: float | None, risk: str) -> str:
    """Return a risk as a table shows it, in percent or as a number; "–" if it is not known."""
    if value is None or value != value:
        return "–"
    return words.percent(value) if w.MEASURES[risk].unit == "%" else f"{value:.3g}"


def risk_cell(result: OptionResult, risk: str) -> str:
    """Return an option's risk in words, such as "62% (58% – 66%), guessing 2.5%"."""
    value, *ends = result.risk(risk)
    if not math.isfinite(value):
        return "not known"
    if risk == "home" and result.option.recordless is not None:
        return f"{risk_text(value, risk)} ({w.evidence(result, risk)})"
    told = f"{risk_text(value, risk)} ({' – '.join(risk_text(end, risk) for end in ends)})"
    beside = [w.describe_sum(value, risk, result.option)]
    if risk in result.guessing:
        beside.insert(0, f"guessing {risk_text(result.guessing[risk], risk)}")
    return ", ".join(filter(None, (told, *beside)))


def alone_text(result: OptionResult) -> str:
    """Say how many people have a unique record, with their share, such as "22 (22%)"."""
    if not result.alone:
        return "0"
    return f"{result.alone:,} ({words.percent(result.alone_share, result.n_users)})"

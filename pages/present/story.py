"""Sentences of the slides on the page “Present”."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from fpanon_core.model.count_tables import DAY_TYPES, CountTables
from fpanon_core.model.options import ReleaseOption, Synthesize
from fpanon_core.model.purpose import Purpose, Recipient
from fpanon_core.studies import report_figures, report_verdict
from fpanon_core.studies import report_words as w
from fpanon_core.studies.exploration import Exploration
from fpanon_core.studies.followed import PublishedRecord
from fpanon_core.studies.judgement import asked_of, most_useful, some_alone, within_limits
from fpanon_core.studies.option_result import OptionResult, UtilityChoice
from fpanon_core.studies.people_by_hexagon import Result
from fpanon_core.studies.recipe import Decision
from pages.charts import words
from pages.charts.attack import UNKNOWN, Compared, Estimate
from pages.charts.plain import MESSAGE_LENGTH, plain
from pages.charts.record import Played

ONE_PERSON_REAL = (
    "These data are not marked as synthetic: the slide would show the trajectory of one real "
    "person to everybody in the room. An attacker who knows part of that trajectory can identify "
    "the person, even under a pseudonym."
)
ONE_PERSON_SYNTHETIC = "The person is synthetic; no such person exists."
FAILED = "What an attacker finds in the data as they are could not be measured."
NOT_MEASURED = "What an attacker finds in the data as they are has not been measured yet."
COUNTING = "There is no map: people have not been counted yet."
PUBLISHING = "There are no maps: the published record has not been made yet."
TOO_FEW = "No area has enough people to be shown."
NO_MAP = "There is no map of these areas."
TOO_FEW_AN_HOUR = (
    "For a map of the data as they are, too few areas have enough people, even in the busiest "
    "hours."
)
NOT_CHARGED = (
    "There is no map yet: a map needs new noise, and each draw of noise weakens people's "
    "protection. These figures come from a trial that is never published. Make the release on "
    "*Report*."
)
_EPSILON = re.compile(r", ε = [\d.]+| \(ε = [\d.]+\)")
NOTHING_LEAVES = ":material/block: **Nothing is released.**"
UNDECIDED = ":material/pending: **Nothing is decided yet.**"
_REASON = 300  # characters of the reason that a slide shows; the report shows all
NOT_TRIED = "No option has been tried yet. “Find a release” on Overview starts the search."
_ROWS = {
    "outsider": "re-identified",
    "home": "home within 1 km",
    "unicity": "singled out",
    "alone": "unique record",
    "membership": "membership guessed, beyond chance",
}


def about(result: OptionResult | None, why_not: str | None, *, synthetic: bool) -> str:
    """Say which option the slides show, and whether the people are synthetic."""
    told = "Nothing is released." if why_not is not None else "No option is chosen."
    if result is not None:
        told = f"Chosen option: **{plain(result.option.told)}**"
    return f"The people of these data are invented. {told}" if synthetic else told


def asked(purpose: Purpose, recipient: Recipient, threshold: str) -> str:
    """Return the purpose, the recipient, and the accepted risk with its origin."""
    return (
        f"Purpose: **{plain(purpose.title)}** · Recipient: **{plain(recipient.title)}**  \n"
        f"{threshold}"
    )


def without_epsilon(text: str) -> str:
    """Return an option's name for a slide, without its ε; the line under the title states ε.

    Examples
    --------
    >>> without_epsilon("synthetic people by antenna, ε = 0.25"), without_epsilon("GLOVE, k = 20")
    ('synthetic people by antenna', 'GLOVE, k = 20')
    """
    return _EPSILON.sub("", text)


def verdict(
    found: Exploration,
    decided: Decision | None = None,
    chosen: int | None = None,
    file: OptionResult | None = None,
) -> tuple[list[str], str]:
    """Return the report's verdict on the original data and the choice: headings and a sentence.

    Without a decision, say how many options are within the thresholds, and which comes first.

    Parameters
    ----------
    found : Exploration
    decided : Decision, optional
        The decision; by default, nothing is decided yet.
    chosen : int, optional
        Row of the option that was chosen.
    file : OptionResult, optional
        Result of the chosen option with the components of the file that was made.
    """
    decided = decided or Decision()
    now, tried, last = report_verdict.verdict(found, decided, chosen, file)[:3]
    told, sentence = [now, tried], next(iter(tried.text), "")
    if chosen is not None:
        told, result = [now, last], found.table.results[chosen]
        sentence = w.describe_use(result)
        if last.over:
            asked = sum(asked_of(result, risk) for risk in found.limits.judged)
            of_all = words.count(asked, "threshold")
            sentence = f"The option is, or may be, above {len(last.over)} of {of_all}."
        if file is not None and found.table.choice.too_little(file):
            kept = w.describe_file(found.table.choice, file)
            sentence = f"{sentence} {kept}" if last.over else kept
        if result.option.steps:
            sentence = f"{w.describe_kind(result)} {sentence}"
    elif decided.refused:
        told, sentence = [now, last], last.text[0]
    elif not found.table.results:
        told, sentence = [now], NOT_TRIED
    heads = [
        f"{words.MARKS[each.tone]} **{plain(without_epsilon(each.head), MESSAGE_LENGTH)}**"
        for each in told
    ]
    return heads, plain(sentence, MESSAGE_LENGTH)


@dataclass(frozen=True)
class SingledOut:
    """Who is singled out: number in a hundred, share and its meaning, and how sure the share is."""

    of_a_hundred: int
    share: str
    whom: str
    sentence: str


def singled_out(raw: OptionResult, p: int) -> SingledOut | None:
    """Return who is singled out in the original data; None if that was not measured.

    Examples
    --------
    >>> raw = OptionResult(ReleaseOption(), {"unicity": (0.004, 0.0, 0.01)}, n_users=900)
    >>> singled_out(raw, 4).of_a_hundred, singled_out(raw, 4).whom
    (1, 'of people are singled out in the unprotected data by 4 known points of their record.')
    """
    risk = "unicity" if math.isfinite(raw.risk("unicity")[0]) else "outsider"
    share, low, high = raw.risk(risk)
    if not math.isfinite(share):
        return None
    # Never 0 if anyone is singled out, and never 100 unless everyone is.
    many = min(max(round(100 * share), math.ceil(share)), 99 + math.floor(share))
    points = words.count(p, "known point")
    whom = f"of people are singled out in the unprotected data by {points} of their record."
    if risk == "outsider":
        whom = f"of people are re-identified in the unprotected data by an attacker with {points}."
    of_whom = f"all {raw.n_users:,} people"
    if raw.n_targets < raw.n_users:
        of_whom = f"{raw.n_targets:,} of the {raw.n_users:,} people"
    sure = w.describe_interval(low, high, risk)
    sentence = (
        f"We measured this before any protection, for {of_whom}{sure and f' ({sure})'}. "
        f"Guessing would find 1 in {raw.n_users:,}."
    )
    return SingledOut(many, words.brief(words.percent(share)), whom, sentence)


def not_asked(raw: OptionResult) -> str:
    """Say why it is not known who is singled out."""
    return plain(raw.fault or "Who is singled out was not measured.", MESSAGE_LENGTH)


def decision(found: Exploration, result: OptionResult, why: str) -> list[str]:
    """Return the chosen option, and the thresholds that it exceeds, if any."""
    over = report_verdict.describe_exceeded(result, found.limits)
    mark = words.MARKS["against" if over else "open" if some_alone(result) or not why else "for"]
    heads = [f"{mark} **{plain(without_epsilon(w.first_up(result.option.told)))}**"]
    if over:
        return [*heads, *(f"- {plain(each, MESSAGE_LENGTH)}" for each in over)]
    if not found.limits.judged:
        return [*heads, "No threshold was set."]
    said = [*heads, "The option stays within the thresholds."]
    said += [f"With a unique record: {w.people(result)}."] if some_alone(result) else []
    return [*said, plain(w.describe_use(result), MESSAGE_LENGTH)] if w.little_use(result) else said


def reason(why: str) -> str:
    """Return the reason that was given, or a note that there is none yet."""
    return f"Why: {plain(why, _REASON)}" if why else "No reason is given yet."


def signed(by: str, until: str) -> str:
    """Say who decided, and until when the decision is valid."""
    who = f"Decided by **{plain(by)}**." if by.strip() else "Nobody has signed yet."
    end = f"Valid until **{plain(until)}**." if until.strip() else "No end date is stated."
    return f"{who} {end}"


def recommended(found: Exploration) -> str:
    """Say which option comes first, while none is chosen."""
    if not found.table.results:
        return NOT_TRIED
    return plain(next(iter(report_verdict.describe_tried(found).text), ""), MESSAGE_LENGTH)


def cost(choice: UtilityChoice, result: OptionResult) -> str:
    """Say how coarse a release is, how many people it leaves out, and how useful it is."""
    told = [w.describe_use(result)]
    if result.users_share < 1:
        told.append(f"{words.percent(1 - result.users_share)} of the people are left out.")
    told.append(f"Utility ({plain(choice.title)}), out of 1: {w.describe_utility(choice, result)}.")
    return " ".join(filter(None, told))


def keeps(found: Exploration, result: OptionResult) -> str:
    """Say how much a release keeps of what the purpose needs.

    An option within the thresholds is also compared with the most useful such option.
    """
    table, good = found.table, within_limits(found.table, found.limits)
    cost, worth = w.describe_cost(table.choice, result), w.utility(table.choice, result)
    told = f"{cost} Utility: {worth}.".lstrip()
    own = [row for row in good if table.options[row].steps == result.option.steps]
    if own and table.results[own[0]].components == result.components:  # no file was made
        told += f" {w.describe_most(table, most_useful(table, good), own[0])}"
    return plain(told, MESSAGE_LENGTH)


def kept(result: OptionResult) -> list[tuple[str, float]]:
    """Return the components of utility that apply, by title, and how much of each is kept."""
    found = result.components
    return [
        (w.COMPONENTS[name][0], found[name])
        for name in w.COMPONENTS
        if math.isfinite(found.get(name, math.nan))
    ]


def risk(found: Exploration, result: OptionResult) -> str:
    """Say what the strongest attacker finds in the original data and in the release."""
    p, raw = found.table.config.p, found.as_it_is
    before = ""
    if raw is not None:
        before = f" Before protection: {w.value(raw.risk('outsider')[0], 'outsider')}."
    if result.option.recordless is not None:
        most = w.limit(found.limits, "membership")
        return (
            "The release holds no record to re-identify. An attacker asks whether a person is in "
            f"the data; advantage over guessing: {w.estimate(result, 'membership')}; threshold: "
            f"{most}.{_homes(result)}"
        )
    most = w.estimate(result, "outsider").replace("none found", "nobody", 1)
    return (
        f"With {words.count(p, 'known point')}, the strongest attacker re-identifies {most}."
        f"{before}{_homes(result)}"
    )


def _homes(result: OptionResult) -> str:
    """Say how many homes are found, compared with guessing; return "" if not measured."""
    found, guessed = result.risk("home")[0], w.guessing(result, "home")
    if math.isnan(found):
        return ""
    beside = f"; {w.guesses(result, guessed)}" if guessed else ""
    return f" Homes found: {w.percent(found)}{beside}."


def compared(found: Exploration, result: OptionResult) -> list[Compared]:
    """Return each risk in the original data, in the release and by guessing, with its threshold."""
    rows = []
    for row in report_figures.compared(found, result):
        before, after = (
            UNKNOWN if each is None else Estimate(*each) for each in (row.before, row.after)
        )
        guess = math.nan if row.guessing is None else row.guessing
        told = _brief(before.value) or "–", _brief(after.value) or "–", _brief(guess)
        most = math.nan  # also where a measure does not apply: no mark says that it is exceeded
        if row.limit is not None and asked_of(result, row.risk):
            most = row.limit
        rows.append(Compared(_ROWS[row.risk], before, after, guess, told, most))
    return rows


def _brief(share: float) -> str:
    return words.brief(words.percent(share)) if math.isfinite(share) else ""


def describe_hexagons(found: Result) -> str:
    """Say what the maps of people by hexagon show, and which hexagons they leave out."""
    return (
        "Before: people recorded in a hexagon. After: people expected there from the published "
        f"data. Hexagons with fewer than {found.config.least} people are left out."
    )


def describe_areas(made: CountTables, day: int, band: int, bands: int, least: int) -> str:
    """Say what the maps of people by area show, at which hours, and which areas they leave out."""
    start, end = (24 * each // bands for each in (band, band + 1))
    omitted = f"Both maps omit areas with fewer than {least} people."
    if made.option.epsilon is not None:
        omitted = (
            f"The map on the left omits areas that had fewer than {least} people. Faded areas on "
            "the right may be noise."
        )
    return (
        f"People by area on a {DAY_TYPES[day]}, {start:02d}:00 to {end:02d}:00, averaged over "
        f"{words.count(int(made.frame.days[day]), 'day')}. {omitted}"
    )


def describe_no_person(option: ReleaseOption, name: str) -> str:
    """Say that a release has no record of a person; return "" if it holds records."""
    if option.recordless is None:
        return ""
    holds = "The release holds only counts of people."
    if isinstance(option.recordless, Synthesize):
        holds = "The release holds only synthetic people; none of them exists."
    return f"**The release has no record of {name}.** {holds}"


def describe_person(
    name: str, result: OptionResult, record: PublishedRecord | None, seen: Played
) -> str:
    """Return a description of one person's record, and of what is published from it."""
    day = len(np.unique(seen.minute // 1440))
    places = len(np.unique(np.round(np.column_stack([seen.lon, seen.lat]), 5), axis=0))
    told = (
        f"Recorded: {words.count(len(seen.minute), 'sample')} of {name} at "
        f"{words.count(places, 'place')} on {words.count(day, 'day')}. The routes between these "
        "places are not known."
    )
    if record is None:
        return told
    if not len(record.x_m):
        return f"**No record of {name} is published.** {told}"
    side = float(np.median((record.dx_m + record.dy_m) / 2))
    span = float(np.median(record.dt_min))
    shared = ""
    if result.crowd_least > 1:
        shared = f" At least {result.crowd_least:,} people share each record."
    half, last = ("half are", "half last") if len(record.x_m) > 1 else ("it is", "lasts")
    return (
        f"**Published: {words.count(len(record.x_m), 'area')}.** {half[0].upper()}{half[1:]} at "
        f"most {words.distance(side)} wide, and {last} at most {words.duration(span)}.{shared} "
        f"{told}"
    )

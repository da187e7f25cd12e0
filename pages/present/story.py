"""What the page's own slides say."""

from __future__ import annotations

import math

import numpy as np

from fpanon_core.model.glove import GloveResult
from fpanon_core.studies.exploration import Exploration
from fpanon_core.studies.judgement import interval, some_alone
from fpanon_core.studies.option_result import OptionResult, UtilityChoice
from fpanon_core.studies.people_by_hexagon import Result
from fpanon_core.studies.report_verdict import as_they_are, over_told, tried_told
from fpanon_core.studies.report_words import (
    COMPONENTS,
    describe_utility,
    estimate,
    little_use,
    people,
    use_told,
)
from pages.charts import words
from pages.charts.attack import UNKNOWN, Compared, Estimate
from pages.charts.plain import MESSAGE_LENGTH, plain
from pages.charts.record import Played

NOTHING = (
    "No data set is open yet. Open a sample, or your own data: where people are is shown at once, "
    "and each page's main figure becomes a slide here when it is measured."
)
NO_SLIDE = (
    "No slide is chosen, or none can be drawn of these data. Choose slides above, or measure "
    "something first: each page's main figure becomes a slide here."
)
MISSING = "Each of these pages becomes a slide here once it has measured its figure:"
ONE_PERSON_REAL = (
    "These are not marked as synthetic: the slide would show the path of one real person to "
    "everybody in the room. A path names a person to whoever knows some of it, even under a "
    "pseudonym."
)
ONE_PERSON_SYNTHETIC = "The person is synthetic; there is nobody like that."
NO_RELEASE = (
    "One person’s record, before and after: choose an option that hides everyone, and make it on "
    "*Hide everyone*; then it is a slide here."
)
QUESTION = "May these data be released?"
DECIDED = "What was decided?"
ALL = "The data as they are, and all options tried"
NONE_CHOSEN = "no option is chosen"
REFUSED = "nothing is released"
NOTHING_LEAVES = ":material/block: **Nothing is released.**"
_MARKS = {
    "against": ":material/block:",
    "open": ":material/help:",
    "for": ":material/check_circle:",
}
_ROWS = {
    "outsider": "re-identified",
    "home": "home within 1 km",
    "unicity": "singled out",
    "alone": "record of their own",
}


def of_option(name: str) -> str:
    """Of which option a slide is."""
    return f"Chosen option: **{plain(name)}**"


def verdict(found: Exploration) -> tuple[list[str], str]:
    """The heads of the report's verdict, and the option that comes first."""
    told = [as_they_are(found), tried_told(found)]
    heads = [f"{_MARKS[each.tone]} **{plain(each.head, MESSAGE_LENGTH)}**" for each in told]
    return heads, plain(next(iter(told[1].text), ""), MESSAGE_LENGTH)


def decision(found: Exploration, result: OptionResult) -> list[str]:
    """The chosen option, and whether it is within the limits; else which it misses."""
    over = over_told(result, found.limits)
    mark = _MARKS["against" if over else "open" if some_alone(result) else "for"]
    heads = [f"{mark} **Chosen: {plain(result.option.told)}**"]
    if over:
        return [*heads, *(f"- {plain(each, MESSAGE_LENGTH)}." for each in over)]
    if not found.limits.judged:
        return [*heads, "No threshold was set."]
    said = [*heads, "It stays within the thresholds.", *_alone(result)]
    return [*said, plain(use_told(result), MESSAGE_LENGTH)] if little_use(result) else said


def _alone(result: OptionResult) -> list[str]:
    if not some_alone(result):
        return []
    return [f"Alone with a record of their own: {people(result)}."]


def reason(why: str) -> str:
    """The reason that was given."""
    return f"Why: {plain(why, MESSAGE_LENGTH)}" if why else "No reason is given yet."


def cost(choice: UtilityChoice, result: OptionResult) -> str:
    """How coarse it is, who is left out, and its utility with what is all but lost."""
    told = [use_told(result)]
    if result.users_share < 1:
        told.append(f"{words.percent(1 - result.users_share)} of the people are left out.")
    told.append(f"Utility, {plain(choice.label)}: {describe_utility(choice, result)} of 1.")
    return " ".join(filter(None, told))


def kept(result: OptionResult) -> list[tuple[str, float]]:
    """The components of utility by title, and how much of each is kept."""
    return [
        (COMPONENTS[name][0], result.components[name])
        for name in COMPONENTS
        if name in result.components
    ]


def risk(found: Exploration, result: OptionResult) -> str:
    """What the strongest attacker finds, before and after."""
    p, raw = found.table.config.p, found.as_it_is
    before = "" if raw is None else f" In the data as they are: {estimate(raw, 'outsider')}."
    return (
        f"With {words.count(p, 'known point')} the strongest attacker re-identifies "
        f"{estimate(result, 'outsider')}.{before}"
    )


def compared(raw: OptionResult | None, result: OptionResult) -> list[Compared]:
    """The rows of the figure: what is found before and after, beside guessing."""
    rows = []
    for measure, name in _ROWS.items():
        before = UNKNOWN if raw is None else Estimate(*interval(raw, measure))
        after = Estimate(*interval(result, measure))
        guess = result.guessing.get("linkage" if measure == "outsider" else measure, math.nan)
        told = _brief(before.value), _brief(after.value), _brief(guess)
        rows.append(Compared(name, before, after, guess, told))
    return rows


def _brief(share: float) -> str:
    return words.brief(words.percent(share)) if math.isfinite(share) else ""


def people_told(found: Result, days: int) -> str:
    """Where people are: what a column is, and whom the map leaves out."""
    least = found.config.least
    told = [
        f"A column counts the people recorded in a hexagon at least once in "
        f"{words.count(days, 'day')}: up to {int(found.people.max()):,} of "
        f"{found.n_people:,}, in hexagons with edges of about {words.distance(found.edge_m)}."
    ]
    if found.few:
        told.append(
            f"{words.count(found.few, 'hexagon')} with fewer than {least} people "
            f"{words.were(found.few)} left out, so that nobody can be picked out on this map."
        )
    if found.beyond:
        told.append(f"{words.count(found.beyond, 'hexagon')} with the fewest people are not drawn.")
    if found.unseen:
        told.append(
            f"{words.count(found.unseen, 'person').replace('persons', 'people')} "
            f"{words.were(found.unseen)} recorded in none of those drawn."
        )
    return " ".join(told)


def person_told(name: str, release: str, made: GloveResult, user: int, seen: Played) -> str:
    """One person's record, and what is published of it."""
    days = len(np.unique(seen.minute // 1440))
    places = len(np.unique(np.round(np.column_stack([seen.lon, seen.lat]), 5), axis=0))
    rows = np.flatnonzero(made.people == user)
    groups = made.group[rows]
    groups = groups[groups >= 0]
    told = (
        f"Left, {name} as recorded: {words.count(len(seen.minute), 'sample')} at "
        f"{words.count(places, 'place')} on {words.count(days, 'day')}; straight lines join one "
        "record to the next, the way between is not known."
    )
    if not len(groups):
        return f"{told} Right, in the release “{plain(release)}”: nothing is published of {name}."
    crowd = made.published.n_users[groups]
    at = np.concatenate(
        [np.arange(made.published.offsets[g], made.published.offsets[g + 1]) for g in groups]
    )
    side = float(np.median((made.published.dx_m[at] + made.published.dy_m[at]) / 2))
    span = float(np.median(made.published.dt_min[at]))
    alike = (
        f"{int(crowd.min()):,}"
        if crowd.min() == crowd.max()
        else (f"{int(crowd.min()):,} to {int(crowd.max()):,}")
    )
    return (
        f"{told} Right, in the release “{plain(release)}”: the very same "
        f"{words.count(len(at), 'area')}, published for {alike} people alike; half of them are at "
        f"most {words.distance(side)} wide and hold for at most {words.duration(span)}."
    )

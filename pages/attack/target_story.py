"""What an outsider can tell of one person after some known points, in sentences."""

from __future__ import annotations

import math

from fpanon_core.studies.attack_examples import Kind
from fpanon_core.studies.followed import Followed, Step
from pages.attack.figures import distance, off

HELP = (
    "A demonstration on one person of these data, by pseudonym. Points become known one after the "
    "other; after each, all records are put in order by how well they fit. On the map are the "
    "areas published near the points: of the person's own record, and of the three others that "
    "lead. The bars are the records that lead, ten at most, and the right one."
)
EXAMPLES: dict[Kind, str] = {
    "hidden": "hidden by it",
    "found": "found all the same",
    "home": "not named, home found",
    "accused": "not in it, accused",
}


def told(found: Followed, step: Step) -> list[str]:
    """What this step tells, in order: the point, who still fits, the order, the home."""
    return [
        *_point(found, step),
        _fitting(found, step),
        _order(found, step) if found.present else _accused(found, step),
        _before(step),
        *_home(found, step),
    ]


def _point(found: Followed, step: Step) -> list[str]:
    """When the latest point was."""
    if step.known == 0:
        return [f"Nothing is known yet of {found.pseudonym}."]
    at = step.known - 1
    when, timed = found.points["time"].iloc[at], math.isfinite(found.points["t_min"].iloc[at])
    moment = f", {when:%A, %-d %B, %H:%M}" if timed and hasattr(when, "strftime") else ""
    if step.known == 1:
        return [f"Of {found.pseudonym} the outsider knows 1 point{moment}."]
    last = f"; the last is of {moment[2:]}" if moment else ""
    return [f"Of {found.pseudonym} the outsider knows {step.known} points{last}."]


def _fitting(found: Followed, step: Step) -> str:
    """How many people's records hold all points exactly."""
    if step.known == 0:
        return f"Each of the {found.n_people:,} records could be the one."
    what = {1: "the point", 2: "both points"}.get(step.known, f"all {step.known} points")
    if not step.fitting:
        return f"No record holds {what} exactly."
    have = "has" if step.fitting == 1 else "have"
    of = f"{step.fitting:,} of {found.n_people:,}"
    fit = (
        f"{of} people {have} a record that holds"
        if found.period is None
        else f"{of} records {'holds' if step.fitting == 1 else 'hold'}"
    )
    own = "" if step.fits or not found.present else ", not this person's"
    return f"{fit} {what} exactly{own}."


def _order(found: Followed, step: Step) -> str:
    """Where the right record stands, by how well all records fit."""
    if step.known == 0:
        return f"Guessing picks out the right one with a chance of 1 in {found.n_people:,}."
    if step.better:
        ahead = "that of 1 other" if step.better == 1 else f"those of {step.better:,.0f} others"
        return (
            f"**The right record is not the one picked out**: {ahead} "
            f"{'fits' if step.better == 1 else 'fit'} better."
        )
    if step.level > 1:
        return (
            f"**The right record is one of {step.level:,.0f} people's that fit best and alike: it "
            f"is picked out with a chance of 1 in {step.level:,.0f}.**"
        )
    return "**The right record fits best: the outsider picks it out.**"


def _accused(found: Followed, step: Step) -> str:
    """Of somebody who is not in the release."""
    if not step.taken:
        return f"{found.pseudonym} is not in the release, and nobody's record is taken for theirs."
    return (
        f"**{found.pseudonym} is not in the release, and yet somebody else's record is taken for "
        "theirs.**"
    )


def _before(step: Step) -> str:
    """What the same points tell in the data as they are."""
    if step.known == 0:
        return ""
    if step.before_better:
        return "In the data as they are, the same points lead to somebody else."
    if step.before_level > 1:
        return (
            "In the data as they are, the same points leave a chance of 1 in "
            f"{step.before_level:,.0f}."
        )
    return "In the data as they are, the same points pick it out."


def _home(found: Followed, step: Step) -> list[str]:
    """Where the record in the lead says that the person lives, and how far off that is."""
    if step.known == 0 or found.commonest is None:
        return []
    if step.guess is None:
        return ["Several records lead alike: no home is told."]
    home, guess, common = found.home, step.guess, found.commonest
    if (guess.x_m, guess.y_m) == (common.x_m, common.y_m):
        return ["Of the home the record in the lead tells no more than everybody knows."]
    if home is None:
        return ["Where the home truly is, the data do not tell."]
    metres = math.hypot(guess.x_m - home.x_m, guess.y_m - home.y_m)
    verdict = "found" if metres <= found.within_m else "not found"
    return [
        f"By the nights of the record in the lead, the home is {off(metres)} from where it truly "
        f"is: {verdict}, to within {distance(found.within_m)}. Other attackers may guess better."
    ]

"""What is said before a second release of the same people is exported; pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from fpanon_core.model.composition import Crossing
from fpanon_core.model.published import Membership
from fpanon_core.studies import crossing_words
from pages.charts.plain import plain

from .exported import Left

QUESTION = "Did another release of these people leave before?"
EARLIER = (
    "Two releases that each keep everybody in a crowd may single people out together. What is "
    "exported in this session is compared by itself. Of what left earlier, from another session "
    "or the command line, give the files: the key says who is who, and is forgotten once it is "
    "read."
)


def before(left: Sequence[Left]) -> str:
    """What a release is held against, for the middle of a sentence."""
    names = "; ".join(plain(each.membership.name) for each in left)
    if len(left) > 1:
        return f"the {len(left)} releases that left before ({names})"
    return (
        f"the {'earlier release given' if left[0].given else 'release exported before'} ({names})"
    )


def known(left: Sequence[Left], made: Membership) -> str:
    """What is compared already."""
    if not left:
        return "Nothing has left so far that is known here."
    names = "; ".join(f"{plain(each.membership.name)} ({_how(each, made)})" for each in left)
    return f"Known here: {names}."


def _how(left: Left, made: Membership) -> str:
    if left.membership.digest == made.digest:
        return "this very release"
    return "its files were given" if left.given else "exported in this session"


def warning(found: Crossing, what: str) -> str:
    """That a crowd gets smaller, and how small."""
    return f"**A second release of the same people.** {crossing_words.told(found, what)}"


def meaning(found: Crossing) -> str:
    """Which knowledge that assumes, and what it is worth."""
    said = [crossing_words.MEANING, crossing_words.naming(found)]
    if found.smaller:  # else it has been said
        said.append(crossing_words.followed(found))
    said.append(crossing_words.counted(found))
    return f"**What this means.** {' '.join(each for each in said if each)}"


def unchanged(found: Crossing, what: str) -> str:
    """That no crowd gets smaller."""
    said = (
        crossing_words.told(found, what), crossing_words.followed(found),
        crossing_words.counted(found),
    )  # fmt: skip
    return " ".join(each for each in said if each)


def nobody(what: str) -> str:
    """That the people are others."""
    return (
        f"Nobody in this release is in {what}, by the ids in the records, in days that both are "
        "of: there is nothing to compare. If they are the same people under other ids, compare "
        "the files after giving them the same ids."
    )

"""What is said of two releases of the same people, in sentences; pure functions of the crossing."""

from __future__ import annotations

from ..model.composition import Crossing

MEANING = (
    "A few true points may lead to somebody's group in each release. What both say together is "
    "then said of the people in both groups only; of who is alone there, of nobody else."
)
"""Which knowledge the figures assume, and what it gives."""
FEW = 0.05
"""Of the smaller release: if fewer of its people are in both, that is worth a question."""


def told(found: Crossing, before: str, where: tuple[str, str] = ("there", "here")) -> str:
    """The main sentence.

    Parameters
    ----------
    before : str
        The release, or releases, that it is held against, such as "the release exported before
        (GLOVE, k = 2)".
    where : (str, str)
        What the first and the second are called at the end.
    """
    alone, both = found.together.alone, people(found.n_both)
    if found.only_first or found.only_second:
        both += " in both"
    within = "" if found.followed is None else " within a period"
    if found.falls and not found.smaller:
        return f"Together with {before}, nobody's crowd within a period gets smaller. " + (
            followed(found)
        )
    if not found.falls:
        end = (
            f"{alone:,} of {both} {_are(alone)} alone, each so in one of the two by itself, too."
            if alone
            else f"of {both}, everybody is one of at least {found.together.smallest:,} in "
            "the same two groups."
        )
        return f"Together with {before}, nobody's crowd{within} gets smaller: {end}"
    if not alone:
        return (
            f"Together with {before}, nobody is alone{within}, but {found.smaller:,} of {both} "
            f"{_have(found.smaller)} a smaller crowd than in either by itself.{_fall(found, where)}"
        )
    newly = found.newly_alone
    if newly == alone:
        by_itself = "in either by itself, none of them is"
    elif newly:
        by_itself = f"{newly:,} of them {_are(newly)} so in neither by itself"
    else:
        by_itself = "each of them is so in one of the two by itself, too"
    return f"Together with {before}, {_are_alone(found, both)}; {by_itself}.{_fall(found, where)}"


def naming(found: Crossing) -> str:
    """The mean chance, beside those by themselves and guessing."""
    return (
        "Whoever knows of somebody no more than the two groups, and who the people in them are, "
        f"names the right person with a chance of {_percent(found.together.naming)} on average; "
        f"by one release alone, {_percent(found.first.naming)} and "
        f"{_percent(found.second.naming)}; by guessing among all in both, "
        f"{_percent(found.guessing)}."
    )


def followed(found: Crossing) -> str:
    """What is left where somebody's groups are known in all periods; nothing without periods."""
    if found.followed is None:
        return ""
    both, first, second = (crowd.alone for crowd in found.followed)
    return (
        "All this is of one period at a time. Whoever knows somebody's groups in every period has "
        f"more: {both:,} of {people(found.n_both)} {_are(both)} then alone in both releases "
        f"together, {first:,} and {second:,} by one release alone."
    )


def counted(found: Crossing) -> str:
    """Who is in both, and who is not."""
    said = (
        f"{people(found.n_both)} {_are(found.n_both)} in both, of {found.n_first:,} and "
        f"{found.n_second:,}."
    )
    if found.n_both < FEW * min(found.n_first, found.n_second):
        said += " So few: are these releases of the same people, under the same ids?"
    return said


def people(number: int) -> str:
    """Such as "1 person", "600 people"."""
    return "1 person" if number == 1 else f"{number:,} people"


def _are_alone(found: Crossing, both: str) -> str:
    alone = found.together.alone
    return f"{alone:,} of {both} {_are(alone)} alone: nobody else is in the same group in both"


def _fall(found: Crossing, where: tuple[str, str]) -> str:
    """The smallest crowds; nothing where the smallest is as small by itself."""
    first, second = found.first.smallest, found.second.smallest
    if found.together.smallest == min(first, second):
        return ""
    return (
        f" The smallest crowd falls from {first:,} {where[0]} and {second:,} {where[1]} to "
        f"{found.together.smallest:,}."
    )


def _percent(share: float) -> str:
    value = 100 * share
    if 0 < value < 0.1:
        return "less than 0.1 %"
    return f"{value:.1f} %" if value < 10 else f"{value:.0f} %"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _have(number: int) -> str:
    return "has" if number == 1 else "have"

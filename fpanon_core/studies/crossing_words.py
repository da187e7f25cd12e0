"""What is said of two releases of the same people, in sentences; pure functions of the crossing."""

from __future__ import annotations

from ..model.crossing import Crossing, Crowd

MEANING = (
    "Whoever can tell somebody's group in both, for which a few true points may do, is left with "
    "the people who are in both groups; of one who is alone there, what the releases say together "
    "is said of nobody else."
)
"""Which knowledge the figures assume, and what it gives."""
FEW = 0.05
"""Of the smaller release: if fewer of its people are in both, that is worth a question."""


def told(found: Crossing, before: str) -> str:
    """The main sentence.

    Parameters
    ----------
    before : str
        The release, or releases, that it is held against, such as "the release exported before
        (GLOVE, k = 2)".
    """
    alone = found.together.alone
    if not found.falls:
        return (
            f"Together with {before}, nobody's crowd gets smaller: of {people(found.n_both)} in "
            f"both, everybody has at least {found.together.smallest} in the same two groups."
            if found.together.smallest > 1
            else f"Together with {before}, nobody's crowd gets smaller; {_are_alone(found)}, and "
            "are so in one of them by itself."
        )
    if not alone:
        return (
            f"Together with {before}, nobody is alone, but {found.smaller:,} of "
            f"{people(found.n_both)} in both {_have(found.smaller)} a smaller crowd than in either "
            f"by itself. {_fall(found)}"
        )
    by_itself = (
        "nobody is alone in either by itself"
        if found.newly_alone == alone and not found.first.alone and not found.second.alone
        else f"{found.newly_alone:,} of them in neither by itself"
    )
    return f"Together with {before}, {_are_alone(found)}; {by_itself}. {_fall(found)}"


def naming(found: Crossing) -> str:
    """The mean chance, beside those by themselves and guessing."""
    return (
        "Who knows the two groups, and who the people in them are, names the right one with a "
        f"chance of {_percent(found.together.naming)} on average; of one release alone, "
        f"{_percent(found.first.naming)} and {_percent(found.second.naming)}; by guessing among "
        f"all who are in both, {_percent(found.guessing)}."
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


def _are_alone(found: Crossing) -> str:
    alone = found.together.alone
    return (
        f"{alone:,} of {people(found.n_both)} {_are(alone)} alone: nobody else is in the same "
        "group in both"
    )


def _fall(found: Crossing) -> str:
    """The smallest crowds."""
    crowds: tuple[Crowd, ...] = (found.first, found.second)
    first, second = (crowd.smallest for crowd in crowds)
    if found.together.smallest == min(first, second):
        return ""
    return (
        f"The smallest crowd falls from {first:,} there and {second:,} here to "
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

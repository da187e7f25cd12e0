"""Of a release in periods: does a new pseudonym in each keep a person's records apart?"""

from __future__ import annotations

import streamlit as st

from fpanon_core.model.composition import ATTACKERS, RelinkResult
from fpanon_core.studies import relinking
from pages.attack import question
from pages.attack.figures import between, brief, percent
from pages.attack.form import Asked
from pages.charts import attack
from pages.charts.attack import UNKNOWN, Compared, Estimate
from pages.charts.style import Theme
from pages.shell import definitions, questions, widgets
from pages.shell.dataset import Dataset
from pages.shell.figure import show
from pages.shell.layout import what_this_means


def section(data: Dataset, asked: Asked, days: int, of: Theme) -> None:
    """What is brought together again from the release alone, beside chance."""
    st.header("Are the periods kept apart?", anchor=False, help=definitions.RELINKED)
    found: relinking.Result | None = questions.settle(
        question.relinked(data, asked),
        alone=questions.ordinary(data.fs),
        button="Link the periods",
    )
    if found is None:
        st.caption("The figure appears here as soon as the periods are linked.")
        return
    show(
        attack.before_and_after(rows(found.found), [], of),
        key="attack_relinked",
        alt="Share of people whose records of one period and the next are linked rightly, and of a "
        "person's records brought together over all periods, beside chance.",
    )
    what_this_means(*told(found.found, days), key="attack_relinked")


def rows(found: RelinkResult) -> list[Compared]:
    """For the figure: linked to the next, and brought together over all."""
    one, (linked, alike, chained) = widgets.one(found.period_days), _estimates(found)
    return [
        _row(f"linked to the next {one}", linked, found.chance, found.n_people),
        _row("… or to one that tells the same", alike, found.alike_chance, found.n_people),
        _row("of a person's records, in one chain", chained, found.chained_chance, found.n_chained),
    ]


def _estimates(found: RelinkResult) -> tuple[Estimate, Estimate, Estimate]:
    """Linked, linked to one that tells the same, brought together."""
    return (
        Estimate(found.share, found.low, found.high),
        Estimate(found.alike, found.alike_low, found.alike_high),
        Estimate(found.chained, found.chained_low, found.chained_high),
    )


def _row(name: str, after: Estimate, chance: float, people: int) -> Compared:
    told = ("", brief(percent(after.value, people)), brief(percent(chance, people)))
    return Compared(name, UNKNOWN, after, chance, told)


def told(found: RelinkResult, days: int) -> list[str]:
    """How much of what the periods took apart is brought together, beside chance."""
    one, people, (linked, alike, chained) = widgets.one(days), found.n_people, _estimates(found)
    sentences = [
        f"**By {ATTACKERS[found.attacker]}, without any known point, an attacker links a person's "
        f"record of one {one} to that of the next in {percent(linked.value, people)} of cases** "
        f"(95 % interval: {between(linked, people)}; {people:,} people with records in both); "
        f"matched at random, {percent(found.chance, people)}."
    ]
    if alike.value - linked.value >= 0.005:
        sentences.append(
            f"In {percent(alike.value, people)} ({between(alike, people)}) it is the person's next "
            "record, or one that tells the same of places and hours."
        )
    sentences.append(
        "Followed over all periods, of a person's records on average "
        f"{percent(chained.value, found.n_chained)} ({between(chained, found.n_chained)}) end in "
        f"one chain; at random, {percent(found.chained_chance, found.n_chained)}."
    )
    return sentences

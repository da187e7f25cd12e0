"""One person followed as points become known: on a map, and in the ranking of the records.

People appear by pseudonym only, and the selected person stays out of the address.

For a release in periods, this module also shows whether a new pseudonym in each period keeps a
person's records apart.
"""

from __future__ import annotations

import math
import secrets

import numpy as np
import streamlit as st

from fpanon_core.model.arrays import FloatArray
from fpanon_core.model.composition import ATTACKERS, RelinkResult
from fpanon_core.studies import relinking
from fpanon_core.studies.attack import Result
from fpanon_core.studies.followed import Followed, Place, Step
from pages.attack import form, story
from pages.attack.figures import between, percent
from pages.charts import attack, record, words
from pages.charts.attack import UNKNOWN, Compared, Estimate
from pages.charts.record import Bar, Scene
from pages.charts.style import Theme
from pages.shell import definitions, layout, questions, widgets
from pages.shell.dataset import Dataset
from pages.shell.figure import legend, show, show_map
from pages.shell.guard import act, fragment

_TARGET, _STEP, _STEPPED = "fp_attack_target", "fp_attack_step", "fp_attack_stepped"
Target = tuple[int, int | None]  # row number, and the number of the period


def section(data: Dataset, asked: form.Asked, result: Result, of: Theme) -> None:
    """Draw the choice of a person, and what the attacker can tell after each point."""
    st.header("One person followed", anchor=False, help=story.FOLLOWED_HELP)
    user, period = _pick(data, asked, result)
    wanted = form.followed_one(data, asked, result.after.link.attacker, user, period)
    if not questions.held(wanted):
        questions.ask(wanted)
    questions.progress(form.FOLLOWED)
    found: Followed | None = questions.answer(wanted)
    if found is None:
        told = "The map appears as soon as the attack on this person is over."
        questions.announce(form.FOLLOWED, told)
    else:
        _steps(found, of)


def _pick(data: Dataset, asked: form.Asked, result: Result) -> Target:
    """Return the selected person: an example of what the release does, or one drawn at random."""
    drawn = result.after.link.per_target
    offered = {each.kind: (each.user, each.period) for each in result.examples}
    about = form.attacked(data, asked).key
    chosen: tuple[object, Target] | None = st.session_state.get(_TARGET)
    if chosen is None or chosen[0] != about:
        _turn_to(about, next(iter(offered.values()), _nth(result, 0)))
    with st.container(horizontal=True, vertical_alignment="center", key="attack_examples"):
        st.markdown("Follow a person who is", width="content")
        for kind, person in offered.items():
            st.button(
                story.EXAMPLES[kind],
                key=f"attack_follow_{kind}",
                on_click=act(_turn_to),
                args=(about, person),
            )
        st.button(
            "drawn at random",
            key="attack_follow_random",
            icon=":material/casino:",
            on_click=act(_turn_to),
            args=(about, _nth(result, secrets.randbelow(len(drawn)))),  # decides only who is shown
        )
    target: Target = st.session_state[_TARGET][1]
    return target


def _nth(result: Result, row: int) -> Target:
    """Return the person, and the period if any, in a row of the table of people tested."""
    table = result.after.link.per_target
    period = int(table["period"].iloc[row]) if "period" in table else None
    return int(table["user"].iloc[row]), period


def _turn_to(about: object, target: Target) -> None:
    layout.overtake(_STEPPED)
    st.session_state[_TARGET] = about, target
    st.session_state[_STEP] = 1


@fragment()
def _steps(found: Followed, of: Theme) -> None:
    """Draw one step, with a control to change it; a change redraws only this part of the page."""
    last = len(found.steps) - 1
    at = min(int(st.session_state.get(_STEP, 1)), last)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.button(
            "Back",
            key="attack_back",
            icon=":material/arrow_back:",
            disabled=at == 0,
            on_click=act(_go),
            args=(at - 1,),
        )
        key = layout.key("attack_step", _STEPPED)
        st.slider(
            "Points known", 0, last, at, key=key, on_change=act(_take), args=(key,), width=320
        )
        st.button(
            "Next point",
            key="attack_next",
            icon=":material/arrow_forward:",
            type="primary",
            disabled=at == last,
            on_click=act(_go),
            args=(at + 1,),
        )
    step = found.steps[at]
    layout.what_this_means(*story.describe_step(found, step), key="attack_followed")
    legend(
        record.followed_legend(of),
        key="attack_marks",
        alt="What the marks on the map and the bars mean.",
    )
    left, right = layout.side_by_side("attack_followed")
    with left:
        seen = scene(found, step)
        show_map(
            None if seen is None else record.followed_map(seen, of, height=440),
            key="attack_map",
            alt=f"Map of {found.pseudonym} after {step.known} known points: where the person "
            "was, the points, and the published areas of the records that lead.",
        )
    with right:
        if step.known:
            show(
                record.ranking(bars(step), of),
                key="attack_ranking",
                alt="The attacker's probability that each leading record is the person's.",
            )


def _go(step: int) -> None:
    layout.overtake(_STEPPED)
    st.session_state[_STEP] = step


def _take(key: str) -> None:
    if layout.is_current(key, "attack_step", _STEPPED):
        st.session_state[_STEP] = int(st.session_state[key])


OTHERS_DRAWN = 3
"""Number of other people's leading records whose areas are drawn: more would hide each other."""


def scene(found: Followed, step: Step) -> Scene | None:
    """Return what the map shows after a step; None if the data have no map projection."""
    places = found.places[["lon", "lat"]].to_numpy(dtype=float)
    if not np.isfinite(places).all():
        return None
    rank = {each.record: each.rank for each in step.candidates}
    others = [each.record for each in step.candidates if not each.right][:OTHERS_DRAWN]
    near = found.areas[found.areas["point"] <= step.known]
    near = near[near["record"].isin(others) | near["right"]]
    # Records that fit equally well often show the same area; drawn on each other, they turn dark.
    near = near.drop_duplicates(["west", "south", "east", "north", "right"])
    own = found.areas.loc[found.areas["right"], ["west", "south", "east", "north"]].to_numpy()
    every = np.vstack([places, _all_points(found), own[:, :2], own[:, 2:]])
    return Scene(
        places=places,
        points=_all_points(found)[: step.known],
        areas=near[["west", "south", "east", "north"]].to_numpy(dtype=float),
        rank=np.array([rank.get(each, _behind(step)) for each in near["record"]], np.int64),
        right=near["right"].to_numpy(dtype=bool),
        home=_degrees(found.home),
        guess=_degrees(step.guess),
        around=(every[:, 0], every[:, 1]),
    )


def _all_points(found: Followed) -> FloatArray:
    """Return the positions of the points as the attacker knows them."""
    return found.points[["told_lon", "told_lat"]].to_numpy(dtype=float)


def _behind(step: Step) -> int:
    """Return the rank of the right record if it is not a leading one; 0 if unknown."""
    return 1 + round(step.better) if math.isfinite(step.better) else 0


def _degrees(place: Place | None) -> tuple[float, float] | None:
    if place is None or not math.isfinite(place.lon):
        return None
    return place.lon, place.lat


def bars(step: Step) -> list[Bar]:
    """Return the leading records, likeliest first, and the right one if it is not among them."""
    found = [Bar(each.rank, each.people, each.share, each.right) for each in step.candidates]
    if step.known and step.place is None and math.isfinite(step.better):
        found.append(Bar(_behind(step), 1, step.posterior, True))
    return found


def periods(data: Dataset, asked: form.Asked, days: int, of: Theme) -> None:
    """Draw how many records can be linked across periods from the release alone, and by chance."""
    st.header("Are the periods kept apart?", anchor=False, help=definitions.RELINKED)
    found: relinking.Result | None = questions.settle(
        form.relinked_periods(data, asked), button="Link the periods"
    )
    if found is None:
        questions.announce(
            form.RELINKED, "The figure appears here as soon as the periods are linked."
        )
        return
    show(
        attack.before_and_after(periods_rows(found.found), [], of),
        key="attack_relinked",
        alt="Share of people whose records of two consecutive periods are linked correctly, and "
        "share of a person's records in one chain, compared with chance.",
    )
    layout.what_this_means(*describe_periods(found.found, days), key="attack_relinked")


def periods_rows(found: RelinkResult) -> list[Compared]:
    """Return the figure's rows: records linked, linked to equal records, and in one chain."""
    one, (linked, alike, chained) = widgets.one(found.period_days), _estimates(found)
    return [
        _row(f"linked to the next {one}", linked, found.chance, found.n_people),
        _row("… or to one identical to it", alike, found.alike_chance, found.n_people),
        _row("of a person's records, in one chain", chained, found.chained_chance, found.n_chained),
    ]


def _estimates(found: RelinkResult) -> tuple[Estimate, Estimate, Estimate]:
    """Return three shares: linked, linked to equal records, and linked over all periods."""
    return (
        Estimate(found.share, found.low, found.high),
        Estimate(found.alike, found.alike_low, found.alike_high),
        Estimate(found.chained, found.chained_low, found.chained_high),
    )


def _row(name: str, after: Estimate, chance: float, people: int) -> Compared:
    found, guessed = (words.brief(percent(each, people)) for each in (after.value, chance))
    return Compared(name, UNKNOWN, after, chance, ("", found, guessed))


def describe_periods(found: RelinkResult, days: int) -> list[str]:
    """Say what share of people's records is linked across periods, compared with chance."""
    one, people, (linked, alike, chained) = widgets.one(days), found.n_people, _estimates(found)
    sentences = [
        f"**By {ATTACKERS[found.attacker]}, without any known point, an attacker links a person's "
        f"records of one {one} and the next in {story.cases(linked.value, people)}** "
        f"(95% interval: {between(linked, people)}; {people:,} people with records in both). "
        f"Random matching links {percent(found.chance, people)}."
    ]
    if alike.value - linked.value >= 0.005:
        sentences.append(
            f"In {percent(alike.value, people)} of cases ({between(alike, people)}) the attacker "
            "picks the person's next record, or one with the same places and hours."
        )
    sentences.append(
        "When records are linked over all periods, on average "
        f"{percent(chained.value, found.n_chained)} of a person's records "
        f"({between(chained, found.n_chained)}) end up in one chain. At random, "
        f"{percent(found.chained_chance, found.n_chained)} do."
    )
    return sentences

"""Up to four options side by side: the places they show, how far people are from hiding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

import numpy as np
import streamlit as st

from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.limits import COMPARED_OPTIONS
from fpanon_core.model.options import Periods, ReleaseOption
from fpanon_core.model.projection import Extent, central
from fpanon_core.studies import look
from fpanon_core.studies.options_table import OptionsTable
from pages.charts.cdf import Curve, cdf
from pages.charts.maps import MAX_CELLS, corners_of, released_map
from pages.charts.plain import plain
from pages.charts.style import CONFIG, Theme
from pages.options import story, tables
from pages.shell import questions
from pages.shell.figure import plot, show_map
from pages.shell.layout import what_this_means
from pages.shell.questions import Kind, Question
from pages.shell.workspace import attack

LOOK = Kind("look", look.study, page="options", kept=8, together=True)
_PINNED = "options_pinned"


def pinned(names: Sequence[str]) -> list[str]:
    """The list of pinned options; a click on the figure adds to it. The last can be attacked."""
    kept = [name for name in st.session_state.get(_PINNED, []) if name in names]
    if _PINNED in st.session_state and kept != st.session_state[_PINNED]:
        st.session_state[_PINNED] = kept
    found: list[str] = st.multiselect(
        f"Options to compare (up to {COMPARED_OPTIONS})",
        names,
        key=_PINNED,
        max_selections=COMPARED_OPTIONS,
        persist_state="session",
        placeholder="choose here, or click in the figure",
    )
    if found:
        attack(found[-1], key="options_attack", told=True)
    return found


def take_click(figure: str, names: Sequence[str]) -> None:
    """Pin the option that was clicked, or let it go."""
    selection = st.session_state[figure].get("selection", {})
    for point in selection.get("points", []):
        number = int(point["customdata"][0])
        if not 1 <= number <= len(names):
            continue
        name, kept = names[number - 1], list(st.session_state.get(_PINNED, []))
        if name in kept:
            kept.remove(name)
        elif len(kept) < COMPARED_OPTIONS:
            kept.append(name)
        st.session_state[_PINNED] = kept


def side_by_side(fs: FingerprintSet, table: OptionsTable, names: Sequence[str], of: Theme) -> None:
    """Maps, CDFs and numbers of the pinned options."""
    if not names:
        st.caption("Pin options to see them side by side.")
        return
    index = {option.name: i for i, option in enumerate(table.options)}
    asked = {name: _question(fs, table.options[index[name]], table.config.seed) for name in names}
    for question in asked.values():
        if not questions.held(question):
            questions.ask(question)
    questions.progress(LOOK)
    looks: dict[str, look.Result] = {
        name: found
        for name, question in asked.items()
        if (found := questions.answer(question)) is not None
    }
    if st.toggle("On the map", key="options_on_map", persist_state="session"):
        _maps(looks, names, of)
    periods = {n for n in names if _in_periods(table.options[index[n]])}
    _curves(looks, names, of, periods)
    rows = [index[name] for name in names]
    st.dataframe(tables.compared(table, rows), key="options_compared", height="content")


def _in_periods(option: ReleaseOption) -> bool:
    return any(isinstance(step, Periods) for step in option.steps)


def _question(fs: FingerprintSet, option: ReleaseOption, seed: int) -> Question:
    """By the steps alone, as the release is made by them."""
    config = look.Config(ReleaseOption(steps=option.steps), seed, MAX_CELLS)
    return Question(LOOK, fs, config, f"Making the release “{option.name}”")


def _maps(looks: Mapping[str, look.Result], names: Sequence[str], of: Theme) -> None:
    most = max((int(look.users.max()) for look in looks.values() if len(look.users)), default=1)
    around = _around(looks.values())
    for at in range(0, len(names), 2):
        with st.container(key=f"pair_options_maps_{at}"):
            columns = st.columns(2, gap="large")
        for column, name in zip(columns, names[at : at + 2], strict=False):
            with column:
                st.markdown(f"**{plain(name)}**")
                _map(
                    looks.get(name), name, most, around, of, key=f"options_map_{names.index(name)}"
                )
    if any(len(look.bounds) for look in looks.values()):
        st.caption(
            f"Colour: users seen at a place, from few (dark) to {most:,} (bright), logarithmic and "
            "alike in all maps; the mouse tells the number."
        )


def _around(looks: Iterable[look.Result]) -> Extent | None:
    """What all maps show: where nearly all places of nearly all releases are."""
    drawn = [look for look in looks if len(look.bounds)]
    if not drawn:
        return None
    corners = (corners_of(look.bounds) for look in drawn)
    lon, lat = (np.concatenate(parts) for parts in zip(*corners, strict=True))
    users = np.concatenate([np.repeat(look.users[: len(look.bounds)], 2) for look in drawn])
    return central(lon, lat, users)


def _map(
    found: look.Result | None, name: str, most: int, around: Extent | None, of: Theme, *, key: str
) -> None:
    if found is None:
        st.caption("The map appears as soon as the release is made.")
    elif around is None or not len(found.bounds):
        show_map(None, key=key, alt="")
    else:
        show_map(
            released_map(found.bounds, found.users, most, around, of, height=360),
            height=360,
            key=key,
            alt=f"Map of the published places of the release {name}, by users.",
        )
        if found.left_out:
            st.caption(
                f"The {len(found.bounds):,} places of most users are drawn; {found.left_out:,} "
                "more are not."
            )


def _curves(
    looks: Mapping[str, look.Result], names: Sequence[str], of: Theme, periods: Set[str]
) -> None:
    """The CDF of each; in those with periods a person has a record in each."""
    curves = [
        Curve(name, looks[name].gaps, of.categories[i], i)
        for i, name in enumerate(names)
        if name in looks and len(looks[name].gaps)
    ]
    if alone := [name for name in names if name in looks and not len(looks[name].gaps)]:
        st.caption(f"One user is in “{plain(alone[0])}”: there is nobody to compare with.")
    if not curves:
        return
    plot(
        cdf(
            curves,
            of,
            x_title="2-gap in the release: effort to look like the nearest other user",
            x_range=(0.0, max(0.05, *(float(c.values.max()) * 1.02 for c in curves))),
            height=320,
        ),
        key="options_gaps",
        theme=None,
        config=CONFIG,
        alt="Share of users by 2-gap, a curve for each pinned release.",
    )
    what_this_means(
        *(story.gaps_told(c.name, c.values, periods=c.name in periods) for c in curves),
        key="options_gaps",
    )

"""Up to four options side by side: the places they show, how far people are from hiding."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from fpanon_core.anonymize.table import OptionsTable
from pages.charts import words
from pages.charts.cdf import Curve, cdf
from pages.charts.maps import MAX_CELLS, released_map
from pages.charts.style import CONFIG, Theme

from . import answers, job_panel, session, tasks
from .answers import Question
from .dataset import Dataset
from .meaning import what_this_means
from .tasks import Look
from .weighing import COMPONENTS, RISKS

MOST = 4
_PINNED = "options_pinned"


def chosen(names: Sequence[str]) -> list[str]:
    """The list of pinned options; a click on the figure adds to it."""
    kept = [name for name in st.session_state.get(_PINNED, []) if name in names]
    if _PINNED in st.session_state and kept != st.session_state[_PINNED]:
        st.session_state[_PINNED] = kept
    found: list[str] = st.multiselect(
        f"Options to compare (up to {MOST})",
        names,
        key=_PINNED,
        max_selections=MOST,
        persist_state="session",
        placeholder="choose here, or click in the figure",
    )
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
        elif len(kept) < MOST:
            kept.append(name)
        st.session_state[_PINNED] = kept


def compare(data: Dataset, table: OptionsTable, names: Sequence[str], seed: int, of: Theme) -> None:
    """Maps, CDFs and numbers of the pinned options."""
    if not names:
        st.caption("Pin options to see them side by side.")
        return
    index = {result.option.name: i for i, result in enumerate(table.results)}
    rows = [index[name] for name in names]
    questions = [
        Question(
            "look",
            (data.digest, table.results[i].option.steps, seed),
            f"Making the release “{table.results[i].option.name}”",
            tasks.look,
            (data.fs, table.results[i].option, seed, MAX_CELLS),
        )
        for i in rows
    ]
    for question in questions:
        if not answers.held(question):
            answers.ask(question)
    with st.container(key="options_looking"):
        job_panel.show(session.jobs("look"), key="look_jobs", stop=answers.hold)
    looks: dict[str, Look] = {
        name: found
        for name, question in zip(names, questions, strict=True)
        if (found := answers.answer(question)) is not None
    }
    _maps(looks, names, of)
    _curves(looks, names, of)
    st.dataframe(_numbers(table, rows), key="options_compared", height="content")


def _maps(looks: dict[str, Look], names: Sequence[str], of: Theme) -> None:
    most = max((int(look.users.max()) for look in looks.values() if len(look.users)), default=1)
    for at in range(0, len(names), 2):
        with st.container(key=f"pair_options_maps_{at}"):
            columns = st.columns(2, gap="large")
        for column, name in zip(columns, names[at : at + 2], strict=False):
            with column:
                st.markdown(f"**{words.plain(name)}**")
                look = looks.get(name)
                if look is None:
                    st.caption("The map appears as soon as the release is made.")
                elif not len(look.bounds):
                    st.info("There is no map: the data carry no map projection.")
                else:
                    st.pydeck_chart(
                        released_map(look.bounds, look.users, most, of, height=360),
                        height=360,
                        key=f"options_map_{names.index(name)}",
                        alt=f"Map of the published places of the release {name}, by users.",
                    )
                    if look.left_out:
                        st.caption(
                            f"The {len(look.bounds):,} places of most users are drawn; "
                            f"{look.left_out:,} more are not."
                        )
    if any(len(look.bounds) for look in looks.values()):
        st.caption(
            f"Colour: users seen at a place, from few (dark) to {most:,} (bright), logarithmic and "
            "alike in all maps; the mouse tells the number."
        )


def _curves(looks: dict[str, Look], names: Sequence[str], of: Theme) -> None:
    curves = [
        Curve(name, looks[name].gaps, of.categories[i], i)
        for i, name in enumerate(names)
        if name in looks and len(looks[name].gaps)
    ]
    if alone := [name for name in names if name in looks and not len(looks[name].gaps)]:
        st.caption(f"One user is in “{words.plain(alone[0])}”: there is nobody to compare with.")
    if not curves:
        return
    st.plotly_chart(
        cdf(
            curves, of, x_title="2-gap in the release: effort to look like the nearest other user",
            x_range=(0.0, max(0.05, *(float(c.values.max()) * 1.02 for c in curves))), height=400,
        ),
        key="options_gaps",
        theme=None,
        config=CONFIG,
        alt="Share of users by 2-gap, a curve for each pinned release.",
    )  # fmt: skip
    what_this_means(
        *(
            f"In “{words.plain(c.name)}”, {words.share(int((c.values == 0).sum()), len(c.values))} "
            f"{'has' if (c.values == 0).sum() <= 1 else 'have'} a record that somebody else has, "
            "too."
            for c in curves
        ),
        key="options_gaps",
    )


def _numbers(table: OptionsTable, rows: Sequence[int]) -> pd.DataFrame:
    """A column for each pinned option, a row for each number."""
    columns = {}
    for i in rows:
        result = table.results[i]
        column = {"Users": f"{result.n_users:,}", "Samples": f"{result.n_samples:,}"}
        for name, title in RISKS.items():
            value, low, high = result.risks[name]
            column[title] = (
                f"{words.percent(value)} ({words.percent(low)} – {words.percent(high)})"
                if name == "unicity"
                else f"{value:.3g} ({low:.3g} – {high:.3g})"
            )
        for name, title in COMPONENTS.items():
            column[f"Utility: {title}"] = f"{result.components[name]:.2f}"
        column["Utility, weighted"] = f"{table.utility[i]:.2f}"
        column["On the front"] = "yes" if table.front[i] else "no"
        columns[result.option.name] = column
    return pd.DataFrame(columns)

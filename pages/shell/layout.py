"""The first line of a view: what is asked here, the field's word for it, and its settings.

What a figure means, in a sentence or two with this data's numbers, in one place under it.

Two things side by side where there is room, one below the other where there is not.

What the program refuses, on the screen: a message may quote names from outside.

Widgets whose value is also changed elsewhere: by a click on a figure, a button, Undo.

Such a widget gets a new key whenever it is overtaken, and so starts from its new default. Its
callback must ask :func:`is_current`: a browser that has not yet heard of the new widget still sends
the value of the old one, with every tick of a fragment that repeats itself, and Streamlit calls
the old one's callback.

What a view needs before it can show anything: an open data set of at least two users.
"""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fpanon_core.io.hints import for_screen
from fpanon_core.model.errors import FpanonError
from fpanon_core.studies.method import anchor
from pages.charts import style
from pages.charts.plain import MESSAGE_LENGTH, plain

from . import dataset, job_panel, navigation
from .dataset import Dataset
from .guard import end_view


def line(address: str, question: str = "", *, title: str = "") -> DeltaGenerator:
    """Draw it; returns its right end, for popovers with settings and explanations.

    Parameters
    ----------
    address : str
        Of the page.
    question : str
        In one sentence of at most some 70 letters, so that all stands in one line.
    title : str
        In place of the page's name.
    """
    place = navigation.place(address)
    with st.container(key="head", horizontal=True, vertical_alignment="center", gap="medium"):
        st.title(plain(title or place.title), anchor=False, width="content")
        word = f"*{place.word}*" if place.word else ""
        told = " · ".join(part for part in (word, question) if part)
        if told:
            st.markdown(told, width="content")
        return st.container(key="head_end", horizontal=True, horizontal_alignment="right")


def about(place: DeltaGenerator, *texts: str) -> None:
    """Long descriptions, sources and assumptions, one click away."""
    with place.popover("About", icon=":material/info:", type="tertiary", key="head_about"):
        for text in texts:
            st.markdown(text)


CALL_RECORDS = "call records of Ivory Coast and Senegal (Gramaglia & Fiore 2015)"


def formulas(section: str) -> None:
    """A link to the formulas behind a view: a section of the Method page, by its heading."""
    st.page_link(
        "pages/method/view.py",
        label=f"Method: {section}",
        icon=":material/function:",
        query_params={"section": anchor(section)},
    )


def what_this_means(
    *sentences: str, key: str, published: str = "", source: str = CALL_RECORDS
) -> None:
    """The paragraph under a figure; ``published`` is what a paper found on its own data.

    ``source`` names those data and, in brackets, authors and year.
    """
    with st.container(key=f"meaning_{key}"):
        st.markdown("**What this means.** " + " ".join(s for s in sentences if s))
        if published:
            data, _, paper = source.partition(" (")
            with st.popover("Published for comparison", type="tertiary", key=f"published_{key}"):
                st.caption(
                    f"Published for {data} ({paper.removesuffix(')')}; other data, so compare the "
                    f"shape only): {published}"
                )


_LEAST_WIDTH = "25rem"  # below that a figure's titles and ticks no longer fit


def side_by_side(key: str) -> list[st.delta_generator.DeltaGenerator]:
    """Two equal columns that wrap on a narrow screen, such as a projector's."""
    with st.container(key=f"pair_{key}"):
        return list(st.columns(2, gap="large"))


def dress() -> None:
    """The few rules of style that Streamlit's theme has no setting for; call once a run."""
    theme = style.theme(st.context.theme.type)
    ink, faint = theme.css("ink"), theme.css("faint")
    st.html(
        "<style>"
        '[class*="st-key-pair_"] [data-testid="stColumn"] '
        f"{{min-width: min({_LEAST_WIDTH}, 100%);}}"
        # The accent is dark enough for white text on it, and so too dark for text of its own.
        '[data-testid="stButtonGroup"] button[data-selected="true"] * '
        f"{{color: {ink}; font-weight: 600;}}"
        '[data-testid="stSlider"] [data-testid="stMarkdownContainer"] p '
        f"{{color: {ink};}}"
        # The frame takes as little of the first screen as it can.
        '[data-testid="stMainBlockContainer"] {padding: 2.2rem 2.5rem 2rem;}'
        '[data-testid="stSidebarHeader"] {height: 2.2rem; margin-bottom: 0;}'
        '[data-testid="stSidebarUserContent"] {padding: 0 0.3rem 1rem;}'
        '.st-key-overview_four [data-testid="stPageLink-NavLink"] {padding-left: 0;}'
        ".st-key-navigation em {font-size: 0.8em; font-style: normal; margin-left: 0.2em;}"
        '.st-key-navigation [data-testid="stCaptionContainer"] {margin-top: 0.9rem;}'
        '.st-key-navigation [data-testid="stCaptionContainer"] p '
        "{font-weight: 600; letter-spacing: 0.02em;}"
        ".st-key-bar p {font-size: 0.82rem;}"
        ".st-key-bar button {padding: 0 0.2rem; min-height: 1.9rem;}"
        f".st-key-bar {{border-bottom: 1px solid {faint}; padding-bottom: 0.2rem;}}"
        # On a projector's narrow screen the list of pages leaves more room to the page.
        "@media (max-width: 1100px) {"
        '[data-testid="stMainBlockContainer"] {padding: 2rem 1rem 1.5rem;}'
        "html {font-size: 14px !important;}"
        '[data-testid="stSidebar"] {width: 15.5rem !important; min-width: 15.5rem !important;}'
        ".st-key-navigation em {display: none;}"
        "}"
        "</style>"
    )


def say(error: FpanonError | str) -> None:
    """A box with what was found, what was expected and what to do; an error, or its message."""
    message = error if isinstance(error, str) else error.message
    st.error(plain(for_screen(message), MESSAGE_LENGTH))


def overtake(*counters: str) -> None:
    """The widgets that go by these counters start anew."""
    for name in counters:
        st.session_state[name] = st.session_state.get(name, 0) + 1


def key(name: str, counter: str) -> str:
    """Key of a widget, another one each time it was overtaken."""
    overtaken = st.session_state.get(counter, 0)
    return f"{name}_{overtaken}" if overtaken else name


def is_current(present: str, name: str, counter: str) -> bool:
    """Whether a callback was called for the widget that is shown now."""
    return present == key(name, counter)


def data(key: str, *, without: str, then: str) -> Dataset:
    """The data set in use; the view ends here while there is none.

    Parameters
    ----------
    key : str
        Of the view, for its widgets.
    without, then : str
        What to say when no data set is open, and while one is being read.
    """
    opening = dataset.opening()
    if opening is not None:
        job_panel.show([opening], key=f"{key}_opening")
        if opening.active:
            st.caption(then)
            end_view()
    if dataset.asked() is not None:
        st.warning("The file that you opened is not measured yet: its positions are doubtful.")
        st.page_link(
            "pages/data/view.py", label="Answer on the Data page", icon=":material/folder_open:"
        )
        end_view()
    found = dataset.current()
    if found is None:
        st.info(without)
        st.caption("This is a new session. Each browser tab has its own, with data of its own.")
        st.page_link("pages/overview/view.py", label="Go to the start", icon=":material/home:")
        end_view()
    if found.fs.n_users < 2:
        st.error(
            "This data set has 1 user, and one user alone cannot hide among others. Open data with "
            "at least 2 users, or loosen the screening on the Data page."
        )
        end_view()
    return found

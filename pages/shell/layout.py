"""Layout of a view: its first line, with the question, its technical term and the settings.

The module also holds what views share:

- What a figure means: one or two sentences with the numbers of these data, in one place beside the
  figure.
- Two things side by side where there is room, one below the other where there is not.
- Errors on the screen, with names from files shown as plain text.
- Widgets whose value is also changed elsewhere: by a click on a figure, a button, Undo. Such a
  change gives the widget a new key, so that it starts from its new default. Its callback must ask
  :func:`is_current`. A browser that has not drawn the new widget yet still sends the old one's
  value whenever a fragment redraws itself. Streamlit then calls the old widget's callback.
- What a view needs before it can show anything: an open data set of at least two users.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fpanon_core.io.hints import for_screen
from fpanon_core.model.arrays import IntArray
from fpanon_core.model.errors import FpanonError
from fpanon_core.studies.method import anchor
from pages.charts import style
from pages.charts.plain import MESSAGE_LENGTH, plain

from . import dataset, guard, job_panel, navigation
from .guard import act, end_view

FOLLOWING = "The figures follow as soon as the data are read."
_LIST_UP_TO = 5_000  # people in a list to choose from
_RULES = Template(Path(__file__).with_suffix(".css").read_text(encoding="utf-8"))


def line(address: str, question: str = "", *, title: str = "") -> DeltaGenerator:
    """Draw the first line; return its right end, for popovers with settings and explanations.

    Parameters
    ----------
    address : str
        Address of the page.
    question : str
        One sentence of at most about 70 characters, so that everything fits on one line.
    title : str
        Replaces the page's name.
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
    """Draw long descriptions, sources and assumptions, one click away."""
    with place.popover("About", icon=":material/info:", type="tertiary", key="head_about"):
        for text in texts:
            st.markdown(text)


CALL_RECORDS = "call records of Ivory Coast and Senegal (Gramaglia & Fiore 2015)"


def formulas(section: str) -> None:
    """Draw a link to the formulas behind a view: a section of the Method page, by its heading."""
    st.page_link(
        "pages/method/view.py",
        label=f"Method: {section}",
        icon=":material/function:",
        query_params={"section": anchor(section)},
    )


def what_this_means(
    *sentences: str, key: str, published: str = "", source: str = CALL_RECORDS
) -> None:
    """Draw the finding of a figure, the first of the sentences; the "?" opens the others.

    Parameters
    ----------
    sentences : str
        The finding; then the people it covers, how sure it is, what is assumed, and what is left
        out.
    key : str
        Suffix of the widgets' keys.
    published : str
        What a paper found on its own data.
    source : str
        The paper's data and, in brackets, authors and year.
    """
    said = [each for each in sentences if each]
    if not said:
        return
    finding, *more = said
    if published:
        data, _, paper = source.partition(" (")
        more.append(
            f"Published for {data} ({paper.removesuffix(')')}; other data, so compare the shape "
            f"only): {published}"
        )
    with st.container(key=f"meaning_{key}", horizontal=True, vertical_alignment="center"):
        st.markdown(finding, width="content")
        details(*more, key=key)


def details(*texts: str, key: str) -> None:
    """Draw the "?" of a finding, if there is more to say; each text is a paragraph."""
    if told := "\n\n".join(filter(None, texts)):
        with st.popover("Details", icon=":material/help:", type="tertiary", key=f"details_{key}"):
            st.markdown(told)


def side_by_side(key: str) -> list[st.delta_generator.DeltaGenerator]:
    """Return two equal columns that wrap on a narrow screen, such as a projector's."""
    with st.container(key=f"pair_{key}"):
        return list(st.columns(2, gap="large"))


def dress() -> None:
    """Apply the few rules of style that Streamlit's theme has no setting for; call once a run."""
    theme = style.theme(st.context.theme.type)
    rules = _RULES.substitute(ink=theme.css("ink"), faint=theme.css("faint"))
    st.html(f"<style>{rules}</style>")


def say(error: FpanonError | str) -> None:
    """Draw an error or its message in a box: what was found, what was expected, what to do."""
    st.error(as_shown(error if isinstance(error, str) else error.message))


def as_shown(message: str) -> str:
    """Return a message, which may quote names from outside, as the screen shows it."""
    return plain(for_screen(message), MESSAGE_LENGTH)


def overtake(*counters: str) -> None:
    """Give the widgets of these counters new keys, so that they start from new defaults."""
    for name in counters:
        st.session_state[name] = st.session_state.get(name, 0) + 1


def key(name: str, counter: str) -> str:
    """Return the key of a widget; :func:`overtake` changes the key."""
    overtaken = st.session_state.get(counter, 0)
    return f"{name}_{overtaken}" if overtaken else name


def is_current(present: str, name: str, counter: str) -> bool:
    """Return whether a callback was called for the widget that is shown now."""
    return present == key(name, counter)


@dataclass(frozen=True)
class Pick:
    """One of several items, selected in a widget, by a button or by a click.

    Attributes
    ----------
    state : str
        Key in the session's state under which the number of the item is kept.
    drops : str
        Key of the value that is dropped when another item is picked.
    """

    state: str
    drops: str = ""

    @property
    def picked(self) -> str:
        """Return the name of the counter that the widgets for this selection use."""
        return f"{self.state}_picked"

    def now(self, among: Sequence[int] | IntArray, usual: int) -> int:
        """Return the selected item's number; select ``usual`` if the number is not in ``among``."""
        if st.session_state.get(self.state) not in among:
            self.turn_to(usual)
        return int(st.session_state[self.state])

    def turn_to(self, number: int) -> None:
        """Select another item, picked outside the widget."""
        overtake(self.picked)
        self._take(number)

    def widget(self, name: str, among: Sequence[int] | IntArray) -> dict[str, Any]:
        """Return the arguments of the widget that picks by number: its key and its callback."""
        present = key(name, self.picked)
        return {"key": present, "on_change": act(self._chosen), "args": (present, name, among)}

    def buttons(self, name: str, ways: Mapping[str, int]) -> None:
        """Draw a button for each number; its key ends in the first word of its label."""
        for label, number in ways.items():
            at = f"{name}_{label.split()[0].lower()}"
            guard.button(label, self.turn_to, number, key=at)

    def person(
        self,
        name: str,
        numbers: IntArray,
        names: Sequence[str],
        ways: Mapping[str, int],
        help: str,
        usual: str = "In the middle",
    ) -> int:
        """Draw the choice of a person, and return the row of the selected person.

        Parameters
        ----------
        name : str
            Beginning of the keys of the widgets.
        numbers : int ndarray (n,)
            Number of the pseudonym of the person in each row.
        names : sequence of str
            Pseudonym of the person in each row.
        ways : mapping of str to int
            Rows by the labels of their buttons.
        usual : str
            Label of the button whose person is selected at first.
        """
        by_number = {label: int(numbers[row]) for label, row in ways.items()}
        number = self.now(numbers, by_number[usual])
        row = int(np.flatnonzero(numbers == number)[0])
        with st.container(horizontal=True, vertical_alignment="bottom"):
            if len(numbers) <= _LIST_UP_TO:
                how = self.widget(f"{name}_list", numbers) | {"help": help, "width": 220}
                called = dict(zip(numbers.tolist(), names, strict=True)).__getitem__
                st.selectbox("Person", numbers.tolist(), row, format_func=called, **how)
            else:
                how = self.widget(f"{name}_number", numbers) | {"help": help, "width": 260}
                label = "Person (number of the pseudonym)"
                if st.number_input(label, 1, int(numbers.max()), number, **how) not in numbers:
                    st.warning("Nobody here has this number.")
            self.buttons(name, by_number)
        return row

    def _chosen(self, present: str, name: str, among: Sequence[int] | IntArray) -> None:
        number = st.session_state[present]
        if number in among and is_current(present, name, self.picked):
            self._take(int(number))

    def _take(self, number: int) -> None:
        st.session_state[self.state] = number
        if self.drops:
            st.session_state.pop(self.drops, None)


def data(key: str, without: str, *, then: str = FOLLOWING) -> dataset.Dataset:
    """Return the data set in use; end the view here while there is none with two people or more.

    Parameters
    ----------
    key : str
        Name of the view, for the keys of its widgets.
    without : str
        End of the sentence shown while no data set is open: what can be done with data here.
    then : str
        What to say while a data set is being read.
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
        st.info(f"No data set is open yet. Open a sample, or your own data{without}")
        st.caption("This session has no data. Data opened in another browser tab stay there.")
        st.page_link("pages/overview/view.py", label="Go to the start", icon=":material/home:")
        end_view()
    if found.fs.n_users < 2:
        st.error(
            "This data set has 1 person, and one person alone cannot hide among others. Open data "
            "with at least 2 people, or loosen the screening on the Data page."
        )
        end_view()
    return found

"""The dashboard's pages in the order of the workflow, and the list of them beside every page.

Streamlit's own list cannot be grouped without markup that confuses screen readers, so this one is
built of links.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import streamlit as st
from streamlit.navigation.page import Page

from pages.charts.plain import plain


@dataclass(frozen=True)
class Place:
    """A page: where it is, and what it is called.

    Attributes
    ----------
    folder : str
        Folder of its view, below ``pages``.
    address : str
        Last part of the page's address; empty for the first page.
    title : str
        Name of the page, in a few words.
    word : str
        The technical term for the page's subject; may be empty.
    icon : str
        Name of one of Google's Material icons.
    """

    folder: str
    address: str
    title: str
    word: str
    icon: str

    @property
    def view(self) -> str:
        """Return the file that draws the page."""
        return f"pages/{self.folder}/view.py"


GROUPS: dict[str, tuple[Place, ...]] = {
    "": (Place("overview", "", "Overview", "", "dashboard"),),
    "The data": (Place("data", "data", "Data", "", "folder_open"),),
    "Risk": (
        Place("unicity", "unicity", "Who can be found", "unicity", "person_search"),
        Place(
            "anonymizability", "anonymizability", "How hard to hide", "anonymizability", "groups"
        ),
        Place("disclosure", "disclosure", "What is learnt", "disclosure", "visibility"),
        Place("aggregates", "aggregates", "Would counts be safer", "aggregates", "grid_on"),
    ),
    "Protect": (
        Place("tables", "tables", "Replace the records", "", "table_chart"),
        Place("hiding", "glove", "Hide everyone", "GLOVE, aligned", "blur_on"),
        Place("options", "options", "Release options", "risk, utility", "balance"),
        Place("attack", "attack", "Attack the release", "linkage", "gpp_maybe"),
    ),
    "Decide": (
        Place("report", "report", "Report", "", "description"),
        Place("present", "present", "Present", "", "slideshow"),
    ),
    "Definitions": (Place("method", "method", "Method", "formulas", "function"),),
}
"""Pages by heading, in the order of the workflow."""

PLACES = tuple(place for group in GROUPS.values() for place in group)
_BY_ADDRESS = {place.address: place for place in PLACES}
# Overview and Data have buttons that lead on; Method is no step.
_NEXT = {place.address: following for place, following in pairwise(PLACES[2:-1])}


def pages() -> list[Page]:
    """Return all pages, as Streamlit needs them."""
    return [
        st.Page(place.view, title=place.title, url_path=place.address, default=not place.address)
        for place in PLACES
    ]


def place(address: str) -> Place:
    """Return the page at an address.

    Raises
    ------
    KeyError
        There is no page at the address.
    """
    return _BY_ADDRESS[address]


def draw() -> None:
    """Draw the list of pages, in groups with headings, at the current position."""
    with st.container(key="navigation", gap=None):
        for heading, group in GROUPS.items():
            if heading:
                st.caption(heading)
            for each in group:
                _link(each, each.icon)


def onward(address: str) -> None:
    """Draw a link from the page at an address to the next page of the workflow, if there is one."""
    if following := _NEXT.get(address):
        with st.container(key="navigation_next", gap=None):
            st.caption("Next page")
            _link(following, "arrow_forward")


def _link(place: Place, icon: str) -> None:
    word = f" *{place.word}*" if place.word else ""
    label = plain(place.title) + word
    st.page_link(place.view, label=label, icon=f":material/{icon}:", width="stretch")

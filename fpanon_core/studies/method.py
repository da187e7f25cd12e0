"""Definitions of all figures, and their references, as shipped with the program."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from ..model.version import SHIPPED

_HEADING = re.compile(r"^(#{1,2}) +(.+?)\s*$", re.MULTILINE)
_WORK = re.compile(r"^### +(.+?)\s*$", re.MULTILINE)


def docs_folder() -> Path:
    """Return the documents' folder: inside the installed package or, in a checkout, beside it."""
    return SHIPPED / "docs"


@cache
def sections() -> dict[str, str]:
    """Return the sections of the current definitions, Markdown with formulas, by heading.

    The text before the first section has the document's title as its key.

    Examples
    --------
    >>> "k-gap" in sections()
    True
    """
    return _split(_document("science.md"), _HEADING)


@cache
def words() -> str:
    """Return the glossary: Markdown with a table for each topic."""
    text = _document("words.md")
    return text[text.index("\n## ") :].strip()


@cache
def references() -> dict[str, str]:
    """Return every work, data set and program that is cited, by its citation key.

    Examples
    --------
    >>> "10.1038/srep01376" in references()["de Montjoye et al. 2013"]
    True
    """
    groups = _split(_document("references.md"), _HEADING).values()
    return {key: entry for group in groups for key, entry in _split(group, _WORK).items()}


def cited(text: str) -> dict[str, str]:
    """Return the references that a text cites, in the order of the list of references."""
    plain = re.sub(r"\s+", " ", text)
    return {
        key: entry
        for key, entry in references().items()
        if re.search(rf"\b{re.escape(key)}\b", plain, re.IGNORECASE)
    }


def anchor(heading: str) -> str:
    """Return a heading in the form used in links and addresses.

    Examples
    --------
    >>> anchor("Hiding everyone: GLOVE")
    'hiding-everyone-glove'
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _document(name: str) -> str:
    return (docs_folder() / name).read_text(encoding="utf-8")


def _split(text: str, heading: re.Pattern[str]) -> dict[str, str]:
    """Return the text between each heading and the next, by heading."""
    found = list(heading.finditer(text))
    ends = [match.start() for match in found] + [len(text)]
    return {
        match.groups()[-1]: text[match.end() : end].strip()
        for match, end in zip(found, ends[1:], strict=True)
    }

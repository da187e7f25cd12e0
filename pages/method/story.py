"""The documents as the page shows them: parts under headings, without links to other files."""

from __future__ import annotations

import re
from collections.abc import Mapping

from fpanon_core.studies import method

GLOSSARY = "Glossary"
REFERENCES = "References"

_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_MORE = re.compile(r" \(\[more\]\(science\.md#([^)\s]+)\)\)")


def headings() -> dict[str, str]:
    """Return the heading of each part, in reading order, by its anchor."""
    first, *more = method.sections()
    return {method.anchor(name): name for name in (first, GLOSSARY, *more, REFERENCES)}


def text_of(heading: str) -> str:
    """Return the Markdown of a part, with its own headings below the second level."""
    if heading == REFERENCES:
        return entries(method.references())
    text = method.words() if heading == GLOSSARY else method.sections()[heading]
    return within(re.sub(r"^## ", "### ", text, flags=re.MULTILINE))


def entries(works: Mapping[str, str]) -> str:
    """Return the cited works as a Markdown list."""
    told = (" ".join(entry.split()) for entry in works.values())
    return within("\n".join(f"- **{key}**. {text}" for key, text in zip(works, told, strict=True)))


def within(text: str) -> str:
    """Return a text without links to other files, whose content is elsewhere on the page.

    Examples
    --------
    >>> within("a set ([more](science.md#k-gap)); [the list](references.md)")
    'a set (see “k-gap”); the list'
    """
    known = {method.anchor(name): name for name in method.sections()}
    text = _MORE.sub(lambda link: f" (see “{known.get(link[1], link[1])}”)", text)
    text = text.replace("[references.md](references.md)", f"“{REFERENCES}”")
    text = text.replace("[words.md](words.md)", f"“{GLOSSARY}”")
    return _LINK.sub(lambda link: link[0] if link[2].startswith("http") else link[1], text)

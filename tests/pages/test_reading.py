"""How much there is to read on each page, and how long its sentences are: a table, and its limits.

Counted is what is seen before anything is unfolded, without what stands in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

from streamlit.testing.v1 import AppTest

from tests.pages.test_vocabulary import NOT_OURS
from tests.support.views import go, idle, keep_choice, opened, page_lines, until

LONGEST, MEAN = 25, 15  # words of a sentence
MOST = 150  # words of a page, without its title and its question
PAGES = (
    *("overview", "data", "unicity", "anonymizability", "disclosure", "aggregates", "tables"),
    *("hiding", "options", "attack", "report", "present", "method"),
)
_MARKS = re.compile(r":material/\w+:|[*_`#]|\$[^$]*\$")
_BRACKETS = re.compile(r"\([^()]*\)")


class Read(NamedTuple):
    """What is to be read on a page."""

    words: int
    sentences: list[str]

    @property
    def lengths(self) -> list[int]:
        """Words of each sentence."""
        return [len(each.split()) for each in self.sentences] or [0]

    @property
    def mean(self) -> float:
        """Words of a sentence."""
        return sum(self.lengths) / len(self.lengths)


def read(at: AppTest) -> Read:
    """What a page shows before anything is unfolded."""
    texts = page_lines(at, folded=False)
    return Read(sum(len(text.split()) for text in texts), list(_sentences(texts)))


def _sentences(texts: list[str]) -> Iterator[str]:
    """Without lists of figures and tables, which nobody reads through."""
    for line in "\n".join(texts).splitlines():
        for each in re.split(r"(?<=[.!?])\s+", _BRACKETS.sub("", _MARKS.sub("", line))):
            listed = each.startswith("|") or each.count(";") > 2 or each.count("“") > 2
            if len(each.split()) > 2 and not listed:
                yield each


def printed(at: AppTest) -> Read:
    """The sentences of the report; its words are those of several pages, and are not held."""
    page = re.sub(r"(?s)<(script|style|svg).*?</\1>", "", str(at.get("iframe")[0].proto.srcdoc))
    blocks = re.findall(r"(?s)<(p|li|dd|figcaption)\b[^>]*>(.*?)</\1>", page)
    texts = [unescape(re.sub(r"<[^>]+>", "", text)).replace("\n", " ") for _, text in blocks]
    return Read(sum(len(text.split()) for text in texts), list(_sentences(texts)))


def test_a_page_is_read_in_a_minute(app: AppTest) -> None:
    found: dict[str, Read] = {}
    for page in PAGES:
        go(app, page)
        found[f"{page}, nothing open"] = read(app)
    go(app, "overview")
    opened(app)
    for page in PAGES:
        go(app, page)
        until(app, idle)
        if page == "hiding":
            app.button(key="glove_run").click().run()
        elif page == "options":
            keep_choice(app, app.selectbox(key="options_choice_name").options[1], "Because.")
        elif page == "attack":
            app.selectbox(key="attack_release").select_index(0).run()
        until(app, idle)
        found[page] = read(go(app, page))
        if page == "report":
            found["the report, printed"] = printed(app)
    print()
    for name, each in found.items():
        print(f"{name:32}{each.words:5} words, {each.mean:5.1f} a sentence", end="")
        print(f", {max(each.lengths):3} at most")
    long = {s for each in found.values() for s in each.sentences if len(s.split()) > LONGEST}
    assert not long, "\n".join(sorted(long))
    every = [sentence for each in found.values() for sentence in each.sentences]
    assert not [match.group() for each in every for match in NOT_OURS.finditer(each)]
    assert not {name: each.mean for name, each in found.items() if each.mean > MEAN}
    del found["the report, printed"]
    assert not {name: each.words for name, each in found.items() if each.words > MOST}

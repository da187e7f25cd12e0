"""Is the officer's guide true to the screens, and are the pictures those that are taken?"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from PIL import Image

from pages.shell import navigation
from tests.browser.pictures import FOLDER, MOST_BYTES, NAMES

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guide.md"
README = ROOT / "README.md"
ITALICS = re.compile(r"(?<![*\w])\*([^*]+)\*(?![*\w])")
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")


def said_on_screen() -> list[str]:
    """Every text in the code of the pages, adjacent ones joined."""
    return [
        re.sub(r"\s+", " ", node.value)
        for path in sorted((ROOT / "pages").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def not_on_screen(text: str, said: list[str]) -> list[str]:
    """The words in italics that no page says; from a number on they may be others."""
    named = [re.sub(r"\s+", " ", words) for words in ITALICS.findall(text)]
    return [
        words
        for words in named
        if not any(re.split(r"\d", words)[0].rstrip(" ?.") in each for each in said)
    ]


def test_what_the_guide_names_stands_on_the_screens() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    assert len(ITALICS.findall(text)) > 40
    assert not_on_screen(text, said_on_screen()) == []


def test_the_guide_leads_to_every_page() -> None:
    named = {re.sub(r"\s+", " ", each) for each in ITALICS.findall(GUIDE.read_text())}
    # Neither is on the way: how one hides with settings of one's own.
    assert {place.title for place in navigation.PLACES} - named == {"Hide everyone"}


@pytest.mark.parametrize("document", [README, GUIDE], ids=lambda path: path.name)
def test_it_shows_the_four_pictures_and_says_in_words_what_is_on_them(document: Path) -> None:
    found = PICTURE.findall(document.read_text(encoding="utf-8"))
    assert [(document.parent / path).resolve() for _, path in found] == [
        FOLDER / name for name in NAMES
    ]
    assert all(len(words) > 20 for words, _ in found)


def test_the_pictures_are_small_and_no_others_are_there() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(NAMES)
    for name in NAMES:
        assert (FOLDER / name).stat().st_size <= MOST_BYTES
        with Image.open(FOLDER / name) as picture:
            assert picture.size == (1440, 900)


def test_the_readme_says_in_ten_lines_what_it_is() -> None:
    text = README.read_text(encoding="utf-8").split("**fpanon** tells")[1].split("**[The off")[0]
    assert re.findall(r"^(\d+)\. ", text, flags=re.M) == [str(n) for n in range(1, 11)]
    assert max(map(len, text.splitlines())) <= 130

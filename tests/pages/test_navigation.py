"""Where the dashboard's pages are named, are they those that there are?"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from pages.shell import navigation
from tests.browser.dashboard import VIEWS
from tests.pages.test_study import calls
from tests.support.views import APP

PAGES = APP.parent / "pages"


@pytest.fixture
def listed() -> dict[str, tuple[str, str]]:
    """By folder, address and title."""
    found = {place.folder: (place.address, place.title) for place in navigation.PLACES}
    assert len(found) == len(navigation.PLACES)
    assert [folder for folder, (address, _) in found.items() if not address] == ["overview"]
    return found


def kinds(path: Path) -> list[ast.Call]:
    """Where a file says ``Kind(...)``."""
    return [call for call in calls(path) if ast.unparse(call.func).split(".")[-1] == "Kind"]


def users_of(name: str) -> list[str]:
    """The files that take this attribute of anything, once for each time."""
    return [
        path.relative_to(PAGES).as_posix()
        for path in sorted(PAGES.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == name
    ]


def test_every_view_is_listed(listed: dict[str, tuple[str, str]]) -> None:
    assert set(listed) == {view.parent.name for view in PAGES.glob("*/view.py")}


def test_a_kind_of_question_is_shown_on_a_page_that_there_is(
    listed: dict[str, tuple[str, str]],
) -> None:
    """By its address, in which a slip would show its progress twice: in the sidebar, too."""
    asked = {path: kinds(path) for path in sorted(PAGES.rglob("*.py"))}
    assert sum(map(len, asked.values())) > len(listed)
    for path, found in asked.items():
        where = path.relative_to(PAGES)
        address, _ = listed.get(where.parts[0], (None, ""))
        for call in found:
            page = next((each.value for each in call.keywords if each.arg == "page"), None)
            assert isinstance(page, ast.Constant), f"{where}: {ast.unparse(call)} names no page"
            # What several pages ask is told of in the shell: on the page of one of them.
            shared = {of for of, _ in listed.values()} if where.parts[0] == "shell" else {address}
            assert page.value in {None, *shared}, (
                f"{where}: page={page.value!r}, but that folder's page is at {address!r} in app.py"
            )


def test_the_browser_tests_go_to_every_page(listed: dict[str, tuple[str, str]]) -> None:
    assert [title for _, title in listed.values()] == list(VIEWS)


def test_icons_are_of_the_set_that_is_shipped() -> None:
    """A picture of the machine's own fonts may be an empty box; the tab's own the browser draws."""
    texts = [path.read_text(encoding="utf-8") for path in [APP, *sorted(PAGES.rglob("*.py"))]]
    found = re.findall(r"""\bicon\s*=\s*["']([^"']+)["']""", "\n".join(texts))
    assert len(found) >= 10
    assert [icon for icon in found if not re.fullmatch(r":material/[a-z_]+:", icon)] == []


@pytest.mark.parametrize("drawn", ["plotly_chart", "pydeck_chart"])
def test_figures_and_maps_are_drawn_at_one_place(drawn: str) -> None:
    """There links are taken out, and a map gets the background that was given."""
    assert users_of(drawn) == ["shell/figure.py"]

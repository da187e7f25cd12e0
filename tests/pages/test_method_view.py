"""The Method view: every section with its formulas and works, links to it, and tooltips to it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from fpanon_core.model.definitions import definitions
from fpanon_core.studies import method
from pages.method import story
from tests.docs.test_docs import formula_faults
from tests.support.views import address, go, new_app

TOOLTIPS = {name: each.tooltip for name, each in definitions().items() if each.definition}
HEADINGS = story.headings()
VIEWS = Path(story.__file__).parents[1]


def read(at: AppTest) -> str:
    return "\n".join(str(each.value) for each in at.markdown)


def test_every_section_is_shown_under_its_heading(app: AppTest) -> None:
    go(app, "method")
    assert app.title[0].value == "Method"
    assert app.selectbox(key="method_section").options == list(HEADINGS.values())
    for anchor, heading in HEADINGS.items():
        app.selectbox(key="method_section").set_value(anchor).run()
        assert not app.error
        headers = [header.value for header in app.header]
        assert headers[0] == heading
        assert headers[1:] in ([], ["References of this section"])
        text = read(app)
        assert story.text_of(heading) in text
        if heading in method.sections():
            for key in method.cited(method.sections()[heading]):
                assert f"- **{key}**. " in text
    assert "10.1038/srep01376" in read(app)
    assert read(app).count("\n- **") >= len(method.references()) - 1


def html_in(text: str) -> list[str]:
    """The lines with a ``<`` that is not in a formula."""
    displayed = re.compile(r"^\$\$$.*?^\$\$$", flags=re.M | re.S)
    prose = re.sub(r"\$[^$]*\$|< 0\.1", "", displayed.sub("", text))
    return [line for line in prose.splitlines() if "<" in line]


@pytest.mark.parametrize("heading", HEADINGS.values())
def test_what_is_shown_is_whole(heading: str) -> None:
    """Formulas closed, headings below the page's own two levels, no way out of the dashboard."""
    text = story.text_of(heading)
    assert formula_faults(text) == []
    assert not re.search(r"^#{1,2} |^#{4,} ", text, flags=re.M)
    assert all(
        link.startswith("https://") or link.startswith("http://hdl.handle.net/")
        for link in re.findall(r"\]\(([^)\s]+)\)", text)
    )
    assert "![" not in text
    assert ".md" not in text
    assert not html_in(text), f"no HTML, nor a < outside of formulas: {html_in(text)}"
    assert html_in(f"{text}\nIt is <b>bold</b>,\nnot so.") == ["It is <b>bold</b>,"]
    assert len(text) > 100


def test_nothing_of_the_definitions_is_lost() -> None:
    """The sections together are the document, but for its headings."""
    lines = (method.docs_folder() / "science.md").read_text(encoding="utf-8").splitlines()
    shown = "\n".join(method.sections().values())
    lost = [line for line in lines if line.strip() and line not in shown]
    assert [line.lstrip("# ") for line in lost] == list(method.sections())


def test_a_view_ends_with_the_way_to_its_formulas() -> None:
    for view in VIEWS.glob("*/view.py"):
        last = view.read_text(encoding="utf-8").splitlines()[-1]
        found = re.fullmatch(r'layout\.formulas\("(.+)"\)', last)
        if view.parent.name not in ("overview", "method", "present"):
            assert found, f"the last line of {view} is to be layout.formulas(…), not: {last}"
            assert found[1] in method.sections(), f"no section of science.md is “{found[1]}”"


def test_a_link_leads_to_its_section_whatever_was_read_before() -> None:
    app = go(new_app(section="disclosure", seed="3"), "method")
    assert app.header[0].value == "Disclosure"
    app.selectbox(key="method_section").set_value("k-gap").run()
    assert app.header[0].value == "k-gap"
    assert address(app) == {"section": "k-gap"}
    app.query_params["section"] = "antenna-clusters"
    app.run()
    assert app.header[0].value == "Antenna clusters"
    app.query_params["section"] = "nonsense"
    assert app.run().header[0].value == "Antenna clusters"
    go(app, "data")
    assert go(app, "method").header[0].value == "Antenna clusters"


def test_every_tooltip_that_a_page_shows_is_defined() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in VIEWS.rglob("*.py"))
    assert {name.lower() for name in re.findall(r"\bdefinitions\.([A-Z_]+)", pages)} <= {*TOOLTIPS}


@pytest.mark.parametrize("name", TOOLTIPS)
def test_a_tooltip_names_its_section_and_works_that_are_in_the_references(name: str) -> None:
    text = TOOLTIPS[name]
    (section,) = re.findall(r"Formulas: page Method, “(.+)”\.$", text)
    assert section in method.sections(), f"no section of science.md is headed “{section}”"
    years = re.findall(r"\b(?:19|20)\d\d", text)
    assert len(method.cited(text)) == len(years)


def test_a_year_alone_is_not_a_work_and_the_second_of_a_year_is_another() -> None:
    found = method.cited("Gramaglia & Fiore 2015b, Song et\nal. 2010")
    assert list(found) == ["Gramaglia & Fiore 2015b", "Song et al. 2010"]
    assert method.cited("2015; Fiore 2015; POTs of OpenCell") == {}

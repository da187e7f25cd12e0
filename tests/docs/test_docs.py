"""Do the documents hold together? Links, citations, dependencies, formulas, and what they state."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fpanon_core import StretchConfig
from fpanon_core.model.disclosure import RISKS
from fpanon_core.model.utility import COMPONENTS, WEIGHTINGS
from tests.package.requirements import canonical, declared

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
DOCUMENTS = sorted(
    [
        *DOCS.glob("*.md"),
        *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG", "SECURITY")),
    ]
)
RELEASE_OPTIONS = "Techniques, utility and the front of release options"
YEAR = re.compile(r"(?<![\d.,–-])(1[89]\d\d|20\d\d)[a-z]?\b(?![.,]\d)")
MONTH = re.compile(
    r"(January|February|March|April|May|June|July|August|September|October|November"
    r"|December) $"
)


def text_of(path):
    return path.read_text(encoding="utf-8")


def without_code(text):
    """Neither fenced blocks nor code spans, in which brackets and dollars mean something else."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


def prose(text):
    """Without code, each run of blanks one blank: a line may end in the middle of a citation."""
    return re.sub(r"\s+", " ", without_code(text))


def anchors(text):
    """The anchors of the headings, as GitHub makes them."""
    found: list[str] = []
    for heading in re.findall(r"^#{1,6} +(.+?)\s*$", without_code(text), flags=re.M):
        plain = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found.append(f"{plain}-{found.count(plain)}" if plain in found else plain)
    return set(found)


def broken_links(path):
    """Links of a document to files, or to headings, that are not there."""
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(text_of(path))):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        if not target.exists() or (anchor and anchor not in anchors(text_of(target))):
            broken.append(link)
    return broken


def keys_of(text):
    """The works by which the references are headed: authors and year."""
    return [key for key in re.findall(r"^### (.+)$", text, flags=re.M) if YEAR.search(key)]


def uncited_years(text, keys):
    """Every year in a text that no key of a work leads up to; the year of a date is none."""
    plain = prose(text)
    endings = [key.lower() for key in keys]
    return [
        plain[max(0, year.start() - 40) : year.end()]
        for year in YEAR.finditer(plain)
        if not MONTH.search(plain[: year.start()])
        and not any(plain[: year.end()].lower().endswith(key) for key in endings)
    ]


def tables(text):
    """Rows of cells of every table under each heading of the second level."""
    found: dict[str, list[list[str]]] = {}
    heading = ""
    for line in text.splitlines():
        if line.startswith("## "):
            heading = line[3:].strip()
        elif line.startswith("|") and not re.match(r"\|[-| :]+\|$", line):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            found.setdefault(heading, []).append(cells)
    return found


def formula_faults(text):
    """What a reader of formulas would stumble over: dollars, braces or fences without a partner."""
    faults = []
    if re.search(r"^\$\$.+|^.+\$\$$", text, flags=re.M):
        faults.append("$$ must stand on a line of its own")
    pieces = re.split(r"^\$\$$", text, flags=re.M)
    if len(pieces) % 2 == 0:
        faults.append("a $$ is not closed")
    inline = [
        formula
        for piece in pieces[::2]
        for paragraph in without_code(piece).split("\n\n")
        for formula in _inline(paragraph, faults)
    ]
    for formula in [*pieces[1::2], *inline]:
        bare = formula.replace(r"\{", "").replace(r"\}", "")
        if bare.count("{") != bare.count("}"):
            faults.append(f"braces: {formula.strip()}")
        if len(re.findall(r"\\left\b", bare)) != len(re.findall(r"\\right\b", bare)):
            faults.append(f"left and right: {formula.strip()}")
    return faults


def _inline(paragraph, faults):
    parts = paragraph.split("$")
    if len(parts) % 2 == 0:
        faults.append(f"a $ is not closed: {paragraph[:60]}")
    return parts[1::2]


# --- the documents -------------------------------------------------------------------------------


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_links_lead_somewhere(path):
    assert broken_links(path) == []


def test_every_work_cited_is_in_the_references():
    keys = keys_of(text_of(DOCS / "references.md"))
    assert len(keys) == len(set(keys))
    assert uncited_years(text_of(DOCS / "science.md"), keys) == []


def test_every_work_in_the_references_is_cited():
    science = prose(text_of(DOCS / "science.md")).lower()
    keys = keys_of(text_of(DOCS / "references.md"))
    assert len(keys) >= 15
    assert [key for key in keys if not re.search(re.escape(key.lower()) + r"\b", science)] == []


@pytest.mark.parametrize(
    ("heading", "lists"),
    [("To run", ["run", "dashboard"]), ("To test and check", ["dev", "audit"])],
)
def test_every_dependency_has_its_reason_and_no_other(heading, lists):
    rows = tables(text_of(DOCS / "dependencies.md"))[heading][1:]
    names = [canonical(row[0]) for row in rows]
    assert len(names) == len(set(names))
    assert set(names) == declared(*lists).keys()
    assert all(len(row) == 2 and row[1] for row in rows)


def test_a_word_has_one_meaning():
    words = [row[0] for rows in tables(text_of(DOCS / "words.md")).values() for row in rows[1:]]
    assert len(words) > 30
    assert len(words) == len(set(words))


def test_sections_of_the_definitions_are_distinct():
    headings = re.findall(r"^## (.+)$", text_of(DOCS / "science.md"), flags=re.M)
    assert len(headings) == len(set(headings))
    assert max(map(len, headings)) <= 60, "a heading is a line of a menu"


@pytest.mark.parametrize("name", ["science.md", "words.md"])
def test_formulas_are_closed(name):
    assert formula_faults(text_of(DOCS / name)) == []


def test_every_snapshot_is_compared_by_a_test():
    named = [
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r'check_snapshot\(\s*"(\w+)"', text_of(path))
    ]
    assert sorted(named) == sorted(path.stem for path in (ROOT / "tests/snapshots").iterdir())


# --- what they state -----------------------------------------------------------------------------


def test_defaults_of_the_stretch_effort_are_those_in_force():
    rows = tables(text_of(DOCS / "science.md"))["Stretch effort"]
    stated = {row[0]: row[2].replace(",", "") for row in rows}
    config = StretchConfig()
    assert (config.w_space, config.w_time) == (0.5, 0.5)
    assert stated["$w_s, w_t$"] == "1/2 1/2"
    assert float(stated[r"$\delta_s^{max}$"]) == config.max_space_m
    assert float(stated[r"$\delta_t^{max}$"]) == config.max_time_min


def test_weights_of_utility_are_those_in_force():
    rows = tables(text_of(DOCS / "science.md"))[RELEASE_OPTIONS]
    head = next(row for row in rows if row[0] == "weights")
    assert tuple(head[1:]) == tuple(COMPONENTS)
    stated = {row[0]: [float(v) for v in row[1:]] for row in rows if row[0] in WEIGHTINGS}
    assert stated == {name: [w[c] for c in COMPONENTS] for name, w in WEIGHTINGS.items()}


def test_limits_of_risk_are_those_in_force():
    rows = tables(text_of(DOCS / "science.md"))[RELEASE_OPTIONS]
    stated = {
        row[0]: None if row[1] == "none" else float(row[1].split()[0])
        for row in rows
        if row[0] in RISKS
    }
    assert stated == {name: risk.limit for name, risk in RISKS.items()}

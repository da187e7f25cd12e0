"""The report's file in a real browser without a network: nothing asked for, accessible, printed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect
from typer.testing import CliRunner

from fpanon_core.__main__ import app
from tests.browser.dashboard import Dashboard
from tests.browser.layout import serious

pytestmark = pytest.mark.browser
WHY = "Planners need it. <script>document.title='bad'</script>"
PAPERS_MM = {"A4": (210.0, 297.0), "Letter": (215.9, 279.4)}
MARGINS_MM = (28.0, 25.0)  # both sides, top and bottom


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of 24 options: hidden, moved, outside of the limits, failed; for researchers."""
    folder = tmp_path_factory.mktemp("report")
    run = CliRunner().invoke
    command = ["options", "--sample", "sf_cabs", "--preset", "trade,fine", "--users", "100"]
    done = run(app, [*command, "--out", str(folder / "weighed.csv")])
    assert done.exit_code == 0, done.output
    kept = json.loads((folder / "weighed.json").read_text())
    kept["results"] = kept["results"][:24]
    kept["results"][3]["fault"] = "There is not enough of it."
    kept["recipient"] = {"kind": "contract", "controls": "medium", "motive": "medium"}
    (folder / "weighed.json").write_text(json.dumps(kept))
    name = kept["results"][5]["option"]["name"]
    command = ["report", str(folder / "weighed.json"), "--out", str(folder / "report.html")]
    command += ["--choose", name, "--because", WHY, "--signer", "Ada Officer"]
    done = run(app, command)
    assert done.exit_code == 0, done.output
    return folder / "report.html"


@pytest.fixture
def opened(written: Path, browser: Browser) -> Page:
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, offline=True, java_script_enabled=True
    )
    page = context.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto(written.as_uri())
    yield page
    assert asked == [written.as_uri()]
    assert said == []
    context.close()


def test_it_opens_without_a_network_and_runs_nothing(opened: Page) -> None:
    assert opened.title() == "Release report"
    assert opened.locator("script").count() == 0
    assert "<script>document.title='bad'</script>" in opened.inner_text("body")  # as text
    assert "This option is not within the thresholds" in opened.inner_text("#verdict + ol")


@pytest.mark.parametrize("width", [1440, 600])
def test_it_is_accessible_and_nothing_is_cut(opened: Page, width: int) -> None:
    opened.set_viewport_size({"width": width, "height": 900})
    found = Axe().run(opened)
    assert found.violations_count == 0, found.generate_report()
    wide = opened.evaluate("document.documentElement.scrollWidth")
    assert wide <= width
    # No label of a figure leaves its figure.
    outside = opened.evaluate(
        """() => [...document.querySelectorAll('svg text')].filter(t => {
            const a = t.getBoundingClientRect(), b = t.closest('svg').getBoundingClientRect();
            return a.left < b.left - 1 || a.right > b.right + 1 || a.top < b.top - 1
                || a.bottom > b.bottom + 1;
        }).map(t => t.textContent)"""
    )
    assert outside == []


@pytest.mark.parametrize("paper", PAPERS_MM)
def test_it_prints_to_five_pages_and_the_first_is_complete(opened: Page, paper: str) -> None:
    width, height = (
        round((side - margin) / 25.4 * 96)
        for side, margin in zip(PAPERS_MM[paper], MARGINS_MM, strict=True)
    )
    printed = opened.pdf(format=paper)
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", printed)
    assert 3 <= len(boxes) <= 5
    assert len(set(boxes)) == 1
    assert [float(side) / 72 * 25.4 for side in boxes[0]] == pytest.approx(PAPERS_MM[paper], abs=1)
    # On paper, nothing is wider than the page between its margins, nor the first page longer.
    opened.emulate_media(media="print")
    opened.set_viewport_size({"width": width, "height": height})
    cut = opened.evaluate(
        """width => [...document.querySelectorAll('body *')].filter(e => {
            const box = e.getBoundingClientRect();
            return box.right > width + 1 || (e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0
                && getComputedStyle(e).overflowX !== 'visible');
        }).map(e => e.outerHTML.slice(0, 80))""",
        width,
    )
    assert cut == []
    signed = opened.locator(".signed").bounding_box()
    assert signed is not None
    assert signed["y"] + signed["height"] <= height
    first = opened.inner_text("main").partition("On what ground")[0]
    for said in (
        "Verdict",
        "This option is not within the thresholds",
        "Ada Officer overrides the thresholds",
    ):
        assert said in first
    for said in ("Purpose", "Recipients under contract", "Risk before and after"):
        assert said in first


def test_from_the_choice_to_the_file(dashboard: Dashboard) -> None:
    page = dashboard.page
    dashboard.go()
    dashboard.open_sample("taxis")
    dashboard.turn_to("Report")
    dashboard.says("Nothing has been weighed for these data yet")
    page.get_by_test_id("stMain").get_by_role("link", name="On to Release options").click()
    dashboard.says("On to the report")
    dashboard.wait_until_idle()
    dashboard.keep_choice("about 15 antennas · 12 h", "Above the limits, for this test alone.")
    page.get_by_test_id("stMain").get_by_role("link", name="On to the report").click()
    dashboard.says("What was decided, and on what evidence?")
    shown = page.frame_locator("iframe[title='st.iframe'], [data-testid=stIFrame]")
    expect(shown.get_by_text("Do not release these data as they are.").first).to_be_visible()
    dashboard.wait_until_idle()
    # What is seen is what is downloaded; nothing runs in it, and it asks for nothing.
    text = dashboard.download("report_get_html")
    assert shown.locator("#verdict + ol").inner_text() in _as_text(page, text)
    assert shown.locator("script").count() == 0
    recipe = json.loads(dashboard.download("report_get_recipe"))
    assert recipe["decision"]["chosen"]
    dashboard.unfold("report_study")
    for scheme in ("light", "dark"):
        dashboard.turn_to_scheme(scheme)
        assert serious(dashboard) == [], scheme


def _as_text(page: Page, html: str) -> str:
    """What a file of HTML says, drawn as wide as in the page."""
    other = page.context.new_page()
    other.set_content(html)
    text = other.locator("#verdict + ol").inner_text()
    other.close()
    return text

"""The Method view in a real browser: formulas are drawn, sections are linked and readable."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.dashboard import LONG_MS, Dashboard

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_formulas_are_drawn_and_sections_readable(
    open_dashboard: Callable[..., Dashboard], scheme: str
) -> None:
    dashboard = open_dashboard(color_scheme=scheme)
    dashboard.go("/method?section=stretch-effort")
    page = dashboard.page
    expect(page.locator("h2").first).to_have_text("Stretch effort", timeout=LONG_MS)
    expect(page.locator(".st-key-method_text .katex-display")).to_have_count(7, timeout=LONG_MS)
    page.locator(".st-key-method_section label").filter(has_text="Antenna clusters").click()
    expect(page.locator("h2").first).to_have_text("Antenna clusters", timeout=LONG_MS)
    dashboard.settle()
    assert "section=antenna-clusters" in page.url
    expect(page.locator(".katex-error")).to_have_count(0)
    for section in ("Disclosure", "Glossary", "References"):
        label = page.locator(".st-key-method_section label")
        label.get_by_text(section, exact=True).click()
        expect(page.locator("h2").first).to_have_text(section, timeout=LONG_MS)
        dashboard.settle()
        found = Axe().run(page).response["violations"]
        assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []
    targets = page.locator(".st-key-method_text a").evaluate_all("all => all.map(a => a.href)")
    assert "https://doi.org/10.1038/srep01376" in targets

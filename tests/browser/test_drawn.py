"""Views whose figures only a browser draws: each figure, its legend, the maps.

What their files hold: tests/pages/test_tables_alike.py.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.dashboard import LONG_MS, Dashboard, colours
from tests.browser.layout import serious

pytestmark = pytest.mark.browser


def legend_of(dashboard: Dashboard, key: str, names: list[str] | int) -> None:
    """The legend of a figure has these names, or so many."""
    legend = dashboard.page.locator(f".st-key-{key} .legendtext")
    if isinstance(names, int):
        expect(legend).to_have_count(names)
    else:
        expect(legend).to_have_text(names)


def map_is_drawn(dashboard: Dashboard, place: str, least: int = 50) -> None:
    """A map below that place has more colours than an empty one."""
    at = f"{place} [data-testid=stDeckGlJsonChart]"
    assert colours(dashboard.picture_of(at, lambda drawn: colours(drawn) > least)) > least


def test_aggregates(taxis: Dashboard) -> None:
    dashboard, page = taxis, taxis.page
    dashboard.turn_to("Would counts be safer")
    legend_of(dashboard, "aggregates_steps", ["recovered by the attack", "linked at random"])
    assert "slot=60" in page.url  # as the address says in which the session began
    assert "seed=5" in page.url
    expect(page.locator(".st-key-aggregates_steps .bartext")).to_have_count(6)
    expect(page.locator(".st-key-aggregates_unique .bartext")).to_have_count(5)
    legend_of(dashboard, "aggregates_error", ["recovered by the attack"])
    map_is_drawn(dashboard, "[data-testid=stMain]", 30)
    dashboard.unfold("aggregates_varied")
    dashboard.press("recovery_factors_go")
    lines = page.locator(".st-key-aggregates_factors_accuracy .scatterlayer .js-line")
    expect(lines).to_have_count(12)
    dashboard.unfold("aggregates_helps")
    dashboard.press("recovery_remedies_go")
    expect(page.locator(".st-key-aggregates_remedies .bartext")).to_have_count(18)
    assert "u0" not in page.url


def test_disclosure(people: Dashboard) -> None:
    dashboard, page = people, people.page
    dashboard.turn_to("What is learnt")
    expect(page.locator(".st-key-disclosure_main .scatterlayer .trace")).to_have_count(1)
    dashboard.unfold("disclosure_agreement")
    cells = page.locator(".st-key-disclosure_week .heatmaplayer image")
    expect(cells.first).to_be_attached()
    legend_of(dashboard, "disclosure_lorenz", 3)
    dashboard.says("pairs of profiles differently")
    dashboard.wait_until_idle()
    map_is_drawn(dashboard, ".st-key-pair_disclosure_leak")
    assert serious(dashboard) == []


def test_unicity(taxis: Dashboard) -> None:
    dashboard, page = taxis, taxis.page
    dashboard.turn_to("Who can be found")
    for more in ("unicity_law", "unicity_merging"):
        dashboard.unfold(more)
    few = [f"{many} people fit" for many in ("2", "3 to 5", "6 to 10")]
    legend_of(dashboard, "unicity_by_p", ["unique", *few])
    strategies = ["random", "uniform", "top", "consecutive"]
    legend_of(dashboard, "unicity_by_strategy", strategies)
    legend_of(dashboard, "unicity_laws", ["p = 2", "p = 4", "p = 6", "p = 8"])
    cells = page.locator(".st-key-unicity_heat .heatmaplayer image, .st-key-unicity_heat .hm")
    expect(cells.first).to_be_attached()
    expect(page.locator(".st-key-unicity_heat .heatmap-label")).to_have_count(36)
    dashboard.says("become")
    dashboard.wait_until_idle()
    map_is_drawn(dashboard, ".st-key-pair_unicity_regions")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_formulas_are_drawn_and_sections_readable(
    open_dashboard: Callable[..., Dashboard], scheme: str
) -> None:
    dashboard = open_dashboard(color_scheme=scheme)
    dashboard.go("/method?section=stretch-effort")
    page = dashboard.page
    expect(page.locator("h2").first).to_have_text("Stretch effort", timeout=LONG_MS)
    expect(page.locator(".st-key-method_text .katex-display")).to_have_count(7, timeout=LONG_MS)
    dashboard.choose("method_section", "Antenna clusters")
    expect(page.locator("h2").first).to_have_text("Antenna clusters", timeout=LONG_MS)
    dashboard.settle()
    assert "section=antenna-clusters" in page.url
    expect(page.locator(".katex-error")).to_have_count(0)
    for section in ("Disclosure", "Glossary", "References"):
        dashboard.choose("method_section", section)
        expect(page.locator("h2").first).to_have_text(section, timeout=LONG_MS)
        dashboard.settle()
        assert serious(dashboard) == []
    targets = page.locator(".st-key-method_text a").evaluate_all("all => all.map(a => a.href)")
    assert "https://doi.org/10.1038/srep01376" in targets

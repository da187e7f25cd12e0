"""Every view, empty and loaded, by day and by night: readable for all, and nothing complains."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.dashboard import Dashboard

pytestmark = pytest.mark.browser
VIEWS = (
    "Start",
    "Data",
    "Anonymizability",
    "GLOVE",
    "Unicity",
    "Disclosure",
    "Release options",
    "Aggregates",
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_any_view(
    open_dashboard: Callable[..., Dashboard], scheme: str
) -> None:
    dashboard = open_dashboard(color_scheme=scheme)
    dashboard.go()
    found = {}
    for view in VIEWS if scheme == "light" else ():  # without data there are no figures to colour
        dashboard.turn_to(view)
        found[view, "empty"] = serious(dashboard)

    dashboard.turn_to("Start")
    dashboard.open_sample("Open the San Francisco taxis")
    dashboard.says("Measuring at")
    found["Anonymizability", "running"] = serious(dashboard)
    dashboard.wait_until_idle()
    dashboard.unfold("anon_settings")
    dashboard.turn_to("GLOVE")
    dashboard.press("glove_run")
    dashboard.says("Verified.")
    for view in reversed(VIEWS):
        dashboard.turn_to(view)
        if view == "Data":
            dashboard.unfold("data_correct")
        if view == "Anonymizability":  # what is measured in the background has no progress bar
            dashboard.says(re.compile("Crowds up to k = .* are measured"))
            figures_and_page_are_of_one_brightness(dashboard, scheme)
        dashboard.wait_until_idle()
        dashboard.page.wait_for_timeout(1_000)
        found[view, "loaded"] = serious(dashboard)

    dashboard.turn_to("Data")
    dashboard.upload("records.csv", b"")
    dashboard.error()
    found["Data", "failed"] = serious(dashboard)
    assert {where: what for where, what in found.items() if what} == {}


def figures_and_page_are_of_one_brightness(dashboard: Dashboard, scheme: str) -> None:
    """Ink on paper, in the page and in the figure alike."""
    dashboard.wait_for_curves("anon_by_k", ["k = 2", "k = 5", "k = 10"])
    paper = _brightness(dashboard, "[data-testid=stApp]", "background-color")
    ink = _brightness(dashboard, "[data-testid=stMain] h1", "color")
    legend = _brightness(dashboard, ".st-key-anon_by_k .legendtext", "fill")
    assert (paper > 200, ink < 100, legend < 120) == (scheme == "light",) * 3


def serious(dashboard: Dashboard) -> list[str]:
    """What axe finds of serious or critical impact, with the elements it means."""
    found = Axe().run(dashboard.page).response["violations"]
    return [
        f"{v['id']} ({v['impact']}): {node['target']} {node['html'][:200]}"
        for v in found
        if v["impact"] in ("serious", "critical")
        for node in v["nodes"]
    ]


def _brightness(dashboard: Dashboard, selector: str, what: str) -> float:
    """Mean of red, green and blue, from 0 to 255."""
    colour = dashboard.page.locator(selector).first.evaluate(
        "(e, what) => getComputedStyle(e).getPropertyValue(what)", what
    )
    channels = [float(c) for c in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    return sum(channels) / 3

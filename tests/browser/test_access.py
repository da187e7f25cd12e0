"""Every view, empty and loaded, by day and by night: readable for all, and nothing complains."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.dashboard import VIEWS, Dashboard
from tests.browser.server import Server

pytestmark = pytest.mark.browser


def test_axe_finds_nothing_serious_while_there_is_nothing_to_show(
    open_dashboard: Callable[..., Dashboard], server: Server
) -> None:
    dashboard = open_dashboard(color_scheme="dark")
    dashboard.go()
    found = {("Start", "empty", "dark"): serious(dashboard)}
    dashboard.turn_to_scheme("light")
    for view in VIEWS:  # without data there are no figures to colour: light is enough
        dashboard.turn_to(view)
        dashboard.rest()
        found[view, "empty", "light"] = serious(dashboard)

    dashboard.turn_to("Overview")
    dashboard.open_sample("taxis")
    dashboard.turn_to("How hard to hide")
    dashboard.says("Measuring at")
    with server.held():
        for scheme in ("light", "dark"):
            dashboard.turn_to_scheme(scheme)
            dashboard.says("Measuring at")
            found["How hard to hide", "running", scheme] = serious(dashboard)

    dashboard.turn_to("Data")
    dashboard.upload("records.csv", b"")
    dashboard.error()
    for scheme in ("dark", "light"):
        dashboard.turn_to_scheme(scheme)
        dashboard.error()
        found["Data", "failed", scheme] = serious(dashboard)
    assert {where: what for where, what in found.items() if what} == {}


def test_axe_finds_nothing_serious_in_any_view_of_data(taxis: Dashboard) -> None:
    found = {}
    taxis.turn_to("Hide everyone")
    taxis.hide_everyone()
    schemes = ["light", "dark"]
    for view in reversed(VIEWS):
        taxis.turn_to(view)
        if view == "Data":
            taxis.unfold("data_correct")
        if view == "How hard to hide":  # what is measured in the background has no progress bar
            taxis.says(re.compile("Crowds up to k = .* are measured"))
        taxis.wait_until_idle()
        for scheme in schemes:  # by turns; as it is already, then the other one
            taxis.turn_to_scheme(scheme)
            if view == "How hard to hide":
                figures_and_page_are_of_one_brightness(taxis, scheme)
                taxis.unfold("anon_settings")  # a click on the link of the page closes it
            found[view, "loaded", scheme] = serious(taxis)
        schemes.reverse()
    assert {where: what for where, what in found.items() if what} == {}
    assert len(found) == 2 * len(VIEWS)


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

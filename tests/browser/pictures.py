"""``make pictures``: the four pictures of the README and the guide, into ``docs/pictures``.

Walks as the guide does, with the synthetic people: finds a release, keeps a choice, attacks it, and
turns to the report. Takes some minutes of all cores.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import expect, sync_playwright

from tests.browser.conftest import CHROMIUM_FLAGS, opened
from tests.browser.dashboard import Dashboard
from tests.browser.server import started

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
NAMES = ("overview.png", "options.png", "attack.png", "report.png")
MOST_BYTES = 200_000
WHY = "The most useful option within the thresholds in which nobody is alone."


def main(folder: Path = FOLDER) -> None:
    """Take all four."""
    folder.mkdir(exist_ok=True, parents=True)
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("Chromium is missing; install it: apt-get install chromium")
    with (
        tempfile.TemporaryDirectory() as logs,
        started(Path(logs) / "log.txt") as server,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS) as browser,
        opened(server, browser) as dashboard,
    ):
        _walk(dashboard, folder)


def _walk(dashboard: Dashboard, folder: Path) -> None:
    page = dashboard.page
    overview, options, attack, report = (folder / name for name in NAMES)
    dashboard.go()
    dashboard.press("start_synthetic")
    expect(page.get_by_test_id("stMetricValue")).to_have_count(4)
    dashboard.press("overview_find_go")
    dashboard.wait_for_search()
    _take(dashboard, overview)

    dashboard.press("overview_choose")
    dashboard.wait_for_view("Report")
    dashboard.turn_to("Release options")
    dashboard.says("On to the report")
    dashboard.wait_until_idle()
    _take(dashboard, options)

    dashboard.turn_to("Hide everyone")
    dashboard.hide_everyone(20)
    dashboard.press("glove_attack")
    dashboard.wait_for_view("Attack the release")
    page.locator(".st-key-attack_found .js-plotly-plot").wait_for()
    dashboard.wait_until_idle()
    _take(dashboard, attack)

    dashboard.turn_to("Report")
    shown = page.frame_locator("iframe").first.locator("body")
    expect(shown).to_contain_text("Do not release these data as they are.")
    dashboard.wait_until_idle()
    _take(dashboard, report)


def _take(dashboard: Dashboard, path: Path) -> None:
    """The first screen as it is, in few colours."""
    page = dashboard.page
    page.get_by_test_id("stMain").evaluate("e => e.scrollTo(0, 0)")
    page.mouse.move(720, 4)  # beside whatever would answer to the mouse
    dashboard.rest()
    # Drawn by WebGL, a map is there some frames after the rest.
    before = b""
    while (shot := page.screenshot()) != before:
        before = shot
        page.wait_for_timeout(1_000)
    picture = Image.open(io.BytesIO(shot)).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    picture.save(path, optimize=True)
    size = path.stat().st_size
    print(f"{path.name}: {size:,} bytes", flush=True)
    if size > MOST_BYTES:
        sys.exit(f"{path.name} is larger than {MOST_BYTES:,} bytes")


if __name__ == "__main__":
    main()

"""Every page at three sizes, by day and by night: what is off, cut, or on top of other words.

Pictures of all of them are left in ``build/walk``, to be looked at, and findings beside them.
"""

from __future__ import annotations

from pathlib import Path

from pages.shell import navigation
from tests.browser.dashboard import Dashboard
from tests.browser.layout import cut, much_to_read, off_the_screen, overlapping, serious

PICTURES = Path(__file__).resolve().parents[2] / "build" / "walk"
SIZES = ((1440, 900), (1920, 1080), (1024, 768))
SCHEMES = ("light", "dark")
MOST_BYTES = 2_000_000
# Text alone: what stands there needs no figure.
TEXT = {"method"}


def looked_at(dashboard: Dashboard, state: str, *, figure: bool) -> list[str]:
    """What is wrong with all pages of a session, in all sizes and both schemes."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    page, wrong = dashboard.page, []
    for place in navigation.PLACES:
        dashboard.seen.received.clear()
        dashboard.turn_to(place.title)
        if state == "loaded":
            dashboard.wait_until_idle()
        sent = sum(map(len, dashboard.seen.received))
        if sent > MOST_BYTES:
            wrong.append(f"{place.folder} {state}: {sent:,} bytes were sent")
        for scheme in SCHEMES:
            dashboard.turn_to_scheme(scheme)
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                dashboard.rest()
                name = f"{place.folder}_{state}_{width}x{height}_{scheme}"
                page.screenshot(path=PICTURES / f"{name}.png")
                found = [*cut(page), *overlapping(page)]
                # A slide is spoken to, and a failure says what to do about it.
                if (width, height) == SIZES[0] and place.folder != "present" and state != "failed":
                    found += much_to_read(page, name)
                if figure and place.folder not in TEXT:
                    found += off_the_screen(page)
                wrong += [f"{name}: {each}" for each in found]
            page.set_viewport_size({"width": 1440, "height": 900})
            wrong += [f"{place.folder} {state} {scheme}: {each}" for each in serious(dashboard)]
    (PICTURES / f"{state}.txt").write_text("\n".join(wrong), encoding="utf-8")
    return wrong

"""Every page at three sizes, by day and by night: what is off, cut, or on top of other words.

Pictures of all of them are left in ``build/walk``, to be looked at, and findings beside them.
"""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import ViewportSize

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
    """What is wrong with all pages of a session, in all sizes and both schemes.

    A page is left in the scheme and come to in the same, from size to size there and back.
    """
    PICTURES.mkdir(parents=True, exist_ok=True)
    page, wrong, schemes, sizes = dashboard.page, [], SCHEMES, SIZES
    page.set_viewport_size(_size(SIZES[0]))
    for place in navigation.PLACES:
        dashboard.seen.received.clear()
        dashboard.turn_to(place.title)
        if state == "loaded":
            dashboard.wait_until_idle()
        sent = sum(map(len, dashboard.seen.received))
        if sent > MOST_BYTES:
            wrong.append(f"{place.folder} {state}: {sent:,} bytes were sent")
        for scheme in schemes:
            dashboard.turn_to_scheme(scheme)
            for size in sizes:
                if page.viewport_size != _size(size):
                    page.set_viewport_size(_size(size))
                    dashboard.rest()
                name = f"{place.folder}_{state}_{size[0]}x{size[1]}_{scheme}"
                page.screenshot(path=PICTURES / f"{name}.png")
                found = [*cut(page), *overlapping(page)]
                if figure and place.folder not in TEXT:
                    found += off_the_screen(page)
                if size == SIZES[0]:
                    # A slide is spoken to, and a failure says what to do about it.
                    if place.folder != "present" and state != "failed":
                        found += much_to_read(page, name)
                    found += serious(dashboard)
                wrong += [f"{name}: {each}" for each in found]
            sizes = sizes[::-1]
        schemes = schemes[::-1]
    (PICTURES / f"{state}.txt").write_text("\n".join(wrong), encoding="utf-8")
    return wrong


def _size(size: tuple[int, int]) -> ViewportSize:
    return {"width": size[0], "height": size[1]}

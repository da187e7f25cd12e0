"""The dashboard as one who looks at it through Chromium: what to click, and what then shows."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from PIL import Image
from playwright.sync_api import (
    ConsoleMessage,
    Error,
    FilePayload,
    Locator,
    Page,
    Request,
    WebSocket,
    expect,
)
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from pages.shell import navigation

LONG_MS = 180_000
"""How long anything may take before a test gives up: a limit on patience, not on speed."""
SOON_MS = 15_000
"""How long the effect of a click is waited for before it counts as lost in a redraw."""

VIEWS = tuple(place.title for place in navigation.PLACES)
# Where it is not the view's name.
_HEADINGS = {"Overview": "Which release of your|May these data be released"}
# The heading of a slide is its question, which may be that of the overview, too.
_SLIDE = ".st-key-present_heading h1"
SAMPLES = {"taxis": "Open the San Francisco taxis", "people": "Open the invented people"}
"""The buttons of the start page that open the samples."""
_KEYS = {"taxis": "sf_cabs", "people": "synthetic"}
KS = ["k = 2", "k = 5", "k = 10"]
"""The curves of *How hard to hide*, as it is opened."""

# Opened at /data, Streamlit's own page first asks whether it is served below /data/, and is told
# 404; it then asks at the root. Nothing of ours is missing.
_PROBE = re.compile(r"://[^/]+/[a-z]+/_stcore/(health|host-config)$")
_SETTLED = """() => {
    const app = document.querySelector('[data-testid=stApp]');
    return app && app.dataset.testScriptState === 'notRunning'
        && !document.querySelector('[data-testid=stSpinner], [data-stale=true]');
}"""
# Where it is, and what keeps it from being settled.
_UNSETTLED = """() => {
    const app = document.querySelector('[data-testid=stApp]');
    const busy = document.querySelectorAll('[data-testid=stSpinner], [data-stale=true]');
    return [location.pathname, app && app.dataset.testScriptState,
            ...[...busy].map(e => e.dataset.testid + ': ' + e.innerText.slice(0, 80))].join(' | ');
}"""
# Nothing moves any more: what opened, closed or faded has done so, and a few frames in a row have
# the same box. What turns for ever, such as a spinner, is not waited for.
_STILL = """async e => {
    const ends = a => a.effect && a.effect.getComputedTiming().endTime !== Infinity;
    await Promise.all(e.getAnimations().filter(ends).map(a => a.finished.catch(() => {})));
    const frame = () => new Promise(requestAnimationFrame);
    const box = () => { const {x, y, width, height} = e.getBoundingClientRect();
                        return [x, y, width, height].join(); };
    for (let before = null, same = 0; same < 4; same = before === box() ? same + 1 : 0) {
        before = box();
        await frame();
    }
}"""
# The page has not been rewritten for a fifth of a second, and what moves has arrived.
_QUIET = """() => new Promise(resolve => {
    const ends = a => a.effect && a.effect.getComputedTiming().endTime !== Infinity;
    const moving = () => document.getAnimations().some(a => a.playState === 'running' && ends(a));
    const done = () => {
        if (moving()) return again();
        watcher.disconnect();
        resolve();
    };
    let timer = null;
    const again = () => { clearTimeout(timer); timer = setTimeout(done, 200); };
    const watcher = new MutationObserver(again);
    watcher.observe(document, {subtree: true, childList: true, attributes: true,
                               characterData: true});
    again();
})"""
# Whether the script's last run knew of this scheme: it then wrote rules of style with its ink.
_DRESSED = """scheme => {
    const rules = [...document.querySelectorAll('style')].map(e => e.textContent);
    const ink = rules.findLast(text => text.includes('st-key-pair_'))?.match(/rgba?\\(([^)]*)\\)/);
    const brightness = ink && ink[1].split(',').slice(0, 3).reduce((sum, c) => sum + Number(c), 0);
    return !!ink && (brightness < 384) === (scheme === 'light');
}"""
_HAS_CURVES = """([key, names]) => {
    const plots = document.querySelectorAll(`.st-key-${key} .js-plotly-plot`);
    if (plots.length !== 1 || !plots[0].data) return false;
    const short = name => name.split(':')[0];  // a label may say more after a colon
    const found = plots[0].data.filter(t => t.showlegend !== false).map(t => short(t.name));
    const lines = [...plots[0].querySelectorAll('.scatterlayer .trace path.js-line')];
    const drawn = lines.filter(path => (path.getAttribute('d') || '').length > 50).length;
    const legend = [...plots[0].querySelectorAll('.legendtext')].map(e => short(e.textContent));
    const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
    return same(found, names) && same(legend, names) && drawn >= names.length;
}"""
# Where on the screen the point lies that is nearest to a share of the users, on the first curve
# whose points name people.
_POINT_AT = """([key, share]) => {
    const plot = document.querySelector(`.st-key-${key} .js-plotly-plot`);
    const dots = plot._fullData.find(t => t.customdata && t.customdata.length);
    const off = Array.from(dots.y).map(y => Math.abs(y - share));
    const i = off.indexOf(Math.min(...off));
    const {xaxis, yaxis} = plot._fullLayout;
    const box = plot.getBoundingClientRect();
    return [box.left + xaxis._offset + xaxis.l2p(dots.x[i]),
            box.top + yaxis._offset + yaxis.l2p(dots.y[i])];
}"""


@dataclass
class Observed:
    """What a page asked for, what the server told it, and what it complained about."""

    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    received: list[bytes] = field(default_factory=list, repr=False)

    def watch(self, page: Page) -> None:
        """Record from now on; requests of the page's workers belong to its context."""
        page.context.on("request", self._asked)
        page.on("websocket", self._opened)
        page.on("console", self._said)
        page.on("pageerror", self._threw)

    def forget(self) -> None:
        """Begin anew, as for another test."""
        for each in (self.requests, self.complaints, self.received):
            each.clear()

    def strangers(self, address: str) -> list[str]:
        """Requests for anything but this server, or what the page made itself."""
        own = (address + "/", address.replace("http", "ws", 1) + "/", "data:", "blob:")
        return [url for url in self.requests if not url.startswith(own)]

    def _asked(self, request: Request) -> None:
        self.requests.append(request.url)

    def _opened(self, socket: WebSocket) -> None:
        self.requests.append(socket.url)
        socket.on("framereceived", self._heard)

    def _heard(self, frame: str | bytes) -> None:
        self.received.append(frame.encode() if isinstance(frame, str) else frame)

    def _said(self, message: ConsoleMessage) -> None:
        where = message.location.get("url", "")
        if message.type == "error" and not _PROBE.search(where):
            self.complaints.append(f"{message.text} ({where})")

    def _threw(self, error: Error) -> None:
        self.complaints.append(str(error))


# An expectation is as patient as the rest, unless it says otherwise.
expect.set_options(timeout=LONG_MS)


class Dashboard:
    """One browser's view of a running dashboard.

    Parameters
    ----------
    page : Page
    address : str
        Such as ``http://localhost:8501``.
    """

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        page.set_default_timeout(LONG_MS)
        self.seen = Observed()
        self.seen.watch(page)

    # --- going about ---

    def go(self, path: str = "/") -> None:
        """Open an address; in a browser that was never here, that is with nothing open."""
        self.page.goto(self.address + path)
        self.page.locator("h1").first.wait_for()
        self.settle()

    def turn_to(self, view: str) -> None:
        """To another view by the sidebar, in the same session."""
        link = self.page.locator(".st-key-navigation").get_by_role("link", name=view)
        self.insist(link.click, lambda ms: self.wait_for_view(view, ms))
        self.settle()

    def wait_for_view(self, view: str, patience_ms: float = LONG_MS) -> None:
        """Until that view's heading is on the screen."""
        if view == "Present":
            expect(self.page.locator(_SLIDE)).to_be_visible(timeout=patience_ms)
            return
        heading = re.compile(_HEADINGS.get(view, view))
        title = self.page.locator(f"h1:not({_SLIDE})")
        expect(title).to_have_text(heading, timeout=patience_ms)

    def insist(self, act: Callable[[], object], seen: Callable[[float], object]) -> None:
        """Do something until its effect is seen: what falls in a redraw is lost.

        ``seen`` waits for the effect as many milliseconds as it is told, and raises when in vain.
        """
        for patience_ms in (SOON_MS, SOON_MS, LONG_MS):
            self.page.set_default_timeout(patience_ms)
            # Nothing to click, as when the effect comes late; or for a moment old and new at once.
            with suppress(Error):
                act()
            self.page.set_default_timeout(LONG_MS)
            try:
                seen(patience_ms)
            except (PlaywrightTimeout, AssertionError):
                if patience_ms == LONG_MS:
                    raise
            else:
                break

    def settle(self) -> None:
        """Wait until the script has run; what repeats itself meanwhile may go on."""
        try:
            self.page.wait_for_function(_SETTLED)
        except PlaywrightTimeout as error:
            raise AssertionError(f"never at rest: {self.page.evaluate(_UNSETTLED)}") from error

    def rest(self) -> None:
        """Wait until the script has run and all that comes of it is drawn."""
        self.settle()
        self.page.evaluate(_QUIET)
        self.settle()

    def turn_to_scheme(self, scheme: str) -> None:
        """To light or dark, as the system does in the evening; returns when all is redrawn."""
        self.page.emulate_media(color_scheme=scheme)
        # The page follows at once, what the script draws only when it runs again.
        if not self.page.evaluate(_DRESSED, scheme):
            path = urlsplit(self.page.url).path.strip("/")
            here = self.page.locator(f".st-key-navigation a[href='{path}']")
            self.insist(
                here.click, lambda ms: self.page.wait_for_function(_DRESSED, arg=scheme, timeout=ms)
            )
        self.rest()

    def open_sample(self, sample: str) -> None:
        """The one click on the start page; what the overview says of the sample follows."""
        button = self.page.get_by_role("button", name=SAMPLES[sample])
        title = self.page.locator("h1").filter(has_text="May these data be released")
        self.insist(button.click, lambda ms: title.wait_for(timeout=ms))

    def open_sample_in_data(self, sample: str, users: int) -> None:
        """Open a sample on the data view, where nothing of it is measured yet."""
        button = self.page.locator(f".st-key-data_sample_{_KEYS[sample]} button")
        self._open_other_data()
        way = self.page.get_by_text("A sample", exact=True)
        self.insist(way.click, lambda ms: button.wait_for(timeout=ms))
        button.click()
        self.wait_for_data(users)

    def upload(self, name: str, content: bytes) -> None:
        """Upload a file on the data view and have it read; returns when that has begun."""
        self._open_other_data()
        box = self.page.locator(".st-key-data_file")
        way = self.page.get_by_text("Upload a file", exact=True)
        self.insist(way.click, lambda ms: box.wait_for(timeout=ms))
        self.attach(box, {"name": name, "mimeType": "text/csv", "buffer": content})
        read = self.ready("data_read")
        # It has begun when something tells of it: progress, an error, an account, a question.
        told = self.page.get_by_test_id("stMain").get_by_test_id("stMarkdownContainer")
        question = self.page.locator(".st-key-data_doubt")
        begun = told.filter(has_text=name).or_(question).first
        self.insist(read.click, lambda ms: expect(begun).to_be_visible(timeout=ms))

    def attach(self, box: Locator, file: FilePayload) -> None:
        """Put a file into an uploader; what falls in a redraw is put there again."""
        self.insist(
            lambda: box.locator("input[type=file]").set_input_files(file),
            lambda ms: expect(box.get_by_text(file["name"])).to_be_visible(timeout=ms),
        )
        expect(box.get_by_role("progressbar")).to_have_count(0)

    def _open_other_data(self) -> None:
        """Where data are open already, the ways to open others are a click away."""
        if self.page.locator(".st-key-data_open").count():
            self.unfold("data_open")

    def ready(self, key: str, patience_ms: float = LONG_MS) -> Locator:
        """Return the button of that key once it can be pressed.

        While the page is drawn anew, a stale button may stand beside the new one.
        """
        button = self.page.locator(f".st-key-{key} button:enabled")
        expect(button).to_have_count(1, timeout=patience_ms)
        return button

    def press(self, key: str, told: str | re.Pattern[str] = "") -> None:
        """The button of that key; until the view says what comes of it, if that is given."""
        button = self.page.locator(f".st-key-{key} button").first
        if told:
            self.insist(button.click, lambda ms: self.says(told, ms))
        else:
            button.click()

    def unfold(self, key: str) -> None:
        """Open an expander or a popover, if it is not open; returns when it is.

        Until then lists in it move.
        """
        body = self.page.get_by_test_id("stPopoverBody")
        popover = self.page.locator(f".st-key-{key} [data-testid=stPopoverButton]")
        box = self.page.locator(f".st-key-{key} details").first
        box.or_(popover).first.wait_for()
        if not box.count():  # an expander may hold popovers; a popover's body stands elsewhere
            self.insist(
                lambda: None if body.count() else popover.click(),
                lambda ms: body.wait_for(timeout=ms),
            )
            body.evaluate(_STILL)
            return

        def click() -> None:
            if box.get_attribute("open") is None:
                box.locator("summary").click()

        self.insist(click, lambda ms: expect(box).to_have_attribute("open", "", timeout=ms))
        box.evaluate(_STILL)

    def download(self, key: str) -> str:
        """What the download button of that key gives."""
        # A file that is made when asked for is gone when the page is drawn anew meanwhile.
        self.wait_until_idle()
        files = f"{key.partition('_get_')[0]}_csv"
        if self.page.locator(f".st-key-{files} .st-key-{key}").count():
            self.unfold(files)
        with self.page.expect_download() as got:
            self.press(key)
        with open(got.value.path(), encoding="utf-8") as file:
            return file.read()

    def choose(self, key: str, option: str) -> None:
        """An option of a select box."""

        def open_list() -> None:
            self._close_list()
            self.page.locator(f"[class*=st-key-{key}] input").click()
            self.page.keyboard.type(option)  # long lists draw only what is in sight

        # A list closes when what is above it changes its height, as when some work is done.
        offered = self.page.get_by_role("option", name=option, exact=True)
        self.insist(open_list, lambda ms: offered.click(timeout=ms))
        self.settle()

    def _close_list(self) -> None:
        """Close a list of options, if one is open; else Escape would close what is around it."""
        if self.page.get_by_role("option").count():
            self.page.keyboard.press("Escape")

    def hide_everyone(self, k: int = 2) -> None:
        """On the view that hides everyone: make a release in groups of k, unless there is one."""
        if self.page.locator(".st-key-glove_figures").count() == 0:
            self.page.locator(".st-key-glove_k input").fill(str(k))
            self.page.keyboard.press("Tab")
            under_way = self.page.locator(".st-key-glove_figures, .st-key-glove_jobs_running").first
            self.insist(lambda: self.press("glove_run"), lambda ms: under_way.wait_for(timeout=ms))
        self.says(re.compile(r"Verified\.|too small for|though verified"))
        self.wait_until_idle()

    def keep_choice(self, name: str, why: str) -> None:
        """On Release options: choose one, with a reason, and a name if it is above a threshold."""
        self.choose("options_choice_name", name)
        expect(self.page.locator(".st-key-options_choice_name input")).to_have_value(name)
        reason = self.page.get_by_role("textbox", name="Why this one")
        by = self.page.get_by_role("textbox", name="Who overrides the thresholds")

        def keep() -> None:  # what is typed while the page is drawn anew is lost
            for box, text in ((reason, why), (by, "A. Officer")):
                if box.count():
                    box.fill(text)
                    box.press("Control+Enter")
                    self.settle()
            self.press("options_choice_keep")

        told = self.page.get_by_test_id("stAlert").filter(has_text=why.removesuffix("."))
        self.insist(keep, lambda ms: told.first.wait_for(timeout=ms))

    # --- looking ---

    def state_tables(self, first_day: str, days: int, people: int) -> None:
        """State what private tables need, on their page; typed, as an officer would."""
        for name, number in (("people", people), ("days", days)):
            field = self.page.locator(f".st-key-tables_{name} input")
            field.fill(str(number))
            field.press("Enter")
            self.settle()
        self.page.locator(".st-key-tables_first [role=spinbutton]").first.focus()
        self.page.keyboard.type(first_day.replace("-", ""), delay=40)
        self.page.keyboard.press("Escape")
        self.page.keyboard.press("Tab")
        self.says("is off by about")

    @property
    def text(self) -> str:
        """All text of the page, hidden parts too."""
        return self.page.locator("body").text_content() or ""

    def says(self, words: str | re.Pattern[str], patience_ms: float = LONG_MS) -> None:
        """Wait until the view says so, visibly."""
        told = self.page.get_by_test_id("stMain").get_by_text(words).first
        expect(told).to_be_visible(timeout=patience_ms)

    def error(self) -> str:
        """Wait for the box that tells of an error, and read it."""
        box = self.page.get_by_test_id("stAlertContentError").first
        box.wait_for()
        self.settle()
        expect(box).to_have_text(re.compile(r"\w"))  # in a redraw it may be empty for a moment
        return box.inner_text()

    def wait_for_data(self, users: int | None = None) -> None:
        """Until the data view has an account to show, of that many users if told."""
        self.says("The account of the file")
        if users is not None:
            metric = self.page.get_by_test_id("stMetric").filter(has_text="People")
            expect(metric.get_by_test_id("stMetricValue")).to_have_text(f"{users:,}")
        self.settle()

    def wait_for_curves(self, key: str, names: list[str]) -> None:
        """Until a figure has exactly these curves, drawn and in its legend."""
        self.page.wait_for_function(_HAS_CURVES, arg=[key, names])

    def wait_until_idle(self) -> None:
        """Until no job runs in this session."""
        expect(self.page.get_by_test_id("stProgress")).to_have_count(0)
        self.settle()

    def wait_for_search(self) -> None:
        """Until “Find a release” has ended; between two rounds there is no bar for a moment."""
        cancel = self.page.locator(".st-key-overview_cancel")
        expect(cancel).to_have_count(1, timeout=LONG_MS)
        while cancel.count():
            expect(cancel).to_have_count(0, timeout=10 * LONG_MS)
            self.wait_until_idle()
            self.page.wait_for_timeout(1_500)

    def click_point(self, key: str, share: float, told: str | re.Pattern[str]) -> None:
        """Click the point of the first curve that is nearest to a share of the users.

        Until the view says what comes of it.
        """
        self.insist(
            lambda: self.click_in(key, lambda: self.page.evaluate(_POINT_AT, [key, share])),
            lambda ms: self.says(told, ms),
        )

    def click_in(self, key: str, where: Callable[[], Sequence[float]]) -> None:
        """Click a point of a figure, asked for once the figure has come to rest."""
        plot = self.page.locator(f".st-key-{key} .js-plotly-plot")
        plot.scroll_into_view_if_needed()
        plot.evaluate(_STILL)
        x, y = where()
        self.page.mouse.move(x - 3, y)
        self.page.mouse.move(x, y, steps=4)
        self.page.mouse.click(x, y)

    def picture_of(
        self, selector: str, drawn: Callable[[Image.Image], bool] = lambda _: True
    ) -> Image.Image:
        """What is really on the screen there, once WebGL has drawn.

        That is when two pictures in a row are alike and ``drawn`` holds of them; or, when patience
        ends, as it is then.
        """
        place = self.page.locator(selector).first
        place.wait_for()
        place.scroll_into_view_if_needed()
        before, until = b"", time.monotonic() + LONG_MS / 1000
        while True:
            shot = place.screenshot()
            picture = Image.open(io.BytesIO(shot)).convert("RGB")
            if (shot == before and drawn(picture)) or time.monotonic() > until:
                return picture
            before = shot


def colours(picture: Image.Image) -> int:
    """How many different colours there are in it."""
    return len(picture.getcolors(picture.width * picture.height))


def amount_of(picture: Image.Image, colour: tuple[int, int, int], tolerance: int = 40) -> int:
    """How many pixels are about that colour."""
    return sum(
        count
        for count, pixel in picture.getcolors(picture.width * picture.height)
        if all(abs(a - b) <= tolerance for a, b in zip(pixel, colour, strict=True))
    )


@contextmanager
def clean(dashboard: Dashboard) -> Iterator[Dashboard]:
    """Hold, at the end, that the page spoke to its own server only and nothing went wrong in it."""
    yield dashboard
    page, seen = dashboard.page, dashboard.seen
    for what, found in (
        ("the page asked for something elsewhere", seen.strangers(dashboard.address)),
        ("the browser's console has errors", seen.complaints),
    ):
        assert not found, f"{what}: {found}"
    assert page.get_by_test_id("stException").count() == 0, "an exception is on the screen"
    for fault in ("Traceback", "fault in the program"):
        assert fault not in dashboard.text

"""What is wrong with a page by its boxes: figures off the screen, words cut, words on words."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.dashboard import Dashboard

# The main figure's box, in pixels of the screen as it is before anybody scrolls.
_MAIN = """() => {
    const box = document.querySelector('.st-key-main_figure');
    if (!box) return null;
    const {top, bottom, left, right} = box.getBoundingClientRect();
    return {top, bottom, left, right, height: innerHeight, width: innerWidth};
}"""

# Sentences seen before anybody scrolls: no labels, buttons, links, tables, nor title and question.
_SENTENCES = """() => {
    const not = 'button, label, a, table, summary, [role=tooltip], .st-key-head, .st-key-bar,'
        + ' [class*=st-key-aims_], .st-key-glove_figures, [data-testid=stMetric],'
        + ' [data-testid=stWidgetLabel], [data-testid=stProgress], [data-testid=stSlider]';
    return [...document.querySelectorAll('[data-testid=stMain] :is(p, li)')]
        .filter(e => e.closest('[data-testid=stMarkdownContainer]') && !e.closest(not))
        .filter(e => { const box = e.getBoundingClientRect();
                       return box.height && box.top < innerHeight && box.bottom > 0; })
        .map(e => { const text = e.cloneNode(true);
                    for (const icon of text.querySelectorAll('[role=img]')) icon.remove();
                    return text.textContent.trim(); });
}"""
MOST_FIRST = 60  # words of sentences on a first screen

# Elements with words of their own that are wider than the place they have, where the rest is hidden
# or runs out of the page. Grids are drawn on a canvas and scroll by themselves; what is for screen
# readers alone is one pixel large.
_CUT = """() => {
    const found = [];
    const screen = document.querySelector('[data-testid=stMain]').getBoundingClientRect();
    const roots = document.querySelectorAll('[data-testid=stMain], [data-testid=stSidebar]');
    for (const root of roots) for (const e of root.querySelectorAll('*')) {
        if (e.closest('[data-testid=stDataFrame], [data-testid=stIconMaterial], svg, canvas,'
                      + ' iframe, .katex, input, textarea, [data-baseweb=select]')) continue;
        const words = [...e.childNodes].filter(n => n.nodeType === 3 && n.textContent.trim());
        const seen = e.checkVisibility({opacityProperty: true, visibilityProperty: true});
        if (!words.length || !seen) continue;
        const box = e.getBoundingClientRect();
        if (box.width < 2 || box.height < 2) continue;
        const said = e.textContent.trim().slice(0, 60);
        const range = document.createRange();
        range.selectNodeContents(e);
        const text = range.getBoundingClientRect();
        for (let up = e; up && up !== root; up = up.parentElement) {
            const style = getComputedStyle(up), frame = up.getBoundingClientRect();
            const hides = ['hidden', 'clip'].includes(style.overflowX);
            if (hides && (text.right > frame.right + 1 || text.left < frame.left - 1)) {
                found.push(`cut: ${said}`);
                break;
            }
        }
        if (root.dataset.testid === 'stMain' && text.right > screen.right + 1)
            found.push(`beyond the page: ${said}`);
    }
    return [...new Set(found)];
}"""

# Words of a figure's legend, titles, ticks and labels that lie on each other by more than a hair.
_OVER = """() => {
    const found = [];
    for (const plot of document.querySelectorAll('.js-plotly-plot')) {
        const key = plot.closest('[class*=st-key-]')?.className.match(/st-key-(\\S+)/)?.[1];
        const words = [...plot.querySelectorAll('svg text')].filter(t =>
            t.textContent.trim()
            && t.checkVisibility({opacityProperty: true, visibilityProperty: true})
            && !t.closest('.hoverlayer, .modebar, .notifier'));
        // A turned word's box on the screen is larger than the word: sizes are taken as it was
        // before it was turned, distances along it and across.
        const boxes = words.map(t => {
            const b = t.getBoundingClientRect(), own = t.getBBox();
            const turn = (t.getAttribute('transform') || '').match(/rotate\\((-?[\\d.]+)/);
            return {x: (b.left + b.right) / 2, y: (b.top + b.bottom) / 2, wide: own.width,
                    high: own.height, turn: turn ? Number(turn[1]) : 0, said: t.textContent};
        }).filter(({wide, high}) => wide && high);
        for (let i = 0; i < boxes.length; i++) for (let j = 0; j < i; j++) {
            const p = boxes[i], q = boxes[j], angle = p.turn * Math.PI / 180;
            if (p.turn !== q.turn) continue;
            const along = Math.abs((p.x - q.x) * Math.cos(angle) + (p.y - q.y) * Math.sin(angle));
            const across = Math.abs((p.y - q.y) * Math.cos(angle) - (p.x - q.x) * Math.sin(angle));
            if ((p.wide + q.wide) / 2 - along > 2 && (p.high + q.high) / 2 - across > 4)
                found.push(`${key}: "${p.said}" on "${q.said}"`);
        }
    }
    return found;
}"""


def off_the_screen(page: Page) -> list[str]:
    """Why the main figure is not whole in the first screen; nothing if it is."""
    box = page.evaluate(_MAIN)
    if box is None:
        return ["there is no main figure"]
    inside = (
        box["top"] >= 0
        and box["left"] >= 0
        and box["bottom"] <= box["height"]
        and box["right"] <= box["width"]
    )
    where = f"{box['top']:.0f} to {box['bottom']:.0f} of {box['height']} px"
    return [] if inside else [f"the main figure lies at {where}"]


def much_to_read(page: Page, name: str) -> list[str]:
    """Print how many words stand on the first screen; return them if they are too many."""
    told = page.evaluate(_SENTENCES)
    words = sum(len(each.split()) for each in told)
    print(f"{name:40}{words:4} words on the first screen")
    return [f"{words} words: {' | '.join(told)}"] if words > MOST_FIRST else []


def cut(page: Page) -> list[str]:
    """Words that are cut by their container, or run out of the page."""
    return page.evaluate(_CUT)


def overlapping(page: Page) -> list[str]:
    """Words of figures that lie on each other."""
    return page.evaluate(_OVER)


def serious(dashboard: Dashboard) -> list[str]:
    """What axe finds of serious or critical impact, with the elements it means."""
    found = Axe().run(dashboard.page).response["violations"]
    return [
        f"{v['id']} ({v['impact']}): {node['target']} {node['html'][:200]}"
        for v in found
        if v["impact"] in ("serious", "critical")
        for node in v["nodes"]
    ]

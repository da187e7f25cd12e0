"""The dashboard without a browser: a session, its ways from view to view, what a page says.

Where the dashboard's own modules are named, they are named here, not in the tests.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from streamlit.proto.Block_pb2 import Block
from streamlit.testing.v1 import AppTest

import fpanon_core as fp
from fpanon_core.model.options import ReleaseOption, Synthesize, Tables
from fpanon_core.studies import presets
from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.study import Kept
from pages.shell.questions import Kind
from pages.shell.workspace import Workspace
from tests.support import runner

APP = Path(__file__).resolve().parents[2] / "app.py"
TEXTS = (
    *("title", "header", "subheader", "markdown", "caption"),
    *("info", "warning", "error", "success"),
)
HEADER = "user,time,lat,lon\n"
_VAIN = 20  # runs of a page, with no job left to run, after which nothing can change any more


def new_app(**query: str) -> AppTest:
    """A new session on the start page."""
    at = AppTest.from_file(str(APP), default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    return at.run()


def go(at: AppTest, page: str) -> AppTest:
    """To another view, as by its link."""
    return at.switch_page(f"pages/{page}/view.py").run()


def until(at: AppTest, done: Callable[[AppTest], Any], seconds: float = 300) -> AppTest:
    """Run again, as the polling fragments do in a browser, until something is so.

    A runner in this process has its jobs done here and nowhere else.
    """
    end = time.monotonic() + seconds
    idle_runs = 0
    while not done(at):
        idle_runs = 0 if runner.work() else idle_runs + 1
        in_vain = (runner.any_open() and idle_runs > _VAIN) or time.monotonic() > end
        assert not in_vain, f"waited in vain; the page says: {said(at)}"
        if not runner.any_open():
            time.sleep(0.1)
        at.run()
    faults = [each.value for each in at.error if "fault in the program" in each.value]
    assert not faults, faults  # a fault is told on the page, and is no exception of it
    return at


def visit(at: AppTest, page: str) -> AppTest:
    """To another view, until nothing is under way there."""
    return until(go(at, page), idle).run()


def press(at: AppTest, key: str, done: Callable[[AppTest], Any] | str = "") -> AppTest:
    """Press a button, and run until something is so, or that widget there; until all is idle."""
    at.button(key=key).click().run()
    if not done:
        return until(at, idle).run()  # it may have ended after the page was drawn
    return until(at, (lambda at: has(at, done)) if isinstance(done, str) else done)


def said(at: AppTest) -> str:
    """Everything a page says, what stands on its popovers too."""
    texts = [str(e.value) for kind in TEXTS for e in getattr(at, kind)]
    return "\n".join([*texts, *_popovers(at.main)])


def _popovers(block: Any) -> Iterator[str]:
    for child in block.children.values():
        if hasattr(child, "children"):
            proto = getattr(child, "proto", None)
            if isinstance(proto, Block) and proto.HasField("popover"):
                yield proto.popover.label
            yield from _popovers(child)


def page_lines(at: AppTest, folded: bool = True) -> list[str]:
    """What a page says, in its order, with what is folded away; not what stands on all pages."""
    return list(_lines(at.main, folded))


def _lines(block: Any, folded: bool) -> Iterator[str]:
    for child in block.children.values():
        proto = getattr(child, "proto", None)
        aside = isinstance(proto, Block) and proto.HasField("popover")
        if aside and not (folded and proto.popover.label == "Details"):
            continue
        if isinstance(proto, Block) and proto.id.endswith("-head"):
            continue
        if isinstance(proto, Block.Expandable) and not (folded or proto.expanded):
            continue
        if hasattr(child, "children"):
            yield from _lines(child, folded)
        elif getattr(child, "type", "") in TEXTS:
            yield str(child.value)


def has(at: AppTest, key: str) -> bool:
    """Whether a widget of that key is there."""
    kinds = (
        *("button", "selectbox", "download_button", "toggle", "radio", "number_input"),
        "text_area",
    )
    return any(e.key == key for kind in kinds for e in getattr(at, kind))


def opened(at: AppTest, sample: str = "sf_cabs", page: str = "data") -> AppTest:
    """Click a sample on the start page, and go to a page once it is read; nothing is measured."""
    at.button(key=f"start_{sample}").click().run()
    until(go(at, "data"), idle).run()
    return at if page == "data" else go(at, page)


def hardness(at: AppTest) -> AppTest:
    """The taxis on the page of everyone's k-gap, measured under the first profile at least."""
    return until(opened(at, page="anonymizability"), lambda at: has(at, "anon_get_k_gaps"))


def upload(at: AppTest, body: bytes, name: str = "own.csv", page: str = "data") -> AppTest:
    """Give a file of one's own to the Data view, and go to a page once it is read."""
    go(at, "data")
    at.file_uploader(key="data_file").upload(name, body).run()
    press(at, "data_read")
    return at if page == "data" else go(at, page)


def rows(users: int, samples: int) -> bytes:
    """A small file: user i is at its own place, a sample an hour."""
    lines = [
        f"subscriber-{u:03d},2024-03-05T{h:02d}:00:00+00:00,{14.7 + u / 100:.4f},-17.4"
        for u in range(users)
        for h in range(samples)
    ]
    return (HEADER + "\n".join(lines) + "\n").encode()


def made_here(at: AppTest) -> pd.DataFrame | None:
    """The releases that the session made about these people, as *Report* lists them."""
    return next((each.value for each in at.dataframe if "SHA-256" in each.value), None)


def idle(at: AppTest) -> bool:
    """Whether no job waits or runs that anybody waits for."""
    return not any(
        job.active or job.status == "done"
        for job in at.session_state["fp_jobs"]
        if job.kind not in ("deepen", "foretell")
    )


def deep(at: AppTest, k: int = 100) -> bool:
    """Whether every profile is measured up to that k, and nothing runs."""
    known = measured(at)
    everywhere = all(any(k in m.parts for m in each) for each in known.values())
    return everywhere and not any(job.active for job in at.session_state["fp_jobs"])


def measured(at: AppTest) -> dict[Any, list[Any]]:
    """What is measured of everyone, by data and profile: at once, and later in the background."""
    found: dict[Any, list[Any]] = {}
    for kind in ("measure", "deepen"):
        for key, kept in answers(at, kind).items():
            found.setdefault(key, []).append(kept.result.measured[0])
    return found


def answers(at: AppTest, kind: Kind | str) -> dict[Any, Kept]:
    """The answers kept of a kind of question, by digest and settings, the latest last."""
    state = at.session_state  # it has no get
    name = kind if isinstance(kind, str) else kind.name
    kept: dict[str, dict[Any, Kept]] = {}
    if "fp_answers" in state:
        kept = state["fp_answers"]
    return kept.get(name, {})


def workspace(at: AppTest) -> Workspace:
    """What the session has made of the data that are open; put there where there is nothing yet."""
    if "fp_workspace" not in at.session_state:  # it has no get
        at.session_state["fp_workspace"] = {}
    known: dict[str, Workspace] = at.session_state["fp_workspace"]
    return known.setdefault(at.session_state["fp_dataset"].digest, Workspace())


def choose_option(
    at: AppTest, step: Tables | Synthesize, limits: Limits | None = None
) -> Workspace:
    """Weigh an option without records, and choose it."""
    option = ReleaseOption(steps=[step])
    fs = at.session_state["fp_dataset"].fs
    areas = presets.purpose_areas(fs, at.session_state.get("aims_purpose", "transport"))
    table = fp.explore_options(fs, [option], risk="outsider", areas=areas)
    mine = workspace(at)
    if limits is not None:
        at.session_state["fp_limits"] = limits
    mine.weigh(table, limits or Limits(), 0)
    mine.choose(table.results[0], "Asked for.")
    return mine


def answer(at: AppTest, kind: Kind | str) -> tuple[Any, Any]:
    """Key and latest answer of that kind of question; None twice while there is none."""
    kept = answers(at, kind)
    if not kept:
        return None, None
    key, found = list(kept.items())[-1]
    return key, found.result


def keep_choice(at: AppTest, name: str, why: str, by: str = "A. Officer") -> AppTest:
    """Choose an option with a reason; in somebody's name, where it is above a threshold."""
    at.selectbox(key="options_choice_name").set_value(name).run()
    at.text_area(key=f"options_choice_why_{name}").set_value(why)
    for each in at.text_input:
        if each.key == "report_signer":
            each.set_value(by)
    return at.button(key="options_choice_keep").click().run()


def address(at: AppTest) -> dict[str, str]:
    """What the address names; AppTest keeps what a script wrote as lists, or as it was given."""
    named = at.query_params.items()
    return {name: value if isinstance(value, str) else value[0] for name, value in named}


def chosen(app: AppTest) -> Any:
    """The choice that was kept, of the one data set that a session has worked on."""
    (mine,) = app.session_state["fp_workspace"].values()
    return mine.kept

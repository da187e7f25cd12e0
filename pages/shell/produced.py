"""The release that an option makes, as it leaves: asked for on any page that has the option."""

from __future__ import annotations

from hashlib import sha256

import streamlit as st

from fpanon_core.model import limits
from fpanon_core.model.options import ReleaseOption
from fpanon_core.studies import production, report_words
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.report import Produced
from fpanon_core.studies.report_verdict import over_told
from pages.charts.plain import MESSAGE_LENGTH, plain

from . import questions, release, weighed
from .dataset import Dataset
from .questions import Kind

PRODUCED = Kind(
    "produce_option", production.study, page="options", kept=limits.KEPT_RELEASES, together=True
)
NOTE = (
    "The release is made anew: noise, exchanges and draws of people come from the operating "
    "system's randomness, not from the seed with which the figures above were measured."
)


def section(data: Dataset, option: ReleaseOption) -> None:
    """Produce the release of an option, whatever it is, verify it, and offer it with its key."""
    if over := outside(data, option):
        st.warning(
            "**This form is not within your limits:** "
            f"{plain('; '.join(over), MESSAGE_LENGTH)}. That its release is verified says that the "
            "file keeps what it promises, not that it may leave."
        )
    if use := use_told(data, option):
        (st.warning if use.startswith("Of little use") else st.markdown)(use)
    form = release.file_format(PRODUCED)
    config = production.Config(ReleaseOption(steps=option.steps), format=form)
    release.section(PRODUCED, data, config, f"“{option.name}”", note=NOTE, over=bool(over))


def made(data: Dataset, found: weighed.Weighed) -> Produced | None:
    """The release of the chosen form that was produced last, if it may leave."""
    option = weighed.chosen_option(found)
    answers = questions.of_data(PRODUCED, data.fs).values()
    results = [each.result for each in answers if option and each.result.archive]
    mine = [r for r in results if option and r.config.option.steps == option.steps]
    if not mine:
        return None
    return Produced(mine[-1].facts, sha256(mine[-1].archive).hexdigest())


def outside(data: Dataset, option: ReleaseOption) -> tuple[str, ...]:
    """Which limits the form is or may be above, as it was weighed; nothing where it was not."""
    found, result = weighed.of_data(data.digest), _weighed(data, option)
    return () if found is None or result is None else over_told(result, found.limits)


def use_told(data: Dataset, option: ReleaseOption) -> str:
    """How coarse it is, as it was weighed, and whether that is of use; empty where it was not."""
    result = _weighed(data, option)
    return "" if result is None else report_words.use_told(result)


def _weighed(data: Dataset, option: ReleaseOption) -> OptionResult | None:
    found = weighed.of_data(data.digest)
    results = () if found is None else found.table.results
    return next((r for r in results if r.option.steps == option.steps and not r.fault), None)

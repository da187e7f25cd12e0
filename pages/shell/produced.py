"""The release that an option makes, as it leaves: asked for on any page that has the option."""

from __future__ import annotations

import streamlit as st

from fpanon_core.model import limits
from fpanon_core.model.options import ReleaseOption
from fpanon_core.studies import production
from fpanon_core.studies.report_verdict import over_told
from pages.charts.plain import MESSAGE_LENGTH, plain

from . import release, weighed
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
            "**This form is outside of your limits, or may be:** "
            f"{plain('; '.join(over), MESSAGE_LENGTH)}. That its release is verified says that the "
            "file keeps what it promises, not that it may leave."
        )
    form = release.file_format(PRODUCED)
    config = production.Config(ReleaseOption(steps=option.steps), format=form)
    release.section(PRODUCED, data, config, f"“{option.name}”", note=NOTE)


def outside(data: Dataset, option: ReleaseOption) -> tuple[str, ...]:
    """Which limits the form breaks or may break, as it was weighed; nothing where it was not."""
    found = weighed.of_data(data.digest)
    if found is None:
        return ()
    results = [r for r in found.table.results if r.option.steps == option.steps and not r.fault]
    return over_told(results[0], found.limits) if results else ()

"""The release that an option makes, as it leaves: asked for on any page that has the option."""

from __future__ import annotations

from fpanon_core.model import limits
from fpanon_core.model.options import ReleaseOption
from fpanon_core.studies import production

from . import release
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
    form = release.file_format(PRODUCED)
    config = production.Config(ReleaseOption(steps=option.steps), format=form)
    release.section(PRODUCED, data, config, f"“{option.name}”", note=NOTE)

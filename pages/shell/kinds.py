"""Kinds of question that more than one page asks: answered once, shown on each."""

from __future__ import annotations

from fpanon_core.studies import options, recovery

from .questions import Kind

OPTION = Kind("options", options.study, page="options", kept=200, together=True)
"""A release option, weighed by itself."""

AS_IT_IS = Kind("as_it_is", options.study, page="report", kept=4)
"""The data as they are, measured as the options are."""

RECOVERY = Kind("recovery", recovery.study, page="aggregates")
"""The attack on the data's own counts."""

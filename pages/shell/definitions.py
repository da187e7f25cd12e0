"""Tooltips of the measures: a definition in a sentence or two, and where the formula is.

``definitions.K_GAP`` is the tooltip of ``[k_gap]`` in :mod:`fpanon_core.model.definitions`.
"""

from __future__ import annotations

from fpanon_core.model.definitions import definitions


def __getattr__(name: str) -> str:
    found = definitions().get(name.lower()) if name.isupper() else None
    if found is None:
        raise AttributeError(name)
    return found.tooltip

"""What is said of studies: what is in their file, and what became of one that was opened."""

from __future__ import annotations

from fpanon_core.studies.study import Study
from pages.charts import words
from pages.charts.plain import plain

HOLDS = (
    "Results, settings, choice and reasons, to go on with on this or another computer. "
    "**Not for release:** it is personal data. It holds no id, but the file's name, figures of "
    "single people by row number, everyone's record as it was hidden, and, of attacks, where "
    "people truly were. Releases as they leave, with their keys, are not in it."
)
SETTINGS_LEFT_OUT = (
    "This page could not use the settings that the study brought, and begins with the usual ones; "
    "the study's results are there."
)


def holds_data(has_ids: bool) -> str:
    """What the data in it mean."""
    if not has_ids:
        return "The data are a shipped sample, or stay in the server's folder; they need no copy."
    return (
        "The files as you opened them, with every id in them: who has the study has the data. "
        "Without them, the same data must be opened beside it."
    )


def opened(study: Study, sealed: bool) -> str:
    """That its figures are in place, and how far they can be trusted."""
    several = words.count(len(study.answers), "result")
    said = f"The study is open: {several}, with settings and choice; nothing was computed anew."
    if sealed:
        return said
    return (
        f"{said} It is not known to this computer as its own: it was saved elsewhere, or was "
        "changed since. Its figures are taken on trust; have them measured anew before you sign."
    )


def other_data(study: Study, *, waits: bool) -> str:
    """Why it is not put in place."""
    what = (
        f"The study is of other data than these, or of the same read in another way: it is of "
        f"“{plain(study.label)}”, {_many(study)}."
    )
    if waits:
        return f"{what} It waits for them."
    return f"{what} It was not opened; open its data first, then the study."


def not_its_own(study: Study) -> str:
    """That the data it names or holds are others by now."""
    return (
        f"The data that the study names, “{plain(study.label)}”, are not those that it is of, "
        f"{_many(study)}: they have changed, or are read in another way by this program. The study "
        "was not opened."
    )


def waits(study: Study) -> str:
    """What it waits for."""
    return (
        f"A study waits for its data: “{plain(study.label)}”, {_many(study)}. Open them above; "
        "they are read as they were read for the study."
    )


def _many(study: Study) -> str:
    return f"{words.count(study.people, 'user')} and {words.count(study.samples, 'sample')}"

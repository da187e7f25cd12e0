"""What counts to publish are, and what only their maker may know of them, in sentences."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from fpanon_core.io.report import IngestReport
from fpanon_core.studies import counts_words
from fpanon_core.studies.counts_release import Result
from pages.charts import words

EMPTY = (
    "State places and period, and the counts of everybody are made. They leave as one zip: the "
    "counts, the places, a README of one page and a description for machines."
)


def lacking(
    places: str,
    bounds: Sequence[float | None],
    first: dt.date | None,
    days: float | None,
    *,
    calendar: bool,
) -> str:
    """What is not stated yet; nothing where all is."""
    missing = []
    if calendar and first is None:
        missing.append("the first day")
    if days is None:
        missing.append("the number of days")
    if places == "grid" and any(bound is None for bound in bounds):
        missing.append("the four bounds of the area")
    if not missing:
        return ""
    return (
        f"State {' and '.join(missing)}. They are not taken from the records, as those would show "
        "in the table."
    )


def guessed(report: IngestReport) -> str:
    """What the records decided of their reading that private counts need stated; else nothing."""
    if report.timezone_guessed:
        return (
            "The time zone is guessed from the records, and one record could change it. For "
            "private counts state it on the page Data, under “Correct the columns …”."
        )
    if report.screening.by_span:
        return (
            "Who was kept by the screening goes by the days of all records, so that one person "
            "more can change it. Private counts need data screened by a least number of samples "
            "only."
        )
    return ""


def made(made: Result) -> tuple[str, ...]:
    """What was made, what it promises, and what must not leave with it."""
    counts, out, frame = made.counts, made.left_out, made.frame
    return (
        f"{_people(made.people)} counted at "
        f"{words.count(frame.n_places, 'place')} in {words.count(frame.n_slots, 'slot')}"
        + (
            ", gaps filled in."
            if counts.filled_in
            else ", each in the slots with a sample of theirs."
        ),
        _protected(made),
        f"Left out: {words.count(out.outside_area, 'sample')} outside the area, "
        f"{out.outside_period:,} outside the period, and "
        f"{_people(out.people)} without a sample inside.",
        ""
        if made.config.form == "plain"
        else "The numbers of people here are exact and not in the zip: published beside it they "
        "undo what protects it.",
    )


def _protected(made: Result) -> str:
    if made.guarantee is not None:
        return (
            f"{counts_words.epsilons(made.guarantee)} It holds if time zone, centre of the "
            "projection, area and period were not chosen by looking at single records."
        )
    if made.config.form == "suppressed":
        return (
            f"{words.count(made.blank, 'count')} above 0 and below {made.config.below} are left "
            f"blank, with {words.percent(made.blank_share)} of all people counted. In "
            f"{made.subtractable:,} of {made.frame.n_slots:,} slots, who knows the total learns by "
            f"subtraction that fewer than {made.config.below} are in the blanks: publish no "
            "totals, and no other table of the same people. It is a custom, and promises nothing."
        )
    return "Nothing protects them: a count of one person says where that person was."


def _people(many: int) -> str:
    return "1 person" if many == 1 else f"{many:,} people"

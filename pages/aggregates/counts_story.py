"""Sentences on counts to publish, and on figures about them that only the officer may see."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from fpanon_core.io.report import IngestReport
from fpanon_core.studies import counts_release
from fpanon_core.studies.counts_release import Config, Form, Result
from fpanon_core.studies.report_words import listed
from pages.charts import words

INSTEAD = "To show where people are or go, publish tables: the same ε adds far less noise."
REASON = "Who asked for what, and why the small counts harm nobody. Name no person."
REASON_FIRST = (
    "No limit applies to such counts, and an attack may recover the trajectories behind them. "
    "Say why they may be released; the zip is then offered."
)
EMPTY = "State the protection, the places and the period; you get the counts as one zip."
CHANGED = (
    "The settings, or the way the data are read, have changed since counts were last made. The "
    "counts made earlier are no longer offered: make them again with these settings."
)
_NOISE_PER_ROOT = 2**0.5  # standard deviation of Laplace noise in its scale


def lacking(
    form: Form | None,
    places: str,
    bounds: Sequence[float | None],
    first: dt.date | None,
    days: float | None,
    *,
    calendar: bool,
) -> str:
    """Say what is not stated yet; return "" if everything is stated."""
    unstated = {
        "how the counts are protected": form is None,
        "the first day": calendar and first is None,
        "the number of days": days is None,
        "the four bounds of the area": places == "grid" and None in bounds,
    }
    missing = [what for what, lacks in unstated.items() if lacks]
    if not missing:
        return ""
    taken = (
        " Places and period are not taken from the records, because they would reveal something "
        "about single people."
    )
    if missing == ["how the counts are protected"]:
        taken = ""
    return f"State {listed(missing)}.{taken}"


def zip_label(config: Config) -> str:
    """Return the label of the download button, which says how the counts are protected."""
    return {
        "plain": "Unprotected counts (zip)",
        "suppressed": f"Counts, below {config.below} left blank (zip)",
        "private": f"Private counts, ε = {config.epsilon:g} (zip)",
    }[config.form]


def warned(made: Result) -> str:
    """Return a warning if the counts are unprotected or mostly noise; otherwise ""."""
    if made.config.form == "plain":
        share = f" ({words.percent(made.of_one / made.published)})" if made.published else ""
        return (
            f"**Nothing protects these counts.** {made.of_one:,} of the "
            f"{words.count(made.published, 'count')} in this zip{share} "
            f"{'is a count' if made.of_one == 1 else 'are counts'} of a single person."
        ) + _unseen(made)
    if made.guarantee is None:
        return ""
    off, each = _off(made), made.people / made.frame.n_places
    if off < each:
        return ""
    much = (
        "These counts say next to nothing"
        if off >= made.people
        else "These counts are mostly noise"
    )
    return (
        f"**{much}.** Each count is off by about {_rounded(off)}, but there "
        f"{'is' if made.people == 1 else 'are'} {words.people(made.people)} in all, "
        f"{each:.2g} per place. Fewer slots, fewer places or a larger ε leave more to see."
    )


def _unseen(made: Result) -> str:
    """Say whether a count of one person reveals where the person was."""
    if not made.of_one:
        return ""
    if not made.of_one_unseen:
        return " Each of these counts says where its person was recorded."
    seen = made.of_one - made.of_one_unseen
    told = (
        f" In {words.percent(made.of_one_unseen / made.of_one)} of these counts, the person was "
        "not recorded in the slot counted. The place was inferred from the records before or "
        "after, and the person may have been elsewhere."
    )
    if not seen:
        return told
    says, these = ("says", "one it is") if seen == 1 else ("say", "ones they are")
    return (
        f"{told} Of these counts, {seen:,} {says} where a person was recorded; nothing shows "
        f"which {these}."
    )


def _off(made: Result) -> float:
    """Return the standard deviation, in people, of the noise in a count."""
    assert made.guarantee is not None
    return _NOISE_PER_ROOT * made.guarantee.scale


def _rounded(off: float) -> str:
    """Return an error in people, rounded to two or three significant digits."""
    people = f"{float(f'{off:.3g}'):,.0f}" if off >= 10 else f"{off:.2g}"
    return f"{people} {'person' if people == '1' else 'people'}"


def guessed(report: IngestReport) -> str:
    """Say which setting rules out private counts because it depends on the records; "" if none."""
    if report.timezone_guessed:
        return (
            "The time zone is guessed from the records, and one record could change it. For "
            "private counts, state the time zone on the Data page, under “Correct the columns …”."
        )
    if report.screening.by_span:
        return (
            "The screening compared each person's days with the days of all records, so one more "
            "person could change who is kept. Private counts need data screened only by a minimum "
            "number of samples."
        )
    return ""


def made(made: Result) -> tuple[str, ...]:
    """Say what was counted, what the counts promise, and what must not leave with them."""
    counts, out, frame = made.counts, made.left_out, made.frame
    return (
        f"{words.people(made.people)} {'is' if made.people == 1 else 'are'} counted at "
        f"{words.count(frame.n_places, 'place')} in {words.count(frame.n_slots, 'slot')}"
        + (
            f", with gaps filled in{_filled(made)}."
            if counts.filled_in
            else ", each only in slots for which they have a sample."
        ),
        _protected(made),
        f"We left out {words.count(out.outside_area, 'sample')} outside the area, "
        f"{out.outside_period:,} outside the period, and "
        f"{words.people(out.people)} without a sample inside.",
        ""
        if made.config.form == "plain"
        else "The numbers of people here are exact and are not in the zip. Published with it, "
        "these numbers would undo its protection.",
    )


def _filled(made: Result) -> str:
    """Say what share of counted points was recorded; return "" if all were, or if unknown."""
    share = made.recorded_share
    if not share < 1:
        return ""
    return (
        f": {words.percent(share)} of the points counted were recorded; the others were filled in"
    )


def _protected(made: Result) -> str:
    if made.guarantee is not None:
        return (
            f"Each count is off by about {_rounded(_off(made))} (standard deviation of the noise); "
            f"there {'is' if made.people == 1 else 'are'} {words.people(made.people)} in all. "
            f"{counts_release.epsilons(made.guarantee)} The promise holds if time zone, centre of "
            "the projection, area and period were not chosen by looking at single records."
        )
    if made.config.form == "suppressed":
        are, hold = ("is", "it holds") if made.blank == 1 else ("are", "they hold")
        return (
            f"{words.count(made.blank, 'count')} above 0 and below {made.config.below} {are} left "
            f"blank; {hold} {words.percent(made.blank_share)} of the sum of all counts. In "
            f"{made.subtractable:,} of {made.frame.n_slots:,} slots, anyone who knows the total "
            f"learns by subtraction that fewer than {made.config.below} people are in the blanks. "
            "Publish no totals, and no other table of the same people. Leaving counts blank is a "
            "custom, and promises nothing."
        )
    return "Nothing protects these counts."

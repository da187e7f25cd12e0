"""The one page that leaves with a release: what it is, what a row means, what is promised.

Pure text of the facts, so that a verifier can make it again: no date, no path, no id.
"""

from __future__ import annotations

import re

from .facts import Accuracy, ReleaseFacts
from .options import (
    AddNoise,
    Aligned,
    Generalize,
    Glove,
    Periods,
    Permute,
    SampleUsers,
    Step,
    SuppressRare,
    Tables,
)
from .periods import days_text
from .profiles import window_text
from .version import __version__

README = "README.md"
_ACTIVE = re.compile(r"([\\`*_\[\]<>!|#~$])")
_LAEA = re.compile(r"\+proj=laea \+lat_0=(\S+) \+lon_0=(\S+)")


def readme(facts: ReleaseFacts, data_file: str, sha256: str) -> str:
    """The page, in Markdown.

    Parameters
    ----------
    facts : ReleaseFacts
    data_file : str
        Name of the data file.
    sha256 : str
        Of its bytes, in hexadecimal.
    """
    return "\n\n".join(text for _, text in sections(facts, data_file, sha256)) + "\n"


def sections(facts: ReleaseFacts, data_file: str, sha256: str) -> list[tuple[str, str]]:
    """Each part of the page: its heading, and its text with the heading."""
    parts = [
        ("What was done", _done(facts)),
        ("What a row means, and what it does not", _row(facts)),
        ("What is promised, and what is not", promises(facts)),
        ("How coarse it is", [_accuracy(facts.accuracy)]),
        ("Columns and units", [_columns(facts)]),
        ("Verification", _verification(facts, data_file, sha256)),
    ]
    return [
        ("title", f"# {_plain(title(facts))}\n\n{_overview(facts, data_file)}"),
        *((head, "\n\n".join([f"## {head}", *texts])) for head, texts in parts),
        ("programme", f"Made with fpanon {__version__}."),
    ]


def title(facts: ReleaseFacts) -> str:
    """A release in a line."""
    return f"Mobility data: {facts.option.text}"


def _plain(text: str) -> str:
    """A text that holds names of the original's columns, so that no reader's page acts on it."""
    return _ACTIVE.sub(r"\\\1", " ".join(text.split()))


def _overview(facts: ReleaseFacts, data_file: str) -> str:
    lines = [
        f"- `{data_file}`: {_count(facts.rows, 'row')} of {_count(facts.people, 'person')}"
        + ("" if facts.groups is None else f" in {_count(facts.groups, 'group')}"),
        "- `datapackage.json`: every column with its type and unit, for programmes (Frictionless "
        "Data Package)",
    ]
    if facts.first_day is not None:
        lines.append(
            f"- Period: {facts.first_day} to {facts.last_day}, local time of {facts.timezone}"
        )
        if facts.last_window_days is not None:
            held, days = facts.last_window_days
            lines.append(
                f"- The last window is not whole: only {held} of its {days} days are within that "
                "period. Do not compare it with the others"
            )
    else:
        lines.append("- Period: the data came without dates; times are minutes")
    if facts.period_days is not None:
        assert facts.pseudonyms is not None
        assert facts.periods is not None
        lines.append(
            f"- Cut: {_count(facts.pseudonyms, 'pseudonym')} in {_count(facts.periods, 'period')} "
            f"of {days_text(facts.period_days)}, another pseudonym for a person in each period"
        )
    lines.append(f"- {left_out(facts)}")
    return "\n".join(lines)


def left_out(facts: ReleaseFacts) -> str:
    """What of the original is not in the release."""
    share = facts.samples_left_out / facts.samples_in if facts.samples_in else 0.0
    people = facts.people_left_out / (facts.people + facts.people_left_out)
    return (
        f"Left out: {_percent(share)} of the samples ({facts.samples_left_out:,} of "
        f"{facts.samples_in:,}) and {_percent(people)} of the people ({facts.people_left_out:,} of "
        f"{facts.people + facts.people_left_out:,})"
    )


# --- what was done -------------------------------------------------------------------------------


def _done(facts: ReleaseFacts) -> list[str]:
    told = [_told(step, facts) for step in facts.option.steps]
    if not told:
        return ["Nothing but the names: places and times are as they were recorded."]
    return [" ".join(told)] if len(told) == 1 else [_numbered(told)]


def _numbered(lines: list[str]) -> str:
    return "\n".join(f"{i}. {line}" for i, line in enumerate(lines, 1))


def _told(step: Step, facts: ReleaseFacts) -> str:
    match step:
        case Generalize(profile):
            return f"Places and times were made coarser: {_plain(str(profile))}."
        case SampleUsers(share):
            return f"{_percent(share)} of the people were drawn at random; the others are left out."
        case AddNoise():
            return f"Every sample was moved at random: {step}."
        case Permute(what):
            other = "times" if what == "positions" else "positions"
            return (
                f"The {what} were exchanged at random among people ({step}). A row's {what} may be "
                f"another person's; its {other} are the person's own."
            )
        case SuppressRare(min_users):
            return f"Cells of place and time in which fewer than {min_users} people were are out."
        case Periods(days):
            return (
                f"The records were cut into periods of {days_text(days)}, the first from midnight "
                "of the first day, and each person has another pseudonym in each of them."
            )
        case Glove(k):
            return _glove_told(step, facts, k)
        case Tables():  # which have a page of their own
            return f"{step}."


def _glove_told(step: Glove, facts: ReleaseFacts, k: int) -> str:
    if isinstance(step, Aligned):
        told = (
            f"Aligned: people were put into groups of at least {k}; all samples of a group, in "
            "order of time, were cut into blocks that each hold a sample of every one of them, and "
            "each block is published as one cell for all."
        )
    else:
        told = (
            "GLOVE (Gramaglia & Fiore 2015b): the records most alike were merged until everyone "
            f"was one of at least {k} people with the same record."
        )
    limits = []
    if step.suppress_space_m is not None:
        limits.append(f"wider than {length(step.suppress_space_m)}")
    if step.suppress_time_min is not None:
        limits.append(f"longer than {window_text(step.suppress_time_min)}")
    if limits:
        told += f" Samples that would have made a cell {' or '.join(limits)} are left out."
    if step.leave_out:
        of = "" if facts.period_days is None else " of each period"
        told += (
            f" Up to {step.leave_out * 100:g} % of the people, those hardest to hide, are left "
            f"out{of}."
        )
    if facts.leftover is not None:
        fate = "joined the nearest group" if facts.leftover == "merge" else "are left out"
        within = "" if facts.period_days is None else " of a period"
        told += f" The last people{within}, where they were fewer than {k}, {fate}."
    if facts.period_days is not None:
        told += (
            " Each period was treated for itself: people are in groups with people of the same "
            "period only, and of a period in which fewer people were recorded nothing is published."
        )
    return told


# --- what it says and promises -------------------------------------------------------------------


def _row(facts: ReleaseFacts) -> list[str]:
    told = [_meaning(facts)]
    if facts.groups is not None:
        told.append(
            "**The edges are those of single samples.** The sides of a rectangle, its `start` and "
            "its `end` are where and when one person of the group was recorded, to "
            f"{length(facts.granularity_m)} and {duration(facts.granularity_min)}. The release "
            "does not say which person. An attacker who knows such a moment may recognise the "
            "group by it."
        )
    if facts.period_days is not None:
        told.append(
            "A pseudonym is one person in one period, and each person has another in every "
            "period. Do not count pseudonyms as people over several periods. Do not look for "
            "anybody's way from one period to the next."
        )
    if facts.groups is not None:
        told.append(
            "People of one `group` have the same rows: count them as so many people, but not as so "
            "many observations."
        )
    return told


def _meaning(facts: ReleaseFacts) -> str:
    nothing = "Where a person has no row, the release says nothing: they may have been anywhere."
    if facts.moved:
        return (
            "**A row does not say where the person was.** Places or times were moved or exchanged "
            f"at random. {truth(facts)} {nothing}"
        )
    if facts.phantom_share:
        return (
            "A row gives a pseudonym a rectangle and a time window, from `start` up to `end`. "
            f"**Not every row is true.** {truth(facts)} Do not count rows as visits without "
            f"allowing for it. {nothing}"
        )
    return (
        "A row says that the person behind the pseudonym was in the rectangle at some time from "
        f"`start` up to `end`; not where in it, when, or for how long. {truth(facts)} {nothing}"
    )


def truth(facts: ReleaseFacts) -> str:
    """In how many rows the person was never recorded in the cell that the row names."""
    if facts.phantom_share is None:
        return "There are no rows."
    if facts.phantom_share == 0:
        return "In every row's cell the person was recorded at least once."
    return (
        f"In {_hundredths(facts.phantom_share)} of 100 rows the person was never recorded in that "
        "cell at that time. The release does not say which rows these are."
    )


def promises(facts: ReleaseFacts) -> list[str]:
    """What the release promises to the people in it, and what it does not."""
    told = [_crowd(facts)]
    if facts.k is not None and (facts.samples_left_out or facts.people_left_out):
        told.append(
            "**What was left out is not covered.** An attacker who knows of a place and time that "
            "was left out may find that fewer people fit, or that nobody does."
        )
    if facts.period_days is not None:
        told.append(
            "**No name, number or order links the records of two periods.** Habits may: an "
            "attacker who compares places and hours of two periods can guess which records are "
            "one person's, and may be right more often than by chance."
        )
    steps = facts.option.steps
    if any(isinstance(step, AddNoise) for step in steps):
        told.append(
            "Noise blurs one sample. Over many samples of one person, such as the nights at home, "
            "it averages out."
        )
    if any(isinstance(step, SampleUsers) for step in steps):
        told.append(
            "Drawing people at random protects those who are not in the release. It does not hide "
            "those who are."
        )
    told.append(
        "Pseudonyms"
        + ("" if facts.groups is None else ", group numbers")
        + " and the order of the people are random and were drawn for this release alone. They "
        "say nothing about the original file, and do not link this release to another. Places and "
        "times may: an attacker with two releases of the same people can match their rows, and "
        "learns more than from either."
    )
    return told


def _crowd(facts: ReleaseFacts) -> str:
    if facts.k is None:
        return (
            f"**This release does not guarantee k-anonymity.** {alone(facts)} A few known places "
            "and times may single out one person, and then the whole record is known. The "
            "programme measures what an attacker can do, under “Release options”."
        )
    within = "E" if facts.period_days is None else "In each period e"
    return (
        f"**{within}veryone published is one of at least {facts.k} people with exactly the same "
        "rows.** These rows do not tell the people apart, so an attacker picks the right one of "
        f"their pseudonyms with a chance of at most 1 in {facts.k}. An attacker still learns "
        "everything that the rows of the group say."
    )


def alone(facts: ReleaseFacts) -> str:
    """How many people have rows like nobody else's, in a release that promises no crowd."""
    if not facts.people_alone:
        return "Here, each record has the same rows as another one."
    whole = _count(facts.people, "person")
    if facts.pseudonyms is not None:  # a person has one in each period
        whole = _count(facts.pseudonyms, "pseudonym")
    return (
        f"{facts.people_alone:,} of the {whole} "
        f"{'has' if facts.people_alone == 1 else 'have'} rows that nobody else has. An attacker "
        "who knows enough of such a person finds all of them."
    )


def _accuracy(accuracy: Accuracy | None) -> str:
    if accuracy is None:
        return "Nothing is published."
    return (
        f"Over the {accuracy.of}: half are published as a cell of at most "
        f"{length(accuracy.median_side_m)}, the mean of its width and height "
        f"(mean {length(accuracy.mean_side_m)}), and half as a time span of at most "
        f"{duration(accuracy.median_span_min)} (mean {duration(accuracy.mean_span_min)})."
    )


def _columns(facts: ReleaseFacts) -> str:
    within = "" if facts.period_days is None else "in one period, "
    lines = [f"- `pseudonym`: of the person, {within}in this release alone"]
    if facts.groups is not None:
        lines.append("- `group`: people of one group have the same rows")
    lines.append(
        "- `x_min_m`, `x_max_m`, `y_min_m`, `y_max_m`: the rectangle, in metres; "
        + projection(facts.crs)
    )
    if facts.crs is not None:
        lines.append(
            "- `lat_min`, `lat_max`, `lon_min`, `lon_max`: the rectangle that bounds it in degrees "
            "(WGS 84)"
        )
    lines.append(
        "- `start`, `end`: local time with its offset from UTC; `end` itself is not included"
        if facts.timezone is not None
        else "- `start`, `end`: minutes since midnight of the first day; `end` is not included"
    )
    return "\n".join(lines)


def projection(crs: str | None) -> str:
    """The projection in words."""
    if crs is None:
        return "the positions came already in metres, and which projection they are on is not known"
    found = _LAEA.match(crs)
    if found is None:
        return f"projection {crs}"
    return (
        f"Lambert azimuthal equal-area projection around latitude {found[1]}, longitude {found[2]} "
        "(WGS 84)"
    )


def _verification(facts: ReleaseFacts, data_file: str, sha256: str) -> list[str]:
    return [
        verdict_text(facts),
        f"This is said of the bytes of `{data_file}` whose SHA-256 is\n`{sha256}`.",
        "Anyone who holds the original records can check it again, with this folder or zip and the "
        f"records:\n`{check_command(facts)}`",
    ]


def verdict_text(facts: ReleaseFacts) -> str:
    """What was found when the bytes were read back; a release that fails is not written."""
    if facts.k is None:
        return (
            "Verified: the files, figures and names are as stated. This release does not guarantee "
            "k-anonymity."
        )
    within = "" if facts.period_days is None else "in each period, "
    against = (
        "against the original records"
        if facts.against == "original"
        else "against the records as they were after the steps before the last"
    )
    return (
        f"Verified: {within}everyone published is one of at least {facts.k} people with the same "
        f"rows, checked {against}."
    )


def check_command(facts: ReleaseFacts) -> str:
    """What is typed to have a release held against its original and its promise.

    Where samples are left out, which ones is not to be seen in the release: it takes both files
    that are not for release.
    """
    promise = "" if facts.k is None else f" --k {facts.k}"
    lost = " --key KEY --left-out LIST" if facts.k is not None and facts.samples_left_out else ""
    return f"python -m fpanon_core verify RELEASE RECORDS{promise}{lost}"


# --- numbers in words ----------------------------------------------------------------------------


def _count(n: int, noun: str) -> str:
    plural = {"person": "people"}.get(noun, f"{noun}s")
    return f"{n:,} {noun if n == 1 else plural}"


def _percent(share: float) -> str:
    """Never 0 % of something, never 100 % of not all."""
    if 0 < share < 0.0005:
        return "less than 0.1 %"
    if 0.9995 <= share < 1:
        return "more than 99.9 %"
    return f"{100 * share:.1f}".removesuffix(".0") + " %"


def _hundredths(share: float) -> str:
    return _percent(share).removesuffix(" %")


def length(metres: float) -> str:
    """Such as "350 m", "1.7 km"."""
    return f"{metres:,.0f} m" if metres < 1000 else f"{metres / 1000:,.4g} km"


def duration(minutes: float) -> str:
    """Such as "35 min", "2.5 h", "5.2 days"."""
    if minutes < 60:
        return f"{minutes:.3g} min"
    return f"{minutes / 60:.3g} h" if minutes < 2880 else f"{minutes / 1440:.3g} days"

"""What is said of a release that was produced, in sentences; pure functions of the result."""

from __future__ import annotations

import re

import numpy as np

from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.release_page import alone, check_command
from fpanon_core.model.release_page import truth as _truth
from fpanon_core.studies.production import Result
from pages.charts import words
from pages.charts.plain import MESSAGE_LENGTH, plain

FORMATS = {"csv": "CSV", "parquet": "Parquet"}


def verdict(found: Result) -> str:
    """What the verifier says of the bytes."""
    said = plain(found.verdict.text, MESSAGE_LENGTH)
    if not found.verdict.passed:
        return f"**Do not release this; it is not offered.** {said}"
    if found.facts.k is None:
        return (
            f"**Written as it would leave; nobody is promised a crowd.** {alone(found.facts)} What "
            f"an outsider finds in it is measured on this page, not verified here. {said}"
        )
    return f"**Written as it would leave.** {said}"


def truth(found: Result, fs: FingerprintSet) -> str:
    """How many rows there are, of how many people, what is lost, and how many are not true."""
    facts = found.facts
    every = facts.people + facts.people_left_out
    people = "1 person" if facts.people == 1 else f"{facts.people:,} people"
    if facts.people_left_out:
        people = f"{facts.people:,} of the {every:,} people"
    gone = ""
    if facts.periods is not None and facts.period_days is not None:
        every = len(np.unique(fs.days // facts.period_days))
        if lost := every - facts.periods:
            length = words.count(facts.period_days, "day")
            gone = f" **Nothing is published of {lost:,} of {every:,} periods ({length}).**"
    stood_for = facts.samples_in - facts.samples_left_out
    of_all = f" of the {facts.samples_in:,} recorded" if facts.samples_left_out else " recorded"
    return (
        f"{words.count(facts.rows, 'row')} of {people}, for "
        f"{words.count(stood_for, 'sample')}{of_all}.{gone} {_truth(facts)}"
    )


def again(found: Result) -> str:
    """How somebody else checks it: the verdict on the screen is by the programme that made it."""
    return (
        f"Whoever holds the records can check it again: `{check_command(found.facts)}`, exit "
        "code 0 where it is in order."
    )


def secret(found: Result) -> str:
    """What the files are that must not leave."""
    uses = ["answer for single people", "compare a later release with this one"]
    if found.facts.samples_left_out:
        uses.append("have the release checked again")
    told = (
        "**Not for release.** The key says which id each pseudonym stands for: whoever has it and "
        "the release knows whose every row is. It exists only here, until this session ends; "
        f"download it now if you will have to {', '.join(uses[:-1])} or {uses[-1]}; else leave it."
    )
    if not found.facts.samples_left_out:
        return told
    if found.left_out is None:
        return f"{told} Samples were moved before some were left out: none can be listed."
    return (
        f"{told} The left-out samples are listed by id and by number among all samples, person by "
        "person and in order of time, from 0; that is no line of your file."
    )


def page(found: Result) -> str:
    """The README, with its headings as bold lines: the view has headings of its own."""
    return re.sub(r"(?m)^#+ (.+)$", r"**\1**", found.page)

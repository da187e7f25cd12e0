"""A release to download: requested, verified, shown, and offered with its pseudonym key."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from fpanon_core.io.publishing import Format
from fpanon_core.model import limits
from fpanon_core.model.configs import KnowledgeConfig
from fpanon_core.model.disclosure import HOME_WITHIN_M
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.linkage import LinkConfig
from fpanon_core.model.options import ReleaseOption
from fpanon_core.model.release_page import alone, check_command, truth
from fpanon_core.studies import attack, count_tables, production, synthetic_people
from fpanon_core.studies import report_words as w
from fpanon_core.studies.judgement import asked_of, interval
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.production import Result
from fpanon_core.studies.publishing import KEY_NAME, LEFT_OUT_NAME
from fpanon_core.studies.report_verdict import describe_exceeded
from fpanon_core.studies.search import KNOWLEDGE
from pages.charts import words
from pages.charts.plain import MESSAGE_LENGTH, plain

from . import definitions, downloads, layout, questions, together, workspace
from . import limits as thresholds
from .dataset import Dataset
from .kinds import ATTACK, OPTION
from .questions import Kind, Question
from .widgets import segments

_FORMATS: dict[Format, str] = {"csv": "CSV", "parquet": "Parquet"}
ABOVE = "Written, but not within your thresholds"
UNKNOWN = "Written, but not measured against your thresholds"
TOGETHER = "Written, but weaker together with an earlier release"
_MANY: dict[str, Any] = {"kept": limits.KEPT_RELEASES, "together": True}
PRODUCED = Kind("produce_option", production.study, page="report", **_MANY)
TABLES = Kind("produce_tables", count_tables.study, page="tables", **_MANY)
PEOPLE = Kind("produce_people", synthetic_people.study, page="tables", **_MANY)


def warn(data: Dataset, option: ReleaseOption) -> None:
    """Show which thresholds an option exceeds or may exceed, and how coarse it is."""
    found = workspace.of(data.digest).weighed
    results = () if found is None else found.table.results
    result = next((r for r in results if r.option.steps == option.steps and not r.fault), None)
    if found is None or result is None:
        return
    over = describe_exceeded(result, found.limits)
    if over:
        st.warning(
            f"**{w.describe_over(found.limits, result)}** A verified release keeps what it "
            "promises; that does not mean that it may be released."
        )
    use = w.describe_use(result) if option.recordless is None else ""
    if use and w.little_use(result):
        st.warning(use)
        use = ""
    layout.details(*(plain(each, MESSAGE_LENGTH) for each in over), use, key="produced")


def explored(data: Dataset) -> list[OptionResult]:
    """Return the results of options, from any page, that count when a release is judged."""
    found = workspace.of(data.digest).weighed
    tables = [each.result for each in questions.of_data(OPTION, data.fs).values()]
    every = [*([] if found is None else [found.table]), *tables]
    return [r for each in every for r in each.results if not r.fault and _counts(r, each.config)]


def _counts(result: OptionResult, known: KnowledgeConfig) -> bool:
    """Return whether the attacker is no weaker than the usual one, or is known to find too much.

    Options without records are always attacked in the same way.
    """
    exact, in_force = LinkConfig(**vars(known)), thresholds.in_force()
    usual = (
        known.strategy == KNOWLEDGE.strategy
        and known.p >= KNOWLEDGE.p
        and known.users >= KNOWLEDGE.users
        and exact.blur_m == exact.blur_min == 0
    )
    above = any(in_force.times(result, risk) > 1 for risk in in_force.judged)
    return usual or above or result.option.recordless is not None


def exceeded(results: Sequence[OptionResult]) -> tuple[str, ...] | None:
    """Say which thresholds the worst of these results exceeds, or may exceed.

    Return None if none of them has a figure that a threshold in force applies to.
    """
    in_force = thresholds.in_force()
    measured = [
        r
        for r in results
        if any(asked_of(r, x) and not math.isnan(interval(r, x)[2]) for x in in_force.judged)
    ]
    worst = max((describe_exceeded(r, in_force) for r in measured), key=len, default=None)
    return None if worst is None else tuple(plain(each, MESSAGE_LENGTH) for each in worst)


def records_exceeded(data: Dataset, config: production.Config) -> tuple[str, ...] | None:
    """Say which thresholds a release of records exceeds; None if it was not explored or attacked.

    A result within the thresholds counts only if its attacker is at least as strong as the usual
    one.
    """
    option, hidden = config.option, config.hidden
    steps = option.steps if hidden is None else hidden.steps
    known = [result for result in explored(data) if result.option.steps == steps]
    base = known[0] if known else OptionResult(option)
    if hidden is not None and not known:  # a group of k leaves nobody unique
        base = replace(base, risks={"unicity": (0.0, 0.0, 0.0)}, crowd_least=hidden.k)
    for settings, each in questions.of_data(ATTACK, data.fs).items():
        asked, made = settings if isinstance(settings, tuple) else (settings, None)
        if made == hidden if made else asked.option.steps == steps:
            result = _attacked(base, each.result)
            known += [result] * _counts(result, asked.knowledge)
    return exceeded(known)


def _attacked(base: OptionResult, found: attack.Result) -> OptionResult:
    """Return a result with the risks that an attack has found in the same release."""
    names = {"re-identification risk": "outsider", f"home within {HOME_WITHIN_M:g} m": "home"}
    risks, guessing = dict(base.risks), dict(base.guessing)
    for row in found.to_frame().to_dict("records"):
        if risk := names.get(row["measure"]):
            value, low, high = (float(row[f"after{end}"]) for end in ("", "_low", "_high"))
            risks[risk] = value, low, high
            guessing["linkage" if risk == "outsider" else risk] = float(row["guessing"])
    return replace(base, risks=risks, guessing=guessing)


def file_format(kind: Kind) -> Format:
    """Draw a control for the format of the data; return the choice."""
    return segments("Format of the data", _FORMATS, key=f"{kind.name}_format")


def section(
    kind: Kind,
    data: Dataset,
    config: production.Config,
    what: str,
    *,
    also: tuple[Any, ...] = (),
) -> None:
    """Draw a button that makes the release; once it is made, draw its result and the files.

    Parameters
    ----------
    what : str
        Name of the release, for the progress line.
    also : tuple
        Further arguments of :func:`production.study`.
    """
    over = records_exceeded(data, config)
    question = Question(kind, data.fs, config, f"Producing {what}", also)
    found: Result | None = questions.answer(question)
    if found is None and st.button(
        "Produce this release",
        key=f"{kind.name}_go",
        type="secondary" if over else "primary",
        disabled=questions.under_way(question),
        help=definitions.RELEASE,
    ):
        questions.ask(question)
        st.rerun()
    questions.progress(kind)
    if found is not None:
        _offer(kind, found, data, over=over)


def _offer(kind: Kind, found: Result, data: Dataset, *, over: tuple[str, ...] | None) -> None:
    """Draw the verdict; if the release passed, also the files and the page that goes with them."""
    falls = together.falls(found)
    told = describe_verdict(found, over=over, falls=falls)
    if not found.verdict.passed:
        st.error(told)
        return
    # Green means a checked promise and measured risks, alone and beside what left before.
    ready = over is not None and not over and not falls
    show = st.success if ready and found.facts.k is not None else st.info
    (st.warning if over or falls else show)(told)
    st.markdown(describe_truth(found, data.fs))
    hidden = found.config.hidden
    made = {
        "release": found.config.option.text if hidden is None else hidden.method,
        "k": found.facts.k,
        "format": found.config.format,
    }
    note_records(data, found)
    may_leave, left = together.section(kind, found)
    downloads.offer(
        "Release (zip)",
        lambda: found.archive,
        f"{data.prefix}release.zip",
        key=f"{kind.name}_get_release",
        kind="primary" if ready else "secondary",
        settings=made,
        disabled=not may_leave,
        left=left,
    )
    st.caption(describe_again(found))
    with st.container(border=True, key=f"{kind.name}_secret"):
        st.markdown(describe_secret(found))
        with st.container(horizontal=True):
            secret = [("Pseudonym key", "key", found.key, KEY_NAME)]
            if found.left_out is not None and found.facts.samples_left_out:
                secret += [("Left-out samples", "left_out", found.left_out, LEFT_OUT_NAME)]
            for label, key, content, name in secret:
                downloads.offer(
                    f"{label} (not for release)",
                    partial(bytes, content),
                    f"{data.prefix}{name}",
                    key=f"{kind.name}_get_{key}",
                    icon=":material/key:" if key == "key" else ":material/lock:",
                    settings=made,
                )
    readme(found.page, key=f"{kind.name}_page")


def readme(page: str, *, key: str) -> None:
    """Draw the README, with its headings as bold lines: the view has headings of its own."""
    with st.expander("The page that goes with the release (README.md)", key=key):
        st.markdown(re.sub(r"(?m)^#+ (.+)$", r"**\1**", page))


def note_records(data: Dataset, found: Result) -> None:
    """Record that this session made a release of records."""
    hidden = found.config.hidden
    what = found.config.option.text if hidden is None else f"{hidden.method}, k = {found.facts.k}"
    together.note_made(data, what, {found.config.format: found.archive})


# --- sentences ---

TO_ATTACK = (
    f"*Attack the release* measures what the usual attacker finds ({KNOWLEDGE.p} points, "
    f"{KNOWLEDGE.strategy}, exact)."
)


def describe_verdict(found: Result, *, over: tuple[str, ...] | None, falls: bool) -> str:
    """Describe the verdict of the verifier on the bytes of the release.

    ``over`` says which thresholds the release exceeds, or may exceed; None if nothing was measured.
    ``falls`` says whether some people's groups shrink when an earlier release is added.
    """
    said = plain(found.verdict.text, MESSAGE_LENGTH)
    if not found.verdict.passed:
        return f"**Do not release this; it is not offered.** {said}"
    ready = UNKNOWN if over is None else "Ready to release"
    ready = ABOVE if over else TOGETHER if falls else ready
    said = " ".join([*(over or ()), said, *[TO_ATTACK] * (over is None)])
    if found.facts.k is None:
        return (
            f"**{ready}. This release does not guarantee k-anonymity.** {alone(found.facts)} "
            f"What an attacker finds in it is measured on this page, not verified here. {said}"
        )
    return f"**{ready}.** {said}"


def describe_truth(found: Result, fs: FingerprintSet) -> str:
    """Say what the rows stand for, what is lost, and how many rows are false presences."""
    facts = found.facts
    every = facts.people + facts.people_left_out
    people = words.people(facts.people)
    if facts.people_left_out:
        people = f"{facts.people:,} of the {every:,} people"
    gone = ""
    if facts.periods is not None and facts.period_days is not None:
        every = len(np.unique(fs.days // facts.period_days))
        if lost := every - facts.periods:
            length = words.count(facts.period_days, "day")
            gone = f" **Nothing is published for {lost:,} of {every:,} periods ({length}).**"
    stood_for = facts.samples_in - facts.samples_left_out
    samples = words.count(stood_for, "recorded sample")
    if facts.samples_left_out:
        samples = f"{stood_for:,} of the {facts.samples_in:,} recorded samples"
    return (
        f"{words.count(facts.rows, 'row')} about {people} "
        f"{'stands' if facts.rows == 1 else 'stand'} for {samples}.{gone} {truth(facts)}"
    )


def describe_again(found: Result) -> str:
    """Say how others can check a release, as the verdict comes from the program that made it."""
    return (
        "This command checks the release again, given the files that it names: "
        f"`{check_command(found.facts)}`. The exit code is 0 if the release is in order."
    )


def describe_secret(found: Result) -> str:
    """Return a description of the files that must not leave."""
    uses = ["answer questions about one person", "compare a later release with this one"]
    if found.facts.samples_left_out:
        uses.append("have the release checked again")
    told = (
        "**Not for release.** The pseudonym key says which id each pseudonym stands for. Anyone "
        "with this key and the release knows which person each row is about. The key exists only "
        "here, until this session ends. You need the key only to "
        f"{', '.join(uses[:-1])} or {uses[-1]}."
    )
    if not found.facts.samples_left_out:
        return told
    if found.left_out is None:
        return f"{told} The left-out samples cannot be listed, because samples were moved first."
    return (
        f"{told} The left-out samples are listed by id and by number. The number counts all "
        "samples from 0, person by person and in order of time; it is no line number in your file."
    )

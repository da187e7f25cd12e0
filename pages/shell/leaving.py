"""Release of an option: records, or tables and synthetic people for stated days and areas.

A release without records needs stated days and areas, because those taken from the records would
reveal something about people. The ε of a private release is charged to the ledger. Then the release
is made, and offered as a zip file.
"""

from __future__ import annotations

import contextlib
import datetime as dt
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from fpanon_core.io.ledger import Ledger, Spent
from fpanon_core.io.publishing import FORMATS
from fpanon_core.io.report import IngestReport
from fpanon_core.model import geography, limits
from fpanon_core.model.count_tables import DAY_TYPES
from fpanon_core.model.counts_frame import StatedArea, StatedPeriod
from fpanon_core.model.errors import ConfigError, FpanonError
from fpanon_core.model.options import Recordless, ReleaseOption, Synthesize, Tables
from fpanon_core.model.profiles import as_areas
from fpanon_core.model.release_page import two_digits
from fpanon_core.studies import count_tables, production, synthetic_people
from fpanon_core.studies.count_tables import Result
from fpanon_core.studies.judgement import best_option, serves, within_limits
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.presets import about_people
from fpanon_core.studies.reading import Reading
from fpanon_core.studies.report import Produced
from fpanon_core.studies.report_verdict import describe_found
from fpanon_core.studies.report_words import describe_elsewhere, describe_file
from fpanon_core.studies.search import KNOWLEDGE
from fpanon_core.studies.study import Weighing
from pages.charts import words
from pages.charts.plain import plain

from . import aims, downloads, exploration, layout, questions, release, together
from . import limits as thresholds
from .dataset import Dataset
from .kinds import OPTION

Made = Result | synthetic_people.Result
TABLES_FILLED = "fp_tables_filled"
"""Key of the chosen option that last filled the fields of *Replace the records*."""
_MAKE = "Make the release"
_FIELD, _OF = "tables_", "fp_stated_of"
NOTHING_LEFT = (
    "**These tables show nothing.** All counts, or all trips, are blank or 0: there are too few "
    "people for so many areas and hours. A 0 is no finding."
)
OTHER_AREAS = (
    "What this file keeps was measured on {}, not on the areas that are chosen now. To see the "
    "result, choose the earlier areas again."
)
CHOSEN_BY_RECORDS = (
    "The figures above use the real records. ε does not cover a choice based on these figures."
)
PERIOD = (
    "State the days that you were asked for. Days taken from the records would reveal something "
    "about some people."
)
BY_SPAN = (
    "Screening compares each person's days with the days of all records, so one person can change "
    "who is kept. For a private release, screen only by a minimum number of samples or for "
    "machines, on the Data page."
)
KEPT_ONLY = (
    "The opened folder holds what was read, not the file itself, which a private release must "
    "read again. Open that file, or use `fpanon tables` or `fpanon synthesize`."
)
REASON = "Who asked for exact counts, and why small counts harm nobody. Name no person."
REASON_FIRST = (
    "Nothing protects exact counts: a count of one person says where that person was. Say why "
    "these counts may be released; the download button then appears."
)
SUBTRACTED = (
    "**Publish no second table of nearly the same people:** the difference between two tables "
    "reveals individual people, even where counts are blank."
)
VERIFIED_PEOPLE = (
    "places, protection and every byte of the zip were checked. No person in the zip exists."
)
VERIFIED = (
    "areas, protection and every byte of the zip were checked. The zip holds no record of any "
    "person."
)


@dataclass(frozen=True)
class Wish:
    """What is to be published without records.

    Attributes
    ----------
    option : Tables, Synthesize or None
        None while something is lacking.
    people : int or None
        Approximate number of people, for the expected error.
    lacking : str
        What is missing or wrong.
    """

    option: Recordless | None
    people: int | None
    lacking: str = ""


def of_option(data: Dataset, option: ReleaseOption) -> None:
    """Draw the section in which the release of an option, of any kind, is made and downloaded."""
    release.warn(data, option)
    step = option.recordless
    if step is None:
        kind = release.PRODUCED
        made = ReleaseOption(steps=option.steps)
        config = production.Config(made, format=release.file_format(kind))
        release.section(kind, data, config, f"“{option.name}”")
        return
    if step.epsilon is not None:
        st.caption(CHOSEN_BY_RECORDS)
    found = ask(data, _stated(data, step))
    if found is None:
        return
    section(data, found)
    if st.button("See the maps", key="tables_look"):
        st.session_state[TABLES_FILLED] = None  # its own values again, whatever was entered
        st.switch_page("pages/tables/view.py")


def made(data: Dataset, weighed: Weighing) -> Produced | None:
    """Return the latest verified release of the chosen option; None if there is none."""
    option = weighed.option
    if option is None:
        return None
    if option.recordless is None:
        kept = [each.result for each in questions.of_data(release.PRODUCED, data.fs).values()]
        mine = [r for r in kept if r.archive and r.config.option.steps == option.steps]
        if not mine:
            return None
        release.note_records(data, mine[-1])
        return Produced(mine[-1].facts, sha256(mine[-1].archive).hexdigest())
    found = latest(data, option.recordless)
    if found is None:
        return None
    together.note_made(data, str(found.config), found.archives)
    archive = found.archives[st.session_state.get(f"{release.TABLES.name}_format", FORMATS[0])]
    return Produced(found.config.frame, sha256(archive).hexdigest(), file_of(data, found))


def latest(data: Dataset, step: Recordless) -> Made | None:
    """Return the latest verified release of an option without records; None if there is none.

    The ε of a private release has been charged to the ledger. A release counts only if the data
    would now be read for it in the same way.
    """
    every: list[Made] = [x.result for x in questions.of_data(_kind(step), data.fs).values()]
    for found in reversed(every):
        if found.archives and _is_of(found.config, step):
            with contextlib.suppress(FpanonError):  # data read like this allow no private release
                question = _question(data, found.config, _reading_for(data, found.config))
                offered: Made | None = questions.answer(question)
                if offered is found:
                    return found
    return None


def _kind(option: Recordless) -> questions.Kind:
    return release.PEOPLE if isinstance(option, Synthesize) else release.TABLES


def _reading_for(data: Dataset, option: Recordless) -> Reading | None:
    """Return how to read the data again for a private release; None if that is not needed."""
    if option.epsilon is None:
        return None
    guessed = data.report.timezone_guessed
    return count_tables.stated_reading(data.fs, data.reading, option.frame, guessed=guessed)


def _question(data: Dataset, option: Recordless, reading: Reading | None) -> questions.Question:
    """Return the question for a release; releases of different readings are kept apart."""
    what = "Making people up" if isinstance(option, Synthesize) else "Making tables"
    also: tuple[Any, ...] = (as_areas(aims.areas(data.fs)),)
    also += () if reading is None else (data.source, reading)
    return questions.Question(_kind(option), data.fs, option, what, also, apart=reading)


def _is_of(stated: Recordless, step: Recordless | None) -> bool:
    """Return whether a release belongs to an option; its days and stated area may differ."""
    if type(stated) is not type(step) or step is None:
        return False
    frame = replace(stated.frame, period=step.frame.period, area=step.frame.area)
    return replace(stated, frame=frame) == step


def _weighed_as(data: Dataset, stated: Recordless) -> list[OptionResult]:
    """Return the results of the options to which a release belongs."""
    return [r for r in release.explored(data) if _is_of(stated, r.option.recordless)]


def file_of(data: Dataset, found: Made) -> OptionResult | None:
    """Return the result of a release's option, with the utility that the file itself keeps.

    Return None if the release belongs to no option that was weighed, or if utility was measured
    in other areas.
    """
    for result in _weighed_as(data, found.config):
        if result.areas == found.compared_in:
            table = isinstance(found, Result) and found.made.presence
            return replace(
                result,
                components=found.kept,
                corners={},
                least={},
                hours_hidden=bool(table and table.hours_hidden),
                one_profile=bool(table and table.one_profile),
            )
    return None


def nothing_shown(found: Result) -> str:
    """Warn of tables that show nobody, no trips, or no trips on a type of day that has some.

    Return "" if there is nothing to warn of.
    """
    presence, flows, exact = found.made.presence, found.made.flows, found.before.flows
    nobody = presence is not None and not np.nansum(presence.values) > 0
    if nobody or (flows is not None and not np.nansum(flows.trips) > 0):
        return NOTHING_LEFT
    if flows is None or exact is None:
        return ""
    for kind, shown, real in zip(DAY_TYPES, flows.by_day, exact.by_day, strict=True):
        if real and not shown:
            return (
                f"**No trips are shown on {kind}s**, but the records show {two_digits(real)} a "
                "day. The recipient must not take this for a finding."
            )
    return ""


def _stated(data: Dataset, step: Recordless) -> Wish:
    """Draw the fields of days and area; return the option with the stated values."""
    begin(data)
    frame = step.frame
    with st.container(horizontal=True, vertical_alignment="bottom", key="tables_stated"):
        here = st.container(width=170), st.container(width=170), st.container(width=420)
        first, days = period(data, *here[:2])
        bounds = frame.area and area(data, here[2])
    try:
        when = stated_period(data, first, days)
        where = None if frame.area is None else stated_area(bounds or "")
        stated = replace(step, frame=replace(frame, period=when, area=where))
        return Wish(stated, about_people(data.fs))
    except FpanonError as fault:
        return Wish(None, None, layout.as_shown(fault.message))


def begin(data: Dataset) -> None:
    """Reset the stated values when other data are opened."""
    state = st.session_state
    if state.get(_OF) != data.source.label:
        state[_OF] = data.source.label
        state.update({"tables_first": None, "tables_days": None, "tables_area": ""})


def period(data: Dataset, left: Any, right: Any) -> tuple[dt.date | None, int | None]:
    """Draw the fields of days; return the first day and the number of days.

    An empty field gives None, and so does the first day if days have no dates.
    """
    first = None
    if data.fs.clock is not None:
        ends: dict[str, Any] = {"min_value": dt.date(1970, 1, 1), "max_value": dt.date(2255, 1, 1)}
        first = left.date_input("First day (required)", None, help=PERIOD, **ends, **kept("first"))
    most = limits.COUNTS_DAYS.low, limits.COUNTS_DAYS.high
    days = right.number_input("Days", *most, None, placeholder="required", **kept("days"))
    return first, days


def stated_period(data: Dataset, first: dt.date | None, days: int | None) -> StatedPeriod:
    """Return the stated period; raise ConfigError if its number of days or first date is missing.

    The first date is needed only if days have dates.
    """
    if days is None or (first is None and data.fs.clock is not None):
        raise ConfigError(
            "State the first day and the number of days that you were asked for. Dates taken from "
            "the records would reveal something about people."
        )
    return StatedPeriod(first, int(days), 60.0)


def area(data: Dataset, place: Any) -> str:
    """Draw the field for an area's bounds; return the text entered."""
    degrees = data.fs.crs is not None
    bounds: str = place.text_input(
        f"Area: south, west, north, east ({'degrees' if degrees else 'metres'}; required)",
        placeholder="south, west, north, east",
        help="Such as 14.6, -17.6, 14.9, -17.2" if degrees else "Such as 0m, 0m, 5000m, 5000m",
        **kept("area"),
    )
    return bounds


def stated_area(bounds: str) -> StatedArea:
    """Return the area stated in a text; raise ConfigError if the text is empty or not valid."""
    found = StatedArea.read(bounds)
    if found is None:
        raise ConfigError("State the area: south, west, north and east.")
    return found


def kept(name: str) -> dict[str, Any]:
    """Return a field's key, and arguments that keep its value for the session."""
    return {"key": _FIELD + name, "persist_state": "session"}


def ask(data: Dataset, wish: Wish) -> Made | None:
    """Draw the expected error and a button that makes the release; return the release or None."""
    option = wish.option
    if option is None or wish.people is None:
        st.button(_MAKE, key="tables_go", type="primary", disabled=True)
        st.caption(wish.lacking)
        return None
    found = None
    if where := _describe_area(option.frame.area):
        st.caption(where)
    if days := days_without_records(data.report, option.frame.period):
        means = " Counts are means over all stated days." * isinstance(option, Tables)
        st.warning(days + means)
    try:
        reading = _reading_for(data, option)
        kept = data.source.was_read and reading is not None
        if lacking := unreadable(option, data.report, kept):
            st.error(lacking)
            return None
        question = _question(data, option, reading)
        found = questions.answer(question)
        if found is None:
            _expected(data, option, wish.people)
            if _pressed(data, option, reading, busy=questions.under_way(question)):
                questions.ask(question)
                st.rerun()
    except FpanonError as fault:
        layout.say(fault)
    questions.progress(_kind(option))
    return found


def _describe_area(area: StatedArea | None) -> str:
    """Say how far a stated area is from the nearest large town, which reveals swapped bounds."""
    if area is None or area.unit != "degrees":
        return ""
    lat, lon = (area.south + area.north) / 2, (area.west + area.east) / 2
    km, which = geography.nearest_town(np.array([lat]), np.array([lon]))
    return (
        f"The middle of the area is {km[0]:,.0f} km from {geography.town(int(which[0]))}, the "
        "nearest large town."
    )


def days_without_records(report: IngestReport, period: StatedPeriod) -> str:
    """Warn of stated days before the first or after the last record; return "" if there are none.

    Days without dates are not compared.
    """
    if period.first_day is None:
        return ""
    first, last = (dt.date.fromisoformat(end[:10]) for end in (report.first, report.last))
    end = period.first_day + dt.timedelta(days=period.days - 1)
    covered = max(0, (min(last, end) - max(first, period.first_day)).days + 1)
    if covered == period.days:
        return ""
    return (
        f"**The records cover {covered} of the {words.count(period.days, 'stated day')}**: they "
        f"run from {first} to {last}."
    )


def _expected(data: Dataset, option: Recordless, people: int) -> None:
    """Draw the expected effect of noise, from public numbers alone."""
    if isinstance(option, Synthesize):
        st.markdown(expected_people(synthetic_people.expected(data.fs, option, people)))
        return
    table = count_tables.expected_error(data.fs, option, people)
    with st.container(horizontal=True, vertical_alignment="center", key="tables_expected"):
        st.markdown(expected(table, option), width="content")
        if option.epsilon is not None:
            with st.popover("Fewer areas or hours", type="tertiary", key="tables_fewer"):
                st.dataframe(choices(table), hide_index=True, key="tables_choices")


def _pressed(data: Dataset, option: Recordless, reading: Reading | None, *, busy: bool) -> bool:
    """Return whether the release is to be made; if it is private, charge its ε to the ledger first.

    Noise whose ε is not charged is never shown. Otherwise noise could be drawn until the result
    looks good.
    """
    if option.epsilon is None:
        return st.button(_MAKE, key="tables_go", type="primary", disabled=busy)
    ledger = Ledger(count_tables.ledger_at(data.source))
    past = ledger.left is not None and option.epsilon > ledger.left
    budget, reason = None, ""
    row = st.container(horizontal=True, vertical_alignment="bottom")
    if ledger.budget is None:
        label = "Budget of ε for this file (optional)"
        budget = row.number_input(label, 0.1, None, None, key="tables_budget", width=300)
    if past:
        reason = row.text_input("Why the budget may be exceeded", key="tables_reason").strip()
    pressed = row.button(
        f"Charge ε = {option.epsilon:g} and make the release",
        key="tables_go",
        type="secondary" if past else "primary",
        disabled=busy or (past and not reason),
    )
    st.caption(before_noise(together.spent(data), ledger.budget, reading))
    if pressed:
        count_tables.charge(data.source, option, budget, reason or None)
    return pressed


def describe_kept(data: Dataset, found: Made) -> tuple[str, bool]:
    """Say what a release keeps of what the purpose needs; also return whether that is too little.

    If the release keeps too little, also say which page recommends an option that keeps enough.
    """
    file, weighed = file_of(data, found), exploration.current(data)
    if file is None:
        mine = found.compared_in and _weighed_as(data, found.config)
        return OTHER_AREAS.format(found.compared_in) if mine else "", False
    table, limits = weighed.table, weighed.limits
    told, little = describe_file(table.choice, file), bool(table.choice.too_little(file))
    if little and serves(table, within_limits(table, limits)):
        best = best_option(table, limits)
        if best is not None and not _is_of(found.config, table.options[best].recordless):
            told += " *Overview* recommends another option, which serves the purpose."
    return told, little


def section(data: Dataset, found: Made, *, warned: bool = False) -> None:
    """Draw the download of a release; if its counts are exact, ask for a reason first.

    ``warned`` says whether the page has already said what the release keeps. If the release did
    not pass its verification, say so, and draw nothing else.
    """
    if not found.archives:
        st.error(f"**Do not release this; it is not offered.** {plain(found.verdict)}")
        return
    option = found.config
    attacked = _weighed_as(data, option)
    over = release.exceeded(attacked)
    told, little = describe_kept(data, found)
    if told and not warned:
        (st.warning if little else st.caption)(told)
    if isinstance(found, Result) and (nothing := nothing_shown(found)):
        st.warning(nothing)
    if option.epsilon is None:
        st.warning(SUBTRACTED)
    with st.container(border=True, key="tables_release"):
        settings: dict[str, Any] = {"release": str(option), "epsilon": option.epsilon}
        if isinstance(option, Tables) and option.epsilon is None and option.threshold is None:
            settings["why"] = st.text_input(
                "Why exact counts may be released", key="tables_why", placeholder=REASON
            ).strip()
            if not settings["why"]:
                st.caption(REASON_FIRST)
                return
        together.note_made(data, str(option), found.archives)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            format = release.file_format(release.TABLES)
            made_up = isinstance(option, Synthesize)
            downloads.offer(
                "Synthetic people (zip)" if made_up else "Tables (zip)",
                lambda: found.archives[format],
                "synthetic_people.zip" if made_up else f"{data.prefix}tables.zip",
                key="tables_get_release",
                kind="secondary" if little or option.epsilon is None or over != () else "primary",
                settings=settings | {"format": format},
            )
        checked = VERIFIED_PEOPLE if isinstance(option, Synthesize) else VERIFIED
        if over is None:
            _unknown(data, option, checked)
        elif over:
            st.warning(f"**{release.ABOVE}.** {' '.join(over)} Verified: {checked}")
        else:
            st.caption(f"{TOO_LITTLE if little else 'Ready to release'}: {checked}")
        if over is not None:
            evidence = describe_found(attacked[-1], KNOWLEDGE.p, thresholds.in_force())
            layout.details(evidence, key="tables_attacked")
    release.readme(found.page, key="tables_page")


def describe_measured(data: Dataset, found: Made) -> str:
    """Say whether a release was measured against the thresholds, and whether it is within them."""
    over = release.exceeded(_weighed_as(data, found.config))
    if over is None:
        return "**Not measured against your thresholds.**"
    return "**Not within your thresholds.**" if over else "Within your thresholds."


def _unknown(data: Dataset, option: Recordless, checked: str) -> None:
    """Say why a release was not judged; if nobody has attacked it, draw a button that does so.

    The attack is that of a search for releases.
    """
    asked = exploration.question(data.fs, ReleaseOption(steps=[option]), KNOWLEDGE)
    attacked = questions.answer(asked)
    if attacked is None:
        why = f"{NOT_ATTACKED} {NOT_COVERED if option.epsilon is not None else ''}"
    else:
        fault = attacked.results[0].fault
        why = f"The attack failed: {layout.as_shown(fault)}" if fault else NO_THRESHOLD
    st.info(f"**{release.UNKNOWN}**: {checked} {why}".rstrip())
    if attacked is None and st.button(
        "Attack this release",
        key="tables_attack",
        type="primary",
        disabled=questions.under_way(asked),
    ):
        questions.ask(asked)
        st.rerun()
    questions.progress(OPTION)


# --- sentences ---

TOO_LITTLE = "Within your thresholds, but too little is kept for the purpose"
NO_THRESHOLD = "No threshold is set for what was measured."
NOT_ATTACKED = "Attacks on homes and membership have not been tried yet."
NOT_COVERED = "The attack uses the real records. ε does not cover a choice based on its result."


def expected(table: pd.DataFrame, option: Tables) -> str:
    """Say how large a typical count is and, for private tables, its expected error from noise."""
    first = table.iloc[0]
    areas, people = int(first["areas"]), first["people"]
    each = f"{option.bands} parts of a day" if option.bands > 1 else "whole days"
    setting = f"With {words.count(areas, 'area')} and {each}"
    if option.epsilon is None:
        told = f"**{setting}, a typical area has about {words.people(round(people))}.**"
        if option.threshold is not None and people < option.threshold:
            return f"{told} Most counts are below {option.threshold} and will be blank."
        return told
    fewer = first["share"] > 0.2 and areas > 1
    verdict = " Counts for fewer areas would be more exact." if fewer else ""
    if first["share"] > 0.5 and option.bands > 1:
        verdict += " Noise may hide the differences between parts of the day."
    count = f"of at most {words.people(round(people))}" if round(people) else "below 1 person"
    return (
        f"**{setting}, a typical count {count} is off by about {two_digits(first['error'])}: "
        f"{first['share']:.0%} at best.** People without records at that time are not counted, so "
        f"expect a larger relative error.{verdict}"
    )


def expected_people(table: synthetic_people.Expected) -> str:
    """Say how far noise is expected to move a count of homes, and what else to beware of."""
    said = (
        f"**With homes in up to {words.count(table.groups, 'group')} of places, a typical count "
        f"of {table.homes:,.0f} homes is off by about {two_digits(table.error)} (up to "
        f"{table.error / table.homes:.0%}).**"
    )
    return " ".join([said, *table.warnings])


def choices(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of what to expect from fewer areas or fewer parts of a day."""
    return pd.DataFrame(
        {
            "Areas": table["areas"].astype(int),
            "Parts": table["bands"].astype(int),
            "People, at most": table["people"].round(0).astype(int),
            "Off by": [two_digits(each) for each in table["error"]],
            "Share, at best": [f"{each:.0%}" for each in table["share"]],
        }
    )


def before_noise(spent: Spent, budget: float | None, reading: Reading | None) -> str:
    """Say how much ε this file has spent, when the promise holds, and how data are reread."""
    left = "" if budget is None else f" of a budget of {budget:g}"
    told = [
        f"Releases of this file have spent ε = {spent.here:g}{left}. {describe_elsewhere(spent)} "
        "Making a release again costs ε again: choosing among several releases would break the "
        "promise.",
        "The promise holds if areas and days were not chosen by looking at the records.",
    ]
    if reading is not None and reading.centre is not None:
        lat, lon = reading.centre
        zone = f" and time zone {reading.timezone}" if reading.timezone else ""
        told.append(
            f"For this release alone, the data are read with map centre {lat:g}, {lon:g}{zone}."
        )
    return " ".join(told)


def unreadable(option: Recordless, report: IngestReport, kept: bool) -> str:
    """Say why no private release can be made from data read like this; return "" if one can.

    ``kept`` says whether the opened folder holds what was read, not the file itself.
    """
    if option.epsilon is None:
        return ""
    if report.screening.by_span:
        return BY_SPAN
    return KEPT_ONLY * kept

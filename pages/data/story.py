"""Sentences about a data set: what became of its rows, how it was understood, and who remains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from fpanon_core.io.positions import stated_centre
from fpanon_core.io.report import MEANINGS, IngestReport
from fpanon_core.model.arrays import IntArray
from fpanon_core.model.errors import ConfigError
from pages.charts import words
from pages.charts.plain import plain

FAR = (
    "If a coordinate is wrong, correct the file and open it again: until then, maps, distances and "
    "synthetic people are wrong, too."
)
OUTLINES = (
    "**Map**: larger and brighter dots are places with more samples. Outlines: Natural Earth, "
    "public domain; no map is fetched from anywhere."
)
MAP_PX = 205
"""Height of the map within the first screen, without its legend, in pixels."""
ROLES = {
    "user": "Person",
    "time": "Time",
    "lat": "Latitude",
    "lon": "Longitude",
    "antenna": "Antenna",
    "offset": "Offset from UTC, minutes",
}


def fates(report: IngestReport) -> pd.DataFrame:
    """Return a table of what became of the rows: for each case, their number and share."""
    frame = report.to_frame()
    counted = dict(zip(frame["fate"], frame["rows"].tolist(), strict=True))
    known = {"read": report.rows_read, **counted}
    return pd.DataFrame(
        [
            (fate, f"{rows:,}", words.percent(rows / max(report.rows_read, 1)))
            for fate, rows in known.items()
        ],
        columns=["What became of the rows", "Rows", "Share"],
    )


def describe_fates(report: IngestReport) -> str:
    """Say, as a list, what each case in the table of :func:`fates` means."""
    fates = report.to_frame()["fate"]
    lines = [f"- **{fate}**: {MEANINGS[fate]}" for fate in fates]
    return "**What became of the rows**\n\n" + "\n".join(lines)


def cell(report: IngestReport) -> str:
    """Return the granularity of places and times, such as "100 m × 1 min"."""
    return f"{report.granularity_m:g} m × {report.granularity_min:g} min"


def median_samples(report: IngestReport) -> str:
    """Return the median number of samples per user."""
    return f"{np.median(report.samples_per_user):,.0f}"


def account(report: IngestReport) -> list[str]:
    """Say how many rows were used, and how many were set aside.

    Also say when the used rows begin and end, and how many samples they became.
    """
    set_aside = report.rows_set_aside
    zone = f"time zone {report.timezone}"
    if report.timezone_guessed:
        zone += " (guessed from the positions; correct it below if it is wrong)"
    used = f"{report.rows_used:,} {words.were(report.rows_used)} used"
    told = f"Of {words.count(report.rows_read, 'row')}, {used} and {set_aside:,} "
    told += f"{words.were(set_aside)} set aside. Each row set aside is counted under one reason"
    if not set_aside:
        told = f"{'All ' * (report.rows_used > 1)}{words.count(report.rows_used, 'row')} "
        told += f"{words.were(report.rows_used)} used"
        if report.rows_repeating:
            each = " each" * (report.n_samples > 1)
            told += f": {words.count(report.n_samples, 'row')} made a sample{each}, and "
            told += f"{report.rows_repeating:,} repeated one"
    return [
        f"{told}. The times run from "
        f"{report.first.replace('T', ' ')} to {report.last.replace('T', ' ')}, {zone}.",
        *reconciled(report),
    ]


def reconciled(report: IngestReport) -> list[str]:
    """Say how many samples the rows became, and how identical rows, if any, are counted."""
    found = [report.reconciliation()]
    if report.rows_identical:
        found.append(
            "Rows identical in every field are used, too, each as a separate event: two calls at "
            "one antenna in one minute look exactly alike. If the file holds part of the data "
            "twice, correct the file first."
        )
    return found


def column(report: IngestReport, role: str) -> str:
    """Return the names of a role's columns; "column 2" and so on if the columns have no names."""
    parts = report.columns[role].split(" + ")
    if report.available and all(isinstance(label, int) for label in report.available):
        parts = [f"column {int(part) + 1}" for part in parts]
    return " + ".join(parts)


READ_BEFORE = (
    "These data were read earlier, in parts, and kept. The folder holds neither the rows used nor "
    "those set aside. To change columns, times, granularity or screening, read the records again: "
    "`fpanon ingest RECORDS --keep FOLDER`."
)
SCREENED_BEFORE = "The screening was settled when the records were read."


def first_rows(report: IngestReport) -> pd.DataFrame:
    """Return the first rows as they were understood, each column with its assumed role."""
    head = report.first_rows

    def title(role: str) -> str:
        name = ROLES[role].split(",")[0]
        return f"{name} ({column(report, role)})" if role in report.columns else name

    titles = {
        "row": "Row",
        "time": f"{title('time')}, as written",
        "local_time": "Local time",
        "fate": "What became of it",
        **{role: title(role) for role in ("user", "lat", "lon", "antenna", "offset")},
    }
    # What became of a row comes next to its number, where a narrow screen shows it.
    order = sorted(head.columns, key=lambda name: {"row": 0, "fate": 1}.get(name, 2))
    return head[order].rename(columns=titles)


def unused(report: IngestReport) -> str:
    """Say what the first rows do not show: ids, some columns in use, and all unused columns."""
    taken = _columns_of(report, report.columns)
    aside = taken - _columns_of(report, map(str, report.first_rows))
    rest = [str(label) for label in report.available if str(label) not in taken]
    said = ["People are shown as pseudonyms, never by their ids."]
    if aside:
        names = [str(label) for label in report.available if str(label) in aside]
        said.append(f"Used, but not shown here: {_listed(names)}.")
    if rest:
        named = any(not isinstance(label, int) for label in report.available)
        columns = f"({_listed(rest)}) " if named else ""
        isnt = "is" if len(rest) == 1 else "are"
        more = words.count(len(rest), "further column")
        said.append(f"{more} {columns}{isnt} neither used nor shown.")
    return " ".join(said)


def _columns_of(report: IngestReport, roles: Iterable[str]) -> set[str]:
    """Return the columns that have one of these roles; a time or place may fill two columns."""
    named = [report.columns[role] for role in roles if role in report.columns]
    return {part for column in named for part in column.split(" + ")}


def _listed(names: Sequence[str]) -> str:
    return ", ".join(plain(name) for name in names[:12]) + (", …" if len(names) > 12 else "")


def roles(report: IngestReport) -> pd.DataFrame:
    """Return a table of roles, such as the time: the column taken for each, and why."""
    rows = [
        (ROLES.get(role, role), column(report, role), report.found.get(role, ""))
        for role in report.columns
    ]
    return pd.DataFrame(rows, columns=["Role", "Column", "How"])


def centre_in(text: str) -> tuple[float, float] | None:
    """Return latitude and longitude from a text; None if empty; raise ConfigError if invalid."""
    if not text.strip():
        return None
    try:
        lat, lon = (float(part) for part in text.split(","))
    except ValueError:
        raise ConfigError(
            "Write the centre of the projection as latitude, longitude in degrees, such as "
            "14.7, -17.4."
        ) from None
    stated_centre((lat, lon))
    return lat, lon


def form(report: IngestReport) -> pd.DataFrame:
    """Return a table of the file's format, and the time zone, projection and grid of its data."""
    guessed = " (guessed from the position)" if report.timezone_guessed else ""
    known = {
        "Kind": ", ".join(p for p in (report.kind, report.packed, report.encoding) if p),
        "Times": report.time_format,
        "Time zone": report.timezone + guessed,
        "Projection": "around "
        + ("a stated centre" if report.centre_stated else "the middle of the data"),
        "Grid": cell(report),
    }
    return pd.DataFrame(known.items(), columns=["What", "Found"])


def activity(samples_of_user: IntArray, samples_of_place: IntArray) -> list[str]:
    """Say how unevenly samples are spread over users and places."""
    tenth = max(1, len(samples_of_place) // 10)
    of_places = "place" if len(samples_of_place) < 10 else "tenth of the places"
    busiest = np.sort(samples_of_place)[-tenth:].sum() / samples_of_user.sum()
    low, median, high = map(round, np.quantile(samples_of_user, [0.1, 0.5, 0.9]).tolist())
    half = f"Half of the people have {words.count(median, 'sample')} or more"
    return [
        f"Eight in ten people have {words.count(low, 'sample')}."
        if low == high
        else f"{half}; eight in ten have between {low:,} and {high:,}.",
        f"The busiest {of_places} holds {words.percent(float(busiest))} of all samples.",
    ]


def screened(n_users: int, screened_out: int) -> str:
    """Say how many users meet the screening rule, and how many are screened out."""
    s = "s" if n_users <= 1 else ""
    return (
        f"{words.share(n_users, n_users + screened_out).capitalize()} meet{s} the rule and "
        f"remain{s}; {screened_out:,} {words.were(screened_out)} screened out."
    )

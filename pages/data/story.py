"""What is said of a data set: what became of its rows, how it was understood, who remains."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from fpanon_core.io.report import REASONS, IngestReport
from fpanon_core.model.arrays import IntArray
from pages.charts import words

ROLES = {
    "user": "User",
    "time": "Time",
    "lat": "Latitude",
    "lon": "Longitude",
    "antenna": "Antenna",
    "offset": "Offset from UTC, minutes",
}


def fates(report: IngestReport) -> pd.DataFrame:
    """The account of the rows, one line for each fate."""
    known = {
        "read": (report.rows_read, "data rows in the file"),
        "used": (report.rows_used, "became samples"),
        **{reason: (rows, REASONS[reason]) for reason, rows in report.set_aside.items()},
    }
    return pd.DataFrame(
        [
            (fate, f"{rows:,}", words.percent(rows / max(report.rows_read, 1)), meaning)
            for fate, (rows, meaning) in known.items()
        ],
        columns=["What became of the rows", "Rows", "Share", "Meaning"],
    )


def median_samples(report: IngestReport) -> str:
    """Samples of the user in the middle."""
    return f"{np.median(report.samples_per_user):,.0f}"


def account(report: IngestReport) -> list[str]:
    """The account of the rows, and the time they span."""
    set_aside = report.rows_set_aside
    zone = f"{report.timezone} time"
    if report.timezone_guessed:
        zone += " (a zone guessed from the positions; correct it below if it is wrong)"
    return [
        f"Of {words.count(report.rows_read, 'row')}, "
        f"{report.rows_used:,} {words.were(report.rows_used)} used and "
        f"{set_aside:,} set aside" + (", each for one reason." if set_aside else "."),
        f"They run from {report.first.replace('T', ' ')} to {report.last.replace('T', ' ')}, "
        f"{zone}.",
    ]


def roles(report: IngestReport) -> pd.DataFrame:
    """Which column was taken for what, and why."""
    rows = [
        (ROLES.get(role, role), str(column), report.found.get(role, ""))
        for role, column in report.columns.items()
    ]
    return pd.DataFrame(rows, columns=["Role", "Column", "How"])


def form(report: IngestReport) -> pd.DataFrame:
    """The form of the file, and of what was made of it."""
    guessed = " (guessed from the position)" if report.timezone_guessed else ""
    known = {
        "Kind": ", ".join(p for p in (report.kind, report.packed, report.encoding) if p),
        "Times": report.time_format,
        "Time zone": report.timezone + guessed,
        "Grid": f"{report.granularity_m:g} m × {report.granularity_min:g} min",
    }
    return pd.DataFrame(known.items(), columns=["What", "Found"])


def activity(samples_of_user: IntArray, samples_of_place: npt.NDArray[np.int64]) -> list[str]:
    """How unevenly samples are spread over users and places."""
    low, high = np.quantile(samples_of_user, [0.1, 0.9])
    tenth = max(1, len(samples_of_place) // 10)
    busiest = np.sort(samples_of_place)[-tenth:].sum() / samples_of_user.sum()
    return [
        f"Half of the users have {np.median(samples_of_user):.0f} samples or more; eight in ten "
        f"have between {low:.0f} and {high:.0f}.",
        f"The busiest tenth of the places holds {words.percent(float(busiest))} of all samples.",
    ]


def screened(n_users: int, screened_out: int) -> str:
    """Who meets the rule."""
    return (
        f"{words.share(n_users, n_users + screened_out).capitalize()} meet the rule and remain; "
        f"{screened_out:,} {words.were(screened_out)} screened out."
    )

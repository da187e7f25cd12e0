"""What do the first rows say, as they were understood? Shown beside the columns that were found.

Of every row only what has a role: a column without one may hold a telephone number, whatever it is
called. The user is a pseudonym, and no number taken for a time is shown as written: it could be an
id that looks like one.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..model.arrays import FloatArray, IntArray
from ..model.clock import zone_of
from ..tables.table import SourceTable, text_of
from ..tables.times import ParsedTimes
from .fate import Fate, text_frame
from .instants import local_of
from .roles import time_column
from .search import Roles

ROWS = 5


def first_rows(
    table: SourceTable,
    roles: Roles,
    parsed: ParsedTimes,
    us: IntArray,
    degrees: tuple[FloatArray, FloatArray],
    zone: str,
) -> pd.DataFrame:
    """The first rows but for the users: ``row``, ``time``, ``local_time``, ``lat``, ``lon`` ….

    Parameters
    ----------
    us : int64 ndarray (n,)
        Instants, microseconds since 1970.
    degrees : tuple of ndarray (n,)
        Latitudes and longitudes as they are used.
    zone : str
        Display time zone.
    """
    rows = np.arange(min(ROWS, table.n_rows))
    frame = pd.DataFrame({"row": table.row_numbers(rows)})
    times = time_column(table, roles.where["time"]).slice(0, len(rows))
    epochs = any(name.startswith("epoch") for name in parsed.formats)
    frame["time"] = "a number" if epochs else text_of(times).to_pylist()
    frame["local_time"] = [_local(int(us[i]), zone) if parsed.ok[i] else "" for i in rows.tolist()]
    for role, values in zip(("lat", "lon"), degrees, strict=True):
        with np.errstate(over="ignore"):  # of what no position can be
            frame[role] = values[: len(rows)].round(5)
    placed = "lat" in roles.where and "lon" in roles.where
    if "antenna" in roles.where and not placed:  # else it is not used, and could be anything
        where = roles.where["antenna"]
        some = text_frame(table, where, rows)
        frame["antenna"] = some.agg("-".join, axis=1) if len(where) > 1 else some[where[0]]
    if "offset" in roles.where:
        offset = table.columns[roles.where["offset"][0]].slice(0, len(rows))
        frame["offset"] = text_of(offset).to_pylist()
    return frame


def with_users_and_fates(
    frame: pd.DataFrame, codes: IntArray, used: IntArray, pseudonyms: list[str], fate: Fate
) -> pd.DataFrame:
    """The first rows complete: whose each is, and what became of it.

    Parameters
    ----------
    codes : int64 ndarray (n_used,)
        Number of the user of each row in ``used``, in ``pseudonyms``.
    used : int64 ndarray (n_used,)
        Row numbers, ascending.
    """
    rows = np.arange(len(frame))
    at = np.searchsorted(used, rows)
    names = [
        pseudonyms[codes[i]] if i < len(used) and used[i] == row else ""
        for row, i in zip(rows.tolist(), at.tolist(), strict=True)
    ]
    frame.insert(1, "user", names)
    return frame.assign(fate=fate.of(rows))


def _local(us: int, zone: str) -> str:
    local = local_of(us, zone_of(zone))
    return local.replace(tzinfo=None).isoformat(sep=" ", timespec="minutes")

"""A plain writer of releases, for tests of the verifier: shares nothing with the package's own.

Builds the members as bytes, from the arrays of a result; a test may alter any of them.
"""

import hashlib
import io
import json
import secrets
import zipfile
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet
from pyproj import Transformer

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
BOUNDS = ["x_min_m", "x_max_m", "y_min_m", "y_max_m"]
DEGREES = ["lat_min", "lat_max", "lon_min", "lon_max"]


class Release:
    """What leaves, in parts that can be altered before they are put together.

    ``rows`` is the table (times as datetimes with zone, or minutes), ``key`` a table of pseudonyms
    and ids, ``left_out`` one of samples, ``facts`` what the description says under ``fpanon``;
    description and page are made of them by :meth:`members`.
    """

    def __init__(self, fs, result, form="csv", verdict=True):
        self.form = form
        random = secrets.SystemRandom()
        users = np.flatnonzero(result.group >= 0).tolist()
        random.shuffle(users)
        number = list(range(1, result.published.n_groups + 1))
        random.shuffle(number)
        self.key = pd.DataFrame(
            {
                "pseudonym": ["".join(random.choices(LETTERS, k=16)) for _ in users],
                "user_id": [str(fs.user_ids[u]) for u in users],
            }
        )
        pieces = [
            cells_of(result.published, result.group[u], fs).assign(
                pseudonym=name, group=number[result.group[u]]
            )
            for u, name in zip(users, self.key["pseudonym"], strict=True)
        ]
        columns = ["pseudonym", "group", *BOUNDS, *(DEGREES if fs.crs else []), "start", "end"]
        self.rows = pd.concat(pieces, ignore_index=True)[columns]
        gone = result.suppressed
        self.left_out = pd.DataFrame(
            {
                "user_id": [str(fs.user_ids[u]) for u in gone["user"]],
                "sample": gone["sample"].to_numpy(),
                "reason": gone["reason"].to_numpy(),
            }
        )
        days = local_days(fs)
        self.facts = {
            "version": "0",
            "steps": [
                {
                    "technique": "glove",
                    "k": result.k,
                    "suppress_space_m": result.suppress_space_m,
                    "suppress_time_min": result.suppress_time_min,
                }
            ],
            "option": f"GLOVE, k = {result.k}" + within(result),
            "k": result.k,
            "suppress_space_m": result.suppress_space_m,
            "suppress_time_min": result.suppress_time_min,
            "leftover": result.leftover,
            "crs": fs.crs,
            "timezone": fs.clock.timezone if fs.clock else None,
            "epoch": days[0] if fs.clock else None,
            "granularity_m": fs.granularity_m,
            "granularity_min": fs.granularity_min,
            "first_day": days[0] if fs.clock else None,
            "last_day": days[1] if fs.clock else None,
            "people": len(users),
            "groups": result.published.n_groups,
            "rows": len(self.rows),
            "samples_left_out": len(gone),
            "samples_in": fs.n_samples,
            "people_left_out": fs.n_users - len(users),
            "people_alone": 0,
            "last_window_days": None,
            "phantom_share": result.phantom_share,
            "verified": {"passed": True, "k": result.k, "text": "Verified."} if verdict else None,
        }
        self.page_facts = None  # where the page is to disagree with the description

    def data(self):
        if self.form == "parquet":
            table = {name: pa.array(self.rows[name]) for name in self.rows.columns}
            out = io.BytesIO()
            parquet.write_table(pa.table(table), out)
            return out.getvalue()
        table = self.rows.copy()
        for name in ("start", "end"):
            if isinstance(table[name].dtype, pd.DatetimeTZDtype):
                table[name] = [time.isoformat() for time in table[name]]
        return table.to_csv(index=False, lineterminator="\n").encode()

    def members(self):
        """Name and bytes of each member, the hash of the data in the other two."""
        data, name = self.data(), f"data.{self.form}"
        sha = hashlib.sha256(data).hexdigest()
        facts = json.loads(json.dumps(self.facts))
        if facts["verified"]:
            facts["verified"]["sha256"] = sha
        description = {
            "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
            "name": "release",
            "title": "A release",
            "resources": [
                {
                    "name": "data",
                    "path": name,
                    "format": self.form,
                    "mediatype": "text/csv" if self.form == "csv" else "application/parquet",
                    "encoding": "utf-8",
                    "bytes": len(data),
                    "hash": f"sha256:{sha}",
                    "description": f"A row for each sample. {truth(facts)}",
                    "schema": {"fields": [field(c, facts) for c in self.rows.columns]},
                }
            ],
            "fpanon": facts,
        }
        said = facts | (self.page_facts or {})
        verdict = facts["verified"] or {"text": "Not judged."}
        page = (
            f"# A release\n\nk = {said['k']}\n\n{sentences(said)}\n\n{verdict['text']}\n"
            f"\nSHA-256 of the data file: {sha}\n"
        )
        return {
            name: data,
            "README.md": page.encode(),
            "datapackage.json": json.dumps(description, indent=1).encode(),
        }

    def zipped(self):
        return zipped(self.members())


def within(result):
    limits = [] if result.suppress_space_m is None else [f"{result.suppress_space_m / 1000:g} km"]
    if result.suppress_time_min is not None:
        limits.append(hours(result.suppress_time_min))
    return f", within {' and '.join(limits)}" if limits else ""


def hours(minutes):
    return f"{minutes / 60:g} h" if minutes >= 60 else f"{minutes:g} min"


def field(name, facts):
    unit = "m" if name.endswith("_m") else "degree" if name in DEGREES else ""
    if name in ("start", "end") and facts["timezone"] is None:
        unit = "min since midnight of the first day"
    return {"name": name} | ({"unit": unit} if unit else {})


def percent(share):
    if 0 < share < 0.0005:
        return "less than 0.1 %"
    return f"{100 * share:.1f}".removesuffix(".0") + " %"


def truth(said):
    if said["phantom_share"] == 0:
        return "In every row's cell the person was recorded at least once."
    return f"In {percent(said['phantom_share'])[:-2]} of 100 rows the person was not there."


def sentences(said):
    """The figures of the page."""
    groups = "" if said["groups"] is None else f" in {said['groups']:,} groups"
    gone, of = said["samples_left_out"], said["samples_in"]
    absent, people = said["people_left_out"], said["people"] + said["people_left_out"]
    told = [
        f"{said['rows']:,} rows of {said['people']:,} people{groups}",
        f"Left out: {percent(gone / of)} of the samples ({gone:,} of {of:,}) and "
        f"{percent(absent / people)} of the people ({absent:,} of {people:,})",
        truth(said),
    ]
    if said["timezone"]:
        days = f"{said['first_day']} to {said['last_day']}"
        told.append(f"Period: {days}, local time of {said['timezone']} it is.")
    if said["steps"]:
        told.append(f"GLOVE: everyone was one of at least {said['steps'][-1]['k']} people.")
        if said["suppress_space_m"] is not None:
            told.append(f"Cells wider than {said['suppress_space_m'] / 1000:,.4g} km are out.")
        if said["suppress_time_min"] is not None:
            told.append(f"Cells longer than {hours(said['suppress_time_min'])} are out.")
        told.append(f"The last people, where they were fewer than {said['steps'][-1]['k']}, left.")
    if said["k"] is not None:
        told.append(
            f"Everyone is one of at least {said['k']} people; whoever knows where somebody was "
            f"finds at least {said['k']}, with a chance of at most 1 in {said['k']}."
        )
    if said["crs"] and (words := said["crs"].split())[0] == "+proj=laea":
        lat, lon = (word.partition("=")[2] for word in words[1:3])
        told.append(f"around latitude {lat}, longitude {lon} (WGS 84)")
    return "\n\n".join(told)


def zipped(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


def cells_of(published, group, fs):
    part = published.rows_of(int(group))
    p = {
        name: getattr(published, name)[part]
        for name in ("x_m", "y_m", "dx_m", "dy_m", "t_min", "dt_min")
    }
    out = pd.DataFrame(
        {
            "x_min_m": p["x_m"],
            "x_max_m": p["x_m"] + p["dx_m"],
            "y_min_m": p["y_m"],
            "y_max_m": p["y_m"] + p["dy_m"],
        }
    )
    if fs.crs:
        out = pd.concat([out, degrees(out, fs.crs)], axis=1)
    for name, minutes in (("start", p["t_min"]), ("end", p["t_min"] + p["dt_min"])):
        if fs.clock is None:
            out[name] = minutes
        else:
            times = [fs.clock.epoch + pd.Timedelta(minutes=float(m)) for m in minutes]
            zone = ZoneInfo(fs.clock.timezone)
            out[name] = pd.to_datetime(times, utc=True).tz_convert(zone).as_unit("us")
    return out


def degrees(bounds, crs):
    back = Transformer.from_crs(crs, "EPSG:4326", always_xy=True)
    x0, x1, y0, y1 = bounds[BOUNDS].to_numpy().T
    points = [
        back.transform(x, y) for x in (x0, (x0 + x1) / 2, x1) for y in (y0, (y0 + y1) / 2, y1)
    ]
    lon, lat = np.array(points).transpose(1, 0, 2)
    out = [lat.min(axis=0), lat.max(axis=0), lon.min(axis=0), lon.max(axis=0)]
    return pd.DataFrame(np.column_stack(out), columns=DEGREES).round(7)


def local_days(fs):
    if fs.clock is None:
        return None, None
    zone = ZoneInfo(fs.clock.timezone)
    ends = [fs.clock.epoch + pd.Timedelta(minutes=float(m)) for m in (fs.t_min[0], fs.t_min.max())]
    first = fs.clock.epoch.astimezone(zone).date()
    return first.isoformat(), pd.Timestamp(ends[1]).astimezone(zone).date().isoformat()

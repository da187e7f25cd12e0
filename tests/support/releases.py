"""A plain writer of releases, for tests of the verifier: shares no data with the package's own.

Builds the members as bytes, from the arrays of a result; a test may alter any of them. README and
description come of the package's templates, as the verifier makes them again.
"""

import hashlib
import io
import json
import secrets
import zipfile
from copy import deepcopy
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv, parquet
from pyproj import Transformer

from fpanon_core.model.errors import ConfigError
from fpanon_core.model.facts import ReleaseFacts
from fpanon_core.model.release_page import data_package, readme

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
BOUNDS = ["x_min_m", "x_max_m", "y_min_m", "y_max_m"]
DATA = ("data.csv", "data.parquet")
DEGREES = ["lat_min", "lat_max", "lon_min", "lon_max"]


class Release:
    """What leaves, in parts that can be altered before they are put together.

    ``rows`` is the table (times as datetimes with zone, or minutes), ``key`` a table of pseudonyms
    and ids, ``left_out`` one of samples, ``facts`` what the description says under ``fpanon``;
    description and page are made of them by :meth:`members`, as far as they can be facts.
    """

    def __init__(self, fs, result, form="csv"):
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
        rows = len(self.rows)
        accuracy = result.accuracy.dropna()
        figures = [
            float(f"{of(accuracy[name].to_numpy()):.4g}")
            for name in ("space_m", "time_min")
            for of in (np.median, np.mean)
        ]
        self.facts = {
            "steps": [
                {
                    "technique": "glove",
                    "k": result.k,
                    "suppress_space_m": result.suppress_space_m,
                    "suppress_time_min": result.suppress_time_min,
                }
            ],
            "leftover": result.leftover,
            "against": "original",
            "crs": fs.crs,
            "timezone": fs.clock.timezone if fs.clock else None,
            "epoch": days[0] if fs.clock else None,
            "first_day": days[0] if fs.clock else None,
            "last_day": days[1] if fs.clock else None,
            "granularity_m": fs.granularity_m,
            "granularity_min": fs.granularity_min,
            "people": len(users),
            "groups": result.published.n_groups,
            "rows": rows,
            "samples_in": fs.n_samples,
            "samples_left_out": len(gone),
            "people_left_out": fs.n_users - len(users),
            "people_alone": 0,
            "last_window_days": None,
            "phantom_share": round(result.phantom_share * rows) / rows,
            "accuracy": {
                "of": "original samples",
                "median_side_m": figures[0],
                "mean_side_m": figures[1],
                "median_span_min": figures[2],
                "mean_span_min": figures[3],
            },
            "periods": None,
            "pseudonyms": None,
        }
        self.honest = deepcopy(self.facts)
        self.page_facts = {}  # where the page is to disagree with the description

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
        out = io.BytesIO()
        plain = pa.table({name: pa.array(table[name], from_pandas=True) for name in table.columns})
        csv.write_csv(plain, out, csv.WriteOptions(quoting_style="none", quoting_header="none"))
        return out.getvalue()

    def members(self):
        """Name and bytes of each member, the hash of the data in the other two."""
        data, name = self.data(), f"data.{self.form}"
        sha = hashlib.sha256(data).hexdigest()
        package = data_package(facts_of(self.facts, self.honest), name, len(data), sha)
        package["fpanon"] = {
            key: self.facts.get(key, value)
            for key, value in package["fpanon"].items()
            if key in self.facts or key not in self.honest
        }
        page = readme(facts_of(self.facts | self.page_facts, self.honest), name, sha)
        text = json.dumps(package, ensure_ascii=False, indent=1) + "\n"
        return {"README.md": page.encode(), name: data, "datapackage.json": text.encode()}

    def zipped(self):
        return zipped(self.members())


def members_of(release):
    """Name and bytes of each member of a release: a folder, or a zip in a file or in memory."""
    if isinstance(release, Path) and release.is_dir():
        return {member.name: member.read_bytes() for member in release.iterdir()}
    with zipfile.ZipFile(io.BytesIO(release) if isinstance(release, bytes) else release) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def facts_of(plain, honest):
    """The facts; the honest ones where they cannot be facts."""
    try:
        return ReleaseFacts.from_dict(plain)
    except ConfigError:
        return ReleaseFacts.from_dict(honest)


def restated(members, data, other=None):
    """Another text of the data, and other facts, on page and in description as templates say it."""
    package = json.loads(members["datapackage.json"])
    stated = {
        name: package["fpanon"][name]
        for name in (*ReleaseFacts.__annotations__, "steps")
        if name in package["fpanon"] and name != "option"
    }
    (name,) = [name for name in members if name.startswith("data.") and name in DATA]
    sha = hashlib.sha256(data).hexdigest()
    facts = facts_of(stated | (other or {}), stated)
    package = data_package(facts, name, len(data), sha)
    package["fpanon"] |= other or {}
    text = json.dumps(package, ensure_ascii=False, indent=1) + "\n"
    page = readme(facts, name, sha)
    return {name: data, "README.md": page.encode(), "datapackage.json": text.encode()}


def zipped(members):
    """A zip as releases are packed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(members, key=lambda name: (name != "README.md", name)):
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, members[name])
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

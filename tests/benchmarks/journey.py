"""The whole way of an operator's data on the command line: parts, kept, hidden, written, verified.

Each step is a process of its own, as an operator's would be, so that no step's peak has another's
in it. Peaks count pages of the kept folder that are mapped and shared. The parts are regions of
82,000 people beside each other, as in :mod:`.scale`, written into the folder that FPANON_PARTS
names, or the system's for temporary files. Run with ``taskset -c 0,1``.
"""

import os
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import pandas as pd
import pyproj

from fpanon_core import generate_cdr
from tests.benchmarks.scale import APART_M, REGION_USERS

_ACROSS = 4  # regions in a row


def _parts(folder, n_users):
    """The regions' records, a file each, moved apart on the earth; ids told apart."""
    globe, rows = pyproj.Geod(ellps="WGS84"), 0
    for number, first in enumerate(range(0, n_users, REGION_USERS)):
        frame = generate_cdr(min(REGION_USERS, n_users - first), seed=1 + number)
        east, south = number % _ACROSS, number // _ACROSS
        for azimuth, many in ((90.0, east), (180.0, south)):
            if many:
                away = [[one] * len(frame) for one in (azimuth, many * APART_M)]
                lon, lat, _ = globe.fwd(frame["lon"].to_numpy(), frame["lat"].to_numpy(), *away)
                frame["lon"], frame["lat"] = lon, lat
        frame["user_id"] = first + pd.factorize(frame["user_id"])[0]
        frame = frame.drop(columns="antenna_id")  # the same names stand for others in each region
        frame.to_parquet(folder / f"part-{number:03d}.parquet", index=False)
        rows += len(frame)
    return rows


def _step(name, figures, *arguments):
    command = [sys.executable, "-m", "fpanon_core", *map(str, arguments)]
    began = time.perf_counter()
    process = os.posix_spawn(command[0], command, os.environ)
    _, status, used = os.wait4(process, 0)
    took = time.perf_counter() - began
    cpu, peak = used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e9
    figures[name] = f"{took:.1f} s ({cpu:.1f}), {peak:.2f} GB, ended {status}"


def _way(n_users, shards, form):
    place = Path(os.environ.get("FPANON_PARTS", tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(dir=place) as own:
        (parts := Path(own) / "parts").mkdir()
        figures = {"people": n_users, "records": _parts(parts, n_users), "shards": shards}
        kept, made, out = (Path(own) / name for name in ("kept", "made", "released.zip"))
        zone = ("--timezone", "UTC")
        hide = ("hide", kept, "--k", 2, "--shards", shards, "--workers", 2)
        _step("ingest", figures, "ingest", parts, "--keep", kept, *zone)
        if form is None:
            _step("hide, nothing written", figures, *hide, "--checkpoint", made)
        else:
            key = Path(own) / "key.csv"
            _step("hide, written", figures, *hide, "--format", form, "--out", out, "--key", key)
            figures["zip, GB"] = round(out.stat().st_size / 1e9, 2) if out.exists() else None
            _step("verify", figures, "verify", out, kept, "--key", key)
    return figures | {"load": round(os.getloadavg()[0], 1)}


CASES = {
    f"journey_{n}_{form or 'unwritten'}": partial(_way, n, shards, form)
    for n, shards in ((20_000, 4), (82_000, 16), (1_000_000, 200))
    for form in (None, "csv", "parquet")
}

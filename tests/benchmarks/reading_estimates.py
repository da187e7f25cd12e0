"""A reading's rows and memory as estimated, beside what it took; three sizes of each kind.

Tables of events whose ids are numbers (narrow), ids of 64 letters (long), or 16 columns (wide).
Read in a child process as in the dashboard, by what it holds of its own at its peak. Written into
the folder that FPANON_PARTS names, or the system's for temporary files.
"""

import hashlib
import os
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from fpanon_core.engines.process import ProcessRunner
from fpanon_core.studies import reading
from fpanon_core.studies.reading import Reading, Source, estimate_reading
from tests.benchmarks.measured import most_bytes

_A_PART = 1_000_000
_HOW = Reading(timezone="UTC")


def _events(shape, n, seed=0):
    rng = np.random.default_rng(seed)
    users = max(50, n // 60)
    user = rng.integers(0, users, n)
    begin = np.datetime64("2026-03-02T00:00:00", "s")
    frame = pd.DataFrame(
        {
            "user": user,
            "time": begin + rng.integers(0, 14 * 86_400, n),
            "lat": rng.normal(14.7, 0.05, n).round(5),
            "lon": rng.normal(-17.4, 0.05, n).round(5),
        }
    )
    if shape != "narrow":
        ids = [hashlib.sha256(str(i).encode()).hexdigest() for i in range(users)]
        frame["user"] = np.array(ids, object)[user]
        frame["time"] = frame["time"].dt.tz_localize("UTC")
    if shape == "wide":
        for i in range(8):
            frame[f"number {i}"] = rng.integers(0, 10**6, n)
        for i in range(4):
            frame[f"text {i}"] = np.char.add("some text ", rng.integers(0, 10**4, n).astype(str))
    return frame


def _write(frame, path):
    if path.name.endswith(".parquet"):
        frame.to_parquet(path, index=False)
    elif path.name.endswith(".jsonl"):
        frame.to_json(path, orient="records", lines=True, date_format="iso")
    elif path.name.endswith(".xlsx"):
        frame.assign(time=frame["time"].astype(str)).to_excel(path, index=False)
    else:
        frame.to_csv(path, index=False)


def _file(form, shape, n, place):
    _write(_events(shape, n), path := place / f"events.{form}")
    source = Source(path.name, file=(path.name, path))
    return estimate_reading(source), *_measured(reading.read, source, _HOW)


def _parts(form, shape, n, place):
    (folder := place / "parts").mkdir()
    for i in range(n // _A_PART):
        _write(_events(shape, _A_PART, seed=i), folder / f"{i:03d}.{form}")
    source = Source("parts", file=("parts", folder))
    return estimate_reading(source), *_measured(keep, source, place / "kept")


def keep(source, place, *, progress=None):
    """In a child: parts into a folder."""
    return reading.read(source, _HOW, keep=place, progress=progress)[0].n_samples


def _measured(work, *arguments):
    runner = ProcessRunner()
    try:
        job = runner.submit(work, *arguments, label="measure")
        most = most_bytes(runner, job)
        assert job.status == "done", job.error
        return job.elapsed_s, most
    finally:
        runner.close()


def _case(read, form, shape, n):
    with tempfile.TemporaryDirectory(dir=os.environ.get("FPANON_PARTS")) as place:
        told, took, most = read(form, shape, n, Path(place))
    return {
        "rows": n,
        "rows estimated": told.rows,
        "seconds": round(took, 1),
        "MB estimated": round(told.needs_bytes / 1e6),
        "MB": round(most / 1e6),
    }


_SIZES = {
    "csv": (300_000, 3_000_000, 12_000_000),
    "csv.gz": (300_000, 3_000_000, 12_000_000),
    "parquet": (300_000, 3_000_000, 12_000_000),
    "jsonl": (60_000, 300_000, 900_000),
    "xlsx": (20_000, 60_000, 300_000),
}
CASES = {
    f"read_{form}_{shape}_{n}": partial(_case, _file, form, shape, n)
    for form, sizes in _SIZES.items()
    for shape in ("narrow", "long", "wide")
    for n in sizes
    if shape == "narrow" or n != sizes[-1]
} | {
    f"read_parts_{form}_{shape}_{n}": partial(_case, _parts, form, shape, n)
    for form in ("csv", "parquet")
    for shape in ("narrow", "long")
    for n in (2_000_000, 8_000_000, 24_000_000)
}

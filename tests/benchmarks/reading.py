"""``read_cdr`` of a large CSV against pandas' plain ``read_csv`` of the same file, in one run."""

import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from fpanon_core import read_cdr
from tests.benchmarks.measured import peak_gb, timed


def _case(rows):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.csv"
        _write(path, rows)
        (fs, report), ours_s, _ = timed(read_cdr, path)
        peak = peak_gb()
        frame, pandas_s, _ = timed(pd.read_csv, path)
    assert len(frame) == report.rows_read == report.rows_used + sum(report.set_aside.values())
    return {
        "rows": rows,
        "read_cdr, s": round(ours_s, 2),
        "pandas.read_csv, s": round(pandas_s, 2),
        "ratio": round(ours_s / pandas_s, 2),
        "peak memory of read_cdr, GB": peak,
        "samples": fs.n_samples,
    }


def _write(path, rows, chunk=500_000):
    rng = np.random.default_rng(0)
    start = np.datetime64("2026-03-02T00:00:00")
    for first in range(0, rows, chunk):
        size = min(chunk, rows - first)
        frame = pd.DataFrame(
            {
                "user": np.char.add("user", rng.integers(0, 60_000, size).astype(str)),
                "time": np.datetime_as_string(start + rng.integers(0, 14 * 86_400, size)),
                "lat": rng.normal(14.7, 0.05, size).round(5),
                "lon": rng.normal(-17.4, 0.05, size).round(5),
            }
        )
        frame.to_csv(path, mode="a", header=first == 0, index=False)


CASES = {"reading_5m": partial(_case, 5_000_000), "reading_500k": partial(_case, 500_000)}

"""Parts on disk into fingerprints, beside DuckDB's plain scan of the same files in the same run.

The parts are the records of ``generate_cdr``, 32,000 people a part, written beforehand into the
folder that FPANON_PARTS names, or the system's for temporary files. Run with ``taskset -c 0,1``.
"""

import os
import shutil
import tempfile
from functools import partial
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from fpanon_core import FingerprintSet, read_cdr, read_parts
from fpanon_core.synthetic.generate import generate_cdr_chunks
from tests.benchmarks.measured import machine, peak_gb, timed

_PEOPLE = 32_000


def _case(rows, against_memory=False):
    place = Path(os.environ.get("FPANON_PARTS", tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(dir=place) as own:
        (folder := Path(own) / "parts").mkdir()
        n, written = 0, []
        for frame in generate_cdr_chunks(2_000_000, chunk_users=_PEOPLE, seed=1):
            table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
            pq.write_table(table, folder / f"part-{len(written):04d}.parquet")
            written.append(table if against_memory else None)
            n += len(frame)
            if n >= rows:
                break
        del frame, table
        before = peak_gb()
        _, scan_s, scan_cpu_s = timed(_scan, folder)
        into = Path(own) / "made"
        (fs, report), ours_s, ours_cpu_s = timed(read_parts, folder, into, private=own)
        peak = peak_gb()
        assert report.rows_read == n == report.rows_used + sum(report.set_aside.values())
        result = {
            "rows": n,
            "parts": len(written),
            "people": fs.n_users,
            "samples": fs.n_samples,
            "DuckDB's scan, s": round(scan_s, 2),
            "its processor s": round(scan_cpu_s, 2),
            "read_parts, s": round(ours_s, 2),
            "its processor time, s": round(ours_cpu_s, 2),
            "million rows a second": round(n / ours_s / 1e6, 2),
            "million rows a processor second": round(n / ours_cpu_s / 1e6, 2),
            "peak, GB": peak,
            "of it before": before,
            **machine(),
            "of them for this": len(os.sched_getaffinity(0)),
        }
        if against_memory:
            one = Path(own) / "one.parquet"
            pq.write_table(pa.concat_tables(written).unify_dictionaries(), one)
            (whole, _), seconds, cpu_s = timed(read_cdr, one)
            result["read_cdr of the same, s"] = round(seconds, 2)
            result["its processor seconds"] = round(cpu_s, 2)
            result["same digest"] = whole.digest == fs.digest
        again, loaded_s, _ = timed(FingerprintSet.load, fs.folder)
        assert again.digest == fs.digest
        result["load, checked by digest, s"] = round(loaded_s, 2)
        shutil.rmtree(fs.folder)
    return result


def _scan(folder):
    with duckdb.connect(config={"threads": len(os.sched_getaffinity(0))}) as connection:
        query = (
            "SELECT count(*), sum(user_id), max(epoch(timestamp)), sum(lat), sum(lon)"
            f" FROM read_parquet('{folder}/*.parquet')"
        )
        return connection.sql(query).fetchall()


CASES = {
    "parts_2m": partial(_case, 2_000_000, True),
    "parts_20m": partial(_case, 20_000_000, True),
    "parts_100m": partial(_case, 100_000_000),
}

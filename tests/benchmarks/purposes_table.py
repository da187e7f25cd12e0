"""What a search finds, by purpose and recipient.

``python -m tests.benchmarks.purposes_table DATA SECONDS``: a line of JSON for each pair.
DATA is ``synthetic`` or ``sf_cabs`` (the samples), ``gowalla``, or a number of generated people.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pandas as pd

import fpanon_core as fp
from fpanon_core.io.samples import sample
from fpanon_core.model.purpose import PURPOSES, RECIPIENTS
from fpanon_core.studies import report_words as w
from fpanon_core.studies.judgement import kind_of, within_limits
from fpanon_core.synthetic.region import generate_region
from tests.benchmarks.measured import timed

_FILE = Path("shared", "data", "gowalla_nyc.csv.gz")  # beside the project, or not there


def _read(cdr, antennas, **more):
    centre = float(antennas["lat"].mean()), float(antennas["lon"].mean())
    return fp.read_cdr(cdr, antennas=antennas, centre=centre, **more)[0]


def data(name):
    """A data set, on a stated projection."""
    if name == "gowalla":  # of the last 180 of its days
        found = next(p / _FILE for p in Path(__file__).parents if (p / _FILE).exists())
        table = pd.read_csv(found, dtype={"user_id": str})
        table = table[table["timestamp"] >= "2010-04-26T04:00:00Z"]
        return fp.read_cdr(table, timezone="America/New_York", centre=(40.7, -73.98))[0]
    if name.isdecimal():
        cdr = fp.generate_cdr(int(name), seed=0, region=generate_region(0))
        return _read(cdr, pd.DataFrame(cdr.attrs["antennas"]))
    shipped = sample(name)
    table = pd.read_csv(shipped.path, dtype={"user_id": str, "antenna_id": str})
    antennas = pd.read_csv(shipped.antennas_path, dtype={"antenna_id": str})
    return _read(table, antennas, timezone=shipped.timezone)


def told(table, limits, row):
    """An option of a table in a few figures; None where there is none."""
    if row is None:
        return None
    result = table.results[row]
    risks = {name: w.estimate(result, name) for name in ("outsider", "home", "membership")}
    parts = {name: round(value, 2) for name, value in result.components.items()}
    return {
        "kind": kind_of(result.option),
        "option": result.option.told,
        "utility": round(float(table.utility[row]), 3),
        "within": not limits.broken(result),
        "parts": parts,
        "risks": risks,
        "costs": w.describe_cost(table.choice, result),
    }


def best_by_kind(table, limits):
    """Of each kind, the most useful option within the thresholds."""
    found = {}
    for row in within_limits(table, limits):
        kind = kind_of(table.results[row].option)
        if kind not in found or table.utility[row] > table.utility[found[kind]]:
            found[kind] = row
    return {kind: told(table, limits, row) for kind, row in found.items()}


def row_of(table, result):
    """Where an option stands in a table."""
    return None if result is None else next(i for i, r in enumerate(table.results) if r is result)


def searched(fs, seconds):
    """A line for each purpose and recipient; so many seconds are for each."""
    for purpose in PURPOSES:
        for recipient in RECIPIENTS:
            table, took, cpu = timed(fp.find_release, fs, purpose, recipient, seconds=seconds)
            limits = table.limits
            yield {
                "purpose": purpose,
                "recipient": recipient,
                "threshold": limits.limit("outsider"),
                "seconds": round(took),
                "processor seconds": round(cpu),
                "tried": len(table.results),
                "untried": len(table.untried),
                "serves": table.serves,
                "recommended": told(table, limits, row_of(table, table.least_revealing)),
                "best": best_by_kind(table, limits),
            }


if __name__ == "__main__":
    for line in searched(data(sys.argv[1]), float(sys.argv[2])):
        print(json.dumps({"data": sys.argv[1], **line}), flush=True)

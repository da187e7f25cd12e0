"""``make outsider-table``: what an attacker finds in each form of the samples, into the reference.

Between the markers of docs/reference.md, so that no number there is typed by hand. Draws are those
of one seed; the same programme and versions give the same table.
"""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

import fpanon_core as fp
from tests.benchmarks.measured import shipped

REFERENCE = Path(__file__).parents[2] / "docs" / "reference.md"
BEGIN, END = "<!-- outsider-table begins -->", "<!-- outsider-table ends -->"
P, STRATEGY, SEED = 4, "uniform", 0
SAMPLES = {"synthetic": "invented people", "sf_cabs": "San Francisco taxis"}
FINE = fp.Generalize(fp.GeneralizationProfile(fp.Grid(1_000), 60))
OPTIONS = (
    fp.ReleaseOption("as it is"),
    fp.ReleaseOption(steps=[FINE]),
    fp.ReleaseOption(steps=[fp.Generalize(fp.GeneralizationProfile(fp.Grid(5_000), 360))]),
    fp.ReleaseOption("noise of 250 m", [fp.AddNoise(250)]),
    fp.ReleaseOption("noise of 1 km", [fp.AddNoise(1_000)]),
    fp.ReleaseOption("noise of 5 km", [fp.AddNoise(5_000)]),
    fp.ReleaseOption("noise of 1 km and 1 h", [fp.AddNoise(1_000, 60)]),
    fp.ReleaseOption(steps=[fp.Permute()]),
    fp.ReleaseOption(steps=[fp.SampleUsers(0.1)]),
    fp.ReleaseOption("1 km · 1 h, bins of fewer than 5 left out", [FINE, fp.SuppressRare(5)]),
    *(fp.ReleaseOption(steps=[kind(k)]) for kind in (fp.Glove, fp.Aligned) for k in (2, 5)),
    fp.ReleaseOption("aligned, k = 5, weeks", [fp.Periods(7), fp.Aligned(5)]),
)


def main(samples):
    """Measure, and write the table."""
    tables = [_table(name) for name in samples or SAMPLES]
    text = REFERENCE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    made = "\n\n".join(tables)
    REFERENCE.write_text(f"{before}{BEGIN}\n{made}\n{END}{after}", encoding="utf-8")


def _table(name):
    fs = shipped(name)
    weighed = fp.explore_options(fs, OPTIONS, p=P, strategy=STRATEGY, seed=SEED)
    lines = [
        f"**{SAMPLES[name][0].upper()}{SAMPLES[name][1:]}**, {fs.n_users:,} people, "
        f"{fs.n_samples:,} samples; {date.today()}.",
        "",
        "| option | re-identification risk (attacker) | linkage | unicity | home within 1 km "
        "(guessing) | expected error, km (guessing) | utility |",
        "|---|---|---|---|---|---|---|",
    ]
    for option, result, useful in zip(OPTIONS, weighed.results, weighed.utility, strict=True):
        lines.append(_row(fs, option, result, useful))
        print(name, lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines)


def _row(fs, option, result, useful):
    if result.fault is not None:
        return f"| {option.name} | {result.fault} | | | | | |"
    made, risks = fp.release(fs, option, seed=SEED), result.risks
    error = fp.expected_error(fs, made, P, strategy=STRATEGY, seed=SEED)
    cells = [
        option.name,
        f"{_with_ends(*risks['outsider'])} ({result.attacker})",
        _with_ends(*risks["linkage"]),
        _percent(risks["unicity"][0]),
        f"{_with_ends(*risks['home'])} ({_percent(result.guessing['home'])})",
        f"{error.metres / 1_000:.1f} ({error.guessing_m / 1_000:.1f})",
        f"{useful:.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def _with_ends(value, low, high):
    return f"{_percent(value)} [{100 * low:.1f}, {100 * high:.1f}]"


def _percent(share):
    return f"{100 * share:.1f}%"


if __name__ == "__main__":
    main(sys.argv[1:])

"""What the golden table holds: each result by name, as a function of the data and a folder.

A folder's files stand for a command: their bytes count, of a zip the bytes of each member.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from typer.testing import CliRunner

import fpanon_core as fp
from fpanon_core.__main__ import app
from fpanon_core.io.samples import sample

DATA = ("people", "taxis", "generated")
_SHIPPED = {"people": "synthetic", "taxis": "sf_cabs"}


@dataclass(frozen=True)
class Golden:
    """One of the three data sets, few enough people for a table that is made in minutes."""

    name: str

    @cached_property
    def fs(self) -> fp.FingerprintSet:
        """Its first people."""
        return self.read[0].subset(range(150))

    @cached_property
    def read(self) -> tuple[fp.FingerprintSet, fp.IngestReport]:
        """All of it, as it was read."""
        if self.name == "generated":
            return fp.read_cdr(fp.generate_cdr(160, days=10, seed=3))
        shipped = sample(_SHIPPED[self.name])
        return fp.read_cdr(shipped.path, antennas=shipped.antennas_path, timezone=shipped.timezone)

    def source(self, folder: Path) -> list[str]:
        """What a command reads: records of a few people, written outside the folder."""
        path = folder.parent / f"{self.name}.csv"
        if not path.exists():
            if self.name == "generated":
                records = fp.generate_cdr(160, days=10, seed=3)
            else:
                shipped = sample(_SHIPPED[self.name])
                records = pd.read_csv(shipped.path)
            user = records.columns[0]
            records[records[user].isin(records[user].unique()[:150])].to_csv(path, index=False)
        if self.name == "generated":
            return [str(path)]
        return [str(path), "--antennas", str(sample(_SHIPPED[self.name]).antennas_path)]

    @cached_property
    def coarse(self) -> fp.FingerprintSet:
        """In squares of 2 km and windows of 2 hours."""
        return fp.generalize(self.fs, _profile(2_000, 120), seed=0)

    def known(self, points: int, strategy: str) -> fp.Knowledge:
        """So many points of each person."""
        return fp.draw_knowledge(self.coarse, points, strategy=strategy)

    @cached_property
    def counts(self) -> Any:
        """How many people at which place when, and the truth."""
        return fp.aggregate_counts(self.fs.subset(range(60)), slot_min=60)


def _places(data: Golden) -> list[Any]:
    """Every tenth place of the data, as antennas to be clustered."""
    places = np.unique(np.column_stack([data.fs.x_m, data.fs.y_m]), axis=0)[::10].astype(float)
    return [places[:, 0], places[:, 1]]


def _profile(metres: float, minutes: float) -> fp.GeneralizationProfile:
    return fp.GeneralizationProfile(fp.Grid(metres), minutes)


_GRID = (_profile(1e3, 60), _profile(5e3, 360))
_LIMITS = {"suppress_space_m": 8_000, "suppress_time_min": 180, "leftover": "suppress"}
_SIDES = {"max_side_m": 9e3, "max_span_min": 600}
MADE: dict[str, Callable[[Golden], Any]] = {
    "read": lambda d: (d.read[0].digest, d.read[0].to_frame(), str(d.read[1])),
    "k_gap 2 and 5": lambda d: [fp.k_gap(d.fs, 5), fp.k_gap(d.fs, 5).at(2)],
    "k_gap capped": lambda d: fp.k_gap(d.fs, config=fp.StretchConfig(0.2, 0.8, 5_000, 120)),
    "stretch components": lambda d: attrgetter("space_m", "time_min")(
        fp.stretch_components(d.fs, fp.k_gap(d.fs, 3))
    ),
    "glove": lambda d: fp.glove(d.fs, 3).to_frame(),
    "glove suppressed": lambda d: fp.glove(d.fs, 2, **_LIMITS).to_frame(),
    "aligned": lambda d: fp.aligned(d.fs, 3).to_frame(),
    "aligned within sides": lambda d: fp.aligned(d.fs, 2, **_SIDES).to_frame(),
    "aligned shards": lambda d: fp.aligned(d.fs, 2, shards=2).to_frame(),
    "mean loss": lambda d: fp.mean_loss(fp.glove(d.fs, 2), config=fp.StretchConfig()),
    "verified": lambda d: fp.verify_k_anonymity(d.fs, fp.glove(d.fs, 2), 2).passed,
}
for strategy in ("random", "uniform"):
    MADE |= {
        f"knowledge {strategy}": lambda d, s=strategy: fp.anonymity_sets(d.coarse, d.known(4, s)),
        f"unicity {strategy}": lambda d, s=strategy: fp.unicity(d.coarse, 3, strategy=s),
        f"disclosure {strategy}": lambda d, s=strategy: fp.disclosure(d.coarse, d.known(3, s)),
    }
MADE |= {
    "points needed": lambda d: fp.points_needed(d.coarse, users=60, min_per_month=5),
    "unicity grid": lambda d: fp.unicity_grid(d.fs, _GRID, p=(2, 4)),
    "disclosure grid": lambda d: fp.disclosure_grid(d.fs, _GRID),
    "clusters": lambda d: fp.cluster_antennas(*_places(d), 5),
    "sparsity": lambda d: fp.sparsity_model(d.fs.n_users, 40),
}

OPTIONS = {
    "as it is": [],
    "grid": [fp.Generalize(_profile(2_000, 120))],
    "hexagons": [fp.Generalize(fp.GeneralizationProfile(fp.Hexagons(7), 60))],
    "noise": [fp.AddNoise(1_000, 60)],
    "exchange": [fp.Generalize(_profile(1_000, 60)), fp.Permute()],
    "exchange of times": [fp.Generalize(_profile(1_000, 60)), fp.Permute("times")],
    "rare": [fp.Generalize(_profile(1_000, 60)), fp.SuppressRare(3)],
    "some": [fp.SampleUsers(0.5), fp.Generalize(_profile(3_000, 180))],
    "glove": [fp.Glove(2)],
    "aligned in days": [fp.Periods(1), fp.Aligned(2)],
}


def _option(name: str) -> fp.ReleaseOption:
    return fp.ReleaseOption(name, OPTIONS[name])


def _made(data: Golden, name: str) -> Any:
    return fp.release(data.fs, _option(name), seed=1)


for name in OPTIONS:
    MADE |= {
        f"release {name}": lambda d, n=name: _made(d, n).to_frame(),
        f"linkage {name}": lambda d, n=name: fp.link(d.fs, _made(d, n), 3, users=80),
        f"risk {name}": lambda d, n=name: fp.reidentification(d.fs, _made(d, n), 3, users=80),
        f"homes {name}": lambda d, n=name: fp.home_found(d.fs, _made(d, n)),
        f"utility {name}": lambda d, n=name: fp.utility(d.fs, _made(d, n)),
    }
for name in ("grid", "noise", "aligned in days"):
    MADE[f"error {name}"] = lambda d, n=name: fp.expected_error(d.fs, _made(d, n), 3, users=80)
MADE |= {
    "relinking": lambda d: fp.relink_periods(_made(d, "aligned in days")),
    "crossing": lambda d: fp.cross_releases(fp.glove(d.fs, 2), fp.aligned(d.fs, 3)),
    "options": lambda d: fp.explore_options(d.fs, [_option(n) for n in OPTIONS]).to_frame(),
    "counts": lambda d: d.counts[0].counts,
    "recovery": lambda d: fp.recover_trajectories(d.counts[0]),
    "recovery score": lambda d: fp.score_recovery(
        fp.recover_trajectories(d.counts[0]), *d.counts, pairing="optimal"
    ),
}
RESULTS: dict[str, Callable[[Golden, Path], Any]] = {
    name: lambda data, _, make=make: make(data) for name, make in MADE.items()
}


def _command(*arguments: str) -> Callable[[Golden, Path], Any]:
    """A command on a sample's file; ``{}`` in an argument is the folder that it writes into."""

    def run(data: Golden, folder: Path) -> Any:
        source = data.source(folder)
        given = [each.format(folder) for each in arguments]
        done = CliRunner().invoke(app, [given[0], *source, *given[1:]])
        return done.exit_code, re.sub(r"[\d.]+ s\b|" + re.escape(str(folder)), "", done.output)

    return run


RESULTS |= {
    "command ingest": _command("ingest", "--json"),
    "command measure": _command("measure", "-k", "2,5", "--out", "{}/k.csv", "--tables", "{}/t"),
    "command unicity": _command("unicity", "--users", "100", "--tables", "{}/t"),
    "command disclosure": _command("disclosure", "--users", "100", "--tables", "{}/t"),
    "command options": _command("options", "--preset", "glove", "--out", "{}/options.csv"),
    "command attack": _command("attack", "--option", "5 km · 6 h", "--tables", "{}/t"),
    "command recover": _command("recover", "--users", "60", "--out", "{}/scores.csv", "--json"),
    "command hide": _command(
        "hide", "-k", "3", "--period", "7", "--out", "{}/r.zip", "--tables", "{}/t"
    ),
    "command glove": _command("glove", "--compare", "--out", "{}/r.zip", "--format", "parquet"),
    "command publish": _command("publish", "--option", "GLOVE, k = 5", "--out", "{}/r.zip"),
}


def _report(data: Golden, folder: Path) -> Any:
    """A report on options that were tried, and its recipe."""
    tried = _command("options", "--preset", "glove", "--out", "{}/options.csv")(data, folder)
    chosen = ["--choose", "GLOVE, k = 5", "--because", "It does.", "--out", f"{folder}/report.html"]
    done = CliRunner().invoke(app, ["report", f"{folder}/options.json", *chosen])
    page = folder / "report.html"
    page.write_text(re.sub(r"\d{1,2} \w+ \d{4}|\d{4}-\d\d-\d\d", "", page.read_text()))
    return tried, done.exit_code


def _tables(data: Golden, folder: Path) -> Any:
    """Tables to be published, of five days."""
    first = "2008-06-07" if data.name == "taxis" else "2024-03-06"
    area = "--area=37.6,-122.5,37.8,-122.3" if data.name == "taxis" else "--area=23.6,0.4,24.4,1.5"
    stated = ["--from", first, "--days", "5", "--threshold", "2", "--side-m", "9000"]
    return _command("tables", *stated, area, "--out", "{}/tables.zip")(data, folder)


RESULTS |= {"command report": _report, "command tables": _tables}
for name in OPTIONS:
    RESULTS[f"published {name}"] = lambda data, folder, n=name: (
        fp.publish(_made(data, n), folder / "release.zip", original=data.fs).name
    )

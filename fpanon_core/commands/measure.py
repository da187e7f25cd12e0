"""``measure``: how far is everyone from hiding? k-gaps over several crowds and profiles."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer

from ..anonymize.generalize import generalize
from ..engines.local import LocalEngine
from ..io.writing import check_writable, write_table
from ..measures.components import mean_components
from ..measures.kgap import k_gap
from ..model.configs import StretchConfig
from ..model.fingerprints import FingerprintSet
from ..model.profiles import GeneralizationProfile, Grid
from ..model.results import FloatArray, KGapResult
from . import measuring as m
from . import reading as r
from .terminal import progress_line, table_text, whole_numbers


def measure(
    source: r.Source = None,
    sample_key: r.SampleKey = None,
    k: Annotated[str, typer.Option("--k", help="Crowds to hide in, such as 2,5,10.")] = "2",
    profile: m.Profiles = None,
    user: r.User = None,
    time: r.Time = None,
    lat: r.Lat = None,
    lon: r.Lon = None,
    antenna: r.Antenna = None,
    offset: r.Offset = None,
    antennas: r.Antennas = None,
    timezone: r.Timezone = None,
    naive_timezone: r.NaiveTimezone = None,
    granularity_m: r.GranularityM = 100.0,
    granularity_min: r.GranularityMin = 1.0,
    screen: r.Screen = None,
    w_space: m.WSpace = 0.5,
    w_time: m.WTime = None,
    max_space_m: m.MaxSpaceM = 20_000.0,
    max_time_min: m.MaxTimeMin = 480.0,
    workers: m.Workers = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Write one row per pseudonym, profile and k (.csv, .parquet)."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the summary as JSON, for machines.")
    ] = False,
) -> None:
    """Measure everyone's k-gap: the effort to make them one of k who look the same."""
    wanted = r.Reading.of(locals())
    crowds = whole_numbers(k, "--k")
    profiles = m.profiles_of(profile)
    config = m.stretch(w_space, w_time, max_space_m, max_time_min)
    engine = LocalEngine(workers)
    if out is not None:
        check_writable(out)
    fs, report = wanted.read()
    gaps = list(_gaps(fs, profiles, crowds, config, engine))
    if out is not None:
        write_table([gap.to_frame() for gap in gaps], out)
    if as_json:
        summary = {"users": fs.n_users, "digest": fs.digest, "gaps": [g.summary() for g in gaps]}
        typer.echo(json.dumps(summary, ensure_ascii=False, indent=2))
        return
    typer.echo(wanted.account(fs, report))
    typer.echo(_table(gaps))
    if out is not None:
        typer.echo(f"k-gaps by pseudonym written to {out}.")


@dataclass(frozen=True, eq=False)
class _Gap:
    """Everyone's k-gap at one profile and k."""

    profile: GeneralizationProfile
    fs: FingerprintSet
    result: KGapResult
    space_m: FloatArray
    time_min: FloatArray

    def summary(self) -> dict[str, Any]:
        low, middle, high = np.percentile(self.result.values, [25, 50, 75])
        return {
            "grid_m": self.profile.grid_m,
            "window_min": self.profile.minutes,
            "k": self.result.k,
            "share_hidden": float(np.mean(self.result.values == 0)),
            "p25": float(low),
            "median": float(middle),
            "p75": float(high),
            "mean_distance_m": float(self.space_m.mean()),
            "mean_time_min": float(self.time_min.mean()),
        }

    def to_frame(self) -> pd.DataFrame:
        pseudonyms = np.array(self.fs.pseudonyms)[self.result.users]
        return pd.DataFrame(
            {
                "pseudonym": pseudonyms,
                "grid_m": self.profile.grid_m,
                "window_min": float(self.profile.minutes),
                "k": self.result.k,
                "k_gap": self.result.values,
                "mean_distance_m": self.space_m,
                "mean_time_min": self.time_min,
            }
        )


def _gaps(
    fs: FingerprintSet,
    profiles: list[GeneralizationProfile],
    crowds: list[int],
    config: StretchConfig,
    engine: LocalEngine,
) -> Iterator[_Gap]:
    """One run per profile, at the largest k; smaller ones are read off it."""
    as_read = GeneralizationProfile(Grid(fs.granularity_m), fs.granularity_min)
    for profile in profiles or [as_read]:
        seen = generalize(fs, profile) if profiles else fs
        with progress_line(f"k-gap at {profile}") as progress:
            widest = k_gap(seen, crowds[-1], config=config, engine=engine, progress=progress)
        for k in crowds:
            result = widest.at(k)
            yield _Gap(profile, seen, result, *mean_components(seen, result, engine=engine))


def _table(gaps: list[_Gap]) -> str:
    rows = []
    for gap in gaps:
        s = gap.summary()
        rows.append(
            [
                str(gap.profile),
                str(s["k"]),
                f"{s['share_hidden']:.1%}",
                *(f"{s[name]:.3f}" for name in ("p25", "median", "p75")),
                f"{s['mean_distance_m'] / 1000:.2f} km",
                f"{s['mean_time_min']:.0f} min",
            ]
        )
    head = ["profile", "k", "hidden", "k-gap p25", "median", "p75", "mean distance", "mean time"]
    return table_text(head, rows)

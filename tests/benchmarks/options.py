"""Options explored: 3 × 4 places and windows on the synthetic sample, techniques on many people."""

import os
import time
from functools import partial

from fpanon_core import (
    AddNoise,
    GeneralizationProfile,
    Grid,
    Permute,
    SampleUsers,
    explore_options,
    generate_cdr,
    read_cdr,
    trade_grid,
)
from fpanon_core.io.samples import sample
from fpanon_core.studies import releases


def _preset():
    shipped = sample("synthetic")
    fs, _ = read_cdr(shipped.path, antennas=shipped.antennas_path, timezone=shipped.timezone)
    options = trade_grid(fs)
    started = time.perf_counter()
    explore_options(fs, options)
    first_s = time.perf_counter() - started
    return _figures(fs, options) | {"first, with loading or compiling, s": round(first_s, 1)}


def _people(n_users):
    fs, _ = read_cdr(generate_cdr(n_users))
    wide = GeneralizationProfile(Grid(2_000), 360)
    options = [[], wide, [SampleUsers(0.2), wide], AddNoise(1_000, 30), Permute(), Permute("times")]
    explore_options(fs.subset(range(100)), options)  # compiles
    return _figures(fs, options)


def _figures(fs, options):
    releases.forget()  # or the releases made to warm up would not be made again
    started, cpu = time.perf_counter(), time.process_time()
    table = explore_options(fs, options)
    whole_s = time.perf_counter() - started
    return {
        "users": fs.n_users,
        "samples": fs.n_samples,
        "options": len(options),
        "whole, s": round(whole_s, 2),
        "processor, s": round(time.process_time() - cpu, 2),
        "longest option, s": round(max(result.seconds for result in table.results), 2),
        "on the front": int(table.front.sum()),
        "failed": sum(result.fault is not None for result in table.results),
        "load": round(os.getloadavg()[0], 1),
        "cores": os.cpu_count(),
    }


CASES = {"options_trade": _preset, "options_20000": partial(_people, 20_000)}

"""Options explored: 3 × 4 places and windows on the synthetic sample, techniques on many people."""

from functools import partial

from fpanon_core import (
    AddNoise,
    GeneralizationProfile,
    Grid,
    Permute,
    SampleUsers,
    explore_options,
    trade_grid,
)
from fpanon_core.studies import releases
from tests.benchmarks.measured import costs, people, shipped, timed


def _preset():
    fs = shipped("synthetic")
    options = trade_grid(fs)
    first_s = timed(explore_options, fs, options)[1]
    return _figures(fs, options) | {"first, with loading or compiling, s": round(first_s, 1)}


def _people(n_users):
    fs = people(n_users, seed=0)
    wide = GeneralizationProfile(Grid(2_000), 360)
    options = [[], wide, [SampleUsers(0.2), wide], AddNoise(1_000, 30), Permute(), Permute("times")]
    explore_options(fs.subset(range(100)), options)  # compiles
    return _figures(fs, options)


def _figures(fs, options):
    releases.forget()  # or the releases made to warm up would not be made again
    table, took = costs(explore_options, fs, options)
    return took | {
        "users": fs.n_users,
        "samples": fs.n_samples,
        "options": len(options),
        "longest option, s": round(max(result.seconds for result in table.results), 2),
        "on the front": int(table.front.sum()),
        "failed": sum(result.fault is not None for result in table.results),
    }


CASES = {"options_trade": _preset, "options_20000": partial(_people, 20_000)}

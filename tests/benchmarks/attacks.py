"""Attacks on releases of generated people: with true points known, and by period.

Each row has a call's processor time, over all cores, beside its seconds by the clock.
"""

from functools import partial

import fpanon_core as fp
from tests.benchmarks.measured import costs, people

BINS = fp.Generalize(fp.GeneralizationProfile(fp.Grid(1_000), 60))
LINKED = {
    "noise": [fp.AddNoise(1_000)],
    "bins": [BINS],
    "bins_noise": [BINS, fp.AddNoise(1_000)],
    "both": [fp.AddNoise(1_000, 60)],
    "exchange": [BINS, fp.Permute()],
}
RELINKED = {
    "days": [fp.Periods(1)],
    "weeks": [fp.Periods(7)],
    "weeks_noise": [fp.AddNoise(1_000), fp.Periods(7)],
    "weeks_aligned_k2": [fp.Periods(7), fp.Aligned(2)],
}


def _linked(n_users, name):
    """An attacker who knows true points: linkage, homes, expected error."""
    small, fs = people(100), people(n_users)
    made = fp.release(small, LINKED[name], seed=0)  # compiles
    fp.link(small, made)
    fp.home_found(small, made)
    fp.expected_error(small, made)
    made = fp.release(fs, LINKED[name], seed=0)
    found, linking = costs(fp.link, fs, made)
    homes, finding = costs(fp.home_found, fs, made, nights=3)
    error, guessing = costs(fp.expected_error, fs, made)
    return {
        "users": fs.n_users,
        "samples a user": round(fs.n_samples / fs.n_users, 1),
        "targets": found.n_present,
        "link": linking,
        "first": round(found.first, 3),
        **found.by_attacker.set_index("attacker")["first"].round(3).to_dict(),
        "homes": finding,
        "home within 1 km": round(float(homes["found"][1]), 3),
        "error": guessing,
        "error, m": round(error.metres),
    }


def _relinked(n_users, name, candidates=512):
    """The re-linking attack on a release in periods."""
    small, fs = people(100), people(n_users)
    fp.relink_periods(fp.release(small, RELINKED[name], seed=0))  # compiles
    made = fp.release(fs, RELINKED[name], seed=0)
    found, took = costs(fp.relink_periods, made, candidates=candidates)
    return took | {
        "users": fs.n_users,
        "records": made.n_users,
        "candidates": candidates,
        "share": round(found.share, 4),
        "chance": round(found.chance, 5),
        "chained": round(found.chained, 3),
        "by chance": round(found.chained_chance, 3),
    }


CASES = {
    f"{word}_{n}_{name}": partial(measure, n, name)
    for word, measure, sizes, options in (
        ("link", _linked, (20_000, 82_000), LINKED),
        ("relink", _relinked, (2_000, 20_000), RELINKED),
    )
    for n in sizes
    for name in options
} | {
    f"relink_20000_weeks_of_{many}": partial(_relinked, 20_000, "weeks", many)
    for many in (256, 1_024, 2_048)
}

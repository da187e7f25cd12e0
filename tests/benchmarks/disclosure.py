"""Disclosure of a hundred thousand people, as fine as read and coarse; the people of unicity.py."""

from functools import partial

from fpanon_core import GeneralizationProfile, Grid, disclosure, draw_knowledge, generalize
from tests.benchmarks.measured import costs
from tests.benchmarks.unicity import made


def _one(*profile, p=4):
    small, fs = made(100, 60), made(100_000, 60)
    disclosure(small, draw_knowledge(small, p))  # compiles
    if profile:
        fs = generalize(fs, GeneralizationProfile(Grid(profile[0]), profile[1]))
    result, took = costs(disclosure, fs, draw_knowledge(fs, p))
    return took | {
        "users": fs.n_users,
        "samples a user": round(fs.n_samples / fs.n_users, 1),
        "metres, minutes": profile,
        "p": p,
        "targets": result.n_targets,
        "bins": result.n_bins,
        "mean class": round(float(result.sizes.mean()), 1),
        "unicity": round(result.unicity, 3),
        "k": round(result.k_disclosure, 4),
        "EM": f"{result.em:.3g}",
        "KL": f"{result.kl:.3g}",
    }


CASES = {
    "disclosure_100000": _one,
    "disclosure_coarse": partial(_one, 10_000, 360),
    "disclosure_coarsest": partial(_one, 50_000, 720, p=1),
    "disclosure_broad": partial(_one, 50_000, 60, p=1),
}

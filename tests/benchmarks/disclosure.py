"""Disclosure of a hundred thousand people, as fine as read and coarse; the people of unicity.py."""

from functools import partial

from fpanon_core import GeneralizationProfile, Grid, disclosure, draw_knowledge, generalize
from tests.benchmarks.measured import machine, peak_gb, timed
from tests.benchmarks.unicity import _people


def _one(n_users, bins, profile=None, p=4, users=2500):
    small = _people(100, bins)
    disclosure(small, draw_knowledge(small, p))  # compiles
    fs = _people(n_users, bins)
    if profile is not None:
        fs = generalize(fs, profile)
    knowledge = draw_knowledge(fs, p, users=users)
    before = peak_gb()
    result, whole_s, cpu_s = timed(disclosure, fs, knowledge)
    return {
        "users": n_users,
        "samples a user": round(fs.n_samples / n_users, 1),
        "profile": str(profile or "as read"),
        "p": p,
        "targets": result.n_targets,
        "bins": result.n_bins,
        "mean class": round(float(result.sizes.mean()), 1),
        "whole, s": round(whole_s, 1),
        "processor, s": round(cpu_s, 1),
        **machine(),
        "unicity": round(result.unicity, 3),
        "k": round(result.k_disclosure, 4),
        "EM": f"{result.em:.3g}",
        "KL": f"{result.kl:.3g}",
        "peak memory, GB": peak_gb(),
        "of it before the run": before,
    }


def _profile(metres, minutes):
    return GeneralizationProfile(Grid(metres), minutes)


CASES = {
    "disclosure_100000": partial(_one, 100_000, 60),
    "disclosure_coarse": partial(_one, 100_000, 60, _profile(10_000, 360)),
    "disclosure_coarsest": partial(_one, 100_000, 60, _profile(50_000, 720), 1),
    "disclosure_broad": partial(_one, 100_000, 60, _profile(50_000, 60), 1),
}

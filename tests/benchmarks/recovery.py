"""The recovery attack on the counts of invented people, made as arrays.

Regular people: a person has a home, a workplace and three other places among those of a square
region, some far more popular than others; is at work in hours of the person's own that vary by day,
and elsewhere in an eighth of the slots awake. The attack gets the counts; its score is timed apart.
"""

import tempfile
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from fpanon_core import FingerprintSet, aggregate_counts, recover_trajectories, score_recovery
from tests.benchmarks.measured import costs

_SLOT_MIN = 30.0
_SLOTS_A_DAY = 48


def _people(n_users, places, days, seed=1):
    rng = np.random.default_rng(seed)
    xy = np.floor(rng.random((places, 2)) * rng.random((places, 2)) * 500) * 100
    popular, busy = (rng.dirichlet(np.full(places, a)) for a in (0.5, 0.3))
    home, work = rng.choice(places, n_users, p=popular), rng.choice(places, n_users, p=busy)
    other = rng.choice(places, (n_users, 3), p=popular)
    leaves, returns = rng.integers(13, 19, n_users), rng.integers(33, 41, n_users)
    at = np.empty((n_users, days * _SLOTS_A_DAY), np.int64)
    for slot in range(at.shape[1]):
        hour = slot % _SLOTS_A_DAY
        if hour == 0:
            early, late = rng.integers(-1, 2, (2, n_users))
        at[:, slot] = np.where((hour >= leaves + early) & (hour < returns + late), work, home)
        if hour >= 14:
            out = rng.random(n_users) < 0.125
            at[out, slot] = other[out, rng.integers(0, 3, int(out.sum()))]
    user = np.repeat(np.arange(n_users), at.shape[1])
    t = np.tile(np.arange(at.shape[1]) * _SLOT_MIN, n_users)
    return FingerprintSet.from_samples(user, *xy[at.ravel()].T, t)


def _kept(folder, *made):
    _people(*made).save(folder)


def _apart(*made):
    """The same people made by another process, whose memory is not counted here."""
    with tempfile.TemporaryDirectory() as private:
        folder = Path(private) / "people"
        child = get_context("spawn").Process(target=_kept, args=(folder, *made))
        child.start()
        child.join()
        return FingerprintSet.load(folder)  # what is mapped stays so after the folder is gone


def _one(n_users, days, places):
    small, truth = aggregate_counts(_people(20, 5, 2))
    score_recovery(recover_trajectories(small), small, truth)  # compiles
    fs = _apart(n_users, places, days)
    (counts, truth), counting = costs(aggregate_counts, fs)
    recovered, attack = costs(recover_trajectories, counts)
    score, scoring = costs(score_recovery, recovered, counts, truth)
    return {
        "users": n_users,
        "days": days,
        "places": places,
        "counts": counting,
        "attack": attack,
        "score": scoring,
        "accuracy": " ".join(f"{a:.3f}" for a in score.accuracy_by_step),
        "at random": " ".join(f"{a:.3f}" for a in score.baseline_by_step),
    }


CASES = {
    f"recovery_{n}": partial(_one, n, days, places)
    for n, days, places in (
        (1_300, 15, 100),
        (2_600, 15, 100),
        (5_000, 7, 500),
        (10_000, 7, 500),
        (100_000, 7, 500),
    )
}

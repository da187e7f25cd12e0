"""A question's time and memory as estimated, beside what it took; three sizes of data.

Each runs in a child process of its own, as in the dashboard, that has compiled before; memory is
what the child holds of its own at its peak, seen every 5 ms.
"""

import datetime as dt
import time
from functools import partial

import numpy as np

from fpanon_core import AddNoise, LocalEngine, generate_cdr, read_cdr
from fpanon_core.engines.limits import Limits, memory_of
from fpanon_core.engines.process import ProcessRunner
from fpanon_core.model.counts_frame import FrameConfig, StatedArea, StatedPeriod
from fpanon_core.model.options import Periods, ReleaseOption
from fpanon_core.model.projection import lon_lat
from fpanon_core.studies import (
    anonymizability,
    attack,
    comparison,
    counts_release,
    disclosure,
    hiding,
    look,
    options,
    people_by_hexagon,
    presets,
    production,
    recovery,
    recovery_factors,
    recovery_mitigations,
    relinking,
    unicity,
)
from fpanon_core.studies.estimates import estimate, seconds_of

SIZES = (2_000, 8_000, 32_000)


def _calls(fs):
    return {
        "anonymizability": (anonymizability, anonymizability.Config()),
        "unicity": (unicity, unicity.Config()),
        "disclosure": (disclosure, disclosure.Config()),
        "hiding, aligned": (hiding, hiding.Config(2, method="aligned")),
        "hiding, GLOVE": (hiding, hiding.Config(2, method="glove")),
        "hiding, aligned, shards": (
            hiding,
            hiding.Config(2, method="aligned", shards=max(2, fs.n_users // 5_000)),
        ),
        "attack": (attack, attack.Config(ReleaseOption(steps=[AddNoise(1_000)]))),
        "recovery": (recovery, recovery.Config(users=None)),
        "options": (options, options.Config(tuple(presets.trade_grid(fs)[:4]))),
        "production": (production, production.Config(ReleaseOption(steps=[AddNoise(1_000)]))),
        "relinking": (relinking, relinking.Config(ReleaseOption(steps=[Periods(7)]))),
        "recovery_factors": (recovery_factors, recovery_factors.Config(users=1_000)),
        "recovery_mitigations": (recovery_mitigations, recovery_mitigations.Config(users=1_000)),
        "comparison": (comparison, comparison.Config(ks=(2,))),
        "counts_release": (counts_release, counts_release.Config(_frame(fs))),
        "look": (look, look.Config(ReleaseOption(steps=[AddNoise(1_000)]))),
        "people_by_hexagon": (people_by_hexagon, people_by_hexagon.Config()),
    }


def _frame(fs):
    """Squares of 1 km around all, slots of half an hour for the two weeks."""
    corners = [(fs.x_m.min(), fs.y_m.min()), (fs.x_m.max(), fs.y_m.max())]
    (west, east), (south, north) = lon_lat(fs.crs, *np.array(corners).T)
    first = fs.clock.epoch.date() + dt.timedelta(days=1)
    area = StatedArea(south - 0.01, west - 0.01, north + 0.01, east + 0.01)
    return FrameConfig(StatedPeriod(first, 14), "grid", area)


def _people(n):
    return read_cdr(generate_cdr(n, seed=1), timezone="UTC")[0]


def _one(call, n_users):
    small, fs = _people(120), _people(n_users)
    module, config = _calls(fs)[call]
    expected_s = seconds_of(module.study, fs, config, engine=LocalEngine())
    needs = estimate(module.study, fs, config, limits=Limits(), engine=LocalEngine()).needs_bytes
    runner = ProcessRunner()
    try:
        warm = runner.submit(module.study, small, _calls(small)[call][1], label="compile")
        while warm.active:
            time.sleep(0.05)
        job, most = runner.submit(module.study, fs, config, label="measure"), 0
        while job.active:
            most = max(most, memory_of(runner.process_id) if runner.process_id else 0)
            time.sleep(0.005)
        took, status = job.elapsed_s, job.status
    finally:
        runner.close()
    return {
        "people": n_users,
        "samples": fs.n_samples,
        "seconds estimated": None if expected_s is None else round(expected_s, 1),
        "seconds": round(took, 1),
        "MB estimated": None if needs is None else round(needs / 1e6),
        "MB": round(most / 1e6),
        "bytes a sample": round((most - 180e6) / fs.n_samples),
        "ended": status,
    }


CASES = {
    f"estimate_{call}_{n}": partial(_one, call, n)
    for call in (
        "anonymizability",
        "unicity",
        "disclosure",
        "hiding, aligned",
        "hiding, GLOVE",
        "hiding, aligned, shards",
        "attack",
        "recovery",
        "options",
        "production",
        "relinking",
        "recovery_factors",
        "recovery_mitigations",
        "comparison",
        "counts_release",
        "look",
        "people_by_hexagon",
    )
    for n in SIZES
}

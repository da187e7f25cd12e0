"""A question's time and memory as estimated, beside what it took; three sizes of data.

Each runs in a child process of its own, as in the dashboard, that has compiled before.
"""

from dataclasses import replace
from functools import partial

from fpanon_core import AddNoise, LocalEngine
from fpanon_core.model.options import Periods, ReleaseOption
from fpanon_core.studies import (
    anonymizability,
    attack,
    comparison,
    disclosure,
    hiding,
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
from tests.benchmarks.measured import in_child, people

SIZES = (2_000, 8_000, 32_000)


CALLS = {
    "anonymizability": lambda _: (anonymizability, anonymizability.Config()),
    "unicity": lambda _: (unicity, unicity.Config()),
    "disclosure": lambda _: (disclosure, disclosure.Config()),
    "hiding, aligned": lambda _: (hiding, hiding.Config(2, method="aligned")),
    "hiding, GLOVE": lambda _: (hiding, hiding.Config(2, method="glove")),
    "hiding, aligned, shards": lambda fs: (
        hiding,
        hiding.Config(2, method="aligned", shards=max(2, fs.n_users // 5_000)),
    ),
    "attack": lambda _: (attack, attack.Config(ReleaseOption(steps=[AddNoise(1_000)]))),
    "recovery": lambda _: (recovery, recovery.Config(users=None)),
    "options": lambda fs: (options, options.Config(tuple(presets.trade_grid(fs)[:4]))),
    "production": lambda _: (production, production.Config(ReleaseOption(steps=[AddNoise(1_000)]))),
    "relinking": lambda _: (relinking, relinking.Config(ReleaseOption(steps=[Periods(7)]))),
    "recovery_factors": lambda _: (recovery_factors, recovery_factors.Config(users=1_000)),
    "recovery_mitigations": lambda _: (
        recovery_mitigations,
        recovery_mitigations.Config(users=1_000),
    ),
    "comparison": lambda _: (comparison, comparison.Config(ks=(2,))),
    "people_by_hexagon": lambda _: (people_by_hexagon, people_by_hexagon.Config()),
}


def _one(call, n_users):
    small, fs = people(120), people(n_users)
    module, config = CALLS[call](fs)
    told = replace(
        estimate(module.study, fs, config, engine=LocalEngine()),
        seconds=seconds_of(module.study, fs, config, engine=LocalEngine()),
    )
    warm = module.study, small, CALLS[call](small)[1]
    figures = in_child(told, warm, (module.study, fs, config))
    each = round((figures["MB"] - 180) * 1e6 / fs.n_samples)
    return figures | {"people": n_users, "samples": fs.n_samples, "bytes a sample": each}


CASES = {f"estimate_{call}_{n}": partial(_one, call, n) for call in CALLS for n in SIZES}

"""A release attacked as a page asks it, on generated people: made, before and after, and followed.

Processor time over all cores is told beside the seconds by the clock.
"""

import resource
import time
from functools import partial

import fpanon_core as fp
from fpanon_core.studies import attack, followed

OPTIONS = {
    "bins": (fp.Generalize(fp.GeneralizationProfile(fp.Grid(1_000), 60)),),
    "noise": (fp.AddNoise(1_000),),
    "aligned": (fp.Aligned(2),),
}


def _one(n_users, name):
    config = attack.Config(fp.ReleaseOption(steps=OPTIONS[name]))
    small, _ = fp.read_cdr(fp.generate_cdr(100, seed=1))
    attack.study(small, config)  # compiles
    followed.follow(small, config, 0)
    fs, _ = fp.read_cdr(fp.generate_cdr(n_users, seed=1))
    started, cpu = time.perf_counter(), time.process_time()
    result = attack.study(fs, config)
    study_s, study_cpu = time.perf_counter() - started, time.process_time() - cpu
    cpu = time.process_time()
    followed.follow(fs, config, result.examples[0].user)
    return {
        "users": fs.n_users,
        "study, s": round(study_s, 2),
        "study, processor s": round(study_cpu, 2),
        "one followed, processor s": round(time.process_time() - cpu, 2),
        "found before": round(result.before.link.first, 3),
        "found after": round(result.after.link.first, 3),
        "peak, GB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2),
    }


CASES = {f"attack_{n}_{name}": partial(_one, n, name) for n in (2_000, 20_000) for name in OPTIONS}

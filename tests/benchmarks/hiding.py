"""Methods that hide everyone, verified: beside another method on the same data in the same run.

GLOVE is beside ``k_gap(fs, 2)``, aligned publishing beside GLOVE. In periods, all are of the
synthetic sample. Past what fits at once, people are hidden shard by shard, up to a million.
"""

from functools import partial

import numpy as np

import fpanon_core as fp
from tests.benchmarks.measured import costs, people, shipped


def _case(hide, data, k, beside=None, days=None, workers=None, **options):
    fs = data()
    few = fs.subset(np.arange(120))
    if days is not None:
        few, fs = fp.into_periods(few, 7), fp.into_periods(fs, days)
    fp.verify_k_anonymity(few, hide(few, k), k)  # compiles
    result, took = costs(hide, fs, k, engine=fp.LocalEngine(workers), **options)
    verdict, verifying = costs(fp.verify_k_anonymity, fs, result, k)
    # The loss of weights 1 and 1, as in docs/science.md: twice that of the usual halves.
    loss = round(2 * fp.mean_loss(result), 4)
    figures = {"k": k, "days": days} | options | took | {"mean loss": loss} | result.summary()
    figures |= {"verified": verdict.passed, "verifier": verifying}
    if beside is not None:
        beside(few, k)  # compiles
        other = costs(beside, fs, k)[1]
        ratio = round(took["processor s"] / other["processor s"], 2)
        figures |= {"beside it": other, "ratio of processor time": ratio}
    return figures


def _two_gap(fs, _):
    return fp.k_gap(fs, 2)


CASES = (
    {
        f"glove_{n}_k{k}": partial(_case, fp.glove, partial(people, n), k, _two_gap)
        for n, k in ((5_000, 5), (20_000, 2), (20_000, 5))
    }
    | {"glove_82000_k2": partial(_case, fp.glove, partial(people, 82_000), 2)}
    | {
        f"aligned_{key}_k{k}_{effort}": partial(
            _case, fp.aligned, partial(shipped, key), k, fp.glove, effort=effort
        )
        for key in ("synthetic", "sf_cabs")
        for k in (2, 5)
        for effort in ("default", "thorough")
    }
    | {"aligned_20000_k5": partial(_case, fp.aligned, partial(people, 20_000), 5, fp.glove)}
    | {
        f"aligned_82000_k{k}": partial(_case, fp.aligned, partial(people, 82_000), k)
        for k in (2, 5)
    }
    | {
        f"periods_{hide.__name__}_{days}": partial(
            _case, hide, partial(shipped, "synthetic"), 5, days=days
        )
        for hide in (fp.aligned, fp.glove)
        for days in (1, 7)
    }
    | {
        f"scale_{hide.__name__}_{n}_{shards}": partial(
            _case, hide, partial(people, n), 2, workers=2, shards=shards
        )
        for hide in (fp.aligned, fp.glove)
        for n, shards in ((82_000, 1), (82_000, 8), (82_000, 16), (82_000, 41), (1_000_000, 200))
    }
)

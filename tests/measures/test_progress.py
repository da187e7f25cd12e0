"""What every long call keeps: progress rises to 1, may cancel, and no thread changes a result.

Of measures, techniques, attacks and studies alike.
"""

import pickle

import pandas as pd
import pytest

import fpanon_core as fp
from fpanon_core.model.options import Glove, ReleaseOption
from fpanon_core.model.profiles import GeneralizationProfile, Grid
from fpanon_core.studies import anonymizability, attack, disclosure, recovery, unicity
from tests.anonymize.test_shards import people
from tests.support.alike import check_alike

PROFILES = tuple(GeneralizationProfile(Grid(metres), 60) for metres in (500, 4_000))


def noisy(fs):
    return fp.release(fs, fp.AddNoise(300, 10), seed=2)


def scored(counts, truth, **given):
    return fp.score_recovery(fp.recover_trajectories(counts), counts, truth, **given)


CALLS = {
    "k_gap": lambda fs, **given: fp.k_gap(fs, 6, **given),
    "unicity": lambda fs, **given: fp.unicity(fs, 2, **given),
    "disclosure": lambda fs, **given: fp.disclosure(fs, fp.draw_knowledge(fs, 2), **given),
    "points needed": lambda fs, **given: fp.points_needed(fs, min_per_month=0, **given),
    "unicity of profiles": lambda fs, **given: fp.unicity_grid(fs, PROFILES, [2], **given),
    "disclosure of profiles": lambda fs, **given: fp.disclosure_grid(fs, PROFILES, **given),
    "linkage": lambda fs, **given: fp.link(fs, noisy(fs), 3, **given),
    "homes": lambda fs, **given: fp.home_found(fs, noisy(fs), [500, 2_000], **given),
    "re-linking": lambda fs, **given: fp.relink_periods(
        fp.release(fs, fp.Periods(2), seed=0), **given
    ),
    "recovery": lambda fs, **given: fp.recover_trajectories(fp.aggregate_counts(fs)[0], **given),
    "its score": lambda fs, **given: scored(*fp.aggregate_counts(fs), **given),
}
STUDIES = {
    anonymizability: anonymizability.Config(PROFILES, (2, 3)),
    unicity: unicity.Config(users=9),
    disclosure: disclosure.Config(profiles=PROFILES),
    attack: attack.Config(ReleaseOption(steps=[Glove(2)]), p=2, seed=9),
    recovery: recovery.Config(60, 8, seed=5),
}
for hide in (fp.glove, fp.aligned):
    CALLS |= {
        hide.__name__: lambda fs, hide=hide, **given: hide(fs, 3, leave_out=0.05, **given),
        f"{hide.__name__} in shards": lambda fs, hide=hide, **given: hide(fs, 2, shards=4, **given),
        f"{hide.__name__} in periods": lambda fs, hide=hide, **given: hide(
            fp.into_periods(fs, 2, seed=1), 3, **given
        ),
    }


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_progress_rises_to_one_and_may_cancel(call):
    fs, told = people(200), []
    call(fs, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)
    for limit in (0.0, 0.3, 0.6):

        def stop(share, limit=limit):
            if share > limit:
                raise fp.Cancelled("stopped by the user")

        with pytest.raises(fp.Cancelled):
            call(fs, progress=stop)


@pytest.mark.parametrize("name", CALLS)
def test_threads_change_nothing(name):
    """Several tiles of 512 users; of those who are hidden, several blocks of 64."""
    fs = people(200 if name.startswith(("glove", "aligned")) else 700)
    one, other = (CALLS[name](fs, engine=fp.LocalEngine(workers)) for workers in (1, 3))
    check_alike(one, other)


@pytest.mark.parametrize("module", STUDIES, ids=lambda module: module.__name__.split(".")[-1])
def test_a_study_travels_and_tells_its_progress(module):
    fs, config, told = people(60), STUDIES[module], []
    one = module.study(fs, config, engine=fp.LocalEngine(1), progress=told.append)
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)
    other = pickle.loads(pickle.dumps(module.study(fs, config, engine=fp.LocalEngine(3))))
    assert (other.config, hash(other.config), other.digest) == (config, hash(config), fs.digest)
    for name, table in one.tables().items():
        pd.testing.assert_frame_equal(other.to_frame(name), table)
        assert not {"user_id", "digest"} & {*table}

"""A real scheduler and two worker processes: results, lost workers, cancels, what is left."""

import gc
import inspect
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError

import numpy as np
import pytest

import fpanon_core as f
from fpanon_core.aggregates import contributions
from fpanon_core.aggregates.tables import counting_flows, counting_presence, exact_sums
from fpanon_core.engines import cluster
from fpanon_core.engines.cluster import check_address, where_to_work
from fpanon_core.studies import releases
from fpanon_core.synthesis.statistics import Ground, exact_statistics
from tests.support.alike import check_alike

pytestmark = pytest.mark.filterwarnings("default")  # of Dask's own making, in threads of its own


@pytest.fixture(scope="module")
def at_work():
    with started(2) as found:
        yield found


def started(workers):
    return pytest.importorskip("distributed").LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        silence_logs=50,
        host="127.0.0.1",
    )


@pytest.fixture(scope="module")
def engine(at_work):
    made = f.DaskEngine(at_work.scheduler_address)
    yield made
    made.close()


@pytest.fixture(scope="module")
def fs():
    rng = np.random.default_rng(0)
    user = np.repeat(np.arange(60), rng.integers(3, 12, 60))
    home = rng.integers(0, 8, (2, 60))[:, user] * 500
    x, y = home + rng.integers(0, 3, (2, len(user))) * 100
    return f.FingerprintSet.from_samples(
        [f"id {u}" for u in user], x, y, rng.integers(0, 4320, len(user))
    )


def _counts(fs):
    return f.aggregate_counts(fs, slot_min=60)


def _hidden(fs):
    return f.release(fs, f.Glove(2))


def _statistics(fs, e):
    """What the noise is drawn on, which no two calls have alike; and that a call is answered."""
    f.synthesize(fs, FRAME, epsilon=1, people=3, engine=e)
    return exact_statistics(fs, Ground.of(contributions.table_frame(fs, FRAME)), engine=e)


PROFILES = [f.GeneralizationProfile(f.Grid(1000), 60), f.GeneralizationProfile(f.Grid(2000), 240)]
FEW = {"users": 40}


def _known(fs, strategy="random"):
    return f.draw_knowledge(fs, 2, strategy=strategy, users=40)


def _score(fs, e):
    counts, truth = _counts(fs)
    return f.score_recovery(f.recover_trajectories(counts), counts, truth, engine=e)


AREA = f.StatedArea(0, 0, 4_000, 4_000, "metres")
FRAME = f.FrameConfig(f.StatedPeriod(None, 3), "grid", AREA, 200)

ONE_DAY = f.FrameConfig(f.StatedPeriod(None, 1), "grid", AREA, 1_000)

# Every public call that takes an engine.
CALLS = {
    "k_gap": lambda fs, e: [f.k_gap(fs, 3, engine=e), f.k_gap(fs, 2, users=[5, 3], engine=e)],
    "stretch_components": lambda fs, e: f.stretch_components(fs, f.k_gap(fs, 2), engine=e),
    "presence": lambda fs, e: f.presence(fs, FRAME, bands=8, engine=e).values,
    "flows": lambda fs, e: f.flows(fs, FRAME, engine=e).values.toarray(),
    "table_recovery": lambda fs, e: f.table_recovery(fs, f.Presence(ONE_DAY, 8), engine=e),
    "synthesize": lambda fs, e: _statistics(fs, e),
    "unicity": lambda fs, e: f.unicity(fs, 2, engine=e, **FEW),
    "unicity_grid": lambda fs, e: f.unicity_grid(fs, PROFILES, (1, 3), engine=e, **FEW),
    "anonymity_sets": lambda fs, e: f.anonymity_sets(fs, _known(fs, "top"), engine=e),
    "points_needed": lambda fs, e: f.points_needed(fs, min_per_month=1, engine=e),
    "disclosure": lambda fs, e: f.disclosure(fs, _known(fs), engine=e),
    "disclosure_grid": lambda fs, e: f.disclosure_grid(fs, PROFILES, engine=e, **FEW),
    "glove": lambda fs, e: [f.glove(fs, 2, shards=2, engine=e), f.glove(fs, 2, engine=e)],
    "aligned": lambda fs, e: [f.aligned(fs, 2, shards=2, engine=e), f.aligned(fs, 2, engine=e)],
    "release": lambda fs, e: f.release(fs, f.Glove(2), engine=e),
    "link": lambda fs, e: f.link(fs, _hidden(fs), engine=e, **FEW),
    "expected_error": lambda fs, e: f.expected_error(fs, _hidden(fs), engine=e, **FEW),
    "home_found": lambda fs, e: f.home_found(fs, _hidden(fs), engine=e),
    "reidentification": lambda fs, e: f.reidentification(fs, _hidden(fs), engine=e, **FEW),
    "match_releases": lambda fs, e: f.match_releases(_hidden(fs), _hidden(fs), engine=e, **FEW),
    "relink_periods": lambda fs, e: f.relink_periods(
        f.release(fs, [f.Periods(1), f.Glove(2)]), engine=e
    ),
    "recover_trajectories": lambda fs, e: f.recover_trajectories(_counts(fs)[0], engine=e),
    "score_recovery": _score,
    "find_release": lambda fs, e: _of_records(
        f.find_release(fs, "travel", "anyone", seconds=900, engine=e)
    ),
    "explore_options": lambda fs, e: _without_times(
        f.explore_options(fs, [PROFILES[0], f.Glove(2)], engine=e, **FEW)
    ),
}


def _without_times(table):
    frame = table.to_frame()
    return frame[[name for name in frame if name != "seconds"]]


def _of_records(table):
    """Without the options whose noise no two calls have alike, nor how many of them were tried."""
    frame = _without_times(table).drop(columns=["front", "dominated_by", "level_with"])
    of_records = [option.recordless is None for option in table.options]
    return frame[of_records].reset_index(drop=True)


def with_engine():
    return {
        name
        for name in f.__all__
        if inspect.isfunction(call := getattr(f, name))
        and "engine" in inspect.signature(call).parameters
    }


def test_no_call_is_forgotten():
    assert with_engine() == set(CALLS)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_cluster_gives_what_this_machine_gives(name, fs, engine):
    check_alike(CALLS[name](fs, f.LocalEngine(2)), CALLS[name](fs, engine), 1e-9, name)


def test_private_sums_of_a_cluster_are_those_of_this_machine(fs, engine, monkeypatch):
    """Whole numbers, in blocks of a few people."""
    monkeypatch.setattr(contributions, "_SAMPLES_AT_ONCE", 50)
    where = contributions.table_frame(fs, FRAME)
    flows = f.Flows(FRAME, 8, epsilon=1, trips_per_day=33)
    shares = f.Presence(FRAME, 8, epsilon=1)
    for counting, option in ((counting_presence, shares), (counting_flows, flows)):
        here = exact_sums(counting, fs, where, option)
        there = exact_sums(counting, fs, where, option, engine=engine)
        np.testing.assert_array_equal(here[0], there[0])
        assert here[1] == there[1]
        assert here[0].sum() > 0


def _pid_or_double(block, slow, folder):
    if slow and block == 3:
        with open(os.path.join(folder, str(os.getpid())), "w"):
            pass
        time.sleep(2.0)
    return 2 * block


def test_a_worker_killed_half_way_changes_nothing(engine, fs, tmp_path):
    """The one that works at block 3 is killed in it; blocks and the data are sent again."""
    found, killed = {}, []

    def kill():
        while not (there := list(tmp_path.iterdir())):
            time.sleep(0.02)
        killed.append(int(there[0].name))
        os.kill(killed[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    engine.map(_pid_or_double, range(8), (fs.n_users > 0, str(tmp_path)), found.__setitem__)
    killer.join()
    assert killed
    assert found == {block: 2 * block for block in range(8)}
    assert len(list(tmp_path.iterdir())) == 2, "block 3 was done by two processes"
    check_alike(f.k_gap(fs, 2), f.k_gap(fs, 2, engine=engine), 1e-9)


def test_what_is_lost_after_it_was_done_is_done_again(engine, monkeypatch):
    fetched, lost = engine._fetched, []

    def fetch(future):
        if len(lost) < 3:
            lost.append(future)
            raise CancelledError
        return fetched(future)

    monkeypatch.setattr(engine, "_fetched", fetch)
    found = {}
    engine.map(_pid_or_double, range(8), (False, ""), found.__setitem__)
    assert found == {block: 2 * block for block in range(8)}
    monkeypatch.setattr(engine, "_fetched", lambda _: (_ for _ in ()).throw(CancelledError()))
    with pytest.raises(f.InfeasibleError, match="lost its workers again and again"):
        engine.map(_pid_or_double, [1], (False, ""), found.__setitem__)


def test_a_fault_of_who_takes_the_results_is_theirs(engine):
    def full(_, __):
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        engine.map(_pid_or_double, [1], (False, ""), full)


def test_a_cancel_comes_out_and_leaves_nothing(at_work, engine, tmp_path):
    def stop(share):
        if share > 0.2:
            raise f.Cancelled("enough")

    with pytest.raises(f.Cancelled):
        engine.map(
            _pid_or_double, range(40), (False, str(tmp_path)), lambda *_: None, progress=stop
        )
    _nothing_left(at_work)


def test_data_stay_on_the_workers_no_longer_than_here(at_work, engine, fs):
    some = fs.subset(np.arange(20))
    f.unicity(some, 2, engine=engine)
    del some
    _nothing_left(at_work)


def _nothing_left(at_work, sets=1):
    """But for the module's own set, which is still in use; releases are kept here for a while."""
    releases.forget()
    gc.collect()
    until = time.monotonic() + 10
    while True:
        left = [str(key) for key in at_work.scheduler.tasks]
        if len(left) <= sets and all("FingerprintSet" in key for key in left):
            return
        assert time.monotonic() < until, left
        time.sleep(0.1)


def test_ids_do_not_leave(engine, fs):
    seen = []
    engine.map(_ids, [0], (fs.unnamed,), lambda _, ids: seen.extend(ids))
    assert seen == fs.number.tolist()
    assert fs.unnamed.digest == fs.digest


def _ids(_, fs):
    return fs.user_ids.tolist()


def test_what_is_refused_there_is_refused_here(engine, fs):
    other = f.FingerprintSet.from_samples([1], [9e6], [0], [0])
    known = f.draw_knowledge(other, 1)
    for e in (f.LocalEngine(1), engine):
        with pytest.raises(f.InfeasibleError, match="Nobody fits what is known about 1 of the 1"):
            f.disclosure(fs, known, engine=e)


def _fails(_):
    raise KeyError("a secret of a person")


def test_a_fault_there_tells_where_and_not_what(engine):
    with pytest.raises(RuntimeError, match=r"KeyError at test_cluster.py:\d+") as caught:
        engine.map(_fails, [1], (), lambda *_: None)
    assert "secret" not in str(caught.value)


def test_other_versions_are_refused(engine, monkeypatch):
    monkeypatch.setattr(cluster, "_VERSIONS", {**cluster._VERSIONS, "numpy": "1.0"})
    with pytest.raises(f.ConfigError, match="different versions"):
        engine.map(_pid_or_double, [1], (False, ""), lambda *_: None)


def test_data_leave_the_machine_encrypted_only(monkeypatch):
    for address in ("", "host", "tcp://", "http://here:1", "tls://h:port"):
        with pytest.raises(f.ConfigError, match="not the address"):
            check_address(address)
    for address in ("tcp://127.0.0.1:8786", "tcp://localhost:1", "tcp://[::1]:1", "tls://far:1"):
        check_address(address)
    for address in ("tcp://far:8786", "tcp://10.0.0.7:8786", "tcp://127.0.0.1.example:1"):
        with pytest.raises(f.ConfigError, match="not encrypted"):
            check_address(address)
    monkeypatch.setenv("FPANON_SCHEDULER_UNENCRYPTED", "yes")
    check_address("tcp://10.0.0.7:8786")


def test_what_is_missing_is_said_in_a_sentence(monkeypatch):
    """A scheduler, keys, and Dask itself."""
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "_CONNECT_S", 0.3)
    with pytest.raises(f.InfeasibleError, match="No scheduler answers"):
        f.DaskEngine("tcp://127.0.0.1:9")
    with pytest.raises(f.ConfigError, match=r"No keys for tls://127.0.0.1:9: Dask"):
        f.DaskEngine("tls://127.0.0.1:9")

    def missing(_):
        raise ImportError

    monkeypatch.setattr(cluster, "import_module", missing)
    with pytest.raises(f.ConfigError, match=r"pip install 'fpanon\[cluster\]'"):
        f.DaskEngine("tcp://127.0.0.1:8786")


def test_fpanon_does_not_need_dask():
    code = (
        "import sys; sys.modules['distributed'] = sys.modules['dask'] = None\n"
        "import fpanon_core; [getattr(fpanon_core, n) for n in fpanon_core.__all__]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_servers_cluster_is_for_calls_that_take_an_engine(monkeypatch, at_work):
    assert where_to_work(f.k_gap, {"k": 2}) == {"k": 2}
    monkeypatch.setenv("FPANON_SCHEDULER", at_work.scheduler_address)
    assert isinstance(where_to_work(f.k_gap, {})["engine"], f.DaskEngine)
    assert where_to_work(f.verify_k_anonymity, {}) == {}
    mine = f.LocalEngine(1)
    assert where_to_work(f.k_gap, {"engine": mine})["engine"] is mine
    cluster._ENGINES.pop(at_work.scheduler_address).close()


def test_a_cluster_that_goes_is_told_in_a_sentence():
    gone = started(1)
    engine = f.DaskEngine(gone.scheduler_address)
    threading.Timer(1.0, gone.close).start()
    with pytest.raises(f.InfeasibleError, match=r"does not answer any more|No scheduler|no work"):
        engine.map(_sleeps, range(100), (), lambda *_: None)
    engine.close()


def _sleeps(_):
    time.sleep(0.2)

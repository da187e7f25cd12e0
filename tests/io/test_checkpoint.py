"""A long run that is killed and begun again does what is missing; no file is believed blindly."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpanon_core.anonymize import shards
from fpanon_core.anonymize.aligned import aligned
from fpanon_core.anonymize.glove import glove
from fpanon_core.engines.local import LocalEngine
from fpanon_core.io.checkpoint import Checkpoint
from fpanon_core.model.configs import StretchConfig
from fpanon_core.model.errors import Cancelled, ConfigError
from tests.anonymize.test_shards import METHODS, people, records


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "kept"


@pytest.fixture
def hidden(monkeypatch):
    """How many shards were hidden, and not found."""
    done = []
    real = shards.hide_shard
    monkeypatch.setattr(
        shards, "hide_shard", lambda fs, *a, **k: done.append(fs.digest) or real(fs, *a, **k)
    )
    return done


def same(one, other):
    assert one.group.tolist() == other.group.tolist()
    assert records(one) == records(other)
    assert one.accuracy.equals(other.accuracy)
    assert one.suppressed.equals(other.suppressed)
    assert one.summary() == other.summary()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("leftover", ["merge", "suppress"])
def test_what_is_kept_is_found_again(method, leftover, folder, hidden):
    fs, hide = people(n=91), METHODS[method]
    given_ = {"shards": 4, "leftover": leftover, "leave_out": 0.1}
    plain = hide(fs, 2, **given_)
    hidden.clear()
    same(hide(fs, 2, **given_, checkpoint=Checkpoint(folder)), plain)
    done = len(hidden)
    assert done >= 4
    same(hide(fs, 2, **given_, checkpoint=Checkpoint(folder)), plain)
    again = hidden[done:]
    assert len(again) <= 1  # those who were left over in several shards, together
    assert len(list(folder.iterdir())) == 4


def test_a_run_that_was_cancelled_goes_on(folder, hidden, monkeypatch):
    fs = people()

    def stop(share):
        if share > 0:
            raise Cancelled

    counted = shards.hide_shard
    monkeypatch.setattr(shards, "hide_shard", lambda *a, **k: time.sleep(0.1) or counted(*a, **k))
    with pytest.raises(Cancelled):
        glove(fs, 2, shards=4, checkpoint=Checkpoint(folder), engine=LocalEngine(1), progress=stop)
    before = len(hidden)
    assert 0 < before < 4
    result = glove(fs, 2, shards=4, checkpoint=Checkpoint(folder))
    assert len(hidden) == 4
    same(result, glove(fs, 2, shards=4))


def test_other_people_settings_or_methods_are_not_taken_for_these(folder, hidden):
    kept = Checkpoint(folder)
    glove(people(), 2, shards=2, checkpoint=kept)
    for run in (
        lambda: glove(people(seed=1), 2, shards=2, checkpoint=kept),
        lambda: glove(people(), 3, shards=2, checkpoint=kept),
        lambda: glove(people(), 2, shards=2, config=StretchConfig(0.4, 0.6), checkpoint=kept),
        lambda: glove(people(), 2, shards=2, leave_out=0.05, checkpoint=kept),
        lambda: aligned(people(), 2, shards=2, checkpoint=kept),
        lambda: aligned(people(), 2, shards=2, effort="thorough", checkpoint=kept),
    ):
        hidden.clear()
        run()
        assert len(hidden) == 2
    hidden.clear()
    glove(people(), 2, shards=2, checkpoint=kept)
    assert hidden == []


def test_of_other_versions_nothing_is_taken(folder, hidden, monkeypatch):
    from fpanon_core.io import checkpoint

    kept = Checkpoint(folder)
    glove(people(), 2, shards=2, checkpoint=kept)
    monkeypatch.setattr(checkpoint, "versions", lambda: {"fpanon": "0.0.1"})
    hidden.clear()
    glove(people(), 2, shards=2, checkpoint=kept)
    assert len(hidden) == 2


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_file_that_was_cut_or_changed_counts_as_none(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("kept") / "own"
    fs, kept = people(n=44), Checkpoint(folder)
    plain = glove(fs, 2, shards=2, checkpoint=kept)
    for place in folder.iterdir():
        content = bytearray(place.read_bytes())
        if data.draw(st.booleans(), "cut"):
            del content[data.draw(st.integers(0, len(content) - 1), "at") :]
        else:
            content[data.draw(st.integers(0, len(content) - 1), "at")] ^= data.draw(
                st.integers(1, 255), "by"
            )
        place.write_bytes(content)
    same(glove(fs, 2, shards=2, checkpoint=kept), plain)


def test_a_file_of_other_people_under_this_name_counts_as_none(folder, hidden):
    """Whole, with its digest, but not of as many people, or of no group that there is."""
    kept = Checkpoint(folder)
    glove(people(n=60), 2, shards=2, checkpoint=kept)
    other = next(folder.iterdir()).read_bytes()
    assert kept.clear() == 2
    plain = glove(people(n=44), 2, shards=2, checkpoint=Checkpoint(folder))
    for place in folder.iterdir():
        place.write_bytes(other)
    hidden.clear()
    same(glove(people(n=44), 2, shards=2, checkpoint=Checkpoint(folder)), plain)
    assert len(hidden) == 2


def test_the_folder_is_its_users_alone(folder, tmp_path):
    kept = Checkpoint(folder)
    glove(people(), 2, shards=2, checkpoint=kept)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {place.stat().st_mode & 0o777 for place in folder.iterdir()} == {0o600}
    assert not any(b"ID-" in place.read_bytes() for place in folder.iterdir())
    folder.chmod(0o755)
    with pytest.raises(ConfigError, match="read or written by others"):
        Checkpoint(folder)
    folder.chmod(0o700)
    link = tmp_path / "link"
    link.symlink_to(folder)
    with pytest.raises(ConfigError, match="no folder of your own"):
        Checkpoint(link)
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError):
        Checkpoint(tmp_path / "file")
    with pytest.raises(ConfigError):
        Checkpoint(tmp_path / "not" / "there")


def test_it_is_emptied_and_what_is_not_its_own_stays(folder, hidden):
    other = Checkpoint(folder)
    glove(people(seed=1), 2, shards=2, checkpoint=other)
    kept = Checkpoint(folder)
    glove(people(), 2, shards=3, checkpoint=kept)
    assert kept.clear() == 3
    hidden.clear()
    glove(people(seed=1), 2, shards=2, checkpoint=Checkpoint(folder))
    assert hidden == []
    assert other.clear() == 2
    assert not folder.exists()

    kept = Checkpoint(folder)
    glove(people(), 2, shards=3, checkpoint=kept)
    (folder / "notes.txt").write_text("mine")
    assert kept.clear() == 3
    assert [place.name for place in folder.iterdir()] == ["notes.txt"]
    assert kept.clear() == 0


_RUN = """
import sys, time
from fpanon_core import Checkpoint, LocalEngine, aligned
from tests.anonymize.test_shards import people
fs = people(n=900, each=40)
aligned(people(n=10), 2)
print("begun", flush=True)
begun = time.perf_counter()
aligned(fs, 2, shards=30, engine=LocalEngine(1), checkpoint=Checkpoint(sys.argv[1]))
print("done", time.perf_counter() - begun, flush=True)
"""


def test_killed_ten_times_and_begun_again_it_comes_to_the_same(folder):
    """SIGKILL when so many shards more are done, and a moment later, both drawn at random."""
    rng = np.random.default_rng(int(time.time()))
    fs = people(n=900, each=40)
    plain = aligned(fs, 2, shards=30)

    def kept():
        return len(list(folder.glob("*.fpanon-part"))) if folder.exists() else 0

    for _ in range(10):
        before = kept()
        run = subprocess.Popen(
            [sys.executable, "-c", _RUN, str(folder)], stdout=subprocess.PIPE, text=True
        )
        assert run.stdout.readline() == "begun\n"
        wanted = before + rng.integers(0, 3)
        while kept() < min(wanted, 30) and run.poll() is None:
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.01))
        os.kill(run.pid, signal.SIGKILL)
        run.communicate()
        assert kept() >= before
    # Thirty shards, of which ten runs did two or three each at most: killed half-way, all of them.
    assert 0 < kept() < 30
    result = aligned(fs, 2, shards=30, checkpoint=Checkpoint(folder))
    same(result, plain)
    assert not [place for place in folder.iterdir() if not place.name.endswith(".fpanon-part")]

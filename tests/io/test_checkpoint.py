"""A long run that is killed and begun again does what is missing; no file is believed blindly."""

import hashlib
import hmac
import io
import os
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpanon_core.anonymize import hiding
from fpanon_core.anonymize.aligned import aligned
from fpanon_core.anonymize.glove import glove, grouped
from fpanon_core.io import checkpoint
from fpanon_core.io.checkpoint import Checkpoint
from fpanon_core.model.configs import StretchConfig
from fpanon_core.model.errors import ConfigError
from tests.anonymize.test_shards import METHODS, people, records
from tests.fuzz.mutations import mutated
from tests.support.alike import check_alike
from tests.support.no_files import NO_FILES, replaced


def part_of(fs, leave_out=0.0):
    """What a checkpoint keeps of one shard."""
    settings = hiding.Settings("glove", 2, StretchConfig(), None, None, "merge", leave_out)
    return hiding.hide_shard(fs, grouped, settings)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "kept"


@pytest.fixture
def hidden(monkeypatch):
    """How many shards were hidden, and not found."""
    done = []
    real = hiding.hide_shard
    monkeypatch.setattr(
        hiding, "hide_shard", lambda fs, *a, **k: done.append(fs.digest) or real(fs, *a, **k)
    )
    return done


def same(one, other):
    assert records(one) == records(other)
    for name in ("group", "accuracy", "suppressed"):
        check_alike(getattr(one, name), getattr(other, name))
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


def test_of_other_people_settings_methods_or_versions_nothing_is_taken(folder, hidden, monkeypatch):
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
    monkeypatch.setattr(checkpoint, "versions", lambda: {"fpanon": "0.0.1"})
    glove(people(), 2, shards=2, checkpoint=kept)
    assert len(hidden) == 2


# --- files that others have altered, and the digest made anew -----------------------------------
# docs: a file is a line, 32 bytes of HMAC-SHA-256 over the line, its name and its content, and the
# content, an archive of NumPy files.

FORM = b"fpanon part 2\n"


def unkeyed(_, body):
    """As somebody without the key would: each time by another digest that could be meant."""
    meant = hashlib.sha256(body), *(hmac.new(of, body, "sha256") for of in (bytes(32), FORM))
    return FORM + meant[len(body) % 3].digest() + body


def altered(rng, body):
    """The content with something else in it: another group, or damage."""
    if rng.random() < 0.4:
        return mutated(rng, body)
    with np.load(io.BytesIO(body)) as kept:
        members = dict(kept)
    members["group"][rng.randrange(len(members["group"]))] ^= 1
    into = io.BytesIO()
    np.savez(into, **members)
    return into.getvalue()


def test_of_altered_files_whose_digest_was_made_anew_none_is_taken(folder):
    """By someone without the key."""
    fs, kept, rng = people(n=44), Checkpoint(folder), random.Random(0)
    part = part_of(fs, leave_out=0.1)
    kept.keep(fs, {"k": 2}, part)
    check_alike(kept.part(fs, {"k": 2}), part)
    (place,) = folder.iterdir()
    body = place.read_bytes()[len(FORM) + 32 :]
    for _ in range(200):
        place.write_bytes(unkeyed(place, altered(rng, body)))
        assert kept.part(fs, {"k": 2}) is None


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_file_that_was_changed_counts_as_none(seed, tmp_path_factory):
    """The whole run comes to the same, whether the digest was made anew or not."""
    folder = tmp_path_factory.mktemp("kept") / "own"
    fs, kept, rng = people(n=44), Checkpoint(folder), random.Random(seed)
    plain = glove(fs, 2, shards=2, checkpoint=kept)
    for place in folder.iterdir():
        content = place.read_bytes()
        if rng.random() < 0.3:
            place.write_bytes(mutated(rng, content))
        else:
            place.write_bytes(unkeyed(place, altered(rng, content[len(FORM) + 32 :])))
    same(glove(fs, 2, shards=2, checkpoint=kept), plain)


@pytest.mark.parametrize("kind", [*NO_FILES, "renamed", "endless"])
def test_nothing_but_the_very_file_is_read(folder, tmp_path, kind):
    fs, kept = people(n=44), Checkpoint(folder)
    part = part_of(fs)
    kept.keep(fs, {"k": 2}, part)
    (place,) = folder.iterdir()
    if kind == "renamed":  # sealed by us, of other settings
        kept.keep(fs, {"k": 3}, part)
        (other,) = set(folder.iterdir()) - {place}
        other.replace(place)
    elif kind == "endless":
        os.truncate(place, 1 << 40)  # without taking any room
    else:
        replaced(place, kind, tmp_path)
    assert kept.part(fs, {"k": 2}) is None


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
    (tmp_path / "file").touch()
    for place in (link, tmp_path / "file", tmp_path / "not" / "there"):
        with pytest.raises(ConfigError):
            Checkpoint(place)


def test_it_is_emptied_and_what_is_not_its_own_stays(folder, hidden):
    other, kept = Checkpoint(folder), Checkpoint(folder)
    glove(people(seed=1), 2, shards=2, checkpoint=other)
    glove(people(), 2, shards=3, checkpoint=kept)
    assert kept.clear() == 3
    hidden.clear()
    glove(people(seed=1), 2, shards=2, checkpoint=Checkpoint(folder))
    assert hidden == []
    (folder / "notes.txt").write_text("mine")
    assert other.clear() == 2
    assert [place.name for place in folder.iterdir()] == ["notes.txt"]
    (folder / "notes.txt").unlink()
    assert kept.clear() == 0
    assert not folder.exists()

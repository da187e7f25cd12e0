"""Releases beyond what zip files and memory hold at once: sizes in 64 bits, rows in pieces."""

import struct
import zipfile

import numpy as np
import pytest

from fpanon_core import (
    aligned,
    generate_cdr,
    glove,
    publish,
    read_cdr,
    verify_k_anonymity,
    verify_release,
)
from fpanon_core.io import publishing
from fpanon_core.model.errors import SchemaError
from fpanon_core.verification import faults, package
from tests.anonymize.test_shards import people as crowd

FORMS = pytest.mark.parametrize("form", ["csv", "parquet"])


@pytest.fixture(scope="module")
def people():
    return read_cdr(generate_cdr(40, days=4, seed=2), timezone="UTC")[0]


@pytest.fixture
def short(monkeypatch):
    """Whatever has more than a hundred bytes is told in 64 bits."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 100)
    monkeypatch.setattr(package, "_LARGE", 100)


@FORMS
@pytest.mark.usefixtures("little")
def test_a_release_in_pieces_leaves_and_verifies(people, form, tmp_path):
    made = aligned(people, 2)
    key, lost = tmp_path / "key.csv", tmp_path / "lost.csv"
    for out in (tmp_path / "release", tmp_path / "release.zip"):
        for file in (key, lost):
            file.unlink(missing_ok=True)
        publish(made, out, original=people, key=key, left_out=lost, format=form)
        assert verify_release(out, people, 2).passed
        assert verify_release(out, people, 2, key=key, left_out=lost).passed
        assert not verify_release(out, people, 3, key=key).passed


@pytest.mark.usefixtures("short")
def test_nothing_hides_beside_sizes_in_64_bits(people, tmp_path):
    """Such as a zip file of more than 2 GB has, of any size here."""
    made = publish(aligned(people, 2), tmp_path / "release.zip", original=people)
    right = made.read_bytes()
    assert right.count(b"PK\x06\x06") == 1
    assert verify_release(made, people, 2).passed
    at = right.index(b"PK\x06\x06")
    wrong = [
        right[:at] + b"\0" + right[at:],
        right + b"\0",
        right[: at + 24] + b"\x01\0\0\0" + right[at + 28 :],  # more members
        right[: at + 12] + b"\x2e\0" + right[at + 14 :],  # made by a later version
    ]
    with zipfile.ZipFile(made) as archive:
        beyond = struct.pack("<Q", archive.getinfo("data.csv").file_size)
    places = [i for i in range(len(right)) if right.startswith(beyond, i)]
    assert len(places) == 2  # in the member's head, and in the list of members
    wrong += [right[:i] + b"\x07" + right[i + 1 :] for i in places]
    for altered in wrong:
        assert not verify_release(altered, people, 2).passed
    with zipfile.ZipFile(made, "a") as archive:
        archive.getinfo("README.md").extra = b"\x99\x99\x04\x00abcd"
        archive.comment = b""
        archive._didModify = True
    assert "members" in verify_release(made, people, 2).counts


def test_sizes_in_64_bits_of_what_is_small_are_a_fault(people, tmp_path, monkeypatch):
    """They could carry a mark."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 100)
    made = publish(aligned(people, 2), tmp_path / "plain", original=people)
    with (tmp_path / "release.zip").open("wb") as into:
        publishing.write_zip(made, into)
    assert set(verify_release(tmp_path / "release.zip", people, 2).counts) == {"members"}


@pytest.mark.usefixtures("little")
@FORMS
def test_damage_far_into_the_rows(people, form, tmp_path):
    made = publish(aligned(people, 2), tmp_path / "release", original=people, format=form)
    data = made / f"data.{form}"
    content = data.read_bytes()
    middle = len(content) // 2
    data.write_bytes(content[:middle] + b"\xff\xff,,,\n" * 20 + content[middle + 120 :])
    assert {"data file", "hash"} <= set(verify_release(made, people, 2).counts)
    if form == "csv":  # a record far apart from itself
        head, *lines = content.splitlines(keepends=True)
        names = [line.split(b",")[0] for line in lines]
        last = next(i for i, n in enumerate(names) if n != names[-1] and names.count(n) > 1)
        data.write_bytes(b"".join([head, *lines[:last], *lines[last + 1 :], lines[last]]))
        assert {"order of rows", "hash"} <= set(verify_release(made, people, 2).counts)


def test_no_room_to_unpack(people, tmp_path, monkeypatch):
    made = publish(aligned(people, 2), tmp_path / "release.zip", original=people)
    monkeypatch.setattr(package, "_MAPPED", 1)
    usage = package.shutil.disk_usage(tmp_path)
    monkeypatch.setattr(package.shutil, "disk_usage", lambda _: usage._replace(free=10))
    with pytest.raises(SchemaError, match="Unpack the release yourself, and give the folder"):
        verify_release(made, people, 2)


@pytest.mark.parametrize("hide", [glove, aligned])
@pytest.mark.parametrize("samples", [1, 7, 40])
def test_bits_of_any_size_give_one_verdict(hide, samples, monkeypatch):
    """The original is looked at bit by bit; where the bits end changes nothing."""
    fs = crowd(n=40)
    made = hide(fs, 3, leave_out=0.1)
    whole = verify_k_anonymity(fs, made, 3)
    other = verify_k_anonymity(crowd(n=40, seed=1), made, 3)
    monkeypatch.setattr(faults, "_STRETCH", samples)
    assert sum(len(rows) for *_, rows in faults.stretches(fs)) == fs.n_samples
    assert np.array_equal(
        np.concatenate([rows for *_, rows in faults.stretches(fs)]), faults.bounds_of(fs)
    )
    assert whole.passed
    assert verify_k_anonymity(fs, made, 3).counts == whole.counts
    assert not other.passed
    assert verify_k_anonymity(crowd(n=40, seed=1), made, 3).counts == other.counts

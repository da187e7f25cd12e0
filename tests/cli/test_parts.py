"""A folder of parts is kept once, and stands for a file from then on."""

import pytest

from fpanon_core.synthetic.generate import generate_cdr
from tests.support.commands import refused, said_by


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    frame = generate_cdr(30, days=2, seed=1)
    half = len(frame) // 2
    frame[:half].to_parquet(tmp_path / "in" / "1.parquet")
    frame[half:].to_parquet(tmp_path / "in" / "2.parquet")
    frame.to_parquet(tmp_path / "whole.parquet")
    return tmp_path


def test_what_was_kept_is_measured_as_the_file_is(folder):
    assert "--keep NEW_FOLDER" in refused("measure", folder / "in")
    assert "not for release" in said_by("ingest", folder / "in", "--keep", folder / "kept")
    one = said_by("measure", folder / "whole.parquet", "--k", "2")
    assert said_by("measure", folder / "kept", "--k", "2") == one
    said_by("ingest", folder / "whole.parquet", "--keep", folder / "ours")
    assert said_by("measure", folder / "ours", "--k", "2") == one


def test_how_a_kept_folder_was_read_is_not_changed(folder):
    said_by("ingest", folder / "in", "--keep", folder / "kept")
    told = refused("measure", folder / "kept", "--granularity-m", "500")
    assert "can no longer be changed" in told
    refused("ingest", folder / "kept", "--rejects", folder / "rejects.csv")
    assert not (folder / "rejects.csv").exists()
    refused("ingest", folder / "in", "--keep", folder / "kept")

"""A folder of parts is kept once, and stands for a file from then on."""

import pytest

from fpanon_core.synthetic.generate import generate_cdr
from tests.support.commands import run


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
    kept = run("ingest", folder / "in", "--keep", folder / "kept")
    assert kept.exit_code == 0, kept.output
    assert "not for release" in kept.output
    one = run("measure", folder / "whole.parquet", "--k", "2")
    other = run("measure", folder / "kept", "--k", "2")
    assert (other.exit_code, other.output) == (0, one.output)
    ours = run("ingest", folder / "whole.parquet", "--keep", folder / "ours")
    assert ours.exit_code == 0
    assert run("measure", folder / "ours", "--k", "2").output == one.output


def test_a_folder_of_parts_says_what_it_needs(folder):
    refused = run("measure", folder / "in")
    assert refused.exit_code == 2
    assert "--keep NEW_FOLDER" in refused.output


def test_how_a_kept_folder_was_read_is_not_changed(folder):
    run("ingest", folder / "in", "--keep", folder / "kept")
    refused = run("measure", folder / "kept", "--granularity-m", "500")
    assert refused.exit_code == 2
    assert "cannot be changed" in refused.output
    refused = run("ingest", folder / "kept", "--rejects", folder / "rejects.csv")
    assert refused.exit_code == 2
    assert not (folder / "rejects.csv").exists()
    assert run("ingest", folder / "in", "--keep", folder / "kept").exit_code == 2

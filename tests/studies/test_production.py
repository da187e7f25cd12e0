"""A release as a zip, its key and its verdict, from the settings of a page."""

import io
import json
import pickle
import zipfile
from dataclasses import replace

import pandas as pd
import pytest

import fpanon_core as fp
from fpanon_core.model.facts import Verdict
from fpanon_core.model.release_page import check_command
from fpanon_core.studies import hiding, publishing
from fpanon_core.studies.production import Config, study


@pytest.fixture(scope="module")
def fs():
    return fp.read_cdr(fp.generate_cdr(30, days=2))[0]


def facts_in(found):
    with zipfile.ZipFile(io.BytesIO(found.archive)) as archive:
        return json.loads(archive.read("datapackage.json"))["fpanon"]


def test_hiding_with_all_that_glove_can_be_told(fs):
    how = hiding.Config(4, 15_000.0, 600.0, "suppress")
    made = hiding.study(fs, how).release
    for given in (None, made):
        found = study(fs, Config(hidden=how), given)
        told = facts_in(found)
        stated = [told[n] for n in ("k", "suppress_space_m", "suppress_time_min", "leftover")]
        assert stated == [4, 15_000.0, 600.0, "suppress"]
        assert told["people"] == (made.group >= 0).sum() == len(pd.read_csv(io.BytesIO(found.key)))
        assert told["samples_left_out"] == len(pd.read_csv(io.BytesIO(found.left_out)))
        assert found.verdict.passed
        assert found.facts.k == 4


def test_the_command_that_is_told_checks_it(tmp_path):
    """Which samples are left out is not to be seen in a release of many who might be."""
    fs = fp.read_cdr(fp.generate_cdr(60, days=2))[0]
    how = hiding.Config(3, method="aligned", period_days=1, leave_out=0.1)
    found = study(fs, Config(hidden=how))
    assert found.facts.samples_left_out > 0
    command = check_command(found.facts)
    assert f"`{command}`" in found.page
    assert command.endswith("--k 3 --key KEY --left-out LIST")
    for name, content in (
        ("r.zip", found.archive),
        ("k.csv", found.key),
        ("l.csv", found.left_out),
    ):
        (tmp_path / name).write_bytes(content)
    checked = fp.verify_release(
        tmp_path / "r.zip", fs, 3, key=tmp_path / "k.csv", left_out=tmp_path / "l.csv"
    )
    assert checked.passed
    whole = study(fs, Config(hidden=replace(how, leave_out=0.0, leftover="merge")))
    assert whole.facts.samples_left_out == 0
    assert check_command(whole.facts).endswith("RECORDS --k 3")


def test_it_travels_between_processes(fs):
    found = pickle.loads(pickle.dumps(study(fs, Config(fp.ReleaseOption(steps=[fp.Glove(2)])))))
    assert found.verdict.passed
    row = found.to_frame().iloc[0]
    assert (row["option"], row["k"], row["verified"]) == ("GLOVE, k = 2", 2, True)
    assert row["rows"] == facts_in(found)["rows"]


def test_every_time_another_release(fs):
    config = Config(fp.ReleaseOption(steps=[fp.AddNoise(500)]), format="parquet")
    keys = [study(fs, config).key for _ in range(3)]
    assert len(set(keys)) == 3
    assert hash(config) == hash(
        Config(fp.ReleaseOption(steps=[fp.AddNoise(500)]), format="parquet")
    )


def test_samples_that_were_moved_are_not_listed(fs):
    found = study(fs, Config(fp.ReleaseOption(steps=[fp.AddNoise(2_000), fp.Glove(2, 3_000)])))
    assert found.left_out is None
    assert found.verdict.passed
    assert "checked against the data that the last step was given" in found.verdict.text


def test_what_fails_is_not_handed_out(fs, monkeypatch):
    monkeypatch.setattr(
        publishing, "verdict_on", lambda *_, **__: Verdict(False, 2, "NOT verified.")
    )
    found = study(fs, Config(fp.ReleaseOption(steps=[fp.Glove(2)])))
    assert (found.archive, found.key, found.left_out) == (b"", b"", b"")
    assert not found.verdict.passed


def test_it_can_be_stopped(fs):
    def stop(_):
        raise fp.Cancelled

    with pytest.raises(fp.Cancelled):
        study(fs, Config(fp.ReleaseOption(steps=[fp.Glove(2)])), progress=stop)


def test_settings_are_checked():
    with pytest.raises(fp.ConfigError):
        Config(format="xlsx")
    with pytest.raises(fp.ConfigError, match="one of the two"):
        Config(fp.ReleaseOption(steps=[fp.Glove(2)]), hiding.Config())

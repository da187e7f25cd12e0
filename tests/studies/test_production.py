"""A release as a zip, its key and its verdict, from the settings of a page."""

import io
import json
import pickle
from dataclasses import replace

import pandas as pd
import pytest

import fpanon_core as fp
from fpanon_core.model.facts import Verdict
from fpanon_core.model.release_page import check_command
from fpanon_core.studies import hiding, publishing
from fpanon_core.studies.production import Config, study
from tests.support.releases import members_of


@pytest.fixture(scope="module")
def fs():
    return fp.read_cdr(fp.generate_cdr(30, days=2))[0]


def facts_in(found):
    return json.loads(members_of(found.archive)["datapackage.json"])["fpanon"]


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
    named = {"key": tmp_path / "k.csv", "left_out": tmp_path / "l.csv"}
    for name, path in named.items():
        path.write_bytes(getattr(found, name))
    assert fp.verify_release(found.archive, fs, 3, **named).passed
    whole = study(fs, Config(hidden=replace(how, leave_out=0.0, leftover="merge")))
    assert whole.facts.samples_left_out == 0
    assert check_command(whole.facts).endswith("RECORDS --k 3")


def test_it_travels_between_processes(fs):
    found = pickle.loads(pickle.dumps(study(fs, Config(fp.ReleaseOption(steps=[fp.Glove(2)])))))
    assert found.verdict.passed
    row = found.to_frame().iloc[0]
    assert (row["option"], row["k"], row["verified"]) == ("GLOVE, k = 2", 2, True)
    assert row["rows"] == facts_in(found)["rows"]


def test_every_time_another_release_which_can_be_stopped(fs):
    config = Config(fp.ReleaseOption(steps=[fp.AddNoise(500)]), format="parquet")
    assert hash(config) == hash(replace(config))
    assert len({study(fs, config).key for _ in range(3)}) == 3
    # Samples that were moved are not listed.
    moved = Config(fp.ReleaseOption(steps=[fp.AddNoise(2_000), fp.Glove(2, 3_000)]))
    found = study(fs, moved)
    assert found.left_out is None
    assert found.verdict.passed
    assert "checked against the data that the last step was given" in found.verdict.text

    def stop(_):
        raise fp.Cancelled

    with pytest.raises(fp.Cancelled):
        study(fs, moved, progress=stop)


def test_what_fails_is_not_handed_out(fs, monkeypatch):
    failed = Verdict(False, 2, "NOT verified.")
    monkeypatch.setattr(publishing, "verdict_on", lambda *_, **__: failed)
    found = study(fs, Config(fp.ReleaseOption(steps=[fp.Glove(2)])))
    assert (found.archive, found.key, found.left_out) == (b"", b"", b"")
    assert not found.verdict.passed


def test_settings_are_checked():
    with pytest.raises(fp.ConfigError):
        Config(format="xlsx")
    with pytest.raises(fp.ConfigError, match="one of the two"):
        Config(fp.ReleaseOption(steps=[fp.Glove(2)]), hiding.Config())

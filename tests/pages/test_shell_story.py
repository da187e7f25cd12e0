"""What all pages share says: sessions that ended, thresholds, what leaves; no browser."""

from __future__ import annotations

import pandas as pd

import fpanon_core as fp
from fpanon_core.measures.crossing import crossing
from fpanon_core.model.options import Flows
from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.synthetic_people import Expected
from pages.server.lives import Ended
from pages.shell import job_panel, leaving, limits, session, together
from pages.shell.together import Left
from tests.pages.test_together import members
from tests.support.snapshots import check_snapshot


def job(ahead: int = 0, needs_bytes: int | None = None) -> session.Job:
    """One that waits behind so many others."""
    found = session.Job(len, (), {}, "Measuring", needs_bytes=needs_bytes)
    found.place = lambda _job: ahead
    return found


def test_sentences_are_those_of_the_snapshot() -> None:
    """Crossed: each of four alone in both; of eight, two in both; one alone already; all alone."""
    usual = Limits()
    own = Limits({"outsider": 0.2, "home": None, "unicity": 0.01, "em": 9.0})
    none = Limits(dict.fromkeys(("outsider", "home", "unicity", "membership", "em", "kl")))
    contract = Limits({"outsider": 0.2})
    area = fp.StatedArea(0, 0, 5_000, 10_000, "metres")
    frame = fp.FrameConfig(fp.StatedPeriod(None, 14), "grid", area, 1_000)
    cells = pd.DataFrame(
        [{"areas": 50, "bands": 48, "people": 40.0, "noise": 48.0, "error": 9.6, "share": 0.24}]
    )
    few = ("So few people reveal little about the hours of the day.",)
    alone = crossing(members("ab", "cd"), members("ac", "bd"))
    what = together.describe_earlier([Left(members("ab", name="GLOVE, k = 2"))])
    check_snapshot(
        "shell",
        {
            "A session that ended": [
                session.describe_ended(ended)
                for ended in (Ended(15.0, True, 2), Ended(0.5, False, 1), Ended())
            ],
            "Jobs": [
                *(job_panel.line(job(ahead), 0) for ahead in (0, 1, 7)),
                *(job_panel.line(job(0, needs), 0) for needs in (230_000_000, 1_240_000_000)),
            ],
            "Thresholds in force": [limits.counted(usual), limits.counted(none)],
            "Where thresholds are from": [
                *(limits.source_told(usual, name, usual) for name in ("outsider", "home", "em")),
                *(limits.source_told(own, name, usual) for name in own.of),
                limits.source_told(contract, "outsider", contract),
            ],
            "The error of tables": [
                leaving.expected(cells, fp.Tables(frame, 24, epsilon=1.0)),
                leaving.expected(cells, Flows(frame, 24, threshold=60)),
            ],
            "The error of synthetic people": leaving.expected_people(Expected(8, 125.0, 5.0, few)),
            "Alone in both releases": [together.warning(alone, what), together.meaning(alone)],
            "Fewer in both": together.warning(
                crossing(members("abcd", "efgh"), members("abef", "cdgh")), "X"
            ),
            "One alone already": together.warning(
                crossing(members("a", "bcd"), members("abc", "d")), "X"
            ),
            "All alone already": together.unchanged(
                crossing(members("a", "b"), members("a", "b")), "X"
            ),
        },
    )


def test_a_job_that_runs_waits_behind_nobody() -> None:
    running = job(7)
    running.status = "running"
    assert job_panel.waits(running) == ""


def test_what_a_file_says_of_itself_is_shown_as_it_is() -> None:
    told = together.describe_earlier([Left(members("ab", name="![x](http://y) *b*"), given=True)])
    assert "![" not in told
    assert told.startswith("the earlier release given (")

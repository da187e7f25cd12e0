"""One answer: Overview, Release options, Report, Present and ``find`` recommend the same option."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

import fpanon_core as fp
from fpanon_core.model.options import AddNoise, ReleaseOption, Synthesize
from fpanon_core.studies.advice import ladder
from fpanon_core.studies.exploration import Exploration
from fpanon_core.studies.judgement import best_option, serves, within_limits
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.recipe import Decision
from fpanon_core.studies.report import page, report
from fpanon_core.studies.search import KNOWLEDGE, SearchedTable
from pages.options import story as options
from pages.overview import story as overview
from pages.present import story as present
from tests.studies.test_report import exploration, result
from tests.studies.test_search import FRAME

KINDS = ("none within", "one within", "ties", "any")
STUDIES = [(kind, seed) for kind in KINDS for seed in range(5)]


def study(kind: str, seed: int) -> Exploration:
    """Options of every kind, at random: some with people alone, some above a threshold."""
    rng = np.random.default_rng(seed)
    every = [
        *(ReleaseOption(steps=[fp.Presence(FRAME, 24, None, e)]) for e in (0.5, 1.0)),
        ReleaseOption(steps=[Synthesize(FRAME, 1.0)]),
        *(ReleaseOption(steps=[fp.Glove(k)]) for k in (5, 20)),
        *(ReleaseOption(steps=[AddNoise(m)]) for m in (100.0, 300.0, 900.0)),
    ]
    risks = rng.choice([0.01, 0.03, 0.2, 0.6], len(every))
    if kind == "none within":
        risks[:] = 0.3
    if kind == "one within":
        risks[:] = 0.3
        risks[rng.integers(len(every))] = 0.01
    useful = rng.uniform(0.05, 0.9, len(every))
    if kind == "ties":
        useful[:], risks[:] = 0.5, 0.01
    found = [
        result(option, risk, utility, least=int(rng.integers(1, 3)), alone=int(rng.integers(0, 4)))
        for option, risk, utility in zip(every, risks, useful, strict=True)
    ]
    return exploration(*map(_membership, found))


def _membership(found: OptionResult) -> OptionResult:
    """Of what holds no record, attackers ask whether a person is in it."""
    if found.option.recordless is None:
        return found
    return replace(found, risks=found.risks | {"membership": found.risks["outsider"]})


@pytest.mark.parametrize(("kind", "seed"), STUDIES)
def test_every_page_names_the_same_option(kind: str, seed: int) -> None:
    made = study(kind, seed)
    table, limits = made.table, made.limits
    inside = within_limits(table, limits)
    best = best_option(table, limits)
    assert bool(inside) == (kind != "none within")
    name = table.options[best].told
    serving = serves(table, inside)
    said = f"The nearest option is “{name}”"
    if inside:
        said = (
            f"{'The recommended option is' if serving else 'The best of these options is'} “{name}”"
        )

    criteria = options.Criteria("outsider", limits, table.choice, "Utility", "utility")
    dots = options.dots(table, criteria, [])
    assert [i for i, dot in enumerate(dots) if dot.best] == ([best] if serving else [])
    answers = {
        "overview": " ".join(itertools.chain(*overview.describe_best_option(made))),
        "options": " ".join(options.conclusion(table, dots, criteria)),
        "report": " ".join(report(made, Decision()).verdict[1].text),
        "present": present.verdict(made)[1],
    }
    for where, told in answers.items():
        assert said in told.replace("\\", ""), where
    assert overview.best(made) == (best if inside else None)
    searched = SearchedTable(
        table.results, "outsider", table.choice, KNOWLEDGE, table.digest, limits=limits
    )
    found = searched.least_revealing
    assert (None if found is None else found.option.told) == (name if inside else None)
    assert searched.serves == bool(serving)
    assert overview.best_head(made, best, 0).startswith("Recommended") == bool(serving)
    assert (best in [rung.row for rung in ladder(table, limits) if rung.serves]) == bool(serving)


@pytest.mark.parametrize("seed", range(5))
def test_report_and_slides_say_of_an_override_what_it_is(seed: int) -> None:
    made = study("one within", seed)
    over = next(r for r in made.table.results if made.limits.broken(r))
    decided = Decision(chosen=over.option.name, why="It is wanted.", signer="A. Officer")
    third = report(made, decided).verdict[2]
    assert third.tone == "against"
    assert "A. Officer overrides the thresholds" in third.text[0]
    assert "✓ Chosen" not in page(report(made, decided))
    heads = present.decision(made, over, "")
    assert heads[0].startswith(":material/block:")
    assert len(heads) == 1 + len(third.over) == 1 + len(made.limits.broken(over))

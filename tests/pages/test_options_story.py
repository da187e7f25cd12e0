"""What the Options page says: sentences by a snapshot, tables and dots by hand; no browser."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from datetime import date
from typing import get_args

import numpy as np
import pandas as pd

from fpanon_core import (
    FingerprintSet,
    FrameConfig,
    KnowledgeConfig,
    StatedPeriod,
    Synthesize,
    generate_cdr,
    permute,
    read_cdr,
)
from fpanon_core.model.configs import Strategy
from fpanon_core.model.disclosure import RISKS as USUAL
from fpanon_core.model.options import (
    AddNoise,
    Glove,
    Permute,
    Presence,
    ReleaseOption,
    SuppressRare,
)
from fpanon_core.model.utility import COMPONENTS
from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.option_result import OptionResult, utility_choice
from fpanon_core.studies.options_table import OptionsTable
from pages.options import story, tables
from pages.options.story import Criteria
from pages.shell import definitions
from pages.shell.workspace import refused
from tests.support.snapshots import check_snapshot, rows_of

KNOWN = KnowledgeConfig()
NO_LIMITS = Limits(dict.fromkeys(Limits().of))


def option(
    name: str,
    useful: float,
    steps: tuple[object, ...] = (),
    crowd: int = 1,
    alone: int = 0,
    **risks: tuple[float, float, float],
) -> OptionResult:
    """A result of stated figures; risks that are not given are far below their limits."""
    low = dict.fromkeys(USUAL, (0.0, 0.0, 0.0))
    return OptionResult(
        ReleaseOption(name, steps or (SuppressRare(len(name)),)),
        risks=low | risks,
        components=dict.fromkeys(COMPONENTS, useful),
        n_users=100,
        n_samples=1_000,
        users_share=1.0,
        suppressed_share=0.25,
        crowd_least=crowd,
        alone_share=alone / 100,
        too_few=7,
        n_targets=100,
        guessing={"linkage": 0.01, "home": 0.1},
    )


PAIRS = option(
    "", 0.6, (Glove(2),), 2, k=(0.5, 0.47, 0.5), em=(40.0, 35.0, 45.0), kl=(190.0, 150.0, 230.0)
)
TENS = option(
    "", 0.2, (Glove(10),), 10, k=(0.04, 0.03, 0.049), em=(4.0, 3.0, 5.0), kl=(6.0, 5.0, 7.0)
)
FINE = option("fine", 0.9, unicity=(0.04, 0.03, 0.06), k=(0.3, 0.2, 0.4))
ALL = (1.0, 0.99, 1.0)
RAW = option("raw", 1.0, unicity=ALL, k=ALL, em=(120.0, 100.0, 140.0), kl=(500.0, 400.0, 600.0))


def table(*results: OptionResult, risk: str = "unicity") -> OptionsTable:
    return OptionsTable(results, risk, utility_choice("transport"), KNOWN, "digest")


def criteria(risk: str = "unicity", **limits: float | None) -> Criteria:
    return Criteria(risk, Limits(limits), utility_choice("transport"), "", "utility")


def told(found: OptionsTable, by: Criteria) -> list[str]:
    dots = story.dots(found, by, [])
    return [*story.conclusion(found, dots, by), *story.further(found, dots, by)]


def chosen(result: OptionResult, found: OptionsTable, by: Criteria) -> list[str]:
    text, more, fine = story.describe_chosen(result, "why", found, by)
    return [text, *more, "(within the thresholds)" if fine else "(not within the thresholds)"]


def first(found: OptionsTable, by: Criteria) -> pd.DataFrame:
    return tables.shown(found, story.dots(found, by, []), by)


def whole(found: OptionsTable, by: Criteria) -> pd.DataFrame:
    return tables.whole(found, story.dots(found, by, []), by)


WEEKLY = option("weekly", 0.7, alone=22, unicity=(0.007, 0.002, 0.015))
RARE = option("rare", 0.5, alone=4)
LEVEL = table(
    option("a", 0.80, unicity=(0.9995, 0.996, 1.0)),
    option("bb", 0.81, unicity=(0.998, 0.994, 0.9995)),
)
MOST, FEW = (0.99, 0.98, 0.995), (0.03, 0.02, 0.04)
NOISY = option("noisy", 0.8, (AddNoise(300.0),), k=(0.04, 0.03, 0.045), linkage=MOST, outsider=MOST)
HOMELY = option(
    "homely", 0.7, (), 25, outsider=FEW, linkage=FEW, k=(0.02, 0.01, 0.03), home=(0.4, 0.35, 0.45)
)
GOOD = option("good", 0.3, (), 25, home=(0.12, 0.11, 0.15))


def test_sentences_are_those_of_the_snapshot() -> None:
    """By unicity pairs are best and dominate tens; by k, .5 of a limit of .05, they are riskier.

    45 bins are 5.6 times a limit of 8, 230 nats 23 times 10. Of FINE 4% is below 5%, but may be
    6%. 22 of 100 are alone, against 5%, however rarely four points find anybody. Of NOISY true
    points name 99%; HOMELY names few, and finds homes: guessing 10%, so 45% is 3 times 10 and 5.
    """
    usual, strict, open_ = criteria(), criteria(em=8.0, kl=10.0), criteria(outsider=None)
    wider, first = criteria(unicity=0.06, outsider=None), criteria("outsider")
    mine, mixed = (option("ours", 0.5, (AddNoise(300.0),)), option("", 0.4, (Permute("times"),)))
    check_snapshot(
        "options",
        {
            "One within": told(table(PAIRS, TENS, RAW), strict),
            "Where nothing turns": told(table(TENS, RAW), usual),
            "None within": told(table(PAIRS, RAW), strict),
            "The only one": told(table(FINE), open_),
            "Below a wider threshold": told(table(FINE), wider),
            "Some people alone": told(table(WEEKLY, RARE), usual),
            "Intervals do not separate": told(LEVEL, usual),
            "By EM": told(table(RAW, PAIRS, risk="em"), criteria("em", em=8.0)),
            "Noise, homes and a good option": told(
                table(NOISY, HOMELY, GOOD, risk="outsider"), first
            ),
            "Noise and homes": told(table(NOISY, HOMELY, risk="outsider"), first),
            "Under a name": told(table(mine), usual),
            "Pairs chosen": chosen(PAIRS, table(PAIRS, RAW), usual),
            "Pairs chosen, with more thresholds": chosen(PAIRS, table(PAIRS, RAW), strict),
            "Tens chosen": chosen(TENS, table(TENS, RAW), usual),
            "Fine chosen": chosen(FINE, table(FINE, RAW), open_),
            "Raw chosen": chosen(RAW, table(FINE, RAW), open_),
            "Some alone, chosen": chosen(WEEKLY, table(WEEKLY, RARE), usual),
            "Few alone, chosen": chosen(RARE, table(RARE), usual),
            "A name, chosen": chosen(mine, table(mine), usual),
            "Moved points": story.describe_moved_points([mine.option, mixed.option, RAW.option]),
            "No moved points": story.describe_moved_points([RAW.option]),
            "Dots": [d.told for d in story.dots(table(PAIRS, RAW), usual, [])]
            + [d.told for d in story.dots(table(FINE, RAW), open_, [])]
            + [d.told for d in story.dots(LEVEL, usual, [])],
            "A reason is due": [
                refused(RARE, " ", "", NO_LIMITS),
                refused(FINE, "", "A. Officer", Limits({"unicity": 0.05})),
                refused(FINE, "All the same.", " ", Limits({"unicity": 0.05})),
            ],
        }
        | {
            f"Points drawn: {each}": story.describe_attacker(KnowledgeConfig(strategy=each))
            for each in get_args(Strategy)
        },
    )


def test_a_choice_needs_no_reason_or_has_it() -> None:
    for one in (option("none", 0.5), option("crowds", 0.5, crowd=20)):
        assert refused(one, "", "", Limits()) == ""
    assert refused(RARE, "The ministry asked.", "", NO_LIMITS) == ""
    assert refused(FINE, "All the same.", "A. Officer", Limits({"unicity": 0.05})) == ""


def test_tables_are_those_of_the_snapshot() -> None:
    """The one within the thresholds comes first, though another is more useful.

    What intervals do not separate is level. A quarter of the samples is left out, and 7 of 100
    people have too few points. A name hides no recipe.
    """
    usual, open_, wider = criteria(), criteria(outsider=None), criteria(unicity=0.06, outsider=None)
    mine = option("ours", 0.5, (AddNoise(300.0),))
    cases = {
        "Pairs": (table(PAIRS, RAW), usual),
        "Fine, perhaps": (table(FINE, RAW), open_),
        "Fine, below a wider threshold": (table(FINE), wider),
        "Some people alone": (table(WEEKLY, RARE), usual),
        "Level": (LEVEL, usual),
        "Under a name": (table(mine), usual),
    }
    parts = {
        name: [*rows_of(first(found, by).T), *rows_of(whole(found, by).T)]
        for name, (found, by) in cases.items()
    }
    pairs = cases["Pairs"][0]
    by_k = first(pairs, replace(usual, risk="k"))
    axis = criteria("em", em=8.0).risk_title(4)
    check_snapshot("options_tables", parts | {"By k": rows_of(by_k), "An axis": axis})
    # What is not known is not taken for nobody.
    assert usual.limits.broken(replace(RARE, alone_share=math.nan)) == ("alone",)
    assert usual.limits.broken(TENS) == usual.limits.broken(GOOD) == ()
    assert usual.limits.broken(replace(GOOD, guessing={"home": 0.09})) == ("home",)
    assert usual.limits.broken(NOISY) == ("outsider",)
    # The command line reads a recipe as the page writes it.
    (plain,) = json.loads(story.recipe([mine.option]))
    assert ReleaseOption.from_dict(plain) == mine.option


def test_why_the_recommended_option_is_not_the_most_useful() -> None:
    """Both are within the thresholds; .5 is 83% of .6. Groups reveal less than coarser areas."""
    groups, coarse = option("", 0.5, (Glove(20),), 20), option("coarse", 0.6, crowd=25)
    by = criteria("outsider")
    told = story.describe_more_useful(table(groups, coarse, risk="outsider"), by)
    assert told.startswith("“coarse")
    assert "is more useful, " in told
    assert told.endswith(
        "but coarser records describe people in more detail than hidden records do."
    )
    assert story.describe_more_useful(table(groups, risk="outsider"), by) == ""
    both = table(groups, coarse, risk="outsider")
    assert story.conclusion(both, story.dots(both, by, []), by)[0] == (
        ":material/star: **Recommended: GLOVE, k = 20.** 2 of 2 options stay within the "
        "thresholds; 2 serve the purpose. Of those that serve "
        "the purpose, hidden records reveal the least about individual people. Choose "
        "below."
    )


def test_tooltips_promise_no_more_than_is_kept() -> None:
    """What an exchange keeps is shown in tests/anonymize; here, what one of times does not keep."""
    people, _ = read_cdr(generate_cdr(60, days=3))

    def by_place(fs: FingerprintSet) -> Counter[tuple[float, ...]]:
        cells = zip(fs.x_m, fs.y_m, np.floor(fs.t_min / 60), strict=True)
        return Counter(cell for cell, n in zip(cells, fs.count, strict=True) for _ in range(n))

    before, after = by_place(people), by_place(permute(people, "times", region_m=5_000))
    assert before.total() == after.total()
    assert 0.2 < (before - after).total() / before.total() < 0.8
    assert "gives a person no guarantee" in definitions.NOISE
    assert "geo-indist" not in definitions.NOISE.lower()
    said = definitions.PERMUTATION
    assert "keeps its number of events in each window, and each person keeps their times" in said
    assert "the number of events at a place in an hour changes" in said
    assert "stay as they are" not in said


def test_it_is_said_if_only_options_without_records_serve_within_the_thresholds() -> None:
    step = Presence(FrameConfig(StatedPeriod(date(2024, 3, 4), 14)), 4, None, 0.5)
    counts = option("", 0.5, (step,), home=(0.1, 0.1, 0.1), membership=(0.0, 0.0, 0.0))
    by = criteria("outsider")
    risky, safe = (option("", 0.5, (Glove(20),), 20, outsider=(r, r, r)) for r in (0.5, 0.0))
    for other in (risky, safe):
        both = table(counts, other, risk="outsider")
        said = story.conclusion(both, story.dots(both, by, []), by)[0]
        assert (story.NO_RECORDS in said) is (other is risky), said


def test_dots_without_records_are_labelled_by_what_they_lack_and_the_best_by_kind() -> None:
    """By the draw that keeps least, flows fall below 0.1 of what even shares leave."""
    frame = FrameConfig(StatedPeriod(date(2024, 3, 4), 7))
    unasked = {"unicity": "no record"}
    best, lost, unsafe = (
        replace(
            option("", useful, (Synthesize(frame, epsilon),), membership=(0.0, 0.0, high)),
            unasked=unasked,
            least=least,
        )
        for useful, epsilon, high, least in (
            (0.6, 0.5, 0.0, {}),
            (0.59, 0.25, 0.0, {"flows": 0.09}),
            (0.58, 1.0, 0.9, {}),
        )
    )
    found = story.dots(table(best, lost, unsafe), criteria(membership=0.2), [])
    labels = ["synthetic people", "too little: flows", "fails: membership"]
    assert [dot.label for dot in found] == labels

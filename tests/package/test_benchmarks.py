"""Can the usual cases of the benchmarks be named?"""

from tests.benchmarks import run


def test_the_usual_cases_are_among_all() -> None:
    assert set(run.BY_DEFAULT) < set(run.CASES)
    assert {name.partition("_")[0] for name in run.CASES} >= {"kgap", "link", "reading"}

"""Does anybody wait for a compiler? Every study of data is in the warm-up, or has its reasons."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest

import fpanon_core.studies
from fpanon_core.studies import warming

COMPILED_WITH_OTHERS = {
    "count_tables": "compiled with options: the kernels of utility",
    "comparison": "compiled with hiding",
    "estimates": "compiled with what it estimates",
    "people_by_hexagon": "has nothing to compile",
    "recovery_factors": "compiled with recovery",
    "recovery_mitigations": "compiled with recovery",
}
"""Studies whose kernels the studies of the warm-up call with the same types."""


def studies_of_data() -> set[str]:
    found = set()
    for module in pkgutil.iter_modules(fpanon_core.studies.__path__):
        loaded = importlib.import_module(f"fpanon_core.studies.{module.name}")
        study = getattr(loaded, "study", None)
        if study is not None and next(iter(inspect.signature(study).parameters)) == "fs":
            found.add(module.name)
    return found


def test_every_study_of_data_is_compiled_before_it_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """None is run here: who would be, is noted."""
    asked, warmed = studies_of_data(), set()
    for name in asked:
        monkeypatch.setattr(
            f"fpanon_core.studies.{name}.study", lambda *_, name=name: warmed.add(name)
        )
    monkeypatch.setattr("fpanon_core.studies.followed.follow", lambda *_: None)
    warming.compile_all()
    listed = warmed | set(COMPILED_WITH_OTHERS)
    assert not asked - listed, (
        f"{sorted(asked - listed)}: add it to _STUDIES in studies/warming.py, or, if the warm-up "
        "compiles all that it calls, to COMPILED_WITH_OTHERS"
    )
    assert not set(COMPILED_WITH_OTHERS) - asked, "no study of data; take it out"
    assert not set(COMPILED_WITH_OTHERS) & warmed, "warmed up itself; take it out"

"""Kinds of answers that a study's file may hold, and the types of their values.

Nothing in a file names code to run. Every kind of answer is listed here. The types of its settings
and results follow from the declaration of the function that computes the answer.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from typing import Any, get_args, get_type_hints

from ..tables.folder import FolderFile, KeptFolder
from .questionnaires import Answers
from .reading import Source
from .study import Study

KINDS = {
    "measure": "anonymizability.study",
    "deepen": "anonymizability.study",
    "unicity": "unicity.study",
    "regions": "antenna_merging.study",
    "disclosure": "disclosure.study",
    "worked_example": "worked_example.study",
    "recovery": "recovery.study",
    "recovery_factors": "recovery_factors.study",
    "recovery_remedies": "recovery_mitigations.study",
    "counts_release": "counts_release.study",
    "glove": "hiding.study",
    "compare": "comparison.study",
    "options": "options.study",
    "as_it_is": "options.study",
    "look": "look.study",
    "attack": "attack.study",
    "relinked": "relinking.study",
    "followed": "followed.follow",
    "people": "people_by_hexagon.study",
}
"""The studies whose answers are kept, by kind of question."""

NOT_KEPT = {
    "produce_option",
    "produce_hidden",
    "produce_tables",
    "produce_people",
    "questionnaire",
    "peek",
    "weigh",
    "foretell",
    "shown_record",
    "shown_tables",
}
"""Kinds of answers that no file keeps.

A produced release comes with its pseudonym key, or spends its ε once. A questionnaire is identified
by its upload, and so is a file whose columns or size were asked for. An estimate holds for one
machine. The presentation computes one person's record and
exact counts again whenever it shows them.
"""

_NEVER = (Source, FolderFile, KeptFolder)  # what is read, and where from, no file says


@cache
def result_type(kind: str) -> Any:
    """Return the type of result of the study that answers questions of a kind."""
    return _hints(kind)["return"]


@cache
def types_kept() -> dict[str, type]:
    """Return every dataclass that may occur in a file, by its module and name."""
    found: dict[str, type] = {}
    roots = [Study, Answers]
    for kind in KINDS:
        hints = _hints(kind)
        roots += [hints["return"], *(h for name, h in hints.items() if name == "config")]
    waiting = [each for root in roots for each in _dataclasses(root)]
    while waiting:
        each = waiting.pop()
        name = name_of(each)
        if name not in found and each not in _NEVER:
            found[name] = each
            # A step may be a kind of the one declared, such as aligned of GLOVE.
            waiting += [k for k in each.__subclasses__() if k.__module__ == each.__module__]
            hints = hints_of(each)
            waiting += [one for f in fields(each) for one in _dataclasses(hints[f.name])]
    return found


def type_named(name: str) -> type:
    """Return the dataclass with a name from a file, even if its module was renamed since.

    Raises
    ------
    ValueError
        There is no such dataclass, or its own name without the module is ambiguous.
    """
    if (found := types_kept().get(name)) is None:
        bare = name.rpartition(".")[2]
        (found,) = (kind for kind in types_kept().values() if kind.__qualname__ == bare)
    return found


def name_of(kind: type) -> str:
    """Return a type's name in a file: the last part of its module, and its own name."""
    return f"{kind.__module__.rpartition('.')[2]}.{kind.__qualname__}"


@cache
def hints_of(kind: type) -> dict[str, Any]:
    """Return the declared types of a dataclass's fields."""
    return get_type_hints(kind)


@cache
def _hints(kind: str) -> dict[str, Any]:
    module, _, name = KINDS[kind].rpartition(".")
    return get_type_hints(getattr(import_module(f"{__package__}.{module}"), name))


def _dataclasses(hint: Any) -> Iterator[Any]:
    """Yield the dataclasses in a declaration."""
    if inspect.isclass(hint) and is_dataclass(hint):
        yield hint
    for inner in get_args(hint):
        yield from _dataclasses(inner)

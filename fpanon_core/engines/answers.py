"""What a child answers, as data and nothing else.

A child reads files that strangers made, so what it answers is not trusted to be more than data. A
pickle may name any function there is, and have it called; in these none is ever looked up. Whatever
is not a plain value, list or dictionary goes as a kind and its parts, of which each kind is built
here by name: arrays, tables and times by :mod:`.kinds`, and the dataclasses of fpanon_core, field
by field. What is of no known kind is refused on either side.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import importlib
import io
import pickle  # nosec B403 # unpickled by a reader that knows data types alone
import re
from types import NoneType
from typing import Any, NoReturn

from ..model.arrays import Cells
from ..model.fingerprints import FingerprintSet
from ..model.mapped import reopen
from .kinds import KIND_OF, OF_KIND

_PLAIN = frozenset(
    {NoneType, bool, int, float, str, bytes, bytearray, list, tuple, dict, set, frozenset}
    | {pickle.PickleBuffer}
)
# What protocol 5 writes of data: how many bytes follow; −n: a length of n bytes, then so many.
_STEPS = {
    getattr(pickle, name)[0]: follow
    for follow, names in {
        0: "MARK STOP POP POP_MARK NONE NEWTRUE NEWFALSE EMPTY_LIST APPEND APPENDS EMPTY_TUPLE "
        "TUPLE TUPLE1 TUPLE2 TUPLE3 EMPTY_DICT SETITEM SETITEMS EMPTY_SET ADDITEMS FROZENSET "
        "MEMOIZE BINPERSID",
        1: "PROTO BININT1 BINGET",
        2: "BININT2",
        4: "BININT LONG_BINGET",
        8: "BINFLOAT FRAME",
        -1: "LONG1 SHORT_BINUNICODE SHORT_BINBYTES",
        -4: "LONG4 BINUNICODE BINBYTES",
        -8: "BINUNICODE8 BINBYTES8 BYTEARRAY8",
    }.items()
    for name in names.split()
}
_ROOMS = frozenset(
    {"model", "io", "tables", "studies", "measures", "anonymize", "attacks", "verification"}
)
"""Of fpanon_core: where results are defined. Importing a module of these runs nothing."""


class NotDataError(TypeError):
    """Something in an answer is of no kind that may cross from a child."""


def packed(answer: object) -> bytes:
    """An answer as bytes.

    Raises
    ------
    NotDataError
        Part of it is not data.
    """
    body = io.BytesIO()
    _Telling(body, protocol=5).dump(answer)
    return body.getvalue()


def unpacked(body: bytes) -> Any:
    """The answer; none of the classes or functions that its bytes may name is looked up or called.

    Raises
    ------
    NotDataError, pickle.UnpicklingError, or what a constructor of a kind refuses
        The bytes are not what :func:`packed` makes.
    """
    _check_steps(body)
    return _Hearing(io.BytesIO(body)).load()


def _check_steps(body: bytes) -> None:
    """Refuse what :func:`packed` never writes, and lengths that reach beyond the bytes there are.

    A few bytes may else tell the reader to keep a place for billions of objects.
    """
    at, end = 0, len(body)
    while at < end:
        argument = _STEPS.get(body[at])
        if argument is None:
            raise NotDataError("a step of a pickle that no answer has")
        at += 1
        if argument < 0:  # a length of so many bytes, then as many as it says
            length = int.from_bytes(body[at : at - argument], "little")
            at += length - argument
        else:
            at += argument
    if at != end:
        raise NotDataError("a length beyond the end of the answer")


class _Telling(pickle.Pickler):
    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._told: dict[int, tuple[int, object]] = {}  # what stays here keeps its id to itself

    def persistent_id(self, obj: Any) -> tuple[Any, ...] | None:
        if type(obj) in _PLAIN:
            return None
        if id(obj) in self._told:
            return (self._told[id(obj)][0],)
        number = len(self._told)
        self._told[id(obj)] = number, obj
        return (number, *_parts(obj))


class _Hearing(pickle.Unpickler):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._heard: dict[int, object] = {}

    def find_class(self, module: str, name: str) -> NoReturn:
        raise NotDataError(f"a name, {module[:50]}.{name[:50]}, where there should be data")

    def persistent_load(self, pid: Any) -> object:
        number, *told = pid
        if told:
            kind, *parts = told
            made = _own(kind, *parts) if kind in _OWN else OF_KIND[kind](*parts)
            self._heard[number] = made
        return self._heard[number]


def _parts(obj: object) -> tuple[Any, ...]:
    """The kind of something, and its parts."""
    cls = type(obj)
    if isinstance(obj, FingerprintSet) and obj.folder is not None:
        return ("mapped", *obj.by_name)  # both look at one copy
    if cls in KIND_OF:
        kind, parts = KIND_OF[cls]
        return (kind, *parts(obj))
    if (name := _name(cls)) is not None:
        if isinstance(obj, enum.Enum):
            return ("member", name, obj.name)
        if "__dataclass_fields__" in vars(cls):
            return ("dataclass", name, obj.__getstate__() or {})
        if isinstance(obj, str) and hasattr(cls, "__getnewargs__"):
            return ("text", name, tuple(obj.__getnewargs__()))
    raise NotDataError(f"{cls.__module__}.{cls.__qualname__} may not cross from a child")


_OWN = frozenset({"member", "dataclass", "text", "mapped"})


def _own(kind: str, name: str, content: Any) -> object:
    """An object of a class of fpanon_core, or a set of fingerprints by the name of its folder."""
    if kind == "mapped":
        # A folder of numbers and texts, whoever names it.
        return reopen(FingerprintSet, name, content)
    cls: Any = _class(name)
    if kind == "member" and issubclass(cls, enum.Enum):
        return cls[content]
    if kind == "dataclass" and "__dataclass_fields__" in vars(cls):
        for kept in content.keys() - _kept(cls):
            # Something private that the class keeps beside its fields; nothing that it does.
            if not re.fullmatch("_[a-z][a-z0-9_]*", kept) or hasattr(cls, kept):
                raise NotDataError(f"{name} has no such field")
        made: Any = object.__new__(cls)
        made.__dict__.update(content)
        if isinstance(made, Cells):
            made.__post_init__()  # kernels trust offsets and lengths, also those of this process
        return made
    if kind == "text" and issubclass(cls, str):
        return cls(*content)
    raise NotDataError(f"{name} is no {kind}")


def _name(cls: type) -> str | None:
    """By which a class is told, if it is one of those that may cross."""
    package, *rest = cls.__module__.split(".")
    of_ours = package == "fpanon_core" and rest and rest[0] in _ROOMS
    return f"{cls.__module__}:{cls.__qualname__}" if of_ours else None


@functools.cache
def _class(name: str) -> type:
    module, _, qualified = name.partition(":")
    package, *rest = module.split(".")
    if package != "fpanon_core" or not rest or rest[0] not in _ROOMS:
        raise NotDataError(f"{name[:100]} is not of ours")
    cls = vars(importlib.import_module(module)).get(qualified)
    # Only where it is defined: not what the module has imported from elsewhere.
    if not isinstance(cls, type) or _name(cls) != name:
        raise NotDataError(f"{name[:100]} is no class")
    return cls


@functools.cache
def _kept(cls: Any) -> frozenset[str]:
    """What an object of the class keeps: its fields, and properties it has computed."""
    computed = {
        name
        for base in cls.__mro__
        for name, value in vars(base).items()
        if isinstance(value, functools.cached_property)
    }
    return frozenset({f.name for f in dataclasses.fields(cls)} | computed)

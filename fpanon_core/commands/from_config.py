"""Command-line options made from the names, types, defaults and docstrings of dataclass fields.

A command is a function of frozen configs and single values. :func:`command` makes options from all
their fields and builds the configs, which check the given values. :func:`asked` overrides a field
whose definition does not suit a command line.
"""

from __future__ import annotations

import inspect
import re
from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import partial, wraps
from itertools import product
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

from ..model.configs import StretchConfig
from ..model.errors import ConfigError
from ..model.profiles import GeneralizationProfile, parse_profile

_NAMED = inspect.Parameter.KEYWORD_ONLY
_USUAL = object()


@dataclass(frozen=True)
class Asked:
    """Overrides for the command-line option of a field.

    Attributes
    ----------
    names : tuple of str
        Names of the option; ``--the-field`` if there are none.
    help : str
        Help text; if empty, the docstrings' text.
    default : Any
        Default value; the field's own if not given.
    metavar : str or None
        Placeholder for the value in the help text.
    kind : Any
        Type of the value on the command line; the field's own when None.
    read : callable or None
        Function from the given value to the field's value.
    argument : bool
        Whether the field is a positional argument without a name.
    """

    names: tuple[str, ...] = ()
    help: str = ""
    default: Any = _USUAL
    metavar: str | None = None
    kind: Any = None
    read: Callable[[Any], Any] | None = None
    argument: bool = False


def asked(*names: str, **more: Any) -> Asked:
    """Return an :class:`Asked` with these names, and with ``more`` as its other attributes."""
    return Asked(names, **more)


Fields = Mapping[str, Asked | None]
"""Override for each field of a config, also of nested configs; None leaves the field out."""
_Made = Callable[[dict[str, Any]], Any]


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Turn a function into a command whose options are made from the function's parameters.

    A parameter may be a dataclass, perhaps ``Annotated`` with its :data:`Fields`; it gives options
    for all its fields. It may also be a single value, perhaps ``Annotated`` with its
    :class:`Asked`. Positional arguments come first. Help on a parameter or field in the command's
    docstring overrides the help in the dataclass's docstring.
    """
    hints = get_type_hints(function, include_extras=True)
    does, _, parameters = inspect.cleandoc(function.__doc__ or "").partition("\n\nParameters\n")
    options: list[inspect.Parameter] = []
    makers: dict[str, _Made] = {}
    for name, given in inspect.signature(function).parameters.items():
        some, makers[name] = _options(name, hints[name], given.default, {}, _described(parameters))
        options += some
    options.sort(key=lambda option: not _is_argument(option))

    @wraps(function)
    def called(**values: Any) -> None:
        function(**{name: make(values) for name, make in makers.items()})

    # Typer reads these; with the marks of wraps, it would find the command's own.
    del called.__wrapped__
    called.__doc__ = does
    called.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    called.__annotations__ = {option.name: option.annotation for option in options}
    return called


def _options(
    name: str, hint: Any, default: Any, wanted: Fields, told: Mapping[str, str]
) -> tuple[list[inspect.Parameter], _Made]:
    """Return a parameter's options, and the function that makes the parameter from their values."""
    kind, *marks = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    if is_dataclass(kind):
        return _of_fields(kind, {**wanted, **next(iter(marks), {})}, told)
    own = wanted.get(name) or next((mark for mark in marks if isinstance(mark, Asked)), Asked())
    if kind is typer.Context:
        return [inspect.Parameter(name, _NAMED, annotation=kind)], lambda values: values[name]
    default = default if own.default is _USUAL else own.default
    names = own.names or (f"--{name.replace('_', '-')}",)
    metavar, read = own.metavar, own.read
    if get_origin(kind) is Literal:
        kind, metavar = str, metavar or "|".join(get_args(kind))
    elif kind == tuple[int, ...] and read is None:
        kind, default = str, ",".join(map(str, default))
        read = partial(whole_numbers, option=names[0])
    elif kind == tuple[GeneralizationProfile, ...]:
        kind, default, read = list[str] | None, None, profiles_of
    said: dict[str, Any] = {"help": own.help or told.get(name), "metavar": metavar}
    mark = (
        typer.Argument(show_default=False, **said) if own.argument else typer.Option(*names, **said)
    )
    option = inspect.Parameter(
        name, _NAMED, default=default, annotation=Annotated[own.kind or kind, mark]
    )
    return [option], lambda values: values[name] if read is None else read(values[name])


def _of_fields(
    kind: Any, wanted: Fields, told: Mapping[str, str]
) -> tuple[list[inspect.Parameter], _Made]:
    """Return the options of a dataclass's fields, and the function that builds the dataclass."""
    if kind is StretchConfig:
        wanted, told = {**_EFFORT, **wanted}, {**_EFFORT_SAID, **told}
    hints = get_type_hints(kind, include_extras=True)
    docs = [inspect.cleandoc(each.__doc__ or "") for each in reversed(kind.__mro__)]
    own = [_described(doc.partition("\n\nAttributes\n")[2]) for doc in docs]
    told = dict(ChainMap(told, *reversed(own)))  # type: ignore[arg-type]
    options: list[inspect.Parameter] = []
    makers: dict[str, _Made] = {}
    for each in fields(kind):
        if not each.init or wanted.get(each.name, ...) is None:
            continue
        default = inspect.Parameter.empty if each.default is MISSING else each.default
        some, makers[each.name] = _options(each.name, hints[each.name], default, wanted, told)
        options += some

    def made(values: dict[str, Any]) -> Any:
        given = {name: make(values) for name, make in makers.items()}
        if kind is StretchConfig and given["w_time"] is None:
            given["w_time"] = 1 - given["w_space"]
        return kind(**given)

    return options, made


def _described(listed: str) -> dict[str, str]:
    """Return the text about each name in a docstring's list of attributes or parameters."""
    said: dict[str, str] = {}
    for names, text in re.findall(r"^(\w[\w, ]*)(?: :.*)?\n((?:    .*\n?)+)", listed, re.M):
        plain = re.sub(r'``"?|"``|:\w+:`|`', "", " ".join(text.split()))
        said |= dict.fromkeys(names.split(", "), re.sub(r"\bNone\b", "not given", plain))
    return said


def _is_argument(option: inspect.Parameter) -> bool:
    marks = getattr(option.annotation, "__metadata__", ())
    return any(isinstance(mark, typer.models.ArgumentInfo) for mark in marks)


# --- what several commands ask for ---------------------------------------------------------------

_EFFORT: Fields = {"w_time": asked(default=None, kind=float | None)}
_EFFORT_SAID = {
    "w_space": "Weight of space.",
    "w_time": "Weight of time; if not given, 1 minus the weight of space.",
    "max_time_min": "Stretch in time (minutes) at which the effort in time reaches its maximum.",
}
PROFILES = asked(
    "--profile",
    help="Generalize first, to a grid of METRES and windows of MINUTES, as in 2500:60. Lists, as "
    "in 500,1000,2000:60,120, mean every combination. The option may be repeated, or given in "
    "words, as in '2.5 km · 1 h'. Use h8:60 for hexagons of H3 resolution 8, a7:60 for clusters of "
    "about 7 antennas, and @district:60 for regions of the antenna table. A grid is laid so that "
    "people share their areas with many others; 2500e0n0:60 lays it from 0 m east and north of the "
    "projection's centre. Without a profile, the data are used as read.",
    metavar="METRES:MINUTES",
)
STRATEGY = asked(
    help="Which points are known: points drawn from the interactions or uniformly from the "
    "samples, the most visited places without times, or consecutive samples."
)


def whole_numbers(text: str, option: str) -> tuple[int, ...]:
    """Return the distinct whole numbers in a text such as ``"2,5,10"``, ascending.

    Raises
    ------
    ConfigError
        The text is not such a list; the message names the option.
    """
    try:
        return tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError:
        raise ConfigError(
            f"{option} {text!r} is not a list of whole numbers; give, for example, {option} 2,5,10."
        ) from None


def profiles_of(texts: list[str] | None) -> tuple[GeneralizationProfile, ...]:
    """Return the profiles that the options ``--profile`` state, in the order given.

    Examples
    --------
    >>> [each.code for each in profiles_of(["500,h8:60,120", "a7x60", "2500e0n0:60"])]
    ['500x60', '500x120', 'h8x60', 'h8x120', 'a7x60', '2500e0n0x60']
    """
    return tuple(parse_profile(each) for text in texts or [] for each in _combinations(text))


def _combinations(text: str) -> list[str]:
    """Return every combination in a text such as ``"500,1000:60,120"``; else the text alone."""
    spaces, colon, windows = text.partition(":")
    if not colon or "," not in text:
        return [text]
    pairs = product(spaces.split(","), windows.split(","))
    return [f"{space.strip()}:{window.strip()}" for space, window in pairs]

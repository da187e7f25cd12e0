"""Roles of columns recognized by their names, in the languages of operators' files."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from pathlib import Path

ROLES = ("user", "time", "lat", "lon", "antenna", "offset")

WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_RANK = {
    role: {name: rank for rank, name in enumerate(names.split())}
    for role, names in WORDS["known"].items()
}
_WEAK, _TOKENS, _NOT, _ELSE = (
    {role: set(words.split()) for role, words in WORDS[kind].items()}
    for kind in ("weak", "words", "not", "else")
)


def rank(name: object, role: str) -> float:
    """Return how well a name fits a role: 0 is best, and infinity means that it does not fit.

    0 … 999: the name is known for the role. 1000: it contains a word for the role. 2000: it is a
    weak name, which fits only if the content does.
    """
    key = normal(name)
    known = _RANK[role].get(key, _RANK[role].get(key.replace("_", "")))
    if known is not None:
        return known
    if key in _WEAK.get(role, ()):
        return 2000
    tokens = set(key.split("_"))
    if tokens & _TOKENS[role] and not tokens & _NOT[role]:
        return 1000
    return float("inf")


def is_known_name(name: object) -> bool:
    """Return whether the name fits some role."""
    return any(rank(name, role) < float("inf") for role in ROLES)


def says_something_else(name: object) -> bool:
    """Return whether a name, such as one for a track, place or speed, rules out the role user."""
    return bool(set(normal(name).split("_")) & _ELSE["user"])


def normal(name: object) -> str:
    """Return the name in lower case, without accents, its words joined by single underscores.

    For example, ``"User-ID"`` becomes ``"user_id"``.
    """
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(name))
    text = unicodedata.normalize("NFKD", text.casefold())
    text = "".join(c for c in text if not unicodedata.combining(c))
    return re.sub(r"\W+|_+", "_", text).strip("_")

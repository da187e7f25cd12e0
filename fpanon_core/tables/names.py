"""What a column's name says about its role, in the languages operators write their files in."""

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
    """How well a name fits a role: 0 is best, infinity does not fit.

    0 … 999 are names known for the role, 1000 those that contain a word of it, 2000 weak ones that
    fit only if the content does.
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
    """Whether a header may say this."""
    return any(rank(name, role) < float("inf") for role in ROLES)


def says_something_else(name: object) -> bool:
    """Whether a name tells that the column is not the user (a track, a place, a speed …)."""
    return bool(set(normal(name).split("_")) & _ELSE["user"])


def normal(name: object) -> str:
    """Lower case, no accents, words joined by single underscores: ``"User-ID"`` → ``"user_id"``."""
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(name))
    text = unicodedata.normalize("NFKD", text.casefold())
    text = "".join(c for c in text if not unicodedata.combining(c))
    return re.sub(r"\W+|_+", "_", text).strip("_")

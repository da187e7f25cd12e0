"""Are README and description, byte for byte, those that the stated facts make?

Both are made again with the templates of what writes releases, and compared. A template is not what
is verified: the facts are, against the data and the original (:mod:`.facts`). So nothing can stand
in either file that the facts do not decide.

Source: docs/science.md, “A release, as it leaves”.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ..model.data_package import data_package, described
from ..model.errors import ConfigError
from ..model.facts import ReleaseFacts
from ..model.release_page import README, sections
from ..model.version import __version__
from .faults import Faults

DESCRIPTION = "datapackage.json"
_VERSION = re.compile(r"\d{1,4}(\.\d{1,4}){1,3}")


def rebuilt(
    description: bytes, page: bytes | None, data_file: str, size: int, sha256: str, faults: Faults
) -> ReleaseFacts | None:
    """The facts that a release states; None, with a fault, where they cannot be read.

    Parameters
    ----------
    description, page : bytes
        ``datapackage.json`` and ``README.md`` as they lie there; None where there is no page.
    data_file : str
    size : int
        Of the data file, bytes.
    sha256 : str
        Of its bytes.
    faults : Faults
        Takes what differs, by name and without a word of the release's own.
    """
    try:
        plain = json.loads(description)
        ours = plain["fpanon"]
        version = ours["version"]
    except (ValueError, KeyError, TypeError, RecursionError):
        faults.add("description", f"{DESCRIPTION} does not describe one data file and its facts.")
        return None
    if version != __version__:
        _tell_version(version, faults)
        return None
    try:
        facts = ReleaseFacts.from_dict(ours)
    except ConfigError as fault:
        faults.add("facts", f"The facts in {DESCRIPTION} are none. {fault}")
        return None
    if description != described(facts, data_file, size, sha256):
        _tell_difference(plain, data_package(facts, data_file, size, sha256), faults)
    if page is not None:
        _check_page(page, sections(facts, data_file, sha256), faults)
    return facts


def _tell_version(version: Any, faults: Faults) -> None:
    by = version if isinstance(version, str) and _VERSION.fullmatch(version) else "another version"
    faults.add(
        "version",
        f"fpanon {by} wrote this release, and this is fpanon {__version__}. Verify it with the "
        "version that wrote it, or publish it anew.",
    )


def _tell_difference(found: Any, due: Mapping[str, Any], faults: Faults) -> None:
    """Say where a description is not the one that its facts make."""
    wrong = list(_differences(found, due, ""))
    for kind, where in wrong:
        if kind == "hash" and where.endswith(("bytes", "hash")):
            faults.add("hash", "The data file's size or hash is not the one in the description.")
        else:
            faults.add("description", f"{DESCRIPTION} {_WORDS.get(kind, '')}{where}.")
    if not wrong:
        faults.add(
            "description",
            f"{DESCRIPTION} says what it should, written otherwise: in its order, escapes, white "
            "space or numbers, or with a key twice.",
        )


_WORDS = {
    "unknown": "has a key that no release has, in ",
    "missing": "does not say ",
    "hash": "says something else of ",
}


def _differences(found: Any, due: Any, where: str) -> Any:
    """Kind and place of each difference; places are named by our own keys alone."""
    if isinstance(due, Mapping) and isinstance(found, Mapping):
        if set(found) - set(due):
            yield "unknown", where or "its first level"
        for key, value in due.items():
            place = f"{where}.{key}" if where else key
            if key in found:
                yield from _differences(found[key], value, place)
            else:
                yield "missing", place
    elif isinstance(due, list) and isinstance(found, list) and len(due) == len(found):
        for at, (one, other) in enumerate(zip(found, due, strict=True)):
            yield from _differences(one, other, f"{where}[{at}]")
    elif found != due or type(found) is not type(due):
        yield "hash", where


def _check_page(page: bytes, due: list[tuple[str, str]], faults: Faults) -> None:
    """Say which part of a page is not the one that the facts make."""
    whole = ("\n\n".join(text for _, text in due) + "\n").encode()
    if page == whole:
        return
    wrong = [head for head, text in due if page.count(text.encode()) != 1]
    parts = f" Not as it should be: {', '.join(wrong)}." if wrong else " Something is added to it."
    faults.add("page", f"{README} is not the page that the facts make.{parts}")

"""The documents of a release, byte for byte: README.md and datapackage.json.

README.md says what the release is, what a row means and what is promised. Its template is
``release_page.md.jinja``. Sentences that other texts share are in ``release_words.jinja``. This
module fills in both, and writes numbers as text.

datapackage.json describes every column with its type and unit. It is a Frictionless Data Package,
version 2, with one property of our own. Both documents depend only on the facts, the data file and
the version of fpanon, so that a verifier can make them again. They contain no user id and no path
of a folder, and do not say when they were made.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from .facts import ReleaseFacts
from .options import technique
from .periods import days_text
from .profiles import window_text
from .version import __version__

SCHEMA = "https://datapackage.org/profiles/2.0/datapackage.json"
MEDIA_TYPES = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}
_FIELDS: list[list[str]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)["fields"]
_DEGREES = ("lat_min", "lat_max", "lon_min", "lon_max")


def described(facts: ReleaseFacts, data_file: str, size: int, sha256: str) -> bytes:
    """Return the bytes of datapackage.json.

    Parameters
    ----------
    facts : ReleaseFacts
    data_file : str
        Name of the data file: ``data.csv`` or ``data.parquet``.
    size : int
        Size of the data file, bytes.
    sha256 : str
        SHA-256 of the data file, in hexadecimal.
    """
    plain = data_package(facts, data_file, size, sha256)
    return f"{json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False)}\n".encode()


def data_package(facts: ReleaseFacts, data_file: str, size: int, sha256: str) -> dict[str, Any]:
    """Return the content of datapackage.json as plain values."""
    form = data_file.rpartition(".")[2]
    name = re.sub("[^a-z0-9]+", "-", title(facts).lower()).strip("-")[:80].strip("-")
    resource: dict[str, Any] = {
        "name": "data",
        "path": data_file,
        "type": "table",
        "title": "Published samples",
        "description": f"A row for each published sample of each person. {truth(facts)}",
        "format": form,
        "mediatype": MEDIA_TYPES[form],
        "encoding": "utf-8",
        "bytes": size,
        "hash": f"sha256:{sha256}",
        "schema": {"fields": _fields(facts), "missingValues": [""]},
    }
    verified = {"passed": True, "k": facts.k, "text": verdict_text(facts), "sha256": sha256}
    return {
        "$schema": SCHEMA,
        "name": name,
        "title": title(facts),
        "description": f"{README} says what the release is, and what is promised.",
        "resources": [resource],
        "fpanon": {"version": __version__, **facts.to_dict(), "verified": verified},
    }


def columns_of(facts: ReleaseFacts) -> list[str]:
    """Return the columns of the data file, in order."""
    left_out = set(() if facts.crs is not None else _DEGREES)
    left_out |= set(() if facts.groups is not None else ("group",))
    return [name for name, *_ in _FIELDS if name not in left_out]


def _fields(facts: ReleaseFacts) -> list[dict[str, str]]:
    there, fields = set(columns_of(facts)), []
    for name, kind, head, unit, meaning in _FIELDS:
        if name not in there:
            continue
        if name == "pseudonym" and facts.period_days is not None:
            meaning = "Stands for one person in one period, in this release alone; random."
        if kind == "datetime":
            if facts.timezone is None:
                kind, unit = "number", "min since midnight of the first day"
            else:
                meaning = f"{meaning} Local time of {facts.timezone} with its offset from UTC."
        elif name.endswith("_m"):
            words = projection(facts.crs)
            meaning = f"{meaning} {words[0].upper()}{words[1:]}."
        entry = {"name": name, "type": kind, "title": head, "description": meaning}
        fields.append(entry | ({"unit": unit} if unit else {}))
    return fields


README = "README.md"
_ACTIVE = re.compile(r"([\\`*_\[\]<>!|#~$])")
_LAEA = re.compile(r"\+proj=laea \+lat_0=(\S+) \+lon_0=(\S+)")
_ONE_PARAGRAPH = re.compile(r"(?<!\n)\n(?!\n|- |#|`|\d+\. |$)")


def readme(facts: ReleaseFacts, data_file: str, sha256: str) -> str:
    """Return the text of README.md, in Markdown.

    Parameters
    ----------
    facts : ReleaseFacts
    data_file : str
        Name of the data file.
    sha256 : str
        SHA-256 of the data file, in hexadecimal.
    """
    techniques = [technique(step) for step in facts.option.steps]
    said = {"facts": facts, "data_file": data_file, "sha256": sha256, "techniques": techniques}
    page = _templates().get_template("release_page.md.jinja")
    return _ONE_PARAGRAPH.sub(" ", page.render(said))


def _said(what: str, facts: ReleaseFacts) -> str:
    """Return a sentence or two from ``release_words.jinja``."""
    text: str = getattr(_templates().get_template("release_words.jinja").module, what)(facts)
    return " ".join(text.split())


def templates_in(package: str, *, html: bool = False) -> Any:
    """Return the templates in the folder of a package; with ``html``, all text is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # slow; rarely needed

    return Environment(  # nosec B701 # Markdown or a terminal: ``plain`` makes words harmless
        loader=PackageLoader(package, "."),
        autoescape=html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


@cache
def _templates() -> Any:
    """Return the templates of the page, and of sentences that other texts also use."""
    made = templates_in(__package__ or "fpanon_core.model")
    made.filters |= {
        "count": count,
        "days": days_text,
        "part_of": _part_of,
        "percent": _percent,
        "plain": _plain,
        "technique": technique,
    }
    said = (alone, check_command, duration, length, projection, title, truth, verdict_text)
    made.globals |= {each.__name__: each for each in said}
    made.globals |= {"version": __version__, "window": window_text}
    return made


def title(facts: ReleaseFacts) -> str:
    """Return the title of a release, in one line."""
    return f"Mobility data: {facts.option.text}"


def truth(facts: ReleaseFacts) -> str:
    """Say how many rows are false presences: the person was never recorded in the row's cell."""
    return _said("truth", facts)


def alone(facts: ReleaseFacts) -> str:
    """Say how many people have unique records, in a release that promises no k-anonymous groups."""
    return _said("alone", facts)


def projection(crs: str | None) -> str:
    """Return the projection in words."""
    if crs is None:
        return "the positions were already in metres, on a projection that is not known"
    found = _LAEA.match(crs)
    if found is None:
        return f"projection {crs}"
    return (
        f"Lambert azimuthal equal-area projection around latitude {found[1]}, longitude {found[2]} "
        "(WGS 84)"
    )


def verdict_text(facts: ReleaseFacts) -> str:
    """Say what checking the written bytes found; a release that fails is not published."""
    return _said("verdict_text", facts)


def check_command(facts: ReleaseFacts) -> str:
    """Return the command that verifies a release against its original and its promise.

    A release does not show which samples are left out. If it promises groups of k and samples are
    left out, the command also needs the pseudonym key and the list of what was left out.
    """
    promise = "" if facts.k is None else f" --k {facts.k}"
    lost = " --key KEY --left-out LIST" if facts.k is not None and facts.samples_left_out else ""
    return f"python -m fpanon_core verify RELEASE RECORDS{promise}{lost}"


# --- numbers as text -----------------------------------------------------------------------------


def two_digits(value: float) -> str:
    """Return a number with two significant digits, never with an exponent.

    Examples
    --------
    >>> two_digits(343.2), two_digits(0.0123), two_digits(12_345)
    ('340', '0.012', '12,000')
    """
    return f"{Decimal(f'{value:.2g}'):,f}"


def length(metres: float) -> str:
    """Return a length as text, such as "350 m", "1.7 km"."""
    return f"{metres:,.0f} m" if metres < 1000 else f"{metres / 1000:,.4g} km"


def duration(minutes: float) -> str:
    """Return a duration as text, such as "35 min", "2.5 h", "5.2 days"."""
    if minutes < 60:
        return f"{minutes:.3g} min"
    return f"{minutes / 60:.3g} h" if minutes < 2880 else f"{minutes / 1440:.3g} days"


def _plain(text: object) -> str:
    """Escape names from the original's columns, so that Markdown does not interpret them."""
    return _ACTIVE.sub(r"\\\1", " ".join(str(text).split()))


def count(n: int, noun: str) -> str:
    """Return a number with its noun, such as "1 record" or "2,000 people"."""
    plural = {"person": "people"}.get(noun, f"{noun}s")
    return f"{n:,} {noun if n == 1 else plural}"


def listed(names: Sequence[str]) -> str:
    """Return names as a list in words, such as "a, b and c"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _part_of(number: int, of: int, what: str) -> str:
    """Return a share as text, such as "5% of the samples (50 of 1,000)"."""
    return f"{_percent(number / of if of else 0.0)} of the {what} ({number:,} of {of:,})"


def percent(share: float, whole: int = 1_000) -> str:
    """Return a percentage such as "0.6%", "31%", "99.8%" or "less than 0.1%".

    Tenths are given below 10% and above 90%, and only if ``whole`` is at least 200. A share of
    ``whole`` things is written as 0% or 100% only if it is exactly that.
    """
    value = 100 * share
    if 0 < value < 0.1:
        return "less than 0.1%"
    if 99.9 < value < 100:
        return "more than 99.9%"
    fine = (0 < value < 9.95 or 90.05 <= value < 100) and whole >= 200
    return f"{value:.1f}%" if fine else f"{value:.0f}%"


def _percent(share: float) -> str:
    """Return a percentage; never 0% for more than nothing, nor 100% for less than all."""
    if 0 < share < 0.0005:
        return "less than 0.1%"
    if 0.9995 <= share < 1:
        return "more than 99.9%"
    return f"{100 * share:.1f}".removesuffix(".0") + "%"

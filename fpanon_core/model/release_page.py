"""The one page that leaves with a release: what it is, what a row means, what is promised.

Pure text of the facts, so that a verifier can make it again: no date, no path, no id. The page is
``release_page.md.jinja``; here are the sentences that others say, too, and numbers in words.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from .facts import ReleaseFacts
from .options import technique
from .periods import days_text
from .profiles import window_text
from .version import __version__

README = "README.md"
_ACTIVE = re.compile(r"([\\`*_\[\]<>!|#~$])")
_LAEA = re.compile(r"\+proj=laea \+lat_0=(\S+) \+lon_0=(\S+)")
_ONE_PARAGRAPH = re.compile(r"(?<!\n)\n(?!\n|- |#|`|\d+\. |$)")


def readme(facts: ReleaseFacts, data_file: str, sha256: str) -> str:
    """The page, in Markdown.

    Parameters
    ----------
    facts : ReleaseFacts
    data_file : str
        Name of the data file.
    sha256 : str
        Of its bytes, in hexadecimal.
    """
    techniques = [technique(step) for step in facts.option.steps]
    said = {"facts": facts, "data_file": data_file, "sha256": sha256, "techniques": techniques}
    return _ONE_PARAGRAPH.sub(" ", _template().render(said))


def sections(page: str) -> dict[str, str]:
    """Each part of a page by its heading; what stands before the first is the title."""
    return {part.partition("\n")[0]: part for part in f"title\n{page}".split("\n\n## ")}


@cache
def _template() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # takes a while, and few ask

    made = Environment(  # Markdown: ``plain`` makes outside words harmless
        loader=PackageLoader(__package__ or "fpanon_core.model", "."),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {
        "count": _count,
        "days": days_text,
        "part_of": _part_of,
        "percent": _percent,
        "plain": _plain,
        "technique": technique,
    }
    made.globals |= {
        "alone": alone,
        "check_command": check_command,
        "duration": duration,
        "length": length,
        "projection": projection,
        "title": title,
        "truth": truth,
        "verdict_text": verdict_text,
        "version": __version__,
        "window": window_text,
    }
    return made.get_template("release_page.md.jinja")


def title(facts: ReleaseFacts) -> str:
    """A release in a line."""
    return f"Mobility data: {facts.option.text}"


def truth(facts: ReleaseFacts) -> str:
    """In how many rows the person was never recorded in the cell that the row names."""
    if facts.phantom_share is None:
        return "There are no rows."
    if facts.phantom_share == 0:
        return "In every row's cell the person was recorded at least once."
    untrue = _percent(facts.phantom_share).removesuffix(" %")
    return (
        f"In {untrue} of 100 rows the person was never recorded in that cell at that time. The "
        "release does not say which rows these are."
    )


def alone(facts: ReleaseFacts) -> str:
    """How many people have rows like nobody else's, in a release that promises no crowd."""
    if not facts.people_alone:
        return "Here, each record has the same rows as another one."
    whole = _count(facts.people, "person")
    if facts.pseudonyms is not None:  # a person has one in each period
        whole = _count(facts.pseudonyms, "pseudonym")
    return (
        f"{facts.people_alone:,} of the {whole} "
        f"{'has' if facts.people_alone == 1 else 'have'} rows that nobody else has. An attacker "
        "who knows enough of such a person finds all of them."
    )


def projection(crs: str | None) -> str:
    """The projection in words."""
    if crs is None:
        return "the positions came already in metres, and which projection they are on is not known"
    found = _LAEA.match(crs)
    if found is None:
        return f"projection {crs}"
    return (
        f"Lambert azimuthal equal-area projection around latitude {found[1]}, longitude {found[2]} "
        "(WGS 84)"
    )


def verdict_text(facts: ReleaseFacts) -> str:
    """What was found when the bytes were read back; a release that fails is not written."""
    if facts.k is None:
        return (
            "Verified: the files, figures and names are as stated. This release does not guarantee "
            "k-anonymity."
        )
    within = "" if facts.period_days is None else "in each period, "
    against = (
        "against the original records"
        if facts.against == "original"
        else "against the records as they were after the steps before the last"
    )
    return (
        f"Verified: {within}everyone published is one of at least {facts.k} people with the same "
        f"rows, checked {against}."
    )


def check_command(facts: ReleaseFacts) -> str:
    """What is typed to have a release held against its original and its promise.

    Where samples are left out, which ones is not to be seen in the release: it takes both files
    that are not for release.
    """
    promise = "" if facts.k is None else f" --k {facts.k}"
    lost = " --key KEY --left-out LIST" if facts.k is not None and facts.samples_left_out else ""
    return f"python -m fpanon_core verify RELEASE RECORDS{promise}{lost}"


# --- numbers in words ----------------------------------------------------------------------------


def length(metres: float) -> str:
    """Such as "350 m", "1.7 km"."""
    return f"{metres:,.0f} m" if metres < 1000 else f"{metres / 1000:,.4g} km"


def duration(minutes: float) -> str:
    """Such as "35 min", "2.5 h", "5.2 days"."""
    if minutes < 60:
        return f"{minutes:.3g} min"
    return f"{minutes / 60:.3g} h" if minutes < 2880 else f"{minutes / 1440:.3g} days"


def _plain(text: object) -> str:
    """A text that holds names of the original's columns, so that no reader's page acts on it."""
    return _ACTIVE.sub(r"\\\1", " ".join(str(text).split()))


def _count(n: int, noun: str) -> str:
    plural = {"person": "people"}.get(noun, f"{noun}s")
    return f"{n:,} {noun if n == 1 else plural}"


def _part_of(number: int, of: int, what: str) -> str:
    """Such as "5 % of the samples (50 of 1,000)"."""
    return f"{_percent(number / of if of else 0.0)} of the {what} ({number:,} of {of:,})"


def _percent(share: float) -> str:
    """Never 0 % of something, never 100 % of not all."""
    if 0 < share < 0.0005:
        return "less than 0.1 %"
    if 0.9995 <= share < 1:
        return "more than 99.9 %"
    return f"{100 * share:.1f}".removesuffix(".0") + " %"

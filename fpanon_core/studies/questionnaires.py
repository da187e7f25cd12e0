"""What did the experts answer? A questionnaire, read where the data are: in the child process.

It is a file that somebody brings, and is read like any other: within a budget, and never by the
process that serves everybody's pages.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ..engines.progress import Progress, tell
from ..io.questionnaire import DOMAINS, read_questionnaire
from ..io.samples import SYNTHETIC_QUESTIONNAIRE
from ..model.errors import SchemaError


@dataclass(frozen=True)
class Config:
    """Which questionnaire, and about what.

    Attributes
    ----------
    file : str
        Tells one file from another, without what is in it; "" is the synthetic example.
    options, domains : tuple of str
        Asked about; answers on others are set aside.
    """

    file: str = ""
    options: tuple[str, ...] = ()
    domains: tuple[str, ...] = DOMAINS


@dataclass(frozen=True, eq=False)
class Answers:
    """What a questionnaire says, or why it cannot be read.

    Attributes
    ----------
    used : DataFrame or None
        ``expert``, ``domain``, ``option``, ``score``; None where none can be used.
    rejected : DataFrame
        The rows that cannot be used: ``row``, ``reason`` and what stands in them.
    refused : str
        Why there is nothing to use.
    """

    used: pd.DataFrame | None
    rejected: pd.DataFrame
    refused: str = ""


def study(config: Config, content: bytes = b"", *, progress: Progress | None = None) -> Answers:
    """The answers in the bytes of a file, or of the synthetic example.

    Raises
    ------
    FpanonError
        As :func:`fpanon_core.read_questionnaire`, but for a file that is no questionnaire, which is
        an answer, too.
    """
    tell(progress, 0.0)
    source: Path | io.BytesIO = io.BytesIO(content) if config.file else SYNTHETIC_QUESTIONNAIRE
    try:
        used = read_questionnaire(source, options=config.options, domains=config.domains)
    except SchemaError as refusal:
        return Answers(None, pd.DataFrame(), refusal.message)
    rejected = used.attrs.pop("rejected")
    return Answers(used, rejected)


def scored(answers: Answers, domain: str, options: Iterable[str]) -> tuple[int, int, int]:
    """How many experts, scores, and options that nobody scored, in a domain."""
    assert answers.used is not None
    part = answers.used[answers.used["domain"] == domain]
    missing = set(options) - set(part["option"])
    return int(part["expert"].nunique()), len(part), len(missing)

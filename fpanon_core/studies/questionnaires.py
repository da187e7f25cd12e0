"""Answers of experts to a questionnaire, read in the child process that holds the data.

The file comes from a user and is untrusted. It is read within a budget, and never by the process
that serves the pages.
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
    """The questionnaire, and the options and domains of interest.

    Attributes
    ----------
    file : str
        Identifier of the file, not its content; "" for the synthetic example.
    options, domains : tuple of str
        Options and domains of interest; answers about others are set aside.
    """

    file: str = ""
    options: tuple[str, ...] = ()
    domains: tuple[str, ...] = DOMAINS


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers to a questionnaire, or the reason why there are none to use.

    Attributes
    ----------
    used : DataFrame or None
        ``expert``, ``domain``, ``option``, ``score``; None where there is nothing to use.
    rejected : DataFrame
        The rows that cannot be used: ``row``, ``reason`` and their content.
    refused : str
        Why there is nothing to use; empty where there is something.
    """

    used: pd.DataFrame | None
    rejected: pd.DataFrame
    refused: str = ""


def study(config: Config, content: bytes = b"", *, progress: Progress | None = None) -> Answers:
    """Read the answers in the bytes of a file, or in the synthetic example.

    Raises
    ------
    FpanonError
        As :func:`fpanon_core.read_questionnaire`, except that a SchemaError, for example for a file
        that is not a questionnaire, is not raised: its message is returned as ``refused``.
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
    """Return, for a domain, the numbers of experts, of scores, and of options without a score."""
    assert answers.used is not None
    part = answers.used[answers.used["domain"] == domain]
    missing = set(options) - set(part["option"])
    return int(part["expert"].nunique()), len(part), len(missing)

"""Sentences and files of the report's page; pure functions."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pandas as pd

from fpanon_core.io.ledger import Ledger, Spent
from fpanon_core.studies.recipe import Decision, Recipe
from fpanon_core.studies.report import SessionRelease
from fpanon_core.studies.report_words import describe_elsewhere, listed
from fpanon_core.studies.study import Weighing
from pages.charts import words
from pages.charts.plain import plain

NOTHING_YET = (
    "Nothing has been weighed for these data yet. A report says which options were tried, which "
    "was chosen and why, so weigh the options first."
)
NOTHING_MORE = (
    "**There is nothing more to fill in.** Print the report. Whether to sign it is your judgement."
)
IF_LITTLE = "Choose another option, or say in the reason why this is enough."
NONE_TO_PRODUCE = "Choose an option on *Release options* to have its release made."
OPENS = (
    "The report is one file, which opens without a network and prints on A4. The file holds "
    "figures about everyone together, and what you write under *Question, reason, names*. The "
    "report shows no single person and no file name. The recipe holds the options, measures, "
    "thresholds, seed, question, choice and reason, but not who signs. With the recipe and the "
    "data, the command `fpanon options` gives the same numbers (with `--recipe`). You can also "
    "open the recipe on *Release options*."
)


def doubtful(*, remote: bool, machines: bool) -> list[str]:
    """Return the report's warnings of doubtful data; they name no place and no pseudonym."""
    far = "Some places lie so far from all others that a coordinate is probably wrong."
    alike = "Some ids are recorded day and night alike, as machines and test phones are."
    return [far] * remote + [alike] * machines


def to_do(weighed: Weighing, decision: Decision, *, made: bool, little: str = "") -> str:
    """Say what is left to do before signing.

    ``made`` says whether the release exists. ``little`` is a sentence on what its file keeps too
    little of, or "".
    """
    if not (weighed.stands or weighed.refused):
        return ""
    lacks = {"give the reason": decision.why, "name who signs": decision.signer}
    lacks["state until when the decision holds"] = decision.until
    left = [what for what, stated in lacks.items() if not stated]
    told = [f"{listed(left)} (*Question, reason, names*)"] if left else []
    told += ["make the release, at the end of this page"] if weighed.stands and not made else []
    little = f"{little} {IF_LITTLE}" if little else ""
    if not told:
        return little or NOTHING_MORE
    return f"**Before you sign**, {'; '.join(told)}. {little}".rstrip()


def missing(weighed: Weighing, *, untried: bool, otherwise: bool) -> list[str]:
    """Say what was not fully weighed or decided.

    ``untried`` says whether the search has options left, ``otherwise`` whether a decision was made
    only for another purpose, recipient or areas.
    """
    told = []
    if weighed.waiting:
        told.append(
            f"{words.count(weighed.waiting, 'option')} {words.were(weighed.waiting)} not weighed "
            f"in time: the report omits {words.them(weighed.waiting)}."
        )
    if weighed.chosen and not weighed.stands:
        told.append(
            f"The chosen option, {plain(weighed.chosen)}, is not among the options weighed now: "
            "the report says that none is chosen."
        )
    elif weighed.chosen is None:
        told.append("Decide on *Release options*: choose an option, or release nothing.")
        if otherwise:
            told.append("Your earlier decision was for another purpose, recipient or set of areas.")
    if untried:
        told.append("The search has not tried every option: you can continue it on Overview.")
    return told


def recipe(made: Recipe) -> bytes:
    """Return the bytes of a recipe's file."""
    return f"{json.dumps(made.to_dict(), ensure_ascii=False, indent=1)}\n".encode()


def made(releases: Sequence[SessionRelease]) -> pd.DataFrame:
    """Return the releases that the session has made about these people, one row each."""
    return pd.DataFrame(releases, columns=["Release", "First shown", "People also here", "SHA-256"])


def ledger(book: Ledger) -> pd.DataFrame:
    """Return the private releases of this file, one row each."""
    lines = book.to_frame()
    return pd.DataFrame(
        {
            "When": pd.to_datetime(lines["time"]).dt.strftime("%Y-%m-%d %H:%M UTC"),
            "Release": lines["what"],
            "ε": lines["epsilon"],
            "ε in all": lines["spent"],
            "Why past the budget": lines["reason"].fillna(""),
        }
    )


def spent(book: Ledger, spent: Spent) -> str:
    """Say how much ε is spent and left for this file, and how much other ledgers hold."""
    left = (
        "no budget is stated" if book.left is None else f"{book.left:g} of {book.budget:g} is left"
    )
    return (
        f"For this file, ε = {book.spent:g} is spent; {left}. {describe_elsewhere(spent)} The ε "
        "values of all private releases about the same people add up. The ledger only grows, and "
        "every altered line is detected."
    )

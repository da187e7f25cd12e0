"""Reading of experts' questionnaires on release options (Noriega Campero 2015, 5.1).

A questionnaire is a table with one row per answer: expert, domain, option, and a score from 0 (no
utility) to 10 (high utility). Every row is used, or reported with the reason why it is not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..model.checks import whole
from ..model.errors import ConfigError, SchemaError, only_ours
from ..model.options import as_option, name_key
from ..model.profiles import AntennaClusters, GeneralizationProfile, Regions, Space
from ..tables.leaving import restored
from ..tables.names import normal
from ..tables.sources import read_source
from ..tables.table import SourceTable, missing_in, numbers_of, text_of
from ..tables.writing import write_table

COLUMNS = ("expert", "domain", "option", "score")
DOMAINS = ("transport", "epidemics")

MALFORMED = "a different number of fields from the other rows"
MISSING = {name: f"no {name}" for name in COLUMNS}
NO_NUMBER = "the score is not a number"
OUTSIDE = "the score is not between 0 and 10"
UNKNOWN_DOMAIN = "unknown domain"
UNKNOWN_OPTION = "unknown option"
DUPLICATE = "the expert has scored this option in this domain already"


@only_ours("questionnaire")
def read_questionnaire(
    source: Any, *, options: Iterable[Any] | None = None, domains: Iterable[str] | None = None
) -> pd.DataFrame:
    """Read the experts' answers.

    Parameters
    ----------
    source : path, file object or DataFrame
        CSV, XLSX or Parquet, as for :func:`fpanon_core.read_cdr`. It has the columns ``expert``,
        ``domain``, ``option`` and ``score`` in any order, in upper or lower case; other columns are
        ignored.
    options : iterable, optional
        Options in the questionnaire, by name or as :func:`fpanon_core.as_option` accepts them;
        answers on others are set aside. Case and extra spaces do not matter.
    domains : iterable of str, optional
        Domains in the questionnaire; answers on others are set aside, too.

    Returns
    -------
    DataFrame
        The usable rows: ``expert``, ``domain``, ``option`` (text), ``score`` (0 … 10).
        ``attrs["rejected"]`` is a DataFrame of the other rows: ``row``, ``reason``, and the four
        fields, which a malformed row lacks. ``row`` is the number in the source; in a text file or
        sheet, the header is row 1. If an answer is given twice, the first is used.

    Raises
    ------
    SchemaError
        The source cannot be read, a column is missing, or no row can be used.
    ConfigError
        The source is of an unsupported type, or an option is invalid.

    Examples
    --------
    >>> answers = pd.DataFrame({"Expert": ["A", "B"], "Domain": ["transport"] * 2,
    ...                         "Option": ["1 km", "1 km"], "Score": [7, 11]})
    >>> used = read_questionnaire(answers)
    >>> used.score.tolist(), used.attrs["rejected"].reason.tolist()
    ([7.0], ['the score is not between 0 and 10'])
    """
    table = _with_header(read_source(source)[0])
    at = _columns(table)
    texts = {name: text_of(table.columns[at[name]]) for name in COLUMNS}
    frame = pd.DataFrame({name: each.to_pandas() for name, each in texts.items()}, dtype=object)
    # As asked: the template puts an apostrophe before a text that a spreadsheet would run.
    frame = frame.map(restored, na_action="ignore")
    score = numbers_of(table.columns[at["score"]])
    rules = {MISSING[name]: missing_in(values) for name, values in texts.items()}
    rules |= {NO_NUMBER: np.isnan(score), OUTSIDE: (score < 0) | (score > 10)}
    asked = None if options is None else [_name(option) for option in options]
    for name, known, why in (
        ("domain", None if domains is None else list(domains), UNKNOWN_DOMAIN),
        ("option", asked, UNKNOWN_OPTION),
    ):
        if known is not None:
            spelt = {name_key(each): each for each in known}
            found = frame[name].map(lambda text, spelt=spelt: spelt.get(name_key(text)))
            rules[why] = found.isna().to_numpy()
            frame[name] = found.where(found.notna(), frame[name])
    keys = frame[["expert", "domain", "option"]].apply(lambda column: column.map(name_key))
    reason = np.select(list(rules.values()), list(rules), "").astype(object)
    used = reason == ""
    used[used] = ~keys[used].duplicated().to_numpy()
    reason[~used & (reason == "")] = DUPLICATE
    rejected = _rejected(table, frame, reason)
    if not used.any():
        first = rejected["reason"].iloc[0]
        raise SchemaError(
            f"None of the {len(rejected)} rows of the questionnaire can be used (the first: "
            f"{first}); give an expert, a domain, an option and a score from 0 to 10 in each."
        )
    out: pd.DataFrame = frame[used].reset_index(drop=True).assign(score=score[used])
    out.attrs["rejected"] = rejected
    return out


def questionnaire_template(
    options: Iterable[Any],
    domains: Sequence[str] = DOMAINS,
    experts: Sequence[str] = ("Expert 1", "Expert 2", "Expert 3"),
) -> pd.DataFrame:
    """Return an empty questionnaire: one row per expert, domain and option, without scores.

    Parameters
    ----------
    options : iterable
        Names, or options as :func:`fpanon_core.as_option` accepts them.
    domains, experts : sequence of str

    Returns
    -------
    DataFrame
        ``expert``, ``domain``, ``option``, ``score`` (NaN).

    Raises
    ------
    ConfigError
        There is no option, no domain or no expert, or an option is invalid.

    Examples
    --------
    >>> questionnaire_template(["1 km"], ["transport"], ["A", "B"]).expert.tolist()
    ['A', 'B']
    """
    names = [_name(option) for option in options]
    rows = [(e, d, o, np.nan) for e in experts for d in domains for o in names]
    if not rows:
        raise ConfigError("A questionnaire needs an option, a domain and an expert.")
    return pd.DataFrame(rows, columns=list(COLUMNS))


# --- the synthetic example -----------------------------------------------------------------------

_LOSS = {"transport": (0.30, 0.55), "epidemics": (0.55, 0.18)}
"""Rates at which utility falls with each coarser step in space and in time; all are invented."""


def synthetic_questionnaire(*, experts: int = 10, seed: int = 0) -> pd.DataFrame:
    """Return invented answers on the invented sample's 3 × 4 options; they prove nothing.

    The score is based on ``10 · exp(−a·i − b·j)``. Here i numbers the kinds of area and j the
    time windows, from 0 in order of coarseness. The factors a and b are invented for each domain:
    transport suffers from coarse times, epidemics from coarse places. The score is multiplied by a
    random factor for each expert and domain. A normal error with a standard deviation of one point
    is added. The sum is rounded to whole points from 0 to 10.

    Parameters
    ----------
    experts : int
    seed : int

    Returns
    -------
    DataFrame
        ``expert``, ``domain``, ``option``, ``score``.

    Examples
    --------
    >>> len(synthetic_questionnaire(experts=1))
    24
    """
    rng = np.random.default_rng(whole("seed", seed, 0))
    spaces: tuple[Space, ...] = (AntennaClusters(1), Regions("municipality"), Regions("district"))
    rows = []
    for number in range(1, whole("experts", experts, 1) + 1):
        for domain, (a, b) in _LOSS.items():
            factor = rng.normal(1.0, 0.1)
            for i, space in enumerate(spaces):
                for j, minutes in enumerate((60, 360, 720, 10_080)):
                    score = 10 * factor * np.exp(-a * i - b * j) + rng.normal()
                    option = str(GeneralizationProfile(space, minutes))
                    points = int(np.clip(np.rint(score), 0, 10))
                    rows.append((f"synthetic expert {number}", domain, option, points))
    return pd.DataFrame(rows, columns=list(COLUMNS))


# --- reading -------------------------------------------------------------------------------------


def _name(option: Any) -> str:
    return option if isinstance(option, str) else as_option(option).name


def _with_header(table: SourceTable) -> SourceTable:
    """Use the first row as column names if it holds the names but was read as an answer."""
    if table.named or table.n_rows < 2:
        return table
    first = [str(text_of(column)[0].as_py()) for column in table.columns]
    if not set(COLUMNS) <= {normal(name) for name in first}:
        return table
    return replace(
        table,
        labels=tuple(first),
        columns=tuple(column.slice(1) for column in table.columns),
        first_row=table.first_row + 1,
        malformed=table.malformed - 1,
        numbers=None if table.numbers is None else table.numbers[1:],
    )


def _columns(table: SourceTable) -> dict[str, int]:
    names = [normal(label) for label in table.labels]
    for name in COLUMNS:
        if name not in names:
            raise SchemaError(
                f"The questionnaire has no column {name!r}. Columns: {table.names()}. Give the "
                "columns expert, domain, option and score."
            )
    return {name: names.index(name) for name in COLUMNS}


def _rejected(table: SourceTable, frame: pd.DataFrame, reason: Any) -> pd.DataFrame:
    rows = np.flatnonzero(reason != "")
    out = frame.iloc[rows].reset_index(drop=True)
    out.insert(0, "reason", reason[rows])
    out.insert(0, "row", table.row_numbers(rows))
    lost = pd.DataFrame({"row": table.malformed_numbers(), "reason": MALFORMED})
    both = pd.concat([out, lost], ignore_index=True) if len(lost) else out
    return both.sort_values("row", kind="stable", ignore_index=True)


if __name__ == "__main__":  # make sample-data
    write_table([synthetic_questionnaire()], sys.argv[1])

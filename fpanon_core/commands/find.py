"""``find``: search for a release that serves a purpose within the thresholds."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Annotated

from ..model.options import ReleaseOption
from ..model.profiles import StatedAreas, as_areas
from ..model.purpose import LEVELS, PURPOSES, RECIPIENTS, Recipient, as_purpose
from ..studies import report_words as w
from ..studies.advice import LADDER, advise, describe_advice, describe_promise, ladder_table
from ..studies.exploration import Exploration, as_it_is
from ..studies.presets import purpose_areas
from ..studies.search import SECONDS, SKIPPED, SearchedTable, find_release
from ..tables.writing import write_json, write_table
from .from_config import Fields, asked, command
from .options import figures_beside
from .run import Run, table_text

_ASKED: Fields = {
    "kind": asked("--recipient", default="anyone", metavar="|".join(RECIPIENTS)),
    **dict.fromkeys(("controls", "motive", "sensitivity"), asked(metavar="|".join(LEVELS))),
}
_NAMED = 5


def _stated(areas: str | None) -> StatedAreas:
    """Return the stated areas: a number of metres or the name of a column."""
    with suppress(ValueError):
        return None if areas is None else float(areas)
    return areas


@command
def find(
    *,
    purpose: Annotated[str, asked(metavar="|".join(PURPOSES))] = "transport",
    recipient: Annotated[Recipient, _ASKED],
    areas: Annotated[StatedAreas, asked(kind=str | None, read=_stated)] = None,
    seconds: float = SECONDS,
    run: Run,
) -> None:
    """Search all kinds of release for the least revealing one that serves a purpose.

    Parameters
    ----------
    purpose : str
        Purpose of the release.
    kind : str
        Recipient of the release: anyone, named people under contract, or people in a secure
        room.
    controls : str or None
        Only for a contract or a room: how well the recipient guards the data. Low if not given;
        high in a secure room.
    motive : str or None
        Only for a contract or a room: how strongly the recipient may want to attack. High if not
        given.
    sensitivity : str
        Sensitivity of the data. Location records are highly sensitive.
    areas : float or str or None
        Areas in which density and flows are compared: the side of squares in metres, or a column of
        the antenna table that names regions. If not given, squares have sides of 5 km for travel
        and 1 km for other purposes, if these suit the extent of the data.
    seconds : float
        Time for the search, seconds.
    out : Path or None
        Write one row per option tried (.csv, .parquet), and all figures to a .json file beside it,
        which fpanon report reads.
    """
    run.read()
    areas = areas or purpose_areas(run.fs, purpose)
    sought = replace(as_purpose(purpose), areas=as_areas(areas))
    table: SearchedTable = run.ask("the search", find_release, sought, recipient, seconds=seconds)
    run.write_tables(table)
    advice = advise(table)
    if run.out is not None:
        raw = run.ask("the data as they are", as_it_is, table)
        facts = run.wanted.facts(run.report)
        kept = Exploration(table, raw, facts, table.limits, recipient, areas, len(table.untried))
        beside = figures_beside(run.out)
        write_json(kept.to_dict(), beside)
        write_table([table.to_frame()], run.out)
        run.written.append(f"Options written to {run.out}, and all figures to {beside}.")
    found = table.least_revealing
    figures = {
        "purpose": sought.name,
        "recipient": recipient.sentence,
        "recommended": found.option.name if found is not None and table.serves else None,
        "untried": [option.name for option in table.untried],
        "skipped": [option.name for option in table.skipped],
        "advice": advice,
        "options": table.to_frame(),
    }
    run.end(
        figures,
        f"{sought.title}. {recipient.sentence}",
        _recommended(table),
        w.areas(table),
        table_text(list(LADDER), ladder_table(table, table.limits).to_numpy().tolist()),
        *describe_advice(advice),
        _listed("Not tried, as time ran out", table.untried, " Give more --seconds."),
        _listed(SKIPPED, table.skipped),
    )


def _recommended(table: SearchedTable) -> str:
    """Return the recommendation and its cost compared with the most useful option."""
    found, best = table.least_revealing, table.best
    tried = f"{len(table.results):,} options tried"
    if found is None or best is None:
        return f"{tried}; none is within the thresholds."
    what = "Recommended" if table.serves else "None serves the purpose. The best option"
    told = f"{tried}. {what}: {found.option.name}, utility "
    told += f"{w.describe_utility(table.choice, found)}."
    if best is not found:
        told += f" The most useful is {best.option.name}, {table.choice.of(best):.2f}."
    return " ".join(filter(None, (told, describe_promise(found))))


def _listed(why: str, options: tuple[ReleaseOption, ...], then: str = "") -> str:
    """Say why these options were not tried; return "" for none."""
    if not options:
        return ""
    named = "; ".join(option.name for option in options[:_NAMED])
    more = len(options) - _NAMED
    rest = f"; {more:,} more" if more > 0 else ""
    return f"{why}: {named}{rest}.{then}"

"""``report``: what was decided, on what evidence? One page to sign, and the recipe beside it."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from ..model.errors import ConfigError
from ..studies import report as reports
from ..studies.exploration import Exploration, same_data
from ..studies.judgement import Limits
from ..studies.option_result import FIGURES
from ..studies.recipe import Decision, Recipe
from ..tables.writing import read_json, write_bytes, write_json
from .from_config import Fields, asked, command

_NAMES = {"chosen": ("--choose",), "why": ("--because",)}
_DECISION: Fields = {  # what is not given is left to the recipe
    each.name: asked(*_NAMES.get(each.name, ()), default=None, kind=str | None)
    for each in fields(Decision)
}


@command
def report(
    options: Annotated[Path, asked(argument=True)],
    out: Path,
    decided: Annotated[Decision, _DECISION],
    limit: Annotated[list[str] | None, asked(metavar="MEASURE=LIMIT")] = None,
    recipe: Path | None = None,
) -> None:
    """One page to sign: the verdict, the forms considered, the choice and what it costs.

    For example: fpanon report options.json --choose "5 km · 6 h" --because "..." --out report.html

    Parameters
    ----------
    options : Path
        The .json that options --out wrote beside its table.
    out : Path
        The report, .html; its recipe is written beside it.
    question : str or None
        What was to be decided.
    chosen : str or None
        The option chosen, by its name in the table of options.
    why : str or None
        Why that one.
    signer : str or None
        Who signs; not in the recipe.
    data_name : str or None
        What the data are called; no file's name is taken.
    limit : list of str or None
        A limit of your own, as in outsider=0.1, home=0.02, em=12; inf for none; may be given
        several times. Those of the options' file if not given.
    recipe : Path or None
        A report's recipe: its measures, limits, question, choice and reason, where nothing else is
        given here.
    """
    if out.suffix.lower() != ".html":
        raise ConfigError(f"The report's name ends in {out.suffix!r}; end it in .html.")
    beside = out.with_name(f"{out.stem}.recipe.json")
    if options.resolve() in (out.resolve(), beside.resolve()):
        raise ConfigError("The report would write over the options; give --out another name.")
    known = None if recipe is None else read_recipe(recipe)
    exploration = Exploration.from_dict(read_json(options))
    if known is not None:
        exploration = _by_recipe(exploration, known)
    limits = Limits({**exploration.limits.of, **_limits(limit or [])})
    given = {name: text for name, text in asdict(decided).items() if text is not None}
    decision = replace(Decision() if known is None else known.decision, **given)
    made = reports.report(
        replace(exploration, limits=limits), decision, made_on=date.today().isoformat()
    )
    write_bytes(reports.page(made).encode(), out)
    write_json(made.recipe.to_dict(), beside)
    for each in made.verdict:
        typer.echo("\n  ".join([each.head, *each.over]))
    typer.echo(f"Report written to {out}, and its recipe to {beside}.")


def read_recipe(path: Path) -> Recipe:
    """The recipe in a file.

    Raises
    ------
    SchemaError
        The file is missing, no recipe, damaged, or of another kind.
    """
    return Recipe.from_dict(read_json(path))


def warn_of_recipe(recipe: Recipe, digest: str) -> None:
    """Say why the numbers may be others than those that the recipe was written for."""
    why = []
    if not same_data(recipe.digest, digest):
        why.append(
            "these are other data than the recipe's, or the same read otherwise, or the recipe was "
            "written on another machine, whose data are not known here"
        )
    if recipe.figures != FIGURES:
        why.append(f"the recipe is of fpanon {recipe.version[:20]}, which measured otherwise")
    for each in why:
        typer.echo(f"Warning: {each}; figures may differ.", err=True)


def _by_recipe(exploration: Exploration, recipe: Recipe) -> Exploration:
    """The options by the recipe's measures and limits."""
    if exploration.table.config != recipe.knowledge:
        raise ConfigError(
            "The options were measured with other knowledge or another seed than the recipe's; run "
            "options DATA --recipe first, and report on what it writes."
        )
    warn_of_recipe(recipe, exploration.table.digest)
    table = exploration.table.with_choice(recipe.risk, recipe.utility)
    return replace(exploration, table=table, limits=recipe.limits)


def _limits(texts: list[str]) -> dict[str, float | None]:
    """By measure, as the option says them."""
    found: dict[str, float | None] = {}
    for text in texts:
        name, _, number = text.partition("=")
        try:
            found[name.strip()] = float(number)
        except ValueError:
            raise ConfigError(
                f"--limit {text!r} is no limit; give for example outsider=0.1."
            ) from None
    return found

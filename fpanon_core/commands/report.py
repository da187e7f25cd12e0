"""``report``: what was decided, on what evidence? One page to sign."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from ..model.errors import ConfigError
from ..studies.exploration import Exploration
from ..studies.judgement import Limits
from ..studies.recipe import Decision, Recipe
from ..studies.report import page
from ..studies.report import report as study
from ..tables.writing import read_json, write_bytes, write_json
from . import recipes


def report(
    options: Annotated[
        Path,
        typer.Argument(
            help="The .json that options --out wrote beside its table.", show_default=False
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", help="The report, .html; its recipe is written beside it.")
    ],
    choose: Annotated[
        str | None,
        typer.Option("--choose", help="The option chosen, by its name in the table of options."),
    ] = None,
    because: Annotated[str | None, typer.Option("--because", help="Why that one.")] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            "--limit",
            help="A limit of your own, as in outsider=0.1, home=0.02, em=12; inf for none; may be "
            "given several times. Those of the options' file if not given.",
            metavar="MEASURE=LIMIT",
        ),
    ] = None,
    question: Annotated[
        str | None, typer.Option("--question", help="What was to be decided.")
    ] = None,
    data_name: Annotated[
        str | None,
        typer.Option("--data-name", help="What the data are called; no file's name is taken."),
    ] = None,
    signer: Annotated[
        str | None, typer.Option("--signer", help="Who signs; not in the recipe.")
    ] = None,
    recipe: Annotated[
        Path | None,
        typer.Option(
            "--recipe",
            help="A report's recipe: its measures, limits, question, choice and reason, where "
            "nothing else is given here.",
        ),
    ] = None,
) -> None:
    """One page to sign: the verdict, the forms considered, the choice and what it costs.

    For example: fpanon report options.json --choose "5 km · 6 h" --because "..." --out report.html
    """
    beside = _beside(out)
    if out.resolve() == options.resolve() or beside.resolve() == options.resolve():
        raise ConfigError("The report would write over the options; give --out another name.")
    known = None if recipe is None else recipes.read(recipe)
    exploration = Exploration.from_dict(read_json(options))
    if known is not None:
        exploration = _by_recipe(exploration, known)
    limits = Limits({**exploration.limits.of, **_limits(limit or [])})
    given = {
        "question": question,
        "chosen": choose,
        "why": because,
        "data_name": data_name,
        "signer": signer,
    }
    decision = replace(
        Decision() if known is None else known.decision,
        **{name: text for name, text in given.items() if text is not None},
    )
    made = study(replace(exploration, limits=limits), decision, made_on=date.today().isoformat())
    write_bytes(page(made).encode(), out)
    write_json(made.recipe.to_dict(), beside)
    for each in made.verdict:
        typer.echo(each.head)
        for text in each.over:
            typer.echo(f"  {text}")
    typer.echo(f"Report written to {out}, and its recipe to {beside}.")


def _beside(out: Path) -> Path:
    """Where the recipe goes: report.html, report.recipe.json."""
    if out.suffix.lower() != ".html":
        raise ConfigError(f"The report's name ends in {out.suffix!r}; end it in .html.")
    return out.with_name(f"{out.stem}.recipe.json")


def _by_recipe(exploration: Exploration, recipe: Recipe) -> Exploration:
    """The options by the recipe's measures and limits."""
    if exploration.table.config != recipe.knowledge:
        raise ConfigError(
            "The options were measured with other knowledge or another seed than the recipe's; run "
            "options DATA --recipe first, and report on what it writes."
        )
    recipes.warn(recipe, exploration.table.digest)
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

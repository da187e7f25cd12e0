"""Recipes on the command line: read, held against the data, and alone to say what they say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import typer

from ..model.errors import ConfigError
from ..studies.exploration import same_data
from ..studies.option_result import FIGURES
from ..studies.recipe import Recipe
from ..tables.writing import read_json


def read(path: Path) -> Recipe:
    """The recipe in a file.

    Raises
    ------
    SchemaError
        The file is missing, no recipe, damaged, or of another kind.
    """
    return Recipe.from_dict(read_json(path))


def check_alone(context: typer.Context, options: Mapping[str, str]) -> None:
    """Refuse what is given beside a recipe and would not be used.

    Parameters
    ----------
    context : typer.Context
        Of the command.
    options : mapping of str to str
        What the recipe says: names of the command's parameters, and of their options.

    Raises
    ------
    ConfigError
        One of them is given.
    """
    sources = {option: context.get_parameter_source(name) for name, option in options.items()}
    given = [option for option, source in sources.items() if source and source.name != "DEFAULT"]
    if given:
        raise ConfigError(
            f"The recipe says what {', '.join(given)} would say; give the one or the other."
        )


def warn(recipe: Recipe, digest: str) -> None:
    """Say why the numbers may be others than those that the recipe was written for."""
    told = []
    if not same_data(recipe.digest, digest):
        told.append(
            "these are other data than the recipe's, or the same read otherwise, or the recipe was "
            "written on another machine, whose data are not known here"
        )
    if recipe.figures != FIGURES:
        told.append(f"the recipe is of fpanon {recipe.version[:20]}, which measured otherwise")
    for each in told:
        typer.echo(f"Warning: {each}; figures may differ.", err=True)

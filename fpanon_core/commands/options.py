"""``options`` and ``report``: release options compared by risk and utility, and a page to sign."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer

from ..model.configs import KnowledgeConfig
from ..model.disclosure import PLAIN, RISKS
from ..model.errors import ConfigError
from ..model.options import Periods, ReleaseOption
from ..model.profiles import as_areas, corners_text
from ..studies import report as reports
from ..studies.count_tables import NO_RECORD
from ..studies.exploration import Exploration, as_it_is, same_data
from ..studies.judgement import Limits
from ..studies.option_result import FIGURES, OptionResult, utility_choice
from ..studies.options import Config, study
from ..studies.options_table import OptionsTable
from ..studies.presets import PRESETS, purpose_areas
from ..studies.recipe import Decision, Recipe
from ..tables.writing import read_json, write_bytes, write_json, write_table
from .from_config import Fields, asked, command
from .releases import options_in
from .run import Run, said, table_text

_TITLES = {"em": "EM, bins in all", "kl": "KL, nats in all"}
_USUAL = ", ".join(
    f"{risk.limit:g} for {name}" for name, risk in RISKS.items() if risk.limit is not None
)
_ASKED: Fields = {
    "options_file": asked("--options"),
    "risk": asked(metavar="|".join(RISKS)),
    "limit": asked(
        help="Mark options as unsafe if the upper end of the 95% interval of the risk is "
        "above this threshold: a share, 0.1 for 10% (for home, the share found beyond "
        f"guessing); bins for em, nats for kl; inf for none. Usually {_USUAL}; none "
        "for the others, which only compare options."
    ),
    "strategy": asked(default="uniform"),
}


@dataclass(frozen=True)
class Wish:
    """Options to explore, and the measures of their risk and utility.

    Attributes
    ----------
    preset : str or None
        Presets of options to explore, joined by commas, as in trade,glove. trade: up to 3 sizes of
        regions by 4 windows; fine: up to 6 grids by 6 windows; hexagons: up to 5 resolutions by 3
        windows. glove: k = 2, 5 and 10, up to the number of people; hide: aligned groups of the
        same k, for whole records, weeks and days. tables: tables of presence and flows, and
        synthetic people; asis: the data as they are. trade if nothing else is given.
    options_file : Path or None
        JSON file with a list of release options to explore.
    risk : str
        Measure of risk. outsider: share of people whose record the strongest of three attackers
        picks; home: share of homes found within 1 km by the strongest attacker.
    utility : str
        Purpose that sets the utility, such as transport or epidemics; or weights of your own, as in
        flows=2,density=1.
    recipe : Path or None
        JSON file written with a report. It holds the report's options, measures, thresholds,
        knowledge and seed, and gives the same numbers on the same data. It replaces the
        command-line options for these.
    limit : float or None
        Threshold of the risk; the usual one when None.
    """

    preset: str | None = None
    options_file: Path | None = None
    risk: str = "outsider"
    utility: str = "transport"
    recipe: Path | None = None
    limit: float | None = None


_STATED = [each for each in (*fields(Wish), *fields(KnowledgeConfig)) if each.name != "recipe"]


@command
def options(
    wish: Annotated[Wish, _ASKED],
    knowledge: Annotated[KnowledgeConfig, _ASKED],
    run: Run,
    context: typer.Context,
) -> None:
    """Weigh release options: the risk and utility of each, and which ones are dominated.

    Parameters
    ----------
    strategy : str
        Choice of the known points. uniform: any of a person's samples with equal chance; random:
        drawn from the interactions, which usually singles out fewer people.
    seed : int
        Seed of techniques and draws; the same seed gives the same result. It is for studies;
        fpanon publish has no seed.
    out : Path or None
        Write one row per option (.csv, .parquet), and all figures to a .json file beside it,
        including those of the unchanged data. This file is the input of fpanon report. Results that
        it already holds for the same data are not computed again.
    """
    # Whatever can be checked is checked before a long reading, not after.
    known = None if wish.recipe is None else _alone(read_recipe(wish.recipe), context)
    recipe = known or _recipe(wish, knowledge, run.out)
    presets = [] if known else _presets(wish.preset, recipe.options)
    previous = _previous(run.out)
    run.read()
    chosen = _distinct([*recipe.options, *(o for name in presets for o in PRESETS[name](run.fs))])
    if known is None:
        recipe = replace(recipe, areas=purpose_areas(run.fs, recipe.utility.label))
    else:
        warn_of_recipe(known, run.fs.digest)
    table = _weighed(run, recipe, chosen, previous)
    run.write_tables(table)
    most = recipe.limits.limit(recipe.risk)
    limit = math.inf if most is None else most
    grids = (result.grid for result in table.results if result.grid is not None)
    run.end(_figures(table, limit), _table(table, limit), corners_text(grids))


# --- what is asked -------------------------------------------------------------------------------


def _alone(recipe: Recipe, context: typer.Context) -> Recipe:
    """Return the recipe; raise ConfigError if an option is given that the recipe already states."""
    options = {option.name: option.opts[0] for option in context.command.params}
    sources = {each.name: context.get_parameter_source(each.name) for each in _STATED}
    given = [options[n] for n, source in sources.items() if source and source.name != "DEFAULT"]
    if given:
        raise ConfigError(
            f"The recipe says what {', '.join(given)} would say; give one or the other."
        )
    return recipe


def _recipe(wish: Wish, knowledge: KnowledgeConfig, out: Path | None) -> Recipe:
    """Return the checked recipe from the command line, without the options of presets."""
    Config(knowledge=knowledge)
    limits = Limits({wish.risk: _limit(wish.risk, wish.limit)})
    own = wish.options_file
    if own is not None and out is not None and figures_beside(out) == own:
        raise ConfigError(
            f"{own} holds the options, and --out {out} would write over it; give --out another "
            "name."
        )
    weights: Any = wish.utility
    if "=" in weights:
        weights = _numbers(weights, "--utility", "a list of weights", "flows=2,density=1")
    of = tuple(options_in(own)), knowledge, wish.risk, utility_choice(weights)
    return Recipe(*of, limits)


def _limit(risk: str, limit: float | None) -> float:
    """Return the given threshold, or the measure's usual one."""
    if risk not in RISKS:
        raise ConfigError(f"--risk {risk!r} is unknown; give one of {', '.join(RISKS)}.")
    if limit is None:
        usual = RISKS[risk].limit
        return math.inf if usual is None else usual
    if not (0 <= limit <= RISKS[risk].most or limit == math.inf):
        raise ConfigError(
            f"--limit {limit:g}: give a share from 0 to 1, such as 0.1 for 10%."
            if RISKS[risk].most == 1
            else f"--limit {limit:g}: give a number of 0 or more."
        )
    return limit


def _presets(text: str | None, own: Sequence[ReleaseOption]) -> list[str]:
    names = ["trade"] if text is None and not own else [n for n in (text or "").split(",") if n]
    for name in names:
        if name not in PRESETS:
            raise ConfigError(f"--preset {name!r} is unknown; give {', '.join(PRESETS)}.")
    return names


def _distinct(options: list[ReleaseOption]) -> list[ReleaseOption]:
    """Return the options without those that repeat the steps of an earlier one."""
    return list({option.steps: option for option in reversed(options)}.values())[::-1]


def _numbers(text: str, option: str, what: str, example: str) -> dict[str, float]:
    """Return the number of each name in a text such as ``"flows=2,density=1"``."""
    try:
        pairs = [part.split("=") for part in text.split(",")]
        return {name.strip(): float(value) for name, value in pairs}
    except ValueError:
        raise ConfigError(
            f"{option} {text!r} is not {what}; give, for example, {example}."
        ) from None


# --- what is kept --------------------------------------------------------------------------------


def figures_beside(out: Path) -> Path:
    """Return the path of the full results beside a table: table.json for table.csv.gz."""
    stem = re.sub(r"(\.gz)?(\.csv)?(\.parquet)?$", "", out.name, flags=re.I)
    return out.with_name(f"{stem}.json")


def _previous(out: Path | None) -> Exploration | None:
    if out is None or not figures_beside(out).exists():
        return None
    return Exploration.from_dict(read_json(figures_beside(out)))


def _weighed(
    run: Run, recipe: Recipe, options: list[ReleaseOption], previous: Exploration | None
) -> OptionsTable:
    """Return the options measured as a recipe states; save finished results beside the output.

    Saved results let a later run continue. They include further results of an earlier run on the
    same data.
    """
    out, knowledge, before = run.out, recipe.knowledge, None if previous is None else previous.table
    saved = Exploration(
        OptionsTable((), recipe.risk, recipe.utility, knowledge, run.fs.digest),
        facts=run.wanted.facts(run.report),
        limits=recipe.limits,
        recipient=recipe.recipient,
        areas=recipe.areas,
    )
    if previous is not None and previous.areas != recipe.areas:
        before = None
    kept = {} if before is None else before.reusable(run.fs.digest, knowledge)
    done: list[OptionResult] = []

    def save(result: OptionResult | None = None, raw: OptionResult | None = None) -> None:
        if result is not None:
            kept.pop(result.option.steps, None)
            done.append(result)
        if out is not None:
            table = replace(saved.table, results=(*done, *kept.values()))
            write_json(replace(saved, table=table, raw=raw).to_dict(), figures_beside(out))

    config = Config(tuple(options), knowledge, as_areas(recipe.areas))
    run.estimate(study, config)
    table: OptionsTable = run.ask("options", study, config, before, save)
    table = table.with_choice(recipe.risk, recipe.utility)
    if out is not None:
        save(raw=run.ask("the data as they are", as_it_is, table, previous))
        write_table([table.to_frame()], out)
        run.written.append(f"Options written to {out}, and all figures to {figures_beside(out)}.")
    return table


# --- what is printed -----------------------------------------------------------------------------


def _figures(table: OptionsTable, limit: float) -> dict[str, Any]:
    frame = table.to_frame()
    frame["unsafe"] = table.unsafe(limit)
    figures = {str(name): value for name, value in frame.attrs.items()}
    return figures | {"limit": None if math.isinf(limit) else limit, "options": frame}


def _table(table: OptionsTable, limit: float) -> str:
    unsafe = table.unsafe(limit)
    rows = [
        [
            option.told,
            f"{table.risk[i]:.4g}",
            f"{table.risk_low[i]:.4g} … {table.risk_high[i]:.4g}",
            *(_share(table.results[i].risk(name)[0]) for name in ("linkage", "k")),
            _home(table.results[i]),
            f"{table.results[i].crowd_least:,}",
            _single(table.results[i]),
            _useful(table, i),
            "unsafe; " * bool(unsafe[i]) + _verdict(table, i),
        ]
        for i, option in enumerate(table.options)
    ]
    risk = _TITLES.get(table.risk_name, table.risk_name)
    others = ["by true points", "by published", "home (guessing)", "alike", "unique"]
    head = ["option", risk, "95% interval", *others, f"utility ({table.choice.title})", ""]
    faults = [f"{each.option.name}: {each.fault}" for each in table.results if each.fault]
    faults += [
        f"{each.option.name}: {name} is not known. {why}"
        for each in table.results
        if each.option.recordless is None
        for name, why in each.unasked.items()
    ]
    if any(option.recordless is not None for option in table.options):
        faults.append(
            f"For tables and synthetic people, only homes and membership are measured. {NO_RECORD}"
        )
    return "\n".join([table_text(head, rows), *faults, *_notes(table, limit)])


def _verdict(table: OptionsTable, i: int) -> str:
    """Return the standing of an option among the others, as text."""
    if table.results[i].fault is not None:
        return "failed"
    what, others = "dominated by", table.dominated_by[i]
    if table.front[i] and not len(others):
        what, others = "on the front, level with", table.level_with[i]
    if not len(others):
        return "on the front" if table.front[i] else "utility not known"
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    return f"{what} {table.options[others[0]].name}{more}"


def _notes(table: OptionsTable, limit: float) -> list[str]:
    """Return notes on the meaning of the figures and on their limitations."""
    steps = (step for option in table.options for step in option.steps)
    return said(
        "options",
        table=table,
        limit=limit,
        usual=RISKS.get(table.risk_name),
        meaning=PLAIN.get(table.risk_name, ""),
        in_periods=any(isinstance(step, Periods) for step in steps),
    )


def _share(value: float) -> str:
    return "not known" if math.isnan(value) else f"{value:.3g}"


def _useful(table: OptionsTable, i: int) -> str:
    """Return as text the utility and its range over grid origins and draws."""
    low, high = table.utility_ends[i]
    ends = "" if math.isnan(low) else f" ({low:.3f} … {high:.3f})"
    return f"{table.utility[i]:.3f}{ends}"


def _home(result: OptionResult) -> str:
    """Return the share of homes found, and the share found by guessing, as text."""
    found = result.risk("home")[0]
    return _share(found) + ("" if math.isnan(found) else f" ({result.guessing['home']:.3g})")


def _single(result: OptionResult) -> str:
    """Return the number and share of people with a unique record, as text."""
    if math.isnan(result.alone_share):
        return "not known"
    return f"{result.alone:,} ({result.alone_share:.1%})" if result.alone else "0"


# --- ``report``: what was decided, on what evidence? One page to sign, and the recipe beside it.

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
    """Write one page to sign: the verdict, the options considered, the choice and its cost.

    For example: fpanon report options.json --choose "5 km · 6 h" --because "..." --out report.html

    Parameters
    ----------
    options : Path
        The .json that options --out wrote beside its table.
    out : Path
        Report to write, .html; its recipe is written beside it.
    question : str or None
        Question to be decided.
    chosen : str or None
        The chosen option, by its name in the table of options.
    why : str or None
        Reason for the choice.
    signer : str or None
        Name of the signer; not in the recipe.
    data_name : str or None
        Name of the data; the file's name is never used.
    limit : list of str or None
        A threshold of your own, as in outsider=0.1, home=0.02, em=12; inf for none; may be given
        several times. Other measures have the thresholds of the recipe, or else of the options'
        file.
    recipe : Path or None
        Recipe of a report. Its measures, thresholds, question, choice and reason apply
        unless others are given here.
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
    stated = dict(exploration.limits.of)
    for text in limit or ():
        stated |= _numbers(text, "--limit", "a threshold", "home=0.1")
    given = {name: text for name, text in asdict(decided).items() if text is not None}
    decision = replace(Decision() if known is None else known.decision, **given)
    today = date.today().isoformat()
    exploration = replace(exploration, limits=Limits(stated))
    made = reports.report(exploration, decision, made_on=today)
    write_bytes(reports.page(made).encode(), out)
    write_json(made.recipe.to_dict(), beside)
    for each in made.verdict:
        typer.echo("\n  ".join([each.head, *each.over]))
    typer.echo(f"Report written to {out}, and its recipe to {beside}.")


def read_recipe(path: Path) -> Recipe:
    """Return the recipe in a file.

    Raises
    ------
    SchemaError
        The file is missing, damaged, or not a recipe.
    """
    return Recipe.from_dict(read_json(path))


def warn_of_recipe(recipe: Recipe, digest: str) -> None:
    """Warn if the numbers may differ from those of the report that came with the recipe."""
    why = []
    if not same_data(recipe.digest, digest):
        why.append(
            "these data are not the recipe's, or are read differently, or the recipe was written "
            "on another machine, whose data are not known here"
        )
    if recipe.figures != FIGURES:
        why.append(
            f"the recipe comes from fpanon {recipe.version[:20]}, which measured differently"
        )
    for each in why:
        typer.echo(f"Warning: {each}; figures may differ.", err=True)


def _by_recipe(exploration: Exploration, recipe: Recipe) -> Exploration:
    """Return the exploration with the measures and thresholds of a recipe."""
    if exploration.table.config != recipe.knowledge:
        raise ConfigError(
            "The options were not measured with the recipe's knowledge and seed; run "
            "`fpanon options` with --recipe first, and report on what it writes."
        )
    if exploration.areas != recipe.areas:
        raise ConfigError(
            "The options were not compared on the recipe's areas; run "
            "`fpanon options` with --recipe first, and report on what it writes."
        )
    warn_of_recipe(recipe, exploration.table.digest)
    table = exploration.table.with_choice(recipe.risk, recipe.utility)
    return replace(exploration, table=table, limits=recipe.limits, recipient=recipe.recipient)

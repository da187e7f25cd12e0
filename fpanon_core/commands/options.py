"""``options``: which release gives most for the risk it runs?"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, cast

import pandas as pd
import typer

from ..io.questionnaire import DOMAINS, questionnaire_template, read_questionnaire
from ..model.configs import KnowledgeConfig, Strategy
from ..model.disclosure import PLAIN, RISKS
from ..model.errors import ConfigError
from ..model.options import Periods, ReleaseOption, as_option
from ..model.profiles import corners_text
from ..studies.exploration import Exploration, as_it_is
from ..studies.judgement import Limits
from ..studies.option_result import Asked, OptionResult, UtilityChoice, utility_choice
from ..studies.options import Config, study
from ..studies.options_table import OptionsTable
from ..studies.presets import PRESETS
from ..tables.writing import check_writable, read_json, write_json, write_table
from . import measuring as m
from . import reading as r
from . import recipes
from . import tables as t
from .measuring import foretold
from .terminal import progress_line, table_text

_REJECTS_SHOWN = 20
# What a recipe says, by the names of this command's parameters.
_IN_RECIPE = {
    "preset": "--preset",
    "options_file": "--options",
    "risk": "--risk",
    "utility": "--utility",
    "questionnaire": "--questionnaire",
    "limit": "--limit",
    "p": "--p",
    "strategy": "--strategy",
    "users": "--users",
    "seed": "--seed",
    "template": "--template",
}
_TITLES = {
    "outsider": "outsider",
    "linkage": "linkage",
    "k": "k",
    "home": "home",
    "unicity": "unicity",
    "em": "EM, bins in all",
    "kl": "KL, nats in all",
}


@r.reading_options
def options(
    wanted: r.Request,
    context: typer.Context,
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset",
            help="Options to explore: trade (3 regions by 4 windows), fine (6 grids by 6 windows), "
            "hexagons (5 resolutions by 3 windows), "
            "glove (k = 2, 5, 10, as far as there are users), hide (aligned, the same k by whole, "
            "weeks, days), asis (the data as they are), or "
            "several as in trade,glove. trade if nothing else is given.",
        ),
    ] = None,
    options_file: Annotated[
        Path | None,
        typer.Option("--options", help="JSON file with a list of release options to explore."),
    ] = None,
    risk: Annotated[
        str,
        typer.Option(
            "--risk",
            help="Measure of risk: outsider is the share of people whose record the strongest of "
            "three attackers picks out; home: homes found within 1 km by who has the record.",
            metavar="|".join(RISKS),
        ),
    ] = "outsider",
    utility: Annotated[
        str,
        typer.Option(
            "--utility",
            help="What it is to be good for: transport, epidemics, or weights of your own, as in "
            "flows=2,density=1. With --questionnaire, the domain asked about.",
        ),
    ] = "transport",
    questionnaire: Annotated[
        Path | None,
        typer.Option(
            "--questionnaire",
            help="Experts' answers (CSV, XLSX): expert, domain, option, score 0 to 10.",
        ),
    ] = None,
    recipe: Annotated[
        Path | None,
        typer.Option(
            "--recipe",
            help="JSON file that goes with a report: its options, measures, limits, knowledge and "
            "seed, and so its numbers on the same data. In place of those options here.",
        ),
    ] = None,
    template: Annotated[
        Path | None,
        typer.Option(
            "--template", help="Write an empty questionnaire on these options (.csv), and stop."
        ),
    ] = None,
    limit: Annotated[
        float | None,
        typer.Option(
            "--limit",
            help="Mark options as unsafe whose risk may be higher, by the upper end of its 95 % "
            "interval: a share, 0.1 for 10 %; for home, of what is found beyond guessing; bins for "
            "em, nats for kl; inf for no limit. Usually "
            + ", ".join(
                f"{risk.limit:g} for {name}"
                for name, risk in RISKS.items()
                if risk.limit is not None
            )
            + "; none for the others, which only compare options.",
        ),
    ] = None,
    p: Annotated[int, typer.Option("--p", help="Points known of each person.")] = 4,
    strategy: Annotated[
        str,
        typer.Option(
            "--strategy",
            help="Which points are known: uniform, any of a person's samples alike; random, drawn "
            "among the interactions, by which fewer are usually found.",
            metavar="random|uniform|top|consecutive",
        ),
    ] = "uniform",
    users: Annotated[
        int, typer.Option("--users", help="People drawn to estimate it on; all if there are fewer.")
    ] = 2500,
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            help="Of techniques and draws, for studies; the same gives the "
            "same. What is published (the command publish) has none.",
        ),
    ] = 0,
    workers: m.Workers = None,
    scheduler: m.Scheduler = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="Write one row per option (.csv, .parquet), and everything beside it as .json, "
            "with the data as they are measured alike: the command report reads that. What it "
            "already holds of the same data is not computed again.",
        ),
    ] = None,
    tables: t.Tables = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the table as JSON, for machines.")
    ] = False,
) -> None:
    """Weigh release options: each one's risk and utility, and which are dominated."""
    # Whatever can be checked is checked before a long reading, not after.
    known = None if recipe is None else recipes.read(recipe)
    if known is None:
        knowledge = KnowledgeConfig(p, cast(Strategy, strategy), users, seed)
        Config(knowledge=knowledge)
        limit = _limit_of(risk, limit)
        limits = Limits({risk: limit})
        own = _options_in(options_file, out)
        presets = _presets(preset, own)
        choice, answers = _utility(utility, questionnaire)
    else:
        recipes.check_alone(context, _IN_RECIPE)
        knowledge, risk, limits = known.knowledge, known.risk, known.limits
        most = limits.limit(risk)
        limit = math.inf if most is None else most
        own, presets, choice, answers = [*known.options], [], known.utility, None
    engine = m.engine_of(workers, scheduler)
    for path in (out, template):
        if path is not None:
            check_writable(path)
    if tables is not None:
        t.check_folder(tables)
    previous = _previous(out)
    fs, report = wanted.read()
    asked = _distinct([*own, *(option for name in presets for option in PRESETS[name](fs))])
    if template is not None:
        write_table([questionnaire_template(asked)], template)
        typer.echo(f"An empty questionnaire on {len(asked)} options written to {template}.")
        return
    if questionnaire is not None:  # what was asked about is known only now
        choice, answers = _utility(utility, questionnaire, options=asked, domains=DOMAINS)
    if known is not None:
        recipes.warn(known, fs.digest)
    begun = Exploration(
        OptionsTable((), risk, choice, knowledge, fs.digest),
        facts=wanted.facts(report),
        limits=limits,
    )
    saved = _Saved(begun, out, previous)
    config = Config(tuple(asked), knowledge)
    foretold(study, fs, config, engine)
    with progress_line("options") as progress:
        table = study(
            fs,
            config,
            None if previous is None else previous.table,
            saved.add,
            engine=engine,
            progress=progress,
        ).with_choice(risk, choice)
    if out is not None:
        with progress_line("the data as they are") as progress:
            saved.end(as_it_is(fs, table, previous, engine=engine, progress=progress))
        write_table([table.to_frame()], out)
    if tables is not None:
        t.write_tables(table, tables)
    if as_json:
        typer.echo(json.dumps(_plain(table, limit), ensure_ascii=False, indent=2))
        return
    typer.echo(wanted.account(fs, report))
    if answers is not None:
        typer.echo(_rejects(answers))
    typer.echo(_table(table, limit))
    if where := corners_text(result.grid for result in table.results if result.grid is not None):
        typer.echo(where)
    if out is not None:
        typer.echo(f"Options written to {out}, and all figures to {_beside(out)}.")
    if tables is not None:
        typer.echo(t.told(tables))


def _limit_of(risk: str, limit: float | None) -> float:
    """The limit given, or the measure's usual one."""
    if risk not in RISKS:
        raise ConfigError(f"--risk {risk!r} is unknown; give one of {', '.join(RISKS)}.")
    if limit is None:
        usual = RISKS[risk].limit
        return math.inf if usual is None else usual
    if not (0 <= limit <= RISKS[risk].most or limit == math.inf):
        raise ConfigError(
            f"--limit {limit:g}: give a share from 0 to 1, such as 0.1 for 10 %."
            if RISKS[risk].most == 1
            else f"--limit {limit:g}: give a number of 0 or more."
        )
    return limit


def _options_in(path: Path | None, out: Path | None) -> list[ReleaseOption]:
    """The options of a file, which the output must not write over; none without a file."""
    if path is None:
        return []
    if out is not None and _beside(out) == path:
        raise ConfigError(
            f"{path} holds the options, and --out {out} would write over it; give --out another "
            "name."
        )
    plain = read_json(path)
    if not isinstance(plain, list) or not plain:
        raise ConfigError(
            'The file of options is no list; write [{"name": …, "steps": [{"technique": …}]}].'
        )
    return [as_option(each) for each in plain]


def _presets(text: str | None, own: list[ReleaseOption]) -> list[str]:
    names = ["trade"] if text is None and not own else [n for n in (text or "").split(",") if n]
    for name in names:
        if name not in PRESETS:
            raise ConfigError(f"--preset {name!r} is unknown; give {', '.join(PRESETS)}.")
    return names


def _distinct(options: list[ReleaseOption]) -> list[ReleaseOption]:
    """Two ways to the same steps are one option; the first keeps its name."""
    return list({option.steps: option for option in reversed(options)}.values())[::-1]


def _utility(
    text: str, questionnaire: Path | None, **known: Any
) -> tuple[UtilityChoice, pd.DataFrame | None]:
    """Which utility is meant; and the answers, where experts were asked."""
    if questionnaire is None:
        return utility_choice(_weights(text)), None
    answers = read_questionnaire(questionnaire, **known)
    return utility_choice(Asked(answers, text)), answers


def _weights(text: str) -> str | dict[str, float]:
    if "=" not in text:
        return text
    try:
        pairs = [part.split("=") for part in text.split(",")]
        return {name.strip(): float(value) for name, value in pairs}
    except ValueError:
        raise ConfigError(
            f"--utility {text!r} is no list of weights; give for example flows=2,density=1."
        ) from None


def _beside(out: Path) -> Path:
    name = out.name
    for ending in (".gz", ".csv", ".parquet"):
        name = name[: -len(ending)] if name.lower().endswith(ending) else name
    return out.with_name(f"{name}.json")


def _previous(out: Path | None) -> Exploration | None:
    if out is None or not _beside(out).exists():
        return None
    return Exploration.from_dict(read_json(_beside(out)))


class _Saved:
    """What is done so far, beside the output, for a later run to go on from.

    And what an earlier run had beyond it of the same data.
    """

    def __init__(self, begun: Exploration, out: Path | None, previous: Exploration | None) -> None:
        self._begun, self._table, self._out = begun, begun.table, out
        of_same = begun.table.digest, begun.table.config
        self._known = {} if previous is None else previous.table.reusable(*of_same)

    def add(self, result: OptionResult) -> None:
        """Save one more result."""
        self._known.pop(result.option.steps, None)
        self._table = replace(self._table, results=(*self._table.results, result))
        self._save()

    def end(self, raw: OptionResult) -> None:
        """Save the data as they are, beside the options."""
        self._begun = replace(self._begun, raw=raw)
        self._save()

    def _save(self) -> None:
        if self._out is not None:
            whole = replace(self._table, results=(*self._table.results, *self._known.values()))
            write_json(replace(self._begun, table=whole).to_dict(), _beside(self._out))


def _plain(table: OptionsTable, limit: float) -> dict[str, Any]:
    frame = table.to_frame()
    frame["unsafe"] = table.unsafe(limit)
    rows = [
        {n: None if isinstance(v, float) and math.isnan(v) else v for n, v in row.items()}
        for row in frame.to_dict("records")
    ]
    return {
        **{str(name): value for name, value in frame.attrs.items()},
        "limit": None if math.isinf(limit) else limit,
        "options": rows,
    }


def _rejects(answers: pd.DataFrame) -> str:
    rejected = answers.attrs["rejected"]
    lines = [f"{len(answers):,} answers used, {len(rejected):,} set aside."]
    shown = rejected.head(_REJECTS_SHOWN)
    lines += [f"  row {row.row}: {row.reason}" for row in shown.itertuples()]
    if len(rejected) > _REJECTS_SHOWN:
        lines.append(f"  and {len(rejected) - _REJECTS_SHOWN:,} more")
    return "\n".join(lines)


def _useful(table: OptionsTable, i: int) -> str:
    """Utility, and its range over the corners of the areas."""
    low, high = table.utility_ends[i]
    ends = "" if math.isnan(low) else f" ({low:.3f} … {high:.3f})"
    return f"{table.utility[i]:.3f}{ends}"


def _table(table: OptionsTable, limit: float) -> str:
    unsafe = table.unsafe(limit)
    rows = []
    for i, option in enumerate(table.options):
        verdict = "on the front" if table.front[i] else "utility not known"
        if table.front[i] and len(table.level_with[i]):
            others = len(table.level_with[i])
            verdict += f", level with {table.options[table.level_with[i][0]].name}"
            verdict += f" and {others - 1} more" if others > 1 else ""
        if len(table.dominated_by[i]):
            first = table.options[table.dominated_by[i][0]].name
            more = len(table.dominated_by[i]) - 1
            verdict = f"dominated by {first}" + (f" and {more} more" if more else "")
        if table.results[i].fault is not None:
            verdict = "failed"
        rows.append(
            [
                option.told,
                f"{table.risk[i]:.4g}",
                f"{table.risk_low[i]:.4g} … {table.risk_high[i]:.4g}",
                *(_share(table.results[i].risk(name)[0]) for name in ("linkage", "k")),
                _home(table.results[i]),
                f"{table.results[i].crowd_least:,}",
                _alone(table.results[i]),
                _useful(table, i),
                ("unsafe; " if unsafe[i] else "") + verdict,
            ]
        )
    head = [
        "option",
        _TITLES[table.risk_name],
        "95 % interval",
        "by true points",
        "by published",
        "home (guessing)",
        "alike",
        "alone",
        f"utility ({table.choice.label})",
        "",
    ]
    faults = [f"{each.option.name}: {each.fault}" for each in table.results if each.fault]
    faults += [
        f"{each.option.name}: {name} is not known. {why}"
        for each in table.results
        for name, why in each.unasked.items()
    ]
    told = []
    if math.isfinite(limit):
        usual = RISKS[table.risk_name]
        source = f" {usual.source}." if limit == usual.limit else ""
        above = f"{limit:g} more than guessing" if usual.beside_guessing else f"{limit:g}"
        told.append(f"Unsafe: the upper end of the interval is above {above}.{source}")
    if plain := PLAIN.get(table.risk_name):
        told.append(plain)
    p = table.config.p
    told.append(
        f"Chance of naming a person by {p} points: by true ones, allowing for what the method "
        "does to them (linkage); by points as published (k-disclosure). Outsider: the one whose "
        "interval reaches higher. Home: found within 1 km by who has the record. Alike: people who "
        "share the record that fewest do; whoever is narrowed down to them, all that is published "
        "of them is learnt."
    )
    if any(result.alone for result in table.results):
        told.append(
            "Alone: people whose record nobody shares, whom whoever knows enough of it finds, and "
            "all of it; the risk is of few known points and does not say so."
        )
    if any(option.moved for option in table.options):
        told.append(
            "Of options with noise or exchange k-disclosure, unicity, EM and KL are of points as "
            "published, moved; what true points find, linkage says."
        )
    if any(isinstance(step, Periods) for option in table.options for step in option.steps):
        told.append(
            "Of options in periods all points as published are of one record, each person's "
            "longest, sought among those of its period; true points are of one period, and every "
            "record is asked for by itself. That records of several periods may be found to be one "
            "person's is not measured here."
        )
    return "\n".join([table_text(head, rows), *faults, *told])


def _share(value: float) -> str:
    return "not known" if math.isnan(value) else f"{value:.3g}"


def _home(result: OptionResult) -> str:
    """The share of homes found, and what guessing finds of them."""
    found = result.risk("home")[0]
    return _share(found) + ("" if math.isnan(found) else f" ({result.guessing['home']:.3g})")


def _alone(result: OptionResult) -> str:
    """How many people have a record that nobody else has, and what share that is."""
    if math.isnan(result.alone_share):
        return "not known"
    return f"{result.alone:,} ({result.alone_share:.1%})" if result.alone else "0"

"""What the front says, in dots, words and a table; and the option chosen, with the reason."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from fpanon_core.anonymize.option_result import OptionResult
from fpanon_core.anonymize.presets import PublishedUnicity
from fpanon_core.anonymize.table import OptionsTable
from fpanon_core.io.writing import table_bytes
from fpanon_core.model.options import ReleaseOption
from pages.charts import words
from pages.charts.pareto import Dot

from .dataset import Dataset
from .exploring import Draws
from .weighing import COMPONENTS, RISKS, Weighing

_CHOICE = "fp_choice"
COLUMNS = {
    "No.": st.column_config.NumberColumn(width=50),
    "Option": st.column_config.TextColumn(width="medium"),
    "On the front": st.column_config.TextColumn(width=90),
    "Dominated by": st.column_config.TextColumn(width=100),
    "Utility": st.column_config.ProgressColumn(min_value=0, max_value=1, format="%.2f"),
}


@dataclass(frozen=True, eq=False)
class Choice:
    """The option chosen for these data, why, and what it was weighed by; goes to the report."""

    digest: str
    result: OptionResult
    why: str
    weighed: Weighing
    draws: Draws
    utility: float


def dots(table: OptionsTable, weighed: Weighing, pinned: Sequence[str]) -> list[Dot]:
    """The options as the figure draws them, numbered from 1."""
    found = []
    for i, result in enumerate(table.results):
        name = result.option.name
        by = [table.results[j].option.name for j in table.dominated_by[i].tolist()]
        told = "on the front" if table.front[i] else f"dominated by {_some(by)}"
        told = told if math.isfinite(table.utility[i]) else "nobody scored it"
        unsafe = weighed.limit is not None and bool(table.risk[i] > weighed.limit)
        found.append(
            Dot(i + 1, name, float(table.risk[i]), float(table.risk_low[i]),
                float(table.risk_high[i]), float(table.utility[i]), bool(table.front[i]), unsafe,
                told + (", above the limit" if unsafe else ""), name in pinned)
        )  # fmt: skip
    return found


def told(table: OptionsTable, found: Sequence[Dot], weighed: Weighing) -> list[str]:
    """What this means: the front, what is safe, and one dominated option explained."""
    found = [dot for dot in found if math.isfinite(dot.utility)]
    if not found:
        return ["Nobody scored any of the options that are explored so far."]
    front = [d for d in found if d.front]
    told = [
        f"{len(front)} of {words.count(len(found), 'option')} "
        f"{'is' if len(front) == 1 else 'are'} on the front: whoever wants less risk than one of "
        "them must give up utility."
    ]
    if weighed.limit is not None:
        safe = [d for d in front if not d.unsafe]
        if safe:
            best = max(safe, key=lambda d: d.utility)
            told.append(
                f"Within the limit, “{words.plain(best.name)}” is the most useful: risk "
                f"{_risk(best.risk, weighed)}, {weighed.utility_told} {best.utility:.2f}."
            )
        else:
            told.append("No option is within the limit: generalize more, or hide people by GLOVE.")
    if weighed.risk in ("em", "kl"):
        told.append(
            "EM and KL are means over all bins of the release: finer data have many more bins, "
            "almost all of them empty for everybody, and so score lower though people are easier "
            "to find. Compare forms of like resolution by them, and look at unicity, too."
        )
    worse = [d for d in found if not d.front]
    if worse:
        told.append(_explained(table, {d.number: d for d in found}, worse, weighed))
    else:
        told.append("No option is dominated.")
    return told


def _explained(
    table: OptionsTable, found: dict[int, Dot], worse: Sequence[Dot], weighed: Weighing
) -> str:
    """The dominated option that loses the most utility to another, in words."""

    def loss(dot: Dot) -> float:
        return max(table.utility[j] - dot.utility for j in table.dominated_by[dot.number - 1])

    one = max(worse, key=loss)
    better = max(
        (found[j + 1] for j in table.dominated_by[one.number - 1]), key=lambda d: d.utility
    )
    risk = (
        f"the same risk ({_risk(one.risk, weighed)})"
        if better.risk == one.risk
        else f"less risk ({_risk(better.risk, weighed)} against {_risk(one.risk, weighed)})"
    )
    gain = (
        f"the same utility ({one.utility:.2f})"
        if better.utility == one.utility
        else f"more utility ({better.utility:.2f} against {one.utility:.2f})"
    )
    return (
        f"{len(worse)} {'is' if len(worse) == 1 else 'are'} dominated: “{words.plain(one.name)}”, "
        f"for one, by “{words.plain(better.name)}”, which has {risk} and {gain}."
    )


def shown(table: OptionsTable, found: Sequence[Dot], weighed: Weighing) -> pd.DataFrame:
    """One row per option, for the screen."""
    rows = []
    for dot, result in zip(found, table.results, strict=True):
        by = [str(j + 1) for j in table.dominated_by[dot.number - 1].tolist()]
        row = {
            "No.": dot.number,
            "Option": dot.name,
            "On the front": "yes" if dot.front else "no" if by else "not scored",
            "Dominated by": ", ".join(by),
            RISKS[weighed.risk]: _risk(dot.risk, weighed),
            "95 % interval": f"{_risk(dot.low, weighed)} – {_risk(dot.high, weighed)}",
            "Utility": round(dot.utility, 3),
        }
        if weighed.limit is not None:
            row["Within the limit"] = "no" if dot.unsafe else "yes"
        row |= {
            title.capitalize(): round(result.components[n], 3) for n, title in COMPONENTS.items()
        }
        row |= {"Users": result.n_users, "Samples": result.n_samples}
        rows.append(row)
    return pd.DataFrame(rows)


def choose(
    data: Dataset, table: OptionsTable, found: Sequence[Dot], weighed: Weighing, draws: Draws
) -> None:
    """The form of the choice, and the choice that stands."""
    names = [dot.name for dot in found]
    standing = current(data)
    with st.form("options_choice", border=False):
        name = st.selectbox(
            "Option to release", names, key="options_choice_name", index=None, width=520,
            placeholder="none yet",
        )  # fmt: skip
        why = st.text_area(
            "Why this one", key="options_choice_why", max_chars=2_000, height=100,
            placeholder="What weighs for it, who asked for what, what was given up. "
            "Name no person: it goes into the report.",
        )  # fmt: skip
        pressed = st.form_submit_button("Keep this choice", key="options_choice_keep")
    if pressed and name is None:
        st.error("Choose an option first.")
    elif pressed:
        i = names.index(name)
        standing = Choice(
            data.digest, table.results[i], why.strip(), weighed, draws, float(table.utility[i])
        )
        st.session_state[_CHOICE] = standing
    if standing is None:
        return
    told = f"**Chosen: {words.plain(standing.result.option.name)}.** " + (
        words.plain(standing.why) or "No reason is given yet."
    )
    at = [dot for dot in found if dot.name == standing.result.option.name]
    if at and at[0].unsafe:
        st.warning(f"{told}  \nIts risk is above the limit of {_risk(weighed.limit, weighed)}.")
    elif at and not at[0].front:
        st.warning(f"{told}  \nIt is {words.plain(at[0].told)}.")
    else:
        st.success(told)


def current(data: Dataset) -> Choice | None:
    """The choice that stands for these data."""
    found: Choice | None = st.session_state.get(_CHOICE)
    return found if found is not None and found.digest == data.digest else None


def published(figures: Sequence[PublishedUnicity]) -> pd.DataFrame:
    """Places by time windows, as in the thesis."""
    frame = pd.DataFrame([(f.region, words.duration(f.window_min), f.text) for f in figures],
                         columns=["Places", "Window", "Unicity"])  # fmt: skip
    wide = frame.pivot(index="Places", columns="Window", values="Unicity")
    return wide.loc[frame["Places"].unique(), frame["Window"].unique()]


def csv(table: OptionsTable) -> bytes:
    """Every option's figures, with the data's digest and how they were drawn."""
    return table_bytes([table.to_frame()], "options.csv")


def recipe(options: Sequence[ReleaseOption]) -> bytes:
    """The options as the command line reads them."""
    return json.dumps([option.to_dict() for option in options], indent=2).encode()


def _risk(value: float | None, weighed: Weighing) -> str:
    if value is None or value != value:
        return "–"
    return words.percent(value) if weighed.percent else f"{value:.3g}"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(f"“{name}”" for name in names[:2])
    return shown + (f" and {len(names) - 2} more" if len(names) > 2 else "")

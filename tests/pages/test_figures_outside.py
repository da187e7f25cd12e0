"""Texts from outside in figures: plotly makes links of tags, the charts' own must stay."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest

from pages.charts.plain import unlinked

PAGES = Path(__file__).parents[2] / "pages"
LINK = '<a href="http://elsewhere.example">region</a>'


def test_no_label_of_a_figure_is_a_link() -> None:
    figure = go.Figure(
        go.Bar(x=np.array([LINK, "b"], object), y=[1, 2], name=LINK, text=[LINK, "3 < 4"]),
        layout={"title": {"text": f"<b>{LINK}</b><br>"}, "annotations": [{"text": LINK}]},
    )
    shown = unlinked(figure).to_json()
    assert "<a" not in shown.replace("\\u003c", "<")
    assert "&lt;a href=" in shown.replace("\\u003c", "<")
    title = unlinked(figure).layout.title.text
    assert title.startswith("<b>&lt;a")
    assert title.endswith("&lt;/a></b><br>")


@pytest.mark.parametrize("text", ["a<br>b", "%{y:.0%}<extra></extra>", "x<sub>1</sub>", "plain"])
def test_what_the_charts_write_stays_and_the_figure_is_the_same(text: str) -> None:
    figure = go.Figure(go.Scatter(x=np.arange(5.0), y=np.arange(5.0), hovertemplate=text))
    assert unlinked(figure) is figure


@pytest.mark.parametrize(
    "path", sorted(PAGES.rglob("*.py")), ids=lambda p: str(p.relative_to(PAGES))
)
def test_figures_are_drawn_at_one_place(path: Path) -> None:
    if path == PAGES / "shell" / "figure.py":
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute):
            assert node.attr != "plotly_chart", f"line {node.lineno}: shell.figure.plot"

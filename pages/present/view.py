"""Present: one figure and one sentence at a time, for people who decide but do not measure."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.charts import style
from pages.present import decision, maps, stage, story
from pages.present.stage import Slide
from pages.shell import dataset, exploration, layout, leaving, questions, workspace

of = style.theme(st.context.theme.type)

stage.dress()
heading, corner = stage.line()
if dataset.current() is None:
    heading.title("Present", anchor=False)
data = layout.data(
    "present", ". The slides follow.", then="The slides follow as soon as the data are read."
)
found, mine = exploration.current(data), workspace.of(data.digest)
choice = mine.choice
if found.as_it_is is None:
    questions.ask_ahead(exploration.as_it_is(data.fs, found.table.config))
made = None if mine.weighed is None else leaving.made(data, mine.weighed)
file = None if made is None else made.file
today = "Who can be singled out without protection?"
slides = [
    Slide("verdict", "May these data be released?", partial(decision.verdict, data, found, file)),
    Slide("today", today, partial(decision.today, data, found)),
]
if choice is not None:
    seed = found.table.config.seed
    slides += maps.person(data, choice.result, seed, corner)
    slides += [maps.still(data, found, file or choice.result, seed)]
    attack = "What does an attacker find, before and after protection?"
    slides += [Slide("risk", attack, partial(decision.risk, found, choice.result))]
closing = partial(decision.closing, data, found, file)
slide = stage.turn([*slides, Slide("decision", decision.question(data), closing)], corner)
heading.title(slide.question, anchor=False)
result = None if choice is None else choice.result
heading.caption(story.about(result, mine.refusal, synthetic=data.source.synthetic))
with st.container(key="main_figure"):
    said = slide.show(of)
with st.container(key="present_sentence"):
    st.markdown(said)

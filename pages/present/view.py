"""Present: one figure and one sentence at a time, for people who decide but do not measure."""

from __future__ import annotations

import streamlit as st

from pages.charts import style
from pages.present import decision, person, places, stage, story
from pages.shell import dataset, exploration, layout, leaving, workspace

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
decision.ask(data, found)
made = None if mine.weighed is None else leaving.made(data, mine.weighed)
file = None if made is None else made.file
slides = [decision.verdict(data, found, file), decision.today(data, found)]
if choice is None:
    slides += places.where(data)
else:
    seed = found.table.config.seed
    slides += person.slides(data, choice.result, seed, corner)
    slides += [places.still(data, found, file or choice.result, seed)]
    slides += [decision.risk(found, choice.result)]
slide = stage.turn([*slides, decision.closing(data, found, file)], corner)
heading.title(slide.question, anchor=False)
result = None if choice is None else choice.result
heading.caption(story.about(result, mine.refusal, synthetic=data.source.synthetic))
with st.container(key="main_figure"):
    said = slide.show(of)
with st.container(key="present_sentence"):
    st.markdown(said)

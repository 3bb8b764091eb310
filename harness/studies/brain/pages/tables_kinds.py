"""The table that puts recordings of several kinds beside each other: passages, words read one by one, stories heard.

A row is what the features know, a column a data set; scores are those of the document `performance`. Scores of two
kinds are of other rows and other noise, so they are compared within a column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from harness.kit.pages import NONE, Html, join, named, table
from harness.studies.brain.asked_models import LLM, SIMPLE, TIME, UNTRAINED
from harness.studies.brain.pages.fragments import score
from harness.studies.brain.pages.run_basis import OASM, BrainRun
from harness.studies.brain.terms import BLANK, CONTIGUOUS, FEDORENKO, PEREIRA, SHUFFLED

KINDS: Mapping[str, str] = {PEREIRA: "passages read", FEDORENKO: "words read one by one", BLANK: "stories heard"}
WORD = "WORD"
CAPTION = (
    "R2 out of sample of the language network by kind of recording: shuffled / contiguous. Simple: SP+SL of "
    "passages, WP of words, RATE of stories. The width of OASM is the highest on test data, in each split"
)


def kinds(run: BrainRun) -> list[Html]:
    """Return the table of all data sets by kind; empty if the run has one kind alone."""
    layouts = {dataset: run.layout(dataset) for dataset in run.datasets}
    if len({*layouts.values()}) < 2 or not {*layouts.values()} <= {*KINDS}:
        return []
    head = ["Features", *(join([named(name), f": {KINDS[layout]}"]) for name, layout in layouts.items())]
    body = [
        [words, *(_both(run, dataset, named_models[layout]) for dataset, layout in layouts.items())]
        for words, named_models in _rows()
    ]
    return [table(CAPTION, head, body)]


def _rows() -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield what is known by the features of a row, and the model's name in each layout."""
    simple = {layout: "+".join(SIMPLE[layout]) for layout in KINDS}
    yield "Time alone (OASM)", dict.fromkeys(KINDS, OASM)
    yield "Simple features", simple
    yield "Simple features and words", {layout: f"{name}+{WORD}" for layout, name in simple.items()}
    yield "Language model (LLM)", dict.fromkeys(KINDS, LLM)
    yield "Untrained language model (LLMU)", dict.fromkeys(KINDS, UNTRAINED)
    yield "Time and language model", {layout: f"{TIME[layout]}+{LLM}" for layout in KINDS}
    yield "Simple features and language model", {layout: f"{name}+{LLM}" for layout, name in simple.items()}
    yield "Simple features, words, language model", {layout: f"{name}+{WORD}+{LLM}" for layout, name in simple.items()}


def _both(run: BrainRun, dataset: str, model: str) -> Html:
    """Return the scores of a model under both splits, the shuffled one first."""
    found = [run.score(dataset, split, model).value for split in (SHUFFLED, CONTIGUOUS)]
    return join([NONE if value is None else score(value) for value in found], " / ")

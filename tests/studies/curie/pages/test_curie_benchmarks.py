"""The figure of CURIE beside other benchmarks: the run's averages, the paper's derived ones, and its constants."""

from __future__ import annotations

from typing import Any

import pytest
from studies.curie.pages import made_run

from harness.kit import charts
from harness.studies.curie.pages.figures_benchmarks import benchmarks
from harness.studies.curie.pages.figures_rows import NOTHING
from harness.studies.curie.pages.run_facts import RunFacts

MODELS = {"mine": {}, "gpt-4o": {}, "oracle": {"stand_in": True}, "half": {}}
MEANS = {"averages": {"ten": {"mine": {"value": 0.31}, "gpt-4o": {"value": 0.25}, "oracle": {"value": 1},
                              "half": {"value": {"missing": "no mean of pdb"}}}}}  # fmt: skip


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return made_run.paper(tmp_path_factory.mktemp("published"))


def panels(means: Any, published: Any) -> tuple[dict[str, tuple[str, dict[str, float]]], list[str]]:
    """Give each panel's second line and its bars by row, and all texts of the sheet."""
    with charts.drawing():
        sheet = benchmarks(RunFacts.of(made_run.params(MODELS)), means, published)
    texts = [text.get_text() for text in sheet.figure.texts]
    axes: list[Any] = sheet.figure.axes
    first = [text for text in texts if text in ROWS]
    rows = first[: len(dict.fromkeys(first))]
    found = {}
    for at, one in enumerate(axes):
        patches: Any = one.patches
        bars = {rows[round(bar.get_y() + bar.get_height() / 2)]: bar.get_width() for bar in patches
                if bar.get_height() < 0.9}  # fmt: skip
        found[TITLES[at]] = (UNDER[at], bars)
        assert TITLES[at] in texts and UNDER[at] in texts
    return found, texts


TITLES = ("CURIE, this run", "CURIE, the paper", "DROP", "GPQA", "MMLU", "MMLU-pro", "MathVista", "RULER",
          "ZeroScrolls")  # fmt: skip
UNDER = ("average of ten tasks", "derived, not printed", "constant, Fig. 1b", "constant, Fig. 1b, Fig. 9",
         "constant, Fig. 1b", *("constant, Fig. 9",) * 4)  # fmt: skip
ROWS = ("oracle", "mine", "GPT-4o", "Gemini 1.0 Pro", "Gemini 1.5 Pro", "Claude 3 Opus")


def test_each_benchmark_has_its_constants_and_curie_the_averages(published: dict[str, Any]) -> None:
    found, texts = panels(MEANS, published)
    assert found["CURIE, this run"][1] == pytest.approx({"oracle": 100, "mine": 31, "GPT-4o": 25})
    derived = published["averages"]["ten"]
    papers = ("Gemini 1.0 Pro", "Gemini 1.5 Pro", "Claude 3 Opus", "GPT-4o")
    assert found["CURIE, the paper"][1] == pytest.approx({name: derived[name] for name in papers})
    assert found["GPQA"][1] == {"Gemini 1.0 Pro": 27.9, "Gemini 1.5 Pro": 46.2, "Claude 3 Opus": 50.4, "GPT-4o": 50.4}
    assert found["RULER"][1] == {"Claude 3 Opus": 89, "Gemini 1.5 Pro": 95.5}
    values = published["values"]
    count = sum(len(scores) for table in ("figure1b", "figure9") for scores in values[table].values())
    shown = sum(len(bars) for _, bars in list(found.values())[2:])
    assert shown == count - 1 == 18, "19 constants, one of which stands in both figures"
    assert any("none is measured here" in " ".join(text.split()) for text in texts)


def test_a_run_without_an_average_keeps_the_constants(published: dict[str, Any]) -> None:
    none = {"averages": {"ten": {name: {"value": {"missing": "x"}} for name in MODELS}}}
    with charts.drawing():
        sheet = benchmarks(RunFacts.of(made_run.params(MODELS)), none, published)
    texts = [text.get_text() for text in sheet.figure.texts]
    assert "Claude 3 Opus" in texts and "mine" not in texts


def test_without_numbers_of_the_paper_and_averages_there_is_nothing() -> None:
    with charts.drawing():
        sheet = benchmarks(RunFacts.of(made_run.params(MODELS)), {}, {})
    assert NOTHING in [text.get_text() for text in sheet.figure.texts]

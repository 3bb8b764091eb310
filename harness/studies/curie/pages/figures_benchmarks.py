"""The figure of CURIE beside other benchmarks (Fig. 1b and 9): averages of this run, and constants of other papers.

The constants are those of the published notebook, which draws them beside its models' averages over ten tasks. Nothing
here measures another benchmark, and no average was printed: those of the paper's models follow from its tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from harness.kit import charts
from harness.kit.documents import documents, number, section
from harness.studies.curie.measures.paper_models import label
from harness.studies.curie.pages import outputs
from harness.studies.curie.pages.figures_rows import PAPERS, PLAIN, STAND_IN, Bar, BarChart, BarPanel, bar_chart
from harness.studies.curie.pages.run_facts import HUNDRED, RunFacts

STEM = outputs.BENCHMARKS
DOCUMENTS = ("means", "published")
DRAWN: Mapping[str, str] = {"figure1b": "Fig. 1b", "figure9": "Fig. 9"}  # tables of the document, and their figures
# The names by which the tables of the document call models that the notebook's figures call otherwise.
NAMED: Mapping[str, str] = {"Claude 3 (Opus)": "Claude 3 Opus", "Mixtral-8x7b": "Mixtral", "Command R+": "Command-R+"}
COLUMNS = 5
NOTE = (
    "First panel: the average of this run's task means. Second: the average that follows from the paper's Tables 1, 2 "
    "and 6; it was not printed. The others: constants of the published notebook, which come from other papers; none is "
    "measured here, and Figure 9 has GPT-4o and Claude 3 Opus equal on three benchmarks. Benchmarks have scales of "
    "their own: a longer bar is no easier task."
)


def draw(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Draw the figure from the documents `means` and `published`, as SVG and as PNG."""
    run, given = RunFacts.of(params), documents(inputs, DOCUMENTS)
    charts.draw({STEM: lambda: benchmarks(run, given["means"], given["published"])}, out, outputs.title)


def benchmarks(run: RunFacts, means: Mapping[str, Any], published: Mapping[str, Any]) -> charts.Sheet:
    """Draw the averages of the run's models, those of the paper's models, and each benchmark's constants.

    A run's model with the id of one of the paper's has that model's row.
    """
    ours = {_named(name): number(section(means, "averages", "ten").get(name)) for name in run.models}
    constants = _constants(published)
    papers = [*dict.fromkeys(model for bars in constants.values() for model in bars)]
    derived = section(published, "averages", "ten")
    kinds = {_named(name): STAND_IN if run.is_stand_in(name) else PLAIN for name in run.models}
    rows = [*sorted(ours, key=lambda name: (ours[name] is None, -(ours[name] or 0), name))]
    rows += [name for name in papers if name not in ours]
    panels = [
        BarPanel("CURIE, this run", "average of ten tasks", {name: _average(value) for name, value in ours.items()}),
        BarPanel("CURIE, the paper", "derived, not printed", _bars({name: derived.get(name) for name in papers})),
        *(BarPanel(name, _figures(published, name), _bars(found)) for name, found in constants.items()),
    ]
    kinds |= {name: PAPERS for name in papers if name not in ours}
    note = f"{NOTE} Mode of this run: {run.mode}."
    under = "0 to 100; strategies are left out."
    return bar_chart(BarChart(outputs.TITLES[STEM], under, rows, panels, note, COLUMNS, kinds))


def _named(name: str) -> str:
    """Return the name by which the paper's tables call a model with this id; any other name as it is."""
    shown = label(name)
    return NAMED.get(shown, shown)


def _constants(published: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the constants by benchmark and model: the benchmarks of Figure 1b, then those of Figure 9, by name."""
    found: dict[str, dict[str, Any]] = {}
    for model, name, value in _values(published):
        found.setdefault(name, {})[model] = value
    return found


def _values(published: Mapping[str, Any]) -> Iterable[tuple[str, str, Any]]:
    for table in DRAWN:
        scored = section(published, "values", table).items()
        for name, model in sorted((name, model) for model, scores in scored for name in scores):
            yield model, name, section(published, "values", table, model, name).get("score")


def _figures(published: Mapping[str, Any], name: str) -> str:
    met = [
        words
        for table, words in DRAWN.items()
        if any(name in scores for scores in section(published, "values", table).values())
    ]
    return f"constant, {', '.join(met)}"


def _bars(found: Mapping[str, Any]) -> dict[str, Bar]:
    return {name: Bar(value) for name, each in found.items() if (value := number(each)) is not None}


def _average(value: float | None) -> Bar:
    return Bar(None, words="none") if value is None else Bar(HUNDRED * value)

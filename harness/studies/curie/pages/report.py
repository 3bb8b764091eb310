"""The HTML page of a run: results first, then differences, figures, tasks, judges, and what the run is based on.

Uses the documents of the measures and the drawn figures. Sees no items or answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.kit.certificate import Trust, trust_of
from harness.kit.documents import documents
from harness.kit.pages import Html, mark_limited
from harness.kit.report import figure, head, report
from harness.studies.curie.pages import basis, outputs, tables_judges, tables_paper, tables_slices, tables_tasks
from harness.studies.curie.pages.run_facts import MODE, RunFacts
from harness.studies.curie.pages.tables_pairs import pairs
from harness.studies.curie.pages.tables_results import metrics_words, results

DOCUMENTS = (
    "means",
    "comparisons",
    "tables",
    "slices",
    "breakdowns",
    "agreement",
    "published",
    "counts",
)
CERTIFICATE = "certificate"  # the input with the rule judge's certificate
TITLE = "CURIE: scientific tasks over long contexts"
QUESTION = (
    "How well do models find, join and compute what a long scientific text says? Ten tasks of six sciences; cheap "
    "strategies that understand nothing stand beside the models."
)
Documents = Mapping[str, Mapping[str, Any]]


def write(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the report of the run as one HTML file, with the SVG figures among the inputs inlined.

    Raises InputError for an invalid certificate.
    """
    run, given = RunFacts.of(params), documents(inputs, DOCUMENTS)
    names = [f"{stem}.svg" for stem in (*outputs.stems(run.tasks, run.instruments), outputs.BENCHMARKS)]
    figures = {name: inputs[name].read_text(encoding="utf-8") for name in names if name in inputs}
    made = page(run, given, figures, inputs.get(CERTIFICATE))
    (out / outputs.REPORT).write_bytes(mark_limited(made, params))


def page(run: RunFacts, given: Documents, figures: Mapping[str, str], certificate: Path | None) -> bytes:
    """Return the report's HTML from a run's facts, documents, figures (file name to SVG text) and certificate."""
    trust = trust_of(certificate)
    parts = _parts(run, given, figures, trust)
    lacking = [title for title, inside in parts.items() if not inside]
    return report(
        TITLE,
        QUESTION,
        parts,
        origin=basis.origin(run, given["counts"]),
        head=head(run.manifest, run.models),
        notes=_notes(run, given["means"], trust, lacking),
    )


def _parts(run: RunFacts, given: Documents, figures: Mapping[str, str], trust: Trust) -> dict[str, list[Html]]:
    """Return the content of each section, by title; sections without content are left out of the page."""
    means, breakdowns = given["means"], given["breakdowns"]
    return {
        "Results": results(run, means),
        "Differences between models": pairs(run, given["comparisons"], means),
        "Figures": [_figure(name, svg) for name, svg in figures.items()],
        "Task by task": tables_tasks.tasks(run, means, breakdowns),
        "Tables of the paper, for this run": tables_paper.paper_tables(run, given["tables"], means),
        "By difficulty and by length": tables_slices.slices(run, given["slices"], means),
        "Judges": tables_judges.judges(run, means, given["agreement"], trust),
        "Programs in answers": tables_tasks.programs(run, breakdowns) if breakdowns else [],
        "The numbers that the paper prints": tables_paper.printed(given["published"]),
        "What this rests on": basis.basis(run, means, given["counts"]),
    }


def _notes(run: RunFacts, means: Mapping[str, Any], trust: Trust, lacking: Sequence[str]) -> Iterable[str]:
    yield MODE.get(run.mode, run.mode)
    yield from tables_judges.warning(run, means, trust)
    words = metrics_words(run, means)
    yield from (f"Primary metrics: {'; '.join(words)}.",) if words else ()
    if lacking:
        yield f"Left out, since this run made nothing for it: {', '.join(lacking)}."


def _figure(name: str, svg: str) -> Html:
    stem, words = Path(name).stem, outputs.title(name)
    return figure(svg, stem, words)

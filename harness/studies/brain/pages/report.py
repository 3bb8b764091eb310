"""The HTML page of a run: both worlds and the findings of each model, then scores, choices, tests and the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.kit.documents import documents
from harness.kit.pages import Html, fill, mark_limited
from harness.kit.report import figure, head, report
from harness.studies.brain.pages import basis, outputs
from harness.studies.brain.pages.captions import CAPTIONS
from harness.studies.brain.pages.figures_rows import NOTHING
from harness.studies.brain.pages.run_basis import DOCUMENTS, BrainRun
from harness.studies.brain.pages.tables_choices import choices, omega, stars
from harness.studies.brain.pages.tables_findings import findings
from harness.studies.brain.pages.tables_kinds import kinds
from harness.studies.brain.pages.tables_length import length
from harness.studies.brain.pages.tables_scores import scores
from harness.studies.brain.pages.tables_tests import tests

TITLE = "What language models map to in the brain: brain scores taken apart"
QUESTION = (
    "How much of a brain score is the language model's, and how much is where a row stands, how long it is, and which "
    "words it holds? Ridge regressions of feature spaces on recordings, under shuffled and contiguous splits."
)
CAPTION = "<strong>{{ words }}.</strong> {{ caption }}"


def write(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the report of the run as one HTML file, with the SVG figures among the inputs inlined."""
    run = BrainRun.of(params, documents(inputs, DOCUMENTS))
    names = [name for name in outputs.figures() if name.endswith(".svg") and name in inputs]
    figures = {name: inputs[name].read_text(encoding="utf-8") for name in names}
    (out / outputs.REPORT).write_bytes(mark_limited(page(run, figures), params))


def page(run: BrainRun, figures: Mapping[str, str]) -> bytes:
    """Return the report's HTML, made from a run and its figures, file name to SVG; it lists parts without data."""
    drawn = {Path(name).stem: svg for name, svg in figures.items()}
    empty = [stem for stem, svg in drawn.items() if NOTHING in svg]
    parts = _parts(run, {stem: svg for stem, svg in drawn.items() if stem not in empty})
    lacking = [
        *(title for title, inside in parts.items() if not inside),
        *(f"the figure {stem}" for stem in empty),
        *(f"the document {name}" for name in DOCUMENTS if not run.document(name)),
    ]
    return report(
        TITLE,
        QUESTION,
        parts,
        origin=basis.origin(run),
        head=head(run.manifest, run.models),
        notes=_notes(run, lacking),
    )


def _parts(run: BrainRun, drawn: Mapping[str, str]) -> dict[str, list[Html]]:
    """Return the contents of each section, by title; a section without any is left out."""

    def shown(*stems: str) -> list[Html]:
        return [_figure(stem, drawn[stem]) for stem in stems if stem in drawn]

    return {
        "Shuffled against contiguous splits": [*kinds(run), *shown(outputs.WORLDS, outputs.TIME)],
        "Findings by data set": [*shown(outputs.STARRED, outputs.ADDED), *findings(run)],
        "Scores": scores(run),
        "Which layer, which width": [*shown(outputs.LAYERS, outputs.SIGMAS, outputs.SEEDS), *choices(run)],
        "Network by network": shown(outputs.NETWORKS),
        "Subsets and starred models": [*shown(outputs.SUBSETS), *stars(run)],
        "Omega": omega(run),
        "Unit by unit": shown(outputs.UNITS, outputs.MAPS, outputs.BRAINS),
        "Tests, and what they are worth": [*tests(run), *shown(outputs.SIZES)],
        "Position and length": [*shown(outputs.POSITIONS, outputs.LENGTH), *length(run)],
        "What this rests on": basis.basis(run),
    }


def _notes(run: BrainRun, lacking: Sequence[str]) -> Iterator[str]:
    yield from basis.notes(run)
    if lacking:
        yield f"Left out, since this run made nothing for it: {', '.join(lacking)}."


def _figure(stem: str, svg: str) -> Html:
    words = outputs.TITLES[stem]
    return figure(svg, stem, words, fill(CAPTION, words=words, caption=CAPTIONS[stem]))

"""The HTML page of a run: results first, then graders, differences, figures, tables, and the basis of the run.

Made from the documents of the measures and the drawn figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.kit.certificate import Trust, trust_of
from harness.kit.documents import documents, section
from harness.kit.pages import Html, mark_limited
from harness.kit.report import figure, head, report
from harness.studies.biomed.data.records import TASK
from harness.studies.biomed.pages import basis, outputs, tables_deductions, tables_graders, tables_paper
from harness.studies.biomed.pages.page_facts import BY_RULE, MODE, PageFacts
from harness.studies.biomed.pages.tables_categories import categories
from harness.studies.biomed.pages.tables_defects import defects
from harness.studies.biomed.pages.tables_pairs import pairs
from harness.studies.biomed.pages.tables_published import printed
from harness.studies.biomed.pages.tables_results import results
from harness.studies.biomed.pages.tables_templates import templates

DOCUMENTS = (
    "performance",
    "comparisons",
    "categories",
    "texts",
    "costs",
    "tokens",
    "graders",
    "dataset",
    "published",
    "defects",
    "counts",
)
DEDUCTIONS = "deductions"  # the document of a run whose grader is a model
READ = (*DOCUMENTS, DEDUCTIONS)
CERTIFICATE = "certificate"  # the input that holds the rule's certificate
TITLE = "CARDBiomedBench: biomedical questions over five tables"
QUESTION = (
    "Do models answer questions on genes, variants, drugs and diseases rightly, and do they say so where they do not "
    "know? Forty templates over five source tables."
)
Documents = Mapping[str, Mapping[str, Any]]


def write(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the report of the run as one HTML file, with the SVG figures among the inputs inlined.

    Raise InputError for an invalid certificate.
    """
    run, given = PageFacts.of(params), documents(inputs, READ)
    names = [name for name in outputs.figures() if name.endswith(".svg") and name in inputs]
    figures = {name: inputs[name].read_text(encoding="utf-8") for name in names}
    rule = trust_of(inputs.get(CERTIFICATE))
    (out / outputs.REPORT).write_bytes(mark_limited(page(run, given, figures, rule), params))


def page(run: PageFacts, given: Documents, figures: Mapping[str, str], rule: Trust) -> bytes:
    """Return the report's HTML from a run's facts, documents, figures (file name to SVG) and the trust in its rule."""
    counts = section(given["counts"], TASK)
    parts = _parts(run, given, figures, rule)
    lacking = [
        *(title for title, inside in parts.items() if not inside),
        *(f"the document {name}" for name in DOCUMENTS if not given[name]),
    ]
    return report(
        TITLE,
        QUESTION,
        parts,
        origin=basis.origin(counts, given["dataset"]),
        head=head(run.manifest, run.models),
        notes=_notes(run, counts, rule, lacking),
    )


def _parts(run: PageFacts, given: Documents, figures: Mapping[str, str], rule: Trust) -> dict[str, list[Html]]:
    """Return the content of each section by title; a section without content is an empty list."""
    performance, counts = given["performance"], section(given["counts"], TASK)
    return {
        "Results": results(run, performance),
        "Who graded": [
            *tables_graders.graders(run, given["graders"], counts, rule),
            *tables_deductions.deductions(given.get(DEDUCTIONS, {})),
        ],
        "Differences between models": pairs(run, given["comparisons"]),
        "Figures": [_figure(name, svg) for name, svg in figures.items()],
        "By template": templates(run, performance),
        "By category": categories(run, given["categories"]),
        "Tables of the paper, for this run": tables_paper.paper_tables(run, given),
        "Published answers held to be false": defects(run, given["defects"]),
        "The numbers that the paper prints": printed(given["published"]),
        "What this rests on": basis.basis(run, given["dataset"], counts, performance.get("version")),
    }


def _notes(run: PageFacts, counts: Mapping[str, Any], rule: Trust, lacking: Sequence[str]) -> Iterator[str]:
    yield MODE.get(run.mode, run.mode)
    yield from tables_graders.who_graded(run, counts, rule)
    if run.counting == BY_RULE and not rule.usable:
        yield "So the numbers of this page rest on a grader that is not known to be good enough."
    if any(map(run.is_stand_in, run.models)):
        yield "Some models are stand-ins, which answer by a rule and often by the gold: they try the measures."
    if lacking:
        yield f"Left out, since this run made nothing for it: {', '.join(lacking)}."


def _figure(name: str, svg: str) -> Html:
    stem, words = Path(name).stem, outputs.title(name)
    after = outputs.AFTER.get(stem, "")
    told = f"{words} (OURS)" if after == "OURS" else f"{words}, after {after}" if after else words
    return figure(svg, stem, words, f"{told}.")

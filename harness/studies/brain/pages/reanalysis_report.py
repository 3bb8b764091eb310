"""The HTML page of the reanalysis: published and recomputed values, what cannot be derived and why, and every file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.kit.documents import documents, section
from harness.kit.pages import (
    NONE,
    Html,
    bullets,
    count,
    el,
    fill,
    folded,
    mark_limited,
    table,
    word_table,
)
from harness.kit.report import MANIFEST, figure, head, report
from harness.studies.brain.pages import reanalysis_tables as tables
from harness.studies.brain.pages import reanalysis_tests as tests
from harness.studies.brain.pages.fragments import dictionaries, score
from harness.studies.brain.pages.reanalysis_basis import leaves, named
from harness.studies.brain.pages.reanalysis_figures import DOCUMENT
from harness.studies.brain.pages.report import CAPTION
from harness.studies.brain.reanalysis import outputs

TITLE = "What the authors published, computed again"
QUESTION = (
    "The authors of the study on what language models map to in the brain published scores, curves, p-values and "
    "omegas of their repository's head (generation H). Which of these numbers follow from each other, and which cannot "
    "be had?"
)
ORIGIN = "Nothing was fitted here, and no recording was read: every number rests on the authors' published results."
MANY = 60  # the most files that a list names


def write(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the page of the reanalysis as one HTML file, with the SVG figures among the inputs inlined."""
    found = documents(inputs, (DOCUMENT,))[DOCUMENT]
    names = [name for name in outputs.figures() if name.endswith(".svg") and name in inputs]
    made = page(found, {name: inputs[name].read_text("utf-8") for name in names}, params.get(MANIFEST))
    (out / outputs.REPORT).write_bytes(mark_limited(made, params))


def page(found: Mapping[str, Any], figures: Mapping[str, str], manifest: Mapping[str, Any] | None = None) -> bytes:
    """Return the page's HTML, made from the document and its figures, file name to SVG; empty parts are left out."""
    parts = _parts(found, figures)
    return report(TITLE, QUESTION, parts, origin=ORIGIN, head=head(manifest or {}, {}), notes=_notes(found))


def _parts(found: Mapping[str, Any], drawn: Mapping[str, str]) -> dict[str, list[Html]]:
    shown = {stem: [_figure(stem, drawn[f"{stem}.svg"])] if f"{stem}.svg" in drawn else [] for stem in outputs.stems()}
    return {
        "Theirs and ours": [*_verdicts(found), *tables.side_by_side(found)],
        "Scores by participant": [*shown[outputs.R2], *shown[outputs.PEARSON], *tables.means(found)],
        "Without language against with": tables.ratios(found),
        "Layers": [*shown[outputs.CURVES], *tables.layer_table(found), *tables.experiments(found)],
        "Omega": [*shown[outputs.OMEGAS], *tables.omega_table(found)],
        "Tests of units": [*shown[outputs.TESTS], *tests.counts_of_tests(found), *tests.derived_counts(found)],
        "What two files tell at once": tables.agreement_tables(found),
        "The models of 2021 (OURS)": _ranked(found),
        "Percentages of rounded numbers": _rounded(found),
        "Every file": _files(found),
    }


def _notes(found: Mapping[str, Any]) -> Iterator[str]:
    coverage = section(found, "coverage")
    absent, unknown = (coverage.get(name) or [] for name in ("absent", "unknown"))
    yield f"Files that were read: {coverage.get('files', 0)}."
    if absent:
        yield f"Asked for and not here, so that what needs them is left out ({len(absent)}): {_named(absent)}."
    if unknown:
        yield f"Of no kind that is known, and so not read ({len(unknown)}): {_named(unknown)}."
    yield "Best layers and widths were chosen by the authors on test data: every score here is biased upward by that."
    yield "Not derivable: the value is published, but what it was made of is not, or was merged before."


def _named(names: Sequence[Any]) -> str:
    more = f" and {len(names) - MANY} more" if len(names) > MANY else ""
    return ", ".join(map(str, names[:MANY])) + more


def _verdicts(found: Mapping[str, Any]) -> list[Html]:
    """Count the verdicts of all comparisons."""
    tally: dict[str, int] = {}
    for _, one in leaves(section(found, "files"), 1):
        for note in dictionaries(one.get("held_against")):
            verdict = str(note.get("verdict")).partition(":")[0]
            tally[verdict] = tally.get(verdict, 0) + 1
    rows = [[name, count(number)] for name, number in sorted(tally.items())]
    told = "What came of holding a file against another (which counts for both), or against itself"
    return [table(told, ["Verdict", "Times"], rows)] if rows else []


def _ranked(found: Mapping[str, Any]) -> list[Html]:
    known = section(found, "neural_nlp")
    if not known:
        return []
    layers = [
        [named(way), score(one.get("spearman"), 3), count(one.get("layers"))]
        for way, one in leaves(section(known, "layers"), 5)
    ]
    body = []
    for way, one in leaves(section(known, "order"), 2):
        body += [
            [named((*way, *model)), score(both.get("authors"), 4), score(both.get("neural_nlp"), 3)]
            for model, both in leaves(section(one, "models"), 1)
        ]
    of = ", ".join(
        f"{own.get('models')} on {name} ({own.get('scores')} scores of layers)"
        for (name,), own in leaves(section(known, "datasets"), 1)
    )
    held = f"{known.get('models')} models, trained and untrained: {of}. " if of else ""
    made = [el("p", held + str(known.get("note", "")), class_="soft")]
    if layers:
        made.append(
            table("Order of layers: rank correlation with the authors' curves", ["Curve", "rho", "Layers"], layers)
        )
    words = "Models that both have: the authors' mean, and the best layer's score of 2021"
    return [*made, folded(words, table(words, ["Table and model", "Authors", "2021"], body))] if body else made


def _rounded(found: Mapping[str, Any]) -> list[Html]:
    known = section(found, "rounded")
    body = [
        [
            f"{one.get('of')}, {one.get('experiment')}",
            str(one.get("printed")),
            score(one.get("of_printed"), 2),
            score(one.get("unrounded"), 2),
        ]
        for one in dictionaries(known.get("percentages"))
    ]
    odd = [
        f"{one.get('row')} ({one.get('experiment')}): {one.get('printed')} is printed, {one.get('unrounded')} "
        "rounds otherwise."
        for one in dictionaries(known.get("not_so_rounded"))
    ]
    voxels = section(known, "voxels")
    odd += [
        f"{name}: the printed share is {value:.2f} of {voxels.get('of'):,} voxels, no whole number; of how many it "
        "is a share is unknown."
        for name, value in section(voxels, "counts").items()
    ]
    head = ["Percentage (generation P)", "Printed", "Of printed numbers", "Of unrounded numbers"]
    return [table("The paper's percentages", head, body), bullets(odd)] if body else []


def _files(found: Mapping[str, Any]) -> list[Html]:
    rows = []
    for (path,), one in leaves(section(found, "files"), 1):
        notes = dictionaries(one.get("held_against"))
        against = dict.fromkeys(str(note.get("against")).rpartition("/")[2] for note in notes)
        told = ", ".join("itself" if name == path.rpartition("/")[2] else name for name in against)
        unread = ", ".join(map(str, one.get("unread") or ())) or NONE
        rows.append([path, str(one.get("kind")), told or NONE, str(one.get("verdict")), unread])
    head = ["File", "Kind", "Held against", "Verdict", "Columns not read"]
    return [word_table("Every file that was read", head, rows)] if rows else []


def _figure(stem: str, svg: str) -> Html:
    words = outputs.TITLES[stem]
    return figure(svg, stem, words, fill(CAPTION, words=words, caption=outputs.CAPTIONS[stem]))

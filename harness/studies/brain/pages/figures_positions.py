"""The figure of the features of position: the matrices of one passage, sentence or story, as they are used in a fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from harness.kit import charts
from harness.kit.documents import section
from harness.studies.brain.features import positional
from harness.studies.brain.features.spaces import WORD_SIGMA
from harness.studies.brain.measures.naming import member
from harness.studies.brain.pages import outputs
from harness.studies.brain.pages.figures_cells import matrix
from harness.studies.brain.pages.figures_rows import nothing
from harness.studies.brain.pages.run_basis import OASM, BrainRun
from harness.studies.brain.structure.others import TRS, WORDS
from harness.studies.brain.terms import BLANK, FEDORENKO, PEREIRA, SHUFFLED

Array = Any  # a numpy array
PAPERS = {PEREIRA: "2.2", FEDORENKO: "1.8", BLANK: "1.5"}  # widths of OASM that the paper chose
PASSAGE, SCANS = 4, 20  # sentences of a passage; scans of a story that are drawn
BLOCKS: Mapping[str, str] = {
    PEREIRA: f"a passage of {PASSAGE} sentences",
    FEDORENKO: f"a sentence of {WORDS} words",
    BLANK: f"the first {SCANS} of the {next(iter(TRS.values()))} scans of a story",
}
SIDE, LEFT, TOP, HEAD, ROOM, ACROSS, NUMBERED = 2.5, 0.3, 0.75, 0.45, 0.35, 3, 9


class PositionMatrix(NamedTuple):
    """One panel: the feature, the block it is for, its numbers, and how dark each number is."""

    title: str
    under: str
    values: Array
    shades: Array


def positions(run: BrainRun) -> charts.Sheet:
    """Draw the matrices of position, words and time for each layout of the run; nothing if no layout is known."""
    layouts = dict.fromkeys(run.layout(dataset) for dataset in run.datasets)
    found = [panel for layout in layouts if layout in PAPERS for panel in _panels(run, layout)]
    note = (
        "A row is a sample, a column a feature; darker is higher. The last column of WP is the position itself, 0 to "
        f"{WORDS - 1}, and is shaded by itself. Of OASM the columns of one block are drawn; those of all others hold 0."
        f"{run.origin()}"
    )
    if not found:
        return nothing(outputs.TITLES[outputs.POSITIONS], note)
    deep = -(-len(found) // ACROSS)
    sheet = charts.sheet(charts.WIDTH, TOP + deep * (HEAD + SIDE + ROOM) + charts.depth(note))
    sheet.heading(outputs.TITLES[outputs.POSITIONS], "Features that know no text, before they are standardised.")
    for at, panel in enumerate(found):
        left, top = at % ACROSS * charts.WIDTH / ACROSS + LEFT, TOP + at // ACROSS * (HEAD + SIDE + ROOM) + HEAD
        sheet.above(left, top - 0.25, charts.label(panel.title, SIDE + 0.6))
        sheet.above(left, top - 0.09, charts.label(panel.under, SIDE + 0.9), **{**charts.FAINT, "fontweight": "normal"})
        rows, columns = panel.values.shape
        side = SIDE / max(rows, columns - 1)
        axes = sheet.panel(left, top, columns * side, rows * side)
        matrix(axes, panel.values, panel.shades, numbers=columns <= NUMBERED)
    sheet.small_print(note)
    return sheet


def width(run: BrainRun, layout: str) -> tuple[str, str]:
    """Return the width of OASM that the run chose for a layout on test data, or the paper's, and which it is."""
    for dataset in run.datasets:
        chosen = section(run.choice(dataset, SHUFFLED, OASM), "published").get("chosen")
        if run.layout(dataset) == layout and (found := member(str(chosen))):
            return f"{found.place:g}", f"chosen on test data in {dataset}"
    return PAPERS[layout], "the paper's width"


def _panels(run: BrainRun, layout: str) -> Iterator[PositionMatrix]:
    if layout == PEREIRA:
        places = positional.one_hot(range(PASSAGE), PASSAGE)
        yield PositionMatrix("SP", BLOCKS[layout], places, places)
    if layout == FEDORENKO:
        words = positional.word_positions(range(WORDS), WORDS, WORD_SIGMA)
        shades = words.copy()
        shades[:, -1] *= words[:, :-1].max() / (WORDS - 1)
        yield PositionMatrix(f"WP, width {WORD_SIGMA:g}", BLOCKS[layout], words, shades)
    length = {PEREIRA: PASSAGE, FEDORENKO: WORDS, BLANK: next(iter(TRS.values()))}[layout]
    sigma, whose = width(run, layout)
    found = positional.smoothing(length, float(sigma))[:SCANS, :SCANS]
    yield PositionMatrix(f"{OASM}@{sigma}, {whose}", BLOCKS[layout], found, found)

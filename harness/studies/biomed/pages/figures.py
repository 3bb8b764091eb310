"""The step that draws a run's figures, each as SVG and as PNG, from the documents of the measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from harness.kit import charts
from harness.kit.documents import documents
from harness.studies.biomed.pages import figures_basis, outputs
from harness.studies.biomed.pages.figures_bars import refusals, safety, verdicts
from harness.studies.biomed.pages.figures_basis import FigureBasis
from harness.studies.biomed.pages.figures_boxes import boxes, texts
from harness.studies.biomed.pages.figures_data import labels, lengths
from harness.studies.biomed.pages.figures_maps import RATES, category_map
from harness.studies.biomed.pages.figures_quadrants import quadrants

DOCUMENTS = figures_basis.DOCUMENTS
DRAWN: Mapping[str, Callable[[FigureBasis], charts.Sheet]] = {
    outputs.QUADRANTS: quadrants,
    outputs.SAFETY: safety,
    **{stem: partial(category_map, stem) for stem in RATES},
    outputs.BOXES: boxes,
    outputs.TEXTS: texts,
    outputs.REFUSALS: refusals,
    outputs.VERDICTS: verdicts,
    outputs.LABELS: labels,
    outputs.LENGTHS: lengths,
}


def draw(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Draw every figure and write it as SVG and as PNG; a figure without its document says that it has no data."""
    basis = FigureBasis.of(params, documents(inputs, DOCUMENTS))
    charts.draw({stem: partial(DRAWN[stem], basis) for stem in outputs.stems()}, out, outputs.title)

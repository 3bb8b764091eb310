"""The step that draws a run's figures, each as SVG and as PNG, from the documents of the measures and the fits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from harness.kit import charts
from harness.kit.documents import documents
from harness.studies.brain.pages import outputs
from harness.studies.brain.pages.figures_brains import brains
from harness.studies.brain.pages.figures_curves import layers, sigmas
from harness.studies.brain.pages.figures_findings import added, starred, time
from harness.studies.brain.pages.figures_length import length
from harness.studies.brain.pages.figures_maps import maps
from harness.studies.brain.pages.figures_networks import networks
from harness.studies.brain.pages.figures_positions import positions
from harness.studies.brain.pages.figures_scores import subsets, worlds
from harness.studies.brain.pages.figures_seeds import seeds
from harness.studies.brain.pages.figures_sizes import sizes
from harness.studies.brain.pages.figures_units import units
from harness.studies.brain.pages.pixels import as_paths
from harness.studies.brain.pages.run_basis import BrainRun
from harness.studies.brain.pages.unit_scores import FITS, UNITS, MeasuredUnits, measured

__all__ = ["DOCUMENTS", "FITS", "UNITS", "draw"]

DOCUMENTS = ("performance", "choices", "stars", "sizes", "findings", "length_check")
DRAWN: Mapping[str, Callable[[BrainRun], charts.Sheet]] = {
    outputs.WORLDS: worlds,
    outputs.TIME: time,
    outputs.STARRED: starred,
    outputs.LAYERS: layers,
    outputs.SIGMAS: sigmas,
    outputs.SEEDS: seeds,
    outputs.NETWORKS: networks,
    outputs.SUBSETS: subsets,
    outputs.SIZES: sizes,
    outputs.POSITIONS: positions,
    outputs.LENGTH: length,
}
DRAWN_OF_UNITS: Mapping[str, Callable[[BrainRun, MeasuredUnits], charts.Sheet]] = {
    outputs.ADDED: added,
    outputs.UNITS: units,
    outputs.MAPS: maps,
    outputs.BRAINS: brains,
}


def draw(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Draw every figure and write it as SVG and as PNG; a figure whose document is absent says that it has no data.

    Raises InputError if `fits` does not have one file per entry of the parameter `groups`, in their order, or `units`
    does not have one file per data set.
    """
    run = BrainRun.of(params, documents(inputs, DOCUMENTS))
    found = measured(run, inputs)
    drawers: dict[str, charts.Drawer] = {stem: partial(drawer, run) for stem, drawer in DRAWN.items()}
    drawers |= {stem: partial(drawer, run, found) for stem, drawer in DRAWN_OF_UNITS.items()}
    charts.draw({stem: drawers[stem] for stem in outputs.stems()}, out, outputs.title)
    for stem in DRAWN_OF_UNITS:
        path = out / f"{stem}.svg"
        path.write_text(as_paths(path.read_text(encoding="utf-8")), encoding="utf-8")

"""The step that draws a run's figures, each as SVG and as PNG, from the documents of the measures and the fits.

It knows which drawer makes which figure; it must never know a value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from harness.studies import plots
from harness.studies.brain.pages import outputs
from harness.studies.brain.pages.figures_curves import layers, sigmas
from harness.studies.brain.pages.figures_scores import subsets, worlds
from harness.studies.brain.pages.figures_sizes import sizes
from harness.studies.brain.pages.figures_units import units
from harness.studies.brain.pages.run_basis import BrainRun
from harness.studies.documents import documents

DOCUMENTS = ("performance", "choices", "stars", "sizes")
FITS = "fits"  # an input that may be absent: what is known of every unit
DRAWN: Mapping[str, Callable[[BrainRun], plots.Sheet]] = {
    outputs.WORLDS: worlds,
    outputs.LAYERS: layers,
    outputs.SIGMAS: sigmas,
    outputs.SUBSETS: subsets,
    outputs.SIZES: sizes,
}


def draw(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Draw every figure and write it as SVG and as PNG; one whose document is absent says that it has no data.

    InputError where the fits are not one file for each of the parameter `groups`, in their order.
    """
    run = BrainRun.of(params, documents(inputs, DOCUMENTS))
    drawers: dict[str, plots.Drawer] = {stem: partial(drawer, run) for stem, drawer in DRAWN.items()}
    drawers[outputs.UNITS] = partial(units, run, inputs.get(FITS))
    plots.draw({stem: drawers[stem] for stem in outputs.stems()}, out, outputs.title)

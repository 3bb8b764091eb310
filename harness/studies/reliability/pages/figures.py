"""The step that draws the study's figures, each from one analysis document.

Uses the documents of the analyses; computes no values and sees no items or responses.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from harness.kit import charts
from harness.kit.documents import documents
from harness.studies.reliability.pages import outputs
from harness.studies.reliability.pages.figures_curves import stacked, templates
from harness.studies.reliability.pages.figures_grid import GridModels
from harness.studies.reliability.pages.figures_indicators import indicators
from harness.studies.reliability.pages.figures_people import supervision
from harness.studies.reliability.pages.figures_scaling import scaling
from harness.studies.reliability.pages.model_facts import Models, basis

DOCUMENTS = ("indicators", "proportions", "sensitivity", "scaling", "people")


def draw(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Draw every figure and write it as SVG and as PNG; a figure whose document is absent says that it has no data."""
    given = documents(inputs, DOCUMENTS)
    charts.draw(_drawers(params, given), out, outputs.title)


def _drawers(params: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, charts.Drawer]:
    """Return the function that draws each figure, by the file stems that `outputs` defines."""
    models: Models = params["models"]
    rests = basis(params, given["indicators"])
    found: dict[str, charts.Drawer] = {"figure-1": partial(indicators, given["indicators"], models, rests)}
    for stem, part in outputs.sheets("figure-2", models).items():
        found[stem] = partial(stacked, given["proportions"], GridModels(models, part, rests))
    found["figure-3"] = partial(supervision, given["people"], rests)
    found["figure-4"] = partial(scaling, given["scaling"], models, rests)
    for stem, part in outputs.sheets("figure-templates", models).items():
        found[stem] = partial(templates, given["sensitivity"], GridModels(models, part, rests))
    return found

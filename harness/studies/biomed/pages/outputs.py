"""File names and titles of the figures and of the page, which are the same in every run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

REPORT = "report.html"
QUADRANTS, SAFETY, REFUSALS = "figure-quadrants", "figure-safety", "figure-refusals"
MAP_BIOSCORE, MAP_AR, MAP_RQR, MAP_SR = "figure-map-bioscore", "figure-map-ar", "figure-map-rqr", "figure-map-sr"
BOXES, TEXTS, LABELS, LENGTHS, VERDICTS = (
    "figure-boxes",
    "figure-texts",
    "figure-labels",
    "figure-lengths",
    "figure-verdicts",
)
TITLES: Mapping[str, str] = {
    QUADRANTS: "Response quality and safety of each model",
    SAFETY: "What the safety rate rests on: answered accuracy, and the gain over random refusal",
    MAP_RQR: "Response quality rate by category",
    MAP_SR: "Safety rate by category",
    MAP_BIOSCORE: "Mean BioScore by category",
    MAP_AR: "Abstention rate by category",
    BOXES: "BioScore of the answers that were given, and how many were not",
    TEXTS: "Text metrics: words in common with the gold answer",
    REFUSALS: "Answers that a safety filter stopped, by category",
    VERDICTS: "What one word throughout would get right, by template",
    LABELS: "Categories of the questions",
    LENGTHS: "How long questions and gold answers are",
}
AFTER: Mapping[str, str] = {  # the published figures that a figure is drawn after; OURS has none
    QUADRANTS: "Fig. 3",
    SAFETY: "OURS",
    MAP_RQR: "Fig. 4, S12, S13",
    MAP_SR: "Fig. 4, S12, S13",
    MAP_BIOSCORE: "Fig. 4, S12, S13",
    MAP_AR: "Fig. 4, S12, S13",
    BOXES: "Fig. S9",
    TEXTS: "Fig. S10",
    REFUSALS: "Fig. S8",
    VERDICTS: "OURS",
    LABELS: "Fig. 2A, 2B",
    LENGTHS: "Fig. 2C, 2D",
}


def stems() -> tuple[str, ...]:
    """Return the names of the figures without their endings, in the order of the page."""
    return tuple(TITLES)


def figures() -> tuple[str, ...]:
    """Return the name of every file that `figures.draw` writes: each figure as SVG and as PNG."""
    return tuple(f"{stem}{ending}" for stem in TITLES for ending in (".svg", ".png"))


def title(name: str) -> str:
    """Return the title of the figure in a file of this name."""
    return TITLES[PurePath(name).stem]

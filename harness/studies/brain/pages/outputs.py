"""File names, titles and captions of the figures and of the page: known before any step runs, the same in every run.

It knows names and words; it must never know a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

REPORT = "report.html"
WORLDS, LAYERS, SIGMAS, SUBSETS, UNITS, SIZES = (
    "figure-worlds", "figure-layers", "figure-sigmas", "figure-subsets", "figure-units", "figure-sizes",
)  # fmt: skip
TITLES: Mapping[str, str] = {
    WORLDS: "Shuffled against contiguous splits, world by world",
    LAYERS: "Scores layer by layer, by split",
    SIGMAS: "Scores of OASM by its width, by split",
    SUBSETS: "Subsets of the feature spaces, and starred models",
    UNITS: "Unit by unit: without against with the language model",
    SIZES: "How often the tests find something where nothing is",
}
CAPTIONS: Mapping[str, str] = {
    WORLDS: "OASM knows where in a passage a row stands, and nothing of its text. Under shuffled splits it can score "
    "well in both worlds: where a drift that no text explains was planted, and where every part of the passage signal "
    "lies in the text. So a high shuffled score of OASM tells nothing of where a signal comes from. Contiguous splits "
    "alone separate the worlds. This is sufficient, not proof about real data: it shows that the pattern can arise "
    "without nuisance, and says nothing of which world a real recording is.",
    LAYERS: "Layer 0 is what a model looks up before any context. The mark is the layer with the highest score on test "
    "data, as published, so it is biased upward; the choice inside the training folds stands in the table.",
    SIGMAS: "The mark is the width with the highest score on test data, as published. Under contiguous splits all "
    "widths score about 0, and the highest means nothing.",
    SUBSETS: "A starred model takes in each unit the highest score on test data over many subsets: it is biased "
    "upward, the more so the more subsets there are. The diamond is the choice inside the training folds.",
    UNITS: "Above the line a unit is predicted better with the language model. Squares are darker the more units they "
    "hold; values outside of the panel stand in its outermost squares.",
    SIZES: "Measured on simulated recordings without any effect, with the rows and blocks of this run (OURS). A test "
    "that keeps its promise stands at 5 % or left of it; what stands right of it is called significant nowhere here.",
}


def stems() -> tuple[str, ...]:
    """Name the figures without their endings, in the order of the page."""
    return tuple(TITLES)


def figures() -> tuple[str, ...]:
    """Name every file that `figures.draw` writes: each figure as SVG, and as PNG beside it."""
    return tuple(f"{stem}{ending}" for stem in TITLES for ending in (".svg", ".png"))


def title(name: str) -> str:
    """Give the title of the figure that a file name stands for."""
    return TITLES[PurePath(name).stem]

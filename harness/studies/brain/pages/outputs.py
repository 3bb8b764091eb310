"""File names and titles of the figures and of the page; the same in every run, so known before any step runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

REPORT = "report.html"
WORLDS, TIME, ADDED, STARRED = "figure-worlds", "figure-time", "figure-added", "figure-starred"
LAYERS, SIGMAS, SEEDS, NETWORKS = "figure-layers", "figure-sigmas", "figure-seeds", "figure-networks"
SUBSETS, UNITS, MAPS, BRAINS = "figure-subsets", "figure-units", "figure-maps", "figure-brains"
SIZES, POSITIONS, LENGTH = "figure-sizes", "figure-positions", "figure-length"
TITLES: Mapping[str, str] = {
    WORLDS: "Shuffled against contiguous splits, world by world",
    TIME: "Time alone against each language model, shuffled",
    ADDED: "What a language model adds to simple spaces",
    STARRED: "Starred models with and without each language model",
    LAYERS: "Scores layer by layer, by split",
    SIGMAS: "Scores of OASM by its width, by split",
    SEEDS: "Untrained models, seed by seed",
    NETWORKS: "Scores layer by layer, a panel a network",
    SUBSETS: "Subsets of the feature spaces, and starred models",
    UNITS: "Unit by unit: best without against best with the language model",
    MAPS: "Every unit in its place in the file",
    BRAINS: "Glass brains: the highest unit along each axis",
    SIZES: "How often the tests find something where nothing is",
    POSITIONS: "What the features of position look like",
    LENGTH: "The length of a sentence in an untrained model",
}


def stems() -> tuple[str, ...]:
    """Return the file names of the figures without their suffixes."""
    return tuple(TITLES)


def figures() -> tuple[str, ...]:
    """Return every file name that `figures.draw` writes: each figure as SVG and as PNG."""
    return tuple(f"{stem}{ending}" for stem in TITLES for ending in (".svg", ".png"))


def title(name: str) -> str:
    """Return the title of the figure with a file name."""
    return TITLES[PurePath(name).stem]

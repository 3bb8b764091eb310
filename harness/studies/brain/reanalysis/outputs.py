"""File names, titles and captions of the reanalysis' figures and page; the same in every run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

REPORT = "reanalysis.html"
R2, PEARSON, CURVES, OMEGAS, TESTS = (
    "figure-published-r2",
    "figure-published-pearson",
    "figure-published-layers",
    "figure-published-omegas",
    "figure-published-tests",
)
TITLES: Mapping[str, str] = {
    R2: "Published R2 out of sample, by participant",
    PEARSON: "Published Pearson r, by participant",
    CURVES: "Published curves over layers, by split",
    OMEGAS: "Published omegas, by participant",
    TESTS: "Published p-values: share of units below .05, raw and after FDR",
}
CAPTIONS: Mapping[str, str] = {
    R2: "Means over participants, who are the dots, as generation H averages: signed means over units, clipped at 0. "
    "Best layers and widths were chosen on test data by the authors, so all of these are biased upward.",
    PEARSON: "As above, with the mean of Pearson's r over folds in place of R2.",
    CURVES: "Every layer of a model under both splits; the ring is the layer with the highest score. Layer 0 is what a "
    "model looks up before any context, and a correlation of the two curves can hang on it alone.",
    OMEGAS: "Dots are participants. The diamond leaves out participants whose language model scores nothing, for whom "
    "omega is 100 by its definition.",
    TESTS: "Counted from the authors' p-values, by rows or by blocks of rows. How often such tests find something "
    "where nothing is, this project measured on simulated recordings, and tells on the page of the demo.",
}


def stems() -> tuple[str, ...]:
    """Return the file names of the figures without their suffixes, in the order of the page."""
    return tuple(TITLES)


def figures() -> tuple[str, ...]:
    """Return every file name that the figures' step writes: each figure as SVG and as PNG."""
    return tuple(f"{stem}{ending}" for stem in TITLES for ending in (".svg", ".png"))


def title(name: str) -> str:
    """Return the title of the figure with a file name."""
    return TITLES[PurePath(name).stem]

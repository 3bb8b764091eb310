"""File names and titles of the figures and the page, known from tasks and instruments before any step runs.

Independent of values.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import PurePath

REPORT = "report.html"
GRADER = "grader"  # the role of the instrument that computes LMScore
BOXES = "biogr"  # the task whose answers are boxes
BENCHMARKS = "figure-benchmarks"  # drawn by a step of its own, which reads the paper's printed numbers
TITLES: Mapping[str, str] = {
    "figure-averages": "Average over the tasks, model by model",
    "figure-tasks": "Each task: the mean of each model, and the spread of the records",
    "figure-difficulty": "Easy, medium and hard records",
    "figure-length": "Proteins by the length of their sequence",
    "figure-lengths": "How long documents and ideal answers are",
    "figure-boxes": "Boxes of maps: how far off, how large, how often unusable",
    "figure-lmscore": "How far LMScore ranks answers as other scorers do",
    BENCHMARKS: "CURIE beside other benchmarks",
}
ALWAYS = ("figure-averages", "figure-tasks", "figure-difficulty", "figure-length", "figure-lengths")


def stems(tasks: Collection[str], instruments: Collection[str]) -> tuple[str, ...]:
    """Return the names of a run's figures without endings: those of every run, of its tasks and of its instruments.

    The figure of other benchmarks is not among them.
    """
    boxes = ("figure-boxes",) if BOXES in tasks else ()
    return (*ALWAYS, *boxes, *(("figure-lmscore",) if GRADER in instruments else ()))


def figures(tasks: Collection[str], instruments: Collection[str]) -> tuple[str, ...]:
    """Return the name of every file that `figures.draw` writes: each figure as SVG and as PNG."""
    return tuple(f"{stem}{ending}" for stem in stems(tasks, instruments) for ending in (".svg", ".png"))


def benchmarks() -> tuple[str, str]:
    """Return the names of the files of the figure of other benchmarks."""
    return f"{BENCHMARKS}.svg", f"{BENCHMARKS}.png"


def title(name: str) -> str:
    """Return the title of the figure with this file name."""
    return TITLES[PurePath(name).stem]

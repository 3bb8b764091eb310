"""The histogram of units by two scores: of a model without the language model, and of the same model with it.

It reads what the fits say of every unit; it must never know a participant or a network.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import arrays, rows
from harness.errors import InputError
from harness.studies import plots
from harness.studies.brain.measures import naming, pooling
from harness.studies.brain.pages import outputs
from harness.studies.brain.pages.figures_rows import nothing
from harness.studies.brain.pages.run_basis import BrainRun
from harness.studies.brain.terms import INTERCEPT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = Any  # of numpy
ModelFiles = dict[str, dict[str, Path]]  # by model and experiment
UNTRAINED = naming.LANGUAGE_ARRAYS[1]
LEFT, TOP, HEAD, FOOT, ACROSS, BINS, MOST = 0.75, 0.7, 0.42, 0.62, 3, 40, 12


@dataclass(frozen=True)
class UnitPair:
    """The R2 of every unit by two nested models, where both are finite, and how many units are not."""

    title: str
    without: str
    model: str
    low: Array
    high: Array
    left_out: int


def units(run: BrainRun, fits: Path | None) -> plots.Sheet:
    """Draw a panel for each data set and split whose fits have a model with and without a language model.

    `fits` holds one file a group, in the order of the groups; InputError where they are not as many. No more than
    twelve panels are drawn.
    """
    pairs = _pairs(run, fits)
    origin = " Simulated recordings (OURS), null units among them." if run.simulated else ""
    note = f"Every unit of every network that has a finite score; what has none is counted.{origin}"
    if not pairs:
        return nothing(outputs.TITLES[outputs.UNITS], note)
    columns = 2 if len(pairs) in (2, 4) else ACROSS
    width, deep = plots.WIDTH / ACROSS, math.ceil(len(pairs) / columns)
    side = width - LEFT - 0.3
    sheet = plots.sheet(plots.WIDTH, TOP + deep * (HEAD + side + FOOT) + plots.depth(note))
    sheet.heading(outputs.TITLES[outputs.UNITS], "R2 out of sample, a unit each.")
    for at, pair in enumerate(pairs):
        left, top = at % columns * width + LEFT, TOP + at // columns * (HEAD + side + FOOT) + HEAD
        sheet.above(left, top - 0.25, plots.label(pair.title, 0.78 * width))
        above = int((pair.high > pair.low).sum())
        told = f"above the line: {above:,} of {len(pair.low):,} units"
        told += f"; {pair.left_out:,} without a score" if pair.left_out else ""
        sheet.above(left, top - 0.1, told, **{**plots.FAINT, "fontweight": "normal"})
        _panel(sheet.panel(left, top, side, side), pair)
    sheet.small_print(note)
    return sheet


def nested_pair(models: Collection[str], text_models: Collection[str]) -> tuple[str, str] | None:
    """Name the model of most bands that holds one trained language model, and the same without it; None without any."""
    found = []
    for name in models:
        own = naming.bands(name)
        band = naming.sole_language(own, text_models)
        without = "+".join(each for each in own if each != band)
        if band and band != UNTRAINED and without in models:
            found.append((len(own), without, name))
    if not found:
        return None
    most = max(found, key=lambda each: each[0])
    return most[1], most[2]


def _pairs(run: BrainRun, fits: Path | None) -> list[UnitPair]:
    """Read the units of each data set and split; its models may stand in several files, and do in each experiment."""
    if fits is None:
        return []
    files = rows.parts(fits)
    if len(files) != len(run.groups):
        told = f"{len(files)} parts stand beside {len(run.groups)} groups"
        raise InputError(told, where="fits", next="give one for each")
    merged: dict[tuple[str, str], ModelFiles] = {}
    texts = {name for group in run.groups for name in group.get("text_models") or ()}
    for path, group in zip(files, run.groups, strict=True):
        own = merged.setdefault((group["dataset"], group["split"]), {})
        for name in group["models"]:
            own.setdefault(name, {})[str(group.get("experiment") or "")] = path
    made = [
        _pair(own, f"{run.title(dataset)}, {split}", *named)
        for (dataset, split), own in merged.items() if (named := nested_pair(own, texts))
    ]  # fmt: skip
    return [pair for pair in made if len(pair.low)][:MOST]


def _pair(files: ModelFiles, title: str, without: str, name: str) -> UnitPair:
    import numpy as np  # noqa: PLC0415

    both = sorted(files[without].keys() & files[name].keys())
    low, high = (np.concatenate([_scores(files[model][each], model) for each in both] or [[]])
                 for model in (without, name))  # fmt: skip
    took_part = np.concatenate([_took_part(files[name][each]) for each in both] or [np.zeros(0, bool)])
    known = np.isfinite(low) & np.isfinite(high) & took_part
    return UnitPair(title, without, name, low[known], high[known], int((took_part & ~known).sum()))


def _scores(path: Path, model: str) -> Array:
    """Give a model's R2 of every unit of one file."""
    own, mean = (arrays.read(path, f"{each}.mse") for each in (model, INTERCEPT))
    return pooling.r2(own, mean, arrays.read(path, "fold_rows"))


def _took_part(path: Path) -> Array:
    """Tell which units did the experiment: those that the training mean was held against."""
    import numpy as np  # noqa: PLC0415

    return ~np.isnan(arrays.read(path, f"{INTERCEPT}.mse")).all(axis=0)


def _panel(axes: Axes, pair: UnitPair) -> None:
    import numpy as np  # noqa: PLC0415
    from matplotlib.collections import PolyCollection  # noqa: PLC0415

    both = np.concatenate([pair.low, pair.high])
    low, high = max(float(both.min()), -0.25), min(float(both.max()), 1.0)
    high = max(high, low + 0.01)
    edges = np.linspace(low, high, BINS + 1)
    counts, _, _ = np.histogram2d(np.clip(pair.low, low, high), np.clip(pair.high, low, high), bins=[edges, edges])
    full = np.argwhere(counts > 0)
    squares = [[(edges[x], edges[y]), (edges[x + 1], edges[y]), (edges[x + 1], edges[y + 1]), (edges[x], edges[y + 1])]
               for x, y in full]  # fmt: skip
    depth = [math.log1p(counts[x, y]) / math.log1p(counts.max()) for x, y in full]
    colours = [(0.62 * (1 - each), 0.30 + 0.52 * (1 - each), 0.50 + 0.42 * (1 - each)) for each in depth]
    axes.add_collection(PolyCollection(squares, facecolors=colours, edgecolors="none", zorder=2))
    axes.plot([low, high], [low, high], color=plots.INK, linewidth=0.9, linestyle=(0, (4, 3)), zorder=3)
    axes.set(xlim=(low, high), ylim=(low, high))
    axes.locator_params(axis="both", nbins=5)
    axes.set_xlabel(plots.label(pair.without, 2.4))
    axes.set_ylabel(plots.label(pair.model, 2.4))

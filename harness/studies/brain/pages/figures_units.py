"""The histogram of units by two scores: the best subset without a language model, and the best with it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.kit import charts
from harness.studies.brain.measures.curves import pearson
from harness.studies.brain.measures.fits import SplitFits
from harness.studies.brain.pages import outputs
from harness.studies.brain.pages.figures_rows import nothing, spelled
from harness.studies.brain.pages.joint_models import JointModels, joint_models
from harness.studies.brain.pages.run_basis import BrainRun
from harness.studies.brain.pages.unit_scores import MeasuredUnits, best_of
from harness.studies.brain.terms import CONTIGUOUS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = Any  # a numpy array
LEFT, TOP, HEAD, FOOT, ACROSS, BINS, MOST = 0.75, 0.7, 0.42, 0.62, 3, 40, 24
SHADES, PALEST, DARKEST = 12, (158, 209, 235), (0, 77, 128)  # colours of a square with one unit and with the most


@dataclass(frozen=True)
class UnitPair:
    """The highest R2 of every unit without and with a language model if both are finite, and how many lack one."""

    title: str
    without: str
    model: str
    low: Array
    high: Array
    left_out: int

    def told(self) -> str:
        """Return how many units are above the line, how many have no score, and the correlation of the two scores."""
        above = int((self.high > self.low).sum())
        r = pearson(self.low.tolist(), self.high.tolist())
        parts = [f"above the line: {above:,} of {len(self.low):,} units"]
        parts += [f"{self.left_out:,} without a score"] if self.left_out else []
        return "; ".join([*parts, "no correlation" if r is None else f"r = {spelled(r)}"])


def units(run: BrainRun, found: MeasuredUnits) -> charts.Sheet:
    """Draw one panel per language model, data set and split, if the model is fitted with other bands and those are too.

    Contiguous splits and trained models come first. Of models that differ only in their seed, the first is drawn. At
    most 24 panels are drawn; the small print says how many are left out.
    """
    pairs = _pairs(run, found)
    origin = " Simulated recordings (OURS), null units among them." if run.simulated else ""
    more = f" {len(pairs) - MOST} panels more are left out." if len(pairs) > MOST else ""
    note = (
        "Every unit of every network that has a finite score; what has none is counted. *: the highest of several "
        f"subsets on test data, in each unit. Of models that part by the seed of their weights the first.{more}{origin}"
    )
    if not pairs:
        return nothing(outputs.TITLES[outputs.UNITS], note)
    pairs = pairs[:MOST]
    columns = 2 if len(pairs) in (2, 4) else ACROSS
    width, deep = charts.WIDTH / ACROSS, math.ceil(len(pairs) / columns)
    side = width - LEFT - 0.3
    sheet = charts.sheet(charts.WIDTH, TOP + deep * (HEAD + side + FOOT) + charts.depth(note))
    sheet.heading(outputs.TITLES[outputs.UNITS], "R2 out of sample, a unit each.")
    for at, pair in enumerate(pairs):
        left, top = at % columns * width + LEFT, TOP + at // columns * (HEAD + side + FOOT) + HEAD
        sheet.above(left, top - 0.25, charts.label(pair.title, 0.74 * width))
        sheet.above(left - 0.3, top - 0.1, pair.told(), **{**charts.FAINT, "fontweight": "normal"})
        _panel(sheet.panel(left, top, side, side), pair)
    sheet.small_print(note)
    return sheet


def _pairs(run: BrainRun, found: MeasuredUnits) -> list[UnitPair]:
    listed = [
        (own, joint)
        for own in found.splits
        for joint in joint_models(own.models, own.text_models)
        if run.set_of(joint.model)[1] == 0
    ]
    listed.sort(key=lambda pair: (pair[0].split != CONTIGUOUS, run.is_untrained(pair[1].model)))
    made: list[UnitPair] = []
    for own, joint in listed:
        pair = _pair(f"{joint.model} in {own.dataset}, {own.split}", own, joint)
        made += [pair] if len(pair.low) else []
    return made


def _pair(title: str, own: SplitFits, joint: JointModels) -> UnitPair:
    import numpy as np  # noqa: PLC0415

    low, high = best_of(own, joint.without), best_of(own, joint.with_it)
    known = np.isfinite(low) & np.isfinite(high)
    without, model = _starred(joint.base, joint.without), _starred(joint.joint, joint.with_it)
    return UnitPair(title, without, model, low[known], high[known], int((~known).sum()))


def _starred(name: str, models: Sequence[str]) -> str:
    return f"{name}*" if len(models) > 1 else name


def _panel(axes: Axes, pair: UnitPair) -> None:
    import numpy as np  # noqa: PLC0415

    palest, darkest = np.array(PALEST), np.array(DARKEST)
    both = np.concatenate([pair.low, pair.high])
    low, high = max(float(both.min()), -0.25), min(float(both.max()), 1.0)
    high = max(high, low + 0.01)
    edges = np.linspace(low, high, BINS + 1)
    counts, _, _ = np.histogram2d(np.clip(pair.low, low, high), np.clip(pair.high, low, high), bins=[edges, edges])
    step = np.ceil(SHADES * np.log1p(counts) / math.log1p(counts.max()) - 1e-9)  # the largest count must not round up
    depth = (step / SHADES).T[..., None]
    colours = np.where(depth > 0, palest + depth * (darkest - palest), 255).round().astype(np.uint8)
    axes.imshow(colours, origin="lower", extent=(low, high, low, high), interpolation="none", aspect="auto", zorder=2)
    axes.plot([low, high], [low, high], color=charts.INK, linewidth=0.9, linestyle=(0, (4, 3)), zorder=3)
    axes.set(xlim=(low, high), ylim=(low, high))
    axes.locator_params(axis="both", nbins=5)
    axes.set_xlabel(charts.label(pair.without, 2.4))
    axes.set_ylabel(charts.label(pair.model, 2.4))

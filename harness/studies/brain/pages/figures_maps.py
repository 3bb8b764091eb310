"""The flat map: every unit as a square in the order of the file, by participant and network, coloured by its score."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from harness.kit import charts
from harness.studies.brain.measures.aggregation import aggregate
from harness.studies.brain.measures.fits import SplitFits
from harness.studies.brain.measures.naming import BEST
from harness.studies.brain.pages import outputs
from harness.studies.brain.pages.figures_cells import scale, shaded
from harness.studies.brain.pages.figures_rows import nothing, spelled
from harness.studies.brain.pages.joint_models import JointModels, joint_models
from harness.studies.brain.pages.run_basis import BrainRun
from harness.studies.brain.pages.unit_scores import MeasuredUnits
from harness.studies.brain.rowtypes import RecordedUnit
from harness.studies.brain.terms import CONTIGUOUS, NETWORKS

Array = Any  # a numpy array
NAMES, TOP, HEAD, FOOT, GAP, WIDE = 1.5, 0.62, 0.45, 0.4, 0.35, 240  # inches, and the most squares in a row
MOST = 15_000  # the most squares in a figure's maps of one kind; limits the size of the file
SQUARE, SQUARES = "A square is a unit", "A square is the mean of up to {} units that stand together"
PART = 99  # percent of the units whose scores are below the end of a scale


class UnitMap(NamedTuple):
    """One map of the recorded units: the words above the panel, and a value per unit, NaN if it has none."""

    title: str
    values: Array


@dataclass(frozen=True)
class MappedUnits:
    """A data set's units and its two maps: the score of the model that is shown, and its gain over simple spaces."""

    dataset: str
    recorded: Sequence[RecordedUnit]
    maps: tuple[UnitMap, ...]


def maps(run: BrainRun, found: MeasuredUnits) -> charts.Sheet:
    """Draw the flat maps of each data set with contiguous fits of a trained language model."""
    shown = mapped(run, found)
    laid = [_Flat.of(one.recorded, MOST // len(shown)) for one in shown]
    together = max((flat.together for flat in laid), default=1)
    note = (
        f"{SQUARES.format(together) if together > 1 else SQUARE}; each network begins a row. The scale "
        "ends at the score that 99 of 100 units stay below, "
        f"and what lies beyond stands at its end; orange is below 0. White: no score.{run.origin()}"
    )
    if not shown:
        return nothing(outputs.TITLES[outputs.MAPS], note)
    high = math.fsum(HEAD + flat.rows * flat.side + FOOT for flat in laid)
    sheet = charts.sheet(charts.WIDTH, TOP + high + charts.depth(note))
    sheet.heading(outputs.TITLES[outputs.MAPS], "R2 out of sample under contiguous splits.")
    top, width = TOP, (charts.WIDTH - NAMES - 0.15 - GAP) / 2
    for one, flat in zip(shown, laid, strict=True):
        _names(sheet, flat, top + HEAD)
        for at, own in enumerate(one.maps):
            left = NAMES + at * (width + GAP)
            sheet.above(left, top + HEAD - 0.24, charts.label(f"{one.dataset}: {own.title}", 0.9 * width))
            lowest, highest = ends(own.values)
            scale(sheet, left, top + HEAD - 0.16, lowest, highest)
            drawn = sheet.panel(left, top + HEAD, width, flat.rows * flat.side)
            picture(drawn, shaded(flat.grid(own.values), lowest, highest))
        top += HEAD + flat.rows * flat.side + FOOT
    sheet.small_print(note)
    return sheet


def picture(axes: Any, colours: Array, *, framed: bool = False) -> None:
    """Draw an image of [row, column, 3] bytes that fills the panel, without axes, and with a frame if `framed`."""
    axes.imshow(colours, interpolation="none", aspect="auto")
    axes.set(xticks=[], yticks=[])
    for spine in axes.spines.values():
        spine.set(visible=framed, color=charts.LINE)


def mapped(run: BrainRun, found: MeasuredUnits) -> list[MappedUnits]:
    """Choose for each data set the trained language model with the highest contiguous score, and map its units."""
    made = [_mapped(run, found, own) for own in found.splits if own.split == CONTIGUOUS]
    return [one for one in made if one is not None]


def _mapped(run: BrainRun, found: MeasuredUnits, own: SplitFits) -> MappedUnits | None:
    import numpy as np  # noqa: PLC0415

    joints = [one for one in joint_models(own.models, own.text_models, simple=True) if not run.is_untrained(one.model)]
    alone = {one: name for one in joints if (name := _alone(run, own, one)) in own.models}
    averaged = {one: aggregate(own.r2(name), own.units, run.generation).score for one, name in alone.items()}
    known = {one: score for one, score in averaged.items() if score is not None}
    if not known:
        return None
    joint = max(known, key=lambda one: known[one])
    score = found.by_column(own, own.r2(alone[joint]))
    with_it, without = (own.r2(name) for name in (joint.joint, joint.base))
    known_both = np.isfinite(with_it) & np.isfinite(without)
    gain = found.by_column(own, np.where(known_both, np.where(known_both, with_it, 0) - without, np.nan))
    shown = (
        UnitMap(f"{alone[joint]}, language mean {spelled(known[joint])}", score),
        UnitMap(f"{joint.joint} less {joint.base}", gain),
    )
    return MappedUnits(run.title(own.dataset), found.recorded[own.dataset], shown)


def _alone(run: BrainRun, own: SplitFits, joint: JointModels) -> str:
    """Return the fitted model of the joint model's language model alone: its chosen layer if it is a text model."""
    chosen = run.score(own.dataset, own.split, joint.model).model
    return chosen if joint.band.endswith(f"@{BEST}") and chosen in own.models else joint.band


def ends(values: Array) -> tuple[float, float]:
    """Return the ends of a scale: the 1st and 99th percentile of the values.

    The scale includes 0 and does not go below -1.
    """
    import numpy as np  # noqa: PLC0415

    known = values[np.isfinite(values)]
    if not len(known):
        return 0.0, 1.0
    low, high = np.percentile(known, [100 - PART, PART]).tolist()
    return max(min(low, 0.0), -1.0), max(high, 0.001)


class _Strip(NamedTuple):
    """Units of one participant and network in order, and the row where they begin."""

    name: str
    row: int
    rows: int
    units: Array


@dataclass(frozen=True)
class _Flat:
    """The layout of a data set's units in its flat map."""

    strips: tuple[_Strip, ...]
    columns: int
    rows: int
    together: int  # units per square: more than one if there are too many to draw

    @property
    def side(self) -> float:
        """The height of a row in inches; it shrinks with the number of rows."""
        return min(0.16, max(0.02, 5.0 / self.rows))

    @staticmethod
    def of(recorded: Sequence[RecordedUnit], most: int) -> _Flat:
        """Lay out units by participant and network in about `most` squares, with a blank row between participants."""
        groups, together = dict(_grouped(recorded)), math.ceil(len(recorded) / most) or 1
        widest = max((math.ceil(len(units) / together) for units in groups.values()), default=1)
        columns = widest if widest <= WIDE // 2 else WIDE
        strips, row, before = [], 0, ""
        for (who, network), units in groups.items():
            row += 1 if before not in ("", who) else 0
            rows = math.ceil(math.ceil(len(units) / together) / columns)
            strips.append(_Strip(f"{who}, {network}", row, rows, units))
            row, before = row + rows, who
        return _Flat(tuple(strips), columns, row, together)

    def grid(self, values: Array) -> Array:
        """Return the value of each unit as [row, column]; NaN if there is no unit, or no unit with a value."""
        import numpy as np  # noqa: PLC0415

        found = np.full(self.rows * self.columns, np.nan)
        for strip in self.strips:
            own = np.full(-(-len(strip.units) // self.together) * self.together, np.nan)
            own[: len(strip.units)] = values[strip.units]
            parts = own.reshape(-1, self.together)
            counted = np.isfinite(parts).sum(axis=1)
            means = np.divide(np.nansum(parts, axis=1), counted, out=np.full(len(parts), np.nan), where=counted > 0)
            start = strip.row * self.columns
            found[start : start + len(means)] = means
        return found.reshape(self.rows, self.columns)


def _grouped(recorded: Sequence[RecordedUnit]) -> Iterator[tuple[tuple[str, str], list[int]]]:
    """Yield the units of each participant and network: participants sorted, networks in the paper's order."""
    found: dict[tuple[str, str], list[int]] = {}
    for place, unit in enumerate(recorded):
        found.setdefault((unit["participant"], unit["network"]), []).append(place)
    order = {name: place for place, name in enumerate(NETWORKS)}
    yield from sorted(found.items(), key=lambda each: (each[0][0], order.get(each[0][1], len(order)), each[0][1]))


def _names(sheet: charts.Sheet, flat: _Flat, top: float) -> None:
    """Write the name of each strip that is high enough for text."""
    for strip in flat.strips:
        if strip.rows * flat.side >= 0.095:
            place = top + (strip.row + strip.rows / 2) * flat.side
            words = charts.label(strip.name, NAMES - 0.25, charts.SMALL)
            sheet.text(NAMES - 0.1, place, words, ha="right", va="center", fontsize=charts.SMALL)

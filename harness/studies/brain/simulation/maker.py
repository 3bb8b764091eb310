"""The step that makes a simulated dataset: stimuli with texts, units, recordings and features.

OURS; contains no person's activity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from harness import arrays, rows
from harness.errors import InputError
from harness.studies.brain.rowtypes import RecordedUnit, Stimulus
from harness.studies.brain.simulation.places import count_of, places
from harness.studies.brain.simulation.recipes import (
    DEFAULT,
    NULL_EVERY,
    OTHER_EVERY,
    PARTICIPANTS,
    RECIPES,
    UNITS,
    VERSION,
    weight_names,
    weights_for,
)
from harness.studies.brain.simulation.sentences import texts
from harness.studies.brain.simulation.world import simulate
from harness.studies.brain.structure import others
from harness.studies.brain.structure.layout import Layout
from harness.studies.brain.structure.pereira import designed, parse_label, pereira
from harness.studies.brain.terms import BLANK, EXP1, FEDORENKO, LANGUAGE, NETWORKS, PEREIRA

OUTPUTS = ("stimuli", "units", "recordings", "features", "counts")
NONE: Mapping[str, int] = MappingProxyType({})
CUTS = {
    "categories": PEREIRA,
    "sentences": FEDORENKO,
    "scans": BLANK,
}  # the parameter that reduces each layout
MOST = 20_000  # units; known recordings have at most about five times as many


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write a simulated dataset of brain responses; `params` name layout, world and seed, and may change any weight.

    Raises InputError for an unknown layout or world, and for an impossible number or weight.
    """
    cut = {name: params[name] for name in CUTS if name in params}
    layout = simulated_layout(params.get("layout", PEREIRA), params.get("experiment", EXP1), cut)
    counts = params.get("participants", PARTICIPANTS), params.get("units", UNITS)
    units = recorded_units(*counts, NETWORKS if params.get("networks") == "five" else NETWORKS[:2])
    changed = {name: params[name] for name in weight_names() if name in params}
    weights = weights_for(layout.dataset, params.get("world", DEFAULT), changed)
    world = simulate(layout, weights, params["seed"], [unit["signal"] for unit in units])
    stimuli = _stimuli(layout, texts(layout.dataset, places(layout), world.lengths, params["seed"]), world.lengths)
    rows.write(out / "stimuli", stimuli)
    rows.write(out / "units", units)
    arrays.write(out / "recordings", world.recordings)
    arrays.write_all(out / "features", world.features)
    rows.write_one(out / "counts", _counts(layout, units, params))


def simulated_layout(dataset: str, experiment: str = EXP1, cut: Mapping[str, int] = NONE) -> Layout:
    """Return the rows that are simulated: all rows of the dataset (for Pereira, of one experiment), or fewer.

    `cut` is the number of Pereira's `categories`, of Fedorenko's `sentences`, or of the `scans` of each of Blank's
    stories. With fewer categories, the first half of them is again the first half. Raises InputError for an unknown
    dataset, for a cut of another dataset, and for a number below 2 or above the dataset's.
    """
    if dataset not in RECIPES:
        raise InputError(f"there is no layout {dataset!r}", where="layout", next=f"give one of: {', '.join(RECIPES)}")
    if strange := [name for name in cut if CUTS[name] != dataset]:
        raise InputError(f"{dataset} has no {strange[0]}", where=strange[0], next="leave it out")
    if dataset == PEREIRA:
        whole = pereira(experiment)
        return _first(whole, cut["categories"]) if "categories" in cut else whole
    if dataset == FEDORENKO:
        return others.fedorenko(_within("sentences", cut.get("sentences", others.SENTENCES), others.SENTENCES))
    scans = _within("scans", cut.get("scans", max(others.TRS.values())), max(others.TRS.values()))
    return others.blank({story: min(scans, count) for story, count in others.TRS.items()})


def recorded_units(participants: int, units: int, networks: Sequence[str] = NETWORKS[:2]) -> list[RecordedUnit]:
    """Return the units of simulated participants: every third is of another network, every fifth has only noise.

    The other networks alternate. Raises InputError for less than one participant or unit, and for more than 20,000
    units.
    """
    if participants < 1 or units < 1 or participants * units > MOST:
        told = f"{participants} participants of {units} units are asked for"
        raise InputError(told, where="participants, units", next=f"ask for one of each, and {MOST:,} units at most")
    return [
        RecordedUnit(
            id=f"sim{participant}.{unit:03d}",
            participant=f"sim{participant}",
            network=networks[1 + unit // OTHER_EVERY % (len(networks) - 1)] if unit % OTHER_EVERY == 0 else networks[0],
            signal=unit % NULL_EVERY != 0,
        )
        for participant in range(1, participants + 1)
        for unit in range(1, units + 1)
    ]


def _first(whole: Layout, count: int) -> Layout:
    """Return a design with only the first categories of each experiment, so that their halves are computed anew."""
    sizes: dict[str, dict[str, list[int]]] = {}
    for rows_of in whole.block_rows().values():
        one = parse_label(whole.labels[rows_of[0]])
        sizes.setdefault(one.experiment, {}).setdefault(one.category, []).append(len(rows_of))
    fewest = min(map(len, sizes.values()))
    _within("categories", count, fewest)
    return designed({name: {each: some[each] for each in sorted(some)[:count]} for name, some in sizes.items()})


def _within(name: str, count: int, most: int) -> int:
    if not 2 <= count <= most:
        raise InputError(f"{count} {name} are asked for, there are {most}", where=name, next=f"ask for 2 to {most}")
    return count


def _stimuli(layout: Layout, said: Sequence[str], lengths: Sequence[int]) -> list[Stimulus]:
    made = []
    for row, text in enumerate(said):
        stimulus = Stimulus(
            id=layout.ids[row],
            label=layout.labels[row],
            block=layout.blocks[row],
            position=layout.positions[row],
            text=text,
        )
        if layout.experiments[row]:
            stimulus["experiment"] = layout.experiments[row]
        if layout.dataset != FEDORENKO:  # in Fedorenko, a row is a word
            stimulus["words"] = lengths[row]
        made.append(stimulus)
    return made


def _counts(layout: Layout, units: Sequence[RecordedUnit], params: Mapping[str, Any]) -> dict[str, Any]:
    at = places(layout)
    return {
        "version": VERSION,
        "layout": layout.dataset,
        "world": params.get("world", DEFAULT),
        "rows": len(layout.ids),
        "blocks": count_of(at.blocks),
        "categories": count_of(at.categories),
        "passages": count_of(at.passages),
        "participants": len({unit["participant"] for unit in units}),
        "units": len(units),
        "language": sum(unit["network"] == LANGUAGE for unit in units),
        "signal": sum(unit["signal"] for unit in units),
    }

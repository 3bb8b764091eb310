"""Pereira's rows as published: two experiments, their categories, and the number of sentences of each passage.

Facts of the published stimuli. Which categories form the first half is not published. OURS, and the assumption of the
golden values, is that it is the first half of the sorted categories.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from harness.errors import InputError
from harness.studies.brain.structure.labels import HALVES, PereiraLabel, parse_label
from harness.studies.brain.structure.layout import ORDER, Layout
from harness.studies.brain.terms import EXP1, EXP2, PEREIRA

__all__ = ["PereiraLabel", "designed", "parse_label", "pereira"]

_EXP1 = (
    "animal appliance bird body_part building_part clothing crime disaster drink_non_alcoholic dwelling fish fruit"
    " furniture human insect kitchen_utensil landscape music place profession tool vegetable vehicles_transport weapon"
)
_EXP2 = (
    "astronaut beekeeping blindness bone_fracture castle computer_graphics dreams gambling hurricane ice_cream"
    " infection law_school lawn_mower opera owl painter pharmacist polar_bear pyramid rock_climbing skiing stress taste"
    " tuxedo"
)
_ALL_OF_4 = "4444"
_USUAL = "433"  # sentences of a category's passages, one digit per passage
_UNUSUAL = {
    "beekeeping": "443",
    "bone_fracture": "443",
    "ice_cream": "343",
    "opera": "434",
    "rock_climbing": "344",
    "taste": "333",
}


def pereira(experiment: str = "") -> Layout:
    """Return the layout of the 627 sentences of Pereira, or of one experiment; raise InputError for any other."""
    first = {name: [*map(int, _UNUSUAL.get(name, _USUAL))] for name in _EXP2.split()}
    second = {name: [*map(int, _ALL_OF_4)] for name in _EXP1.split()}
    return designed({EXP2: first, EXP1: second}).only(experiment)


def designed(passages: Mapping[str, Mapping[str, Sequence[int]]]) -> Layout:
    """Return the layout of a custom design, {experiment: {category: sentences of each passage}}.

    Rows are in the study's order; the first half of an experiment's sorted categories is `fh`. Raises InputError for an
    unknown experiment, a passage without sentences, and a design without rows.
    """
    if unknown := sorted({*passages} - {*ORDER}):
        raise InputError(
            f"no experiment is called {unknown[0][:80]!r}", where=PEREIRA, next=f"use {' or '.join(ORDER)}"
        )
    rows = [row for name in ORDER for row in _rows(name, passages.get(name, {}))]
    if not rows:
        raise InputError("the design has no rows", where=PEREIRA, next="give categories with passages")
    return Layout(
        PEREIRA,
        tuple(f"{_block(label)}-{position}" for label, position in rows),
        tuple(label.text() for label, _ in rows),
        tuple(_block(label) for label, _ in rows),
        tuple(position for _, position in rows),
        tuple(label.experiment for label, _ in rows),
    )


def _rows(experiment: str, lengths: Mapping[str, Sequence[int]]) -> Iterator[tuple[PereiraLabel, int]]:
    for place, category in enumerate(sorted(lengths)):
        half = HALVES[2 * place >= len(lengths)]
        for passage, length in enumerate(lengths[category]):
            if length < 1:
                raise InputError("a passage has no sentence", where=f"{category[:80]}, {passage}", next="leave it out")
            label = parse_label(PereiraLabel(experiment, category, passage, half).text())
            yield from ((label, position) for position in range(length))


def _block(label: PereiraLabel) -> str:
    return f"{label.experiment}-{label.category}-{label.passage}"

"""The maker of the demo's PDB records: real sequences on made-up folds of textbook geometry, as ATOM records.

Gold is the residues that have atoms, with X for a residue that the record does not name. A fold is not that of the real
protein. Independent of prompts, models and scoring.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import seeds
from harness.studies.curie.data.records import TaskRecord, write
from harness.studies.curie.demo.backbone import BENDS, HELIX, STRAND, Point, chain, clashes
from harness.studies.curie.demo.documents import one
from harness.studies.curie.demo.residues import PROTEINS, THREE, DemoProtein
from harness.studies.curie.demo.selection import first, generated, named, stream

TASK = "pdb"
_TRIES = 20  # attempts to draw a fold without clashes
_REMARKS = (
    "REMARK   1 DEMO STRUCTURE, NOT AN ENTRY OF AN ARCHIVE",
    "REMARK   2 BACKBONE FROM TEXTBOOK GEOMETRY. THE FOLD IS MADE UP.",
    "REMARK   3 SIDE CHAINS ARE LEFT OUT BEYOND THE FIRST CARBON",
)


@dataclass(frozen=True, slots=True)
class _Spot:
    """An atom of a residue, or a water; `mark` is blank, or A or B if the atom has two positions."""

    name: str
    mark: str
    residue: str
    number: int
    place: Point


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `items`, `gold` and `counts` of the first `count` demo proteins, with folds drawn from `seed`.

    Raises InputError if the count is below one or above the number of proteins.
    """
    proteins = first(PROTEINS, params["count"], "proteins")
    write(TASK, [record(params["seed"], index) for index in range(len(proteins))], out)


def record(seed: int, index: int) -> TaskRecord:
    """Return the demo record of protein `index`, which depends on the seed and on no other record."""
    protein, name = PROTEINS[index], named(index)
    source = stream(seed, TASK, name)
    text = "\n".join([*_REMARKS, *_lines(source, protein), "END"]) + "\n"
    sequence = "".join(letter for _, letter in protein.shown)
    truth = json.dumps({"record_id": name, "sequence": sequence})
    return TaskRecord(name, text, truth, f">{name}\n{sequence}\n", protein.level, meta=generated(seed))


def _fold(source: seeds.Stream, length: int) -> list[Mapping[str, Point]]:
    """Draw stretches of helix and strand with bends between them; one long helix if every attempt has a clash."""
    for _ in range(_TRIES):
        torsions: list[tuple[float, float]] = []
        while len(torsions) < length:
            torsions += [one(source, (HELIX, STRAND))] * (6 + seeds.draw_below(source, 9))
            torsions += [one(source, BENDS) for _ in range(2 + seeds.draw_below(source, 2))]
        atoms = chain(torsions[:length])
        if not clashes(atoms):
            return atoms
    return chain([HELIX] * length)


def _lines(source: seeds.Stream, protein: DemoProtein) -> Iterator[str]:
    """Yield the lines of the chain's atoms, its end, and water as HETATM records."""
    atoms = _fold(source, len(protein.sequence))
    centre = _centre(atoms)
    serial = 0
    for number, letter in protein.shown:
        for spot in _placed(source, protein, number, letter, atoms[number - 1]):
            serial += 1
            yield _line("ATOM", serial, spot, centre, _heat(source))
    number, letter = protein.shown[-1]
    yield f"TER   {serial + 1:5d}      {THREE[letter]} A{number:4d}"
    for water in range(4 + seeds.draw_below(source, 5)):
        x, y, z = ((seeds.draw_below(source, 60_001) - 30_000) / 1000 for _ in range(3))
        spot = _Spot("O", " ", "HOH", 201 + water, (x, y, z))
        yield _line("HETATM", serial + 2 + water, spot, (0.0, 0.0, 0.0), _heat(source))


def _placed(
    source: seeds.Stream, protein: DemoProtein, number: int, letter: str, atoms: Mapping[str, Point]
) -> Iterator[_Spot]:
    """Yield the atoms of a residue; those with two positions come twice, marked A and B."""
    named = [(name, point) for name, point in atoms.items() if name != "CB" or letter != "G"]
    for mark in "AB" if number in protein.twofold else " ":
        shift = (200 + seeds.draw_below(source, 200)) / 1000 if mark == "B" else 0.0
        yield from (_Spot(name, mark, THREE[letter], number, (x + shift, y, z)) for name, (x, y, z) in named)


def _line(kind: str, serial: int, spot: _Spot, centre: Point, heat: float) -> str:
    """Return the line of one atom in the columns of the PDB format, with its position relative to the centre."""
    x, y, z = (spot.place[axis] - centre[axis] for axis in range(3))
    share = 1.0 if spot.mark == " " else 0.5
    return (
        f"{kind:<6}{serial:5d}  {spot.name:<3}{spot.mark}{spot.residue:>3} A{spot.number:4d}    "
        f"{x:8.3f}{y:8.3f}{z:8.3f}{share:6.2f}{heat:6.2f}          {spot.name[0]:>2}"
    )


def _heat(source: seeds.Stream) -> float:
    return (1000 + seeds.draw_below(source, 3000)) / 100


def _centre(atoms: Sequence[Mapping[str, Point]]) -> Point:
    x, y, z = (math.fsum(each["CA"][axis] for each in atoms) / len(atoms) for axis in range(3))
    return x, y, z

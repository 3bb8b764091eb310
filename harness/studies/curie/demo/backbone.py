"""Backbones of proteins in space: atoms placed from textbook bond lengths, bond angles and torsions.

Lengths and angles are those of Engh and Huber (1991) for most residues; the peptide bond is flat. Independent of
residue names, file formats and records.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

Point = tuple[float, float, float]
N_CA, CA_C, C_N, C_O, CA_CB = 1.458, 1.525, 1.329, 1.231, 1.530  # Å
N_CA_C, CA_C_N, C_N_CA, CA_C_O, C_CA_CB = 111.2, 116.2, 121.7, 120.8, 110.1  # degrees
_TURN_CB = 122.8  # torsion N, C, CA, CB of an L residue, for an angle N, CA, CB of 110.5 degrees
HELIX, STRAND = (-57.0, -47.0), (-120.0, 130.0)  # phi, psi
BENDS = ((-70.0, 140.0), (-65.0, -35.0), (-90.0, 0.0), (-75.0, 160.0))  # phi, psi of residues between such stretches
_NEAR = 3.7  # Å: two alpha carbons that are not neighbours in the chain clash below this distance


def chain(torsions: Sequence[tuple[float, float]]) -> list[Mapping[str, Point]]:
    """Return the coordinates of the atoms N, CA, C, O, CB of each residue, from its angles phi and psi in degrees.

    Every residue has a CB, which the caller leaves out for glycine. The phi of the first residue is not used. The psi
    of the last residue only places its O.
    """
    found: list[Mapping[str, Point]] = []
    n: Point = (0.0, 0.0, 0.0)
    ca: Point = (N_CA, 0.0, 0.0)
    bend = math.radians(N_CA_C)
    c: Point = (N_CA - CA_C * math.cos(bend), CA_C * math.sin(bend), 0.0)
    for at, (phi, psi) in enumerate(torsions):
        if at:
            n, ca, c = _next(n, ca, c, torsions[at - 1][1], phi)
        o = placed(n, ca, c, C_O, CA_C_O, psi + 180)
        cb = placed(n, c, ca, CA_CB, C_CA_CB, _TURN_CB)
        found.append({"N": n, "CA": ca, "C": c, "O": o, "CB": cb})
    return found


def _next(n: Point, ca: Point, c: Point, psi: float, phi: float) -> tuple[Point, Point, Point]:
    """Return N, CA and C of the next residue."""
    new_n = placed(n, ca, c, C_N, CA_C_N, psi)
    new_ca = placed(ca, c, new_n, N_CA, C_N_CA, 180)
    return new_n, new_ca, placed(c, new_n, new_ca, CA_C, N_CA_C, phi)


def placed(a: Point, b: Point, c: Point, length: float, angle: float, torsion: float) -> Point:
    """Return the position of atom d from its distance to c, angle b-c-d and torsion a-b-c-d, in degrees."""
    along = _unit(_minus(c, b))
    normal = _unit(_cross(_minus(b, a), along))
    across = _cross(normal, along)
    bend, turn = math.radians(angle), math.radians(torsion)
    parts = (
        -length * math.cos(bend),
        length * math.sin(bend) * math.cos(turn),
        length * math.sin(bend) * math.sin(turn),
    )
    x, y, z = (
        c[axis] + parts[0] * along[axis] + parts[1] * across[axis] + parts[2] * normal[axis] for axis in range(3)
    )
    return x, y, z


def clashes(atoms: Sequence[Mapping[str, Point]]) -> bool:
    """Whether two alpha carbons that are not neighbours are closer than neighbours are."""
    carbons = [each["CA"] for each in atoms]
    return any(
        math.dist(carbons[first], carbons[second]) < _NEAR
        for first in range(len(carbons))
        for second in range(first + 2, len(carbons))
    )


def _minus(a: Point, b: Point) -> Point:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _cross(a: Point, b: Point) -> Point:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _unit(a: Point) -> Point:
    size = math.hypot(*a)
    return a[0] / size, a[1] / size, a[2] / size

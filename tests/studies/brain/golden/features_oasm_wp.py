"""Features of time alone, asked by name: OASM blocks, whole matrices, word positions, ramps."""

from __future__ import annotations

from pathlib import Path

from golden.agree import Within
from golden.case import Tally, check
from golden.files import arrays

from harness.studies.brain.standalone.structure import ANALYSES

LENGTHS = "full_block_lengths"


def read(path: Path, tally: Tally) -> None:
    golden, run = arrays(path), ANALYSES["brain.features_oasm_wp"].run
    given = {LENGTHS: golden[LENGTHS]} if LENGTHS in golden else {}
    for name, matrix in golden.items():
        if name != LENGTHS:
            check(tally, name, {name: matrix}, run, (), (name,), within=Within(1e-12), more={name: None, **given})

"""By what a fit grows with its voxels, all of the largest recordings fit into memory; `make bench` measures that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FEW, MANY, ALL = 8_200, 14_000, 92_450  # voxels: beyond what is fitted at once, more, and of Pereira's EXP1
MOST = 2048  # MiB
PROGRAM = r"""
import re, sys
from pathlib import Path
import numpy as np
from harness import arrays, rows
from harness.studies.brain.fitting.step import fit
from harness.studies.brain.structure.pereira import pereira

place, units, of = Path(sys.argv[1]), int(sys.argv[2]), pereira()
names, fields = ("id", "label", "block", "position"), zip(of.ids, of.labels, of.blocks, of.positions)
rows.write(place / "stimuli", ({**dict(zip(names, row)), "text": "two words"} for row in fields))
rows.write(place / "units", ({"id": str(n), "participant": "018", "network": "language"} for n in range(units)))
source = np.random.default_rng(0)
with arrays.stream_writer(place / "recordings", "<f4", (627, units)) as add:
    for _ in range(627):
        add(source.standard_normal((1, units), dtype=np.float32))
params = {
    "dataset": "pereira", "experiment": "384", "generation": "P", "split": "shuffled", "seed": 42, "inner_rows": 48,
    "iterations": 1, "gamma_seed": 1, "models": ["SP"], "errors": ["SP"],
}
fit(params, {name: place / name for name in ("stimuli", "units", "recordings")}, place)
# Its own peak: what `getrusage` tells counts the process that started this one, too.
(place / "peak").write_text(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.long
def test_all_voxels_of_an_experiment_would_fit_into_two_gigabytes(tmp_path: Path) -> None:
    def peak(units: int) -> int:
        place = tmp_path / str(units)
        place.mkdir()
        command = [sys.executable, "-c", PROGRAM, str(place), str(units)]
        subprocess.run(command, capture_output=True, check=True)  # which prints how far the fit is
        return int((place / "peak").read_text()) // 1024

    few, many = peak(FEW), peak(MANY)
    assert few + (many - few) * (ALL - FEW) / (MANY - FEW) < MOST, (few, many)

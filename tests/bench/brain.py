"""What the banded ridge search of `brain` costs beside himalaya's, at equal weights of bands; choices must agree."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from bench.costs import FULL, Size
from bench.measure import Failed, ratio, spend
from bench.peers import environment
from bench.table import Row

from harness.run.environment import NUMERICS
from harness.steps import THREADS as WORKERS

HERE = Path(__file__).resolve().parent
TARGETS, GAMMAS, THREADS = 1_000, 20, 2
COUNTS = dict.fromkeys(("MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", WORKERS), str(THREADS))
STEP = {**NUMERICS, **COUNTS}  # of ours; a peer, told of threads alone, takes its fastest way
MARKS = {"numpy": 1 / 10, "torch": 1 / 2.4}  # shares of the wall time of himalaya's backends, not to be exceeded
LARGE = (13_553, 92_450)  # voxels of the language network in both experiments, and of all networks in EXP1
NEAR, AGREED = 1e-4, 0.99
MOST_MIB = 2048.0


def brain_rows(work: Path, size: Size) -> list[Row]:
    """Measure search and refit beside himalaya's, the floor, growth with targets, and a whole fit where CUDA is."""
    folder = work / "brain"
    folder.mkdir()
    count = GAMMAS if size is FULL else 4
    walls: dict[str, list[float]] = {side: [] for side in ("ours", *MARKS, "floor")}
    for _ in range(size.repeats):
        for side, found in walls.items():
            found.append(_run(folder, side, TARGETS, count)["wall"])
    _run(folder, "ours64", TARGETS, count)
    for backend in MARKS:
        _require_agreement(folder, backend)
    about = f"{TARGETS:,} targets, {count} weights of 3 bands, 25 alphas, 7 inner folds, {THREADS} threads"
    rows = [
        Row("brain", f"wall of search and refit of {about}, to himalaya on {backend}",
            tuple(map(ratio, walls["ours"], walls[backend])), mark)
        for backend, mark in MARKS.items()
    ]  # fmt: skip
    for side, what in (("ours", "search and refit"), ("floor", "the matrix products alone")):
        each = tuple(1000 * wall / count for wall in walls[side])
        rows.append(Row("brain", f"wall of {what} for one of the weights, {TARGETS:,} targets", each, None, "ms"))
    return [*rows, *_growth(folder, size), *_cuda(folder)]


def _run(folder: Path, side: str, targets: int, count: int) -> dict[str, Any]:
    env = environment(folder) | (COUNTS if side in MARKS else STEP)
    command: list[str | Path] = [sys.executable, HERE / "brain_run.py", folder, side, str(targets), str(count)]
    told: dict[str, Any] = json.loads(spend(command, env, folder).output)
    return told


def _require_agreement(folder: Path, backend: str) -> None:
    """Fail where scores or choices part from himalaya's, unless float64 sides with ours."""
    mine, its, exact = ({**np.load(folder / f"{side}.npz")} for side in ("ours", backend, "ours64"))
    apart = np.abs(mine["scores"] - its["scores"]) / np.abs(its["scores"])
    chosen = (mine["gamma"] == its["gamma"]) & (mine["alpha"] == its["alpha"])
    chosen |= (mine["gamma"] == exact["gamma"]) & (mine["alpha"] == exact["alpha"])
    if apart.mean() > NEAR or (apart.max(axis=0) <= NEAR).mean() < AGREED:
        raise Failed(
            f"scores are {apart.mean():.1e} from those of himalaya on {backend}, and {apart.max():.1e} at most"
        )
    if chosen.mean() < AGREED:
        raise Failed(f"{chosen.mean():.1%} of targets are given what himalaya on {backend} chooses, or float64")


def _growth(folder: Path, size: Size) -> list[Row]:
    """Take the time of one of the weights, and the memory, at the sizes of real recordings."""
    rows = []
    for targets in LARGE if size is FULL else LARGE[:1]:
        told = _run(folder, "ours", targets, 2)
        what = f"of search and refit, {targets:,} targets"
        rows.append(Row("brain", f"wall {what}, for one of the weights", (told["wall"] / 2,), None, "s"))
        rows.append(Row("brain", f"largest memory {what}", (told["mib"],), MOST_MIB, "MiB"))
    return rows


def _cuda(folder: Path) -> list[Row]:
    """Take the time of EXP1's language voxels on CUDA; gives no row, and says so, where there is none."""
    import torch

    if not torch.cuda.is_available():
        print("the banded search on CUDA is not measured: no GPU here", file=sys.stderr)
        return []
    told = _run(folder, "cuda", LARGE[0], 100)
    what = f"wall of search and refit on CUDA, {LARGE[0]:,} targets, 100 weights of 3 bands"
    return [Row("brain", what, (told["wall"],), None, "s")]

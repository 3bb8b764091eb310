"""Ridge gives the same bytes on other processors, emulated here, and in any number of threads; torch computes alike."""

from __future__ import annotations

import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from needs import needs
from support_brain_ridge import ALPHAS, problem
from support_draws import drawn

from harness.run.environment import step_environment
from harness.steps import THREADS
from harness.studies.brain.ridge.centred import prepared
from harness.studies.brain.ridge.devices import ByNumpy, ByTorch
from harness.studies.brain.ridge.gammas import candidates
from harness.studies.brain.ridge.heldout import Folds, HeldOut
from harness.studies.brain.ridge.kernels import band_kernels
from harness.studies.brain.ridge.search import Search

RUN = Path(__file__).with_name("ridge_run.py")
EMULATOR = "qemu-x86_64"
PROCESSORS = ["EPYC-Rome", "Haswell", "max"]
LARGER = [(*size, processor) for size in ((130, 30), (130, 300), (200, 450)) for processor in PROCESSORS]
emulated = pytest.mark.skipif(not shutil.which(EMULATOR), reason=f"{EMULATOR}, which emulates processors, is not here")


def made(folder: Path, rows: int, targets: int, *prefix: str, threads: int = 1, solver: str = "") -> dict[str, str]:
    """Run ridge as a step is run, behind a prefix of its command; gives digests by name."""
    env = {**step_environment(folder), **dict.fromkeys((THREADS, "OPENBLAS_NUM_THREADS"), str(threads))}
    command = [*prefix, sys.executable, str(RUN), str(rows), str(targets), *filter(None, [solver])]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())


@pytest.mark.long
@emulated
@pytest.mark.exhaustive
@pytest.mark.parametrize("processor", drawn(["EPYC-Rome", "Haswell"], 1))
def test_a_small_ridge_is_equal_on_another_processor(tmp_path, processor):
    here = made(tmp_path, 40, 30)
    assert len(here) > 20 and made(tmp_path, 40, 30, EMULATOR, "-cpu", processor) == here


@emulated
@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("processor", drawn(PROCESSORS, 1))
def test_a_ridge_of_more_targets_than_twice_its_rows_is_equal_on_another_processor(tmp_path, processor):
    assert made(tmp_path, 40, 90, EMULATOR, "-cpu", processor) == made(tmp_path, 40, 90)


@emulated
@pytest.mark.nightly  # the two above hold it of what is smaller
@pytest.mark.parametrize(("rows", "targets", "processor"), LARGER)
def test_a_larger_ridge_is_equal_on_another_processor(tmp_path, processor, rows, targets):
    assert made(tmp_path, rows, targets, EMULATOR, "-cpu", processor) == made(tmp_path, rows, targets)


@emulated
@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize(("solver", "processor"), drawn(product(["himalaya", "himalaya-torch"], PROCESSORS), 1))
def test_a_small_ridge_by_himalaya_is_equal_on_another_processor(tmp_path, processor, solver):
    needs("himalaya", "torch")
    here = made(tmp_path, 40, 30, solver=solver)
    assert len(here) == 7 and made(tmp_path, 40, 30, EMULATOR, "-cpu", processor, solver=solver) == here


@pytest.mark.long
def test_threads_that_blas_is_given_change_no_digit_of_search_and_refit(tmp_path):
    alone, many = (made(tmp_path, 130, 300, threads=count) for count in (1, 3))
    for found in (alone, many):  # what a step computes outside its search, in whatever threads it has
        for name in [*found]:
            if name.endswith(("predictions", "plain errors", "plain weights", "least squares")):
                del found[name]
    assert len(alone) > 10 and many == alone


@pytest.mark.long
def test_on_the_cpu_torch_is_never_loaded(tmp_path):
    assert made(tmp_path, 40, 30)["torch"] == "none"


@pytest.mark.long
@pytest.mark.parametrize("targets", [5, 90])
@pytest.mark.parametrize(("dtype", "near"), [("float64", 1e-9), ("float32", 2e-5)])
def test_what_a_gpu_computes_by_is_what_the_cpu_computes_by(targets, dtype, near):
    needs("torch")
    given = problem(targets=targets)
    how = Search(ALPHAS, stop=False, dtype=dtype, block=3)
    checked, folds = prepared(given.targets), Folds.of(given.inner, 40, "r2")
    parts = []
    for device in (ByNumpy(), ByTorch("cpu")):
        held = HeldOut(band_kernels(given.bands, 40), checked, folds, how, device)
        with device.workers() as pool:
            parts.append([*pool.map(held.squares, candidates(3, 9, 1, all_subsets=True))])
    for one, other in zip(*parts, strict=True):
        assert np.abs(one.sums - other.sums).max() < near * np.abs(one.sums).max()
        assert np.abs(one.parts[0] - other.parts[0]).max() < 1e-9 * one.parts[0].max()

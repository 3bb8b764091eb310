"""A study whose data and outputs are arrays goes the whole way: lock, run, accept, audit, carry, reproduce, get."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import clean_env
from toys.verdicts import Verdicts

pytestmark = pytest.mark.together
MANIFEST = """\
harness: 2
study: grid
name: grid
about: Points of two grids, scaled.
datasets:
  left: {make: grid.points, seed: 1, rows: 5}
  right: {make: grid.points, seed: 2, rows: 4}
resources: {gpus: 0, memory: 2GiB, timeout: 5m}
outputs: {left.scaled: {within: 1e-5}, right.scaled: exact, named: {within: 1e-5 relative}}
"""


class Grids(Verdicts):
    """The copy with the study `grid` in it."""

    study, manifest = "grid", MANIFEST


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grids]:
    """Lay the study out, run it, and accept what came out."""
    grid = Grids(tmp_path_factory.mktemp("grid") / "grid")
    grid.make("")
    with grid.staying():
        grid.call("run", grid.path)  # nothing is expected yet
        grid.call("lock", "--accept", "last")
        yield grid


@pytest.fixture
def grid(accepted: Grids, tmp_path: Path) -> Grids:
    return accepted.copied(tmp_path / "grid")


def expected(grid: Grids) -> Path:
    return grid.project / "lockfiles" / "manifests"


def beside(grid: Grids) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (expected(grid) / "grid.expect").iterdir()}


def ran(grid: Grids) -> dict[str, Any]:
    """Run what came out otherwise, and give each output with its verdict."""
    told = json.loads(grid.call("run", grid.path, "--json", check=1).stdout)
    return {one["name"]: one for one in told["runs"][0]["outputs"]}


def test_data_without_items_is_pinned_by_its_bytes_and_counts_no_rows(accepted: Grids) -> None:
    pins = json.loads((expected(accepted) / "grid.lock.json").read_bytes())["pins"]["datasets"]
    assert {name: set(pin) for name, pin in pins["left"].items()} == {
        "points": {"sha256"},
        "counts": {"sha256", "rows"},
    }
    assert pins["left"] != pins["right"]
    shown = accepted.call("show", accepted.path).stdout
    assert f"points {pins['left']['points']['sha256'][:12]} (array)" in shown and "rows)" not in shown


def test_data_that_moved_is_refused_by_its_pin(grid: Grids) -> None:
    grid.edit("data.py", "0.1, 0.2", "0.1, 0.25")
    done = grid.call("run", grid.path, check=2)
    assert "/points/sha256" in done.stderr and "/rows" not in done.stderr


def test_expected_arrays_lie_beside_the_expectation_which_pins_them(accepted: Grids) -> None:
    document = json.loads((expected(accepted) / "grid.expect.json").read_bytes())["outputs"]
    assert {name: one.get("array") for name, one in document.items()} == {
        "left.scaled": "npy", "right.scaled": None, "named": "npz",
    }  # fmt: skip
    assert sorted(path.name for path in (expected(accepted) / "grid.expect").iterdir()) == [
        "left.scaled.npy",
        "named.npz",
    ]
    assert np.load(expected(accepted) / "grid.expect" / "left.scaled.npy").shape == (5, 3)
    accepted.call("audit", accepted.path, "--level", "hashes")


def test_bytes_within_tolerance_agree_and_the_largest_deviation_is_named(grid: Grids) -> None:
    [first] = json.loads(grid.call("runs", "--json").stdout)["runs"]
    grid.edit("scaling.py", "FACTOR = 2.0", "FACTOR = 2.000001")
    assert {name: one["verdict"] for name, one in ran(grid).items()} == {
        "left.scaled": "agreed", "right.scaled": "disagreed", "named": "agreed",
    }  # fmt: skip
    parted = json.loads(grid.call("diff", first["run"], "last", "--json", check=1).stdout)
    assert parted["level"] == "differs" and parted["first"]["subject"] in ("left/scaled", "right/scaled")
    [row] = parted["rows"]
    assert row["row"].startswith("[") and float(row["left"]) == pytest.approx(float(row["right"]), abs=1e-5)
    grid.edit("scaling.py", "FACTOR = 2.000001", "FACTOR = 2.1")
    outputs = ran(grid)
    assert outputs["left.scaled"]["verdict"] == outputs["named"]["verdict"] == "disagreed"
    assert "expected" in outputs["left.scaled"]["detail"] and "within 1e-5 (" in outputs["left.scaled"]["detail"]
    assert outputs["named"]["detail"].startswith("part") and "within 1e-5 relative" in outputs["named"]["detail"]
    told = grid.call("audit", grid.path, "--level", "hashes", check=1).stdout
    assert "left.scaled: disagreed [" in told and "elements stray" in told


def test_an_expected_array_that_was_altered_or_lost_agrees_with_nothing(grid: Grids) -> None:
    grid.edit("scaling.py", "FACTOR = 2.0", "FACTOR = 2.000001")
    array = expected(grid) / "grid.expect" / "left.scaled.npy"
    array.write_bytes(array.read_bytes()[:-1] + b"\x01")
    for _ in range(2):
        detail = ran(grid)["left.scaled"]["detail"]
        assert detail.startswith("grid.expect/left.scaled.npy is not the array that the expectation pins")
        array.unlink(missing_ok=True)


@pytest.mark.long  # accepting reads every installed file
def test_an_expectation_with_arrays_is_carried_and_reproduces(grid: Grids) -> None:
    text = grid.path.read_text().replace("right.scaled: exact", "right.scaled: {within: 1e-5}")
    grid.path.write_text(text)
    with grid.staying():
        grid.lock()
        grid.call("run", grid.path)
        grid.call("lock", "--accept", "last")
    before = beside(grid)
    assert set(before) == {"left.scaled.npy", "right.scaled.npy", "named.npz"}
    grid.edit("scaling.py", "FACTOR = 2.0", "FACTOR = 2.000001")
    grid.path.write_text(text.replace("about: Points", "about: The points"))
    with grid.staying():
        grid.call("lock", "--carry", grid.path, check=1)
        grid.call("lock", "--carry", "--at-levels", grid.path)
        assert beside(grid) == before
        grid.call("reproduce", grid.path)
        grid.call("audit", grid.path)


@pytest.mark.long  # accepting reads every installed file
def test_an_array_no_longer_compared_by_numbers_goes_at_the_next_accept(grid: Grids) -> None:
    grid.path.write_text(grid.path.read_text().replace("named: {within: 1e-5 relative}", "named: exact"))
    with grid.staying():
        grid.lock()
        grid.call("run", grid.path)
        grid.call("lock", "--accept", "last")
    assert set(beside(grid)) == {"left.scaled.npy"}


@pytest.mark.long  # accepting reads every installed file
def test_an_array_too_large_for_git_is_refused_by_accept_with_advice(grid: Grids) -> None:
    grid.path.write_text(grid.path.read_text().replace("rows: 5", "rows: 900000"))
    grid.edit("data.py", 'for row in range(params["rows"]):', "for row in range(0):")
    grid.edit("data.py", "as add:\n", "as add:\n        add(np.zeros((params['rows'], 3), np.float32))\n")
    with grid.staying():
        grid.lock()
        grid.call("run", grid.path)
        done = grid.call("lock", "--accept", "last", check=2)
    assert "10,800,128 bytes; at most 10,000,000 lie beside an expectation" in done.stderr
    assert "output 'left.scaled'" in done.stderr and "declare it `exact`" in done.stderr


def test_get_gives_the_bytes_of_an_array_and_tells_a_terminal_what_it_is(accepted: Grids, tmp_path: Path) -> None:
    done = accepted.call("get", "last", "left.scaled", "-o", tmp_path / "a.npy")
    assert "float32 [5, 3]" in done.stdout and np.load(tmp_path / "a.npy").shape == (5, 3)
    told = json.loads(accepted.call("get", "last", "named", "--json").stdout)
    assert told["array"] == "part0 float32 [5, 3], part1 float32 [4, 3]"
    line = [sys.executable, "-P", "-m", "harness.cli.main", "get", "last", "left.scaled"]
    env = clean_env({"PYTHONPATH": str(accepted.source)})
    piped = subprocess.run(line, cwd=accepted.project, env=env, capture_output=True, check=True).stdout
    assert np.load(io.BytesIO(piped)).shape == (5, 3)
    ours, theirs = pty.openpty()
    try:
        told = subprocess.run(
            line, cwd=accepted.project, env=env, stdout=theirs, stderr=subprocess.PIPE, check=True
        ).stderr
        assert os.read(ours, 4096) == b"left.scaled, float32 [5, 3]\r\n" and b"-o FILE" in told
    finally:
        os.close(ours)
        os.close(theirs)

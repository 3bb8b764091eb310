"""A run of one's own questions can be checked later from the store alone; what differs from another run is named."""

from __future__ import annotations

from pathlib import Path

from run.own_project import own_project
from support import harness

from harness.run.service import RunTarget


def test_a_run_is_made_again_from_the_file_that_it_was_asked_from(tmp_path: Path) -> None:
    project = own_project(tmp_path / "project", RunTarget(tmp_path / "store"))
    first = project.run().record.run
    before = project.data.read_bytes()
    project.data.write_bytes(before + b"q,a,n\n")
    second = project.run().record.run
    store = ("--store", str(project.place.store))
    harness("audit", second, *store, cwd=project.root, check=0)
    lines = before.count(b"\n") + 1
    told = harness("diff", first, second, *store, cwd=project.root).stdout
    assert f"inputs/file (data/capitals.csv, line {lines}" in told.replace("lines", "line")
    project.data.unlink()
    harness("audit", first, *store, cwd=project.root, check=0)

"""An expectation goes along to a new lock only where a run under it gives the very same bytes, and says that it did."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from support import unlocked_project
from support_inside import inner_data, inside

from harness.errors import InputError
from harness.evidence.audit.reexecution import ReexecutionOptions
from harness.manifest.lockfile import Expect, expect_path, load_expect, load_lock, lock_path, save_document
from harness.verbs.accepting import carry
from harness.verbs.project import Project, Watch
from harness.verbs.requests import CarryRequest

pytestmark = pytest.mark.together
PACKAGES = "lockfiles/image-cpu.txt"
FIRST = "numpy==2.4.6 --hash=sha256:" + "a" * 64 + "\n"


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a project whose one manifest was locked, run and accepted."""
    root = tmp_path_factory.mktemp("accepted") / "project"
    manifest = unlocked_project(root, count=20, models=("oracle",))
    (root / PACKAGES).write_text(FIRST)
    inside("lock", manifest, cwd=root, check=0)
    ran = inner_data("run", manifest, cwd=root, check=None)
    inside("lock", "--accept", ran["runs"][0]["run"], cwd=root, check=0)
    return root


@pytest.fixture
def root(accepted: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(accepted, tmp_path / "project"))


def small(root: Path) -> Path:
    return root / "manifests" / "small.yaml"


def files(root: Path) -> list[bytes]:
    return [where(root, "small").read_bytes() for where in (lock_path, expect_path)]


def add_a_package(root: Path) -> None:
    with (root / PACKAGES).open("a") as lock:
        lock.write(f"six==1.17.0 --hash=sha256:{'b' * 64}\n")


def test_a_carried_expectation_names_the_new_lock_the_run_and_the_accepted(root: Path) -> None:
    before, told = load_expect(root, "small"), list[str]()
    assert before
    add_a_package(root)
    assert "pins/packages" in inside("run", small(root), cwd=root, check=2).stderr
    done = carry(Project.at(root), CarryRequest(manifests=[small(root)]), Watch(say=told.append))
    [one] = done.carried
    after, lock = load_expect(root, "small"), load_lock(root, "small")
    assert after and lock
    assert (done.code, one.state, one.old, one.lock) == (0, "carried", before.lock_sha256, lock.sha256)
    assert after.lock_sha256 == lock.sha256 != before.lock_sha256
    assert after.record_sha256 != before.record_sha256
    assert after.outputs == before.outputs
    assert after.run.steps == before.run.steps != {}, "those of the run that carried it, which made the same"
    assert after.carried == {"from": before.lock_sha256, "accepted": before.record_sha256}
    assert any(one.run in line and "the same bytes" in line for line in told)
    for verb in ("run", "audit"):
        inside(verb, small(root), cwd=root, check=0)
    assert f"expectation carried from lock {before.lock_sha256[:12]}" in inside("show", small(root), cwd=root).stdout


def test_a_slow_machine_has_all_the_time_it_needs(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `audit` would leave out for its five minutes can be carried, as it can be accepted."""
    bounds: list[float] = []

    def options(**how: Any) -> ReexecutionOptions:
        bounds.append(how["budget"])
        return ReexecutionOptions(**how)

    monkeypatch.setattr("harness.run.recording.accept.ReexecutionOptions", options)
    add_a_package(root)
    done = carry(Project.at(root), CarryRequest(manifests=[small(root)]))
    assert ([one.state for one in done.carried], bounds) == (["carried"], [math.inf])


@pytest.mark.long
def test_the_accepted_record_is_kept_over_several_relocks(root: Path) -> None:
    first = load_expect(root, "small")
    assert first
    add_a_package(root)
    inside("lock", "--carry", small(root), cwd=root, check=0)
    second = load_expect(root, "small")
    add_a_package(root)
    inside("lock", small(root), cwd=root, check=0)  # a lock that was made already is carried to as well
    run = inner_data("lock", "--carry", small(root), cwd=root)["carried"][0]["run"]
    third = load_expect(root, "small")
    assert second and third
    assert third.carried == {"from": second.lock_sha256, "accepted": first.record_sha256}
    inside("lock", "--accept", run, cwd=root, check=0)
    assert b"carried" not in expect_path(root, "small").read_bytes()


def test_any_differing_byte_is_named_and_lock_and_expectation_stay(root: Path) -> None:
    before, expected = files(root), load_expect(root, "small")
    assert expected
    small(root).write_text(small(root).read_text().replace("seed: 7", "seed: 8"))
    done = inner_data("lock", "--carry", small(root), cwd=root, check=1)["carried"][0]
    assert done["state"] == "refused" and files(root) == before
    parted = {one["output"]: (one["accepted"], one["made"]) for one in done["parted"]}
    assert "items" in parted and all(
        old == expected.outputs[name]["sha256"] != new for name, (old, new) in parted.items()
    )
    said = inside("lock", "--carry", small(root), cwd=root, check=1)
    assert parted["items"][0][:12] in said.stdout and parted["items"][1][:12] in said.stdout
    assert "stay as they were" in said.stderr and "--accept" in said.stdout
    lock_path(root, "small").unlink()
    inside("lock", "--carry", small(root), cwd=root, check=1)
    assert not lock_path(root, "small").exists()


def accepted_elsewhere(root: Path, items: str) -> Expect:
    """Let another number of items have been accepted than comes out, as if on another kind of machine."""
    held = load_expect(root, "small")
    assert held
    counts = held.outputs["counts"]
    [where] = [at for at in counts["values"] if at.endswith("/kept")]
    values = {**counts["values"], where: str(Decimal(counts["values"][where]) + Decimal(items))}
    other = replace(held, outputs={**held.outputs, "counts": {**counts, "sha256": "f" * 64, "values": values}})
    save_document(expect_path(root, "small"), other.data)
    return other


@pytest.mark.long
def test_other_bytes_within_their_level_are_carried_only_on_request(root: Path) -> None:
    with small(root).open("a") as manifest:
        manifest.write('outputs: {counts: {within: "1e-9"}}\n')
    inside("lock", small(root), cwd=root, check=0)
    run = inner_data("run", small(root), cwd=root, check=None)["runs"][0]["run"]
    inside("lock", "--accept", run, cwd=root, check=0)
    add_a_package(root)
    expected = accepted_elsewhere(root, "0.0000000001")
    before = files(root)
    refused = inside("lock", "--carry", small(root), cwd=root, check=1)
    assert "--at-levels puts up with that" in refused.stdout and files(root) == before
    [done] = inner_data("lock", "--carry", "--at-levels", small(root), cwd=root)["carried"]
    assert done["state"] == "carried"
    assert [(one["output"], one["agrees"]) for one in done["parted"]] == [("counts", True)]
    after = load_expect(root, "small")
    assert after and after.outputs == expected.outputs and after.carried["within"] == ["counts"]
    inside("run", small(root), cwd=root, check=0)
    add_a_package(root)
    accepted_elsewhere(root, "1")
    inside("lock", "--carry", "--at-levels", small(root), cwd=root, check=1)


def test_whatever_ends_it_leaves_lock_and_expectation_as_they_were(root: Path) -> None:
    before = files(root)
    with small(root).open("a") as manifest:
        manifest.write('outputs: {counts: {within: "1e-9"}}\n')
    with pytest.raises(InputError, match="output 'counts' was accepted at another level") as told:
        carry(Project.at(root), CarryRequest(manifests=[small(root)]))
    assert told.value.where.startswith(f"{small(root)}:") and files(root) == before


def test_an_expectation_that_names_the_lock_that_fits_is_left_alone(root: Path) -> None:
    before = files(root)
    done = inner_data("lock", "--carry", small(root), cwd=root)["carried"][0]
    assert (done["state"], done["run"], files(root)) == ("fits", "", before)


def test_an_expectation_that_names_other_code_than_what_runs_is_carried_under_the_same_lock(root: Path) -> None:
    before = load_expect(root, "small")
    assert before
    name = next(name for name in before.files if name.endswith("/step.py"))
    save_document(expect_path(root, "small"), replace(before, files={**before.files, name: "0" * 64}).data)
    [one] = carry(Project.at(root), CarryRequest(manifests=[small(root)])).carried
    after = load_expect(root, "small")
    assert after and (one.state, one.old, one.lock) == ("carried", before.lock_sha256, before.lock_sha256)
    assert (after.files, after.code, after.outputs) == (before.files, before.code, before.outputs)
    assert after.carried == {"from": before.lock_sha256, "accepted": before.record_sha256}


def test_where_nothing_was_accepted_there_is_nothing_to_take_along(root: Path) -> None:
    expect_path(root, "small").unlink()
    add_a_package(root)
    error = json.loads(inside("lock", "--carry", small(root), "--json", cwd=root, check=2).stderr)["error"]
    assert "nothing is expected of 'small' yet" in error["what"]
    assert "`harness lock --accept RUN`" in error["next"]
    assert "goes with --carry" in inside("lock", "--at-levels", small(root), cwd=root, check=2).stderr
    both = inside("lock", "--carry", "--accept", "last", cwd=root, check=2)
    assert "give manifests to lock, or --accept RUN" in both.stderr

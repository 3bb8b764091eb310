"""Where a run parts from its expectation: the first step of the plan, and only what that step rests on."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from evidence.bare import CUT, MAKE, SHOWN, Bare, bare
from evidence.forger import Forger, forged, whole_run

from harness.digest import seal_document
from harness.evidence.explain import FirstDifference, accepted_run, find_first_difference
from harness.evidence.trail import Trail, read_trail
from harness.manifest.documents import Carried, ExpectedOutput
from harness.manifest.lockfile import AcceptedRun, Expect, read_expect
from harness.store.store import Store

pytestmark = pytest.mark.together
ORDER = (MAKE, CUT, SHOWN)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Bare:
    return bare(tmp_path_factory.mktemp("bare"))


def trail_of(store: Store) -> Trail:
    return read_trail(store, whole_run(store))


def accepted(trail: Trail) -> Expect:
    """Expect what a run made, as its expectation reads back."""
    outputs: dict[str, ExpectedOutput] = {
        name: {"sha256": made["sha256"], "level": "exact", "values": {}} for name, made in trail.outputs.items()
    }
    code, files = trail.code()
    held = Expect(str(trail.started["lock"]), "b" * 64, outputs, code, files, run=accepted_run(trail))
    return read_expect(held.data, "expectation")


def found(run: Bare, folder: Path, edit: Callable[[Forger], Any], order: tuple[str, ...] = ORDER) -> FirstDifference:
    """Say where a forged run parts from the one that was accepted."""
    expect = accepted(trail_of(run.store))
    other = forged(Store(shutil.copytree(run.store.root, folder / "store")), edit)
    first = find_first_difference(trail_of(other), expect, order)
    assert first
    return first


def remake(it: Forger, *steps: str) -> None:
    """Let steps make other bytes, and the run declare them."""
    for step in steps:
        for name, made in it.entries[step]["outputs"].items():
            made |= {"sha256": it.store.blobs.put(f"{step}{name}\n".encode()), "size": len(f"{step}{name}\n")}
            for event in it.events:
                if (event.get("step"), event.get("output")) == (step, name):
                    event.update(made)


def test_a_run_that_made_what_was_accepted_parts_nowhere(run: Bare) -> None:
    trail = trail_of(run.store)
    assert find_first_difference(trail, accepted(trail), ORDER) is None


def test_the_first_step_is_the_first_of_the_plan_whatever_is_declared(run: Bare, tmp_path: Path) -> None:
    first = found(run, tmp_path, lambda it: remake(it, CUT, SHOWN))
    assert first.step == CUT and "not deterministic" in first.text
    assert found(run, tmp_path / "b", lambda it: remake(it, CUT, SHOWN), (SHOWN, CUT, MAKE)).step == SHOWN


def test_code_is_named_where_it_is_that_of_the_step_alone(run: Bare, tmp_path: Path) -> None:
    def edit(it: Forger) -> None:
        remake(it, SHOWN)
        for step, file in ((MAKE, "harness/seeds.py"), (SHOWN, "harness/rows.py")):
            closure = it.document(it.entries[step]["preimage"]["code"])
            assert file in closure["files"]
            closure["files"][file] = it.started["manifest"]
            it.entries[step]["preimage"]["code"] = it.put(closure)

    first = found(run, tmp_path, edit)
    assert (first.step, [cause.text for cause in first.causes]) == (SHOWN, ["code: harness/rows.py"])


def test_a_file_that_a_step_no_longer_imports_is_told_as_that(run: Bare, tmp_path: Path) -> None:
    def edit(it: Forger) -> None:
        remake(it, SHOWN)
        closure = it.document(it.entries[SHOWN]["preimage"]["code"])
        del closure["files"]["harness/rows.py"]
        it.entries[SHOWN]["preimage"]["code"] = it.put(closure)

    [cause] = found(run, tmp_path, edit).causes
    assert (cause.kind, cause.text) == ("code", "code: a file that the step imported when it was accepted")


def test_a_lock_that_moved_is_no_cause_where_a_step_was_given_the_same(run: Bare, tmp_path: Path) -> None:
    def relock(it: Forger) -> None:
        lock = it.document(it.started["lock"])
        del lock["self"]
        lock["intent"]["datasets"]["addition"]["seed"] = 8
        it.started["lock"] = it.store.blobs.put(seal_document(lock))
        remake(it, MAKE)

    first = found(run, tmp_path / "a", relock)
    assert first.step == MAKE and "lock" not in first.text

    def given(it: Forger) -> None:
        relock(it)
        it.entries[MAKE]["preimage"]["params"] = {**it.entries[MAKE]["preimage"]["params"], "seed": 8}

    first = found(run, tmp_path / "b", given)
    assert [cause.text for cause in first.causes] == ["lock: datasets/addition"]


def test_other_parameters_under_the_same_lock_are_the_harness(run: Bare, tmp_path: Path) -> None:
    def edit(it: Forger) -> None:
        it.entries[MAKE]["preimage"]["params"] = {**it.entries[MAKE]["preimage"]["params"], "seed": 8}
        remake(it, MAKE)

    assert [one.kind for one in found(run, tmp_path, edit).causes] == ["code"]


def test_an_expectation_of_before_knows_declared_outputs_alone(run: Bare, tmp_path: Path) -> None:
    trail = trail_of(run.store)
    older = dataclasses.replace(accepted(trail), run=AcceptedRun())
    assert find_first_difference(trail, older, ORDER) is None
    other = forged(Store(shutil.copytree(run.store.root, tmp_path / "store")), lambda it: remake(it, CUT, SHOWN))
    first = find_first_difference(trail_of(other), older, ORDER)
    assert first and first.step == SHOWN, "nothing is known of the step before"
    assert first.causes[0].text.startswith("accepted on a machine that was not written down, here ")


def test_an_output_carried_with_other_bytes_is_not_what_parts_a_run(run: Bare) -> None:
    trail = trail_of(run.store)
    held = accepted(trail)
    outputs: dict[str, ExpectedOutput] = {**held.outputs, "gold": {**held.outputs["gold"], "sha256": "0" * 64}}
    edited = dataclasses.replace(held, outputs=outputs)
    first = find_first_difference(trail, edited, ORDER)
    assert first and first.step == MAKE, "an expectation that was edited"
    carried: Carried = {"from": "c" * 64, "accepted": "d" * 64, "within": ["gold"]}
    assert find_first_difference(trail, dataclasses.replace(edited, carried=carried), ORDER) is None

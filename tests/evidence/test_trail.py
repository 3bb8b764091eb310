"""What diff and explain say of two runs: only what their journals and entries bear out, and of every kind of output."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from evidence.bare import CUT, MAKE, SHOWN, Bare, bare
from evidence.forger import Forger, forged, whole_run, write

from harness.errors import DamageError, InputError
from harness.evidence.diff import diff_runs
from harness.evidence.explain import explain_steps
from harness.evidence.record import read_record
from harness.evidence.trail import read_trail
from harness.steps import Plan
from harness.store.store import Store

pytestmark = pytest.mark.together


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Bare:
    return bare(tmp_path_factory.mktemp("bare"))


@pytest.fixture
def run(ran: Bare, tmp_path: Path) -> Bare:
    return dataclasses.replace(ran, store=Store(shutil.copytree(ran.store.root, tmp_path / "store")))


def twin(run: Bare, folder: Path) -> Store:
    """Give a second store with the same run, to be changed."""
    return Store(shutil.copytree(run.store.root, folder / "twin"))


def test_a_run_and_itself_part_nowhere(run: Bare) -> None:
    trail = read_trail(run.store, whole_run(run.store))
    parting = diff_runs(trail, trail)
    assert (parting.level, parting.first, parting.rows) == ("bytes", None, [])


def test_a_run_that_goes_on_is_told_from_one_that_never_ended(run: Bare) -> None:
    name = whole_run(run.store)
    for path in (run.store.journal(name), run.store.heads.path):
        write(path, b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    with run.store.in_use(), pytest.raises(InputError, match="this run has not ended yet") as told:
        read_record(run.store, name)
    assert told.value.next == "wait for it, or name another run"
    with pytest.raises(InputError, match="this run never ended"):
        read_record(run.store, name)


@pytest.mark.parametrize("how", ["a broken line", "a lost entry", "another entry", "an output no step made"])
def test_a_run_that_does_not_hold_together_has_no_trail(how: str, run: Bare) -> None:
    name = whole_run(run.store)
    path = run.store.journal(name)
    if how == "a broken line":
        data = path.read_bytes()
        write(path, data.replace(b'"sees_gold":true', b'"sees_gold":false'))
    elif how == "an output no step made":
        forged(run.store, lambda it: next(one for one in it.events if one["event"] == "output").update(sha256="0" * 64))
    else:
        it = Forger(run.store)
        entry = run.store.entries.path(it.entries[SHOWN]["key"])
        data = entry.read_bytes()
        entry.unlink()
        if how == "another entry":
            made = it.entries[SHOWN]["outputs"]["items"]
            write(entry, data.replace(made["sha256"].encode(), it.entries[MAKE]["outputs"]["gold"]["sha256"].encode()))
    with pytest.raises(DamageError) as refused:
        read_trail(run.store, name)
    assert f"harness audit {name}" in refused.value.next


def test_two_runs_without_any_output_are_not_near_each_other(run: Bare, tmp_path: Path) -> None:
    planned = Plan(run.plan.steps, {})
    runs = [run.run(planned=planned) for _ in range(2)]
    assert diff_runs(*(read_trail(run.store, one) for one in runs)).level == "differs"


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n", b"\xff\xfe", b"", b"[" * 100_000])
def test_an_output_that_is_no_json_differs_and_has_no_rows(data: bytes, run: Bare, tmp_path: Path) -> None:
    def edit(it: Forger) -> None:
        made = it.entries[MAKE]["outputs"]["gold"]
        made |= {"sha256": it.store.blobs.put(data), "size": len(data)}
        output = next(one for one in it.events if one.get("output") == "gold")
        output |= {"name": "figure", **made}

    def named(it: Forger) -> None:
        next(one for one in it.events if one.get("output") == "gold")["name"] = "figure"

    left, right = forged(run.store, named), forged(twin(run, tmp_path), edit)
    parting = diff_runs(*(read_trail(store, whole_run(store)) for store in (left, right)))
    assert (parting.level, parting.first and parting.first["stage"]) == ("differs", "rows")
    assert {row["right"] for row in parting.rows} <= {"absent"}


def test_numbers_that_differ_in_their_last_digits_are_near(run: Bare, tmp_path: Path) -> None:
    def of(number: str) -> object:
        def edit(it: Forger) -> None:
            data = f'{{"x":{number}}}\n'.encode()
            it.entries[MAKE]["outputs"]["gold"] = {"sha256": it.store.blobs.put(data), "size": len(data)}
            output = next(one for one in it.events if one.get("output") == "gold")
            output |= {"name": "table", **it.entries[MAKE]["outputs"]["gold"]}

        return edit

    left = forged(run.store, of("0.25"))  # type: ignore[arg-type]
    for number, level in (("0.2500000001", "numbers"), ("0.2501", "differs"), ("0.25", "bytes")):
        right = forged(twin(run, tmp_path / number), of(number))  # type: ignore[arg-type]
        assert diff_runs(*(read_trail(store, whole_run(store)) for store in (left, right))).level == level


def test_a_limit_and_the_device_of_a_step_that_infers_are_named(run: Bare, tmp_path: Path) -> None:
    def edit(it: Forger) -> None:
        it.started["limit"] = 2
        it.entries[SHOWN]["preimage"]["device"] = "cuda:sm_90"

    right = forged(twin(run, tmp_path), edit)
    parting = diff_runs(*(read_trail(store, whole_run(store)) for store in (run.store, right)))
    changed = {stage.stage: stage.changed for stage in parting.stages if stage.changed}
    assert changed == {"settings": ["limit 1 → 2"], "numerics": ["device"]}


def test_a_step_whose_outputs_have_other_names_has_no_rows_to_show(run: Bare, tmp_path: Path) -> None:
    def edit(it: Forger) -> None:
        body = it.entries[CUT]
        body["outputs"] = {"part-00001": body["outputs"]["part-00000"]}
        body["preimage"]["outputs"] = ["part-00001"]

    right = forged(twin(run, tmp_path), edit)
    parting = diff_runs(*(read_trail(store, whole_run(store)) for store in (run.store, right)))
    assert parting.first and parting.first["subject"] == CUT and parting.rows == []


def test_explain_says_that_nothing_moved_and_what_it_could_not_read(run: Bare) -> None:
    first = whole_run(run.store)
    [why] = explain_steps(run.store, run.run(), SHOWN)
    assert (why.state, why.reason.partition(":")[0]) == ("cached", "its key stands in the store")
    entries = Forger(run.store).entries
    for step in (CUT, SHOWN):  # their results are lost, and no run can be read any longer
        run.store.entries.path(entries[step]["key"]).unlink()
    for path in run.store.runs.glob("*/journal.jsonl"):
        write(path, path.read_bytes().replace(b'"isolation":"process"', b'"isolation":"docker"'))
    [again] = explain_steps(run.store, run.run(), SHOWN)
    assert again.state == "executed" and first in again.reason
    assert again.reason.startswith("no earlier run") and again.reason.endswith("cannot be read)")


def test_explain_says_that_a_result_was_lost(run: Bare) -> None:
    first = whole_run(run.store)
    run.store.entries.path(Forger(run.store).entries[SHOWN]["key"]).unlink()
    [why] = explain_steps(run.store, run.run(), SHOWN)
    assert why.reason == f"its result of run {first} was lost or damaged"


OTHER_CPU = "AMD EPYC (Zen 3)"
OTHER = {"name": OTHER_CPU, "class": "AuthenticAMD 25/1 avx2"}


def planted(run: Bare, folder: Path, edit: Callable[[Forger], None]) -> tuple[str, dict[str, list[str]]]:
    """Give what diff says of a run and of one that is the same but for what is planted, and for the rows it made."""

    def both(it: Forger) -> None:
        edit(it)
        made = it.entries[MAKE]["outputs"]["gold"]
        made |= {"sha256": it.store.blobs.put(b"{}\n"), "size": 3}
        next(one for one in it.events if one.get("output") == "gold").update(made)

    other = forged(twin(run, folder), both)
    parting = diff_runs(*(read_trail(store, whole_run(store)) for store in (run.store, other)))
    return parting.cause, {stage.stage: stage.changed for stage in parting.stages if stage.changed}


def test_two_processors_are_named_as_the_cause(run: Bare, tmp_path: Path) -> None:
    cause, _ = planted(run, tmp_path / "same", lambda it: None)
    assert cause.endswith("the step is not deterministic, or the cause is not recorded")
    here = Forger(run.store).started["facts"]["processor"]["name"]
    cause, stages = planted(run, tmp_path / "other", lambda it: it.started["facts"].update(processor=OTHER))
    assert cause == f"ran on {here}, the other on {OTHER_CPU}" and stages["numerics"] == [cause]


def test_of_several_causes_the_likeliest_is_told_first(run: Bare, tmp_path: Path) -> None:
    def edit(it: Forger) -> None:
        said = it.entries[MAKE]["preimage"]
        world = it.document(said["environment"])
        world["packages"]["numpy"]["version"] = "2.0.9"
        closure = it.document(said["code"])
        closure["files"]["harness/digest.py"] = it.started["manifest"]
        said |= {"environment": it.put(world), "code": it.put(closure), "params": {**said["params"], "seed": 8}}
        it.started["facts"]["processor"] = OTHER

    cause, stages = planted(run, tmp_path, edit)
    lock, processor, packages, code = cause.split("; ")
    assert (lock, code) == ("params/seed", "code: harness/digest.py")
    assert processor.endswith(OTHER_CPU) and packages.endswith("→ 2.0.9")
    assert [one for one in stages["packages"] if one.endswith("→ 2.0.9")]

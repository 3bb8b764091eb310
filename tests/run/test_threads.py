"""Threads: in the key of what computes in them and of nothing else, and never more than there are."""

from __future__ import annotations

import json
import shutil
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from evidence.bare import SHOWN, bare
from manifest.parsing import GOOD, parse, refused
from support import REPOSITORY

from harness.engines.engine import Limits
from harness.engines.local import LocalEngine
from harness.errors import MissingError
from harness.evidence.claims.subject import changed_intent
from harness.run.closure import Code
from harness.run.engines import require_cores, step_limits
from harness.run.environment import NUMERICS, count_cores
from harness.run.executing.runner import Runner
from harness.run.executing.workshop import Workshop
from harness.run.recording.auditing import batch_reexecutor, step_reexecutor
from harness.steps import Computing, Plan, Setting, Step, key_preimage
from harness.store.store import Store

TOY = """
import json, os

def tell(params, inputs, out):
    (out / "seen").write_text(json.dumps(dict(os.environ)))
"""
PLAIN = Step("plain", "harness.toys:tell", "analyses", {}, {}, ("seen",))
WIDE = replace(PLAIN, name="wide", threaded=True)
MODEL = replace(PLAIN, name="model", infers=True)


def said(threads: object) -> str:
    return GOOD.replace("timeout: 10m", f"timeout: 10m, threads: {threads}")


@pytest.fixture
def code(tmp_path: Path) -> Code:
    for name in ("harness/__init__.py", "harness/run/__init__.py", "harness/run/step.py"):
        (tmp_path / "code" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, tmp_path / "code" / name)
    (tmp_path / "code" / "harness" / "toys.py").write_text(textwrap.dedent(TOY))
    return Code(tmp_path / "code")


def shop(root: Path, code: Code, threads: int | None) -> Workshop:
    return Workshop(
        Store.make(root / "store"),
        LocalEngine("process"),
        Limits(),
        code,
        environment=b"{}",
        computing=Computing(threads),
    )


def test_a_manifest_says_it_within_bounds_and_older_intents_say_nothing() -> None:
    assert parse(said(2)).intent()["resources"]["threads"] == 2
    assert "threads" not in parse(GOOD).intent()["resources"]
    for wrong in (0, -1, 257, "many", "1.5"):
        assert "threads" in refused(said(wrong)).what
    assert step_limits(parse(said(2)).resources).cpus == 2 and step_limits(parse(GOOD).resources).cpus == 1


def test_they_stand_in_the_key_of_what_computes_in_them_and_nowhere_else() -> None:
    one, two = (Setting("e", "cpu", NUMERICS, Computing(count).variables("")) for count in (1, 2))
    unset = Setting("e", "cpu", NUMERICS, Computing().variables(""))

    def keyed(step: Step, setting: Setting) -> object:
        return key_preimage(step, {}, "c", setting)

    for step in (PLAIN, WIDE, MODEL):
        assert keyed(step, one) == keyed(step, unset) == {**key_preimage(step, {}, "c", unset), "numerics": NUMERICS}
        assert (keyed(step, two) == keyed(step, one)) == (step is PLAIN)
    steps = Plan((PLAIN, WIDE), {}).as_data()["steps"]
    assert "threaded" not in steps[0] and steps[1]["threaded"] is True


@pytest.mark.parametrize("threads", [None, 2])
def test_a_step_is_given_what_its_key_says(tmp_path: Path, code: Code, threads: int | None) -> None:
    made = shop(tmp_path, code, threads)
    for step in (PLAIN, WIDE, MODEL):
        parts = made.preimage(step, {})
        entry = made.make(step, parts).entry
        seen = json.loads(made.store.blobs.read(entry.outputs["seen"].sha256))
        assert seen.items() >= parts["numerics"].items()
        wanted = str(threads or 1) if step is not PLAIN else "1"
        assert {seen[name] for name in seen if name.endswith("_NUM_THREADS")} == {wanted}
        assert seen.get("HARNESS_THREADS", "1") == wanted


@pytest.mark.long
@pytest.mark.skipif(count_cores() < 2, reason="one core alone")
def test_an_audit_makes_a_step_again_in_the_threads_of_its_run(tmp_path: Path, code: Code) -> None:
    made = shop(tmp_path, code, 2)
    for step in (PLAIN, WIDE):
        parts: Any = made.preimage(step, {})
        made.make(step, parts)
        for width, other in ((2, False), (1, step is WIDE)):
            found = step_reexecutor(shop(tmp_path, code, width))(step, parts, 60.0)
            assert bool(found.other) == other and not found.flaw
            assert [cause.text for cause in found.other] == ["threads 2 → 1"] * other
        assert set(batch_reexecutor(made)([(step, parts)], 60.0)) == {step.name}


def test_more_threads_than_cores_are_refused_by_runs_and_skipped_by_audits(tmp_path: Path, code: Code) -> None:
    more = count_cores() + 1
    require_cores(parse(said(count_cores())).resources)
    with pytest.raises(MissingError, match=f"{more} threads, and this machine has {count_cores()} cores"):
        require_cores(parse(said(more)).resources)
    made = shop(tmp_path, code, more)
    plain, wide = (made.preimage(step, {}) for step in (PLAIN, WIDE))
    assert step_reexecutor(made)(PLAIN, plain, 60.0).outputs
    with pytest.raises(MissingError, match=f"computed in {more} threads"):
        step_reexecutor(made)(WIDE, wide, 60.0)
    assert not batch_reexecutor(made)([(WIDE, wide)], 60.0)


def test_other_threads_are_another_run_and_one_thread_is_the_default() -> None:
    unset, one, two, four = (parse(text).intent() for text in (GOOD, said(1), said(2), said(4)))
    assert changed_intent(two, four) == changed_intent(unset, two) == ["/resources/threads"]
    assert changed_intent(unset, one) == []
    assert changed_intent(unset, parse(GOOD.replace("memory: 2GiB", "memory: 3GiB")).intent()) == []


@pytest.mark.long
def test_a_run_whose_keys_say_other_threads_than_its_manifest_is_found_out(tmp_path: Path) -> None:
    run = bare(tmp_path)
    steps = tuple(replace(step, threaded=step.name == SHOWN) for step in run.plan.steps)
    lied = replace(run, plan=replace(run.plan, steps=steps))
    for threads, flaws in ((None, []), (2, [SHOWN])):
        workshop = Workshop(run.store, LocalEngine("process"), Limits(), computing=Computing(threads))
        name = Runner(run.loaded, run.lock, lied.plan, workshop, limit=1).run(lambda *_: None).run
        report = lied.look(run.store.root, run=name)
        found = [check for check in report.checks if check.verdict != "pass"]
        assert sorted({check.subject for check in found}) == flaws
        assert all(check.id == "key.mismatch" and "numerics" in check.detail for check in found)

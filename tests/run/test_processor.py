"""The processor is asked by its own instruction, stands in the key of `machine` alone, and is held against it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from emulated import EMULATOR, emulate
from evidence.bare import SHOWN, bare
from manifest.parsing import GOOD, parse, refused
from support import REPOSITORY, error_of, harness, journals, small_project
from support_draws import drawn

from harness.engines.engine import Limits
from harness.engines.local import LocalEngine
from harness.errors import MissingError, StepError
from harness.run import processor
from harness.run.closure import Code
from harness.run.environment import NUMERICS, observe_processor, require_processor
from harness.run.executing.runner import Runner
from harness.run.executing.workshop import Workshop
from harness.run.processor import UNKNOWN, Processor, ask_processor
from harness.run.recording.auditing import batch_reexecutor, step_reexecutor
from harness.steps import NUMERICS as NAMED
from harness.steps import PROCESSOR, Computing, Step
from harness.store.store import Store

emulator = pytest.mark.skipif(shutil.which(EMULATOR) is None, reason="apt-get install qemu-user")
TOY = """
import json, os

def tell(params, inputs, out):
    (out / "seen").write_text(json.dumps(dict(os.environ)))
"""
PLAIN = Step("plain", "harness.toys:tell", "analyses", {}, {}, ("seen",))
HEAVY = replace(PLAIN, name="heavy", threaded=True)
ELSEWHERE = "GenuineIntel 6/143 avx512"


def shop(root: Path, numerics: str = "machine") -> Workshop:
    """Give a place where a toy step is made, whose code is the entry point, the processor and nothing else."""
    code = root / "code"
    for name in ("harness/__init__.py", "harness/run/__init__.py", "harness/run/step.py", "harness/run/processor.py"):
        (code / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, code / name)
    (code / "harness" / "toys.py").write_text(textwrap.dedent(TOY))
    store, how = Store.make(root / "store"), Computing(numerics=numerics)
    return Workshop(store, LocalEngine("process"), Limits(), Code(code), environment=b"{}", computing=how)


def moved(workshop: Workshop, kind: str) -> Workshop:
    """Have a workshop believe that it stands on a processor of another class."""
    heavy = Computing(numerics="machine").variables(kind)
    workshop.setting = replace(workshop.setting, heavy=heavy)
    workshop.processor = Processor("another", kind, "avx512")
    return workshop


def test_it_has_a_maker_a_family_and_vectors_that_the_system_lists_too() -> None:
    here = ask_processor()
    told = dict(
        line.split(":", 1) for line in Path("/proc/cpuinfo").read_text().split("\n\n")[0].replace("\t", "").splitlines()
    )
    vendor, numbers, vectors = here.kind.rsplit(" ", 2)
    assert [vendor, *numbers.split("/")] == [told[name].strip() for name in ("vendor_id", "cpu family", "model")]
    flags = told["flags"].split()
    assert vectors == ("avx512" if "avx512vl" in flags else "avx2" if "avx2" in flags else "none")
    assert here.computes and here.name.isascii()


@emulator
@pytest.mark.parametrize(
    ("named", "wanted"),
    drawn(
        [
            ("EPYC-Rome", Processor("AMD EPYC (Zen 2, AVX2)", "AuthenticAMD 23/49 avx2", "avx2")),
            ("Haswell", Processor("Intel Core (Haswell, AVX2)", "GenuineIntel 6/60 avx2", "avx2")),
            ("Nehalem", Processor("Intel Core (family 6, model 26, no AVX2)", "GenuineIntel 6/26 none", "none")),
        ],
        1,
        3,
    ),
)
def test_steps_on_another_processor_are_seen_there(
    named: str, wanted: Processor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LocalEngine, "emulator", emulate(named))
    assert observe_processor(LocalEngine("process")) == wanted


def test_one_that_may_not_be_asked_is_unknown_which_only_machine_minds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError("no memory that is executable")

    monkeypatch.setattr("mmap.mmap", refused)
    assert ask_processor() == UNKNOWN
    require_processor(UNKNOWN, "portable")
    with pytest.raises(MissingError, match="class of this processor cannot be known"):
        require_processor(UNKNOWN, "machine")


@pytest.mark.parametrize("machine", ["aarch64", "riscv64", "i686"])
def test_a_machine_of_another_kind_is_not_asked_in_instructions_of_this_one(
    machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = os.uname()
    monkeypatch.setattr(os, "uname", lambda: os.uname_result((*here[:4], machine)))
    monkeypatch.setattr(processor, "_asker", lambda: pytest.fail("its instructions were run"))
    assert ask_processor() == UNKNOWN


def test_a_manifest_says_machine_or_nothing() -> None:
    said = parse(f"{GOOD}\nnumerics: machine\n")
    assert said.intent()["numerics"] == "machine"
    assert "numerics" not in parse(GOOD).intent() and parse(f"{GOOD}\nnumerics: portable\n") == parse(GOOD)
    assert "'portable' or 'machine', not 'fast'" in refused(f"{GOOD}\nnumerics: fast\n").what


def test_under_machine_its_class_stands_in_the_key_of_what_infers_or_fits(tmp_path: Path) -> None:
    portable, machine = shop(tmp_path / "a", "portable"), shop(tmp_path / "b")
    assert portable.preimage(HEAVY, {})["numerics"] == portable.preimage(PLAIN, {})["numerics"] == NUMERICS
    assert machine.preimage(PLAIN, {}) == portable.preimage(PLAIN, {})
    keyed = machine.preimage(HEAVY, {})["numerics"]
    changed = {NAMED: "machine", PROCESSOR: ask_processor().kind, "MKL_CBWR": "AVX2", "NPY_DISABLE_CPU_FEATURES": ""}
    assert keyed == {**NUMERICS, **changed}
    seen = machine.make(HEAVY, machine.preimage(HEAVY, {})).entry.outputs["seen"].sha256
    assert json.loads(machine.store.blobs.read(seen)).items() >= keyed.items()


def test_a_step_ends_where_its_key_names_another_processor(tmp_path: Path) -> None:
    lied = moved(shop(tmp_path), ELSEWHERE)
    with pytest.raises(StepError, match=f"key says {ELSEWHERE}, and it runs on {ask_processor().kind}"):
        lied.make(HEAVY, lied.preimage(HEAVY, {}))


def test_an_audit_elsewhere_does_not_make_such_a_step_again_and_says_so(tmp_path: Path) -> None:
    made = shop(tmp_path)
    parts: dict[str, Any] = {step.name: made.preimage(step, {}) for step in (PLAIN, HEAVY)}
    for step in (PLAIN, HEAVY):
        made.make(step, parts[step.name])
    there = moved(shop(tmp_path), ELSEWHERE)
    assert not step_reexecutor(there)(PLAIN, parts["plain"], 60.0).flaw
    with pytest.raises(MissingError, match=f"by what its processor does best .*, and here is {ELSEWHERE}"):
        step_reexecutor(there)(HEAVY, parts["heavy"], 60.0)
    assert not batch_reexecutor(there)([(HEAVY, parts["heavy"])], 60.0)
    assert set(batch_reexecutor(shop(tmp_path))([(HEAVY, parts["heavy"])], 60.0)) == {"heavy"}


@pytest.mark.long
def test_keys_of_other_numerics_than_the_manifest_says_are_found_out(tmp_path: Path) -> None:
    run = bare(tmp_path)
    plan = replace(run.plan, steps=tuple(replace(step, threaded=step.name == SHOWN) for step in run.plan.steps))
    workshop = Workshop(run.store, LocalEngine("process"), Limits(), computing=Computing(numerics="machine"))
    name = Runner(run.loaded, run.lock, plan, workshop, limit=1).run(lambda *_: None).run
    found = [
        check for check in replace(run, plan=plan).look(run.store.root, run=name).checks if check.verdict == "fail"
    ]
    assert {(check.id, check.subject) for check in found} == {("key.mismatch", SHOWN)}
    assert all("numerics" in check.detail for check in found)


@pytest.mark.long
@emulator
def test_a_processor_without_avx2_runs_no_step(tmp_path: Path) -> None:
    small_project(tmp_path, models=("oracle",))
    command = [
        sys.executable,
        str(REPOSITORY / "tests" / "emulated.py"),
        "Nehalem",
        "run",
        "manifests/small.yaml",
        "--json",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 3
    assert "every step computes with AVX2, and this processor has none: Intel Core" in error_of(done)["what"]


@pytest.mark.long
def test_variables_of_the_user_reach_no_step_and_change_no_key(tmp_path: Path) -> None:
    small_project(tmp_path, models=("oracle",))
    named = {"MKL_CBWR": "AVX512", "OPENBLAS_CORETYPE": "SkylakeX", "NPY_DISABLE_CPU_FEATURES": "", PROCESSOR: "mine"}
    stated: list[dict[str, Any]] = []
    for env in ({}, {**named, NAMED: "machine", "OMP_NUM_THREADS": "7"}):
        harness("run", "manifests/small.yaml", cwd=tmp_path, env=env, check=0)
        *_, events = journals(tmp_path / ".harness")
        stated.append({event["step"]: event["key"] for event in events if event["event"].startswith("step.")})
    assert stated[0] == stated[1] and stated[0]
    script = Path(processor.__file__)
    assert json.loads(subprocess.check_output([sys.executable, script]))["kind"] == ask_processor().kind

"""Steps made together for an audit give what each alone gives; whatever else comes of that counts against nobody."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from support import REPOSITORY

from harness.digest import sha256
from harness.engines.engine import Limits
from harness.engines.local import LocalEngine, available_isolations
from harness.errors import MissingError
from harness.evidence.audit.checks import Report
from harness.evidence.audit.reexecution import (
    OverBudget,
    RecordedKey,
    ReexecutedStep,
    ReexecutionOptions,
    reexecute_steps,
)
from harness.run.closure import Code
from harness.run.executing.workshop import Workshop
from harness.run.recording.auditing import batch_reexecutor, step_reexecutor
from harness.steps import Pinned, Step
from harness.store.store import Entry, Output, Store

pytestmark = pytest.mark.together

EVERY = pytest.mark.parametrize("isolation", available_isolations())
TOYS = '''
"""Step kinds that do to those beside them what no step should; `double` is the one that does what it should."""
import os, signal, sys, threading, time
from pathlib import Path

made = 0

def double(params, inputs, out):
    parts = sorted(inputs["parts"].iterdir())
    (out / "rows").write_bytes(b"".join(part.read_bytes() for part in (inputs["rows"], *parts)) * params["n"])
    (out / "facts.json").write_text("{}")

def counts(params, inputs, out):
    global made
    made += 1
    (out / "rows").write_text(f"{params['n']} {made}")

def keeps(params, inputs, out):
    private = Path(os.environ["TMPDIR"], "private")
    (out / "rows").write_text(f"{params['n']} {private.exists()}")
    private.touch()

def spoils(params, inputs, out):
    double(params, inputs, out)
    for rows in out.parent.glob("*/rows"):
        if rows.parent != out:
            rows.write_text("spoiled")

def swaps(params, inputs, out):
    double(params, inputs, out)
    for other in out.parent.iterdir():
        if other != out and out.parent.name == "out":
            other.rename(out.parent / "hidden")
            other.symlink_to(out)

def leaves(params, inputs, out):
    double(params, inputs, out)
    os._exit(0)

def exits(params, inputs, out):
    double(params, inputs, out)
    sys.exit()

def dies(params, inputs, out):
    double(params, inputs, out)
    os.kill(os.getpid(), signal.SIGKILL)

def raises(params, inputs, out):
    double(params, inputs, out)
    raise ValueError("and yet its rows lie there")

def links(params, inputs, out):
    os.link(__file__, out / "rows") if params["n"] < 0 else (out / "rows").symlink_to(inputs["rows"])

def hoards(params, inputs, out):
    double(params, inputs, out)
    bytearray(1 << 30)

def fills(params, inputs, out):
    double(params, inputs, out)
    (out / "more").write_bytes(bytes(3 << 20))

def sleeps(params, inputs, out):
    double(params, inputs, out)
    time.sleep(1000)
'''
ROW, PART = b"a row\n", b"a part\n"


@dataclass
class Shop:
    """A workshop on a code root of toys, and what was made again alone."""

    workshop: Workshop
    alone: list[str] = field(default_factory=list)

    def recorded(self, kinds: Sequence[str]) -> list[RecordedKey]:
        """Give a step of each kind, beside what its key is made of."""
        blobs = self.workshop.store.blobs
        rows, part = Pinned(blobs.put(ROW)), Pinned(blobs.put(PART))
        given: dict[str, Any] = {"rows": rows, "parts": (part, part)}
        steps = [
            Step(f"{number}-{kind}", f"harness.toys:{kind}", "scores", {"n": number + 1}, given, ("rows",))
            for number, kind in enumerate(kinds)
        ]
        return [(step, self.workshop.preimage(step, {})) for step in steps]

    def run(self, kinds: Sequence[str]) -> tuple[list[Step], dict[str, Entry]]:
        """Make each step as a run does: alone."""
        steps = self.recorded(kinds)
        return [step for step, _ in steps], {step.name: self.workshop.make(step, parts).entry for step, parts in steps}

    def claim(self, kind: str, number: int) -> tuple[Step, Entry]:
        """Forge what a run would say of a step that never comes to a good end: that it left its rows."""
        step, parts = self.recorded(["double"] * number + [kind])[-1]
        data = (ROW + 2 * PART) * (number + 1)
        self.workshop.store.blobs.put(data)
        return step, self.workshop.store.entries.put(parts, {"rows": Output(sha256(data), len(data))})

    def audit(
        self, steps: Sequence[Step], made: dict[str, Entry], workshop: Workshop | None = None, budget: float = 300
    ) -> Report:
        """Make the steps again, in batches of half of them."""
        again, self.alone = step_reexecutor(workshop or self.workshop), []

        def alone(step: Step, parts: Any, seconds: float) -> ReexecutedStep:
            self.alone.append(step.name)
            return again(step, parts, seconds)

        report = Report()
        report.coverage = reexecute_steps(
            steps, made, ReexecutionOptions(alone, batch_reexecutor(workshop or self.workshop), budget=budget), report
        )
        return report


@pytest.fixture
def open_shop(tmp_path: Path) -> Callable[..., Shop]:
    for name in ("harness/__init__.py", "harness/run/__init__.py", "harness/run/step.py"):
        (tmp_path / "code" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, tmp_path / "code" / name)
    (tmp_path / "code" / "harness" / "toys.py").write_text(textwrap.dedent(TOYS))

    def open_one(isolation: str = "process", **limits: Any) -> Shop:
        wanted = replace(Limits(seconds=60, memory=256 << 20), **limits)
        store = Store.make(tmp_path / "store")
        return Shop(Workshop(store, LocalEngine(isolation), wanted, Code(tmp_path / "code"), environment=b"{}"))

    return open_one


Open = Callable[..., Shop]


def flaws(report: Report) -> list[tuple[str, str]]:
    return [(check.subject, check.detail) for check in report.checks if check.verdict != "pass"]


@EVERY
def test_steps_made_together_give_the_bytes_that_each_gives_alone(isolation: str, open_shop: Open) -> None:
    shop = open_shop(isolation)
    steps, made = shop.run(["double"] * 6)
    report = shop.audit(steps, made)
    assert (report.verdict, shop.alone) == ("agreed", []) and report.coverage and report.coverage.again == 6
    assert not list(shop.workshop.store.temp.iterdir())


@pytest.mark.parametrize("kind", ["counts", "keeps"])
def test_what_a_step_leaves_behind_is_no_disagreement_of_the_next(kind: str, open_shop: Open) -> None:
    shop = open_shop()
    steps, made = shop.run([kind] * 4)
    report = shop.audit(steps, made)
    assert report.verdict == "agreed" and report.coverage and report.coverage.again == 4
    assert len(shop.alone) == 2, "the second of each of two batches, which the first had left something to"


@pytest.mark.parametrize("kind", ["spoils", "swaps", "leaves", "exits"])
def test_a_step_that_harms_those_beside_it_puts_none_of_them_in_the_wrong(kind: str, open_shop: Open) -> None:
    """Alone it comes to a good end, so that a run may hold it; in a batch it spoils or ends what is beside it."""
    shop = open_shop()
    steps, made = shop.run(["double", "double", kind, "double"])
    for _ in range(3):  # it is the first, or the last, of its batch
        report = shop.audit(steps, made)
        assert flaws(report) == [] and report.coverage and report.coverage.again == 4


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("raises", "ValueError: and yet its rows lie there"),
        ("links", "not a plain file"),
        ("hoards", "needed more than 256 MiB"),
        ("fills", "wrote more than 1 MiB"),
    ],
)
def test_a_failed_step_of_a_batch_gives_nothing_whatever_it_had_written(kind: str, why: str, open_shop: Open) -> None:
    shop = open_shop(disk=1 << 20)
    steps, made = shop.run(["double"] * 3)
    bad, entry = shop.claim(kind, 3)
    report = shop.audit([*steps, bad], {**made, bad.name: entry})
    [(subject, detail)] = flaws(report)
    assert report.verdict == "disagreed" and subject == bad.name and why in detail
    assert bad.name in shop.alone


def test_a_step_that_is_killed_says_nothing_against_a_run(open_shop: Open) -> None:
    """So ends what a machine has no memory left for, whatever the run of elsewhere was given."""
    shop = open_shop()
    steps, made = shop.run(["double"] * 3)
    bad, entry = shop.claim("dies", 3)
    report = shop.audit([*steps, bad], {**made, bad.name: entry})
    [(subject, detail)] = flaws(report)
    assert report.verdict == "incomplete" and subject == bad.name and bad.name in shop.alone
    assert "was ended by signal 9: this machine may have run out of memory" in detail


def test_steps_finished_when_time_was_up_count_and_the_rest_does_not(open_shop: Open) -> None:
    shop = open_shop()
    steps, made = shop.run(["double"] * 3)
    bad, entry = shop.claim("sleeps", 3)
    recorded = [(step, made[step.name].preimage) for step in steps]
    found = batch_reexecutor(shop.workshop)([*recorded[:2], (bad, entry.preimage), recorded[2]], 1.5)
    assert sorted(found) == [step.name for step in steps[:2]]
    report = shop.audit([*steps, bad], {**made, bad.name: entry}, budget=1.5)
    coverage = report.coverage
    assert coverage and [subject for subject, _ in flaws(report)] == ["budget"] and bad.name in coverage.left_out
    assert coverage.again + len(coverage.left_out) == 4


def test_what_takes_longer_than_an_audit_may_is_over_budget_and_what_its_manifest_ends_is_not(open_shop: Open) -> None:
    shop = open_shop(seconds=2.0)
    bad, entry = shop.claim("sleeps", 0)
    again = step_reexecutor(shop.workshop)
    with pytest.raises(OverBudget):
        again(bad, entry.preimage, 0.5)
    with pytest.raises(MissingError, match=r"more than the 2 s that its manifest allows"):
        again(bad, entry.preimage, 60)


def test_code_unknown_to_the_store_confirms_a_run_and_is_named(open_shop: Open) -> None:
    shop = open_shop()
    steps, made = shop.run(["double", "counts"] * 2)
    toys = shop.workshop.code.root / "harness" / "toys.py"
    toys.write_text(f"{toys.read_text()}# it was moved\n")
    report = shop.audit(steps, made, open_shop().workshop)
    assert report.verdict == "agreed" and report.coverage and report.coverage.other == 4
    assert {check.detail for check in report.checks} == {"made again by other code: harness/toys.py"}

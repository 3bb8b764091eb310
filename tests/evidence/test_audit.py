"""A forger makes every digest, chain and list follow: what he says is found out where it cannot be so."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from evidence.bare import CUT, MAKE, SHOWN, Bare, bare
from evidence.forger import Forger, forged, whole_run
from support_draws import drawn

from harness.digest import document_digest, encode_document, seal_document, walk_values
from harness.engines.engine import Limits
from harness.engines.local import LocalEngine
from harness.evidence.audit.checks import Report
from harness.evidence.audit.reexecution import OverBudget, ReexecutedStep
from harness.run.executing.workshop import Workshop
from harness.run.recording.auditing import replan_run, step_reexecutor
from harness.steps import Step
from harness.store.store import Store

pytestmark = pytest.mark.together
IMAGE = "sha256:" + "1" * 64
# What bytes alone cannot tell, since nothing else of the run depends on it: when it was, where, and what it used.
UNTOLD = ("/at", "/engine", "/isolation", "/facts", "/usage", "/limit", "/n", "/prev", "/type", "/key", "/entry")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Bare:
    return bare(tmp_path_factory.mktemp("bare"))


@pytest.fixture
def store(run: Bare, tmp_path: Path) -> Store:
    return Store(shutil.copytree(run.store.root, tmp_path / "store"))


def flaws(report: Report) -> list[tuple[str, str, str]]:
    return [(check.id, check.subject, check.detail) for check in report.checks if check.verdict != "pass"]


def others(value: Any) -> list[Any]:
    """Give what else could stand where a value stands: another of its type, and one of each other type."""
    if isinstance(value, bool):
        return [not value]
    same: list[Any] = [value + 1] if isinstance(value, int) else [f"{value}1"] if isinstance(value, str) else []
    return same + [odd for odd in (None, 7, ["x"], {"x": "x"}) if type(odd) is not type(value)][:2]


def put(body: Any, pointer: str, value: Any) -> None:
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    for part in parts[:-1]:
        body = body[int(part)] if isinstance(body, list) else body[part]
    body[int(parts[-1]) if isinstance(body, list) else parts[-1]] = value


def writing(part: str, at: Any, pointer: str, value: Any) -> Callable[[Forger], object]:
    """Give the forger's edit that puts a value at a pointer into one entry or event."""
    return lambda it: put(getattr(it, part)[at], pointer, value)


def test_no_part_of_a_key_or_output_can_be_rewritten_unnoticed(run: Bare, tmp_path: Path) -> None:
    whole = Forger(run.store).entries
    for step, body in whole.items():
        pointers = [pointer for part in ("preimage", "outputs") for pointer, _ in walk_values(body[part], f"/{part}")]
        for pointer in drawn(pointers, len(pointers) // 4, len(pointers)):
            if pointer in ("/preimage", "/preimage/type"):
                continue  # no document: the forger himself could not name it
            value = next(item for at, item in walk_values(body) if at == pointer)
            for other in others(value):
                found = look_forged(run, tmp_path, writing("entries", step, pointer, other))
                assert found.verdict == "disagreed", (step, pointer, other)


def test_no_field_of_an_event_can_be_rewritten_but_when_where_and_how_fast(run: Bare, tmp_path: Path) -> None:
    for number, event in enumerate(Forger(run.store).events):
        for pointer, value in walk_values(event):
            if not pointer or pointer.startswith(UNTOLD) or pointer in ("/event", "/step", "/events"):
                continue  # the last three: the forger finds his entries by them, and counts himself
            for other in others(value)[:2]:
                found = look_forged(run, tmp_path, writing("events", number, pointer, other))
                assert found.verdict != "agreed", (event["event"], pointer, other)


def look_forged(run: Bare, folder: Path, edit: Callable[[Forger], object]) -> Report:
    """Audit a run as a forger leaves it, and put back what he wrote over."""
    root = folder / "forged"
    if not root.exists():
        shutil.copytree(run.store.root, root)
    before = {path: path.read_bytes() for path in written(root)}
    try:
        forged(Store(root), edit)
        return run.look(root)
    finally:
        for path in written(root):
            path.unlink()
        for path, data in before.items():
            path.write_bytes(data)


def written(root: Path) -> list[Path]:
    return [*root.glob("runs/*/*"), *root.glob("keys/*/*"), root / "heads.jsonl"]


def repeated(kind: str, **changes: Any) -> Callable[[Forger], object]:
    """Add the first line of a kind once more, changed, in the middle of the journal."""
    return lambda it: it.events.insert(2, {**next(one for one in it.events if one["event"] == kind), **changes})


def added(**fields: Any) -> Callable[[Forger], object]:
    return lambda it: it.events.insert(-1, {"type": "event/1", "at": it.started["at"], **fields})


STRANGERS = {
    "a second start, from which the record would take the image": repeated("run.started", image=IMAGE, engine="docker"),
    "an end before the end": repeated("run.finished"),
    "an output named twice, the lie first": repeated("output", sha256="0" * 64),
    "a step finished twice": repeated("step.cached"),
    "a failure in a run that is done": added(event="step.failed", step=SHOWN, error="it failed"),
    "words of a step that is not in the plan": added(event="step.log", step="nobody", text="hello"),
    "calls, where no step calls": added(event="calls", models={"gpt": {"requests": 1}}),
    "more steps than the plan has": lambda it: it.started.update(steps=100),
    "a limit that no run has": lambda it: it.started.update(limit=-5),
}


@pytest.mark.parametrize("case", STRANGERS)
def test_a_line_that_no_run_writes_is_named(case: str, run: Bare, store: Store) -> None:
    found = flaws(run.look(forged(store, STRANGERS[case]).root))
    assert "unaccounted" in {check for check, _, _ in found}, found


def test_the_size_of_an_output_is_checked_wherever_it_stands(run: Bare, store: Store) -> None:
    def output(it: Forger) -> None:
        next(event for event in it.events if event["event"] == "output")["size"] += 1

    assert ("output.differs", "outputs", "gold is not what its step made") in flaws(
        run.look(forged(store, output).root)
    )

    def again(it: Forger) -> None:  # of a blob that was read before, as the input of an earlier step
        it.entries[SHOWN]["outputs"]["items"] = {**it.entries[MAKE]["outputs"]["items"], "size": 1}

    assert any(check == "blob.changed" for check, _, _ in flaws(run.look(forged(store, again).root)))


def test_the_image_a_run_names_is_the_one_its_steps_saw(run: Bare, store: Store) -> None:
    found = flaws(run.look(forged(store, lambda it: it.started.update(image=IMAGE)).root))
    assert any(check == "pin.differs" and "its steps ran in none" in detail for check, _, detail in found)


@pytest.mark.parametrize(
    "data", [b"nothing", encode_document({"type": "environment/1"}), encode_document({"type": "closure/1"})]
)
@pytest.mark.parametrize("part", ["environment", "code"])
def test_a_document_that_is_none_is_named_and_breaks_nothing(part: str, data: bytes, run: Bare, store: Store) -> None:
    def edit(it: Forger) -> None:
        digest = it.store.blobs.put(data)
        for body in it.entries.values():
            body["preimage"][part] = digest
        if part == "environment":
            it.started["environment"] = digest

    assert any(check == "entry.changed" for check, _, _ in flaws(run.look(forged(store, edit).root)))


def test_a_lock_without_the_pins_of_what_it_means_is_named(run: Bare, store: Store) -> None:
    def edit(it: Forger) -> None:
        body = it.document(it.started["lock"])
        body["pins"]["datasets"] = {}
        it.started["lock"] = it.store.blobs.put(seal_document(body))

    report = run.look(forged(store, edit).root, replan=replan_run)
    assert ("lock.changed", "lock", "/pins/datasets/addition") in flaws(report)


def test_a_step_that_was_asked_again_is_one_that_asks(run: Bare, store: Store) -> None:
    def edit(it: Forger) -> None:
        it.entries[CUT]["preimage"]["attempt"] = 1

    assert ("key.mismatch", CUT, "/attempt") in flaws(run.look(forged(store, edit).root))


def test_a_step_that_its_run_took_from_the_store_was_executed_by_another_run_of_the_list(
    run: Bare, store: Store
) -> None:
    def taken(it: Forger) -> None:
        event = next(one for one in it.events if one["event"] == "step.done" and one["step"] == CUT)
        event["event"] = "step.cached"
        for executed_alone in ("usage", "facts"):
            event.pop(executed_alone, None)

    told = f"it was taken from the store, and no run of the list executed it ({run.name})"
    assert flaws(run.look(forged(store, taken).root)) == [("unaccounted", CUT, told)]


def test_other_code_is_named_file_by_file_where_no_step_is_executed_again(run: Bare, store: Store) -> None:
    assert run.look(store.root, "derive").verdict == "agreed"
    report = run.look(forged(store, other_code).root, "derive")
    assert report.verdict == "incomplete"
    [(check, kind, detail)] = flaws(report)
    assert (check, kind) == ("code.differs", run.plan.steps[1].kind) and detail.endswith(": harness/digest.py")


def other_code(it: Forger) -> None:
    closure = it.document(it.entries[CUT]["preimage"]["code"])
    closure["files"]["harness/digest.py"] = it.started["manifest"]
    it.entries[CUT]["preimage"]["code"] = it.put(closure)


@pytest.mark.parametrize("left", ["nothing", "its folder", "an empty journal", "its first line", "another end"])
def test_leftovers_of_one_run_are_named_by_the_audit_of_any_other(left: str, run: Bare, store: Store) -> None:
    liked = whole_run(store)
    again = Bare(run.loaded, run.lock, run.plan, store)
    disliked = again.run()

    def look() -> Report:
        return run.look(store.root, run=liked)

    assert look().verdict == "agreed"
    path = store.journal(disliked)
    lines = path.read_bytes().splitlines(keepends=True)
    kept = {
        "its folder": [],
        "an empty journal": [b""],
        "its first line": lines[:1],
        "another end": [*lines[:-1], lines[-1].replace(b"done", b"failed")],
    }
    if left == "nothing":
        shutil.rmtree(path.parent)
    elif left == "its folder":
        path.unlink()
    else:
        path.write_bytes(b"".join(kept[left]))
    assert [(check, subject) for check, subject, _ in flaws(look())][:1] == [("unaccounted", "heads.jsonl")]


def test_which_steps_are_made_again_where_time_is_short_cannot_be_foreseen(run: Bare) -> None:
    """A forger who knew them would forge the others: the order is drawn anew by every audit."""

    def first() -> str:
        made: list[str] = []

        def again(step: Step, parts: Mapping[str, Any], seconds: float) -> ReexecutedStep:
            if made:
                raise OverBudget("there was time for one step")
            made.append(step.name)
            entry = run.store.entries.get(document_digest(parts))
            assert entry
            return ReexecutedStep({name: output.sha256 for name, output in entry.outputs.items()})

        report = run.look(run.store.root, "full", replay=again)
        assert report.verdict == "incomplete" and report.coverage and report.coverage.again == 1
        assert sorted([*made, *report.coverage.left_out]) == sorted([MAKE, CUT, SHOWN])
        return made[0]

    drawn = {first() for _ in range(60)}
    assert drawn == {MAKE, CUT, SHOWN}, "each step in some audit (all of 60 miss one with a chance of 1 in 10^10)"


def test_a_step_that_was_late_and_comes_in_the_second_try_is_not_left_out(run: Bare) -> None:
    tried: list[str] = []

    def again(step: Step, parts: Mapping[str, Any], seconds: float) -> ReexecutedStep:
        tried.append(step.name)
        if tried == [step.name]:
            raise OverBudget("this one takes longer than its share")
        entry = run.store.entries.get(document_digest(parts))
        assert entry
        return ReexecutedStep({name: output.sha256 for name, output in entry.outputs.items()})

    report = run.look(run.store.root, "full", replay=again)
    assert sorted(tried[1:]) == sorted([MAKE, CUT, SHOWN]), "the one that was late, too"
    assert report.verdict == "agreed" and report.coverage and report.coverage.left_out == []


def test_a_machine_that_is_too_slow_says_nothing_against_a_run(run: Bare) -> None:
    """How long a step takes is no part of what it gives: neither a failure nor a proof."""
    hurried = Workshop(run.store, LocalEngine("process"), Limits(seconds=0.02))
    report = run.look(run.store.root, "full", replay=step_reexecutor(hurried))
    assert report.verdict == "incomplete"
    told = {subject: detail for check, subject, detail in flaws(report) if check == "code.differs"}
    assert told.keys() == {MAKE, CUT, SHOWN} and len(flaws(report)) == 3
    assert all("took more than the 0.02 s that its manifest allows" in detail for detail in told.values())

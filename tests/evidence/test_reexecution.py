"""What an audit makes again is put into batches of the same code, and a batch decides nothing but what it confirms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from harness.evidence.audit.checks import Report
from harness.evidence.audit.reexecution import (
    MOST,
    OverBudget,
    RecordedKey,
    ReexecutedStep,
    ReexecutionOptions,
    Slice,
    SliceResult,
    reexecute_steps,
)
from harness.evidence.explain import CODE, NOTHING, Cause
from harness.steps import Ref, Step
from harness.store.store import Entry, Output

RIGHT, WRONG = "1" * 64, "0" * 64


def steps_of(module: str, count: int, **more: Any) -> list[Step]:
    kinds = [f"harness.{module}:{'one' if number % 2 else 'other'}" for number in range(count)]
    return [Step(f"{module}/{number}", kind, "scores", {}, {}, ("rows",), **more) for number, kind in enumerate(kinds)]


def entries(steps: Sequence[Step]) -> dict[str, Entry]:
    return {step.name: Entry("", "", {"kind": step.name}, {"rows": Output(RIGHT, 1)}) for step in steps}


class Hands:
    """Remember what was made together and what alone, and what each was said to give."""

    def __init__(self, together: Mapping[str, str], alone: str = RIGHT) -> None:
        self.given, self.gives, self.batches, self.alone = together, alone, list[list[Step]](), list[str]()

    def how(self, **more: Any) -> ReexecutionOptions:
        return ReexecutionOptions(self._alone, self._together, **more)

    def _together(self, steps: Sequence[RecordedKey], seconds: float) -> Mapping[str, ReexecutedStep]:
        assert all(parts == {"kind": step.name} for step, parts in steps) and 0 < seconds <= 300
        self.batches.append([step for step, _ in steps])
        found = {step.name: self.given.get(step.name, self.given.get("")) for step, _ in steps}
        return {name: ReexecutedStep({"rows": digest}) for name, digest in found.items() if digest}

    def _alone(self, step: Step, parts: Mapping[str, Any], seconds: float) -> ReexecutedStep:
        self.alone.append(step.name)
        return ReexecutedStep({"rows": self.gives})


@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize("counts", [(100, 7, 1), (9, 9, 9), (3, 0, 0)])
def test_a_batch_is_of_one_code_and_every_worker_has_its_share(counts: tuple[int, int, int], jobs: int) -> None:
    steps = [step for module, count in zip("abc", counts, strict=True) for step in steps_of(module, count)]
    shown: list[tuple[str, int, int]] = []
    hands, report = Hands({"": RIGHT}), Report()
    how = hands.how(jobs=jobs, progress=lambda name, _state, done, total: shown.append((name, done, total)))
    coverage = reexecute_steps(steps, entries(steps), how, report)
    assert (coverage.again, report.verdict) == (len(steps), "agreed")
    assert all(len({step.kind.partition(":")[0] for step in batch}) == 1 for batch in hands.batches)
    assert all(1 < len(batch) <= MOST for batch in hands.batches), "what stands by itself is made alone"
    assert len(hands.batches) + len(hands.alone) >= min(2 * jobs, len(steps))
    names = [step.name for batch in hands.batches for step in batch] + hands.alone
    assert sorted(names) == sorted(step.name for step in steps) == sorted(name for name, _, _ in shown)
    assert [(done, total) for _, done, total in shown] == [(number + 1, len(steps)) for number in range(len(steps))]


def test_answering_steps_and_samples_beyond_the_level_run_alone() -> None:
    steps = [*steps_of("a", 8), *steps_of("m", 8, infers=True)]
    hands = Hands({"": RIGHT})
    coverage = reexecute_steps(steps, entries(steps), hands.how(rerun=8), Report())
    assert coverage.again == 16 and sorted(hands.alone) == sorted(step.name for step in steps[8:])
    drawn = Hands({"": RIGHT})
    assert reexecute_steps(steps, entries(steps), drawn.how(rerun=16, level="derive"), Report()).again == 16
    assert (drawn.batches, len(drawn.alone)) == ([], 16)


@pytest.mark.parametrize("said", [WRONG, ""])
def test_what_a_batch_does_not_confirm_is_decided_by_making_it_alone(said: str) -> None:
    steps = steps_of("a", 8)
    for alone, verdict in ((RIGHT, "agreed"), (WRONG, "disagreed")):
        hands, report = Hands({"": RIGHT, "a/3": said}, alone), Report()
        assert reexecute_steps(steps, entries(steps), hands.how(), report).again == 8
        assert (hands.alone, report.verdict) == (["a/3"], verdict)
        failed = [check.subject for check in report.checks if check.verdict == "fail"]
        assert failed == (["a/3"] if verdict == "disagreed" else [])


def test_the_batches_and_what_is_in_them_are_drawn_anew_by_every_audit() -> None:
    steps = [*steps_of("a", 6), *steps_of("b", 6)]

    def order() -> tuple[tuple[str, ...], ...]:
        hands = Hands({"": RIGHT})
        reexecute_steps(steps, entries(steps), hands.how(jobs=2), Report())
        return tuple(tuple(step.name for step in batch) for batch in hands.batches)

    drawn = [order() for _ in range(40)]
    assert {batches[0][0][0] for batches in drawn} == {"a", "b"}
    assert len({frozenset(batches[0]) for batches in drawn}) > 4


SCORER, PROCESSORS = Cause(CODE, "code: harness/a.py"), "ran on AMD EPYC (Zen 3), here Intel Xeon (AVX-512)"


@pytest.mark.parametrize(
    ("other", "processor", "verdict", "text"),
    [
        ((), "", "disagreed", NOTHING),
        ((), PROCESSORS, "disagreed", PROCESSORS),  # equal bytes are promised on each
        ((SCORER,), "", "incomplete", "code: harness/a.py"),
        ((SCORER,), PROCESSORS, "incomplete", f"{PROCESSORS}; code: harness/a.py"),
    ],
)
def test_a_step_that_gives_other_bytes_is_told_with_all_that_is_other_here(
    other: tuple[Cause, ...], processor: str, verdict: str, text: str
) -> None:
    steps, report = steps_of("a", 3), Report()

    def alone(step: Step, parts: Mapping[str, Any], seconds: float) -> ReexecutedStep:
        return ReexecutedStep({"rows": RIGHT if step.name == "a/0" else WRONG}, other, processor=processor)

    reexecute_steps(steps, entries(steps), ReexecutionOptions(alone), report)
    assert report.verdict == verdict
    assert [check.detail for check in report.checks if check.verdict != "pass"] == [f"output rows; {text}"] * 2
    assert report.cause and report.cause.text == f"a/1 differs first; {text}", "the first of the plan"


def test_where_every_step_gives_the_same_bytes_there_is_no_cause_to_name() -> None:
    steps, report = steps_of("a", 3), Report()
    reexecute_steps(steps, entries(steps), Hands({"": RIGHT}).how(), report)
    assert report.cause is None


@pytest.mark.parametrize(("other", "word", "verdict"), [((), "fail", "disagreed"), ((SCORER,), "skip", "incomplete")])
def test_a_row_that_comes_out_otherwise_in_a_slice_counts_against_the_run_unless_other_code_made_it(
    other: tuple[Cause, ...], word: str, verdict: str
) -> None:
    step = Step("s", "harness.a:score", "scores", {}, {"responses": Ref("r", "responses")}, ("scores",))
    made = {"s": Entry("", "", {}, {"scores": Output(RIGHT, 1)})}

    def alone(step: Step, parts: Mapping[str, Any], seconds: float) -> ReexecutedStep:
        raise OverBudget("so many rows")

    def some(step: Step, parts: Mapping[str, Any], wanted: Slice, seconds: float) -> SliceResult:
        return SliceResult(frozenset(range(wanted.rows)), "row 7 of scores", other)

    report, how = Report(), ReexecutionOptions(alone, rows=lambda _step, _entry: 1000, slice=some)
    coverage = reexecute_steps([step], made, how, report)
    [told] = [check for check in report.checks if check.subject == "s"]
    assert (told.verdict, report.verdict) == (word, verdict) and told.detail.startswith("row 7 of scores; ")
    assert coverage.sliced == {"s": (16, 1000)}, "no further slice is needed"
    assert report.cause and report.cause.text.startswith("s differs first; ")

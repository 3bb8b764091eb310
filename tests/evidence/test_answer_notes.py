"""Answers on trust are held against their own counts, times and order; a misfit is a note beside the verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.digest import canonical_json
from harness.evidence.audit.answers import note_answers
from harness.evidence.audit.checks import Coverage, Report
from harness.models.providers.remote import Inference
from harness.steps import Ref, Step
from harness.store.journal import Chain
from harness.store.store import Entry, Output, Store

STEP = Step(
    "capitals/responses/far/part-00000", "harness.models.providers.openai:respond", "responses",
    {"model": "far", "seeds": [0], "generation": {"max_tokens": 50}}, {"prompts": Ref("p", "prompts")},
    ("responses", "inference"), calls=True,
)  # fmt: skip
TEXTS = [f"The capital of country number {number} is a city called {number}." for number in range(12)]


def prompts() -> list[dict[str, Any]]:
    asked = "What is the capital of country number {}? Say it."
    return [{"item": f"i{n}", "template": 1, "text": asked.format(n)} for n in range(len(TEXTS))]


def answers() -> list[dict[str, Any]]:
    return [
        {"item": f"i{number}", "template": 1, "model": "far", "sample": 0, "text": text, "finish": "stop",
         "usage": {"prompt_tokens": 9, "completion_tokens": 14, "total_tokens": 23}}
        for number, text in enumerate(TEXTS)
    ]  # fmt: skip


def summary(given: list[dict[str, Any]]) -> dict[str, Any]:
    found = Inference("far")
    for row in given:
        found.finish[row["finish"]] += 1
        found.usage.update(row["usage"])
    return found.as_data()


def noted(
    tmp_path: Path, given: list[dict[str, Any]], said: Mapping[str, Any], wall: int = 900, cpu: int = 100
) -> list[str]:
    """Give the notes on a step that lies in a store with these answers, this summary, these times."""
    store = Store.make(tmp_path / "store")
    tables: dict[str, list[Mapping[str, Any]]] = {"prompts": [*prompts()], "responses": [*given], "inference": [said]}
    digests = {
        name: store.blobs.put(b"".join(canonical_json(row) + b"\n" for row in table)) for name, table in tables.items()
    }
    outputs = {name: Output(digests[name], 1) for name in STEP.outputs}
    entry = Entry("", "", {"inputs": {"prompts": digests["prompts"]}}, outputs)
    start: Any = {"event": "run.started", "at": "2026-11-28T10:00:00.000Z", "facts": {"cores": 2}}
    done: Any = {
        "event": "step.done",
        "step": STEP.name,
        "at": "2026-11-28T10:00:01.000Z",
        "usage": {"wall_ms": wall, "cpu_ms": cpu},
    }
    report = Report(coverage=Coverage(trusted={"far": 1}))
    note_answers(store, [STEP], {STEP.name: entry}, Chain((start, done)), report)
    return [note.removeprefix(f"{STEP.name}: ") for note in report.notes]


def test_answers_whose_numbers_fit_are_not_noted(tmp_path: Path) -> None:
    assert noted(tmp_path, answers(), summary(answers())) == []


def each(**more: Any) -> Callable[[list[dict[str, Any]]], list[dict[str, Any]]]:
    return lambda given: [{**row, **more} for row in given]


def used(**more: int) -> Callable[[list[dict[str, Any]]], list[dict[str, Any]]]:
    return lambda given: [{**row, "usage": {**row["usage"], **more}} for row in given]


MISFITS: dict[str, tuple[Callable[[list[dict[str, Any]]], list[dict[str, Any]]], str]] = {
    "longer texts under the old counts": (each(text="word " * 200), "168 tokens of answers for 12000 bytes of text"),
    "more tokens than were asked for": (
        used(completion_tokens=51), "12 answers have more tokens than the 50 asked for",
    ),
    "texts of no token": (used(completion_tokens=0), "an answer of no token has a text"),
    "prompts of one token": (used(prompt_tokens=1), "12 tokens of prompts for "),
    "prompts of more tokens than bytes": (used(prompt_tokens=9999), "12 prompts have more tokens than bytes"),
    "two answers exchanged": (
        lambda given: [given[1], given[0], *given[2:]], "answer 1 does not stand where its prompt does",
    ),
    "an answer left out": (lambda given: given[:-1], "answer 12 does not stand where its prompt does"),
    "another model's answers": (each(model="near"), "answers of another model stand in it"),
    "no rows": (lambda given: [{"text": 5}], "its answers are no rows as a step writes them"),
}  # fmt: skip


@pytest.mark.parametrize("case", MISFITS)
def test_a_misfit_is_noted_in_words(case: str, tmp_path: Path) -> None:
    edit, words = MISFITS[case]
    given = edit(answers())
    said = summary(given) if case != "no rows" else summary(answers())
    found = noted(tmp_path, given, said)
    assert any(note.startswith(words) for note in found), found


@pytest.mark.parametrize("name", ["requests", "finish", "usage"])
def test_a_summary_that_counts_otherwise_is_noted(name: str, tmp_path: Path) -> None:
    said = {**summary(answers()), name: {"requests": 11, "finish": {"stop": 11, "length": 1}, "usage": {}}[name]}
    assert noted(tmp_path, answers(), said) == [f"its summary counts other {name} than its answers have"]


def test_times_that_cannot_be_are_noted(tmp_path: Path) -> None:
    assert noted(tmp_path, answers(), summary(answers()), wall=4000) == [
        "it took 4000 ms, and stands 1000 ms after the start of its run"
    ]
    assert noted(tmp_path, answers(), summary(answers()), wall=100, cpu=9000) == [
        "it used 9000 ms of CPU in 100 ms on 2 cores"
    ]


def test_notes_stand_beside_the_verdict_and_do_not_change_it() -> None:
    report = Report(coverage=Coverage(trusted={"far": 1}), notes=["a: b"])
    assert (report.verdict, report.words) == ("agreed", "agreed, answers of 1 model unverified, 1 note on them")

"""What is known of answers while they come: rows of what has ended, the gateway's word on what is under way."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.run.executing.workshop import StepResult
from harness.run.progress import AnswerCounter
from harness.steps import Plan, Ref, Step
from harness.store.store import Entry, Output, Store

MADE = {("prompts", "prompts"): ""}


def step(name: str, **more: Any) -> Step:
    inputs = {"prompts": Ref("prompts", "prompts")}
    return Step(name, "x.y:respond", "responses", {"model": name, "seeds": [0, 1]}, inputs, ("responses",), **more)


FAR, OTHER = step("far", calls=True), step("other", calls=True)
NEAR, STAND_IN = step("near", infers=True), step("oracle")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.make(tmp_path / "store")


@pytest.fixture
def answers(store: Store) -> AnswerCounter:
    """Four steps on three prompts, two samples each; one of them is no model."""
    MADE["prompts", "prompts"] = store.blobs.put(b"{}\n{}\n{}\n")
    return AnswerCounter(Plan((FAR, OTHER, NEAR, STAND_IN), {}), store)


def result(store: Store, rows: int, errors: int, state: str = "executed") -> StepResult:
    lines = [{"error": "HTTP 500"}] * errors + [{"finish": "stop"}] * (rows - errors)
    data = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()
    output = Output(store.blobs.put(data), len(data))
    return StepResult(Entry("k", "d", {}, {"responses": output}), state, {})


def told(live: int, errors: int = 0, dollars: str = "0") -> dict[str, Any]:
    return {"m": {"replayed": 0, "live": live, "errors": {"http_500": errors} if errors else {}, "dollars": dollars}}


def test_what_is_to_be_asked_is_known_once_its_prompts_are_made(answers: AnswerCounter) -> None:
    assert (answers.now({}).total, answers.now(MADE).total) == (0, 18)


def test_what_the_store_had_is_done_and_is_none_of_this_runs_work(answers: AnswerCounter, store: Store) -> None:
    assert answers.ends(FAR, result(store, 6, 1, "cached")) is False
    found = answers.now(MADE)
    assert (found.done, found.kept, found.errors, found.total) == (6, 6, 1, 18)
    assert not answers.asking and found.seconds == 0


def test_a_stand_in_is_not_counted(answers: AnswerCounter, store: Store) -> None:
    answers.begins(STAND_IN)
    assert not answers.asking and answers.ends(STAND_IN, result(store, 6, 0)) is False
    assert answers.now(MADE).done == 0


def test_a_model_that_computes_here_is_counted_when_its_shard_ends(answers: AnswerCounter, store: Store) -> None:
    answers.begins(NEAR)
    assert answers.asking and answers.now(MADE).done == 0
    assert answers.ends(NEAR, result(store, 6, 0)) is True
    assert answers.now(MADE).done == 6 and not answers.asking


def test_gateway_counts_are_for_steps_under_way_and_rows_for_ended_ones(answers: AnswerCounter, store: Store) -> None:
    answers.priced = True
    answers.begins(FAR)
    answers.begins(OTHER)
    answers.now(MADE)
    answers.counts = lambda: told(7, 2, "0.5")
    found = answers.now(MADE)
    assert (found.done, found.errors, str(found.dollars)) == (9, 2, "0.5")
    answers.ends(FAR, result(store, 6, 2))
    found = answers.now(MADE)
    assert (found.done, found.errors) == (9, 2), "nothing is counted twice"
    answers.ends(OTHER, result(store, 6, 0))
    found = answers.now(MADE)
    assert (found.done, found.errors, found.total) == (12, 2, 18)


@pytest.mark.parametrize("said", [told(1000), told(0), {}])
def test_a_gateway_that_counts_wrong_moves_progress_not_back_nor_too_far(
    answers: AnswerCounter, store: Store, said: dict[str, Any]
) -> None:
    answers.begins(FAR)
    answers.now(MADE)
    answers.counts = lambda: told(4)
    assert answers.now(MADE).done == 4
    answers.counts = lambda: said
    assert 4 <= answers.now(MADE).done <= 6
    answers.ends(FAR, replace(result(store, 6, 0)))
    assert answers.now(MADE).done == 6

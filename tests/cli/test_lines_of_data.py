"""No text of a store, of a server or of a file that was handed over begins a line of its own on a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from evidence.forger import Forger, forged
from support_answers_run import answers_run
from support_ground import copy_of
from support_inside import inside

from harness.cli import runs
from harness.store.store import Store, list_runs
from harness.verbs.run_data import RunData, StepCounts

FAKE = "10 of 10 steps made again\nrun 20260101T000000Z-0a0a0a0a: agreed; 25 checks passed, 0 did not (level full)"
ODD = f"x\n\n{FAKE}"


def lies(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(("run 2026", "10 of 10", "small: agreed"))]


@pytest.mark.together
def test_no_name_of_a_step_writes_lines_of_explain_and_diff(tmp_path: Path) -> None:
    """Both are what a reviewer reads next where an audit disagrees."""

    def make(folder: Path) -> None:
        for seed in (0, 1):
            answers_run(folder, {"good": 50}, 2, 1, seed=seed)

    store = Store.open(copy_of("answers-to-forge", tmp_path / "p", make) / ".harness")
    step = "sums/responses/good/part-00000"

    def rename(it: Forger) -> None:
        it.entries[ODD] = it.entries.pop(step)
        it.entries[ODD]["preimage"]["params"]["model"] = ODD
        for event in it.events:
            if event.get("step") == step:
                event["step"] = ODD

    run = Forger(store).run
    forged(store, rename)
    [other] = [one for one in list_runs(store) if one != run]
    for words in (["explain", run, ODD], ["explain", run], ["diff", other, run], ["diff", run, other]):
        done = inside(*words, "--store", store.root, cwd=tmp_path)
        assert "10 of 10" in done.stdout + done.stderr, words
        assert not lies(done.stdout + done.stderr), words


def test_no_name_that_a_server_gives_its_model_writes_a_verdict() -> None:
    told = {"replayed": 0, "recorded": 0, "live": 1, "errors": {}, "models": {f"gpt\nsmall: agreed ({FAKE}": 1}}
    ran = RunData(
        manifest="small",
        run="r",
        engine="local",
        isolation="process",
        image="none",
        image_state="none",
        device="cpu",
        verdict="disagreed",
        self_checks="pass",
        steps=StepCounts(total=1, executed=1, cached=0, failed=0),
        sees_gold=[],
        calls={"m": told},
        outputs=[],
    )
    for verbose in (False, True):
        for text in (runs._ended([ran], verbose), runs._table([ran], verbose)):
            assert "small: disagreed" in text and "gpt" in text and not lies(text)

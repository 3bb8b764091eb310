"""The judge of LMScore: our own question, and the likeliest first words of its reply (M0)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness import rows
from harness.studies.curie.judging import lmscore_judge
from harness.studies.curie.scoring.lmscore import score
from harness.studies.curie.tasks import PAPER, STRICT

ABOUT = {"item": "a", "template": 1, "model": "m", "sample": 0}


def asked(folder: Path, truth: str, mode: str = STRICT) -> list[Any]:
    """Give the prompts about one answer to a question of a Hamiltonian."""
    rows.write(folder / "items", [{"id": "a", "task": "hfe", "input": {}, "difficulty": 0, "meta": {}}])
    rows.write(folder / "gold", [{"id": "a", "gold": {"truth": truth}}])
    rows.write(folder / "responses", [{**ABOUT, "text": "H = {b}", "finish": "stop"}])
    inputs = {name: folder / name for name in ("items", "gold", "responses")}
    lmscore_judge.ask({"judge": "grader", "round": 0, "mode": mode, "task": "hfe"}, inputs, folder)
    return list(rows.read(folder / "prompts"))


@pytest.mark.parametrize("mode", [PAPER, STRICT])
def test_the_judge_sees_answer_and_reference_and_is_asked_for_one_word(tmp_path, mode) -> None:
    [prompt] = asked(tmp_path, json.dumps({"record_id": "1", "hamiltonian": "H = a"}), mode)
    assert "H = a" in prompt["text"] and "\nH = {b}\n" in prompt["text"]
    assert all(word in prompt["text"] for word in ("one word", "good", "okay", "bad"))


def test_without_a_reference_nothing_is_asked(tmp_path) -> None:
    assert asked(tmp_path, '{"record_id": "1"}') == []


def test_the_first_token_that_is_not_blank_is_read_m0(tmp_path) -> None:
    asked(tmp_path, '{"hamiltonian": "H = a"}')
    tokens = [
        {"token": "\n", "logprob": -0.1, "top": [["\n", -0.1]]},
        {"token": " Good", "logprob": -0.2, "top": [[" Good", -0.2], ["bad", -2.0]]},
    ]
    rows.write(tmp_path / "replies", [{**ABOUT, "text": "\n Good", "finish": "stop", "logprobs": tokens}])
    inputs = {name: tmp_path / name for name in ("items", "gold", "prompts", "replies")}
    lmscore_judge.read({"judge": "grader", "round": 0, "repeats": 1, "last": True}, inputs, tmp_path)
    [row] = rows.read(tmp_path / "judgements")
    top = [{"token": " Good", "logprob": -0.2}, {"token": "bad", "logprob": -2.0}]
    assert row["parsed"] == {"top_logprobs": top}
    assert score(top)["detail"]["metrics"]["p_good"] > 0.8


def test_a_reply_without_log_probabilities_cannot_be_read() -> None:
    found = lmscore_judge.top_logprobs({}, {}, {**ABOUT, "text": "good", "finish": "stop"})  # type: ignore[typeddict-item]
    assert found == {"missing": lmscore_judge.NO_LOGPROBS}

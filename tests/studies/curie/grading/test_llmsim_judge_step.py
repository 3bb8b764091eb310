"""The score step of LLMSim by an LLM judge: whatever the judge replies, and where it never does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness import rows
from harness.kit import graded
from harness.kit.judged import JUDGE_ERROR
from harness.studies.curie.grading.llmsim_judge import score

ABOUT: dict[str, Any] = {"item": "mpv-a", "template": 1, "model": "m", "sample": 0}
VALUES = ("1.1", "2.2", "3.3")
GOLD = [{"index": place, "material": "Si", "property_name": "band gap", "low_value": one}
        for place, one in enumerate(VALUES)]  # fmt: skip
ANSWER = json.dumps([{"material": "none"}, *({"material": "Si", "low_value": one} for one in VALUES)])
NAMED = tuple(f'{{"json_extracted_indices": [{place}]}}' for place in (1, 2, 3))
NEVER = {"missing": JUDGE_ERROR}


def scored(
    folder: Path, *replies: str | None, mode: str = "strict", answer: str = ANSWER, gold: Any = GOLD, **response: Any
) -> Any:
    """Score one answer by a judge's replies to the questions about it, in their order; None: the provider failed."""
    judgements = [
        {**ABOUT, "judge": "judge", "repeat": 0, "round": 0, "text": text or "", "question": place,
         "parsed": NEVER if text is None else {"readable": True}}
        for place, text in enumerate(replies)
    ]  # fmt: skip
    tables: dict[str, list[dict[str, Any]]] = {
        "items": [{"id": "mpv-a", "task": "mpv", "input": {"text": ""}, "difficulty": None, "meta": {}}],
        "gold": [{"id": "mpv-a", "gold": {"target": "", "truth": json.dumps(gold)}}],
        "responses": [{**ABOUT, "text": answer, "finish": "stop", **response}],
        "judgements": judgements,
    }
    for name, table in tables.items():
        rows.write(folder / name, table)
    params = {"mode": mode, "task": "mpv", graded.UNASKED: True}
    score(params, {name: folder / name for name in tables}, folder)
    [row] = rows.read(folder / "scores")
    return row


@pytest.mark.parametrize(
    ("reply", "value", "errors"),
    [
        ("The second one, I am sure.", 2 * 2 / 7, 1),
        (f"It is this:\n```json\n{NAMED[0]}\n```\nI hope that helps.", 2 * 3 / 7, 0),
        ('{"json_extracted_indices": [1, 4, 99, -1, 1e9, true, null]}', 2 * 3 / 7, 0),
        ('{"json_extracted_indices": [1, 1, "1"]}', 2 * 3 / 7, 0),
        (f"{NAMED[0]}\n{NAMED[0]}", 2 * 3 / 7, 0),
        ("", 2 * 2 / 7, 1),
        ("[" * 10_000, 2 * 2 / 7, 1),
        ("x" * 5_000_000, 2 * 2 / 7, 1),
    ],
    ids=["prose", "fences", "out of range", "twice in one", "twice", "nothing", "brackets", "5 MB"],
)
def test_l1_l2_odd_replies_of_a_judge_are_read_or_counted(
    tmp_path: Path, reply: str, value: float, errors: int
) -> None:
    row = scored(tmp_path, reply, *NAMED[1:])
    assert (row["value"], row["detail"]["judge_errors"]) == (pytest.approx(value), errors)
    assert graded.state(row) == "scored"


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("mode", ["strict", "paper"])
def test_a_reply_that_never_came_is_an_error_of_the_judge(tmp_path: Path, mode: str, place: int) -> None:
    replies: list[str | None] = [*NAMED]
    replies[place] = None
    row = scored(tmp_path, *replies, mode=mode)
    assert (row["value"], graded.state(row)) == (NEVER, JUDGE_ERROR)


def test_a_judge_that_never_replies_is_an_error_of_the_judge(tmp_path: Path) -> None:
    assert graded.state(scored(tmp_path, None, None, None)) == JUDGE_ERROR


def test_an_answer_that_is_an_error_is_no_empty_answer(tmp_path: Path) -> None:
    assert graded.state(scored(tmp_path, answer="", error="HTTP 500", finish="error")) == graded.ERROR


@pytest.mark.parametrize("answer", ["", "no list", "[]", "{}"])
def test_l3_an_answer_without_predictions_is_0_though_nothing_was_asked(tmp_path: Path, answer: str) -> None:
    row = scored(tmp_path, answer=answer)
    assert (row["value"], graded.state(row)) == (0, "scored")


def test_l4_gold_without_a_value_gives_none_and_is_no_fault_of_the_answer(tmp_path: Path) -> None:
    row = scored(tmp_path, gold=[{"index": 0, "low_value": " "}])
    assert row["outcome"] == "gold_invalid" and graded.state(row) == "missing"


def test_replies_are_taken_by_the_number_of_their_question(tmp_path: Path) -> None:
    row = scored(tmp_path, '{"json_extracted_indices": []}', *NAMED[1:])
    assert row["detail"]["admissible"] == [[1, 2], [2, 3]]

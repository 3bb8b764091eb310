"""Scores by judgements: an error and a judge's error have none, are counted, and keep their state where a paper has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness import rows
from harness.errors import InputError
from harness.kit import graded
from harness.kit.graded import Seen
from harness.kit.judged import JUDGE_ERROR
from harness.rowtypes import Found, Missing, Score

ABOUT: dict[str, Any] = {"item": "a", "template": 1, "model": "m", "sample": 0}
FINE = {**ABOUT, "text": "8", "finish": "stop"}
FAILED = {**FINE, "text": "", "finish": "error", "error": "HTTP 400"}
UNREAD = {"missing": "judge_error"}


def judgement(parsed: Any, repeat: int = 0, **more: Any) -> dict[str, Any]:
    return {**ABOUT, "judge": "j", "repeat": repeat, "round": 0, "text": "", "parsed": parsed, **more}


def total(seen: Seen) -> Found | Missing:
    if not seen.judgements:
        return {"missing": "nothing to add up"}
    return {"value": sum(one["parsed"] for one in seen.judgements)}


def score(folder: Path, response: dict[str, Any], *judgements: dict[str, Any], **params: Any) -> Any:
    """Score one response, by its judgements where there are any."""
    tables: dict[str, list[dict[str, Any]]] = {
        "items": [{"id": "a", "task": "t", "input": {}, "difficulty": 0, "meta": {}}],
        "gold": [{"id": "a", "gold": {}}], "responses": [response], "judgements": list(judgements),
    }  # fmt: skip
    for name, table in tables.items():
        rows.write(folder / name, table)
    graded.write(params, {name: folder / name for name in tables}, folder, "toy.total", total)
    [row] = rows.read(folder / "scores")
    return row


@pytest.mark.parametrize(
    ("response", "parsed", "state", "reason"),
    [(FAILED, [], "error", "HTTP 400"), (FINE, [UNREAD], "judge_error", "judge_error")],
)
def test_what_has_no_score_gets_the_papers_value_and_keeps_its_state(
    tmp_path: Path, response: dict[str, Any], parsed: list[Any], state: str, reason: str
) -> None:
    judgements = [judgement(one) for one in parsed]
    strict = score(tmp_path, response, *judgements)
    paper = score(tmp_path, response, *judgements, instead={state: "0.5"})
    other = score(tmp_path, response, *judgements, instead={"error" if state != "error" else "judge_error": 1})
    assert strict["value"] == other["value"] == {"missing": reason} and paper["value"] == 0.5
    for row in (strict, paper, other):
        assert graded.states([row])[state] == 1 and graded.states([row])["scored"] == 0


def test_a_repeat_that_could_not_be_read_is_left_out_and_counted(tmp_path: Path) -> None:
    row = score(tmp_path, FINE, judgement(3), judgement(UNREAD, 1, error="HTTP 503"), judgement(4, 2))
    assert (row["value"], row["detail"]["unread"], graded.state(row)) == (7, 1, "scored")


def test_a_rule_that_lacks_one_of_several_replies_has_a_judge_error(tmp_path: Path) -> None:
    def lacking(seen: Seen) -> Missing:
        return {"missing": JUDGE_ERROR}

    rows.write(tmp_path / "items", [{"id": "a", "task": "t", "input": {}, "difficulty": 0, "meta": {}}])
    rows.write(tmp_path / "gold", [{"id": "a", "gold": {}}])
    rows.write(tmp_path / "responses", [FINE])
    graded.write({}, {name: tmp_path / name for name in ("items", "gold", "responses")}, tmp_path, "toy", lacking)
    [row] = rows.read(tmp_path / "scores", Score)
    assert (row["value"], graded.state(row)) == (UNREAD, JUDGE_ERROR)


def test_an_answer_that_nobody_judged_is_no_answer_without_judges(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no judge was asked about item a"):
        score(tmp_path, FINE)


def test_a_rule_may_have_no_value_of_its_own_which_is_counted_too(tmp_path: Path) -> None:
    score(tmp_path, FINE, judgement(1))  # for its files
    inputs = {name: tmp_path / name for name in ("items", "gold", "responses")}
    graded.write({}, inputs, tmp_path, "toy.total", total)
    [row] = rows.read(tmp_path / "scores")
    assert row["value"] == {"missing": "nothing to add up"} and graded.state(row) == "missing"  # type: ignore[arg-type]

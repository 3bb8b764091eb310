"""The score step of BioScore: states by the first rule that matches, repeats, and what the paper gave to errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness import rows
from harness.errors import InputError
from harness.kit.graded import INSTEAD
from harness.kit.judged import JUDGE_ERROR
from harness.studies.biomed.grading.bioscore import score
from harness.studies.biomed.terms import FAILED, PAPER, STRICT

ABOUT: dict[str, Any] = {"item": "a", "template": 1, "model": "m", "sample": 0}
UNSAFE = f"{FAILED} for 'q' after 3 retries. Last error: HARM_CATEGORY_DANGEROUS_CONTENT"


def scored(folder: Path, mode: str, *grades: str | None, **response: Any) -> Any:
    """Score one response by a grader's repeats; None: it could not be read."""
    judgements = [
        {**ABOUT, "judge": "grader", "repeat": place, "round": 0, "text": "",
         "parsed": {"missing": JUDGE_ERROR} if grade is None else {"grade": grade}}
        for place, grade in enumerate(grades)
    ]  # fmt: skip
    tables: dict[str, list[dict[str, Any]]] = {
        "items": [{"id": "a", "task": "biomed", "input": {"question": "?"}, "difficulty": None, "meta": {}}],
        "gold": [{"id": "a", "gold": {"target": "gold"}}],
        "responses": [{**ABOUT, "text": "an answer", "finish": "stop", **response}],
        "judgements": judgements,
    }
    for name, table in tables.items():
        rows.write(folder / name, table)
    params = {"mode": mode, "scorer": "bioscore-judge", **({INSTEAD: {"error": "-1"}} if mode == PAPER else {})}
    score(params, {name: folder / name for name in tables}, folder)
    [row] = rows.read(folder / "scores")
    return row


@pytest.mark.parametrize("mode", [PAPER, STRICT])
def test_an_answer_has_a_third_of_its_grade(tmp_path: Path, mode: str) -> None:
    row = scored(tmp_path, mode, "2.5")
    assert (row["value"], row["outcome"], row["scorer"]) == (2.5 / 3, "answered", "bioscore-judge")
    assert (row["detail"]["grade"], row["detail"]["state"], row["detail"]["mode"]) == ("2.5", "answered", mode)


def test_an_abstention_is_minus_one(tmp_path: Path) -> None:
    assert (scored(tmp_path, STRICT, "-1.0")["value"], scored(tmp_path, STRICT, "-1.0")["outcome"]) == (-1, "abstained")


@pytest.mark.parametrize("mode", [PAPER, STRICT])
def test_an_answer_without_a_readable_grade_is_ungraded(tmp_path: Path, mode: str) -> None:
    row = scored(tmp_path, mode, None)
    assert "missing" in row["value"] and row["outcome"] == "ungraded" and row["detail"]["grades"] == [None]


def test_the_first_repeat_counts_and_all_are_kept(tmp_path: Path) -> None:
    row = scored(tmp_path, STRICT, "2.0", None, "3.0")
    assert (row["value"], row["detail"]["grades"]) == (2 / 3, ["2.0", None, "3.0"])
    assert scored(tmp_path, STRICT, None, "3.0")["outcome"] == "ungraded"


@pytest.mark.parametrize(
    ("response", "state"),
    [
        ({"text": UNSAFE}, "blocked"), ({"text": "", "error": "503: DANGEROUS", "finish": "error"}, "blocked"),
        ({"text": "half an ans", "finish": "content_filter"}, "blocked"),
        ({"text": "", "error": "HTTP 500", "finish": "error"}, "error"), ({"text": " \n"}, "error"),
        ({"text": f"{FAILED} for 'q' after 3 retries. Last error: timeout"}, "error"),
        ({"text": "That is a DANGEROUS drug."}, "answered"), ({"text": f"It said: {FAILED}"}, "answered"),
    ],
)  # fmt: skip
def test_the_state_is_the_first_that_matches_in_strict_mode(tmp_path: Path, response: Any, state: str) -> None:
    row = scored(tmp_path, STRICT, "3.0", **response)
    assert row["outcome"] == state
    assert (row["value"] == 1, "missing" in str(row["value"])) == (
        (True, False) if state == "answered" else (False, True)
    )
    assert row["detail"]["grade"] == ("3.0" if state == "answered" else None)


def test_in_strict_mode_nobody_is_asked_about_what_is_no_answer(tmp_path: Path) -> None:
    assert scored(tmp_path, STRICT, text="")["outcome"] == "error"


def test_an_answer_that_nobody_was_asked_about_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no grader was asked"):
        scored(tmp_path, STRICT)


@pytest.mark.parametrize(
    ("response", "grades", "value", "state"),
    [
        ({"text": UNSAFE}, ("-1.0",), -1, "blocked"), ({"text": f"{FAILED} for 'q'"}, ("0.0",), 0, "error"),
        ({"text": ""}, ("-1.0",), -1, "error"), ({"text": "", "error": "HTTP 500"}, (), -1, "error"),
        ({"text": "", "error": "DANGEROUS"}, (), -1, "blocked"),
    ],
)  # fmt: skip
def test_paper_mode_gives_an_error_its_grade_and_keeps_its_state(
    tmp_path: Path, response: Any, grades: Any, value: float, state: str
) -> None:
    row = scored(tmp_path, PAPER, *grades, **response)
    assert (row["value"], row["outcome"]) == (value, state)


def test_a_rules_reasons_stand_beside_its_grade(tmp_path: Path) -> None:
    scored(tmp_path, STRICT, "1.0")
    [told] = rows.read(tmp_path / "judgements")
    rows.write(tmp_path / "judgements", [{**told, "parsed": {"grade": "1.0", "why": ["another year"]}}])
    inputs = {name: tmp_path / name for name in ("items", "gold", "responses", "judgements")}
    score({"mode": STRICT, "scorer": "bioscore-rule"}, inputs, tmp_path)
    [row] = rows.read(tmp_path / "scores")
    assert row["detail"]["why"] == ["another year"]

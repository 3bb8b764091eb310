"""Points off for irrelevant text: replies in two parts, and what one number would have made of them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from studies.biomed.judging.test_llm_grader import ABOUT, files

from harness import rows
from harness.errors import InputError
from harness.studies.biomed.asking import how
from harness.studies.biomed.grading.bioscore import score
from harness.studies.biomed.judging import llm
from harness.studies.biomed.judging.deducted import DEDUCTIONS, OFF, STATED, WORTHS, DeductedGrade, deducted_grade
from harness.studies.biomed.judging.grade_text import GRADES, paper_grade
from harness.studies.biomed.terms import PAPER, STRICT


@pytest.mark.parametrize(
    ("reply", "worth", "off", "grade"),
    [
        ("3 - 0", "3.0", "0.0", "3.0"), ("3 - 0.5", "3.0", "0.5", "2.5"), ("2 - 1", "2.0", "1.0", "1.0"),
        ("**Score: 1.0 \u2212 0.5**.", "1.0", "0.5", "0.5"), ("0-0", "0.0", "0.0", "0.0"),
        ("0 - 0.5", "0.0", "0.5", "0.0"), ("0.0 \u2013 1.0", "0.0", "1.0", "0.0"),
    ],
)  # fmt: skip
def test_a_reply_in_two_parts_is_worth_less_what_is_off_and_never_less_than_0(reply, worth, off, grade):
    found = deducted_grade(reply)
    assert found == DeductedGrade(worth, off) and found.grade == grade


@pytest.mark.parametrize("reply", ["-1", "-1.0", "**-1.0**", "Grade: \u22121"])
def test_not_knowing_stands_alone(reply):
    assert deducted_grade(reply) == "-1.0"


@pytest.mark.parametrize(
    "reply",
    ["3", "2.5", "2.5 - 0", "3 - 2", "4 - 1", "2 - 0.25", "3 - 0.5 = 2.5", "-1 - 0", "3 - 0.5 - 0.5", "", "two - one",
     "3 / 0.5", "3 0.5", "\u0663 - \u0660", "-2", "I give 3 - 0.5"],
)  # fmt: skip
def test_anything_else_is_unreadable_and_asked_again(reply):
    assert deducted_grade(reply) is None


def test_every_pair_of_the_rubric_is_a_grade_of_the_scale():
    assert {DeductedGrade(worth, off).grade for worth in WORTHS for off in OFF} <= set(GRADES)


def test_one_number_below_0_is_no_grade_or_that_of_not_knowing():
    """A worthless answer that distracts is an abstention to the published parser, which raises AR and SR."""
    assert (paper_grade("-0.5"), paper_grade("-1")) == (None, "-1.0")
    assert deducted_grade("0 - 1") == DeductedGrade("0.0", "1.0")


def asked_and_read(folder: Path, *replies: str) -> tuple[list[str], list[Any]]:
    """Ask about as many answers as there are replies; gives the prompts and the judgements that were read."""
    params = {"judge": "grader", "round": 0, "mode": STRICT, DEDUCTIONS: STATED}
    inputs = files(folder, [{"text": f"answer {place}"} for place in range(len(replies))])
    llm.ask(params, inputs, folder)
    prompts = [row["messages"][0]["content"] for row in rows.read(folder / "prompts")]
    rows.write(folder / "replies", [{**ABOUT, "item": f"q{place}", "text": text} for place, text in enumerate(replies)])
    inputs |= {name: folder / name for name in ("prompts", "replies")}
    llm.read({**params, "repeats": 1, "last": True}, inputs, folder)
    return prompts, [row["parsed"] for row in rows.read(folder / "judgements")]


def test_the_grader_is_asked_for_two_numbers_and_both_are_kept_in_the_score(tmp_path):
    prompts, parsed = asked_and_read(tmp_path, "2 - 0.5", "-1", "2.5")
    assert all("such as 2 - 0.5" in text and "Reply with one number" not in text for text in prompts)
    assert parsed[:2] == [{"grade": "1.5", "worth": "2.0", "off": "0.5"}, {"grade": "-1.0"}]
    assert parsed[2] == {"missing": "judge_error"}
    params = {"mode": STRICT, "scorer": "bioscore-judge"}
    score(params, {name: tmp_path / name for name in ("items", "gold", "responses", "judgements")}, tmp_path)
    found = [
        (row["value"], row["detail"].get("worth"), row["detail"].get("off")) for row in rows.read(tmp_path / "scores")
    ]
    assert found[:2] == [(0.5, ["2.0"], ["0.5"]), (-1, None, None)]
    assert "missing" in found[2][0]


def test_without_the_setting_the_prompt_and_the_score_are_as_they_were(tmp_path):
    plain = llm.prompt("Q?", "G.", "A.", STRICT)
    assert plain.endswith("Reply with one number and nothing else: 3.0, 2.5, 2.0, 1.5, 1.0, 0.5, 0.0 or -1.0.")
    assert "Take off 0.5 where the answer adds what the question did not ask for and what harms nobody, and 1" in plain


@pytest.mark.parametrize(
    ("mode", "instruments", "why"),
    [(PAPER, {"grader": None}, "one number"), (STRICT, {}, "there is none")],
)
def test_stated_deductions_need_strict_mode_and_a_model_that_grades(mode, instruments, why):
    brief: Any = SimpleNamespace(settings={"mode": mode, DEDUCTIONS: STATED}, instruments=instruments)
    with pytest.raises(InputError, match=why):
        how(brief, ("items", "gold"))

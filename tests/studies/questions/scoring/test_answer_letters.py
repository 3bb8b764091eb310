"""Which option an answer names: by its letter in the shapes that models write, by its text, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from support_answer_scores import scores, values
from support_cases import each_of

from harness.studies.questions.scoring import letter

OPTIONS = {"A": "Lyon", "B": "Paris", "C": "Paris, Texas", "D": "a village"}
SHAPES = {
    "B": 1, "b": 1, "(B)": 1, "B.": 1, "**B**": 1, "B)": 1, "[B]:": 1, " B\n": 1, "`b`": 1,
    "The answer is B": 2, "Answer: (B)": 2, "answer is **B**.": 2, "So the correct option is B because": 2,
    "ANSWER: B": 2,
    "Answer: \\boxed{B}": 2, "The answer is $\\boxed{\\text{B}}$": 2, "Answer: A? No. Final answer: B": 2,
    "answer: b": 2,
    "the answer is (b)": 2, "Answer:\n\nB": 2, "\uff22": 1,
    "B) Paris": 3, "B. Paris, as I said, not Lyon": 3, "B\nbecause": 3, "B - Paris": 3, "(B): of the two": 3,
    "It must be (B), I think": 4, "So \\boxed{B}": 4,
    "It is Paris.": 5, "PARIS": 5, "Surely paris, texas!": 5,
    "I would go with B here": 6, "A dog? I say B": 6, "I say B, not A": 6,
}  # fmt: skip


@each_of(("answer", "rule"), SHAPES.items())
def test_an_answer_names_its_letter_in_many_shapes(answer: str, rule: int) -> None:
    wanted = "C" if "texas" in answer else "B"
    assert letter.named(answer, OPTIONS) == (wanted, rule)


@pytest.mark.parametrize(
    "answer",
    [
        "", " ", "A dog", "A, B", "answer: A or B", "A/B", "I do not know", "A or B", "(A) or (B)", "E",
        "The answer is E", "The answer is not A", "it isn't (B)", "Lyon or Paris",
        "none of these", "Parisian", "The answer is a dog", "*" * 100_000, "(" * 100_000, "answer" + " " * 500_000,
        "answer is " * 50_000, "I'm", "vitamin", "AB", "A" * 100_000, "A" + "\u0301" * 200,
    ],
)  # fmt: skip
def test_an_answer_that_names_no_single_option_is_read_as_none(answer: str) -> None:
    assert letter.named(answer, OPTIONS)[0] is None


def test_the_right_letter_is_worth_1_and_every_other_answer_0(tmp_path: Path) -> None:
    gold, answers = {"target": "B", "accepted": ["Paris"]}, ["B", "(C)", "", "E", "Paris", "D"]
    found = scores(tmp_path, letter.score, {"choice": {"from": "options"}}, answers, gold, options=OPTIONS)
    assert [row["value"] for row in found] == [1, 0, 0, 0, 1, 0]
    assert [row["detail"]["answer"] for row in found] == ["B", "C", None, None, "B", "D"]


def test_an_option_whose_text_is_a_letter_is_not_that_letters_option(tmp_path: Path) -> None:
    options, gold = {"A": "C", "B": "D", "C": "A", "D": "B"}, {"target": "C", "accepted": ["A"]}
    assert values(tmp_path, letter.score, "choice", ["A", "C", "B"], gold, options=options) == [0, 1, 0]


def test_options_that_say_the_same_are_right_together(tmp_path: Path) -> None:
    options, answers = {"A": "Rome", "B": "Paris", "C": "Paris "}, ["B", "C", "It is Paris.", "A", "Rome or Paris"]
    for gold in ({"target": "C"}, {"target": "C", "accepted": ["Paris "]}, {"target": "B", "accepted": ["Paris"]}):
        assert values(tmp_path, letter.score, "choice", answers, gold, options=options) == [1, 1, 1, 0, 0]


def test_what_is_accepted_may_be_a_letter_or_an_options_text(tmp_path: Path) -> None:
    options, gold = (
        {"A": "Lyon", "B": "Paris", "C": "Rome", "D": "Oslo"},
        {"target": "B", "accepted": ["Paris", "Rome", "D"]},
    )
    assert values(tmp_path, letter.score, "choice", ["A", "B", "C", "D"], gold, options=options) == [0, 1, 1, 1]


def test_more_options_than_four_have_letters_too(tmp_path: Path) -> None:
    options = {chr(65 + place): f"option {place}" for place in range(10)}
    assert values(tmp_path, letter.score, "choice", ["J", "option 9", "I"], {"target": "J"}, options=options) == [
        1,
        1,
        0,
    ]


def test_an_item_without_options_has_no_score(tmp_path: Path) -> None:
    assert values(tmp_path, letter.score, "choice", ["B"], {"target": "B"}) == [{"missing": letter.NO_OPTIONS}]

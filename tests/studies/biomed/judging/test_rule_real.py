"""The rule grader on the published questions: a gold answer is right, its denial is not, nor is another question's."""

from __future__ import annotations

import csv
from collections import defaultdict

import pytest
from support_biomed_data import SEEDS, TEMPLATE_ROWS, needs_real
from support_draws import drawn

from harness.studies.biomed.judging.rule import grade

needs_real(SEEDS, TEMPLATE_ROWS)


def read(path):
    """Give the rows of a published file."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def groups():
    """Give the rows by template."""
    out = defaultdict(list)
    for row in read(TEMPLATE_ROWS):
        out[row["template uuid"]].append(row)
    return out


@pytest.mark.exhaustive
def test_each_experts_answer_is_right_and_its_denial_is_not():
    for row in drawn(read(SEEDS), 12, 1000):
        asked, gold = row["question"], row["answer"]
        assert (row["uuid"], grade(asked, gold, gold).grade) == (row["uuid"], "3.0")
        assert (row["uuid"], grade(asked, gold, f"It is false that {gold}").label) == (row["uuid"], "bad")
        assert grade(asked, gold, "").grade == "0.0"


def check(each: int, first: int = 0) -> None:
    """Grade every so manieth row with its own answer, its denial, and the answer of another row."""
    for table in groups().values():
        for number in range(first, len(table), each):
            row, other = table[number], table[(number + 13) % len(table)]["answer"]
            asked, gold = row["question"], row["answer"]
            assert grade(asked, gold, gold).grade == "3.0", row
            assert grade(asked, gold, f"It is false that {gold}").label == "bad", row
            assert grade(asked, gold, other).label == "bad", (row, other)


def test_some_rows_of_the_published_templates_are_graded_as_they_must():
    check(397)


PARTS = 4  # of all rows


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("part", drawn(range(PARTS), 2))
def test_all_rows_of_the_published_templates_are_graded_as_they_must(part):
    check(PARTS, part)

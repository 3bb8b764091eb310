"""The real files: the experts' 80 questions and 6,208 rows of templates load whole, with the labels that are known."""

from collections import Counter
from functools import cache

import pytest
from support_biomed_data import SEEDS, TEMPLATE_ROWS, needs_real, read_rows

from harness.studies.biomed.data.published import make
from harness.studies.biomed.data.published_csv import read_set
from harness.studies.biomed.terms import MODES, PAPER, STRICT

needs_real(SEEDS, TEMPLATE_ROWS)
read = cache(lambda mode: read_set(TEMPLATE_ROWS, mode))  # nobody changes what was read
BIOLOGICAL = {
    "Drug Meta": 25, "SNP Disease Relations": 15, "Drug Disease Relations": 13, "Gene Disease Relations": 12,
    "Drug Gene Relations": 10, "SMR SNP Disease Relations": 10, "SMR Gene Disease Relations": 10, "Tissue": 8,
    "Pharmacology": 7, "Genomic Location": 5, "Drug Forms": 3,
}  # fmt: skip
REASONING = {
    "Select": 42, "Join": 37, "Multi-Filter": 36, "Threshold": 31, "Aggregate": 29, "Data Retrieval": 23,
    "Calculation": 15, "Sorting": 9, "Comparative Analysis": 6, "Similarity Search": 3,
}  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_the_80_questions_load_each_as_its_own_template(mode):
    found = read_set(SEEDS, mode)
    assert [one.id for one in found.questions] == [f"Q{number}" for number in range(1, 81)]
    assert all(one.template == one.id for one in found.questions)
    assert found.dropped == {}


def test_the_80_questions_have_the_labels_that_are_known():
    found = read_set(SEEDS, STRICT)
    assert Counter(label for one in found.questions for label in one.biological) == BIOLOGICAL
    assert Counter(label for one in found.questions for label in one.reasoning) == REASONING
    assert found.counts()["other_labels"] == {"biological": 3, "reasoning": 3}


@pytest.mark.long
@pytest.mark.parametrize("mode", [STRICT, pytest.param(PAPER, marks=pytest.mark.long)])
def test_all_6208_rows_load(mode):
    found = read(mode)
    assert Counter(one.template for one in found.questions) == {
        "Q42": 2000, "Q35": 2000, "Q3": 1000, "Q2": 1000, "Q5": 208,
    }  # fmt: skip
    assert len({one.id for one in found.questions}) == 6208
    assert found.counts()["dropped"] == {}


@pytest.mark.long
def test_of_the_6208_rows_those_of_two_templates_are_of_yes_or_no():
    found = read(STRICT).questions
    assert {one.template for one in found if one.yes_no} == {"Q5", "Q35"}
    assert Counter(one.yes_no for one in found) == {True: 2208, False: 4000}


@pytest.mark.long
def test_how_many_published_answers_say_yes_is_read_from_their_words():
    found = read(STRICT)
    said = Counter((one.template, one.yes) for one in found.questions if one.yes_no)
    assert said == {("Q5", True): 31, ("Q5", False): 177, ("Q35", True): 150, ("Q35", False): 1850}


@pytest.mark.long
def test_the_published_sample_of_the_6208_rows_has_270_of_each_template(tmp_path):
    make({"rows": 270, "mode": PAPER}, {"set": TEMPLATE_ROWS}, tmp_path)
    items, prompts = read_rows(tmp_path, "items", "rendered")
    assert Counter(row["meta"]["template"] for row in items) == {
        "Q2": 270, "Q3": 270, "Q35": 270, "Q42": 270, "Q5": 208,
    }  # fmt: skip
    assert [row["item"] for row in prompts] == [row["id"] for row in items]


@pytest.mark.long
def test_the_official_split_of_the_6208_rows_overlaps(tmp_path):
    make({"split": "official", "part": "train"}, {"set": TEMPLATE_ROWS}, tmp_path)
    [[counts]] = read_rows(tmp_path, "counts")
    said = counts["biomed"]
    assert (said["test"], said["train"], said["overlap"]) == (1288, 4920, said["in_neither"])
    assert said["overlap"] > 0

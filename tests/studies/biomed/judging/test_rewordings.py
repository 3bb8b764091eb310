"""The rule grader on rewordings of our own: right, wrong and missing answers as a writer varies them.

They were written while the rule was being changed, each batch before the rule saw it, and the rule was then mended for
what it missed. So they guard what was mended, and do not measure how the rule does on answers of others; the blind set
does. Questions are those of `labels.jsonl`.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support_cases import each_of

from harness.studies.biomed import terms
from harness.studies.biomed.judging.rule import grade

HERE = Path(__file__).parent
KNOWN_TO_DIFFER = 4  # of all rewordings


def lines(name: str) -> list[dict[str, Any]]:
    """Give the rows of a file."""
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


QUESTIONS = {row["instance"]: row for row in lines("labels.jsonl") if row["part"] == "develop"}


def label(found: float) -> str:
    """Give the state of a grade."""
    return "abstain" if found < 0 else "good" if found >= terms.GOOD else "bad"


def graded(instance: str, response: str) -> float:
    """Give the rule's grade of a response to a question of the labelled answers."""
    asked = QUESTIONS[instance]
    return float(grade(asked["question"], asked["answer"], response, asked["facts"]).grade)


def of(template: str, answer: str) -> str:
    """Give the instance of a template whose gold answer begins so."""
    return next(
        str(name) for name, row in QUESTIONS.items() if row["template"] == template and row["answer"].startswith(answer)
    )


@pytest.mark.long
def test_rewordings_get_the_state_that_their_writer_gives_them():
    rows = lines("rewordings.jsonl")
    pairs = Counter((label(row["grade"]), label(graded(row["instance"], row["response"]))) for row in rows)
    assert len(rows) >= 500 and len({row["instance"] for row in rows}) >= 70
    assert sum(count for (one, other), count in pairs.items() if one != other) <= KNOWN_TO_DIFFER, pairs


FALSE_APPROVALS = (
    "It was approved in 2011.",
    "Approved in 2011.",
    "In 2011 the FDA approved it.",
    "First launched in 2011.",
    "Yes, in 2011, after early phase 1.",
    "It has been on the market since 2011.",
    "2011 saw its first approval.",
    "It got the FDA's green light in '11.",
    "Cleared by the FDA in 2011, it is in early phase 1 for another use.",
    "| Drug | Approved | Year |\n|---|---|---|\n| Tobazenuine | yes | 2011 |",
    "Discovered in 2001, it was licensed in 2011.",
    "Not in Japan, but the FDA approved it in 2011.",
    "No. Correction: yes, since 2011.",
)


@each_of("response", FALSE_APPROVALS)
def test_an_approval_that_gold_denies_gets_nothing(response):
    assert graded(of("T08", "No, Tobazenuine"), response) == 0


@pytest.mark.parametrize(
    ("first", "wanted"),
    [
        ("Discovered in 1951, it was approved in 1957.", 3),
        ("It was approved in 1957, having been discovered in 1951.", 3),
        ("Discovered in 1957, it was approved in 1951.", 0),
        ("It was tested from 1955 and approved in 1957.", 3),
    ],
)
def test_the_year_of_a_discovery_is_none_of_the_approval(first, wanted):
    assert graded(of("T13", "The FDA first approved Kefavomiine"), first) == wanted


SHARES = (
    ("C 21.3% and T of 78.7%", 3),
    ("21.3% for C and 78.7% for T", 3),
    ("21.3 % (C), 78.7 % (T)", 3),
    ("C: 78.7%, T: 21.3%", 0),
    ("78.7% carry C, the other 21.3% carry T.", 0),
    ("21.3% carry C, the other 78.7% carry T.", 3),
    ("T occurs at 78.7%; C occurs at 21.3%.", 3),
    ("The frequencies are 21.3% and 78.7% for C and T.", 3),
    ("C 0.213, T 0.787; in East Asians C has 0.41.", 2.5),
    ("C 0.213, T 0.787 (among Africans: C 0.08).", 2.5),
)


@each_of(("response", "wanted"), SHARES)
def test_a_frequency_belongs_to_its_allele_before_or_behind_it(response, wanted):
    assert (
        graded(
            of(
                "T02",
                "In the European GWAS meta-analysis of Parkinson's disease (Nalls et al. 2019), the effect allele C",
            ),
            response,
        )
        == wanted
    )


def test_a_correction_without_an_answer_takes_none_back():
    assert graded(of("T33", "The ChEMBL identifier of Tedopumuine"), "CHEMBL9003421. Sorry for the short answer.") == 3
    assert graded(of("T13", "The FDA first approved Kefavomiine"), "1957. Hold on to the label for details.") == 3


def test_a_drug_that_is_withdrawn_from_the_market_is_no_withdrawn_answer():
    told = "It was approved in 1957 and withdrawn in 1990."
    assert graded(of("T13", "The FDA first approved Kefavomiine"), told) == 3


def test_an_adjunct_of_another_use_is_no_approval_for_the_one_asked_for():
    told = "It was approved in 1944 only as adjunct, not for Dilotumi syndrome."
    assert graded(of("T05", "Yes, Rusobeliine"), told) == 0


def test_texts_of_each_manner_keep_their_grade_with_a_polite_frame():
    for row in lines("rewordings.jsonl")[::40]:
        plain = graded(row["instance"], row["response"])
        framed = graded(row["instance"], f"{row['response']}\n\nI hope that this helps!")
        assert label(plain) == label(framed), row

"""An answer that repeats the document is no answer, however it is laid out; one that quotes it is one."""

from __future__ import annotations

import json
import time

import pytest
from support_cases import each_of
from support_draws import drawn
from support_pace import soon

from harness.studies.curie.scoring.copies import copied

WORDS = [f"word{n}" for n in range(400)]
DOCUMENT = "\n".join(" ".join(WORDS[at : at + 9]) for at in range(0, 400, 9))


@each_of(
    ("response", "is_copy"),
    [
        (DOCUMENT, True),
        (" ".join(WORDS).upper(), True),
        ("Here it is: " + " ".join(WORDS[:90]), True),
        (json.dumps([{"Step": 1, "answer": DOCUMENT}]), True),
        (" ".join(WORDS[:79]), False),
        ("H = a + b", False),
        (" ".join(reversed(WORDS)), False),
        ("", False),
    ],
)
def test_a_fifth_of_the_document_in_its_own_order_is_a_copy(response: str, is_copy: bool) -> None:
    assert copied(DOCUMENT, response) is is_copy


def test_of_a_short_document_nothing_is_a_copy() -> None:
    assert not copied(" ".join(WORDS[:100]), " ".join(WORDS[:100]))


@pytest.mark.exhaustive
@pytest.mark.parametrize("word", drawn(["a ", "where ", ",", "word0 "], 1, 4))
def test_megabytes_are_compared_with_a_long_paper_in_time(word: str) -> None:
    paper, begun = " ".join(f"word{n % 7919}" for n in range(100_000)), time.process_time()
    assert not copied(paper, word * (5_000_000 // len(word)))
    assert soon(time.process_time() - begun, 2)

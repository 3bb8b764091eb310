"""The fifteen own wordings of the addition benchmark keep the rules of reliability 3."""

import difflib
import json
import re
from pathlib import Path

import pytest

import harness.studies.reliability
from harness.digest import canonical
from harness.scorers.outcome.addition import addition
from harness.scorers.prepare import cue

FILE = Path(harness.studies.reliability.__file__).parent / "prompts" / "addition@1.jsonl"
TEMPLATES = [json.loads(line) for line in FILE.read_text().splitlines()]
TEXTS = {row["id"]: row["text"] for row in TEMPLATES}

# One row each of the table: what its wording must show.
TABLE = {
    1: r"\{a\} \+ \{b\} =",
    2: r"\{a\}\+\{b\}=",
    3: r"Add .*\.",
    4: r"What is \{a\} plus \{b\}\?",
    5: r"The sum of \{a\} and \{b\} is",
    6: r"Calculate .*",
    7: r"Q: .*\nA:",
    8: r".*\{a\} books.*\{b\} more.*\?",
    9: r".*result of adding.*",
    10: r"How much is .*\?",
    11: r".*examination\nExercise: .*",
    12: r".*____",
    13: r"Could you please .*",
    14: r"Increase \{b\} by \{a\}.*",
    15: r"\{a\} plus \{b\} equals",
}


def test_there_are_fifteen_in_canonical_lines_by_id():
    assert list(TEXTS) == list(range(1, 16))
    assert FILE.read_bytes() == b"".join(canonical(row) + b"\n" for row in TEMPLATES)
    assert all(set(row) == {"id", "style", "text"} for row in TEMPLATES)


@pytest.mark.parametrize("number", TABLE)
def test_a_wording_is_what_its_row_of_the_table_says(number):
    assert re.fullmatch(TABLE[number], TEXTS[number], re.DOTALL)


@pytest.mark.parametrize("number", TABLE)
def test_each_placeholder_stands_once_and_nothing_trails(number):
    text = TEXTS[number]
    assert sorted(re.findall(r"\{(\w+)\}", text)) == ["a", "b"]
    assert text == text.strip()


@pytest.mark.parametrize("number", TABLE)
@pytest.mark.parametrize(("a", "b"), [("1", "1"), ("9", "1"), ("123", "456"), ("1" * 50, "9" * 50)])
def test_a_wording_repeated_as_an_answer_is_no_answer(number, a, b):
    found = addition(a, b, TEXTS[number].replace("{a}", a).replace("{b}", b))
    assert (found.label, found.avoidance) == ("a", "non_conforming")


@pytest.mark.parametrize("number", TABLE)
def test_a_wording_holds_no_number_of_its_own_and_invites_no_refusal(number):
    assert not re.search(r"\d", TEXTS[number])
    assert cue(TEXTS[number]) == ("non_conforming", None)
    assert not re.search(r"\b(?:if you can|unless|don't know|unsure|skip|try|guess)\b", TEXTS[number], re.IGNORECASE)


def test_no_two_wordings_are_near_duplicates():
    texts = sorted(TEXTS.values())
    for place, left in enumerate(texts):
        for right in texts[place + 1 :]:
            assert difflib.SequenceMatcher(None, left.casefold(), right.casefold()).ratio() < 0.9, (left, right)

"""The fifteen own wordings of each benchmark keep the rules of docs/reliability-rules.md#wordings."""

import difflib
import json
import re
from itertools import combinations
from pathlib import Path

import pytest
from support_cases import each_of

import harness.studies.reliability
from harness.answers.names import STOP_WORDS
from harness.answers.prepare import cue
from harness.digest import canonical_json

FOLDER = Path(harness.studies.reliability.__file__).parent / "prompts"
PLACEHOLDERS = {
    "addition": ["a", "b"], "anagram": ["anagram"], "locality": ["city", "d"], "science": ["options", "question"],
    "transforms": ["instruction", "text"],
}  # fmt: skip
FILES = {task: (FOLDER / f"{task}@1.jsonl").read_bytes() for task in PLACEHOLDERS}
TEMPLATES = {task: [json.loads(line) for line in data.splitlines()] for task, data in FILES.items()}
TEXTS = {task: {row["id"]: row["text"] for row in found} for task, found in TEMPLATES.items()}
INVITES = r"\b(?:if you can|unless|don't know|unsure|skip|try|guess|for example|e\.g|none of)\b"

# One row each of the table: what its wording must show.
TABLE = {
    "addition": [
        r"\{a\} \+ \{b\} =", r"\{a\}\+\{b\}=", r"Add .*\.", r"What is \{a\} plus \{b\}\?",
        r"The sum of \{a\} and \{b\} is", r"Calculate .*", r"Q: .*\nA:", r".*\{a\} books.*\{b\} more.*\?",
        r".*result of adding.*", r"How much is .*\?", r".*examination\nExercise: .*", r".*____", r"Could you please .*",
        r"Increase \{b\} by \{a\}.*", r"\{a\} plus \{b\} equals",
    ],
    "anagram": [
        r"Rearrange .*\.", r"Which word .*\?", r"Unscramble .*", r".* is", r".*\nSolution:", r"Q: .*\nA:",
        r"PUZZLE .*", r".*letters of \{anagram\}.*", r".*anagram of \{anagram\}.*", r"Could you please .*",
        r".*examination.*\nExercise: .*", r".*____.*", r"I am .* I need .*", r"\{anagram\} ->",
        r"Make an English word from \{anagram\}.*",
    ],
    "locality": [
        r"Which .*\?", r"Name .*\.", r"Fill in .*\[.*\]\.", r".* is", r"Q: .*\nA:", r"I am .* travel .*\?",
        r"Geography examination\..*", r".*\{d\}.*\{city\}.*\?", r".*largest population\?", r"Could you please .*",
        r"Quiz .*\?", r".*____\.", r"I need .*", r"\{city\}[^.]*\. [^.]*\. [^.]*\?", r"Within a radius of .*",
    ],
    "science": [
        r"\{question\}\n\{options\}", r".*\nAnswer:", r"Choose .*", r".*\nWhich option .*\?", r"Q: .*\nA:",
        r".*examination\n.*", r".*____\.", r".*\{options\}.*\{question\}", r".*\nThe correct answer is",
        r"Could you please .*", r"Quiz .*", r".* letter .*\.", r"I .* need .*", r".*[Ee]xplain .* then .*\.",
        r"Now, pupil, .*",
    ],
    "transforms": [
        r"\{instruction\}\n\{text\}", r"\{text\}.*\{instruction\}", r".*Input: \{text\}\nOutput:",
        r"Would you be so kind .*", r"What .*\?.*", r"I must .*", r"Subject: .*Hello,.*Best wishes,.*",
        r"- .*\n- .*\n- .*:", r"[A-Z]+ \{instruction\} [A-Z]+ \{text\} [A-Z]+", r".*quiz.*",
        r".*examination.*\nExercise.*", r".*only the result.*", r"# \{instruction\}\n.*=",
        r"\|.*\| \{instruction\} \| \{text\} \|", r".*spreadsheet.*",
    ],
}  # fmt: skip


@pytest.mark.parametrize("task", FILES)
def test_there_are_fifteen_in_canonical_lines_by_id(task):
    assert list(TEXTS[task]) == list(range(1, 16))
    assert FILES[task] == b"".join(canonical_json(row) + b"\n" for row in TEMPLATES[task])
    assert all(set(row) == {"id", "style", "text"} for row in TEMPLATES[task])
    assert len({row["style"] for row in TEMPLATES[task]}) == 15


@each_of("task", FILES)
def test_a_wording_is_what_its_row_of_the_table_says(task):
    for number, text in TEXTS[task].items():
        assert re.fullmatch(TABLE[task][number - 1], text, re.DOTALL), number


@each_of("task", FILES)
def test_each_placeholder_stands_once_and_nothing_trails(task):
    for text in TEXTS[task].values():
        assert sorted(re.findall(r"\{(\w+)\}", text)) == PLACEHOLDERS[task]
        assert text.count("{") == text.count("}") == len(PLACEHOLDERS[task])
        assert text == text.strip() and text.isascii()


@each_of("task", FILES)
def test_a_wording_holds_no_number_of_its_own_and_invites_no_refusal(task):
    for text in TEXTS[task].values():
        assert not re.search(r"\d", text)
        assert cue(text) == ("non_conforming", None), text
        assert not re.search(INVITES, text, re.IGNORECASE), text


@pytest.mark.parametrize("task", FILES)
def test_no_two_wordings_are_near_duplicates(task):
    for left, right in combinations(sorted(TEXTS[task].values()), 2):
        assert difflib.SequenceMatcher(None, left.casefold(), right.casefold()).ratio() < 0.9, (left, right)


def test_a_science_wording_names_no_option_and_shows_each_on_its_line():
    for text in TEXTS["science"].values():
        assert not re.search(r"\b[A-D]\b(?!:$)", text, re.MULTILINE)
        assert text.count("\n{options}") == 1


@each_of("task", ["locality", "science"])
def test_all_words_of_a_wording_of_a_choice_are_words_and_no_cities(task):
    for text in TEXTS[task].values():
        words = re.sub(r"\{\w+\}", " ", text).lower()
        assert set(re.findall("[a-z]+", words)) <= STOP_WORDS

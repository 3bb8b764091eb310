"""The fifteen own wordings of the anagram and transforms benchmarks keep the rules of reliability 3."""

import difflib
import json
import re
from pathlib import Path

import pytest

import harness.studies.reliability
from harness.digest import canonical
from harness.scorers.outcome.anagram import anagram
from harness.scorers.outcome.transforms import transforms
from harness.scorers.prepare import cue
from harness.studies.reliability.data.anagram_words import SAID
from harness.studies.reliability.data.transforms_demo import TASKS, draw

FOLDER = Path(harness.studies.reliability.__file__).parent / "prompts"
NAMES = {"anagram": ["anagram"], "transforms": ["instruction", "text"]}
FILES = {task: (FOLDER / f"{task}@1.jsonl").read_bytes() for task in NAMES}
TEMPLATES = {task: [json.loads(line) for line in data.splitlines()] for task, data in FILES.items()}
TEXTS = {task: {row["id"]: row["text"] for row in found} for task, found in TEMPLATES.items()}

# One row each of the table: what its wording must show.
TABLE = {
    "anagram": {
        1: r"Rearrange .*\.",
        2: r"Which word .*\?",
        3: r"Unscramble .*",
        4: r".* is",
        5: r".*\nSolution:",
        6: r"Q: .*\nA:",
        7: r"PUZZLE .*",
        8: r".*letters of \{anagram\}.*",
        9: r".*anagram of \{anagram\}.*",
        10: r"Could you please .*",
        11: r".*examination.*\nExercise: .*",
        12: r".*____.*",
        13: r"I am .* I need .*",
        14: r"\{anagram\} ->",
        15: r"Make an English word from \{anagram\}.*",
    },
    "transforms": {
        1: r"\{instruction\}\n\{text\}",
        2: r"\{text\}.*\{instruction\}",
        3: r".*Input: \{text\}\nOutput:",
        4: r"Would you be so kind .*",
        5: r"What .*\?.*",
        6: r"I must .*",
        7: r"Subject: .*Hello,.*Best wishes,.*",
        8: r"- .*\n- .*\n- .*:",
        9: r"[A-Z]+ \{instruction\} [A-Z]+ \{text\} [A-Z]+",
        10: r".*quiz.*",
        11: r".*examination.*\nExercise.*",
        12: r".*only the result.*",
        13: r"# \{instruction\}\n.*=",
        14: r"\|.*\| \{instruction\} \| \{text\} \|",
        15: r".*spreadsheet.*",
    },
}
EACH = [(task, number) for task, table in TABLE.items() for number in table]


@pytest.mark.parametrize("task", NAMES)
def test_there_are_fifteen_in_canonical_lines_by_id(task):
    assert list(TEXTS[task]) == list(range(1, 16))
    assert FILES[task] == b"".join(canonical(row) + b"\n" for row in TEMPLATES[task])
    assert all(set(row) == {"id", "style", "text"} for row in TEMPLATES[task])


@pytest.mark.parametrize(("task", "number"), EACH)
def test_a_wording_is_what_its_row_of_the_table_says(task, number):
    assert re.fullmatch(TABLE[task][number], TEXTS[task][number], re.DOTALL)


@pytest.mark.parametrize(("task", "number"), EACH)
def test_each_placeholder_stands_once_and_nothing_trails(task, number):
    text = TEXTS[task][number]
    assert sorted(re.findall(r"\{(\w+)\}", text)) == NAMES[task]
    assert text.count("{") == text.count("}") == len(NAMES[task])
    assert text == text.strip()
    assert text.isascii()


@pytest.mark.parametrize(("task", "number"), EACH)
def test_a_wording_invites_no_refusal_and_holds_no_number_of_its_own(task, number):
    text = TEXTS[task][number]
    assert cue(text) == ("non_conforming", None)
    assert not re.search(r"\d", text)
    assert not re.search(
        r"\b(?:if you can|unless|don't know|unsure|skip|try|guess|for example|e\.g)\b", text, re.IGNORECASE
    )


@pytest.mark.parametrize("task", NAMES)
def test_no_two_wordings_are_near_duplicates(task):
    texts = sorted(TEXTS[task].values())
    for place, left in enumerate(texts):
        for right in texts[place + 1 :]:
            assert difflib.SequenceMatcher(None, left.casefold(), right.casefold()).ratio() < 0.9, (left, right)


def anagram_prompts(letters):
    return [text.replace("{anagram}", letters) for text in TEXTS["anagram"].values()]


@pytest.mark.parametrize("letters", ["tca", "retsil", "yoiirtsrphaepmdhray"])
def test_an_anagrams_prompt_repeated_as_an_answer_is_no_answer(letters):
    for prompt in anagram_prompts(letters):
        found = anagram(letters, [letters[::-1]], prompt)
        assert (found.label, found.avoidance, found.candidates) == ("a", "non_conforming", ()), prompt


def test_no_word_of_a_prompt_can_be_the_answer_to_an_anagram():
    said = {word for prompt in anagram_prompts("") for word in re.findall("[a-z]{3,20}", prompt.lower())}
    assert said <= SAID


@pytest.mark.parametrize("task", range(1, len(TASKS) + 1))
def test_a_text_tasks_prompt_repeated_as_an_answer_is_never_right(task):
    for index in range(60):
        made = draw(11, task, index)
        for text in TEXTS["transforms"].values():
            prompt = text.replace("{instruction}", made.instruction).replace("{text}", made.text)
            assert transforms(made.text, made.target, prompt, made.answer_shape, made.accepted).label != "c", prompt


@pytest.mark.parametrize("task", range(1, len(TASKS) + 1))
def test_a_prompt_and_its_answer_fit_a_model_that_reads_512_bytes(task):
    longest = max(len(text) for text in TEXTS["transforms"].values())
    for index in range(60):
        made = draw(12, task, index)
        assert longest + len(made.instruction) + len(made.text) + len(made.target) <= 480

"""A wording repeated as an answer is no answer, on any benchmark: raw models often repeat.

Rule: docs/reliability-rules.md#wordings.
"""

import json
import re
from pathlib import Path

import pytest
from support_cases import each_of
from support_draws import drawn

import harness.studies.reliability
from harness.answers.addition import addition
from harness.answers.anagram import anagram
from harness.answers.gazetteer import gazetteer
from harness.answers.locality import locality
from harness.answers.science import science
from harness.answers.transforms import transforms
from harness.kit.prompts import fill, template
from harness.studies.reliability.data.anagram_words import SAID
from harness.studies.reliability.data.science_own import QUESTIONS
from harness.studies.reliability.data.transforms_own import TASKS, draw

FOLDER = Path(harness.studies.reliability.__file__).parent / "prompts"
PLACES = gazetteer(["Arden", "Of", "Most", "City", "Bath", "Corvo", "Which", "Name"])


def wordings(task):
    return [json.loads(line) for line in (FOLDER / f"{task}@1.jsonl").read_text().splitlines()]


def prompts(task, **values):
    """Give the fifteen prompts of an item, as they are rendered."""
    return [fill(template(row), "x", values) for row in wordings(task)]


@pytest.mark.parametrize(("a", "b"), [("1", "1"), ("9", "1"), ("123", "456"), ("1" * 50, "9" * 50)])
def test_an_additions_prompt_is_no_answer(a, b):
    for prompt in prompts("addition", a=a, b=b):
        found = addition(a, b, prompt)
        assert (found.label, found.avoidance) == ("a", "non_conforming"), prompt


@pytest.mark.parametrize("letters", ["tca", "retsil", "yoiirtsrphaepmdhray"])
def test_an_anagrams_prompt_is_no_answer(letters):
    for prompt in prompts("anagram", anagram=letters):
        found = anagram(letters, [letters[::-1]], prompt)
        assert (found.label, found.avoidance, found.candidates) == ("a", "non_conforming", ()), prompt


def test_no_word_of_a_prompt_can_be_the_answer_to_an_anagram():
    said = {word for prompt in prompts("anagram", anagram="") for word in re.findall("[a-z]{3,20}", prompt.lower())}
    assert said <= SAID


@pytest.mark.parametrize("city", ["Arden", "Of", "Most", "City", "Bath"])
def test_a_prompt_about_a_city_is_no_answer(city):
    for prompt in prompts("locality", city=city, d="417"):
        found = locality(city, "Corvo", prompt, PLACES)
        assert (found.label, found.avoidance) == ("a", "non_conforming"), prompt


@pytest.mark.exhaustive
@each_of("question", drawn(QUESTIONS, 60, 200))
def test_a_science_prompt_names_all_options_and_so_none(question):
    options = dict(zip("ABCD", question.options, strict=True))
    shown = "\n".join(f"{letter}. {words}" for letter, words in options.items())
    for prompt in prompts("science", question=question.text, options=shown):
        found = science(options, "A", prompt)
        assert (found.label, found.candidates) == ("a", ("A", "B", "C", "D")), question.record


@pytest.mark.exhaustive
@pytest.mark.parametrize("task", drawn(range(1, len(TASKS) + 1), 3, 12))
def test_a_text_tasks_prompt_is_never_right_and_fits_512_bytes(task):
    for index in range(60):
        made = draw(11, task, index)
        for prompt in prompts("transforms", instruction=made.instruction, text=made.text):
            assert transforms(made.text, made.target, prompt, made.answer_shape, made.accepted).label != "c", prompt
            assert len(prompt) + len(made.target) <= 480

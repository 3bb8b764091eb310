"""The fifteen own wordings of locality and of science keep the rules of reliability 3."""

import difflib
import json
import re
from pathlib import Path

import pytest

import harness.studies.reliability
from harness.digest import canonical
from harness.scorers.outcome.common_words import STOP_WORDS
from harness.scorers.outcome.gazetteer import gazetteer
from harness.scorers.outcome.locality import locality
from harness.scorers.outcome.science import science
from harness.scorers.prepare import cue
from harness.studies.prompts import fill, template
from harness.studies.reliability.data.science_demo import QUESTIONS

FOLDER = Path(harness.studies.reliability.__file__).parent / "prompts"
FILES = {task: FOLDER / f"{task}@1.jsonl" for task in ("locality", "science")}
TEMPLATES = {task: [json.loads(line) for line in path.read_text().splitlines()] for task, path in FILES.items()}
PLACEHOLDERS = {"locality": ["city", "d"], "science": ["options", "question"]}
EACH = [(task, row["id"]) for task, found in TEMPLATES.items() for row in found]

# One row each of the table: what its wording must show.
TABLE = {
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
}  # fmt: skip


def text(task, number):
    return next(row["text"] for row in TEMPLATES[task] if row["id"] == number)


def rendered(task, number, **values):
    return fill(template({"id": number, "text": text(task, number)}), "x", values)


@pytest.mark.parametrize("task", FILES)
def test_there_are_fifteen_in_canonical_lines_by_id(task):
    assert [row["id"] for row in TEMPLATES[task]] == list(range(1, 16))
    assert FILES[task].read_bytes() == b"".join(canonical(row) + b"\n" for row in TEMPLATES[task])
    assert all(set(row) == {"id", "style", "text"} for row in TEMPLATES[task])
    assert len({row["style"] for row in TEMPLATES[task]}) == 15


@pytest.mark.parametrize(("task", "number"), EACH)
def test_a_wording_is_what_its_row_of_the_table_says(task, number):
    assert re.fullmatch(TABLE[task][number - 1], text(task, number), re.DOTALL)


@pytest.mark.parametrize(("task", "number"), EACH)
def test_each_placeholder_stands_once_and_nothing_trails(task, number):
    words = text(task, number)
    assert sorted(re.findall(r"\{(\w+)\}", words)) == PLACEHOLDERS[task]
    assert words == words.strip()
    assert "{options}" not in words or words.count("\n{options}") == 1  # four lines that begin on a line of their own


@pytest.mark.parametrize(("task", "number"), EACH)
def test_a_wording_holds_no_number_and_no_letter_of_an_option_and_invites_no_refusal(task, number):
    words = text(task, number)
    assert not re.search(r"\d", words)
    assert not re.search(r"\b[A-D]\b(?!:$)", words, re.MULTILINE)
    assert cue(words) == ("non_conforming", None)
    assert not re.search(r"\b(?:if you can|unless|don't know|unsure|skip|try|guess|none of)\b", words, re.IGNORECASE)


@pytest.mark.parametrize(("task", "number"), EACH)
def test_all_words_of_a_wording_are_words_and_no_cities(task, number):
    words = re.sub(r"\{\w+\}", " ", text(task, number)).lower()
    assert set(re.findall("[a-z]+", words)) <= STOP_WORDS


@pytest.mark.parametrize("number", range(1, 16))
@pytest.mark.parametrize("city", ["Arden", "Of", "Most", "City", "Bath"])
def test_a_locality_wording_repeated_as_an_answer_is_no_answer(number, city):
    echo = rendered("locality", number, city=city, d="417")
    found = locality(city, "Corvo", echo, gazetteer(["Arden", "Of", "Most", "City", "Bath", "Corvo", "Which", "Name"]))
    assert (found.label, found.avoidance) == ("a", "non_conforming")


@pytest.mark.parametrize("number", range(1, 16))
def test_a_science_wording_repeated_as_an_answer_names_all_options_and_so_none(number):
    for question in QUESTIONS:
        options = dict(zip("ABCD", question.options, strict=True))
        shown = "\n".join(f"{letter}. {words}" for letter, words in options.items())
        found = science(options, "A", rendered("science", number, question=question.text, options=shown))
        assert (found.label, found.candidates) == ("a", ("A", "B", "C", "D")), question.record


@pytest.mark.parametrize("task", FILES)
def test_no_two_wordings_are_near_duplicates(task):
    texts = sorted(row["text"] for row in TEMPLATES[task])
    for place, left in enumerate(texts):
        for right in texts[place + 1 :]:
            assert difflib.SequenceMatcher(None, left.casefold(), right.casefold()).ratio() < 0.9, (left, right)

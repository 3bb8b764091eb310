"""Our own wordings of the text tasks: one placeholder at the end, our own words, and the forms the answers have."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from studies.curie.demo.made import TASKS, made
from support import FIXTURES
from support_cases import each_of

import harness.studies.curie
from harness.digest import canonical_json
from harness.kit.prompts import fill, template
from harness.studies.curie.tasks import TASKS as ALL

FOLDER = Path(harness.studies.curie.__file__).parent / "prompts"
OFFICIAL = FIXTURES.parent / "data" / "curie" / "prompts"
EACH = each_of("task", TASKS)
RUN = 8  # words in a row that no two people write by chance


def wording(task):
    [line] = (FOLDER / f"{task}@1.jsonl").read_bytes().splitlines()
    row = json.loads(line)
    assert line == canonical_json(row)
    return row


def runs(text):
    words = re.findall(r"[a-z0-9]+", text.lower())
    return {tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}


@EACH
def test_a_wording_asks_for_the_document_alone_and_last(task):
    row = wording(task)
    assert set(row) == {"id", "style", "text"} and row["id"] == 1
    parsed = template(row)
    assert parsed.pieces[1::2] == ("text",) and parsed.pieces[-1] == ""


@EACH
def test_the_document_goes_in_as_it_is(task):
    record = made(task)[1]
    assert fill(template(wording(task)), record.id, {"text": record.text}).endswith(f"\n\n{record.text}")


@EACH
def test_no_sentence_is_that_of_an_official_prompt(task):
    if not OFFICIAL.is_dir():
        pytest.skip("the official prompts are not here")
    ours = runs(wording(task)["text"])
    for path in OFFICIAL.glob("*.txt"):
        assert not ours & runs(path.read_text())
    assert ours and ALL[task].prompt


@each_of("task", ["dft-s", "dft-p", "mpv", "mpv-non-trivial", "mpv-specific", "hfd"])
def test_every_field_of_an_ideal_answer_is_asked_for(task):
    text = wording(task)["text"]
    for record in made(task):
        assert all(key in text for one in json.loads(record.answer) for key in one)


def test_the_wording_of_dft_c_names_what_the_ideal_program_holds():
    text = wording("dft-c")["text"]
    for record in made("dft-c"):
        keys = re.findall(r"'([a-zA-Z_-]+)': (?=['\d])", record.answer)
        assert keys and all(key in text for key in keys)


def test_the_frame_of_hfe_is_that_of_the_ideal_answers():
    first = "The mean-field Hamiltonian is"
    assert f"\n{first}\n$H = …$\nwhere\n" in wording("hfe")["text"]
    shape = re.compile(rf"{first}\n\$.*\$(\nwhere(\n\$.* = .*\$)+)?")
    assert all(shape.fullmatch(record.answer) for record in made("hfe", 0, 14))

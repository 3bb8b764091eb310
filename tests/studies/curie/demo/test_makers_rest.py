"""The demo's makers for QECC, GEO, BIOGR and PDB as a manifest calls them, and the wordings of those tasks."""

from __future__ import annotations

import importlib
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from support import FIXTURES, REPOSITORY
from support_draws import drawn

import harness.studies.curie
from harness import rows
from harness.kit import prompts
from harness.run.closure import Code
from harness.studies.curie.demo.makers_rest import MAKERS
from harness.studies.curie.scoring import boxes_strict, facts_geo, facts_qecc, sequences_strict
from harness.studies.curie.tasks import TASKS

OFFICIAL = FIXTURES.parent / "data" / "curie" / "prompts"
WORDINGS = Path(next(iter(harness.studies.curie.__path__))) / "prompts"
STRICT = {
    "qecc": facts_qecc.score, "geo": facts_geo.score, "biogr": boxes_strict.score, "pdb": sequences_strict.score,
}  # fmt: skip
TASK_NAMES = ("qecc", "geo", "biogr", "pdb")


def run(name, out, seed=7, count=8):
    module, _, function = MAKERS[name].kind.partition(":")
    out.mkdir()
    getattr(importlib.import_module(module), function)({"seed": seed, "count": count}, {}, out)
    return {path.name: path for path in out.iterdir()}


@pytest.mark.parametrize("name", MAKERS)
def test_a_maker_writes_what_it_says_and_eight_records_with_gold(name, tmp_path):
    made = run(name, tmp_path / "made")
    assert set(made) == set(MAKERS[name].outputs)
    items, golds = list(rows.read(made["items"])), list(rows.read(made["gold"]))
    assert [item["id"] for item in items] == [gold["id"] for gold in golds]
    assert len(items) == 8
    assert all(item["id"].startswith(MAKERS[name].ids) for item in items)
    assert {item["meta"]["level"] for item in items} == {"easy", "medium", "hard"}
    for item, gold in zip(items, golds, strict=True):
        assert json.loads(gold["gold"]["truth"])["record_id"] == item["meta"]["record"]
        assert gold["gold"]["target"]
    [counts] = rows.read(made["counts"])
    assert counts == {items[0]["task"]: {"kept": 8, "absent": 0}}


@pytest.mark.parametrize("name", MAKERS)
def test_a_makers_step_loads_nothing_that_a_plan_is_made_of(name):
    files = Code(REPOSITORY).closure(MAKERS[name].kind).files
    assert "harness/studies/curie/data/records.py" in files
    assert not [path for path in files if path.endswith(("/study.py", "/registry.py", "/parts.py"))]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", drawn(MAKERS, 1, 4))
def test_the_same_seed_gives_the_same_bytes_and_another_seed_does_not(name, tmp_path):
    first, again, other = (run(name, tmp_path / each, seed) for each, seed in (("a", 7), ("b", 7), ("c", 8)))
    assert {each: path.read_bytes() for each, path in first.items()} == {
        each: path.read_bytes() for each, path in again.items()
    }
    assert first["items"].read_bytes() != other["items"].read_bytes()


@pytest.mark.exhaustive
@pytest.mark.parametrize("task", drawn(TASK_NAMES, 2, 4))
def test_the_ideal_answer_is_worth_one_in_strict_mode_and_anothers_is_not(task, tmp_path):
    golds = [row["gold"] for row in rows.read(run(f"curie.demo_{task}", tmp_path / "made", count=12)["gold"])]
    assert [STRICT[task](gold["target"], gold["truth"])["value"] for gold in golds] == [1] * 12
    others = [STRICT[task](other["target"], gold["truth"])["value"] for gold, other in pairwise(golds)]
    assert all(isinstance(value, int | float) and value < 0.5 for value in others)


@pytest.mark.parametrize("task", TASK_NAMES)
def test_a_wording_ends_with_the_document(task, tmp_path):
    made = run(f"curie.demo_{task}", tmp_path / "made")
    inputs = {"items": made["items"], "templates": WORDINGS / f"{task}@1.jsonl"}
    prompts.render({}, inputs, tmp_path)
    for prompt, item in zip(rows.read(tmp_path / "prompts"), rows.read(made["items"]), strict=True):
        assert prompt["text"].endswith("\n\n" + item["input"]["text"])
        assert ("attachments" in prompt) is (task == "biogr")


def test_the_first_atom_of_a_pdb_prompt_is_the_documents():
    """Paper mode hands a program everything after the first such word of the prompt."""
    [row] = rows.read(WORDINGS / "pdb@1.jsonl")
    assert "ATOM" not in row["text"]


@pytest.mark.parametrize("task", TASK_NAMES)
def test_no_six_words_in_a_row_are_those_of_the_official_prompt(task):
    official = OFFICIAL / f"{TASKS[task].prompt}.txt"
    if not official.exists():
        pytest.skip("the official prompts are not here")
    [row] = rows.read(WORDINGS / f"{task}@1.jsonl")
    ours, theirs = (
        [word for word in re.findall(r"[a-z_]{2,}", text.lower()) if "_" not in word]  # names of fields are the gold's
        for text in (row["text"], official.read_text())
    )
    runs = {tuple(theirs[at : at + 6]) for at in range(len(theirs))}
    assert not [" ".join(ours[at : at + 6]) for at in range(len(ours) - 5) if tuple(ours[at : at + 6]) in runs]

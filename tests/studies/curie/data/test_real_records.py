"""The real records of the public copies: every one loads, with the prompts that the published files give.

They lie beside the checkout, or the file is skipped; nothing of them stands here.
"""

import csv
import json

import pytest
from support_curie_records import CURIE, PROMPTS, RECORDS, foldered, needs_real, read_out
from support_draws import drawn

from harness.digest import sha256
from harness.studies.curie.data import biogr_repository, public_copy
from harness.studies.curie.tasks import PROMPT_SHA256, TASKS

needs_real(RECORDS, PROMPTS)
COPIED = [name for name, task in TASKS.items() if task.domain in ("dft", "mpve")]
HERE = {"dft": 45, "mpve": 9}  # of 74 and 17


def under(*folders):
    """Read real files by path."""
    return {path.relative_to(RECORDS).as_posix(): path.read_bytes() for one in folders for path in one.rglob("*.*")}


def with_prompts(place, params, inputs):
    said, given = foldered(place, "prompts", {f"prompts/{path.name}": path.read_bytes() for path in PROMPTS.iterdir()})
    return {**params, **said}, {**inputs, **given}


def assembled(task, text):
    """Put a prompt together as docs/curie.md#paper-prompts says, by another way than the code."""
    data = (PROMPTS / f"{TASKS[task].prompt}.txt").read_bytes()
    assert sha256(data) == PROMPT_SHA256[TASKS[task].prompt]
    before, after = data.decode().split("{{text}}")
    return before.lstrip() + text + after.rstrip()


@pytest.fixture
def copied(tmp_path):
    """Make a task of the public copy, with the published prompts."""

    def make_rows(task):
        domain = TASKS[task].domain
        files = {f"data/{path}": data for path, data in under(RECORDS / domain).items()}
        files["data/difficulty_levels.json"] = (RECORDS / "difficulty_levels.json").read_bytes()
        params, inputs = with_prompts(tmp_path, *foldered(tmp_path, "copy", files))
        out = tmp_path / "out"
        out.mkdir()
        public_copy.make({"task": task, **params}, inputs, out)
        return read_out(out)

    return make_rows


@pytest.mark.exhaustive
@pytest.mark.parametrize("task", drawn(COPIED, 1, 6))
def test_every_record_of_the_copy_loads_with_its_label_and_its_prompt(copied, task):
    found, domain = copied(task), TASKS[task].domain
    labels = json.loads((RECORDS / "difficulty_levels.json").read_text())[domain]
    counts = found["counts"][0][task]
    assert (counts["kept"], counts["absent"] + HERE[domain]) == (HERE[domain], {"dft": 74, "mpve": 17}[domain])
    assert (counts["unusable"], counts["unlabelled"]) == ({}, 0)
    for item, gold, prompt in zip(found["items"], found["gold"], found["rendered"], strict=True):
        record = item["meta"]["record"]
        given = json.loads((RECORDS / domain / "inputs" / f"{record}.json").read_text())
        assert item["id"] == gold["id"] == prompt["item"] == f"{task}-{record}"
        assert item["meta"]["level"] == labels[record].lower()
        assert gold["gold"]["truth"].encode() == (RECORDS / domain / "ground_truth" / f"{record}.json").read_bytes()
        assert prompt["text"] == assembled(task, given["text"])
        assert prompt["meta"] == {
            "template_sha256": PROMPT_SHA256[TASKS[task].prompt],
            "text_sha256": sha256(assembled(task, given["text"]).encode()),
        }


@pytest.fixture
def maps(tmp_path):
    """Make BIOGR from the eight records that are here, with the published prompt."""
    params, inputs = with_prompts(tmp_path, *foldered(tmp_path, "repository", under(RECORDS / "biogr")))
    out = tmp_path / "out"
    out.mkdir()
    biogr_repository.make({"task": "biogr", **params}, inputs, out)
    return read_out(out)


def test_boxes_of_the_maps_are_those_of_the_table_to_its_digits(maps):
    with open(CURIE / "biogr_boxes_114.csv", encoding="utf-8", newline="") as file:
        table = {row["record_id"]: row for row in csv.DictReader(file)}
    truths = [json.loads(row["gold"]["truth"]) for row in maps["gold"]]
    assert len(truths) == 8
    for truth in truths:
        wanted = table[truth["record_id"]]
        assert {name: f"{truth[name]:.10f}" for name in "WSEN"} == {name: wanted[name] for name in "WSEN"}


def test_maps_have_their_images_captions_and_published_labels(maps):
    labels = json.loads((RECORDS / "difficulty_levels.json").read_text())["biogr"]
    index = [json.loads(line) for line in (RECORDS / "biogr" / "index.jsonl").read_text().splitlines()]
    captions = {row["geojson_filename"].removesuffix(".geojson"): row for row in index}
    for item, prompt in zip(maps["items"], maps["rendered"], strict=True):
        record = item["meta"]["record"]
        assert item["meta"]["level"] == labels[record].lower()
        image = (RECORDS / "biogr" / "images" / captions[record]["image_filename"]).read_bytes()
        assert item["attachments"] == prompt["attachments"] == [{"sha256": sha256(image), "type": "image/png"}]
        assert prompt["text"] == assembled("biogr", captions[record]["caption"])
    assert {row["id"] for row in maps["media"]} == {item["attachments"][0]["sha256"] for item in maps["items"]}
    counts = maps["counts"][0]["biogr"]
    assert (counts["kept"], counts["absent"], counts["expected"]) == (8, 130, 138)

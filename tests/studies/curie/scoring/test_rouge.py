"""ROUGE in both modes: the notebook's scale and line rule, and rule R3, the decoded reference of strict mode."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
import support
from support_pace import soon

from harness.studies.curie.reading.ground_truth import preprocess
from harness.studies.curie.reading.loose_json import Unreadable
from harness.studies.curie.scoring import rouge_strict
from harness.studies.curie.scoring.rouge import rouge, score
from harness.studies.curie.scoring.rouge_strict import reference
from harness.studies.curie.tasks import PAPER, TASKS

RECORDS = support.REPOSITORY.parent / "shared" / "data" / "curie" / "records"
TRUTH = {
    "record_id": "r", "arxiv_id": "a", "main": "two\nlines é", "none": None, "blank": " ", "number": 1.5, "whole": 3,
    "true": True, "list": ["b", {"record_id": "kept below", "nan": float("nan")}],
}  # fmt: skip
PROGRAM = """
a = StructureMetadataGeneral.parse_raw('{"common_name": "Ni", "cell_size": NaN, "supercell": [2, 2]}')
b = DFTParametersGeneral.parse_raw('{"functional": "PBE"}')
"""


def truth(**more: Any) -> str:
    return json.dumps({**TRUTH, **more})


def test_a_full_stop_between_blanks_ends_a_line_of_either_text() -> None:
    assert rouge("c d a b", "a b . c d")["rougeLsum"] == 100 == rouge("a b . c d", "c d a b")["rougeLsum"]
    assert rouge("c d a b", "a b. c d")["rougeLsum"] == 50


def test_a_reference_of_few_words_on_too_many_lines_is_not_compared_line_by_line() -> None:
    words, lines = "a b c d " * 500, "a\n" * 2100
    assert isinstance(rouge(words, lines)["rougeLsum"], dict), "2,000 words times 2,101 lines are too many"
    assert isinstance(rouge(words[: len(words) // 2], lines)["rougeLsum"], float)


def test_blank_answers_are_missing_and_worth_0() -> None:
    found = score(" \n", "a b", PAPER)
    assert (found["value"], found["outcome"], found["detail"]["mode"]) == (0, "missing", "paper")


def test_r3_the_reference_is_the_texts_and_numbers_in_order_without_keys() -> None:
    assert reference("qecc", truth()) == "two\nlines é\n1.5\n3\ntrue\nb\nkept below"
    assert reference("mpv", json.dumps([{"paper_id": "p", "material": "Ni"}, {"record_id": "x", "v": "1"}])) == "Ni\n1"


def test_r3_a_program_refers_to_its_own_part_and_items_to_their_texts() -> None:
    text = truth(no_header_code=PROGRAM, code="import ase\n" + PROGRAM)
    assert reference("dft-c", text) == PROGRAM
    assert reference("dft-s", text) == "Ni\n2\n2"
    assert reference("dft-p", text) == "PBE"


@pytest.mark.parametrize("task", ["dft-c", "dft-s", "dft-p", "geo"])
def test_r3_a_truth_with_nothing_to_compare_with_gives_no_value(task: str) -> None:
    for text in ("", "[", '{"record_id": "r", "no_header_code": " "}', "[" * 9999):
        with pytest.raises(Unreadable):
            reference(task, text)
        found: Any = rouge_strict.score(task, "an answer", text)
        assert found["outcome"] == "gold_invalid" and "missing" in found["value"]


def test_r3_the_prediction_stays_raw() -> None:
    assert rouge_strict.score("hfe", "Sure:\n```\nx y\n```", '{"x": "x y"}')["value"] == pytest.approx(80)


def test_a_records_own_program_scores_100_in_strict_mode_alone() -> None:
    files = sorted((RECORDS / "dft" / "ground_truth").glob("*.json"))[:6]
    if not files:
        pytest.skip("the public records are not here")
    for file in files:
        text = file.read_text("utf-8")
        own = json.loads(text)["no_header_code"]
        assert rouge_strict.score("dft-c", own, text)["value"] == 100
        paper: Any = score(own, preprocess(text, "dft", TASKS["dft-c"].prompt), PAPER)
        assert paper["value"] < 60


def test_every_public_record_has_a_reference_in_strict_mode() -> None:
    files = {task: sorted((RECORDS / TASKS[task].domain / "ground_truth").glob("*.json")) for task in ("dft-c", "mpv")}
    if not all(files.values()):
        pytest.skip("the public records are not here")
    for task, paths in files.items():
        assert all(reference(task, _text(path)).strip() for path in paths)


def _text(path: Path) -> str:
    return path.read_text("utf-8")


@pytest.mark.long
@pytest.mark.parametrize(
    ("prediction", "against"),
    [
        ("a b c d " * 600_000, "a b c d " * 1000), ("a b\n" * 1_000_000, "a b c\n" * 500),
        ("a,b," * 1_000_000, "a\n" * 9000),
        ("\ud800 é " * 1_000_000, "x\n" * 100_000), ("a . " * 1_000_000, "a . " * 50_000),
    ],
    ids=range(5),
)  # fmt: skip
def test_texts_of_megabytes_are_compared_in_time_or_have_no_rouge_l(prediction: str, against: str) -> None:
    begun = time.process_time()
    found = score(prediction, against, PAPER)
    assert soon(time.process_time() - begun, 5)
    assert isinstance(found["detail"]["metrics"]["rouge1"], float)

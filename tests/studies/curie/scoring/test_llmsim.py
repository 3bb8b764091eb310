"""LLMSim as published, its defects included; what the golden values of the official code do not cover.

Rule: docs/curie.md#paper-llmsim.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

import pytest
from support_cases import each_of
from support_curie_reading import is_missing
from support_pace import soon

from harness.errors import InputError
from harness.studies.curie.reading.strict_json import Unreadable
from harness.studies.curie.scoring.llmsim import matches, measured, questions, repairs, score

TEMPLATE = "  Gold: {{json_ground_truth}}\nList: {{json_extracted_list}}\n"
TRUTH = json.dumps([{"index": place, "material": name, "record_id": "r"} for place, name in ((1, "B"), (0, "A"))])
THREE = '[{"material": "x"}, {"material": "y"}, {"material": "z"}]'


def index(place: object) -> str:
    return json.dumps({"json_extracted_index": place})


def f1(replies: Sequence[str | None], response: str = THREE, truth: str = TRUTH, task: str = "mpv") -> Any:
    return score(task, truth, response, replies)["value"]


def test_a_question_holds_the_gold_item_and_all_numbered_predictions() -> None:
    response = '[{"material": "é", "json_extracted_index": 9, "more": [1]}]'
    first, second = questions("mpv", TRUTH, response, TEMPLATE)
    listed = '[\n  {\n    material: "\\u00e9",\n    json_extracted_index: 0,\n    more: [\n      1,\n    ],\n  },\n]'
    assert first == f'Gold: {{\n  material: "A",\n}}\nList: {listed}'
    assert second == f'Gold: {{\n  material: "B",\n}}\nList: {listed}'


def test_a_place_that_an_answer_wrote_is_not_filled() -> None:
    (asked, _) = questions("mpv", TRUTH, '[{"material": "{{json_ground_truth}}"}]', TEMPLATE)
    assert asked.count("{{json_ground_truth}}") == 1 and 'material: "A"' in asked


def test_nothing_is_asked_about_what_cannot_be_read() -> None:
    for response in ("prose", '["a"]', '{"material": "x"}'):
        assert questions("mpv", TRUTH, response, TEMPLATE) == []
        assert score("mpv", TRUTH, response, [])["outcome"] == "invalid"
    assert questions("mpv", "[", THREE, TEMPLATE) == []


def test_an_empty_answer_is_asked_about_all_the_same() -> None:
    assert len(questions("mpv", TRUTH, "", TEMPLATE)) == 2
    found = score("mpv", TRUTH, "", ["{}", "{}"])
    assert (found["value"], found["outcome"]) == ("nan", "missing")  # the mean leaves it out


def test_a_template_without_its_places_is_refused() -> None:
    with pytest.raises(InputError, match="json_extracted_list"):
        questions("mpv", TRUTH, THREE, "{{json_ground_truth}}")


def test_the_first_prediction_never_matches_and_others_do_several_times() -> None:
    assert f1([index(0), index(0)]) == 0
    assert f1([index(1), index(1)]) == pytest.approx(2 * (2 / 3) / (2 / 3 + 1))
    assert f1([index(2), "{}"]) == pytest.approx(0.4)


@each_of("place", [True, 1.0, -1, 3, "3", "x", None, [1], "1.0", " 1", ""])
def test_what_is_no_index_matches_nothing(place: object) -> None:
    assert not matches(index(place), 3)


@pytest.mark.parametrize("place", [1, "1", "01", "٢"])
def test_digits_of_any_script_are_an_index(place: object) -> None:
    assert matches(index(place), 3)


@each_of(
    "reply",
    [
        '{"json_extracted_index": "²"}',
        f'{{"json_extracted_index": "{"1" * 5000}"}}',
        '"none"',
        "1",
        "null",
        "[[1]]",
        "x ,{",
    ],
)
def test_replies_at_which_the_published_code_raises_leave_no_metric(reply: str) -> None:
    with pytest.raises(Unreadable):
        matches(reply, 3)
    found = score("mpv", TRUTH, THREE, [index(1), reply])
    assert is_missing(found["value"]) and is_missing(found["detail"]["metrics"]["precision"])
    assert found["outcome"] == "valid"


@each_of("reply", ["", "No match.", "```json\n{}\n```", "{", "[]", "[{}]", "{}"])
def test_other_texts_are_no_match(reply: str) -> None:
    assert not matches(reply, 3)


def test_a_reply_that_never_came_leaves_no_metric_and_too_few_are_refused() -> None:
    assert is_missing(f1([index(1), None]))
    with pytest.raises(InputError, match="1 replies to 2 questions"):
        f1([index(1)])


def test_a_ground_truth_that_cannot_be_read_is_told_apart() -> None:
    for truth in ("{", "[1]", '[{"material": "no index"}]'):
        assert score("mpv", truth, THREE, [])["outcome"] == "gold_invalid"


def test_nothing_to_divide_by_is_nan() -> None:
    assert measured(0, 0, 0) == {
        "num_match": 0, "num_ground_truth": 0, "num_model_response": 0,
        "precision": "nan", "recall": "nan", "f1": "nan",
    }  # fmt: skip
    assert measured(0, 3, 2)["f1"] == 0
    assert measured(3, 2, 2)["precision"] == 1


DFT = json.dumps(
    {"no_header_code": "", "code": 'structure_metadata_1 = StructureMetadata.parse_raw(\'{"a": "\\\'"}\')\n'}
)


def test_what_a_model_must_repair_is_asked_for_and_used() -> None:
    needed = repairs("dft-s", DFT, "prose")
    assert [text.partition(":")[0] for text in needed.values()] == ["Extract ground truth", "Extract model_response"]
    assert needed["model_response"].endswith("\nprose")
    assert score("dft-s", DFT, "prose", [])["outcome"] == "gold_invalid"
    replies = {"ground_truth": "[{'a': 1}]", "model_response": "[{'b': 1}, {'b': 2}]"}
    assert len(questions("dft-s", DFT, "prose", TEMPLATE, replies)) == 1
    assert score("dft-s", DFT, "prose", [index(1)], replies)["detail"]["metrics"]["num_match"] == 1
    assert repairs("mpv", TRUTH, "prose") == {}


def test_other_tasks_are_refused() -> None:
    with pytest.raises(InputError, match="'hfe' is not scored by LLMSim"):
        score("hfe", TRUTH, THREE, [])


def test_a_list_that_is_too_long_to_be_shown_is_unreadable() -> None:
    nested = "[" * 50 + ",".join(["{}"] * 90_000) + "]" * 50
    began = time.process_time()
    assert questions("mpv", TRUTH, f'[{{"a": {nested}}}]', TEMPLATE) == []
    assert soon(time.process_time() - began, 10)

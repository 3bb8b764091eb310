"""LLMSim in strict mode: rules L1 to L6 (and L7 as far as it is a hook), with D1 and D2 for the gold of DFT."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from support_cases import each_of
from support_curie_reading import is_missing
from support_curie_records import RECORDS
from support_pace import soon

from harness.errors import InputError
from harness.studies.curie.scoring.llmsim_strict import (
    SPECIFIC,
    admissible,
    asked,
    found_pairs,
    gold_items,
    is_specific,
    prediction_items,
    questions,
    score,
    score_pairs,
)

TEMPLATE = "Gold {{json_ground_truth}} list {{json_extracted_list}}"


def mpv(*names: str, **more: Any) -> str:
    """Write a ground truth of properties in reverse order of their index."""
    items = [
        {
            "record_id": "r",
            "paper_id": "p",
            "index": place,
            "property_name": name,
            "low_value": "1",
            "synonyms": "s",
            **more,
        }
        for place, name in enumerate(names)
    ]
    return json.dumps(items[::-1])


def naming(*places: object) -> str:
    return json.dumps({"json_extracted_indices": places})


TWO = mpv("band gap", "hardness")
FOUND = '[{"a": 1}, {"a": 2}, {"a": 3}]'


def f1(*replies: str, response: str = FOUND) -> Any:
    return score("mpv", TWO, response, replies)["value"]


def test_l1_one_question_a_gold_item_with_numbered_predictions() -> None:
    first, second = questions("mpv", TWO, '[{"a": "é", "json_extracted_index": 7}, "loose"]', TEMPLATE)
    assert '"property_name": "band gap"' in first and '"property_name": "hardness"' in second
    assert first.endswith(
        'list [\n{"json_extracted_index": 0, "a": "é"},\n{"json_extracted_index": 1, "text": "loose"}\n]'
    )


def test_l1_nothing_is_asked_where_either_side_is_empty() -> None:
    assert asked("mpv", TWO, "[]") == asked("mpv", TWO, "[{}]") == asked("mpv", TWO, "none") == []
    assert asked("mpv", "[]", FOUND) == asked("mpv", "{", FOUND) == []


@each_of(
    ("reply", "places"),
    [
        (naming(0, 2), [0, 2]),
        (naming("0", "02"), [0, 2]),
        ('{"json_extracted_index": 0}', [0]),
        ('{"json_extracted_index": "1", "json_extracted_indices": [2]}', [1, 2]),
        (naming(True, 1.0, -1, 3, None, "x", "²", "٢", [0], 10**20, "9" * 5000), []),
        (naming(1, 1, "1"), [1]),
        (f"[{naming(1)}, {naming(0)}]", [0, 1]),
        (f"```json\n{naming(1)}\n```", [1]),
        (f"The match is {naming(1)}.", [1]),
        (f"[{naming(1)}, {{'json_ex", [1]),
        ("{}", []),
        ('{"json_extracted_index": None}', []),
    ],
)
def test_l1_a_reply_names_all_admissible_predictions(reply: str, places: list[int]) -> None:
    assert admissible(reply, [{}] * 3) == places


@each_of("reply", ["No match.", "", "[]", "[1, 2]", '{"json_extracted_indices": [1', None, '"none"'])
def test_l2_a_reply_without_a_readable_object_is_no_pair_and_an_error(reply: str | None) -> None:
    assert admissible(reply, [{}] * 3) is None
    found = score("mpv", TWO, FOUND, [reply, naming(1)])
    assert found["detail"]["judge_errors"] == 1
    assert found["detail"]["metrics"]["num_match"] == 1 and found["value"] == pytest.approx(2 / 5)


def test_l3_what_is_no_object_counts_and_matches_nothing() -> None:
    response = '["loose", {}, {"a": 1}]'
    assert prediction_items(response) == ["loose", {"a": 1}]
    found = score("mpv", TWO, response, [naming(0), naming(0, 1)])
    assert found["detail"]["pairs"] == [[1, 1]] and found["detail"]["metrics"]["num_model_response"] == 2


@pytest.mark.parametrize(("response", "outcome"), [("[]", "valid"), ("I found none.", "invalid"), (" \n", "missing")])
def test_l3_without_predictions_everything_is_zero(response: str, outcome: str) -> None:
    found = score("mpv", TWO, response, [])
    metrics = found["detail"]["metrics"]
    assert (found["value"], metrics["precision"], metrics["recall"], found["outcome"]) == (0, 0, 0, outcome)


@each_of("response", ["[]", FOUND, ""])
@each_of(
    ("task", "truth"),
    [
        ("mpv", "[]"),
        ("mpv", mpv("hardness", low_value=" ")),
        ("mpv-specific", mpv("hardness")),
        ("dft-s", '{"no_header_code": "x = 1"}'),
        ("dft-p", '{"no_header_code": "x = StructureMetadata.parse_raw(\'{}\')"}'),
    ],
)
def test_l4_without_a_gold_item_there_is_no_value(task: str, truth: str, response: str) -> None:
    found = score(task, truth, response, [])
    assert is_missing(found["value"]) and found["outcome"] == "gold_invalid"


@each_of(
    ("values", "kept"),
    [
        ({"low_value": "1", "high_value": ""}, 1), ({"low_value": None, "high_value": " 2 "}, 1),
        ({"high_value": 0}, 1), ({"low_value": " ", "high_value": "\n"}, 0),
        ({"low_value": None, "high_value": None}, 0), ({}, 0),
    ],
)  # fmt: skip
def test_l5_items_without_a_value_are_set_aside(values: dict[str, Any], kept: int) -> None:
    items = gold_items("mpv", json.dumps([{"index": 0, "property_name": "x", **values}]))
    assert (len(items.items), items.set_aside) == (kept, 1 - kept)


def test_l5_the_gold_stands_by_index_and_keeps_its_synonyms() -> None:
    items = gold_items("mpv", mpv("a", "b", "c")).items
    assert [item["property_name"] for item in items] == ["a", "b", "c"]
    assert items[0] == {"property_name": "a", "low_value": "1", "synonyms": "s"}


@each_of("name", [*SPECIFIC, "Optical Bandgaps", "x_eg_y", "Egs", "n-values at 2 eV", "(EG)", "band gap\nEg"])
def test_l6_a_propertys_name_says_band_gap_or_refractive_index(name: str) -> None:
    assert is_specific({"property_name": name})


@each_of("name", ["expansion value", "Eg1", "regeg", "bandgaps2", "band-gap", "gap", "hardness", "", None])
def test_l6_no_letter_or_digit_stands_beside_it(name: object) -> None:
    assert not is_specific({"property_name": name})


def test_l6_what_the_filter_leaves_out_is_not_set_aside() -> None:
    items = gold_items("mpv-specific", mpv("Eg", "hardness", "optical gap"))
    assert ([item["property_name"] for item in items.items], items.set_aside) == (["Eg", "optical gap"], 0)
    assert len(gold_items("mpv-non-trivial", mpv("Eg", "hardness")).items) == 2


def test_l7_items_are_changed_for_the_judge_alone() -> None:
    shown = asked("mpv", TWO, '[{"name": "x"}]', shown=lambda item: {key.upper(): one for key, one in item.items()})
    assert '"PROPERTY_NAME": "band gap"' in shown[0][0] and '{"json_extracted_index": 0, "NAME": "x"}' in shown[0][1]


def test_d2_structures_and_parameters_have_gold_of_their_own() -> None:
    given = {"StructureMetadata": '{"x": 1}', "VaspParameters": '{"y": 1}', "Eos": "{}"}
    statements = [f"a = {name}.parse_raw('{item}')" for name, item in given.items()]
    truth = json.dumps({"no_header_code": "\n".join(statements)})
    assert gold_items("dft-s", truth) == ([{"x": 1}], 1)
    assert gold_items("dft-p", truth) == ([{"y": 1}], 1)


def test_the_first_prediction_matches_and_each_only_once() -> None:
    assert f1(naming(0), naming()) == pytest.approx(2 / 5)
    assert f1(naming(1), naming(1)) == pytest.approx(2 / 5)
    assert f1(naming(0, 1), naming(0)) == pytest.approx(4 / 5)  # the first gives way
    assert f1(naming(0), naming(0), response='[{"all": "of it"}]') == pytest.approx(2 / 3)


def test_pairs_of_any_judge_are_matched_and_counted() -> None:
    assert score_pairs(2, 3, [(0, 0), (0, 1), (1, 0), (1, 0)]) == {
        "num_match": 2, "num_ground_truth": 2, "num_model_response": 3, "precision": 2 / 3, "recall": 1, "f1": 0.8,
    }  # fmt: skip
    assert score_pairs(2, 0, []) == {
        "num_match": 0, "num_ground_truth": 2, "num_model_response": 0, "precision": 0, "recall": 0, "f1": 0,
    }  # fmt: skip
    assert is_missing(found_pairs(0, 3, [], set_aside=4)["value"])


def test_replies_stand_in_the_order_of_the_questions_all_of_them() -> None:
    with pytest.raises(InputError, match="1 replies to 2 questions"):
        f1(naming(0))
    assert f1(naming(0), naming(1), "another") == pytest.approx(4 / 5)


def test_other_tasks_are_refused() -> None:
    with pytest.raises(InputError, match="'hfe' is not scored"):
        score("hfe", TWO, FOUND, [])


def test_more_predictions_than_a_judge_can_be_shown_are_none() -> None:
    assert len(asked("mpv", TWO, json.dumps([{"a": 1}] * 5000))) == 2
    response = json.dumps([{"a": 1}] * 5001)
    assert asked("mpv", TWO, response) == [] and score("mpv", TWO, response, [])["outcome"] == "invalid"


def test_the_real_properties_without_a_value_are_set_aside() -> None:
    texts = [path.read_text() for path in sorted(RECORDS.glob("mpve/ground_truth/*.json"))]
    if len(texts) != 9:
        pytest.skip("the nine records are not here")
    found = [gold_items("mpv", text) for text in texts]
    assert (sum(len(one.items) for one in found), sum(one.set_aside for one in found)) == (34, 36)
    assert sum(len(gold_items("mpv-specific", text).items) for text in texts) == 19


def test_a_model_is_scored_in_seconds() -> None:
    """A fifth of 578 answers of fifty items each, with a judge that names several of them a gold item."""
    truth = mpv(*(f"property {place}" for place in range(20)))
    response = json.dumps([{"material": "InN", "low_value": str(place), "text": "x" * 300} for place in range(50)])
    replies = [naming(place, place + 1, place + 2) for place in range(20)]
    began = time.process_time()
    for _ in range(116):
        assert score("mpv", truth, response, replies)["value"] == pytest.approx(40 / 70)
    assert soon(time.process_time() - began, 1)

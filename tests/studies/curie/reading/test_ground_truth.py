"""Ground truth is prepared as the published notebook does it; its counts on real records are those of the page.

Rules: docs/curie.md#paper-gold, docs/curie.md#paper-dft.
"""

from __future__ import annotations

import ast
import csv
import json
from collections import Counter
from typing import Any

import pytest
from support_cases import each_of
from support_curie_records import CURIE, RECORDS

from harness.studies.curie.reading.ground_truth import filtered_mpv, parsed_dft, parsed_mpv, preprocess
from harness.studies.curie.reading.strict_json import Unreadable
from harness.studies.curie.tasks import TASKS

STRUCTURES, PARAMETERS = TASKS["dft-s"].prompt, TASKS["dft-p"].prompt


def dft(program: str, header: str = "") -> str:
    """Write a ground-truth file of DFT, whose program stands in two fields."""
    return json.dumps({"record_id": "r", "code": header + program, "graph_as_text": "[]", "no_header_code": program})


ONE = 'structure_metadata_1 = StructureMetadataGeneral.parse_raw(\'{"composition": "MgO", "vacuum": NaN}\')\n'
TWO = 'dft_params_1 = DFTParametersGeneral.parse_raw(\'{"functional": "PBE"}\')\nrun(dft_params_1)\n'


def test_ids_go_at_the_top_and_in_a_lists_objects_only() -> None:
    ids = {"record_id": 1, "arxiv_id": 2, "paper_id": 3}
    assert preprocess(json.dumps({**ids, "a": {**ids}}), "hfe", "p") == "{a: {record_id: 1, arxiv_id: 2, paper_id: 3}}"
    assert preprocess(json.dumps([{**ids, "a": [ids]}, ids, 4]), "mpve", "p") == (
        "[{a: [{record_id: 1, arxiv_id: 2, paper_id: 3}]}, {}, 4]"
    )


def test_texts_stand_escaped_on_one_line() -> None:
    assert preprocess('{"text": "a\\nβ"}', "geo", "p") == '{text: "a\\n\\u03b2"}'


def test_items_stand_twice_since_two_fields_hold_the_program() -> None:
    text = preprocess(dft(ONE), "dft", STRUCTURES)
    assert parsed_dft(text) == [{"composition": "MgO", "vacuum": "NaN"}] * 2


def test_a_structure_behind_the_last_parameters_is_taken_for_parameters() -> None:
    header = "class DFTParametersGeneral: ...\n"
    found = parsed_dft(preprocess(dft(TWO + header + ONE + TWO), "dft", PARAMETERS))
    assert [*found[0]] == ["functional"] and {"composition", "vacuum"} in [set(one) for one in found]


def test_other_prompts_and_domains_get_the_whole_file() -> None:
    assert preprocess(dft(ONE), "dft", TASKS["dft-c"].prompt).startswith('{code: "structure_metadata_1 = ')
    assert preprocess(dft(ONE), "mpve", STRUCTURES).startswith("{code: ")


def test_a_file_may_hold_no_item_and_a_statement_must_hold_a_quote() -> None:
    assert parsed_dft(preprocess(dft("x = 1"), "dft", STRUCTURES)) == []
    with pytest.raises(Unreadable):
        preprocess(dft("structure_metadata_1 = StructureMetadata.parse_raw(x)"), "dft", STRUCTURES)


def test_what_a_model_repaired_is_read_where_the_items_are_not() -> None:
    text = preprocess(dft(ONE.replace("MgO", "the author\\'s")), "dft", STRUCTURES)
    with pytest.raises(Unreadable):
        parsed_dft(text)
    assert parsed_dft(text, '[{\n"a": "\\b"}]') == [{"a": "b"}]
    with pytest.raises(Unreadable):
        parsed_dft(text, "sorry")


@each_of("text", ["[1]", '[{"index": 1}, {"index": "2"}]', '[{"a": 1}]', "7", "null", "[[1]]", "{a: 1}"])
def test_properties_without_an_index_to_sort_by_are_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        parsed_mpv(text)


def test_properties_stand_by_index_without_what_no_judge_is_shown() -> None:
    text = '[{index: 2, material: "b", synonyms: "s", paper_id: "p"},\n {index: -1, material: "a"}]'
    assert parsed_mpv(text) == [{"material": "a"}, {"material": "b"}]


def test_the_unused_filter_looks_for_parts_of_words() -> None:
    names = ["Optical Bandgap", "expansion value", "Eg", "optical gap", "N-VALUE"]
    kept = filtered_mpv(json.dumps([{"property_name": name} for name in names]))
    assert [one["property_name"] for one in kept] == ["Optical Bandgap", "expansion value", "N-VALUE"]
    with pytest.raises(Unreadable):
        filtered_mpv('[{"property_name": 3}]')


def test_every_real_dft_record_has_the_counts_of_the_spec() -> None:
    """Items, distinct items, and how many can be read without a model, of each record that lies beside the checkout."""
    paths = sorted(RECORDS.glob("dft/ground_truth/*.json"))
    if not paths:
        pytest.skip("the real records are not here")
    lines = (CURIE / "dft_ground_truth_counts.csv").read_text().splitlines()
    known = {row["record_id"]: row for row in csv.DictReader(lines)}
    seen: Counter[str] = Counter()
    for path in paths:
        for column, prompt in (("dft_s", STRUCTURES), ("dft_p", PARAMETERS)):
            text = preprocess(path.read_text(), "dft", prompt)
            items = ast.literal_eval(text)
            found = [len(items), len({str(one) for one in items}), _parsed(text)]
            names = ("items", "distinct", "items_parsed_without_llm")
            assert [str(one) for one in found] == [known[path.stem][f"{column}_{name}"] for name in names]
            seen[column] += 1
    assert seen["dft_s"] == seen["dft_p"] == len(paths)


def _parsed(text: str) -> Any:
    try:
        return len(parsed_dft(text))
    except Unreadable:
        return ""

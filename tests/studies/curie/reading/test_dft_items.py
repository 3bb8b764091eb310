"""The items of a DFT ground truth in strict mode: rules D1 and D2."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from support_curie_records import RECORDS

from harness.studies.curie.reading.dft_items import parameters, program_text, set_aside, structures
from harness.studies.curie.reading.strict_json import Unreadable


def truth(program: str) -> str:
    """Write a ground-truth file whose other fields hold the program, too."""
    return json.dumps({"code": program, "graph_as_text": program, "no_header_code": program})


def test_d1_only_the_tasks_own_part_of_the_program_counts() -> None:
    given = json.dumps({"code": "a = StructureMetadata.parse_raw('{\"b\": 1}')", "no_header_code": "x = 1"})
    assert structures(given) == []


@pytest.mark.parametrize(
    "statement",
    [
        "a = StructureMetadata.parse_raw('{\"b\": 1}')",
        "a=StructureMetadata.parse_raw(\n    '{\"b\": 1}'\n)",
        "a = StructureMetadata.parse_raw(\"{'b': 1}\")",
        'a = StructureMetadata.parse_raw("""{\n"b": 1\n}""")',
        "    a: Any = StructureMetadata.parse_raw('{\"b\": 1}')  # of the paper",
    ],
)
def test_d1_a_statement_reads_what_stands_between_its_quotes(statement: str) -> None:
    assert structures(truth(f"{statement}\nfollowing(a)")) == [{"b": 1}]


def test_d1_the_text_counts_where_the_program_is_no_python() -> None:
    program = (
        "def broken(:\n  ''\nthe author's\na = StructureMetadata.parse_raw('{\"b\": \"Moss's (1985') law\"}')\nfor in"
    )
    assert structures(truth(program)) == [{"b": "Moss's (1985') law"}]


def test_d1_json_is_read_as_it_is_written_and_not_as_python_evaluates_it() -> None:
    program = r"""a = DFTParameters.parse_raw('{"notes": "a \"quoted\" word\nand \u03b2"}')"""
    assert parameters(truth(program)) == [{"notes": 'a "quoted" word\nand β'}]


def test_d1_equal_items_and_empty_ones_are_kept() -> None:
    program = "a = StructureMetadata.parse_raw('{}')\nb = StructureMetadata.parse_raw('{}')\n"
    assert structures(truth(program)) == [{}, {}]


def test_d1_nan_and_none_are_values() -> None:
    found = structures(truth('a = StructureMetadata.parse_raw(\'{"b": None, "c": NaN}\')'))
    assert found[0]["b"] is None and found[0]["c"] != found[0]["c"]


def test_d2_classes_are_told_apart_and_others_set_aside() -> None:
    names = (
        "StructureMetadataGeneral", "StructureMetadata", "DFTParametersGeneral", "VaspParameters", "CrystalParameters",
        "Eos", "ChemicalSystem", "StructureMetadataOther",
    )  # fmt: skip
    given = truth("\n".join(f'x = {name}.parse_raw(\'{{"name": "{name}"}}\')' for name in names))
    assert [item["name"] for item in structures(given)] == [*names[:2]]
    assert [item["name"] for item in parameters(given)] == [*names[2:5]]
    assert set_aside(given) == {"Eos": 1, "ChemicalSystem": 1, "StructureMetadataOther": 1}


def test_broken_items_are_counted_and_calls_without_a_quote_are_none() -> None:
    given = truth(
        "a = StructureMetadata.parse_raw('{\"b\": ')\nb = StructureMetadata.parse_raw('[1]')\nc = X.parse_raw(y)"
    )
    assert structures(given) == [] and set_aside(given) == {"unreadable": 2}


@pytest.mark.parametrize("text", ["[]", "{}", '{"no_header_code": 3}', "not JSON"])
def test_a_file_without_a_program_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        program_text(text)


def test_the_real_records_hold_the_counts_of_the_strict_page() -> None:
    found = [path.read_text() for path in sorted(RECORDS.glob("dft/ground_truth/*.json"))]
    if len(found) != 45:
        pytest.skip("the 45 records are not here")
    assert sum(len(structures(text)) for text in found) == 157
    assert sum(len(parameters(text)) for text in found) == 66
    assert sum((Counter(set_aside(text)) for text in found), Counter[str]()) == {"Eos": 1}

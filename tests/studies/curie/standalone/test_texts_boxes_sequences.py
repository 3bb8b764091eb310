"""The scorers `curie.rouge`, `curie.biogr` and `curie.pdb` by name: fields, modes, what they refuse."""

from __future__ import annotations

from typing import Any

import pytest
from support_cases import each_of

from harness.digest import canonical_json
from harness.errors import InputError
from harness.scorers.tool import Tool
from harness.studies.curie.standalone import biogr, pdb, rouge

BOX = '{"W": 1, "S": 2, "E": 3, "N": 4}'
SWAPPED = '{"W": 3, "S": 2, "E": 1, "N": 4}'
CODE = "```python\ndef f(t):\n    return t\n```"
ROWS: list[tuple[Tool, dict[str, Any]]] = [
    (rouge.SCORERS["curie.rouge"], {"prediction": "a b", "reference": "a b"}),
    (biogr.SCORERS["curie.biogr"], {"model_response": BOX, "ground_truth_text": BOX}),
    (pdb.SCORERS["curie.pdb"], {"model_response": ">p\nMKTWAY", "ground_truth_text": '{"sequence": "MKTWAY"}'}),
]


@each_of(("tool", "row"), ROWS)
@each_of("mode", ["paper", "strict"])
def test_what_a_scorer_gives_is_what_it_declares(tool: Tool, row: dict[str, Any], mode: str) -> None:
    found = tool.run({**row, "mode": mode})
    assert tool.gives.model_validate(found) and canonical_json(found)
    assert found["outcome"] == "valid" and found["detail"]["mode"] == mode
    assert found["value"] == pytest.approx(100 if tool.about.startswith("Counts") else 1)


@pytest.mark.parametrize(("tool", "row"), ROWS)
def test_paper_is_the_default_and_another_mode_is_refused(tool: Tool, row: dict[str, Any]) -> None:
    assert tool.run(row)["detail"]["mode"] == "paper"
    with pytest.raises(InputError, match="`mode`"):
        tool.run({**row, "mode": "loose"})


@pytest.mark.parametrize(("tool", "row"), ROWS)
def test_a_missing_gold_is_named(tool: Tool, row: dict[str, Any]) -> None:
    answer, gold = row
    with pytest.raises(InputError) as bad:
        tool.run({answer: row[answer]})
    assert gold in bad.value.where


def test_rouge_takes_a_ground_truth_file_in_strict_mode() -> None:
    row = {"prediction": "x y", "task": "hfe", "ground_truth_text": '{"record_id": "r", "a": "x y"}', "mode": "strict"}
    assert rouge.SCORERS["curie.rouge"].run(row)["value"] == 100


def test_the_fields_of_strict_mode_stand_beside_the_value() -> None:
    row = {"model_response": SWAPPED, "ground_truth_text": BOX, "mode": "strict"}
    assert biogr.SCORERS["curie.biogr"].run(row)["suspected_swap"] is True
    assert "suspected_swap" not in biogr.SCORERS["curie.biogr"].run({**row, "mode": "paper"})
    found = pdb.SCORERS["curie.pdb"].run({**ROWS[2][1], "mode": "strict"})
    assert found["chance_corrected"] == 1 and 0 < found["chance_level"] < 1


def test_pdb_takes_a_right_sequence_as_an_object_too() -> None:
    row = {"model_response": ">p\nMKT", "ground_truth": {"sequence": "MKT"}}
    assert pdb.SCORERS["curie.pdb"].run(row)["value"] == 1


def test_a_row_says_which_program_is_to_be_run_and_takes_what_came_of_it() -> None:
    row = {"model_response": CODE, "ground_truth_text": '{"sequence": "MKT"}', "prompt_text": "Ask.\nATOM 1\n"}
    taken = pdb.SCORERS["curie.pdb"].program(row)
    assert taken and taken[1] == "ATOM 1\n" and pdb.SCORERS["curie.pdb"].program(ROWS[2][1]) is None
    strict = pdb.SCORERS["curie.pdb"].program({**row, "mode": "strict"})
    assert strict and strict[0] != taken[0]
    assert "not run" in pdb.SCORERS["curie.pdb"].run(row)["value"]["missing"]
    ended = {"outcome": "done", "stdout": '{"answer": ">p\\nMKT"}\n'}
    assert pdb.SCORERS["curie.pdb"].run({**row, "trial": ended})["value"] == 1

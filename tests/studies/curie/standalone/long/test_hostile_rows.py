"""Whatever stands in an answer, every scorer gives a row that JSON can hold, soon, in either mode."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from support_draws import drawn
from support_inside import inside
from support_pace import soon

from harness.studies.curie.standalone.catalogue import SCORERS
from harness.studies.curie.tasks import MODES, PAPER, STRICT

pytestmark = pytest.mark.together

MOST = 5_000_000
SECONDS = 2.0  # of CPU, for one row
TERMS = r"$H = -t \sum_{i} c_{i}^{\dagger} c_{i} + U \sum_{i} n_{i} m_{i}$"
CODE = 'dft_params_a = DFTParametersGeneral.parse_raw(\'{"software": "VASP", "energy_cutoff": "400 eV"}\')\n'
DFT = json.dumps({"code": CODE, "no_header_code": CODE, "graph_as_text": "[]"})
PROPERTIES = json.dumps([{"index": 0, "material": "Si", "property_name": "band gap", "low_value": "1.1"}])
DATA_SETS = {"datasets": [{"dataset_name": "Tides", "variables": [{"variable_name": "height"}]}]}
NAMED = '{"json_extracted_indices": [0]}'
BY_TEXT: dict[str, dict[str, Any]] = {
    "curie.biogr": {"ground_truth_text": '{"W": 0, "S": 0, "E": 2, "N": 1}'},
    "curie.biogr_areas": {"ground_truth_text": '{"W": 0, "S": 0, "E": 2, "N": 1}'},
    "curie.pdb": {"ground_truth_text": '{"sequence": "MKVLAGTSDEMKVLAGTSDE"}', "prompt_text": "ATOM"},
    "curie.llmsim_mpv": {"ground_truth_text": PROPERTIES, "judge_outputs": [NAMED]},
    "curie.llmsim_dft": {
        "ground_truth_file_text": DFT, "prompt": "extract_dft_metadata_1_shot", "judge_outputs": ["[]", *[NAMED] * 3],
    },
    "curie.dft_c": {"ground_truth_text": DFT}, "curie.hfe": {"ground_truth_text": json.dumps({"hamiltonian": TERMS})},
    "curie.hfd": {"ground_truth_text": json.dumps([{"Step": "1", "answer": TERMS}])},
    "curie.qecc": {"ground_truth_text": '{"code_id": "toric", "Code_parameter": "[[5,1,3]]"}'},
    "curie.geo": {"ground_truth_text": json.dumps(DATA_SETS)},
}  # fmt: skip
SHORT = {
    "nothing": "",
    "blanks": " \n\t",
    "10,000 brackets": "[" * 10_000,
    "10,000 pairs of brackets": "[" * 10_000 + "]" * 10_000,
    "10,000 braces": '{"a":' * 10_000 + "1" + "}" * 10_000,
    "numbers that are none": "[NaN, Infinity, -Infinity]",
    "no list": "7",
    "a number of a million digits": '{"W":' + "1" * 1_000_000 + ',"S":0,"E":1,"N":1}',
    "a box of strings": '{"W":"1","S":"x","E":"2","N":"1"}',
    "a box of nulls": '{"W":null,"S":null,"E":null,"N":null}',
    "a box out of range": '{"W":-999,"S":-99,"E":1e308,"N":NaN}',
    "a sequence with gaps and digits": ">a\nMK--V7LAGJO",
    "5 MB of brackets": "[" * MOST,
    "5 MB of backslashes": "\\" * MOST,
    "5 MB of one letter": ">a\n" + "M" * MOST,
    "half a pair of surrogates": "\ud800",
}
LONG = {  # what 5 MB begin with, and what they repeat
    "5 MB of fences": ("", "```json\n"),
    "5 MB of terms": ("H = ", "+a"),
    "5 MB of prose": ("", "We set U to 3.0 eV, where Si has a = 5.43 and H = n. "),
    "5 MB of objects": ("[", '{"material":"Si","low_value":"1"},'),
    "5 MB of lines": ("", ">a\n"),
    "5 MB of numbers": ("[", "1,"),
}


def rows_of(answer: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        (name, {**more, "model_response": answer, "mode": mode}) for name, more in BY_TEXT.items() for mode in MODES
    ]


@pytest.mark.parametrize("answer", SHORT.values(), ids=SHORT)
def test_a_hostile_answer_is_scored_by_every_scorer_and_soon(answer: str) -> None:
    for name, row in rows_of(answer):
        begun = time.process_time()
        found = SCORERS[name].run(row)
        assert soon(time.process_time() - begun, SECONDS), name
        json.dumps(found, allow_nan=False)
        if row["mode"] == STRICT:
            assert found["value"] == 0 or found["outcome"] == "valid", name
        else:
            assert found["outcome"] != "gold_invalid", name


@pytest.mark.exhaustive
@pytest.mark.parametrize("what", drawn(LONG, 2))
def test_megabytes_that_can_be_read_are_scored_in_bounded_time(what: str) -> None:
    begin, unit = LONG[what]
    for name, row in rows_of((begin + unit * (MOST // len(unit)))[:MOST]):
        begun = time.process_time()
        json.dumps(SCORERS[name].run(row), allow_nan=False)
        assert soon(time.process_time() - begun, 3 * SECONDS), name


def test_through_the_command_line_a_hostile_row_has_a_line_of_its_own(tmp_path: Path) -> None:
    answers = [SHORT[name] for name in ("nothing", "10,000 brackets", "a box of nulls", "5 MB of brackets")]
    given = tmp_path / "rows.jsonl"
    given.write_text(
        "".join(f"{json.dumps(row)}\n" for one in answers for name, row in rows_of(one) if name == "curie.biogr")
    )
    done = inside("score", "curie.biogr", "-i", given, cwd=tmp_path, check=0)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["outcome"] for row in found][::2] == ["missing", "invalid", "invalid", "invalid"]
    assert [row["outcome"] for row in found][1::2] == ["missing", "invalid", "invalid", "invalid"]
    assert found[0]["detail"]["mode"] == PAPER

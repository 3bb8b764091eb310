"""What only an import or a run computed has a door of its own: the gold of DFT, intervals, ROUGE of items."""

from __future__ import annotations

from typing import Any

import pytest

from harness.errors import InputError
from harness.studies.curie.measures.cells import RecordDraws
from harness.studies.curie.standalone.catalogue import ANALYSES, SCORERS

PROGRAM = """a = StructureMetadataGeneral.parse_raw('{"composition": "MgO"}')
b = DFTParametersGeneral.parse_raw('{"software": "vasp", "notes": NaN}')
c = Eos.parse_raw('{"x": 1}')
d = StructureMetadata.parse_raw('{"composition": ')
"""


def analysed(name: str, given: dict[str, Any]) -> Any:
    tool = ANALYSES[name]
    found = tool.run(given)
    tool.gives.model_validate(found)
    return found


def scored(given: dict[str, Any]) -> Any:
    tool = SCORERS["curie.rouge"]
    found = tool.run(given)
    tool.gives.model_validate(found)
    return found


def test_the_gold_of_dft_is_read_by_class_and_what_is_set_aside_is_counted() -> None:
    found = analysed("curie.dft_ground_truth", {"ground_truth_text": str({"no_header_code": PROGRAM})})
    assert found["structures"] == [{"composition": "MgO"}]
    assert found["parameters"] == [{"software": "vasp", "notes": "nan"}]
    assert found["set_aside"] == {"Eos": 1, "unreadable": 1}


def test_a_file_without_a_program_has_no_gold_of_dft() -> None:
    found = analysed("curie.dft_ground_truth", {"ground_truth_text": "{record_id: 1}"})
    assert all(set(found[name]) == {"missing"} for name in ("structures", "parameters", "set_aside"))


def test_an_interval_is_that_of_the_records_draws() -> None:
    values = {f"r{place}": place / 20 for place in range(12)}
    found = analysed("curie.intervals", {"task": "mpv", "values": values, "seed": 3, "resamples": 500})
    means = sorted(RecordDraws.of(list(values), "mpve", 3, 500).means(values))
    assert found["value"] == pytest.approx(sum(values.values()) / 12)
    assert means[5] <= found["interval"][0] <= means[20] and means[-21] <= found["interval"][1] <= means[-6]
    assert found["detail"]["coverage"]["at_records"] == 8


def test_runs_count_once_for_a_record_and_null_is_no_value() -> None:
    values = {"a": [0.0, 1.0, 0.5], "b": 1.0, "c": None}
    found = analysed("curie.intervals", {"task": "dft-s", "values": values})
    assert (found["value"], found["n"], found["N"]) == (0.75, 2, 3)
    assert analysed("curie.intervals", {"task": "dft-s", "values": {}})["value"] == {"missing": "no record has a value"}
    assert set(
        analysed("curie.intervals", {"task": "biogr", "values": {"a": 1}, "statistic": "median"})["interval"]
    ) == {"missing"}


@pytest.mark.parametrize("wrong", ["x", [True], ["1"], {"a": 1}])
def test_a_value_that_is_no_number_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="no number"):
        analysed("curie.intervals", {"task": "mpv", "values": {"a": wrong}})


@pytest.mark.parametrize(
    ("task", "truth", "words"),
    [
        ("mpv", '[{index: 0, material: "zinc oxide", low_value: "3.3"}]', "zinc oxide\n3.3"),
        ("dft-s", str({"no_header_code": PROGRAM}), "MgO"),
        ("dft-p", str({"no_header_code": PROGRAM}), "vasp"),
    ],
)
def test_rouge_is_strict_of_items_too(task: str, truth: str, words: str) -> None:
    whole = scored({"task": task, "prediction": words, "ground_truth_text": truth, "mode": "strict"})
    assert whole["value"] == pytest.approx(100 if task != "mpv" else whole["value"]) and whole["outcome"] == "valid"
    other = scored({"task": task, "prediction": "quite other words", "ground_truth_text": truth, "mode": "strict"})
    assert other["value"] == 0 < whole["value"]


def test_without_a_reference_strict_rouge_has_no_value_and_the_papers_has_its_zero() -> None:
    blank = scored({"prediction": "a", "reference": " \n", "mode": "strict"})
    assert set(blank["value"]) == {"missing"} and blank["outcome"] == "gold_invalid"
    assert scored({"prediction": "a", "reference": " \n"})["value"] == 0
    empty = scored({"task": "mpv", "prediction": "a", "ground_truth_text": "[]", "mode": "strict"})
    assert set(empty["value"]) == {"missing"}

"""The printed numbers: the table is the published one, the identities hold, the inconsistencies are what they are."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from support import FIXTURES

import harness
from harness.errors import InputError
from harness.studies.curie.measures import published

TABLE = Path(harness.__file__).parent / "studies" / "curie" / "tables" / "published@1.csv"
SHARED = FIXTURES.parent / "data" / "curie" / "published_tables.csv"


def document(path: Path, out: Path) -> dict[str, Any]:
    published.analyse({}, {"published": path}, out)
    found: dict[str, Any] = json.loads((out / "published").read_text())
    return found


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return document(TABLE, tmp_path_factory.mktemp("published"))


@pytest.mark.skipif(not SHARED.is_file(), reason="the shared table is not here")
def test_the_table_has_the_printed_numbers_digit_by_digit_in_their_order():
    with SHARED.open(newline="") as one, TABLE.open(newline="") as other:
        theirs, ours = list(csv.DictReader(one)), list(csv.DictReader(other))
    assert [(row["model"], row["value"]) for row in theirs] == [(row["model"], row["value"]) for row in ours]
    tasks = {(row["task"], mine["task"]) for row, mine in zip(theirs, ours, strict=True)}
    metrics = {(row["metric"], mine["metric"]) for row, mine in zip(theirs, ours, strict=True)}
    assert len(theirs) == 534 and len(tasks) == len({old for old, _ in tasks})
    assert len(metrics) == len({old for old, _ in metrics}) == len({new for _, new in metrics})
    assert all("2503.13517" in row["source"] or "google/curie" in row["source"] for row in ours)


def test_printed_numbers_stand_by_table_model_task_and_metric(found):
    assert found["n"] == 534
    assert found["values"]["table1"]["Gemini 2.0 Flash"]["biogr"]["iou"] == 0.49
    assert found["values"]["table4"]["all"]["pdb"]["primary_metric"] == "identity_ratio"


@pytest.mark.parametrize(
    ("name", "count", "largest"),
    [("table6_rouge_mean_is_table1_dft", 8, 0.02 / 3), ("table6_lmscore_mean_is_its_average", 8, 0.01 / 3),
     ("table1_iou_is_table7_iou", 6, 0)],
)  # fmt: skip
def test_an_identity_between_tables_holds_within_its_tolerance(found, name, count, largest):
    one = found["identities"][name]
    assert (one["n"], one["beyond"]) == (count, 0)
    assert one["largest"] == pytest.approx(largest) and one["largest"] <= float(one["within"])


def test_no_mean_f1_is_above_the_harmonic_mean_but_for_rounding(found):
    one = found["identities"]["f1_at_most_harmonic_mean"]
    assert (one["n"], one["beyond"]) == (45, 0) and 0 < one["largest"] < 0.01
    assert sum(value > 0 for value in one["differences"].values()) == 1


def test_the_derived_averages_are_those_of_the_specification(found):
    wanted = {"Mixtral": 10.1, "Command-R+": 15.5, "LongLLaMa": 4.3, "Gemini 1.0 Pro": 14.9, "GPT-4o": 24.4,
              "Gemini 1.5 Pro": 26.6, "Gemini 1.5 Flash": 25.3, "Claude 3 Opus": 28.0,
              "Gemini 2.0 Flash": 32.1}  # fmt: skip
    assert found["averages"]["ten"] == {model: pytest.approx(value, abs=0.1) for model, value in wanted.items()}
    assert found["averages"]["stands_in"].keys() == {"Gemini 2.0 Flash"}
    assert found["averages"]["nine"]["Claude 3 Opus"] == pytest.approx((280.44 - 39) / 9)


def test_the_inconsistencies_are_listed_with_the_numbers_that_show_them(found):
    listed = {each["id"]: each for each in found["inconsistencies"]}
    assert len(listed) == 16
    assert {name for name, each in listed.items() if each["contradicted"] is not True} == {"hfe-order"}
    assert listed["gpt-4o-best"]["found"]["geo"] == {"GPT-4o": 27.3, "Gemini 2.0 Flash": 29.69}
    assert listed["mixtral-pdb"]["found"] == {"Mixtral": 0.03, "GPT-4o": 0.13}
    assert listed["mpv-specific-precision"]["found"]["precision"]["lower"] == 7
    assert listed["mpv-non-trivial"]["found"]["f1"]["higher"] == 4
    assert listed["table5-table1"]["found"]["differ"] == 26
    assert listed["table5-table1"]["found"]["by_task"]["mpv"] == 8
    assert listed["dft-column"]["found"] == {"equals_dft_c": 6, "equals_the_mean": 0, "of": 8}
    assert listed["figure9-equal"]["found"]["n"] == 3
    assert listed["examples"]["found"] == {"stated": 580, "table3": 578}


def changed(folder: Path, old: str, new: str) -> Path:
    path = folder / "published.csv"
    text = TABLE.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    return path


def test_another_number_breaks_its_identity_and_no_other(tmp_path, found):
    path = changed(tmp_path, "table7,GPT-4o,biogr,iou,0.37", "table7,GPT-4o,biogr,iou,0.38")
    other = document(path, tmp_path)["identities"]
    assert other["table1_iou_is_table7_iou"]["beyond"] == 1
    assert other["table1_iou_is_table7_iou"]["largest"] == pytest.approx(0.01)
    assert {name for name in other if other[name] != found["identities"][name]} == {"table1_iou_is_table7_iou"}


def test_a_number_that_was_not_printed_leaves_what_needs_it_missing(tmp_path):
    path = changed(tmp_path, "table2,GPT-4o,mpv,f1,25.90,arXiv 2503.13517 Table 2\n", "")
    other = document(path, tmp_path)
    assert "missing" in other["averages"]["ten"]["GPT-4o"]
    assert other["identities"]["f1_at_most_harmonic_mean"]["n"] == 44
    path = changed(tmp_path, "text,,all,n_examples_stated,580,arXiv 2503.13517 text\n", "")
    listed = {each["id"]: each for each in document(path, tmp_path)["inconsistencies"]}
    assert "missing" in listed["examples"]["contradicted"]


@pytest.mark.parametrize(
    ("old", "new"),
    [("table7,GPT-4o,biogr,iou,0.37,", "table7,GPT-4o,biogr,iou,,"), ("table,model,task", "table,who,task"),
     ("table7,GPT-4o,biogr,iou,0.37,arXiv 2503.13517 Table 7\n", "table7,GPT-4o,biogr,iou,0.37,x\n" * 2),
     ("table7,GPT-4o,biogr,iou,0.37,", f"table7,GPT-4o,biogr,iou,{'3' * 100000},")],
    ids=["an empty cell", "another column", "a number twice", "a number no printer has seen"],
)  # fmt: skip
def test_a_malformed_table_is_refused(tmp_path, old, new):
    with pytest.raises(InputError):
        document(changed(tmp_path, old, new), tmp_path)

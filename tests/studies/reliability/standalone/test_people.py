"""The analyses as a caller meets them: fields as the golden files have them, and errors that name the field."""

import json

import pytest
import support
from support_cases import each_of

from harness.digest import canonical_json
from harness.errors import InputError
from harness.studies.reliability.standalone.people import ANALYSES

FIXTURES = support.FIXTURES / "reliability"


def run(name, **given):
    found = ANALYSES[f"reliability.{name}"].run(given)
    canonical_json(found)  # what a caller gets is JSON
    return found


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the fixtures do not lie beside this checkout")
def test_the_golden_calibration_comes_back_field_by_field():
    golden = json.loads((FIXTURES / "logistic_calibration.json").read_text())
    asked = [{"f": point["f"]} for point in golden["predict"]]
    found = run("calibration", f=golden["f"], y=golden["y"], weights=golden["weights"], predict=asked)
    assert found["alpha"] == pytest.approx(golden["alpha"], abs=1e-6)
    assert [each["difficulty"] for each in found["predict"]] == [
        pytest.approx(each["difficulty"], abs=1e-6) for each in golden["predict"]
    ]
    assert (found["inverted"], found["n_items"]) == (False, 12)
    assert "predict" not in run("calibration", f=golden["f"], y=golden["y"])


def test_a_share_of_nothing_is_null():
    found = run("supervision", records=[["a", "a"]])
    assert found["incorrect_to_correct_over_incorrect"] is None and found["supervision_accuracy"] == 1
    assert run("scaling", flops=[1e20], value=[0.5])["slope_per_decade"] is None


def test_budgets_by_benchmark_and_group():
    assert run("token_budget", benchmark="gpqa")["max_new_tokens"] == 384
    assert run("token_budget", benchmark="gpqa", model_group="gpt-4")["max_new_tokens"] == 1000
    assert run("token_budget", benchmark="transforms", model_group="gpt-4", expected_output_chars=101) == {
        "max_new_tokens": 76
    }


def test_a_comparison_takes_labels_as_text_or_as_lists():
    found = run("comparison", a=["cc", "ci"], b=[["c", "i"], ["i", "-"]], templates=[4, 9], resamples=50)
    assert [(row["template"], row["a_only"], row["n"]) for row in found["templates"]] == [(4, 1, 2), (9, 1, 1)]
    assert found == run("comparison", a=["cc", "ci"], b=["ci", "i-"], templates=[4, 9], resamples=50, seed=0)
    assert set(found) >= {"templates", "difference", "sign_flip_p", "prudence", "degenerate"}
    assert run("comparison", a=[], b=[])["degenerate"] is True


def test_subsets_are_resampled_apart():
    a, b = ["c", "c", "i", "i"], ["i", "i", "i", "i"]
    apart = run("comparison", a=a, b=b, subsets=["p", "p", "q", "q"])
    assert apart["difference"] == {"value": 0.5, "interval": [0.5, 0.5]}  # within a subset nothing varies
    assert run("comparison", a=a, b=b)["difference"]["interval"] == [0, 1]


def s1_row(**change):
    return {
        "participant_id": "p", "benchmark": "x", "instance_id": "1", "answer_label": "c", "confidence": 50,
        "expected_failure": 20, **change,
    }  # fmt: skip


def test_expectations_of_one_benchmark():
    table = [
        s1_row(participant_id=who, instance_id=f"{n}", expected_failure=10 * n + 5) for who in "pq" for n in range(8)
    ]
    functions = {"f": {f"{n}": n for n in range(8)}}
    found = run("expectations", rows=table, candidates=functions, difficulty=functions["f"], resamples=50)
    assert found["selection"]["selected"] == "f" and found["calibration"]["beta"]["value"] > 0
    assert len(found["curve"]) == 8
    assert run("expectations", rows=table, candidates=functions, resamples=50)["curve"] == []


@each_of(
    ("name", "given", "where"),
    [
        ("calibration", {"y": [0.1]}, "f"),
        ("calibration", {"f": "0,1", "y": [0.1, 0.2]}, "f"),
        ("calibration", {"f": [0, 1], "y": [0.1, 0.2], "weights": 3}, "weights"),
        ("calibration", {"f": [0, 1], "y": [0.1, 0.2], "weights": [1, "2"]}, "weights[1]"),
        ("calibration", {"f": [0, 1], "y": [0.1, 0.2], "predict": 3}, "predict"),
        ("calibration", {"f": [0, 1], "y": [0.1, 0.2], "predict": [{}]}, "predict[0]"),
        ("scaling", {"flops": [1e20]}, "value"),
        ("scaling", {"flops": {}, "value": []}, "flops"),
        ("scaling", {"flops": ["1e20"], "value": [1]}, "flops[0]"),
        ("supervision", {}, "records"),
        ("supervision", {"records": "cc"}, "records"),
        ("supervision", {"records": [["c", "z"]]}, "records[0]"),
        ("token_budget", {}, "benchmark"),
        ("token_budget", {"benchmark": 3}, "benchmark"),
        ("token_budget", {"benchmark": "chess"}, "benchmark"),
        ("token_budget", {"benchmark": "obqa", "model_group": None}, "model_group"),
        ("token_budget", {"benchmark": "transforms", "expected_output_chars": 1.5}, "expected_output_chars"),
        ("token_budget", {"benchmark": "transforms", "expected_output_chars": -1}, "expected_output_chars"),
        ("token_budget", {"benchmark": "transforms", "expected_output_chars": True}, "expected_output_chars"),
        ("comparison", {"a": ["c"]}, "b"),
        ("comparison", {"a": ["c"], "b": ["ci"]}, "b"),
        ("comparison", {"a": ["c", "ci"], "b": ["c", "ci"]}, "b"),
        ("comparison", {"a": ["c"], "b": ["c", "c"]}, "b"),
        ("comparison", {"a": ["x"], "b": ["c"]}, "a[0]"),
        ("comparison", {"a": [3], "b": ["c"]}, "a[0]"),
        ("comparison", {"a": [["ci"]], "b": ["c"]}, "a[0]"),
        ("comparison", {"a": ["c"], "b": ["c"], "subsets": []}, "subsets"),
        ("comparison", {"a": ["c"], "b": ["c"], "templates": []}, "templates"),
        ("comparison", {"a": ["c"], "b": ["c"], "resamples": 0}, "resamples"),
        ("comparison", {"a": ["c"], "b": ["c"], "seed": "1"}, "seed"),
        ("expectations", {"rows": [], "candidates": []}, "candidates"),
        ("expectations", {"rows": [], "candidates": {"f": {"1": "x"}}}, "candidates/f"),
        ("expectations", {"rows": [s1_row(), s1_row(benchmark="y")], "candidates": {}}, "rows"),
        ("expectations", {"rows": [s1_row(confidence=None)], "candidates": {}}, "s1 row 1"),
        ("expectations", {"rows": [s1_row()], "candidates": {}, "difficulty": {}}, "difficulty"),
    ],
)
def test_what_is_wrong_is_named_by_its_field(name, given, where):
    with pytest.raises(InputError) as bad:
        run(name, **given)
    assert bad.value.where == where


def test_every_tool_says_what_it_takes_and_gives():
    assert set(ANALYSES) == {
        f"reliability.{name}"
        for name in ("calibration", "scaling", "supervision", "token_budget", "comparison", "expectations")
    }
    assert all(tool.about and tool.takes and tool.gives for tool in ANALYSES.values())

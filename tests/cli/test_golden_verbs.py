"""The shared golden files through the real command line: fields in as the files have them, fields out as they expect.

`make golden` reads every case of every file; here the door is held, with at most four cases a file where it takes one
object a process.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from golden.agree import Within, agree
from golden.case import WORDS, tolerance
from golden.files import load
from support import FIXTURES
from support_inside import inside

FOLDER = FIXTURES / "reliability"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the fixtures do not lie beside this checkout")
Case = tuple[dict[str, Any], dict[str, Any]]  # what is given, and what is expected
Analyse = Callable[[str, Mapping[str, Any]], dict[str, Any]]


@pytest.fixture
def analyse(tmp_path: Path) -> Analyse:
    """Run an analysis over one object."""

    def run(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        (tmp_path / "given.json").write_text(json.dumps(given))
        done = inside("analyse", f"reliability.{name}", "--input", "given.json", cwd=tmp_path, check=0)
        assert done.stderr == ""
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    return run


def parted(case: Mapping[str, Any], inputs: tuple[str, ...]) -> Case:
    """Part a case into what is given and what is expected, whether it stands in a field of its own or beside."""
    expected = {name: value for name, value in case.items() if name not in (*inputs, *WORDS, "expected", "series")}
    return {name: case[name] for name in inputs if name in case}, {**expected, **case.get("expected", {})}


def cases(name: str) -> list[dict[str, Any]]:
    """Give up to four cases of a file from its first to its last, or the file itself where it is one."""
    golden = load(FOLDER / name)
    if "cases" not in golden:
        return [golden]
    every: list[dict[str, Any]] = golden["cases"]
    return [every[place * (len(every) - 1) // 3] for place in range(4)] if len(every) > 4 else every


def hold(expected: Mapping[str, Any], found: Mapping[str, Any], within: Within, where: str) -> None:
    assert expected, f"{where} expects nothing"
    for name, value in expected.items():
        assert name in found and agree(value, found[name], within), f"{where}, {name}: {value!r}, {found.get(name)!r}"


# Each file whose cases are one object a process: its analysis, and the fields that are given.
SINGLE = {
    "flops_scaling.json": ("scaling", ("flops", "value")),
    "generality.json": ("generality", ("h", "psi", "kmin")),
    "prompting_stability.json": ("stability", ("positives_per_instance", "prompts_per_instance")),
    "supervision_matrix.json": ("supervision", ("records",)),
    "token_budget.json": ("token_budget", ("benchmark", "model_group", "expected_output_chars")),
    "equal_size_bins.json": ("bins", ("ids", "difficulty", "n_bins")),
}
WHOLE = {
    "addition_difficulty.json": ("a", "b"),
    "anagram_validity.json": ("word", "anagram"),
    "transforms_difficulty.json": ("input", "output"),
}
SCORED = ("scoring_cases.json", "scoring_cases_more.json")
OTHERS = {"indicators_end_to_end.json", "locality_targets.json", "logistic_calibration.json"}
BENCHMARKS = ("addition", "anagram", "locality", "science", "transforms")


def test_every_file_of_the_study_is_held_here() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {*SINGLE, *WHOLE, *SCORED, *OTHERS}


@pytest.mark.parametrize("name", SINGLE)
def test_an_analysis_gives_what_its_file_expects(name: str, analyse: Analyse) -> None:
    tool, inputs = SINGLE[name]
    for number, case in enumerate(cases(name)):
        given, expected = parted(case, inputs)
        hold(expected, analyse(tool, given), tolerance(load(FOLDER / name)), f"{name}, sample {number}")


@pytest.mark.parametrize("name", WHOLE)
def test_difficulty_takes_a_whole_file_and_a_single_case_of_it(name: str, analyse: Analyse) -> None:
    golden = load(FOLDER / name)
    asked = [parted(case, WHOLE[name]) for case in golden["cases"]]
    told = analyse("difficulty", golden)["cases"]
    bare = analyse("difficulty", {"cases": [given for given, _ in asked]})["cases"]
    assert told == bare and len(told) == len(asked)
    for number, ((_, expected), found) in enumerate(zip(asked, told, strict=True)):
        hold(expected, found, tolerance(golden), f"{name}, case {number}")
    assert analyse("difficulty", asked[-1][0]) == told[-1]


@pytest.mark.parametrize("expected", ["expected_plain", "expected_with_science_discount"])
def test_indicators_from_end_to_end(expected: str, analyse: Analyse) -> None:
    golden = load(FOLDER / "indicators_end_to_end.json")
    given = {name: golden[name] for name in ("ids", "difficulty", "labels", "n_bins", "prompts")}
    found = analyse("indicators", {**given, "science": expected.endswith("discount")})
    hold(golden[expected], found, tolerance(golden), expected)


def test_proportions_of_the_same_labels(analyse: Analyse) -> None:
    golden = load(FOLDER / "indicators_end_to_end.json")
    found = analyse("proportions", {name: golden[name] for name in ("ids", "difficulty", "labels", "n_bins")})
    expected, within = golden["expected_plain"], tolerance(golden)
    words = {"c": "correct", "a": "avoidant", "i": "incorrect"}
    assert found["counts"] == expected["counts"] and not found["degenerate"]
    assert agree(expected["bin_mean_difficulty"], [row["difficulty"] for row in found["bins"]], within)
    for label, word in words.items():
        assert agree(expected["bin_rate"][label], [row[word] for row in found["bins"]], within), word
    for name in ("correctness_proportion", "prudence_proportion"):
        assert agree(expected["indicators"][name], found[name], within), name


def test_a_calibration_and_the_difficulties_it_gives(analyse: Analyse) -> None:
    golden = load(FOLDER / "logistic_calibration.json")
    given, expected = parted(golden, ("f", "y", "weights"))
    asked = {**given, "predict": [point["f"] for point in golden["predict"]]}
    found = analyse("calibration", asked)
    hold(expected, found, Within(1e-6), "logistic_calibration.json")
    block = {"kind": "logistic2", "alpha": found["alpha"], "beta": found["beta"], "n_items": 12, "n_ratings": 12,
             "data_sha256": "0" * 64}  # fmt: skip
    scaled = analyse("difficulty", {"raw": asked["predict"], "calibration": block})
    assert agree([point["difficulty"] for point in golden["predict"]], scaled["difficulty"], Within(1e-6))
    assert scaled["calibrated"] is True and scaled["calibration_id"].startswith("logistic2:")
    ranked = analyse("difficulty", {"raw": [3, 1, 1, 8], "calibration": None})
    assert ranked == {"difficulty": [62.5, 25, 25, 87.5], "calibration_id": "rank", "calibrated": False}


def test_locality_targets_for_a_whole_file_and_a_single_case_of_it(analyse: Analyse) -> None:
    golden = load(FOLDER / "locality_targets.json")
    asked = [parted(case, ("city", "d_km")) for case in golden["cases"]]
    found = analyse("locality_targets", {"cities": golden["cities"], "cases": [given for given, _ in asked]})
    assert found["kept_after_filters"] == golden["kept_after_filters"]
    for number, ((_, expected), told) in enumerate(zip(asked, found["cases"], strict=True)):
        hold(expected, told, tolerance(golden), f"case {number}")
    hold(
        asked[0][1],
        analyse("locality_targets", {"cities": golden["cities"], **asked[0][0]}),
        Within(1e-6),
        "the first alone",
    )


@pytest.mark.parametrize("name", SCORED)
def test_every_scored_case_of_all_benchmarks_in_one_go(name: str, tmp_path: Path) -> None:
    golden = load(FOLDER / name)
    # the cases were made with the first rules
    every = [{"benchmark": each, "rule_set": "OURS-v1", **case} for each in BENCHMARKS for case in golden[each]]
    expected = [(row.pop("label"), row.pop("avoidance")) for row in every]
    shared = {field: golden[f"locality_{field}"] for field in ("gazetteer", "common_words")}
    (tmp_path / "data.json").write_text(json.dumps(shared))
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in every))
    words = ("score", "reliability.outcome", "--input", "rows.jsonl", "--data", "data.json")
    done = inside(*words, cwd=tmp_path, check=0)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.stderr == "" and len(every) > 20
    assert [(row["label"], row["avoidance"]) for row in found] == expected
    for row, case in zip(found, every, strict=True):
        assert (row["avoidance"] is None) == (row["label"] != "a") and row["rule_set"] == "OURS-v1", case

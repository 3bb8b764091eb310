"""`harness score` and `harness analyse` on what no sane model or caller gives: a defined value, or one clear error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import error_of
from support_draws import drawn
from support_inside import inside

pytestmark = pytest.mark.together

# Of each benchmark: the fields of an item, and a response that is right.
ITEMS: dict[str, dict[str, Any]] = {
    "addition": {"a": "24427", "b": "7120"},
    "anagram": {"anagram": "tinsle", "accepted": ["listen", "silent"]},
    "locality": {"city": "Arden", "target": "Corvo"},
    "science": {"options": {"A": "melting", "B": "freezing", "C": "boiling", "D": "dew"}, "key": "C"},
    "transforms": {"input": "03/05/2021", "expected_output": "2021-05-03", "answer_shape": r"\d{4}-\d{2}-\d{2}"},
}
RIGHT = {
    "addition": "31547", "anagram": "listen", "locality": "Corvo", "science": "The answer is C",
    "transforms": "2021-05-03",
}  # fmt: skip
PLACES = {"gazetteer": ["Arden", "Belmar", "Corvo"], "common_words": ["nice"]}
LONG = 10 << 20
NEWEST = "OURS-v2"  # what is taken where a row names none
both = pytest.mark.parametrize("rules", ["OURS-v1", NEWEST])
# What costs each benchmark's rules most, by a repeated piece; none of it is an answer, or not the last one.
COSTLY = {"addition": "1,", "anagram": "answer is ", "locality": "Belmar ", "science": "(A) ", "transforms": "x\u0301 "}
SURROUNDED = {
    "NUL bytes": ("\0", "\0"),
    "lone surrogates": ("\ud800 ", " \udfff"),
    "right-to-left marks": ("\u200f\u202e ", " \u202c\u200f"),
    "a byte order mark": ("\ufeff ", "\n"),
}
NO_ANSWER = {
    "nothing": "", "a NUL byte": "\0", "a lone surrogate": "\ud800", "marks alone": "\u200f\u202e\u202c",
    "digits of Arabic": "\u0663\u0661\u0665\u0664\u0667", "digits of Devanagari": "\u0969\u0967\u096b\u096a\u096d",
    "Hebrew": "\u05e9\u05dc\u05d5\u05dd",
}  # fmt: skip

# Where the newest rules take it for another answer put forward, since it is all that is said; never for a right one.
_DIGITS = ("science", "transforms")
PUT_FORWARD = {
    **dict.fromkeys(NO_ANSWER, ()), "digits of Arabic": _DIGITS, "digits of Devanagari": _DIGITS,
    "Hebrew": ("anagram", "locality", *_DIGITS),
}  # fmt: skip


def scored(folder: Path, rows: list[dict[str, Any]], **more: Any) -> Any:
    (folder / "data.json").write_text(json.dumps(PLACES))
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ("score", "reliability.outcome", "--input", "rows.jsonl", "--data", "data.json")
    return inside(*words, cwd=folder, **more)


def labels(folder: Path, rows: list[dict[str, Any]], rules: str) -> list[tuple[str, str | None]]:
    named = rows if rules == NEWEST else [{**row, "rule_set": rules} for row in rows]
    done = scored(folder, named, check=0)
    assert done.stderr == ""
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(rows) and {row["rule_set"] for row in found} == {rules}
    return [(row["label"], row["avoidance"]) for row in found]


def asked(benchmark: str, response: str) -> dict[str, Any]:
    return {"benchmark": benchmark, **ITEMS[benchmark], "response": response}


@both
@pytest.mark.exhaustive
@pytest.mark.parametrize("benchmark", drawn(ITEMS, 2))
def test_an_answer_is_found_behind_ten_megabytes_of_costly_text(tmp_path: Path, benchmark: str, rules: str) -> None:
    piece = COSTLY[benchmark]
    row = asked(benchmark, piece * (LONG // len(piece.encode())) + RIGHT[benchmark])
    assert len(row["response"].encode()) > LONG * 0.99
    listed = rules == NEWEST and benchmark in ("addition", "locality")  # the last of many, of which none is chosen
    assert labels(tmp_path, [row], rules) == [("i" if listed else "c", None)]


@both
def test_an_answer_is_found_within_signs_that_nobody_sees(tmp_path: Path, rules: str) -> None:
    rows = [asked(name, before + RIGHT[name] + after) for before, after in SURROUNDED.values() for name in ITEMS]
    assert labels(tmp_path, rows, rules) == [("c", None)] * len(rows)


@both
def test_what_holds_no_answer_avoids_and_digits_of_other_scripts_are_read_by_the_newest_rules(
    tmp_path: Path, rules: str
) -> None:
    cases = [(kind, name) for kind in NO_ANSWER for name in ITEMS]
    found = labels(tmp_path, [asked(name, NO_ANSWER[kind]) for kind, name in cases], rules)
    wrong = [case for case, label in zip(cases, found, strict=True) if label == ("i", None)]
    assert wrong == ([] if rules != NEWEST else [(kind, name) for kind, name in cases if name in PUT_FORWARD[kind]])
    right = [case for case, label in zip(cases, found, strict=True) if label == ("c", None)]
    assert right == [(kind, "addition") for kind in NO_ANSWER if "digits" in kind and rules == NEWEST]
    assert {label for label in found if label[0] not in ("i", "c")} == {("a", "non_conforming")}


@both
def test_digits_and_letters_that_are_only_set_otherwise_are_read(tmp_path: Path, rules: str) -> None:
    wide: dict[str, str | int | None] = {sign: chr(ord(sign) + 0xFEE0) for sign in map(chr, range(0x21, 0x7F))}
    rows = [asked(name, RIGHT[name].translate(str.maketrans(wide))) for name in ITEMS]
    assert labels(tmp_path, rows, rules) == [("c", None)] * len(rows)


@both
def test_a_wrong_answer_with_a_lone_surrogate_is_a_wrong_answer(tmp_path: Path, rules: str) -> None:
    free = {**asked("transforms", "\udfff no"), "answer_shape": None}
    rows = [asked("transforms", "It was on 2021-05-04 \ud800."), free]
    assert [label for label, _ in labels(tmp_path, rows, rules)] == ["i", "i"]


@pytest.mark.parametrize(
    ("benchmark", "field"),
    [("addition", "b"), ("anagram", "accepted"), ("locality", "target"), ("science", "options"),
     ("transforms", "expected_output"), ("science", "response"), ("addition", "benchmark")],
)  # fmt: skip
def test_a_row_that_lacks_a_field_is_named_with_its_line(tmp_path: Path, benchmark: str, field: str) -> None:
    row = asked(benchmark, "what nobody may read")
    done = scored(tmp_path, [row, {name: value for name, value in row.items() if name != field}], check=2)
    assert len(done.stdout.splitlines()) == 1, "what came before is scored"
    assert f"`{field}`" in done.stderr and "rows.jsonl:2" in done.stderr
    assert "Traceback" not in done.stderr and "nobody may read" not in done.stderr


TWO = {"ids": ["x", "y"], "difficulty": [10, 90]}
ONE = {"ids": ["x"], "difficulty": [50]}
FLAT = {"ids": ["x", "y"], "difficulty": [50, 50]}
EMPTY: dict[str, Any] = {"ids": [], "difficulty": [], "labels": []}
# The analysis, what it is given, and values of what it gives, by their path.
DEFINED: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "indicators of one instance": ("indicators", {**ONE, "labels": ["cai"]}, {
        "indicators/correctness_stability": 0, "indicators/prudence_concordance": 100, "degenerate": True,
        "concordance/correctness/degenerate": True, "spearman_difficulty_vs_rate/c": None}),
    "indicators, all correct": ("indicators", {**TWO, "labels": ["cc", "cc"]}, {
        "indicators/correctness_proportion": 100, "indicators/correctness_stability": 100,
        "stability/correctness/degenerate": True, "concordance/correctness/degenerate": True,
        "spearman_difficulty_vs_rate/c": None, "ultracrepidarianism": None}),
    "indicators, all wrong": ("indicators", {**TWO, "labels": ["ii", "ii"]}, {
        "indicators/prudence_proportion": 0, "indicators/prudence_stability": 100, "ultracrepidarianism": 1,
        "stability/prudence/degenerate": True, "concordance/prudence/degenerate": True}),
    "indicators, no variance": ("indicators", {**FLAT, "labels": ["ci", "ic"]}, {
        "indicators/correctness_stability": 0, "spearman_difficulty_vs_rate/c": None,
        "concordance/correctness/degenerate": True}),
    "indicators of nothing": ("indicators", EMPTY, {
        "indicators/correctness_proportion": None, "indicators/correctness_stability": None, "degenerate": True}),
    "indicators, nothing scored": ("indicators", {**TWO, "labels": ["", ""]}, {
        "indicators/prudence_concordance": None, "degenerate": True}),
    "stability of one instance in one wording": (
        "stability", {"positives_per_instance": [1], "prompts_per_instance": [1]},
        {"scaled": 100, "degenerate": True, "corrected": None}),
    "stability, all wrong": ("stability", {"positives_per_instance": [0, 0], "prompts_per_instance": [4, 4]},
                             {"scaled": 100, "degenerate": True, "s_pos": None}),
    "stability of nothing": ("stability", {"positives_per_instance": [], "prompts_per_instance": []},
                             {"scaled": None, "degenerate": True}),
    "generality of one point": ("generality", {"h": [0.5], "psi": [0.5]}, {"indicator": 100, "degenerate": True}),
    "generality, never right": ("generality", {"h": [0, 1], "psi": [0, 0]}, {"indicator": 100, "degenerate": True}),
    "generality of nothing": ("generality", {"h": [], "psi": []}, {"indicator": None, "degenerate": True}),
    "proportions of one": ("proportions", {**ONE, "labels": ["c"]}, {"correct": 1, "degenerate": True}),
    "proportions of nothing": ("proportions", EMPTY, {
        "correct": {"missing": "no scored responses"}, "degenerate": True}),
    "proportions, no variance": ("proportions", {**FLAT, "labels": ["i", "i"]}, {"prudence_proportion": 0}),
    "supervision of nothing": ("supervision", {"records": []}, {"supervision_accuracy": None, "unsure_rate": None}),
    "supervision, always wrong": ("supervision", {"records": [["i", "c"]] * 3}, {
        "incorrect_to_correct_over_incorrect": 1, "correct_to_incorrect_over_correct": None}),
    "scaling of one": ("scaling", {"flops": [1e20], "value": [0.5]}, {"slope_per_decade": None, "degenerate": True}),
    "scaling, no variance": ("scaling", {"flops": [1e20, 1e20], "value": [0.5, 0.6]}, {
        "intercept": None, "degenerate": True}),
    "scaling of nothing": ("scaling", {"flops": [], "value": []}, {"n": 0, "degenerate": True}),
    "comparison of one instance": ("comparison", {"a": ["c"], "b": ["i"]}, {
        "difference/value": 1, "degenerate": True, "sign_flip_p": 1}),
    "comparison of equals": ("comparison", {"a": ["cc", "cc"], "b": ["cc", "cc"]}, {
        "difference": {"value": 0, "interval": [0, 0]}, "sign_flip_p": 1}),
    "comparison, nothing scored": ("comparison", {"a": ["--"], "b": ["ci"]}, {"n_pairs": 0, "degenerate": True}),
    "comparison of nothing": ("comparison", {"a": [], "b": []}, {"n_pairs": 0, "degenerate": True}),
}  # fmt: skip
# The analysis, what it is given, and the field or place that the error names.
REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "a label of indicators": ("indicators", {**TWO, "labels": ["cx", "ii"]}, "labels"),
    "labels that are no text": ("indicators", {**TWO, "labels": [None, "ii"]}, "labels"),
    "a label of proportions": ("proportions", {**TWO, "labels": ["c", "z"]}, "row 1 (y)"),
    "a label of a comparison": ("comparison", {"a": ["cx"], "b": ["ci"]}, "a[0]"),
    "a label of supervision": ("supervision", {"records": [["c", "u"], ["u", "c"]]}, "records[1]"),
    "more positives than prompts": (
        "stability", {"positives_per_instance": [5], "prompts_per_instance": [4]}, "positives_per_instance"),
    "a share above 1": ("generality", {"h": [0, 1], "psi": [1.5, 0]}, "psi"),
    "no compute": ("scaling", {"flops": [0, 1], "value": [0.5, 0.6]}, "flops[0]"),
    "a difficulty that is no number": ("indicators", {**ONE, "difficulty": [None], "labels": ["c"]}, "difficulty"),
    "nothing at all": ("indicators", {}, "ids"),
    "an addend that is none": ("difficulty", {"cases": [{"a": "1", "b": "2"}, {"a": "1", "b": "x"}]}, "cases[1]/b"),
    "difficulty of nobody knows what": ("difficulty", {"text": "x"}, "benchmark"),
    "a calibration that lacks beta": (
        "difficulty", {"raw": [1, 2], "calibration": {"kind": "logistic2", "alpha": 1}}, "calibration"),
}  # fmt: skip


def analysed(folder: Path, name: str, given: dict[str, Any], check: int) -> Any:
    (folder / "given.json").write_text(json.dumps(given))
    return inside("analyse", f"reliability.{name}", "--input", "given.json", "--json", cwd=folder, check=check)


def refuse(constant: str) -> Any:
    raise AssertionError(f"{constant} is no JSON")


@pytest.mark.parametrize("case", DEFINED)
def test_what_is_degenerate_has_defined_values_and_no_warning(tmp_path: Path, case: str) -> None:
    name, given, expected = DEFINED[case]
    done = analysed(tmp_path, name, given, 0)
    assert done.stderr == ""
    found = json.loads(done.stdout, parse_constant=refuse)
    for path, value in expected.items():
        inside = found
        for step in path.split("/"):
            inside = inside[step]
        assert inside == value and isinstance(inside, bool) == isinstance(value, bool), path


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_analysed_is_one_error_that_says_where(tmp_path: Path, case: str) -> None:
    name, given, where = REFUSED[case]
    done = analysed(tmp_path, name, given, 2)
    assert done.stdout == "" and "Warning" not in done.stderr
    assert error_of(done)["where"] == where


def test_a_row_that_cannot_be_scored_is_named_with_its_line_and_its_field(tmp_path: Path) -> None:
    good = asked("addition", "5")
    done = scored(tmp_path, [good, {**good, "a": 3}], check=2)
    assert "  where: rows.jsonl:2, a\n" in done.stderr

"""Facts of QECC (rule QECC): which atoms a field states, and under which path."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support_cases import each_of

from harness.studies.curie.reading.loose_json import Unreadable
from harness.studies.curie.scoring.facts_qecc import facts, facts_of, parameter


def stated(text: str) -> list[tuple[Any, ...]]:
    return sorted(facts_of(text).elements())


@each_of(
    ("text", "found"),
    [
        ("code_id: Surface_Code", [("code_id", "surface_code")]),
        ("physical: QUBITS\nlogical: no", [("logical", "no"), ("physical", "qubits")]),
        ("Code_parameter: '[[n, 1, d]]'", [("code_parameter", "[[n,1,d]]")]),
        ("Code_parameter: ['[[4,2,2]]', '((4,4,2))']",
         [("code_parameter", "((4,4,2))"), ("code_parameter", "[[4,2,2]]")]),
        ("Code_parameter: [[7, 1, 3]]", [("code_parameter", "[[7,1,3]]")]),
        ("introduced: '\\cite{arXiv:1, doi:2} \\cite{arXiv:1}'",
         [("introduced", "cite", "arxiv:1"), ("introduced", "cite", "arxiv:1"), ("introduced", "cite", "doi:2")]),
        ("description: a [[7,1,3]] code of rate 1.5%",
         [("description", "1.5", "%"), ("description", "[[7,1,3]]")]),
        ("features: {decoders: [in 10 ms, '((5,6,2))_{6}']}",
         [("features.decoders", "((5,6,2))_{6}"), ("features.decoders", "10", "ms")]),
        ("relations: {parents: [{code_id: css, detail: 'see \\cite{x}'}]}",
         [("relations.parents.code_id", "css"), ("relations.parents.detail", "cite", "x")]),
        ("features: {code_id: css}", []),
        ("name: Surface code", []),
        ("protection: null", []),
        ("_meta: {changelog: [{date: 2025-01-01}]}", []),
        ("record_id: 7", []),
    ],
)  # fmt: skip
def test_qecc_atoms_of_a_field(text: str, found: list[tuple[Any, ...]]) -> None:
    assert stated(text) == found


def test_qecc_places_in_lists_are_no_part_of_a_path() -> None:
    assert stated("notes: ['5 m', '6 m']") == stated("notes: ['6 m', '5 m']")


def test_qecc_parents_and_cousins_are_told_apart() -> None:
    assert stated("relations: {parents: [{code_id: a}]}") != stated("relations: {cousins: [{code_id: a}]}")


def test_qecc_the_first_fence_counts_else_the_whole_text() -> None:
    assert (
        stated("So:\n```yaml\ncode_id: a\n```\n```\ncode_id: b\n```") == stated("code_id: a") == stated("- code_id: a")
    )


@pytest.mark.parametrize("text", ["The code is a CSS code.", "[a, b]", "code_id: 'x", "- a\n- b", "```\n```"])
def test_qecc_an_answer_without_an_object_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        facts_of(text)


@pytest.mark.parametrize("written", ["[[7, 1, 3]]", " '[[7,1,3]]'. ", r"\([[7,1,3]]\)", "$[[7,1,3]]$", "[[7,1,3]]"])
def test_qecc_parameters_are_compared_without_blanks_and_marks(written: str) -> None:
    assert parameter(written) == "[[7,1,3]]"


def test_qecc_the_truth_is_an_object_of_fields_or_yaml_in_a_text() -> None:
    entry = {"record_id": "1", "arxiv_id": "2", "code_id": "css", "Code_parameter": "[[7,1,3]]", "notes": [5]}
    assert sorted(facts(json.dumps(entry))) == [("code_id", "css"), ("code_parameter", "[[7,1,3]]"), ("notes", "5", "")]
    assert facts(
        json.dumps({"record_id": "1", "yaml": "code_id: css\nCode_parameter: '[[7,1,3]]'\nnotes: [5]"})
    ) == facts(json.dumps(entry))


def test_qecc_a_truth_that_is_no_object_is_unreadable() -> None:
    with pytest.raises(Unreadable):
        facts("[1]")

"""Approval, its year, warnings and phases of a drug; its targets with type and status."""

from __future__ import annotations

import pytest
from support_biomed_drugs import asked, drug, found, only, pairs, slots, value

APPROVED = {"phase": 4.0, "approved": True}
TYPED = {"type": "Antibody", "targets": "G2, G1"}


def test_an_approved_drug_has_a_year() -> None:
    pair = only("T08", drug("A", year=1999, **APPROVED), drug("A", year=1990), drug("A", year=0))
    assert slots(pair) == {"verdict": "yes", "year": 1990}
    assert asked(pair) == {"verdict", "year"}
    assert pair.source == "row_1, row_2, row_3"


def test_an_approved_drug_without_a_year_has_none_stated() -> None:
    pair = only("T08", drug("A", year=0, **APPROVED))
    assert (pair.yes, slots(pair)) == (True, {"verdict": "yes"})
    assert pair.answer == "Yes, A is approved by the FDA."


@pytest.mark.parametrize(
    ("cells", "facts", "words"),
    [
        ({"phase": 2.0}, {"verdict": "no", "phase": 2}, "phase 2"),
        ({"phase": 0.5}, {"verdict": "no", "phase": "0.5"}, "early phase 1"),
        ({"phase": 0.0}, {"verdict": "no"}, "no clinical trial of it is recorded"),
        ({}, {"verdict": "no"}, "no clinical trial of it is recorded"),
        ({"withdrawn": True, **APPROVED}, {"verdict": "no", "status": "withdrawn"}, "since withdrawn"),
        ({"phase": 4.0}, {"verdict": "no", "phase": 4}, "phase 4"),
    ],
)
def test_a_drug_that_is_not_approved_says_how_far_it_is(cells: dict[str, object], facts: object, words: str) -> None:
    pair = only("T08", drug("A", **cells))
    assert (pair.yes, slots(pair)) == (False, facts)
    assert asked(pair) == {"verdict"}
    assert words in pair.answer


def test_a_year_is_asked_for_where_there_is_one() -> None:
    rows = (drug("A", year=2001), drug("A", year=1988), drug("B", year=0), drug("C"))
    assert slots(only("T13", *rows)) == {"year": 1988}


def test_any_warning_of_a_drug_counts_and_an_unknown_one_is_not_asked_for() -> None:
    rows = (drug("A", warning=False), drug("A", warning=True), drug("B", warning=False), drug("C"))
    assert [(pair.yes, value(pair, "verdict")) for pair in pairs("T18", *rows)] == [(True, "yes"), (False, "no")]


def test_the_highest_phase_is_asked_for_where_there_is_one() -> None:
    rows = (drug("A", phase=1.0), drug("A", phase=3.0), drug("B", phase=0.5), drug("C"), drug("D", phase=0.1))
    first, second = pairs("T34", *rows)
    assert (value(first, "phase"), found(first, "phase")["kind"]) == (3, "integer")
    assert (value(second, "phase"), found(second, "phase")["kind"]) == ("0.5", "number")
    assert second.answer.endswith("early phase 1.")


def test_a_drug_without_a_name_is_not_asked_for() -> None:
    assert pairs("T34", drug(None, phase=3.0), drug(" ", phase=3.0)) == []


def test_the_parsed_list_of_targets_is_counted() -> None:
    row = drug("A", targets="G2 G1,G2") | {"numberLinkedTargets": 7}
    assert slots(only("T31", row)) == {"number of targets": 2, "targets": ["G1", "G2"]}
    assert only("T31", row).answer == "A targets 2 genes: G1 and G2."


def test_the_targets_of_a_drug_are_united_over_its_rows() -> None:
    assert value(only("T31", drug("A", targets="G2"), drug("A", targets="G1")), "targets") == ["G1", "G2"]


def test_a_drug_without_a_target_has_none_known() -> None:
    for empty in (None, "NONE", " , "):
        pair = only("T31", drug("A", targets=empty))
        assert slots(pair) == {"number of targets": 0}
        assert pair.answer == "A has no known genetic target."


def test_one_target_is_said_in_the_singular() -> None:
    assert only("T31", drug("A", targets="G1")).answer == "A targets 1 gene: G1."
    assert only("T32", drug("A", targets="G1", type="Antibody")).answer.startswith(
        "The genetic target of the antibody drug A is G1."
    )


def test_more_than_ten_targets_are_counted_and_ten_are_shown() -> None:
    pair = only("T31", drug("A", targets=" ".join(f"G{number}" for number in range(10, 22))))
    assert (value(pair, "number of targets"), found(pair, "targets")["of_all"]) == (12, 12)
    assert value(pair, "targets") == [f"G{number}" for number in range(10, 20)]
    assert "G20" not in pair.answer


@pytest.mark.parametrize(
    ("cells", "facts", "words"),
    [
        (
            {"year": 2001, **APPROVED},
            {"status": "approved", "phase": 4, "year": 2001},
            "reached phase 4 of",
        ),
        ({"year": 0, **APPROVED}, {"status": "approved", "phase": 4}, "is approved by the FDA."),
        ({"phase": 3.0}, {"status": "in clinical trials", "phase": 3}, "not approved by the FDA for any disease"),
        ({"phase": 0.5}, {"status": "in clinical trials", "phase": "0.5"}, "early phase 1"),
        ({}, {"status": "no clinical trial"}, "No clinical trial of A is recorded"),
        ({"withdrawn": True, "year": 2001, **APPROVED}, {"status": "withdrawn"}, "has since been withdrawn"),
    ],
)
def test_each_status_of_the_tree(cells: dict[str, object], facts: dict[str, object], words: str) -> None:
    pair = only("T32", drug("A", **TYPED, **cells))
    assert slots(pair) == {"number of targets": 2, "targets": ["G1", "G2"], **facts}
    assert words in pair.answer
    assert "antibody drug A" in pair.question


def test_a_drug_without_one_type_is_not_asked_for_its_tree() -> None:
    rows = (drug("A", targets="G1"), drug("B", type="Antibody"), drug("B", type="Protein"))
    assert pairs("T32", *rows) == []

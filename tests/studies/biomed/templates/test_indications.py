"""What drugs are approved for, their targets against a disease, and their patents."""

from __future__ import annotations

import pytest
from support_biomed_drugs import asked, found, only, pairs, slots, use, value


def test_a_drug_is_approved_for_a_disease_by_its_highest_phase() -> None:
    pair = only(
        "T05", use("A", "gout", 2.0, year=1990), use("A", "gout", 4.0, year=2001), use("A", "gout", 3.0, year=0)
    )
    assert (pair.yes, slots(pair)) == (True, {"verdict": "yes", "year": 1990})
    assert asked(pair) == {"verdict"}
    assert pair.answer == "Yes, A is approved by the FDA to treat gout. The drug was first approved in 1990."


def test_an_approval_without_a_year_is_a_bare_yes() -> None:
    assert slots(only("T05", use("A", "gout", 4.0))) == {"verdict": "yes"}


@pytest.mark.parametrize(
    ("phase", "facts", "words"),
    [
        (3.0, {"verdict": "no", "phase": 3}, "phase 3 of clinical trials"),
        (0.5, {"verdict": "no", "phase": "0.5"}, "early phase 1"),
        (0.4, {"verdict": "no"}, "no trial phase is recorded"),
        (None, {"verdict": "no"}, "no trial phase is recorded"),
    ],
)
def test_a_drug_that_is_not_approved_for_a_disease(phase: float | None, facts: object, words: str) -> None:
    pair = only("T05", use("A", "gout", phase, year=1990))
    assert (pair.yes, slots(pair)) == (False, facts)
    assert words in pair.answer


def test_a_disease_is_its_efo_term_else_its_mesh_heading() -> None:
    rows = (use("A", "gout", 2.0, mesh="Gout, MeSH"), use("A", " ", 4.0, mesh="gout"), use("A", None, 3.0, mesh="Gout"))
    first, second = pairs("T05", *rows)
    assert ("treat gout" in first.question, first.yes) == (True, True)
    assert ("treat Gout" in second.question, second.yes) == (True, False)
    assert pairs("T05", use("A", None, 4.0), use(None, "gout", 4.0)) == []


def test_a_drug_whose_name_begins_with_another_is_another_drug() -> None:
    first, second = pairs("T05", use("A", "gout", 2.0), use("A Phosphate", "gout", 4.0))
    assert (first.yes, second.yes) == (False, True)


def test_candidates_stand_in_the_natural_order_of_ids() -> None:
    rows = (use("A", "gout", id="r_10"), use("B", "gout", id="r_9"), use("B", "gout", id="r_11"))
    assert [pair.source for pair in pairs("T05", *rows)] == ["r_9, r_11", "r_10"]


def test_approved_uses_are_listed() -> None:
    rows = (use("A", "gout", 4.0, mesh="Arthritis, Gouty"), use("A", "asthma", 4.0), use("A", "colitis", 3.0))
    pair = only("T07", *rows)
    assert value(pair, "approved uses") == ["asthma", "gout"]
    assert found(pair, "approved uses")["names"] == {"gout": ["Arthritis, Gouty"]}
    assert pair.source == "row_1, row_2"


def test_a_drug_without_an_approved_use_has_its_highest_phase() -> None:
    pair = only("T07", use("A", "gout", 1.0), use("A", "asthma", 3.0), use("B", "gout"))
    assert slots(pair) == {"number of approved uses": 0, "phase": 3}
    assert asked(pair) == {"phase"}


def test_drugs_of_a_type_are_listed_where_they_are_approved() -> None:
    rows = (
        use("B", "gout", 4.0, type="Antibody", trades="Zed, b"),
        use("A", "gout", 4.0, type="antibody"),
        use("A", "gout", 4.0, type="Antibody"),
        use("C", "gout", 3.0, type="Antibody"),
        use("D", "gout", 4.0, type="Protein"),
        use("E", "gout", 4.0),
        use("F", "asthma", 2.0, type="Antibody"),
    )
    antibodies, proteins = pairs("T14", *rows)
    assert value(antibodies, "approved drugs") == ["A", "B"]
    assert found(antibodies, "approved drugs")["names"] == {"B": ["Zed"]}
    assert "2 drugs of the type antibody: A and B" in antibodies.answer
    assert value(proteins, "approved drugs") == ["D"]


def test_more_than_ten_drugs_of_a_type_are_counted() -> None:
    pair = only("T14", *(use(f"D{number}", "gout", 4.0, type="Protein") for number in range(10, 22)))
    assert (value(pair, "number of approved drugs"), found(pair, "approved drugs")["of_all"]) == (12, 12)
    assert asked(pair) == {"number of approved drugs", "approved drugs"}
    assert "D20" not in pair.answer


def test_targets_against_a_disease_stand_with_the_phase() -> None:
    rows = (use("A", "gout", 2.0, gene="G2", gene_name="gene two"), use("A", "gout", 1.0, gene="G1"))
    pair = only("T06", *rows, use("A", "asthma", 2.0), use("B", "gout", 2.0))
    assert slots(pair) == {"number of targets": 2, "targets": ["G1", "G2"], "status": "in clinical trials", "phase": 2}
    assert asked(pair) == {"targets"}
    assert found(pair, "targets")["names"] == {"G2": ["gene two"]}


def test_targets_against_a_disease_stand_with_an_approval() -> None:
    pair = only("T06", use("A", "gout", 4.0, gene="G1"))
    assert slots(pair) == {"targets": ["G1"], "status": "approved"}
    assert slots(only("T06", use("A", "gout", gene="G1"))) == {"targets": ["G1"]}


def test_genes_against_a_disease_are_counted() -> None:
    rows = (use("A", "gout", 2.0, gene="G2"), use("A", "gout", 2.0, gene="G1"), use("A", "asthma", 2.0, gene="G3"))
    first, second = pairs("T21", *rows)
    assert slots(first) == {"number of targets": 2, "targets": ["G1", "G2"]}
    assert slots(second) == {"number of targets": 1, "targets": ["G3"]}
    assert asked(second) == {"number of targets", "targets"}


def test_patents_are_united_over_the_rows_of_a_drug() -> None:
    rows = (use("A", "gout", patents="['8178563', '10266523']"), use("A", None, patents="8178563;8063043"))
    pair = only("T40", *rows, use("B", "gout", patents="None"), use("C", "gout"))
    assert value(pair, "patents") == ["10266523", "8063043", "8178563"]
    assert pair.answer == "A has 3 patents: 10266523, 8063043 and 8178563."

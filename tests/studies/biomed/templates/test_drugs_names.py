"""Other names, identifiers and trade names of a drug, and how it acts."""

from __future__ import annotations

import pytest
from support_biomed_drugs import asked, drug, found, only, pairs, slots, value
from support_cases import each_of

KNOWN = {"type": "Small molecule", "actions": "INHIBITOR", "diseases": "gout"}


def test_other_names_are_synonyms_and_trade_names() -> None:
    pair = only("T11", drug("Abc", synonyms="NSC-1, abc", trades="Zed; Yan"), drug("Abc", synonyms="NSC-1"))
    assert value(pair, "other names") == ["NSC-1", "Yan", "Zed"]


def test_a_drug_without_another_name_is_not_asked_for() -> None:
    assert pairs("T11", drug("Abc", synonyms="ABC"), drug("B", synonyms="None"), drug("C", trades="[]")) == []


@each_of(
    ("cell", "names"),
    [
        ("B, C", ["B", "C"]),
        ("B;C", ["B", "C"]),
        ("B | C", ["B", "C"]),
        ("B,lab, C", ["B,lab", "C"]),
        ("B, acute; C", ["B, acute", "C"]),
        ("['B', 'C']", ["B", "C"]),
        ('["B","C"]', ["B", "C"]),
        ("[B, C]", ["B", "C"]),
        ("B's, C [NMDA]", ["B's", "C [NMDA]"]),
        (" B ", ["B"]),
    ],
)
def test_a_cell_of_names_is_split(cell: str, names: list[str]) -> None:
    assert value(only("T11", drug("Abc", synonyms=cell)), "other names") == names


def test_other_names_beyond_ten_are_counted() -> None:
    pair = only("T11", drug("Abc", synonyms=", ".join(f"N{number}" for number in range(10, 22))))
    assert (value(pair, "number of other names"), found(pair, "other names")["of_all"]) == (12, 12)


def test_every_identifier_of_a_drug_is_given() -> None:
    assert only("T33", drug("A", chembl="CHEMBL1")).answer == "The ChEMBL identifier of A is CHEMBL1."
    pair = only("T33", drug("A", chembl="CHEMBL1"), drug("A", chembl="CHEMBL2"), drug("B"))
    assert value(pair, "ChEMBL identifier") == ["CHEMBL1", "CHEMBL2"]


def test_a_trade_name_leads_to_the_targets_of_its_drug() -> None:
    pair = only("T15", drug("A", trades="Zed", targets="G2, G1"))
    assert slots(pair) == {"number of targets": 2, "targets": ["G1", "G2"], "generic name": ["A"]}
    assert asked(pair) == {"targets"}
    assert "Zed" in pair.question


def test_a_trade_name_of_drugs_with_other_targets_is_not_asked_for() -> None:
    assert pairs("T15", drug("A", trades="Zed", targets="G1"), drug("B", trades="ZED", targets="G2")) == []
    assert pairs("T15", drug("A", trades="B", targets="G1"), drug("B", targets="G2")) == []
    assert pairs("T15", drug("A", trades="Zed")) == []


def test_a_trade_name_of_drugs_with_the_same_targets_is_asked_for_once() -> None:
    pair = only("T15", drug("A", trades="Zed", targets="G1 G2"), drug("B", trades="ZED", targets="G2 G1"))
    assert value(pair, "generic name") == ["A", "B"]
    assert pair.source == "row_1, row_2"
    assert "Zed" in pair.question


def test_a_trade_name_is_explained() -> None:
    pair = only("T17", drug("A", trades="Zed", synonyms="A-1", **KNOWN))
    assert slots(pair) == {
        "generic name": "A",
        "diseases": ["gout"],
        "molecule type": "small molecule",
        "actions": ["inhibitor"],
    }
    assert found(pair, "generic name")["names"] == {"A": ["A-1"]}


def test_a_trade_name_of_two_drugs_is_not_explained() -> None:
    assert pairs("T17", drug("A", trades="Zed", **KNOWN), drug("B", trades="zed", **KNOWN)) == []
    assert [p.question.split()[2] for p in pairs("T17", drug("A", trades="Zed, a, B", **KNOWN), drug("B"))] == ["Zed?"]


@pytest.mark.parametrize("lacking", KNOWN)
def test_a_trade_name_is_not_explained_where_something_is_unknown(lacking: str) -> None:
    assert pairs("T17", drug("A", trades="Zed", **{**KNOWN, lacking: None})) == []


def test_diseases_with_commas_are_parted_by_semicolons() -> None:
    pair = only("T17", drug("A", trades="Zed", **{**KNOWN, "diseases": "gout; colitis, acute"}))
    assert value(pair, "diseases") == ["colitis, acute", "gout"]


def test_the_actions_of_a_drug_are_named_in_lower_case() -> None:
    pair = only("T12", drug("A", actions="POSITIVE MODULATOR, Opener"), drug("A", actions="opener"), drug("B"))
    assert value(pair, "actions") == ["opener", "positive modulator"]
    assert pair.answer == "A acts as an opener and a positive modulator."


def test_mechanisms_are_counted_and_named() -> None:
    pair = only("T23", drug("A", mechanisms="Tubulin inhibitor"), drug("A", mechanisms="CD30 binder"), drug("B"))
    assert slots(pair) == {"number of mechanisms": 2, "mechanisms": ["CD30 binder", "Tubulin inhibitor"]}
    assert asked(pair) == {"number of mechanisms", "mechanisms"}


def test_type_and_actions_are_asked_for_where_both_are_known() -> None:
    rows = (drug("A", type="Small molecule", actions="Opener"), drug("B", type="Antibody"), drug("C", actions="Opener"))
    assert slots(only("T35", *rows)) == {"molecule type": ["small molecule"], "actions": ["opener"]}


def test_the_most_frequent_action_counts_each_drug_once() -> None:
    rows = (
        drug("A", type="Antibody", actions="Binder"),
        drug("A", type="Antibody", actions="Binder"),
        drug("B", type="antibody", actions="Inhibitor"),
        drug("C", type="Antibody", actions="Inhibitor, Binder; x"),
        drug("D", type="Antibody", actions="Inhibitor"),
    )
    pair = only("T39", *rows)
    assert slots(pair) == {"actions": ["inhibitor"], "number of drugs": 2}
    assert pair.source == "row_3, row_5"


def test_tied_actions_are_all_named() -> None:
    rows = (drug("A", type="Enzyme", actions="Opener, Binder"), drug("B", type="Protein", actions="Binder"))
    first, second = pairs("T39", *rows)
    assert (value(first, "actions"), value(second, "actions")) == (["binder", "opener"], ["binder"])
    assert "a binder and an opener" in first.answer


def test_a_type_without_an_action_is_not_asked_for() -> None:
    assert pairs("T39", drug("A", type="Enzyme"), drug("B", actions="Binder")) == []

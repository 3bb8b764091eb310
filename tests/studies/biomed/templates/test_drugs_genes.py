"""Which genes are asked for, the five outcomes of the tree of druggability, and the drugs of a gene."""

from __future__ import annotations

from support_biomed_drugs import asked, drug, found, only, pairs, slots, value

APPROVED = {"phase": 4.0, "approved": True}


def test_a_gene_with_an_approved_drug_is_druggable() -> None:
    pair = only("T01", drug("A", targets="G1", **APPROVED), drug("B", targets="G1", phase=2.0))
    assert pair.yes is True
    assert slots(pair) == {"verdict": "yes", "number of approved drugs": 1}
    assert (pair.answer, pair.source) == ("Yes, G1 is druggable: 1 approved drug targets it.", "row_1")


def test_a_gene_with_drugs_in_trials_alone_may_be_druggable() -> None:
    pair = only("T01", drug("A", targets="G1", phase=0.5), drug("B", targets="G1", phase=3.0))
    assert pair.yes is False
    assert slots(pair) == {"verdict": "no", "number of drugs in trials": 2}
    assert "may prove to be druggable" in pair.answer


def test_one_and_several_withdrawn_drugs_are_told_apart() -> None:
    first, second = drug("A", targets="G1", withdrawn=True, **APPROVED), drug("B", targets="G1", withdrawn=True)
    assert slots(only("T01", first)) == {"verdict": "no", "number of withdrawn drugs": 1}
    assert "1 drug that targets it was approved" in only("T01", first).answer
    assert "2 drugs that target it were approved" in only("T01", first, second).answer


def test_drugs_in_trials_come_before_withdrawn_ones() -> None:
    pair = only("T01", drug("A", targets="G1", withdrawn=True), drug("B", targets="G1", phase=1.0))
    assert slots(pair) == {"verdict": "no", "number of drugs in trials": 1}


def test_a_gene_whose_drugs_are_in_no_trial_is_not_considered_druggable() -> None:
    pair = only("T01", drug("A", targets="G1", phase=0.25))
    assert slots(pair) == {"verdict": "no"}
    assert "not considered druggable" in pair.answer


def test_phase_4_without_a_flag_is_a_drug_in_trials() -> None:
    assert slots(only("T01", drug("A", targets="G1", phase=4.0)))["number of drugs in trials"] == 1
    assert slots(only("T01", drug("A", targets="G1", phase=3.0, approved=True)))["number of drugs in trials"] == 1


def test_rows_of_one_drug_count_once_and_are_merged() -> None:
    rows = (drug("A", targets="G1", phase=4.0), drug("A", targets="G1", phase=2.0, approved=True))
    assert slots(only("T01", *rows)) == {"verdict": "yes", "number of approved drugs": 1}
    withdrawn = (*rows, drug("A", targets="G1", withdrawn=True))
    assert slots(only("T01", *withdrawn)) == {"verdict": "no", "number of withdrawn drugs": 1}


def test_genes_are_whole_symbols_whatever_parts_them() -> None:
    questions = {pair.question.split()[1] for pair in pairs("T01", drug("A", targets="TUBB, TUBB2A;G 1\nNONE"))}
    assert questions == {"TUBB", "TUBB2A", "G", "1"}


def test_a_gene_inside_another_symbol_does_not_count() -> None:
    first, second = pairs("T04", drug("A", targets="TUBB", **APPROVED), drug("B", targets="TUBB2A", **APPROVED))
    assert (value(first, "approved drugs"), value(second, "approved drugs")) == (["A"], ["B"])


def test_genes_stand_in_the_natural_order_of_ids() -> None:
    rows = (drug("A", targets="G1", id="r_10"), drug("B", targets="G2", id="r_9"))
    assert [pair.question.split()[1] for pair in pairs("T01", *rows)] == ["G2", "G1"]


def test_a_gene_lists_its_approved_drugs_alone() -> None:
    rows = (drug("B", targets="G1", trades="Bax", **APPROVED), drug("A", targets="G1", **APPROVED))
    pair = only("T04", *rows, drug("C", targets="G1", phase=3.0))
    assert value(pair, "approved drugs") == ["A", "B"]
    assert found(pair, "approved drugs")["names"] == {"B": ["Bax"]}
    assert pair.answer == "The gene G1 is targeted by 2 approved drugs: A and B."
    assert pair.source == "row_1, row_2"


def test_a_gene_without_an_approved_drug_lists_those_in_trials() -> None:
    pair = only("T04", drug("A", targets="G1", phase=2.0), drug("B", targets="G1", withdrawn=True))
    assert slots(pair) == {"number of approved drugs": 0, "drugs in trials": ["A"]}
    assert asked(pair) == {"drugs in trials"}


def test_a_gene_may_have_neither() -> None:
    pair = only("T04", drug("A", targets="G1", withdrawn=True))
    assert slots(pair) == {"number of approved drugs": 0, "number of drugs in trials": 0}
    assert pair.answer.startswith("There is neither")


def test_more_than_ten_drugs_are_counted_and_the_first_ten_shown() -> None:
    pair = only("T04", *(drug(f"D{number:02d}", targets="G1", **APPROVED) for number in range(12, 0, -1)))
    listing = found(pair, "approved drugs")
    assert listing["value"] == [f"D{number:02d}" for number in range(1, 11)]
    assert listing["of_all"] == 12
    assert asked(pair) == {"number of approved drugs", "approved drugs"}
    assert "12 approved drugs, the first ten of which in alphabetical order are D01, " in pair.answer
    assert "D11" not in pair.answer

"""What a run's data set holds: templates, labels, the balance of yes and no, and what its maker counted."""

from __future__ import annotations

from studies.biomed.measures.answer_rows import gold, item, made

from harness.studies.biomed.measures import dataset


def described(folder, items, golds, counts=None):
    tables = {"gold": golds, **({"counts": [counts]} if counts else {})}
    return made(folder, dataset.analyse, [], items=items, tables=tables)


def test_labels_are_counted_once_each_and_shares_are_of_labels(tmp_path):
    items = [item("T01.1", biological=["Tissue", "Drug Meta"]), item("T01.2", biological=["Drug Meta"])]
    found = described(tmp_path, items, [])["labels"]["biological"]
    assert found["counts"] == [
        {"label": "Drug Meta", "n": 2, "share": 2 / 3},
        {"label": "Tissue", "n": 1, "share": 1 / 3},
    ]
    assert found["primary"] == {"Drug Meta": 1, "Tissue": 1} and found["questions_by_number"] == {"1": 1, "2": 1}


def test_the_balance_of_yes_and_no_is_by_template_too(tmp_path):
    items = [item(f"T{t}.{n}") for t, n in (("05", 1), ("05", 2), ("22", 1), ("02", 1))]
    golds = [gold("T05.1", True), gold("T05.2", False), gold("T22.1", False), gold("T02.1")]
    found = described(tmp_path, items, golds)["yes_no"]
    assert (found["n"], found["always_yes"]) == (3, 1 / 3)
    assert found["by_template"]["T22"]["always_no"] == 1 and "T02" not in found["by_template"]


def test_without_a_question_of_yes_or_no_the_balance_is_missing(tmp_path):
    assert "missing" in described(tmp_path, [item("T02.1")], [gold("T02.1")])["yes_no"]["always_no"]


def test_templates_are_counted_and_the_makers_counts_are_handed_on(tmp_path):
    items = [item(f"T01.{n}") for n in range(270)] + [item("T20.1")]
    found = described(tmp_path, items, [], {"biomed": {"overlap": 31}})
    assert (found["n"], found["templates"], found["n_small_templates"]) == (271, {"T01": 270, "T20": 1}, 1)
    assert found["counts"] == {"biomed": {"overlap": 31}}

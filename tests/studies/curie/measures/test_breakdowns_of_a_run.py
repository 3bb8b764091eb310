"""Breakdowns of a run: lengths in words, answers that cannot be used, programs in answers, correlated scorers."""

from __future__ import annotations

from typing import Any

import pytest
from studies.curie.measures.score_rows import failed, item, made, score

from harness.studies.curie.measures import breakdowns


def broken_down(folder: Any, items: Any, rows: Any, **tables: Any) -> dict[str, Any]:
    return made(folder, breakdowns.analyse, items, rows, tables={"gold": [], **tables})


def test_lengths_are_counted_in_words(tmp_path):
    items = [item("hfe", "a", text="one two  three\nfour"), item("hfe", "b", text="one two")]
    gold = [{"id": "hfe-a", "gold": {"target": "H = x", "truth": "{}"}}]
    found = broken_down(tmp_path, items, [], gold=gold)["lengths"]["hfe"]
    assert (found["document"]["mean"], found["document"]["max"], found["answer"]["mean"]) == (3, 4, 3)
    assert found["primary_metric"] == {"paper": "rougeLsum", "strict": "facts_f1"}


def test_blank_invalid_and_failed_answers_are_the_unusable_share(tmp_path):
    items = [item("biogr", record) for record in "abcd"]
    rows = [score("biogr", "a", 0.5), score("biogr", "b", 0, outcome="missing"),
            score("biogr", "c", 0, outcome="invalid"), failed("biogr", "d")]  # fmt: skip
    found = broken_down(tmp_path, items, rows)["unusable"]["biogr"]["m"]
    assert found == {"n": 4, "n_blank": 1, "n_invalid": 1, "n_error": 1, "share": 0.75}


def test_a_model_that_never_answered_has_no_share(tmp_path):
    assert broken_down(tmp_path, [item("hfe", "a")], [])["unusable"]["hfe"]["m"] == {"missing": "no answers"}


def test_the_share_answered_by_a_program_and_how_programs_ended(tmp_path):
    items = [item("pdb", record) for record in "abcd"]
    rows = [score("pdb", record, 0.5) for record in "abcd"]
    trials = [{"item": f"pdb-{record}", "template": 1, "model": "m", "sample": 0, "trial": "pdb", "program": "0",
               "outcome": outcome, "stdout": ""} for record, outcome in (("a", "done"), ("b", "time"))]  # fmt: skip
    found = broken_down(tmp_path, items, rows, trials=trials)["programs"]
    assert found == {"pdb": {"m": {"n": 2, "share": 0.5, "outcomes": {"done": 1, "time": 1}}}}


def test_scorers_that_rank_answers_alike_are_correlated(tmp_path):
    items = [item("hfe", record) for record in "abcd"]
    values = {"facts": (0.1, 0.2, 0.3, 0.9), "lmscore": (0.0, 0.4, 0.5, 1.0), "rouge": (50, 50, 50, 50)}
    rows = [score("hfe", record, value, scorer=scorer)
            for scorer, each in values.items() for record, value in zip("abcd", each, strict=True)]  # fmt: skip
    found = {(each["a"], each["b"]): each for each in broken_down(tmp_path, items, rows)["correlations"]["hfe"]}
    assert (found["facts", "lmscore"]["value"], found["facts", "lmscore"]["n"]) == (pytest.approx(1), 4)
    assert found["facts", "rouge"]["value"] == {"missing": "one of the two is constant"}

"""The list of published golds that are false in the world, and RQR with and without them."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest
from studies.biomed.measures.answer_rows import RULE, graded, item, made
from support import FIXTURES

import harness
from harness.errors import InputError
from harness.studies.biomed.measures import defects

TABLE = Path(harness.__file__).parent / "studies" / "biomed" / "tables" / "defects@1.csv"
REAL = FIXTURES.parent / "data" / "biomed" / "templates_6208.csv"
HEAD = "uuid,drug,disease,kind,why,certainty,version\n"


def table(folder, *rows):
    path = folder / "defects.csv"
    path.write_text(HEAD + "".join(f"{row}\n" for row in rows))
    return path


def told(folder, path, items, grades=(3, 3, 0)):
    scores = graded("Q5", grades)
    return made(folder, defects.analyse, scores, items=items, tables={"defects": path})


def questions(*texts):
    return [item(f"Q5.{place}", question=text) for place, text in enumerate(texts, 1)]


@pytest.mark.skipif(not REAL.is_file(), reason="the published questions are not here")
def test_every_listed_question_is_published_with_the_gold_of_its_kind():
    with REAL.open(newline="", encoding="utf-8") as file:
        real = {row["uuid"]: row for row in csv.DictReader(file) if row["template uuid"] == "Q5"}
    assert len(real) == 208
    for one in defects.read_defects(TABLE):
        row = real[one.uuid]
        assert one.is_of(item(one.uuid, question=row["question"]))
        assert row["answer"].startswith("Yes") == (one.kind != "false_not_approved")


def test_the_list_is_versioned_and_graded_by_certainty():
    listed = defects.read_defects(TABLE)
    counts = Counter((one.kind, one.certainty) for one in listed)
    assert {one.version for one in listed} == {"defects-1"} and len(listed) == 40
    assert (counts["false_not_approved", "sure"], counts["year_of_other_indication", "sure"]) == (9, 13)


def test_sure_and_likely_ones_are_left_out_and_doubtful_ones_stay(tmp_path):
    path = table(tmp_path, "Q5.1,Aa,bb,false_not_approved,why,sure,v", "Q5.2,Cc,dd,false_approved,why,likely,v",
                 "Q5.3,Ee,ff,false_approved,why,doubtful,v")  # fmt: skip
    found = told(tmp_path, path, questions("Is Aa for Bb?", "Is Cc for dd?", "Is Ee for ff?"))
    assert (found["n_here"], found["n_left_out"]) == (3, 2)
    both = found["graders"][RULE]["m"]["template"]
    assert both == {"with": {"value": 2 / 3, "k": 2, "n": 3}, "without": {"value": 0, "k": 0, "n": 1}}


def test_another_question_of_the_same_id_is_not_listed(tmp_path):
    path = table(tmp_path, "Q5.1,Aa,bb,false_not_approved,why,sure,v")
    found = told(tmp_path, path, questions("Is Aa for cc?", "x", "y"))
    assert found["n_here"] == 0 and found["listed"][0]["here"] is False


@pytest.mark.parametrize(
    "row",
    ["Q5.1,Aa,bb,other,why,sure,v", "Q5.1,Aa,bb,false_approved,why,perhaps,v", "Q5.1,Aa,,false_approved,why,sure,v",
     "Q5.1,Aa,bb,false_approved,why,sure,v\nQ5.1,Aa,bb,false_approved,why,sure,v"],
)  # fmt: skip
def test_a_malformed_list_is_refused(tmp_path, row):
    with pytest.raises(InputError):
        told(tmp_path, table(tmp_path, row), questions("x", "y", "z"))

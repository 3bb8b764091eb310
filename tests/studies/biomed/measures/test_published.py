"""The printed numbers: the table is the published one, SR's identity holds, costs and contradictions are listed."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from support import FIXTURES

import harness
from harness.errors import InputError
from harness.studies.biomed.measures import published

TABLE = Path(harness.__file__).parent / "studies" / "biomed" / "tables" / "published@1.csv"
SHARED = FIXTURES.parent / "data" / "biomed" / "published_tables.csv"


def document(path, out):
    published.analyse({}, {"published": path}, out)
    return json.loads((out / "published").read_text())


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return document(TABLE, tmp_path_factory.mktemp("published"))


@pytest.mark.skipif(not SHARED.is_file(), reason="the shared table is not here")
def test_the_table_has_the_printed_numbers_digit_by_digit():
    with SHARED.open(newline="") as one, TABLE.open(newline="") as other:
        theirs, ours = list(csv.DictReader(one)), list(csv.DictReader(other))
    assert [{name: row[name] for name in theirs[0]} for row in ours] == theirs
    assert len(theirs) == 118 and all(row["source"] for row in ours)


def test_all_seven_safety_rates_are_the_formula_with_rqr_over_all_answers(found):
    told = found["identities"]["sr_is_ar_over_rest"]
    assert (told["n"], told["beyond"], told["within"]) == (7, 0, "0.011") and told["largest"] == pytest.approx(
        0.0098, abs=5e-5
    )
    assert told["differences"]["gpt-4o"] == pytest.approx(0.19 / 0.63 - 0.31)


def test_none_is_the_formula_with_rqr_over_answered_ones(found):
    assert found["identities"]["sr_with_rqr_over_answered"]["beyond"] == 7


def test_costs_are_exact_but_for_a_cent_of_the_grader(found):
    told = {name: (each["computed"], each["printed"]) for name, each in found["costs"].items()}
    assert told == {"gpt-4o": (17.71, 17.71), "gemini-1.5-pro": (18.78, 18.78), "claude-3.5-sonnet": (24.45, 24.45),
                    "perplexity-sonar-huge": (65.78, 65.78), "bioscore-gpt-4o": (34.19, 34.2),
                    "total": (160.91, 160.92)}  # fmt: skip


def test_what_the_paper_contradicts_is_listed_with_its_numbers(found):
    told = {each["id"]: each for each in found["inconsistencies"]}
    assert {name for name, each in told.items() if each["contradicted"] is True} == {
        "abstract-gpt-4o-SR", "range-BioScore", "range-AR", "journal-RQR", "journal-SR", "cost-of-grading",
        "system-tokens", "statistics-of-all",
    }  # fmt: skip
    assert told["abstract-gpt-4o-SR"]["found"] == {"abstract": [0.3, 0.32], "table": [0.3, 0.31]}
    assert told["range-AR"]["found"] == {"stated": [0.1, 0.6], "table": [0.19, 0.59]}
    assert "missing" in told["small-templates"]["contradicted"]


def test_a_table_without_numbers_gives_no_verdicts(tmp_path):
    empty = tmp_path / "published.csv"
    empty.write_text("table,model,metric,value,ci_low,ci_high,source\n")
    told = document(empty, tmp_path)
    assert told["n"] == 0 and "missing" in told["identities"]["sr_is_ar_over_rest"]["largest"]
    assert not any(each["contradicted"] is True for each in told["inconsistencies"])


@pytest.mark.parametrize(
    "row",
    ["S,m,AR,1" + "0" * 10**6 + ",,,s", "S,m,AR,nan,,,s", "S,m,AR,1,2,,s", "S,m,,1,,,s", "S,m,AR",
     "S,m,AR,1,,,s\nS,m,AR,2,,,s", "S,m,AR,1e99,,,s"],
)  # fmt: skip
def test_a_row_that_was_never_printed_is_refused(tmp_path, row):
    table = tmp_path / "published.csv"
    table.write_text(f"table,model,metric,value,ci_low,ci_high,source\n{row}\n")
    with pytest.raises(InputError):
        document(table, tmp_path)


@pytest.mark.parametrize("value", ["1", "2", "-5"])
def test_odd_rates_break_no_identity(tmp_path, value):
    table = tmp_path / "published.csv"
    rows = "".join(f"S11_bioscore,m,{name},{value},,,s\n" for name in ("AR", "RQR", "SR"))
    table.write_text(f"table,model,metric,value,ci_low,ci_high,source\n{rows}")
    assert document(table, tmp_path)["identities"]["sr_is_ar_over_rest"]["n"] == 0

"""The rows of labels as the smaller analyses read them: what is refused, and what is gathered."""

import json

import pytest

from harness import rows
from harness.errors import InputError
from harness.studies.reliability.labelled import gather, parts, read, shares, template_ids


def row(model="m", item="1", labels="cai", **more):
    return {
        "model": model, "item": item, "benchmark": "x", "subset": "x", "difficulty": 1, "labels": labels, **more,
    }  # fmt: skip


def test_rows_are_gathered_by_benchmark_whatever_their_order():
    tables = gather([row(item="2"), row(benchmark="a"), row(item="1", difficulty=5), row("n", item="2", labels="c--")])
    assert list(tables) == ["a", "x"]
    table = tables["x"]
    assert (table.items, table.prompts, table.difficulties) == (["1", "2"], 3, {"1": 5, "2": 1})
    assert table.column("m", ["1", "2"]) == ["cai", "cai"]
    assert table.column("n", ["1", "2"]) == ["---", "c--"]


@pytest.mark.parametrize(
    "change",
    [
        {"model": None}, {"item": 3}, {"benchmark": None}, {"subset": None}, {"labels": ["c"]}, {"labels": "cx"},
        {"difficulty": None}, {"difficulty": float("inf")}, {"difficulty": True},
    ],
)  # fmt: skip
def test_a_malformed_row_is_named_by_its_number_and_its_text_is_not_shown(tmp_path, change):
    lines = [row(labels="ccc"), {**row(labels="ccc"), **change}]
    (tmp_path / "labels").write_text("".join(json.dumps(each) + "\n" for each in lines))
    with pytest.raises(InputError) as found:
        list(read(tmp_path / "labels"))
    assert found.value.where == "labels row 2" and "ccc" not in str(found.value)


@pytest.mark.parametrize("second", [row(), row(item="2", labels="ca"), row("n", difficulty=2)])
def test_rows_that_contradict_each_other_are_refused(second):
    with pytest.raises(InputError):
        gather([row(), second])


def test_subsets_are_tables_of_their_own_only_where_there_are_several():
    given = [row(item="1", subset="p"), row(item="2", subset="q"), row(benchmark="y"), row("n", item="2", subset="q")]
    found = parts(gather(given))
    assert list(found) == ["x:p", "x:q"]
    assert found["x:q"].items == ["2"] and found["x:q"].labels == {"m": {"2": "cai"}, "n": {"2": "cai"}}
    assert found["x:p"].column("n", ["1"]) == ["---"]


def test_templates_are_named_as_the_run_says_or_by_their_place(tmp_path):
    table = gather([row()])["x"]
    assert template_ids({}, table) == [1, 2, 3]
    rows.write_one(tmp_path / "templates", {"x": [4, 5, 9]})
    assert template_ids({"templates": tmp_path / "templates"}, table) == [4, 5, 9]
    for wrong in ({"x": [4]}, {}):
        rows.write_one(tmp_path / "templates", wrong)
        with pytest.raises(InputError):
            template_ids({"templates": tmp_path / "templates"}, table)


def test_shares_are_of_what_was_scored():
    assert shares({"c": 1, "a": 1, "i": 2}) == {"correct": 0.25, "avoidant": 0.25, "incorrect": 0.5}
    assert all("missing" in value for value in shares({"c": 0, "a": 0, "i": 0}).values())
